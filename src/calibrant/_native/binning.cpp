// Binning of predictions, and the binned errors of many small data sets.
//
// Bin numbers equal those of the NumPy twins in calibrant/binning: they depend only on exact
// comparisons, except for the component that a median-variance bin is split on, where both twins
// treat variances that agree to 1e-9 as tied.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "compiler.hpp"
#include "tiles.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

using Cell = int32_t;

// ---------------------------------------------------------------- uniform cells

// max(1, ceil(n_bins·p)), with the product as floating point gives it; a sum of probabilities
// that exceeds 1 by rounding belongs to the last cell. With `many` bins, a product may overflow
// Cell.
template <bool many> inline Cell cell_of(double p, double n_bins) {
    const double t = many ? std::min(n_bins * p, n_bins) : n_bins * p;
    const Cell below = static_cast<Cell>(t);
    const Cell up = below + (static_cast<double>(below) < t ? 1 : 0);
    const Cell last = static_cast<Cell>(n_bins);
    return up < 1 ? 1 : up > last ? last : up;
}

inline uint64_t mixed(uint64_t x) {
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x;
}

class UniformBinner {
  public:
    UniformBinner(int64_t n, int64_t m, int64_t n_bins) : n_(n), m_(m), n_bins_(n_bins) {}

    void assign(const double *p, int64_t *ids) {
        if (m_ == 2)
            assign_line(p, ids);
        else
            assign_joint(p, ids);
    }

  private:
    // Two classes: the cells of the last one, numbered in ascending order.
    void assign_line(const double *p, int64_t *ids) {
        cells_.resize(n_);
        find_cells<2>(p + 1, n_, cells_.data());
        const int64_t top = *std::max_element(cells_.begin(), cells_.end());
        if (top <= 4 * n_ + 1024)
            rank_by_counting(top, ids);
        else
            rank_by_sorting(ids);
    }

    // The cells of `count` probabilities, one every `step` entries.
    template <int step> void find_cells(const double *p, int64_t count, Cell *cells) const {
        const double n_bins = static_cast<double>(n_bins_);
        if (n_bins_ > 1 << 30)
            for (int64_t i = 0; i < count; ++i) cells[i] = cell_of<true>(p[i * step], n_bins);
        else
            for (int64_t i = 0; i < count; ++i) cells[i] = cell_of<false>(p[i * step], n_bins);
    }

    void rank_by_counting(int64_t top, int64_t *ids) {
        const int64_t n = n_; // local: `ids` might point to it
        const Cell *const cells = cells_.data();
        slots_.assign(top + 1, 0);
        int64_t *const slots = slots_.data();
        for (int64_t i = 0; i < n; ++i) slots[cells[i]] = 1;
        int64_t k = 0;
        for (int64_t &slot : slots_) slot = slot ? k++ : k;
        for (int64_t i = 0; i < n; ++i) ids[i] = slots[cells[i]];
    }

    void rank_by_sorting(int64_t *ids) {
        used_.assign(cells_.begin(), cells_.end());
        std::sort(used_.begin(), used_.end());
        used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
        for (int64_t i = 0; i < n_; ++i)
            ids[i] = std::lower_bound(used_.begin(), used_.end(), cells_[i]) - used_.begin();
    }

    // More classes: a hash finds candidates, which are compared by their cells.
    void assign_joint(const double *p, int64_t *ids) {
        cells_.resize(n_ * m_);
        int64_t size = 16;
        while (size < 2 * n_) size *= 2;
        slots_.assign(size, -1);
        hashes_.resize(n_);
        int64_t k = 0;
        for (int64_t i = 0; i < n_; ++i) {
            const double *row = p + i * m_;
            Cell *cells = cells_.data() + i * m_;
            find_cells<1>(row, m_, cells);
            const uint64_t h = hash(cells);
            hashes_[i] = h;
            int64_t slot = static_cast<int64_t>(h & static_cast<uint64_t>(size - 1));
            while (slots_[slot] >= 0 && !same(slots_[slot], i)) slot = (slot + 1) & (size - 1);
            if (slots_[slot] < 0) {
                slots_[slot] = i;
                ids[i] = k++;
            } else {
                ids[i] = ids[slots_[slot]];
            }
        }
    }

