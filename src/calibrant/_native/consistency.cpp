// Consistency resamples of one data set and their binned errors, without making the resamples.
//
// A resample draws n rows with replacement and a label from each of them. In every bin the error
// needs Σ p − Σ e_y only: with the bin's share of the rows, the total variation of its mean
// prediction and its label frequencies is ½|Σ p − Σ e_y|₁/n. Uniform bins of a row do not depend
// on the resample; median-variance bins are made anew for each of them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "philox.hpp"

namespace nb = nanobind;
using namespace calibrant;

namespace {

using Index = std::int64_t;
constexpr Index kLanes = 8; // classes are summed in groups of so many

// The numbers of a group; compilers do not find vectors in loops over eight.
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // nothing with lanes is called, all is inlined
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));
CALIBRANT_INLINE Lanes magnitude(const Lanes &a) { return a < 0.0 ? -a : a; }
#else
struct Lanes {
    double at[kLanes];
    double &operator[](Index l) { return at[l]; }
    double operator[](Index l) const { return at[l]; }
};
template <class Function> Lanes each(Function f) {
    Lanes out;
    for (Index l = 0; l < kLanes; ++l) out[l] = f(l);
    return out;
}
inline Lanes operator+(Lanes a, Lanes b) { return each([&](Index l) { return a[l] + b[l]; }); }
inline Lanes operator-(Lanes a, Lanes b) { return each([&](Index l) { return a[l] - b[l]; }); }
inline Lanes operator*(Lanes a, Lanes b) { return each([&](Index l) { return a[l] * b[l]; }); }
inline Lanes magnitude(Lanes a) { return each([&](Index l) { return std::fabs(a[l]); }); }
#endif

CALIBRANT_INLINE Lanes splat(double x) {
    Lanes out;
    for (Index l = 0; l < kLanes; ++l) out[l] = x;
    return out;
}
CALIBRANT_INLINE Lanes load(const double *x) {
    Lanes out;
    std::memcpy(&out, x, sizeof out);
    return out;
}
CALIBRANT_INLINE void store(double *x, const Lanes &a) { std::memcpy(x, &a, sizeof a); }

// Σ |x|, size a multiple of kLanes.
CALIBRANT_INLINE double norm(const double *x, Index size) {
    Lanes sums{};
    for (Index c = 0; c < size; c += kLanes) sums = sums + magnitude(load(x + c));
    double total = 0.0;
    for (Index l = 0; l < kLanes; ++l) total += sums[l];
    return total;
}

constexpr double kTie = 1.0 - 1e-9;   // variances that agree so closely are tied, as in binning.cpp

constexpr Index kFew = 48;            // so many keys are compared all with all

struct Item {
    std::uint32_t row, label;
};

struct Bin {
    Index begin, end;
};

class Resamples {
  public:
    Resamples(const double *p, const Index *cells, Index n, Index m, Index min_size)
        : n_(n), m_(m), min_size_(min_size), width_((m + kLanes - 1) / kLanes * kLanes),
          cells_(cells), x_(n * width_, 0.0), thresholds_(n * width_, infinity), total_(n),
          ranks_(n * m), uniform_(n), pick_(n), items_(n), later_(n), keys_(n), count_(n, 0),
          square_(width_) {
        n_cells_ = *std::max_element(cells, cells + n) + 1;
        gap_.resize(n_cells_ * width_);
        for (Index i = 0; i < n; ++i) keep_row(p + i * m, i);
        std::vector<Index> order(n);
        for (Index c = 0; c < m; ++c) rank(c, order);
    }

    CALIBRANT_INLINE void errors(std::uint64_t seed, std::uint32_t resample, double *uniform,
                                 double *median_variance) {
        draw(seed, resample);
        *uniform = uniform_error();
        *median_variance = median_variance_error();
    }

  private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    void keep_row(const double *p, Index i) {
        double sum = 0.0;
        for (Index c = 0; c < m_; ++c) {
            x_[i * width_ + c] = p[c];
            sum += p[c];
            if (c + 1 < m_) thresholds_[i * width_ + c] = sum;
        }
        total_[i] = sum;
    }

