// Laplacian kernels on a line: sums over all pairs in one pass over sorted points.
//
// With x sorted, L_i = Σ_{j<i} exp(−rate (x_i − x_j)) v_j obeys
// L_i = (L_{i−1} + v_{i−1}) exp(−rate (x_i − x_{i−1})), so that Σ_{j<i} k_ij v_i·v_j = Σ_i v_i·L_i.
#include <cmath>
#include <vector>

#include "arrays.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

// out_i = Σ_{j≠i} k(x_i, x_j) v_j: the forward recursion plus the backward one.
void line_apply(const double *x, const double *v, int64_t n, int64_t d, double rate, double *out) {
    std::vector<double> carry(d, 0.0);
    for (int64_t i = 0; i < n; ++i) {
        const double decay = i ? std::exp(-rate * (x[i] - x[i - 1])) : 0.0;
        for (int64_t c = 0; c < d; ++c) {
            if (i) carry[c] = (carry[c] + v[(i - 1) * d + c]) * decay;
            out[i * d + c] = carry[c];
        }
    }
    carry.assign(d, 0.0);
    for (int64_t i = n - 2; i >= 0; --i) {
        const double decay = std::exp(-rate * (x[i + 1] - x[i]));
        for (int64_t c = 0; c < d; ++c) {
            carry[c] = (carry[c] + v[(i + 1) * d + c]) * decay;
            out[i * d + c] += carry[c];
        }
    }
}

double line_sum(const double *x, const double *v, int64_t n, int64_t d, double rate) {
    std::vector<double> carry(d, 0.0);
    double sum = 0.0, lost = 0.0;
    for (int64_t i = 1; i < n; ++i) {
        const double decay = std::exp(-rate * (x[i] - x[i - 1]));
        double term = 0.0;
        for (int64_t c = 0; c < d; ++c) {
            carry[c] = (carry[c] + v[(i - 1) * d + c]) * decay;
            term += v[i * d + c] * carry[c];
        }
        const double s = sum + term;
        lost += std::fabs(sum) >= std::fabs(term) ? (sum - s) + term : (term - s) + sum;
        sum = s;
    }
    return sum + lost;
}

// out_b = Σ_{i<j} k(x_i, x_j) v_i w_ib v_j w_jb for every column b of w (n × B).
void line_weighted_sums(const double *x, const double *v, const double *w, int64_t n,
                        int64_t columns, double rate, double *out) {
    std::vector<double> carry(columns, 0.0);
    for (int64_t b = 0; b < columns; ++b) out[b] = 0.0;
    for (int64_t i = 0; i < n; ++i) {
        const double decay = i ? std::exp(-rate * (x[i] - x[i - 1])) : 0.0;
        const double *row = w + i * columns;
        for (int64_t b = 0; b < columns; ++b) {
            const double term = v[i] * row[b], reach = carry[b] * decay;
            out[b] += term * reach;
            carry[b] = reach + term;
        }
    }
}

double sum(In<double, 1> x, In<double, 2> v, double rate) {
    demand(alike(x, v), "x and v must have the same length");
    nb::gil_scoped_release unlocked;
    return line_sum(x.data(), v.data(), x.shape(0), v.shape(1), rate);
}

void apply(In<double, 1> x, In<double, 2> v, double rate, Out<double, 2> out) {
    demand(alike(x, v), "x and v must have the same length");
    demand(alike(out, v, 2), "out must have the shape of v");
    nb::gil_scoped_release unlocked;
    line_apply(x.data(), v.data(), x.shape(0), v.shape(1), rate, out.data());
}

void weighted_sums(In<double, 1> x, In<double, 1> v, In<double, 2> w, double rate,
                   Out<double, 1> out) {
    demand(alike(x, w) && alike(v, w), "x, v and w must have the same length");
    demand(out.shape(0) == w.shape(1), "out must have one entry for every column of w");
    nb::gil_scoped_release unlocked;
    line_weighted_sums(x.data(), v.data(), w.data(), w.shape(0), w.shape(1), rate, out.data());
}

} // namespace

void bind_line(nb::module_ &m) {
    m.def("line_sum", &sum, "x"_a, "v"_a, "rate"_a);
    m.def("line_apply", &apply, "x"_a, "v"_a, "rate"_a, "out"_a.noconvert());
    m.def("line_weighted_sums", &weighted_sums, "x"_a, "v"_a, "w"_a, "rate"_a, "out"_a.noconvert());
}