    uint64_t hash(const Cell *cells) const {
        uint64_t lanes[4] = {1, 2, 3, 4};
        int64_t c = 0;
        for (; c + 4 <= m_; c += 4)
            for (int l = 0; l < 4; ++l)
                lanes[l] = lanes[l] * 0xD1342543DE82EF95u + static_cast<uint32_t>(cells[c + l]);
        for (; c < m_; ++c)
            lanes[0] = lanes[0] * 0xD1342543DE82EF95u + static_cast<uint32_t>(cells[c]);
        return mixed(mixed(mixed(mixed(lanes[0]) + lanes[1]) + lanes[2]) + lanes[3]);
    }

    bool same(int64_t i, int64_t j) const {
        return hashes_[i] == hashes_[j] &&
               std::memcmp(cells_.data() + i * m_, cells_.data() + j * m_, m_ * sizeof(Cell)) == 0;
    }

    int64_t n_, m_, n_bins_;
    std::vector<Cell> cells_, used_;
    std::vector<int64_t> slots_;
    std::vector<uint64_t> hashes_;
};

// ---------------------------------------------------------------- median-variance bins

constexpr double TIE = 1.0 - 1e-9;

class MedianVarianceBinner {
  public:
    MedianVarianceBinner(int64_t n, int64_t m, int64_t min_size, int64_t max_bins)
        : n_(n), m_(m), min_size_(min_size), max_bins_(max_bins), rows_(n), later_(n), values_(n),
          mean_(m), shift_(m), square_(m), name_(n) {}

    void assign(const double *p, int64_t *ids) {
        p_ = p;
        for (int64_t i = 0; i < n_; ++i) rows_[i] = i;
        open_.clear();
        int64_t n_closed = 0;
        add(0, n_, ids, n_closed);
        while (!open_.empty() &&
               (max_bins_ == 0 || n_closed + static_cast<int64_t>(open_.size()) < max_bins_)) {
            const size_t at = max_bins_ == 0 ? open_.size() - 1 : widest();
            const Bin bin = open_[at];
            open_.erase(open_.begin() + static_cast<ptrdiff_t>(at));
            const int64_t middle = split(bin);
            if (middle < 0) {
                close(bin.begin, bin.end, ids, n_closed);
            } else {
                add(bin.begin, middle, ids, n_closed);
                add(middle, bin.end, ids, n_closed);
            }
        }
        for (const Bin &bin : open_) close(bin.begin, bin.end, ids, n_closed);
        number_by_first_row(ids, n_closed);
    }

  private:
    struct Bin {
        int64_t begin, end, component;
        double variance;
    };

    void add(int64_t begin, int64_t end, int64_t *ids, int64_t &n_closed) {
        if (end - begin < 2 * min_size_) {
            close(begin, end, ids, n_closed);
            return;
        }
        Bin bin{begin, end, 0, 0.0};
        measure(bin);
        open_.push_back(bin);
    }

    void close(int64_t begin, int64_t end, int64_t *ids, int64_t &n_closed) const {
        for (int64_t i = begin; i < end; ++i) ids[rows_[i]] = n_closed;
        ++n_closed;
    }

    // Two passes with a correction for the rounded mean: the variance of nearly equal values must
    // be accurate, or the twins would choose different components.
    void measure(Bin &bin) {
        const double size = static_cast<double>(bin.end - bin.begin);
        double *mean = mean_.data(), *shift = shift_.data(), *square = square_.data();
        std::fill_n(mean, m_, 0.0);
        std::fill_n(shift, m_, 0.0);
        std::fill_n(square, m_, 0.0);
        for (int64_t i = bin.begin; i < bin.end; ++i) {
            const double *row = p_ + rows_[i] * m_;
            for (int64_t c = 0; c < m_; ++c) mean[c] += row[c];
        }
        for (int64_t c = 0; c < m_; ++c) {
            demand(std::isfinite(mean[c]), "p must be finite"); // a median needs an order
            mean[c] /= size;
        }
        for (int64_t i = bin.begin; i < bin.end; ++i) {
            const double *row = p_ + rows_[i] * m_;
            for (int64_t c = 0; c < m_; ++c) {
                const double d = row[c] - mean[c];
                shift[c] += d;
                square[c] += d * d;
            }
        }
        for (int64_t c = 0; c < m_; ++c)
            square[c] = std::max(0.0, (square[c] - shift[c] * shift[c] / size) / (size - 1.0));
        bin.variance = *std::max_element(square, square + m_);
        while (square[bin.component] < bin.variance * TIE) ++bin.component;
    }

