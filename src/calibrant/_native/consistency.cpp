// Binned errors of the consistency resamples of one data set, without storing the resamples.
//
// A resample draws n rows with replacement and a label from each of them. In every bin the error
// needs only Σ p − Σ e_y: times the bin's share of the rows, the total variation between its
// mean prediction and its label frequencies is ½|Σ p − Σ e_y|₁/n. The uniform bin of a row does
// not depend on the resample; median-variance bins are recomputed for each resample.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "arrays.hpp"
#include "dispatch.hpp"
#include "philox.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

constexpr int LANES = 8; // classes are summed in groups of this size

#include "vectors.inc"

// Σ |x|, size a multiple of LANES.
CALIBRANT_INLINE double norm(const double *x, int64_t size) {
    vec sums{};
    for (int64_t c = 0; c < size; c += LANES) sums = sums + vabs(load(x + c));
    return total(sums);
}

constexpr double TIE = 1.0 - 1e-9; // variances that agree this closely are tied, as in binning.cpp

constexpr int64_t FEW = 48; // up to this many keys, all are compared with all

struct Item {
    uint32_t row, label;
};

struct Bin {
    int64_t begin, end;
};

class Resamples {
  public:
    Resamples(const double *p, const int64_t *cells, int64_t n, int64_t m, int64_t min_size)
        : n_(n), m_(m), min_size_(min_size), width_((m + LANES - 1) / LANES * LANES), cells_(cells),
          x_(n * width_, 0.0), thresholds_(n * width_, infinity), total_(n), ranks_(n * m),
          uniform_(n), pick_(n), items_(n), later_(n), keys_(n), count_(n, 0), square_(width_) {
        n_cells_ = *std::max_element(cells, cells + n) + 1;
        gap_.resize(n_cells_ * width_);
        for (int64_t i = 0; i < n; ++i) keep_row(p + i * m, i);
        std::vector<int64_t> order(n);
        for (int64_t c = 0; c < m; ++c) rank(c, order);
    }

    CALIBRANT_INLINE void errors(uint64_t seed, uint32_t resample, double *uniform,
                                 double *median_variance) {
        draw(seed, resample);
        *uniform = uniform_error();
        *median_variance = median_variance_error();
    }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    void keep_row(const double *p, int64_t i) {
        double sum = 0.0;
        for (int64_t c = 0; c < m_; ++c) {
            x_[i * width_ + c] = p[c];
            sum += p[c];
            if (c + 1 < m_) thresholds_[i * width_ + c] = sum;
        }
        demand(std::isfinite(sum), "p must be finite"); // sorting needs an order
        total_[i] = sum;
    }

    // Equal values have equal ranks, so comparing ranks is comparing values.
    void rank(int64_t c, std::vector<int64_t> &order) {
        std::iota(order.begin(), order.end(), int64_t(0));
        const double *x = x_.data() + c;
        std::sort(order.begin(), order.end(),
                  [&](int64_t i, int64_t j) { return x[i * width_] < x[j * width_]; });
        uint32_t *ranks = ranks_.data() + c * n_;
        uint32_t r = 0;
        for (int64_t k = 0; k < n_; ++k) {
            if (k && x[order[k] * width_] != x[order[k - 1] * width_]) ++r;
            ranks[order[k]] = r;
        }
    }

    CALIBRANT_INLINE void draw(uint64_t seed, uint32_t resample) {
        const uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
        const uint64_t n = uint64_t(n_);
        double *uniform = uniform_.data();
        uint32_t *pick = pick_.data();
        for (int64_t i = 0; i < n_; ++i) {
            const Block w = philox({uint32_t(i), 0u, resample, 0u}, k0, k1);
            uniform[i] = unit(w.w0, w.w1);
            pick[i] = uint32_t((w.w2 * n) >> 32);
        }
        for (int64_t i = 0; i < n_; ++i) {
            const double t = uniform[i] * total_[pick[i]];
            const double *threshold = thresholds_.data() + pick[i] * width_;
            uint32_t label = 0;
            for (int64_t c = 0; c < m_; ++c) label += threshold[c] <= t ? 1 : 0;
            items_[i] = {pick[i], label};
        }
    }

