// Labels from predictions with Philox4x32-10 (Salmon et al., 2011): draw (row, replicate) is a
// pure function of seed and stream, so any split of the work gives the same labels.
// The NumPy twin is _resampling.py; every floating-point step below is either exact or one
// correctly rounded operation in a fixed order, hence the same bits there and here.
#include <algorithm>
#include <limits>
#include <vector>

#include "arrays.hpp"
#include "dispatch.hpp"
#include "philox.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

constexpr int LANES = 64;        // rows drawn together: the loops over them become vectors
constexpr int SEARCH_LIMIT = 33; // below: count all thresholds; from here on: bisect

struct Stream {
    uint64_t seed;
    uint32_t stream;
    uint64_t first_row;
};

// Uniforms of LANES rows, given by the halves of their numbers, for the replicates 2·pair and
// 2·pair
// + 1.
CALIBRANT_INLINE void draw_rows(const Stream &s, const uint32_t *low, const uint32_t *high,
                                uint32_t pair, double *even, double *odd) {
    const uint32_t k0 = uint32_t(s.seed), k1 = uint32_t(s.seed >> 32), stream = s.stream;
    for (int i = 0; i < LANES; ++i) {
        const Block w = philox({low[i], high[i], pair, stream}, k0, k1);
        even[i] = unit(w.w0, w.w1);
        odd[i] = unit(w.w2, w.w3);
    }
}

// The same of consecutive rows.
CALIBRANT_INLINE void draw(const Stream &s, uint64_t row, uint32_t pair, double *even,
                           double *odd) {
    uint32_t low[LANES], high[LANES];
    for (int i = 0; i < LANES; ++i) {
        low[i] = uint32_t(row + uint64_t(i));
        high[i] = uint32_t((row + uint64_t(i)) >> 32);
    }
    draw_rows(s, low, high, pair, even, odd);
}

// label = #{c < m−1 : threshold_c ≤ u·total}; thresholds are stored class by class.
template <class Label>
CALIBRANT_INLINE void count_below(const double *thresholds, const double *total, const double *u,
                                  int64_t m, Label *labels) {
    constexpr int GROUP = 16; // counters of a group stay in registers over the classes
    for (int g = 0; g < LANES; g += GROUP) {
        double t[GROUP];
        int64_t count[GROUP];
        for (int i = 0; i < GROUP; ++i) {
            t[i] = u[g + i] * total[g + i];
            count[i] = 0;
        }
        for (int64_t c = 0; c + 1 < m; ++c) {
            const double *column = thresholds + c * LANES + g;
            for (int i = 0; i < GROUP; ++i) count[i] += column[i] <= t[i] ? 1 : 0;
        }
        for (int i = 0; i < GROUP; ++i) labels[g + i] = static_cast<Label>(count[i]);
    }
}

// The same count by bisection; every row has `width` = 2^k ≥ m thresholds, padded by infinity.
template <class Label>
CALIBRANT_INLINE void bisect(const double *thresholds, const double *total, const double *u,
                             int64_t width, Label *labels) {
    double t[LANES];
    int64_t at[LANES];
    for (int i = 0; i < LANES; ++i) {
        t[i] = u[i] * total[i];
        at[i] = i * width;
    }
    for (int64_t step = width / 2; step > 0; step /= 2) {
        for (int i = 0; i < LANES; ++i) {
            at[i] += thresholds[at[i] + step - 1] <= t[i] ? step : 0;
        }
    }
    for (int i = 0; i < LANES; ++i) labels[i] = static_cast<Label>(at[i] - i * width);
}

template <class Label>
struct Task {
    Stream stream;
    const double *p; // (n, m)
    int64_t n, m;
    uint64_t first_replicate;
    int64_t n_replicates;
    Label *out; // replicate r of row i is out[r · of_replicate + i · of_row]
    int64_t of_replicate, of_row;
};

template <class Label>
CALIBRANT_INLINE void label_rows(const Task<Label> &task, double *thresholds, int64_t width,
                                 bool counting, int64_t start) {
    const int64_t m = task.m, rows = std::min<int64_t>(LANES, task.n - start);
    double total[LANES] = {};
    for (int64_t i = 0; i < rows; ++i) {
        const double *p = task.p + (start + i) * m;
        double sum = 0.0;
        for (int64_t c = 0; c < m; ++c) {
            sum += p[c];
            if (c + 1 < m) thresholds[counting ? c * LANES + i : i * width + c] = sum;
        }
        total[i] = sum;
    }
    const uint64_t row = task.stream.first_row + uint64_t(start);
    const uint64_t stop = task.first_replicate + uint64_t(task.n_replicates);
    double u[2][LANES];
    Label labels[LANES];
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
            Label *out = task.out + int64_t(replicate - task.first_replicate) * task.of_replicate +
                         start * task.of_row;
            if (task.of_row != 1) {
                for (int64_t i = 0; i < rows; ++i) out[i * task.of_row] = labels[i];
            } else if (rows == LANES) {
                std::copy(labels, labels + LANES, out);
            } else {
                std::copy(labels, labels + rows, out);
            }
        }
    }
}