    size_t widest() const {
        double largest = 0.0;
        for (const Bin &bin : open_) largest = std::max(largest, bin.variance);
        size_t at = 0;
        while (open_[at].variance < largest * TIE) ++at;
        return at;
    }

    // Move the rows below the upper median to the front; return -1 if a side would be too small.
    int64_t split(const Bin &bin) {
        const int64_t size = bin.end - bin.begin;
        const double *column = p_ + bin.component;
        for (int64_t i = 0; i < size; ++i) values_[i] = column[rows_[bin.begin + i] * m_];
        std::nth_element(values_.begin(), values_.begin() + size / 2, values_.begin() + size);
        const double median = values_[size / 2];
        int64_t front = bin.begin, n_later = 0;
        for (int64_t i = bin.begin; i < bin.end; ++i) {
            const int64_t row = rows_[i];
            if (column[row * m_] < median)
                rows_[front++] = row;
            else
                later_[n_later++] = row;
        }
        std::copy_n(later_.begin(), n_later, rows_.begin() + front);
        return front - bin.begin < min_size_ || n_later < min_size_ ? -1 : front;
    }

    void number_by_first_row(int64_t *ids, int64_t k) {
        std::fill_n(name_.begin(), k, int64_t(-1));
        int64_t next = 0;
        for (int64_t i = 0; i < n_; ++i) {
            int64_t &name = name_[ids[i]];
            if (name < 0) name = next++;
            ids[i] = name;
        }
    }

    int64_t n_, m_, min_size_, max_bins_;
    const double *p_ = nullptr;
    std::vector<int64_t> rows_, later_;
    std::vector<double> values_, mean_, shift_, square_;
    std::vector<int64_t> name_;
    std::vector<Bin> open_;
};

template <class Binner>
void assign_all(Binner binner, const In<double, 3> &p, const Out<int64_t, 2> &ids) {
    const int64_t B = p.shape(0), n = p.shape(1), m = p.shape(2);
    const double *source = p.data();
    int64_t *target = ids.data();
    nb::gil_scoped_release unlocked;
    for (int64_t b = 0; b < B; ++b) binner.assign(source + b * n * m, target + b * n);
}

void demand_rows(const In<double, 3> &p, const Out<int64_t, 2> &ids) {
    demand(p.shape(1) >= 1 && p.shape(2) >= 1, "p must have a row and a column");
    demand(alike(ids, p, 2), "ids must have one entry for every row of p");
}

void uniform(In<double, 3> p, int64_t n_bins, Out<int64_t, 2> ids) {
    demand_rows(p, ids);
    demand(n_bins >= 1 && n_bins <= std::numeric_limits<Cell>::max(),
           "n_bins must be in [1, 2**31)");
    assign_all(UniformBinner(p.shape(1), p.shape(2), n_bins), p, ids);
}

void median_variance(In<double, 3> p, int64_t min_size, int64_t max_bins, Out<int64_t, 2> ids) {
    demand_rows(p, ids);
    demand(min_size >= 1 && max_bins >= 0, "min_size must be at least 1, max_bins at least 0");
    const int64_t n = p.shape(1);
    assign_all(MedianVarianceBinner(n, p.shape(2), std::min(min_size, n), max_bins), p, ids);
}

// ---------------------------------------------------------------- sums and errors

// Whether an index is in [0, limit).
template <class T> inline bool is_below(T index, int64_t limit) {
    return static_cast<uint64_t>(index) < static_cast<uint64_t>(limit);
}

