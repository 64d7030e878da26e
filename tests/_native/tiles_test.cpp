// Compares the tile kernels of one instruction set with plain loops over the same numbers.
//
// A program and no module for Python, so that it can be compiled for other processors: see
// tools/test_neon.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../../src/calibrant/_native/tiles.hpp"

using namespace calibrant;

namespace calibrant::baseline {
extern const TileApi api;
}

namespace {

using Doubles = std::vector<double>;
const TileApi &api = baseline::api;
std::mt19937_64 generator(0);
int failures = 0;

void expect(const std::string &what, const Doubles &got, const Doubles &want, double tolerance) {
    for (size_t i = 0; i < want.size(); ++i)
        if (!(std::fabs(got[i] - want[i]) <= tolerance * std::max(1.0, std::fabs(want[i])))) {
            std::printf("%s: entry %zu is %.17g, not %.17g\n", what.c_str(), i, got[i], want[i]);
            ++failures;
            return;
        }
}

Doubles numbers(int64_t count, double low = -1.0, double high = 1.0) {
    std::uniform_real_distribution<double> draw(low, high);
    Doubles out(count);
    for (double &number : out) number = draw(generator);
    return out;
}

template <class Label> std::vector<Label> labels(int64_t count, int64_t n_classes) {
    std::vector<Label> out(count);
    for (Label &label : out) label = static_cast<Label>(generator() % n_classes);
    return out;
}

double value(const double *x, const double *y, int64_t m, Kernel k) {
    double sum = 0.0;
    for (int64_t c = 0; c < m; ++c)
        sum +=
            k.metric == Metric::cityblock ? std::fabs(x[c] - y[c]) : (x[c] - y[c]) * (x[c] - y[c]);
    const double distance = k.metric == Metric::cityblock ? sum : std::sqrt(sum);
    if (k.profile == Profile::distance) return distance;
    return std::exp(k.profile == Profile::laplacian ? -k.rate * distance
                                                    : -k.rate * k.rate * distance * distance);
}

double product(const double *u, const double *v, int64_t d) {
    double sum = 0.0;
    for (int64_t c = 0; c < d; ++c) sum += u[c] * v[c];
    return sum;
}

// Two blocks of rows, their kernel values and pair terms.
struct Sample {
    Dims dims;
    Kernel kernel;
    int64_t a, b;
    bool triangle;
    Doubles xi, vi, xj, vj, values, terms;