template <class Label>
CALIBRANT_INLINE void label_all(const Task<Label> &task) {
    const bool counting = task.m < SEARCH_LIMIT;
    int64_t width = 1;
    while (width < task.m) width *= 2;
    // Padding never counts: no finite u·total reaches infinity. Lanes beyond the last row draw
    // from whatever is there and are thrown away.
    std::vector<double> thresholds(size_t((counting ? task.m : width) * LANES),
                                   std::numeric_limits<double>::infinity());
    for (int64_t start = 0; start < task.n; start += LANES) {
        label_rows(task, thresholds.data(), width, counting, start);
    }
}

CALIBRANT_INLINE void uniform_all(const Stream &s, int64_t n, uint64_t first_replicate,
                                  int64_t n_replicates, double *out) {
    const uint64_t stop = first_replicate + uint64_t(n_replicates);
    double u[2][LANES];
    for (uint64_t pair = first_replicate / 2; 2 * pair < stop; ++pair) {
        for (int64_t start = 0; start < n; start += LANES) {
            draw(s, s.first_row + uint64_t(start), uint32_t(pair), u[0], u[1]);
            const int64_t rows = std::min<int64_t>(LANES, n - start);
            for (uint64_t half = 0; half < 2; ++half) {
                const uint64_t replicate = 2 * pair + half;
                if (replicate < first_replicate || replicate >= stop) continue;
                std::copy(u[half], u[half] + rows,
                          out + int64_t(replicate - first_replicate) * n + start);
            }
        }
    }
}

#ifdef CALIBRANT_X86
template <class Label> CALIBRANT_AVX512 void label_avx512(const Task<Label> &task) {
    label_all(task);
}
template <class Label> CALIBRANT_AVX2 void label_avx2(const Task<Label> &task) { label_all(task); }
#endif

// Every variant draws the same labels; only the speed depends on the processor.
template <class Label> void label_here(const Task<Label> &task) {
#ifdef CALIBRANT_X86
    if (simd() == Simd::avx512) return label_avx512(task);
    if (simd() == Simd::avx2) return label_avx2(task);
#else
    simd();
#endif
    label_all(task);
}

constexpr uint64_t REPLICATES = uint64_t{1} << 33; // Philox counts pairs of them in 32 bits

void demand_replicates(uint64_t first, size_t count) {
    demand(count <= REPLICATES && first <= REPLICATES - count, "replicates must be in [0, 2**33)");
}

template <class Label>
void resample_labels(In<double, 2> y_prob, Out<Label, 2> out, uint64_t seed, uint32_t stream,
                     uint64_t first_row, uint64_t first_replicate) {
    demand(out.shape(1) == y_prob.shape(0), "out must have one column for every row of y_prob");
    demand(y_prob.shape(1) >= 1 && y_prob.shape(1) - 1 <= std::numeric_limits<Label>::max(),
           "the type of out must hold every class");
    demand_replicates(first_replicate, out.shape(0));
    const Task<Label> task{{seed, stream, first_row},
                           y_prob.data(),
                           int64_t(y_prob.shape(0)),
                           int64_t(y_prob.shape(1)),
                           first_replicate,
                           int64_t(out.shape(0)),
                           out.data(),
                           int64_t(out.shape(1)),
                           1};
    nb::gil_scoped_release unlocked;
    label_here(task);
}

// The same sample by sample: `count` replicates of row i go to out[i, column …].
template <class Label>
void resample_codes(In<double, 2> y_prob, Out<Label, 2> out, size_t column, size_t count,
                    uint64_t seed, uint32_t stream, uint64_t first_row, uint64_t first_replicate) {
    demand(out.shape(0) == y_prob.shape(0), "out must have one row for every row of y_prob");
    demand(count <= out.shape(1) && column <= out.shape(1) - count,
           "out must have a column for every replicate");
    demand(y_prob.shape(1) >= 1 && y_prob.shape(1) - 1 <= std::numeric_limits<Label>::max(),
           "the type of out must hold every class");
    demand_replicates(first_replicate, count);
    const Task<Label> task{{seed, stream, first_row}, y_prob.data(),
                           int64_t(y_prob.shape(0)),  int64_t(y_prob.shape(1)),
                           first_replicate,           int64_t(count),
                           out.data() + column,       1,
                           int64_t(out.shape(1))};
    nb::gil_scoped_release unlocked;
    label_here(task);
}

// How often the second of two classes is drawn in every group of rows, replicate by replicate.
struct Counts {
    Stream stream;
    const double *p;               // (n, 2)
    const int64_t *order, *starts; // the rows of group k: order[starts[k] … starts[k + 1]]
    int64_t n_groups;
    uint64_t first_replicate;
    int64_t n_replicates;
    int64_t *out; // (n_replicates, n_groups)
};

