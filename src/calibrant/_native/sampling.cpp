// Labels from predictions with Philox4x32-10 (Salmon et al., 2011): draw (row, replicate) is a
// pure function of seed and stream, so any split of the work gives the same labels.
// The NumPy twin is _resampling.py; every floating-point step below is either exact or one
// correctly rounded operation in a fixed order, hence the same bits there and here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "philox.hpp"

namespace nb = nanobind;

using namespace calibrant;

namespace {

constexpr int kLanes = 64;        // rows drawn together: the loops over them become vectors
constexpr int kSearchLimit = 33;  // below: count all thresholds; from here on: bisect

struct Stream {
    uint64_t seed;
    uint32_t stream;
    uint64_t first_row;
};

// Uniforms of kLanes consecutive rows for the replicates 2·pair and 2·pair + 1.
CALIBRANT_INLINE void draw(const Stream &s, uint64_t row, uint32_t pair, double *even,
                           double *odd) {
    const uint32_t k0 = uint32_t(s.seed), k1 = uint32_t(s.seed >> 32), stream = s.stream;
    uint32_t low[kLanes], high[kLanes];
    for (int i = 0; i < kLanes; ++i) {
        low[i] = uint32_t(row + uint64_t(i));
        high[i] = uint32_t((row + uint64_t(i)) >> 32);
    }
    for (int i = 0; i < kLanes; ++i) {
        const Block w = philox({low[i], high[i], pair, stream}, k0, k1);
        even[i] = unit(w.w0, w.w1);
        odd[i] = unit(w.w2, w.w3);
    }
}

// label = #{c < m−1 : threshold_c ≤ u·total}; thresholds are stored class by class.
template <typename Label>
CALIBRANT_INLINE void count_below(const double *thresholds, const double *total, const double *u,
                                  int64_t m, Label *labels) {
    constexpr int kGroup = 16;  // counters of a group stay in registers over the classes
    for (int g = 0; g < kLanes; g += kGroup) {
        double t[kGroup];
        int64_t count[kGroup];
        for (int i = 0; i < kGroup; ++i) {
            t[i] = u[g + i] * total[g + i];
            count[i] = 0;
        }
        for (int64_t c = 0; c + 1 < m; ++c) {
            const double *column = thresholds + c * kLanes + g;
            for (int i = 0; i < kGroup; ++i) count[i] += column[i] <= t[i] ? 1 : 0;
        }
        for (int i = 0; i < kGroup; ++i) labels[g + i] = static_cast<Label>(count[i]);
    }
}

// The same count by bisection; every row has `width` = 2^k ≥ m thresholds, padded by infinity.
template <typename Label>
CALIBRANT_INLINE void bisect(const double *thresholds, const double *total, const double *u,
                             int64_t width, Label *labels) {
    double t[kLanes];
    int64_t at[kLanes];
    for (int i = 0; i < kLanes; ++i) {
        t[i] = u[i] * total[i];
        at[i] = i * width;
    }
    for (int64_t step = width / 2; step > 0; step /= 2) {
        for (int i = 0; i < kLanes; ++i) {
            at[i] += thresholds[at[i] + step - 1] <= t[i] ? step : 0;
        }
    }
    for (int i = 0; i < kLanes; ++i) labels[i] = static_cast<Label>(at[i] - i * width);
}

template <typename Label>
struct Task {
    Stream stream;
    const double *p;  // (n, m)
    int64_t n, m;
    uint64_t first_replicate;
    int64_t n_replicates;
    Label *out;  // (n_replicates, n)
};

template <typename Label>
CALIBRANT_INLINE void label_rows(const Task<Label> &task, double *thresholds, int64_t width,
                                 bool counting, int64_t start) {
    const int64_t m = task.m, rows = std::min<int64_t>(kLanes, task.n - start);
    double total[kLanes] = {};
    for (int64_t i = 0; i < rows; ++i) {
        const double *p = task.p + (start + i) * m;
        double sum = 0.0;
        for (int64_t c = 0; c < m; ++c) {
            sum += p[c];
            if (c + 1 < m) thresholds[counting ? c * kLanes + i : i * width + c] = sum;
        }
        total[i] = sum;
    }
    const uint64_t row = task.stream.first_row + uint64_t(start);
    const uint64_t stop = task.first_replicate + uint64_t(task.n_replicates);
    double u[2][kLanes];
    Label labels[kLanes];
    for (uint64_t pair = task.first_replicate / 2; 2 * pair < stop; ++pair) {
        draw(task.stream, row, uint32_t(pair), u[0], u[1]);
        for (uint64_t half = 0; half < 2; ++half) {
            const uint64_t replicate = 2 * pair + half;
            if (replicate < task.first_replicate || replicate >= stop) continue;
            if (counting) {
                count_below(thresholds, total, u[half], m, labels);
            } else {
                bisect(thresholds, total, u[half], width, labels);
            }
            Label *out = task.out + int64_t(replicate - task.first_replicate) * task.n + start;
            if (rows == kLanes) {
                std::copy(labels, labels + kLanes, out);
            } else {
                std::copy(labels, labels + rows, out);
            }
        }
    }
}

template <typename Label>
CALIBRANT_INLINE void label_all(const Task<Label> &task) {
    const bool counting = task.m < kSearchLimit;
    int64_t width = 1;
    while (width < task.m) width *= 2;
    // Padding never counts: no finite u·total reaches infinity. Lanes beyond the last row draw
    // from whatever is there and are thrown away.
    std::vector<double> thresholds(size_t((counting ? task.m : width) * kLanes),
                                   std::numeric_limits<double>::infinity());
    for (int64_t start = 0; start < task.n; start += kLanes) {
        label_rows(task, thresholds.data(), width, counting, start);
    }
}

CALIBRANT_INLINE void uniform_all(const Stream &s, int64_t n, uint64_t first_replicate,
                                  int64_t n_replicates, double *out) {
    const uint64_t stop = first_replicate + uint64_t(n_replicates);
    double u[2][kLanes];
    for (uint64_t pair = first_replicate / 2; 2 * pair < stop; ++pair) {
        for (int64_t start = 0; start < n; start += kLanes) {
            draw(s, s.first_row + uint64_t(start), uint32_t(pair), u[0], u[1]);
            const int64_t rows = std::min<int64_t>(kLanes, n - start);
            for (uint64_t half = 0; half < 2; ++half) {
                const uint64_t replicate = 2 * pair + half;
                if (replicate < first_replicate || replicate >= stop) continue;
                std::copy(u[half], u[half] + rows,
                          out + int64_t(replicate - first_replicate) * n + start);
            }
        }
    }
}

#ifdef CALIBRANT_MULTIVERSION
template <typename Label>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) void label_avx512(
    const Task<Label> &task) {
    label_all(task);
}
template <typename Label>
__attribute__((target("avx2"))) void label_avx2(const Task<Label> &task) {
    label_all(task);
}
#endif