    CALIBRANT_INLINE double uniform_error() {
        double *gap = gap_.data();
        std::fill_n(gap, n_cells_ * width_, 0.0);
        for (const Item &item : items_) {
            double *target = gap + cells_[item.row] * width_;
            const double *x = x_.data() + item.row * width_;
            for (int64_t c = 0; c < width_; c += LANES)
                store(target + c, load(target + c) + load(x + c));
            target[item.label] -= 1.0;
        }
        return 0.5 * norm(gap, n_cells_ * width_) / double(n_);
    }

    CALIBRANT_INLINE double median_variance_error() {
        double total = 0.0;
        open_.clear();
        open_.push_back({0, n_});
        while (!open_.empty()) {
            const Bin bin = open_.back();
            open_.pop_back();
            const int64_t middle = bin.end - bin.begin < 2 * min_size_ ? -1 : split(bin);
            if (middle < 0) {
                total += gap_of(bin);
            } else {
                open_.push_back({bin.begin, middle});
                open_.push_back({middle, bin.end});
            }
        }
        return 0.5 * total / double(n_);
    }

    // Σ x over the items of a bin, for LANES classes from c on, in two independent chains of
    // additions.
    CALIBRANT_INLINE vec sum_of(Bin bin, int64_t c) const {
        const double *x = x_.data() + c;
        const Item *item = items_.data() + bin.begin, *end = items_.data() + bin.end;
        vec even{}, odd{};
        for (; item + 1 < end; item += 2) {
            even = even + load(x + item[0].row * width_);
            odd = odd + load(x + item[1].row * width_);
        }
        return item < end ? even + load(x + item->row * width_) + odd : even + odd;
    }

    CALIBRANT_INLINE double gap_of(Bin bin) {
        double *gap = square_.data();
        for (int64_t c = 0; c < width_; c += LANES) store(gap + c, sum_of(bin, c));
        for (int64_t k = bin.begin; k < bin.end; ++k) gap[items_[k].label] -= 1.0;
        return norm(gap, width_);
    }

    // Σ (x − mean)², in two passes and corrected for the rounded mean.
    CALIBRANT_INLINE vec squares_of(Bin bin, int64_t c) const {
        const double *x = x_.data() + c;
        const Item *item = items_.data() + bin.begin, *end = items_.data() + bin.end;
        const double share = 1.0 / double(bin.end - bin.begin);
        const vec part = splat(share), mean = sum_of(bin, c) * part;
        vec shift[2] = {}, square[2] = {};
        for (; item < end; ++item) {
            const vec d = load(x + item->row * width_) - mean;
            shift[0] = shift[0] + d;
            square[0] = square[0] + d * d;
            if (++item == end) break;
            const vec e = load(x + item->row * width_) - mean;
            shift[1] = shift[1] + e;
            square[1] = square[1] + e * e;
        }
        const vec all = shift[0] + shift[1];
        return square[0] + square[1] - all * all * part;
    }

    // The component of largest variance, the first if tied.
    CALIBRANT_INLINE int64_t most_variable(Bin bin) {
        double *square = square_.data();
        for (int64_t c = 0; c < width_; c += LANES) store(square + c, squares_of(bin, c));
        const double largest = std::max(0.0, *std::max_element(square, square + m_));
        int64_t component = 0;
        while (square[component] < largest * TIE) ++component;
        return component;
    }

    // Move the items below the upper median to the front; return -1 if a side would be too small.
    CALIBRANT_INLINE int64_t split(Bin bin) {
        const uint32_t *ranks = ranks_.data() + most_variable(bin) * n_;
        const int64_t size = bin.end - bin.begin;
        for (int64_t k = 0; k < size; ++k) keys_[k] = ranks[items_[bin.begin + k].row];
        uint32_t below = 0;
        const uint32_t median =
            size <= FEW ? median_of_few(size, below) : median_of_many(size, below);
        const int64_t middle = bin.begin + below;
        if (below < min_size_ || bin.end - middle < min_size_) return -1;
        int64_t front = bin.begin, n_later = 0;
        for (int64_t k = 0; k < size; ++k) { // both are written, to avoid a branch
            const Item item = items_[bin.begin + k];
            const bool first = keys_[k] < median;
            items_[front] = item;
            later_[n_later] = item;
            front += first;
            n_later += !first;
        }
        std::copy_n(later_.begin(), n_later, items_.begin() + middle);
        return middle;
    }