CALIBRANT_INLINE void count_lanes(const Counts &task, int64_t group, int64_t start, int64_t rows) {
    double below[LANES], total[LANES], u[2][LANES];
    uint32_t low[LANES], high[LANES];
    for (int64_t i = 0; i < LANES; ++i) {
        const int64_t row = task.order[start + std::min(i, rows - 1)];
        const uint64_t number = task.stream.first_row + uint64_t(row);
        low[i] = uint32_t(number);
        high[i] = uint32_t(number >> 32);
        // lanes beyond the last row draw the first class
        below[i] = i < rows ? task.p[2 * row] : std::numeric_limits<double>::infinity();
        total[i] = task.p[2 * row] + task.p[2 * row + 1];
    }
    const uint64_t stop = task.first_replicate + uint64_t(task.n_replicates);
    for (uint64_t pair = task.first_replicate / 2; 2 * pair < stop; ++pair) {
        draw_rows(task.stream, low, high, uint32_t(pair), u[0], u[1]);
        for (uint64_t half = 0; half < 2; ++half) {
            const uint64_t replicate = 2 * pair + half;
            if (replicate < task.first_replicate || replicate >= stop) continue;
            int64_t count = 0;
            for (int i = 0; i < LANES; ++i) count += below[i] <= u[half][i] * total[i] ? 1 : 0;
            task.out[int64_t(replicate - task.first_replicate) * task.n_groups + group] += count;
        }
    }
}

CALIBRANT_INLINE void count_all(const Counts &task) {
    for (int64_t group = 0; group < task.n_groups; ++group) {
        const int64_t end = task.starts[group + 1];
        for (int64_t start = task.starts[group]; start < end; start += LANES)
            count_lanes(task, group, start, std::min<int64_t>(LANES, end - start));
    }
}

#ifdef CALIBRANT_X86
CALIBRANT_AVX512 void count_avx512(const Counts &task) { count_all(task); }
CALIBRANT_AVX2 void count_avx2(const Counts &task) { count_all(task); }
#endif

void count_here(const Counts &task) {
#ifdef CALIBRANT_X86
    if (simd() == Simd::avx512) return count_avx512(task);
    if (simd() == Simd::avx2) return count_avx2(task);
#else
    simd();
#endif
    count_all(task);
}

void resample_counts(In<double, 2> y_prob, In<int64_t, 1> order, In<int64_t, 1> starts,
                     Out<int64_t, 2> out, uint64_t seed, uint32_t stream, uint64_t first_row,
                     uint64_t first_replicate) {
    demand(y_prob.shape(1) == 2, "y_prob must have two columns");
    demand(all_below(order, y_prob.shape(0)), "order must be in [0, n_samples)");
    demand(starts.shape(0) == out.shape(1) + 1, "out must have one column for every group");
    demand(starts.data()[0] == 0 && starts.data()[out.shape(1)] == int64_t(order.shape(0)),
           "starts must begin with 0 and end with the rows");
    for (size_t k = 0; k < out.shape(1); ++k)
        demand(starts.data()[k] <= starts.data()[k + 1], "starts must not fall");
    demand_replicates(first_replicate, out.shape(0));
    const Counts task{
        {seed, stream, first_row}, y_prob.data(),   order.data(),          starts.data(),
        int64_t(out.shape(1)),     first_replicate, int64_t(out.shape(0)), out.data()};
    nb::gil_scoped_release unlocked;
    count_here(task);
}

void resample_uniforms(Out<double, 2> out, uint64_t seed, uint32_t stream, uint64_t first_row,
                       uint64_t first_replicate) {
    demand_replicates(first_replicate, out.shape(0));
    nb::gil_scoped_release unlocked;
    uniform_all({seed, stream, first_row}, int64_t(out.shape(1)), first_replicate,
                int64_t(out.shape(0)), out.data());
}

template <class Label> void bind_labels(nb::module_ &m) {
    m.def("resample_labels", &resample_labels<Label>, "y_prob"_a, "out"_a.noconvert(), "seed"_a,
          "stream"_a, "first_row"_a, "first_replicate"_a);
    m.def("resample_codes", &resample_codes<Label>, "y_prob"_a, "out"_a.noconvert(), "column"_a,
          "count"_a, "seed"_a, "stream"_a, "first_row"_a, "first_replicate"_a);
}

} // namespace

void bind_sampling(nb::module_ &m) {
    bind_labels<uint8_t>(m);
    bind_labels<uint16_t>(m);
    bind_labels<uint32_t>(m);
    m.def("resample_counts", &resample_counts, "y_prob"_a, "order"_a.noconvert(),
          "starts"_a.noconvert(), "out"_a.noconvert(), "seed"_a, "stream"_a, "first_row"_a,
          "first_replicate"_a);
    m.def("resample_uniforms", &resample_uniforms, "out"_a.noconvert(), "seed"_a, "stream"_a,
          "first_row"_a, "first_replicate"_a);
}