    // Equal values have equal ranks: to compare ranks is to compare values.
    void rank(Index c, std::vector<Index> &order) {
        std::iota(order.begin(), order.end(), Index(0));
        const double *x = x_.data() + c;
        std::sort(order.begin(), order.end(),
                  [&](Index i, Index j) { return x[i * width_] < x[j * width_]; });
        std::uint32_t *ranks = ranks_.data() + c * n_;
        std::uint32_t r = 0;
        for (Index k = 0; k < n_; ++k) {
            if (k && x[order[k] * width_] != x[order[k - 1] * width_]) ++r;
            ranks[order[k]] = r;
        }
    }

    CALIBRANT_INLINE void draw(std::uint64_t seed, std::uint32_t resample) {
        const std::uint32_t k0 = std::uint32_t(seed), k1 = std::uint32_t(seed >> 32);
        const std::uint64_t n = std::uint64_t(n_);
        double *uniform = uniform_.data();
        std::uint32_t *pick = pick_.data();
        for (Index i = 0; i < n_; ++i) {
            const Block w = philox({std::uint32_t(i), 0u, resample, 0u}, k0, k1);
            uniform[i] = unit(w.w0, w.w1);
            pick[i] = std::uint32_t((w.w2 * n) >> 32);
        }
        for (Index i = 0; i < n_; ++i) {
            const double t = uniform[i] * total_[pick[i]];
            const double *threshold = thresholds_.data() + pick[i] * width_;
            std::uint32_t label = 0;
            for (Index c = 0; c < m_; ++c) label += threshold[c] <= t ? 1 : 0;
            items_[i] = {pick[i], label};
        }
    }

    CALIBRANT_INLINE double uniform_error() {
        double *gap = gap_.data();
        std::fill_n(gap, n_cells_ * width_, 0.0);
        for (const Item &item : items_) {
            double *target = gap + cells_[item.row] * width_;
            const double *x = x_.data() + item.row * width_;
            for (Index c = 0; c < width_; c += kLanes)
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
            const Index middle = bin.end - bin.begin < 2 * min_size_ ? -1 : split(bin);
            if (middle < 0) {
                total += gap_of(bin);
            } else {
                open_.push_back({bin.begin, middle});
                open_.push_back({middle, bin.end});
            }
        }
        return 0.5 * total / double(n_);
    }

    // Σ x over the items of a bin, for kLanes classes from c on; two chains of additions, so that
    // one need not wait for the other.
    CALIBRANT_INLINE Lanes sum_of(Bin bin, Index c) const {
        const double *x = x_.data() + c;
        const Item *item = items_.data() + bin.begin, *end = items_.data() + bin.end;
        Lanes even{}, odd{};
        for (; item + 1 < end; item += 2) {
            even = even + load(x + item[0].row * width_);
            odd = odd + load(x + item[1].row * width_);
        }
        return item < end ? even + load(x + item->row * width_) + odd : even + odd;
    }

    CALIBRANT_INLINE double gap_of(Bin bin) {
        double *gap = square_.data();
        for (Index c = 0; c < width_; c += kLanes) store(gap + c, sum_of(bin, c));
        for (Index k = bin.begin; k < bin.end; ++k) gap[items_[k].label] -= 1.0;
        return norm(gap, width_);
    }

    // Σ (x − mean)², in two passes and corrected for the rounded mean.
    CALIBRANT_INLINE Lanes squares_of(Bin bin, Index c) const {
        const double *x = x_.data() + c;
        const Item *item = items_.data() + bin.begin, *end = items_.data() + bin.end;
        const double share = 1.0 / double(bin.end - bin.begin);
        const Lanes part = splat(share), mean = sum_of(bin, c) * part;
        Lanes shift[2] = {}, square[2] = {};
        for (; item < end; ++item) {
            const Lanes d = load(x + item->row * width_) - mean;
            shift[0] = shift[0] + d;
            square[0] = square[0] + d * d;
            if (++item == end) break;
            const Lanes e = load(x + item->row * width_) - mean;
            shift[1] = shift[1] + e;
            square[1] = square[1] + e * e;
        }
        const Lanes all = shift[0] + shift[1];
        return square[0] + square[1] - all * all * part;
    }

    // The component of largest variance, the first where they are tied.
    CALIBRANT_INLINE Index most_variable(Bin bin) {
        double *square = square_.data();
        for (Index c = 0; c < width_; c += kLanes) store(square + c, squares_of(bin, c));
        const double largest = std::max(0.0, *std::max_element(square, square + m_));
        Index component = 0;
        while (square[component] < largest * kTie) ++component;
        return component;
    }