    Sample(Dims dims, Kernel kernel, int64_t a, int64_t b, bool triangle)
        : dims(dims), kernel(kernel), a(a), b(b), triangle(triangle), xi(numbers(a * dims.m)),
          vi(numbers(a * dims.d)), xj(triangle ? xi : numbers(b * dims.m)),
          vj(triangle ? vi : numbers(b * dims.d)), values(a * b), terms(a * b) {
        for (int64_t i = 0; i < a; ++i)
            for (int64_t j = 0; j < b; ++j) {
                values[i * b + j] = value(&xi[i * dims.m], &xj[j * dims.m], dims.m, kernel);
                const double inner = product(&vi[i * dims.d], &vj[j * dims.d], dims.d);
                terms[i * b + j] = triangle && j <= i ? 0.0 : values[i * b + j] * inner;
            }
    }
    Rows i() const { return {xi.data(), vi.data(), a}; }
    Rows j() const { return {xj.data(), vj.data(), b}; }
};

void test_sums(const Sample &s, const std::string &name) {
    Doubles rows(s.a), columns(s.b), all(1);
    for (int64_t i = 0; i < s.a; ++i)
        for (int64_t j = 0; j < s.b; ++j) {
            rows[i] += s.terms[i * s.b + j];
            columns[j] += s.terms[i * s.b + j];
            all[0] += s.terms[i * s.b + j];
        }
    const double one = api.pair_sum(s.i(), s.j(), s.dims, s.kernel, s.triangle, 1);
    const double two = api.pair_sum(s.i(), s.j(), s.dims, s.kernel, s.triangle, 2);
    expect("pair_sum" + name, {one}, all, 1e-12);
    expect("pair_sum of two threads" + name, {two}, {one}, 0.0);
    Doubles out_i(s.a), out_j(s.b);
    api.row_sums(s.i(), s.j(), s.dims, s.kernel, s.triangle, out_i.data(), out_j.data());
    expect("row_sums of rows" + name, out_i, rows, 1e-12);
    expect("row_sums of columns" + name, out_j, columns, 1e-12);
}

void test_values(const Sample &s, const std::string &name) {
    Doubles gram(s.a * s.b), applied(s.a * s.dims.d), products(s.a * s.dims.d);
    api.gram(s.i(), s.j(), s.dims, s.kernel, gram.data());
    expect("gram" + name, gram, s.values, 1e-13);
    for (int64_t i = 0; i < s.a; ++i)
        for (int64_t j = 0; j < s.b; ++j)
            for (int64_t c = 0; c < s.dims.d; ++c)
                products[i * s.dims.d + c] += s.values[i * s.b + j] * s.vj[j * s.dims.d + c];
    api.apply(s.i(), s.j(), s.dims, s.kernel, applied.data());
    expect("apply" + name, applied, products, 1e-12);
}

void test_many(const Sample &s, const std::string &name) {
    if (!s.triangle) return;
    Doubles out(1), all(1);
    for (const double term : s.terms) all[0] += term;
    api.many_pair_sums(s.xi.data(), s.vi.data(), 1, s.a, s.dims, s.kernel, &s.kernel.rate,
                       out.data());
    expect("many_pair_sums" + name, out, all, 1e-12);
}

void test_blocks(const Sample &s, const std::string &name) {
    const int64_t size = 3, count = s.a / size, d = s.dims.d;
    const std::vector<int64_t> codes = labels<int64_t>(s.a, d);
    const Doubles weights = numbers(s.a), p = numbers(s.a * d, 0.0, 1.0);
    Doubles residuals(s.a * d), out(count), sums(count);
    for (int64_t i = 0; i < s.a; ++i)
        for (int64_t c = 0; c < d; ++c)
            residuals[i * d + c] = weights[i] * ((codes[i] == c ? 1.0 : 0.0) - p[i * d + c]);
    for (int64_t block = 0; block < count; ++block)
        for (int64_t i = block * size; i < (block + 1) * size; ++i)
            for (int64_t j = i + 1; j < (block + 1) * size; ++j)
                sums[block] += product(&residuals[i * d], &residuals[j * d], d) *
                               value(&s.xi[i * s.dims.m], &s.xi[j * s.dims.m], s.dims.m, s.kernel);
    api.block_residual_sums(s.xi.data(), p.data(), codes.data(), weights.data(), count, size,
                            s.dims, s.kernel, out.data());
    expect("block_residual_sums" + name, out, sums, 1e-12);
}

template <class Label>
void test_same_labels(const Sample &s, const Relabel<Label> &relabel, const std::string &name) {
    if (s.dims.d != 1) return;
    const int64_t replicates = 128;
    const auto li = labels<Label>(s.a * replicates, 3);
    const auto lj = s.triangle ? li : labels<Label>(s.b * replicates, 3);
    const int64_t classes = 3;
    const Doubles p = numbers(s.a * classes), q = s.triangle ? p : numbers(s.b * classes);
    for (const int64_t count : {replicates, replicates - 27}) { // whole batches, and a part of one
        Doubles agree(replicates), cross(replicates), constant(1), agreeing(replicates);
        Doubles sums(replicates), lookups(replicates), products(1);
        for (int64_t i = 0; i < s.a; ++i)
            for (int64_t j = 0; j < s.b; ++j) {
                const double term = s.terms[i * s.b + j];
                products[0] += term * product(&p[i * classes], &q[j * classes], classes);
                for (int64_t r = 0; r < count; ++r) {
                    const Label y = li[i * replicates + r], z = lj[j * replicates + r];
                    if (y == z) sums[r] += term;
                    lookups[r] += term * (q[j * classes + y] + p[i * classes + z]);
                }
            }
        const Labels<Label> rows{li.data(), replicates}, columns{lj.data(), replicates};
        const LabelRows<Label> i{s.xi.data(), s.vi.data(), p.data(), s.a, rows};
        const LabelRows<Label> j{s.triangle ? s.xi.data() : s.xj.data(),
                                 s.triangle ? s.vi.data() : s.vj.data(), q.data(), s.b, columns};
        relabel.label_pair_sums(i, j, s.dims.m, classes, s.kernel, &s.kernel.rate, 1, count,
                                s.triangle, agree.data(), cross.data(), constant.data());
        agree.resize(count), cross.resize(count), sums.resize(count), lookups.resize(count);
        expect("label_pair_sums, agree" + name, agree, sums, 1e-12);
        expect("label_pair_sums, cross" + name, cross, lookups, 1e-12);
        expect("label_pair_sums, constant" + name, constant, products, 1e-12);
        relabel.agreeing_sums(s.terms.data(), s.a, s.b, rows, columns, count, s.triangle,
                              agreeing.data());
        agreeing.resize(count);
        expect("agreeing_sums" + name, agreeing, sums, 1e-12);
    }
}

template <class Label> void test_line(const Relabel<Label> &relabel, int64_t n) {
    const int64_t replicates = 64;
    const double rate = 1.7;
    Doubles x = numbers(n), out(replicates), sums(replicates);
    std::sort(x.begin(), x.end());
    const Doubles hit = numbers(n), miss = numbers(n);
    const auto y = labels<Label>(n * replicates, 3);
    std::vector<int64_t> order(n);
    for (int64_t i = 0; i < n; ++i) order[i] = n - 1 - i;
    for (int64_t r = 0; r < replicates; ++r)
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = i + 1; j < n; ++j) {
                const double left = y[order[i] * replicates + r] == 1 ? hit[i] : miss[i];
                const double right = y[order[j] * replicates + r] == 1 ? hit[j] : miss[j];
                sums[r] += std::exp(-rate * (x[j] - x[i])) * left * right;
            }
    relabel.line_sums(x.data(), hit.data(), miss.data(), order.data(), n, 1, rate,
                      {y.data(), replicates}, out.data());
    expect("line_sums", out, sums, 1e-12);
}