// Adds to zeroed arrays of k bins; a null weight counts as one. A separate function keeps more in
// registers.
CALIBRANT_NOINLINE void add_rows(const double *p, const int64_t *y, const double *w,
                                 const int64_t *ids, int64_t n, int64_t m, int64_t k, double *sum_p,
                                 double *sum_y, double *weight) {
    for (int64_t i = 0; i < n; ++i) {
        demand(is_below(ids[i], k), "ids must be in [0, n_bins)");
        demand(is_below(y[i], m), "labels must be in [0, n_classes)");
        const double wi = w ? w[i] : 1.0;
        double *target = sum_p + ids[i] * m;
        const double *row = p + i * m;
        if (w)
            for (int64_t c = 0; c < m; ++c) target[c] += wi * row[c];
        else
            for (int64_t c = 0; c < m; ++c) target[c] += row[c];
        sum_y[ids[i] * m + y[i]] += wi;
        weight[ids[i]] += wi;
    }
}

// Adds to zeroed sums the weight of every label in its bin, whose sums begin at `first`. Narrow
// labels are checked many at a time, wide ones where they are read.
template <class Label>
void add_labels(const int64_t *first, const Label *y, const double *w, int64_t n, int64_t m,
                double *sum_y) {
    constexpr bool narrow = sizeof(Label) < 8;
    constexpr int64_t rows = 2048;
    const auto add = [&](int64_t i, double weight) {
        demand(narrow || is_below(y[i], m), "labels must be in [0, n_classes)");
        sum_y[first[i] + static_cast<int64_t>(y[i])] += weight;
    };
    for (int64_t top = 0; top < n; top += rows) {
        const int64_t end = std::min(top + rows, n);
        demand(!narrow || all_below(y + top, end - top, m), "labels must be in [0, n_classes)");
        if (w)
            for (int64_t i = top; i < end; ++i) add(i, w[i]);
        else
            for (int64_t i = top; i < end; ++i) add(i, 1.0);
    }
}

void sums(In<double, 2> p, In<int64_t, 1> y, std::optional<In<double, 1>> w, In<int64_t, 1> ids,
          Out<double, 2> sum_p, Out<double, 2> sum_y, Out<double, 1> weight) {
    demand(alike(y, p) && alike(ids, p) && (!w || alike(*w, p)),
           "y, w and ids must have one entry for every row of p");
    demand(alike(sum_y, sum_p, 2) && alike(weight, sum_p),
           "sum_p, sum_y and weight must have the same bins");
    demand(sum_p.shape(1) == p.shape(1), "sum_p must have the columns of p");
    const double *weights = w ? w->data() : nullptr;
    nb::gil_scoped_release unlocked;
    add_rows(p.data(), y.data(), weights, ids.data(), p.shape(0), p.shape(1), sum_p.shape(0),
             sum_p.data(), sum_y.data(), weight.data());
}

constexpr int64_t MOST_BINS = int64_t{1} << 32; // far more than fit into memory; no sum overflows

enum Distance { tv, cityblock, sqeuclidean, euclidean, maximum };

void demand_error(int distance, int norm) {
    demand(distance >= tv && distance <= maximum, "distance must be in [0, 4]");
    demand(norm == 1 || norm == 2, "norm must be 1 or 2");
}

// The distance between mean prediction and label frequencies in one bin.
double gap(const double *mean, const double *sum_y, double weight, int64_t m, int distance) {
    double total = 0.0;
    for (int64_t c = 0; c < m; ++c) {
        const double d = mean[c] - sum_y[c] / weight;
        if (distance <= cityblock)
            total += std::fabs(d);
        else if (distance <= euclidean)
            total += d * d;
        else
            total = std::max(total, std::fabs(d));
    }
    return distance == tv ? 0.5 * total : distance == euclidean ? std::sqrt(total) : total;
}

double error_of(const double *mean, const double *sum_y, const double *weight, int64_t k, int64_t m,
                int distance, int norm) {
    double total = 0.0, all = 0.0;
    for (int64_t b = 0; b < k; ++b) {
        if (weight[b] == 0.0) continue;
        const double d = gap(mean + b * m, sum_y + b * m, weight[b], m, distance);
        all += weight[b];
        if (distance == maximum)
            total = std::max(total, d);
        else
            total += weight[b] * (norm == 2 ? d * d : d);
    }
    if (distance == maximum) return total;
    return norm == 2 ? std::sqrt(total / all) : total / all;
}