    // The upper median of the keys, and how many keys are below it.
    CALIBRANT_INLINE uint32_t median_of_few(int64_t size, uint32_t &below) const {
        const uint32_t half = uint32_t(size / 2);
        for (int64_t k = 0;; ++k) {
            const uint32_t key = keys_[k];
            uint32_t less = 0, up_to = 0;
            for (int64_t j = 0; j < size; ++j) {
                less += keys_[j] < key;
                up_to += keys_[j] <= key;
            }
            if (less <= half && half < up_to) {
                below = less;
                return key;
            }
        }
    }

    CALIBRANT_INLINE uint32_t median_of_many(int64_t size, uint32_t &below) {
        const uint32_t half = uint32_t(size / 2);
        for (int64_t k = 0; k < size; ++k) ++count_[keys_[k]];
        uint32_t median = 0;
        while (below + count_[median] <= half) below += count_[median++];
        for (int64_t k = 0; k < size; ++k) count_[keys_[k]] = 0;
        return median;
    }

    int64_t n_, m_, min_size_, width_, n_cells_;
    const int64_t *cells_;
    std::vector<double> x_, thresholds_, total_;
    std::vector<uint32_t> ranks_; // class by class
    std::vector<double> uniform_;
    std::vector<uint32_t> pick_;
    std::vector<Item> items_, later_;
    std::vector<uint32_t> keys_, count_;
    std::vector<double> square_, gap_;
    std::vector<Bin> open_;
};

struct Task {
    Resamples resamples;
    uint64_t seed;
    int64_t n_resamples;
    double *uniform, *median_variance;
};

CALIBRANT_INLINE void all_errors(Task &task) {
    for (int64_t b = 0; b < task.n_resamples; ++b)
        task.resamples.errors(task.seed, uint32_t(b), task.uniform + b, task.median_variance + b);
}

#ifdef CALIBRANT_X86
CALIBRANT_AVX512_WIDE void errors_avx512(Task &task) { all_errors(task); }
CALIBRANT_AVX2 void errors_avx2(Task &task) { all_errors(task); }
#endif

void errors_here(Task &task) {
#ifdef CALIBRANT_X86
    if (simd() == Simd::avx512) return errors_avx512(task);
    if (simd() == Simd::avx2) return errors_avx2(task);
#else
    simd();
#endif
    all_errors(task);
}

// out[0] and out[1]: the errors of the resamples in uniform and in median-variance bins.
void consistency_errors(In<double, 2> p, In<int64_t, 1> cells, int64_t min_size, uint64_t seed,
                        Out<double, 2> out) {
    demand(p.shape(0) >= 1 && p.shape(1) >= 1, "p must not be empty");
    demand(p.shape(0) <= std::numeric_limits<uint32_t>::max(), "p must have fewer than 2**32 rows");
    demand(alike(cells, p), "cells must have one entry for every row of p");
    demand(all_below(cells, p.shape(0)), "cells must be in [0, n_samples)");
    demand(min_size >= 1, "min_size must be at least 1");
    demand(out.shape(0) == 2, "out must have two rows");
    const int64_t n_resamples = int64_t(out.shape(1));
    nb::gil_scoped_release unlocked;
    const int64_t n = int64_t(p.shape(0)), m = int64_t(p.shape(1));
    Task task{Resamples(p.data(), cells.data(), n, m, std::min(min_size, n)), seed, n_resamples,
              out.data(), out.data() + n_resamples};
    errors_here(task);
}

} // namespace

void bind_consistency(nb::module_ &m) {
    m.def("consistency_errors", &consistency_errors, "p"_a, "cells"_a.noconvert(), "min_size"_a,
          "seed"_a, "out"_a.noconvert());
}