template <class Label> void test_tables(const Relabel<Label> &relabel, int64_t n, int64_t f) {
    const int64_t replicates = 64, m = 5, n_cells = 4;
    const auto y = labels<Label>(n * replicates, m);
    const auto cells = labels<uint16_t>(n * m, n_cells);
    const Labels<Label> all{y.data(), replicates};
    const Doubles scores = numbers(n * m), features = numbers(n * f), weights = numbers(n);
    Doubles score_sums(replicates), feature_sums(replicates * m * f);
    Doubles cell_sums(replicates * m * n_cells), out = score_sums;
    Doubles out_features = feature_sums, out_cells = cell_sums;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t r = 0; r < replicates; ++r) {
            const int64_t c = y[i * replicates + r];
            score_sums[r] += scores[i * m + c];
            cell_sums[(r * m + c) * n_cells + cells[i * m + c]] += weights[i];
            for (int64_t e = 0; e < f; ++e)
                feature_sums[(r * m + c) * f + e] += features[i * f + e];
        }
    relabel.score_sums(scores.data(), n, m, all, out.data());
    expect("score_sums", out, score_sums, 1e-12);
    relabel.feature_sums(features.data(), 1, n, f, m, all, replicates, out_features.data());
    expect("feature_sums", out_features, feature_sums, 1e-12);
    relabel.cell_sums(cells.data(), m, weights.data(), n, m, n_cells, all, replicates,
                      out_cells.data());
    expect("cell_sums", out_cells, cell_sums, 1e-12);
    const Doubles by_class = numbers((m - 1) * n * f);
    Doubles few(replicates * (m - 1) * f), out_few = few;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t r = 0; r < replicates; ++r)
            for (int64_t e = 0, c = y[i * replicates + r] - 1; c >= 0 && e < f; ++e)
                few[(r * (m - 1) + c) * f + e] += by_class[(c * n + i) * f + e];
    relabel.few_class_sums(by_class.data(), m - 1, n, f, all, replicates, out_few.data());
    expect("few_class_sums", out_few, few, 1e-12);
}