    // Move the items below the upper median to the front; -1 where a side would be too small.
    CALIBRANT_INLINE Index split(Bin bin) {
        const std::uint32_t *ranks = ranks_.data() + most_variable(bin) * n_;
        const Index size = bin.end - bin.begin;
        for (Index k = 0; k < size; ++k) keys_[k] = ranks[items_[bin.begin + k].row];
        std::uint32_t below = 0;
        const std::uint32_t median =
            size <= kFew ? median_of_few(size, below) : median_of_many(size, below);
        const Index middle = bin.begin + below;
        if (below < min_size_ || bin.end - middle < min_size_) return -1;
        Index front = bin.begin, n_later = 0;
        for (Index k = 0; k < size; ++k) { // both are written: no branch to mispredict
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
    CALIBRANT_INLINE std::uint32_t median_of_few(Index size, std::uint32_t &below) const {
        const std::uint32_t half = std::uint32_t(size / 2);
        for (Index k = 0;; ++k) {
            const std::uint32_t key = keys_[k];
            std::uint32_t less = 0, up_to = 0;
            for (Index j = 0; j < size; ++j) {
                less += keys_[j] < key;
                up_to += keys_[j] <= key;
            }
            if (less <= half && half < up_to) {
                below = less;
                return key;
            }
        }
    }

    CALIBRANT_INLINE std::uint32_t median_of_many(Index size, std::uint32_t &below) {
        const std::uint32_t half = std::uint32_t(size / 2);
        for (Index k = 0; k < size; ++k) ++count_[keys_[k]];
        std::uint32_t median = 0;
        while (below + count_[median] <= half) below += count_[median++];
        for (Index k = 0; k < size; ++k) count_[keys_[k]] = 0;
        return median;
    }

    Index n_, m_, min_size_, width_, n_cells_;
    const Index *cells_;
    std::vector<double> x_, thresholds_, total_;
    std::vector<std::uint32_t> ranks_; // class by class
    std::vector<double> uniform_;
    std::vector<std::uint32_t> pick_;
    std::vector<Item> items_, later_;
    std::vector<std::uint32_t> keys_, count_;
    std::vector<double> square_, gap_;
    std::vector<Bin> open_;
};

struct Task {
    Resamples resamples;
    std::uint64_t seed;
    Index n_resamples;
    double *uniform, *median_variance;
};

CALIBRANT_INLINE void all_errors(Task &task) {
    for (Index b = 0; b < task.n_resamples; ++b)
        task.resamples.errors(task.seed, std::uint32_t(b), task.uniform + b,
                              task.median_variance + b);
}

#ifdef CALIBRANT_MULTIVERSION
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"))) void
errors_avx512(Task &task) {
    all_errors(task);
}
__attribute__((target("avx2"))) void errors_avx2(Task &task) { all_errors(task); }
#endif

void errors_here(Task &task) {
#ifdef CALIBRANT_MULTIVERSION
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return errors_avx512(task);
    if (__builtin_cpu_supports("avx2")) return errors_avx2(task);
#endif
    all_errors(task);
}

template <class T, std::size_t D>
using Array = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

// out[0] and out[1]: the errors of the resamples in uniform and in median-variance bins.
void consistency_errors(Array<const double, 2> p, Array<const Index, 1> cells, Index min_size,
                        std::uint64_t seed, Array<double, 2> out) {
    if (cells.shape(0) != p.shape(0) || out.shape(0) != 2 || !p.shape(0) || min_size < 1)
        throw nb::value_error("p and cells need the same rows, out two, and min_size 1 or more");
    const Index n_resamples = Index(out.shape(1));
    nb::gil_scoped_release unlocked;
    Task task{Resamples(p.data(), cells.data(), Index(p.shape(0)), Index(p.shape(1)), min_size),
              seed, n_resamples, out.data(), out.data() + n_resamples};
    errors_here(task);
}

} // namespace

void bind_consistency(nb::module_ &m) {
    m.def("consistency_errors", &consistency_errors, nb::arg("p"), nb::arg("cells"),
          nb::arg("min_size"), nb::arg("seed"), nb::arg("out").noconvert());
}
