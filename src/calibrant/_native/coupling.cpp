// Labels drawn from noise shared within clusters, with the marginals of sampling.cpp: a row uses
// its cluster's exponentials with probability `coupling` and its own uniform otherwise.
// The NumPy twin is _coupled_sets.py; every floating-point step below is one correctly rounded
// operation in a fixed order, hence the same bits there and here.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "dispatch.hpp"
#include "philox.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

constexpr int PAIRS = 32;       // pairs of replicates drawn together, as vectors
constexpr int SETS = 2 * PAIRS; // the first half is the even replicates, the second the odd ones
constexpr double LARGEST = 1.0 - 1.0 / 9007199254740992.0;

// −log u for u = (52 bits + ½)/2⁵², never 0, by the atanh series of the mantissa, |s| < .172
CALIBRANT_INLINE double exponential(uint32_t high, uint32_t low) {
    const double a = static_cast<double>(static_cast<int32_t>(high >> 6));
    const double b = static_cast<double>(static_cast<int32_t>(low >> 6));
    const double u = (a * 67108864.0 + b + 0.5) * (1.0 / 4503599627370496.0);
    uint64_t bits;
    std::memcpy(&bits, &u, sizeof bits);
    double exponent = static_cast<double>(static_cast<int32_t>(bits >> 52) - 1022);
    bits = (bits & 0x000FFFFFFFFFFFFFull) | 0x3FE0000000000000ull; // mantissa in [½, 1)
    double f;
    std::memcpy(&f, &bits, sizeof f);
    const bool small = f < 0.7071067811865476;
    f = small ? 2.0 * f : f;
    exponent = small ? exponent - 1.0 : exponent;
    const double s = (f - 1.0) / (f + 1.0), z = s * s;
    double series = 1.0 / 17.0;
    series = series * z + 1.0 / 15.0;
    series = series * z + 1.0 / 13.0;
    series = series * z + 1.0 / 11.0;
    series = series * z + 1.0 / 9.0;
    series = series * z + 1.0 / 7.0;
    series = series * z + 1.0 / 5.0;
    series = series * z + 1.0 / 3.0;
    series = series * z + 1.0;
    return -(exponent * 0.6931471805599453 + 2.0 * s * series);
}

template <class Label> struct Task {
    const double *p; // (n, m)
    const uint64_t *codes;
    const int64_t *order; // rows, cluster by cluster
    int64_t n, m;
    uint64_t seed, shared_seed;
    uint32_t stream;
    uint64_t first_row, first_replicate;
    int64_t n_replicates;
    double coupling;
    Label *out; // (n_replicates, n)
};

CALIBRANT_INLINE void shared_noise(uint64_t code, uint64_t seed, uint32_t c, uint32_t pair,
                                   double *out) {
    const uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
    const uint32_t low = uint32_t(code), high = uint32_t(code >> 32);
    for (int i = 0; i < PAIRS; ++i) {
        const Block w = philox({low, high, pair + uint32_t(i), c}, k0, k1);
        out[i] = exponential(w.w0, w.w1);
        out[PAIRS + i] = exponential(w.w2, w.w3);
    }
}

CALIBRANT_INLINE void own_uniforms(uint64_t row, uint64_t seed, uint32_t stream, uint32_t pair,
                                   double *out) {
    const uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
    const uint32_t low = uint32_t(row), high = uint32_t(row >> 32);
    for (int i = 0; i < PAIRS; ++i) {
        const Block w = philox({low, high, pair + uint32_t(i), stream}, k0, k1);
        out[i] = unit(w.w0, w.w1);
        out[PAIRS + i] = unit(w.w2, w.w3);
    }
}

// The labels of one row in SETS label sets.
CALIBRANT_INLINE void row_labels(const double *p, int64_t m, double coupling, const double *noise,
                                 const double *u, int32_t *labels) {
    double best[SETS], target[SETS], total = 0.0;
    int32_t shared[SETS], own[SETS];
    for (int64_t c = 0; c < m; ++c) total += p[c];
    const double rest = 1.0 - coupling;
    for (int i = 0; i < SETS; ++i) {
        // the part of the uniform above the coupling is a uniform again
        const double v = rest > 0.0 ? (u[i] - coupling) / rest : 0.0;
        target[i] = (v < LARGEST ? v : LARGEST) * total;
        best[i] = std::numeric_limits<double>::infinity();
        shared[i] = own[i] = 0;
    }
    double sum = 0.0;
    for (int64_t c = 0; c < m; ++c) {
        const double rate = 1.0 / p[c];
        const double *e = noise + c * SETS;
        sum += p[c];
        const int32_t counts = c + 1 < m ? 1 : 0, label = int32_t(c);
        for (int i = 0; i < SETS; ++i) {
            const double arrival = e[i] * rate;
            const bool sooner = arrival < best[i];
            best[i] = sooner ? arrival : best[i];
            shared[i] = sooner ? label : shared[i];
            own[i] += sum <= target[i] ? counts : 0;
        }
    }
    for (int i = 0; i < SETS; ++i) labels[i] = u[i] < coupling ? shared[i] : own[i];
}