// Every variant draws the same labels; only the speed depends on the processor.
template <typename Label>
void label_here(const Task<Label> &task) {
#ifdef CALIBRANT_MULTIVERSION
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
        return label_avx512(task);
    }
    if (__builtin_cpu_supports("avx2")) return label_avx2(task);
#endif
    label_all(task);
}

using Probabilities = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Output = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Label>
void resample_labels(Probabilities y_prob, Output<Label> out, uint64_t seed, uint32_t stream,
                     uint64_t first_row, uint64_t first_replicate) {
    if (out.shape(1) != y_prob.shape(0)) throw nb::value_error("out must have one column per row");
    const Task<Label> task{{seed, stream, first_row},   y_prob.data(),
                           int64_t(y_prob.shape(0)),    int64_t(y_prob.shape(1)),
                           first_replicate,             int64_t(out.shape(0)),
                           out.data()};
    nb::gil_scoped_release unlocked;
    label_here(task);
}

void resample_uniforms(Output<double> out, uint64_t seed, uint32_t stream, uint64_t first_row,
                       uint64_t first_replicate) {
    nb::gil_scoped_release unlocked;
    uniform_all({seed, stream, first_row}, int64_t(out.shape(1)), first_replicate,
                int64_t(out.shape(0)), out.data());
}

}  // namespace

void bind_sampling(nb::module_ &m) {
    m.def("resample_labels", &resample_labels<uint8_t>);
    m.def("resample_labels", &resample_labels<uint16_t>);
    m.def("resample_labels", &resample_labels<uint32_t>);
    m.def("resample_uniforms", &resample_uniforms);
}