void test_functions(int64_t n) {
    const Doubles x = numbers(n, -720.0, 0.0), turns = numbers(n, -1e3, 1e3);
    Doubles out(n), want(n), features(2 * n), circle(2 * n);
    const double rate = 0.3, scale = 0.7, pi = std::acos(-1.0);
    for (int64_t i = 0; i < n; ++i) {
        want[i] = x[i] <= -708.0 ? 0.0 : std::exp(x[i]);
        const double turn = turns[i] * rate - std::floor(turns[i] * rate);
        circle[i] = scale * std::cos(2.0 * pi * turn);
        circle[n + i] = scale * std::sin(2.0 * pi * turn);
    }
    api.exp(x.data(), n, out.data());
    for (int64_t i = 0; i < n; ++i)
        if (std::fabs(out[i] - want[i]) > 4.5e-16 * want[i]) // two units in the last place
            expect("exp", {out[i]}, {want[i]}, 0.0);
    api.fourier_features(turns.data(), 1, n, &rate, 1, scale, features.data());
    expect("fourier_features", features, circle, 1e-12);
}

void test_ranges(int64_t n, int64_t m) {
    const Doubles a = numbers(n * m);
    Doubles sums(n), out(n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t c = 0; c < m; ++c) sums[i] += a[i * m + c];
    double low, high;
    api.row_sums_and_range(a.data(), n, m, out.data(), &low, &high);
    expect("row_sums_and_range", out, sums, 1e-13);
    const auto [least, most] = std::minmax_element(a.begin(), a.end());
    expect("row_sums_and_range, the range", {low, high}, {*least, *most}, 0.0);
    std::vector<int64_t> index = labels<int64_t>(n, 9);
    index[n - 1] = 9;
    expect("largest", {double(api.largest(index.data(), n))}, {9.0}, 0.0);
    const auto below = [&](int64_t limit) { return double(api.all_below(index.data(), n, limit)); };
    expect("all_below", {below(10), below(9)}, {1.0, 0.0}, 0.0);
    index[0] = -1;
    expect("all_below of a negative index", {below(10)}, {0.0}, 0.0);
}

} // namespace

int main() {
    for (const Metric metric : {Metric::cityblock, Metric::euclidean})
        for (const Profile profile : {Profile::distance, Profile::laplacian, Profile::gaussian})
            for (const int64_t columns : {1, 3, 10, 300})
                for (const int64_t n : {1, 2, 9, 37})
                    for (const bool triangle : {false, true}) {
                        const Kernel kernel{metric, profile, 0.7};
                        const Dims dims{columns, columns};
                        const Sample s(dims, kernel, n, triangle ? n : n + 13, triangle);
                        const std::string name = ", metric " + std::to_string(int(metric)) +
                                                 ", profile " + std::to_string(int(profile)) +
                                                 ", " + std::to_string(n) + " × " +
                                                 std::to_string(columns);
                        test_sums(s, name);
                        test_values(s, name);
                        test_many(s, name);
                        test_blocks(s, name);
                        test_same_labels(s, api.relabel8, name);
                        test_same_labels(s, api.relabel16, name);
                    }
    for (const int64_t n : {1, 8, 150}) {
        test_line(api.relabel8, n);
        test_line(api.relabel16, n);
        for (const int64_t f : {1, 16, 70}) {
            test_tables(api.relabel8, n, f);
            test_tables(api.relabel16, n, f);
        }
        test_functions(n);
        test_ranges(n, 2 * n + 1);
    }
    std::printf(failures ? "%d comparisons failed\n" : "all tiles agree with plain loops\n",
                failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