void errors(In<double, 3> p, In<int64_t, 2> y, In<int64_t, 2> ids, int distance, int norm,
            Out<double, 1> out) {
    const int64_t B = p.shape(0), n = p.shape(1), m = p.shape(2);
    demand_error(distance, norm);
    demand(n >= 1, "p must have a row");
    demand(alike(y, p, 2) && alike(ids, p, 2), "y and ids must have one entry for every row of p");
    demand(alike(out, p), "out must have one entry for every data set");
    nb::gil_scoped_release unlocked;
    std::vector<double> mean, sum_y, weight;
    for (int64_t b = 0; b < B; ++b) {
        const int64_t *names = ids.data() + b * n;
        const int64_t last = tiles().largest(names, n);
        demand(last >= 0 && last < MOST_BINS, "ids must be in [0, 2**32)");
        const int64_t k = last + 1;
        mean.assign(k * m, 0.0);
        sum_y.assign(k * m, 0.0);
        weight.assign(k, 0.0);
        add_rows(p.data() + b * n * m, y.data() + b * n, nullptr, names, n, m, k, mean.data(),
                 sum_y.data(), weight.data());
        for (int64_t j = 0; j < k; ++j)
            for (int64_t c = 0; c < m; ++c) mean[j * m + c] /= weight[j];
        out.data()[b] = error_of(mean.data(), sum_y.data(), weight.data(), k, m, distance, norm);
    }
}

template <class Label>
void label_errors(In<double, 2> mean, In<double, 1> weight, In<int64_t, 1> ids,
                  std::optional<In<double, 1>> w, In<Label, 2> labels, int distance, int norm,
                  Out<double, 1> out) {
    const int64_t R = labels.shape(0), n = labels.shape(1), k = mean.shape(0), m = mean.shape(1);
    demand_error(distance, norm);
    demand(alike(weight, mean), "mean and weight must have the same bins");
    demand(ids.shape(0) == labels.shape(1) && (!w || alike(*w, ids)),
           "ids and w must have one entry for every column of labels");
    demand(alike(out, labels), "out must have one entry for every row of labels");
    const double *weights = w ? w->data() : nullptr;
    nb::gil_scoped_release unlocked;
    demand(tiles().all_below(ids.data(), n, k), "ids must be in [0, n_bins)");
    std::vector<int64_t> first(n);
    for (int64_t i = 0; i < n; ++i) first[i] = ids.data()[i] * m;
    std::vector<double> sum_y(k * m);
    for (int64_t r = 0; r < R; ++r) {
        std::fill(sum_y.begin(), sum_y.end(), 0.0);
        add_labels(first.data(), labels.data() + r * n, weights, n, m, sum_y.data());
        out.data()[r] = error_of(mean.data(), sum_y.data(), weight.data(), k, m, distance, norm);
    }
}

template <class Label> void bind_label_errors(nb::module_ &m) {
    m.def("binning_label_errors", &label_errors<Label>, "mean"_a, "weight"_a, "ids"_a.noconvert(),
          "w"_a.none(), "labels"_a.noconvert(), "distance"_a, "norm"_a, "out"_a.noconvert());
}

} // namespace

void bind_binning(nb::module_ &m) {
    m.def("binning_uniform", &uniform, "p"_a, "n_bins"_a, "ids"_a.noconvert());
    m.def("binning_median_variance", &median_variance, "p"_a, "min_size"_a, "max_bins"_a,
          "ids"_a.noconvert());
    m.def("binning_sums", &sums, "p"_a, "y"_a.noconvert(), "w"_a.none(), "ids"_a.noconvert(),
          "sum_p"_a.noconvert(), "sum_y"_a.noconvert(), "weight"_a.noconvert());
    m.def("binning_errors", &errors, "p"_a, "y"_a.noconvert(), "ids"_a.noconvert(), "distance"_a,
          "norm"_a, "out"_a.noconvert());
    bind_label_errors<uint8_t>(m);
    bind_label_errors<uint16_t>(m);
    bind_label_errors<uint32_t>(m);
    bind_label_errors<int64_t>(m);
}
