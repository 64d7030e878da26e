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

constexpr int LANES = 64;        // rows drawn together, in vectorized loops
constexpr int SEARCH_LIMIT = 33; // below this, count all thresholds; from here on, bisect

struct Stream {
    uint64_t seed;
    uint32_t stream;
    uint64_t first_row;
};

// Uniforms of LANES consecutive rows for the replicates 2·pair and 2·pair + 1.
CALIBRANT_INLINE void draw(const Stream &s, uint64_t row, uint32_t pair, double *even,
                           double *odd) {
    const uint32_t k0 = uint32_t(s.seed), k1 = uint32_t(s.seed >> 32), stream = s.stream;
    uint32_t low[LANES], high[LANES];
    for (int i = 0; i < LANES; ++i) {
        low[i] = uint32_t(row + uint64_t(i));
        high[i] = uint32_t((row + uint64_t(i)) >> 32);
    }
    for (int i = 0; i < LANES; ++i) {
        const Block w = philox({low[i], high[i], pair, stream}, k0, k1);
        even[i] = unit(w.w0, w.w1);
        odd[i] = unit(w.w2, w.w3);
    }
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

// The same count by bisection; every row has `width` = 2^k ≥ m thresholds, padded with infinity.
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
    // Padding never counts, because no finite u·total reaches infinity. Lanes beyond the last row
    // draw from arbitrary values and are discarded.
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
           "the type of out must contain every class");
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
           "the type of out must contain every class");
    demand_replicates(first_replicate, count);
    const Task<Label> task{{seed, stream, first_row}, y_prob.data(),
                           int64_t(y_prob.shape(0)),  int64_t(y_prob.shape(1)),
                           first_replicate,           int64_t(count),
                           out.data() + column,       1,
                           int64_t(out.shape(1))};
    nb::gil_scoped_release unlocked;
    label_here(task);
}

// How often the second of two classes is drawn in every group of rows, by replicate, for several
// views of the same rows, which share the uniforms.
struct Counts {
    Stream stream;
    const double *p;    // (n_views, n, 2)
    const int64_t *ids; // the groups, (n_views, n)
    int64_t n_views, n, n_groups;
    uint64_t first_replicate;
    int64_t n_replicates;
    int64_t *out; // (n_views, n_replicates, n_groups)
};

// LANES rows of a view: their thresholds, and the lanes of each group.
struct View {
    double below[LANES], total[LANES];
    int64_t groups[LANES];
    uint64_t lanes[LANES];
    int count;
};

static void look(const Counts &task, int64_t v, int64_t start, View &view) {
    const int64_t rows = std::min<int64_t>(LANES, task.n - start);
    view.count = 0;
    for (int64_t i = 0; i < LANES; ++i) {
        const int64_t row = v * task.n + start + std::min(i, rows - 1);
        // lanes beyond the last row draw the first class
        view.below[i] = i < rows ? task.p[2 * row] : std::numeric_limits<double>::infinity();
        view.total[i] = task.p[2 * row] + task.p[2 * row + 1];
        int k = 0;
        while (k < view.count && view.groups[k] != task.ids[row]) ++k;
        if (k == view.count) {
            view.groups[k] = task.ids[row];
            view.lanes[k] = 0;
            ++view.count;
        }
        view.lanes[k] |= uint64_t{1} << i;
    }
}

CALIBRANT_INLINE int64_t count_bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return static_cast<int64_t>((x * 0x0101010101010101u) >> 56);
}

// Bit i: lane i draws the second class.
CALIBRANT_INLINE uint64_t drawn(const View &view, const double *u) {
    uint8_t hit[LANES];
    for (int i = 0; i < LANES; ++i) hit[i] = view.below[i] <= u[i] * view.total[i] ? 1 : 0;
    uint64_t bits = 0;
    for (int i = 0; i < LANES; i += 8) {
        uint64_t eight = 0;
        for (int k = 0; k < 8; ++k) eight |= uint64_t{hit[i + k]} << (8 * k);
        // the multiplication gathers the eight bits in the highest byte, in order
        bits |= ((eight * 0x0102040810204080u) >> 56) << i;
    }
    return bits;
}

CALIBRANT_INLINE void count_all(const Counts &task) {
    std::vector<View> views(static_cast<size_t>(task.n_views));
    const uint64_t stop = task.first_replicate + uint64_t(task.n_replicates);
    double u[2][LANES];
    for (int64_t start = 0; start < task.n; start += LANES) {
        for (int64_t v = 0; v < task.n_views; ++v) look(task, v, start, views[v]);
        const uint64_t row = task.stream.first_row + uint64_t(start);
        for (uint64_t pair = task.first_replicate / 2; 2 * pair < stop; ++pair) {
            draw(task.stream, row, uint32_t(pair), u[0], u[1]);
            for (uint64_t half = 0; half < 2; ++half) {
                const uint64_t replicate = 2 * pair + half;
                if (replicate < task.first_replicate || replicate >= stop) continue;
                int64_t *out = task.out + int64_t(replicate - task.first_replicate) * task.n_groups;
                for (int64_t v = 0; v < task.n_views; ++v) {
                    const View &view = views[v];
                    const uint64_t bits = drawn(view, u[half]);
                    int64_t *to = out + v * task.n_replicates * task.n_groups;
                    for (int k = 0; k < view.count; ++k)
                        to[view.groups[k]] += count_bits(bits & view.lanes[k]);
                }
            }
        }
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

void resample_counts(In<double, 3> y_prob, In<int64_t, 2> ids, Out<int64_t, 3> out, uint64_t seed,
                     uint32_t stream, uint64_t first_row, uint64_t first_replicate) {
    demand(y_prob.shape(2) == 2, "y_prob must have two columns");
    demand(alike(ids, y_prob, 2), "ids must have one entry for every row of y_prob");
    demand(out.shape(0) == y_prob.shape(0), "out must have the views of y_prob");
    demand(all_below(ids, out.shape(2)), "ids must be in [0, n_groups)");
    demand_replicates(first_replicate, out.shape(1));
    const Counts task{{seed, stream, first_row},
                      y_prob.data(),
                      ids.data(),
                      int64_t(y_prob.shape(0)),
                      int64_t(y_prob.shape(1)),
                      int64_t(out.shape(2)),
                      first_replicate,
                      int64_t(out.shape(1)),
                      out.data()};
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
    m.def("resample_counts", &resample_counts, "y_prob"_a, "ids"_a.noconvert(), "out"_a.noconvert(),
          "seed"_a, "stream"_a, "first_row"_a, "first_replicate"_a);
    m.def("resample_uniforms", &resample_uniforms, "out"_a.noconvert(), "seed"_a, "stream"_a,
          "first_row"_a, "first_replicate"_a);
}