template <class Label> CALIBRANT_INLINE void couple_all(const Task<Label> &task) {
    std::vector<double> noise(size_t(task.m * SETS));
    const uint64_t stop = task.first_replicate + uint64_t(task.n_replicates);
    double u[SETS];
    int32_t labels[SETS];
    for (uint64_t pair = task.first_replicate / 2; 2 * pair < stop; pair += PAIRS) {
        bool ready = false;
        uint64_t code = 0;
        for (int64_t k = 0; k < task.n; ++k) {
            const int64_t row = task.order[k];
            if (!ready || task.codes[row] != code) {
                code = task.codes[row];
                ready = true;
                for (int64_t c = 0; c < task.m; ++c) {
                    shared_noise(code, task.shared_seed, uint32_t(c), uint32_t(pair),
                                 noise.data() + c * SETS);
                }
            }
            own_uniforms(task.first_row + uint64_t(row), task.seed, task.stream, uint32_t(pair), u);
            row_labels(task.p + row * task.m, task.m, task.coupling, noise.data(), u, labels);
            for (int i = 0; i < PAIRS; ++i) {
                for (uint64_t half = 0; half < 2; ++half) {
                    const uint64_t replicate = 2 * (pair + uint64_t(i)) + half;
                    if (replicate < task.first_replicate || replicate >= stop) continue;
                    task.out[int64_t(replicate - task.first_replicate) * task.n + row] =
                        static_cast<Label>(labels[int64_t(half) * PAIRS + i]);
                }
            }
        }
    }
}

#ifdef CALIBRANT_X86
template <class Label> CALIBRANT_AVX512 void couple_avx512(const Task<Label> &task) {
    couple_all(task);
}
template <class Label> CALIBRANT_AVX2 void couple_avx2(const Task<Label> &task) {
    couple_all(task);
}
#endif

// Every variant draws the same labels; only the speed depends on the processor.
template <class Label> void couple_here(const Task<Label> &task) {
#ifdef CALIBRANT_X86
    if (simd() == Simd::avx512) return couple_avx512(task);
    if (simd() == Simd::avx2) return couple_avx2(task);
#else
    simd();
#endif
    couple_all(task);
}

constexpr uint64_t REPLICATES = uint64_t{1} << 33; // Philox counts pairs of them in 32 bits

template <class Label>
void coupled_labels(In<double, 2> y_prob, In<uint64_t, 1> codes, In<int64_t, 1> order,
                    Out<Label, 2> out, double coupling, uint64_t seed, uint64_t shared_seed,
                    uint32_t stream, uint64_t first_row, uint64_t first_replicate) {
    const size_t n = y_prob.shape(0);
    demand(out.shape(1) == n && codes.shape(0) == n && order.shape(0) == n,
           "out, codes and order must have one entry for every row of y_prob");
    demand(y_prob.shape(1) >= 1 && y_prob.shape(1) - 1 <= std::numeric_limits<Label>::max(),
           "the type of out must contain every class");
    demand(out.shape(0) <= REPLICATES && first_replicate <= REPLICATES - out.shape(0),
           "replicates must be in [0, 2**33)");
    demand(coupling >= 0.0 && coupling <= 1.0, "coupling must be in [0, 1]");
    demand(all_below(order, n), "order must contain rows");
    const Task<Label> task{y_prob.data(),
                           codes.data(),
                           order.data(),
                           int64_t(n),
                           int64_t(y_prob.shape(1)),
                           seed,
                           shared_seed,
                           stream,
                           first_row,
                           first_replicate,
                           int64_t(out.shape(0)),
                           coupling,
                           out.data()};
    nb::gil_scoped_release unlocked;
    couple_here(task);
}

template <class Label> void bind_labels(nb::module_ &m) {
    m.def("coupled_labels", &coupled_labels<Label>, "y_prob"_a, "codes"_a.noconvert(),
          "order"_a.noconvert(), "out"_a.noconvert(), "coupling"_a, "seed"_a, "shared_seed"_a,
          "stream"_a, "first_row"_a, "first_replicate"_a);
}

} // namespace

void bind_coupling(nb::module_ &m) {
    bind_labels<uint8_t>(m);
    bind_labels<uint16_t>(m);
    bind_labels<uint32_t>(m);
}
