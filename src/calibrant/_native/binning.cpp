// Binning of predictions, and the binned errors of many small data sets.
//
// Bin numbers are the same as those of the NumPy twins in calibrant/binning: they depend on
// exact comparisons only, except for the choice of the component a median-variance bin is split
// on, where both twins treat variances that agree to 1e-9 as tied.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <nanobind/stl/optional.h>

namespace nb = nanobind;

namespace {

using Index = std::int64_t;
using Cell = std::int32_t;

template <class T, std::size_t D>
using In = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t D>
using Out = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

// ---------------------------------------------------------------- uniform cells

// max(1, ceil(n_bins·p)), with the product as floating point gives it; a sum of probabilities
// that exceeds 1 by rounding belongs to the last cell.
inline Cell cell_of(double p, double n_bins) {
    const double t = n_bins * p;
    const Cell below = static_cast<Cell>(t);
    const Cell up = below + (static_cast<double>(below) < t ? 1 : 0);
    const Cell last = static_cast<Cell>(n_bins);
    return up < 1 ? 1 : up > last ? last : up;
}

inline std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x;
}

class UniformBinner {
  public:
    UniformBinner(Index n, Index m, Index n_bins) : n_(n), m_(m), n_bins_(n_bins) {}

    void assign(const double *p, Index *ids) {
        if (m_ == 2)
            assign_line(p, ids);
        else
            assign_joint(p, ids);
    }

  private:
    // Two classes: the cells of the last one, numbered in ascending order.
    void assign_line(const double *p, Index *ids) {
        const double scale = static_cast<double>(n_bins_);
        cells_.resize(n_);
        for (Index i = 0; i < n_; ++i) cells_[i] = cell_of(p[2 * i + 1], scale);
        const Index top = *std::max_element(cells_.begin(), cells_.end());
        if (top <= 4 * n_ + 1024)
            rank_by_counting(top, ids);
        else
            rank_by_sorting(ids);
    }

    void rank_by_counting(Index top, Index *ids) {
        slots_.assign(top + 1, 0);
        for (Index i = 0; i < n_; ++i) slots_[cells_[i]] = 1;
        Index k = 0;
        for (Index &slot : slots_) slot = slot ? k++ : k;
        for (Index i = 0; i < n_; ++i) ids[i] = slots_[cells_[i]];
    }

    void rank_by_sorting(Index *ids) {
        used_.assign(cells_.begin(), cells_.end());
        std::sort(used_.begin(), used_.end());
        used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
        for (Index i = 0; i < n_; ++i)
            ids[i] = std::lower_bound(used_.begin(), used_.end(), cells_[i]) - used_.begin();
    }

    // More classes: a hash finds the candidates, the cells themselves decide.
    void assign_joint(const double *p, Index *ids) {
        const double scale = static_cast<double>(n_bins_);
        cells_.resize(n_ * m_);
        Index size = 16;
        while (size < 2 * n_) size *= 2;
        slots_.assign(size, -1);
        hashes_.resize(n_);
        Index k = 0;
        for (Index i = 0; i < n_; ++i) {
            const double *row = p + i * m_;
            Cell *cells = cells_.data() + i * m_;
            for (Index c = 0; c < m_; ++c) cells[c] = cell_of(row[c], scale);
            const std::uint64_t h = hash(cells);
            hashes_[i] = h;
            Index slot = static_cast<Index>(h & static_cast<std::uint64_t>(size - 1));
            while (slots_[slot] >= 0 && !same(slots_[slot], i)) slot = (slot + 1) & (size - 1);
            if (slots_[slot] < 0) {
                slots_[slot] = i;
                ids[i] = k++;
            } else {
                ids[i] = ids[slots_[slot]];
            }
        }
    }

    std::uint64_t hash(const Cell *cells) const {
        std::uint64_t lanes[4] = {1, 2, 3, 4};
        Index c = 0;
        for (; c + 4 <= m_; c += 4)
            for (int l = 0; l < 4; ++l)
                lanes[l] = lanes[l] * 0xD1342543DE82EF95u + static_cast<std::uint32_t>(cells[c + l]);
        for (; c < m_; ++c)
            lanes[0] = lanes[0] * 0xD1342543DE82EF95u + static_cast<std::uint32_t>(cells[c]);
        return mixed(mixed(mixed(mixed(lanes[0]) + lanes[1]) + lanes[2]) + lanes[3]);
    }

    bool same(Index i, Index j) const {
        return hashes_[i] == hashes_[j] && std::memcmp(cells_.data() + i * m_, cells_.data() + j * m_,
                                                       m_ * sizeof(Cell)) == 0;
    }

    Index n_, m_, n_bins_;
    std::vector<Cell> cells_, used_;
    std::vector<Index> slots_;
    std::vector<std::uint64_t> hashes_;
};

// ---------------------------------------------------------------- median-variance bins

constexpr double tie = 1.0 - 1e-9;

class MedianVarianceBinner {
  public:
    MedianVarianceBinner(Index n, Index m, Index min_size, Index max_bins)
        : n_(n), m_(m), min_size_(min_size), max_bins_(max_bins), rows_(n), later_(n), values_(n),
          mean_(m), shift_(m), square_(m), name_(n) {}

    void assign(const double *p, Index *ids) {
        p_ = p;
        for (Index i = 0; i < n_; ++i) rows_[i] = i;
        open_.clear();
        Index n_closed = 0;
        add(0, n_, ids, n_closed);
        while (!open_.empty() &&
               (max_bins_ == 0 || n_closed + static_cast<Index>(open_.size()) < max_bins_)) {
            const std::size_t at = max_bins_ == 0 ? open_.size() - 1 : widest();
            const Bin bin = open_[at];
            open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
            const Index middle = split(bin);
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
        Index begin, end, component;
        double variance;
    };

    void add(Index begin, Index end, Index *ids, Index &n_closed) {
        if (end - begin < 2 * min_size_) {
            close(begin, end, ids, n_closed);
            return;
        }
        Bin bin{begin, end, 0, 0.0};
        measure(bin);
        open_.push_back(bin);
    }

    void close(Index begin, Index end, Index *ids, Index &n_closed) const {
        for (Index i = begin; i < end; ++i) ids[rows_[i]] = n_closed;
        ++n_closed;
    }

    // Two passes with the correction for the rounded mean: the variance of a bin of nearly equal
    // values must be right too, or the twins would choose different components.
    void measure(Bin &bin) {
        const double size = static_cast<double>(bin.end - bin.begin);
        double *mean = mean_.data(), *shift = shift_.data(), *square = square_.data();
        std::fill_n(mean, m_, 0.0);
        std::fill_n(shift, m_, 0.0);
        std::fill_n(square, m_, 0.0);
        for (Index i = bin.begin; i < bin.end; ++i) {
            const double *row = p_ + rows_[i] * m_;
            for (Index c = 0; c < m_; ++c) mean[c] += row[c];
        }
        for (Index c = 0; c < m_; ++c) mean[c] /= size;
        for (Index i = bin.begin; i < bin.end; ++i) {
            const double *row = p_ + rows_[i] * m_;
            for (Index c = 0; c < m_; ++c) {
                const double d = row[c] - mean[c];
                shift[c] += d;
                square[c] += d * d;
            }
        }
        for (Index c = 0; c < m_; ++c)
            square[c] = std::max(0.0, (square[c] - shift[c] * shift[c] / size) / (size - 1.0));
        bin.variance = *std::max_element(square, square + m_);
        while (square[bin.component] < bin.variance * tie) ++bin.component;
    }

    std::size_t widest() const {
        double largest = 0.0;
        for (const Bin &bin : open_) largest = std::max(largest, bin.variance);
        std::size_t at = 0;
        while (open_[at].variance < largest * tie) ++at;
        return at;
    }

    // Move the rows below the upper median to the front; -1 where a side would be too small.
    Index split(const Bin &bin) {
        const Index size = bin.end - bin.begin;
        const double *column = p_ + bin.component;
        for (Index i = 0; i < size; ++i) values_[i] = column[rows_[bin.begin + i] * m_];
        std::nth_element(values_.begin(), values_.begin() + size / 2, values_.begin() + size);
        const double median = values_[size / 2];
        Index front = bin.begin, n_later = 0;
        for (Index i = bin.begin; i < bin.end; ++i) {
            const Index row = rows_[i];
            if (column[row * m_] < median)
                rows_[front++] = row;
            else
                later_[n_later++] = row;
        }
        std::copy_n(later_.begin(), n_later, rows_.begin() + front);
        return front - bin.begin < min_size_ || n_later < min_size_ ? -1 : front;
    }

    void number_by_first_row(Index *ids, Index k) {
        std::fill_n(name_.begin(), k, Index(-1));
        Index next = 0;
        for (Index i = 0; i < n_; ++i) {
            Index &name = name_[ids[i]];
            if (name < 0) name = next++;
            ids[i] = name;
        }
    }

    Index n_, m_, min_size_, max_bins_;
    const double *p_ = nullptr;
    std::vector<Index> rows_, later_;
    std::vector<double> values_, mean_, shift_, square_;
    std::vector<Index> name_;
    std::vector<Bin> open_;
};

template <class Binner>
void assign_all(Binner binner, const In<double, 3> &p, const Out<Index, 2> &ids) {
    const Index B = p.shape(0), n = p.shape(1), m = p.shape(2);
    const double *source = p.data();
    Index *target = ids.data();
    nb::gil_scoped_release unlocked;
    for (Index b = 0; b < B; ++b) binner.assign(source + b * n * m, target + b * n);
}

void uniform(In<double, 3> p, Index n_bins, Out<Index, 2> ids) {
    assign_all(UniformBinner(p.shape(1), p.shape(2), n_bins), p, ids);
}

void median_variance(In<double, 3> p, Index min_size, Index max_bins, Out<Index, 2> ids) {
    assign_all(MedianVarianceBinner(p.shape(1), p.shape(2), min_size, max_bins), p, ids);
}

// ---------------------------------------------------------------- sums and errors

// Adds to zeroed arrays; a null weight counts as one.
void add_rows(const double *p, const Index *y, const double *w, const Index *ids, Index n, Index m,
              double *sum_p, double *sum_y, double *weight) {
    for (Index i = 0; i < n; ++i) {
        const double wi = w ? w[i] : 1.0;
        double *target = sum_p + ids[i] * m;
        const double *row = p + i * m;
        if (w)
            for (Index c = 0; c < m; ++c) target[c] += wi * row[c];
        else
            for (Index c = 0; c < m; ++c) target[c] += row[c];
        sum_y[ids[i] * m + y[i]] += wi;
        weight[ids[i]] += wi;
    }
}

void sums(In<double, 2> p, In<Index, 1> y, std::optional<In<double, 1>> w, In<Index, 1> ids,
          Out<double, 2> sum_p, Out<double, 2> sum_y, Out<double, 1> weight) {
    const double *weights = w ? w->data() : nullptr;
    nb::gil_scoped_release unlocked;
    add_rows(p.data(), y.data(), weights, ids.data(), p.shape(0), p.shape(1), sum_p.data(),
             sum_y.data(), weight.data());
}

enum Distance { tv, cityblock, sqeuclidean, euclidean, maximum };

// The distance of mean prediction and label frequencies in one bin.
double gap(const double *mean, const double *sum_y, double weight, Index m, int distance) {
    double total = 0.0;
    for (Index c = 0; c < m; ++c) {
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

double error_of(const double *mean, const double *sum_y, const double *weight, Index k, Index m,
                int distance, int norm) {
    double total = 0.0, all = 0.0;
    for (Index b = 0; b < k; ++b) {
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

void errors(In<double, 3> p, In<Index, 2> y, In<Index, 2> ids, int distance, int norm,
            Out<double, 1> out) {
    const Index B = p.shape(0), n = p.shape(1), m = p.shape(2);
    nb::gil_scoped_release unlocked;
    std::vector<double> mean, sum_y, weight;
    for (Index b = 0; b < B; ++b) {
        const Index *names = ids.data() + b * n;
        const Index k = *std::max_element(names, names + n) + 1;
        mean.assign(k * m, 0.0);
        sum_y.assign(k * m, 0.0);
        weight.assign(k, 0.0);
        add_rows(p.data() + b * n * m, y.data() + b * n, nullptr, names, n, m, mean.data(),
                 sum_y.data(), weight.data());
        for (Index j = 0; j < k; ++j)
            for (Index c = 0; c < m; ++c) mean[j * m + c] /= weight[j];
        out.data()[b] = error_of(mean.data(), sum_y.data(), weight.data(), k, m, distance, norm);
    }
}

template <class Label>
void label_errors(In<double, 2> mean, In<double, 1> weight, In<Index, 1> ids,
                  std::optional<In<double, 1>> w, In<Label, 2> labels, int distance, int norm,
                  Out<double, 1> out) {
    const Index R = labels.shape(0), n = labels.shape(1), k = mean.shape(0), m = mean.shape(1);
    const double *weights = w ? w->data() : nullptr;
    nb::gil_scoped_release unlocked;
    std::vector<double> sum_y(k * m);
    for (Index r = 0; r < R; ++r) {
        const Label *y = labels.data() + r * n;
        std::fill(sum_y.begin(), sum_y.end(), 0.0);
        for (Index i = 0; i < n; ++i)
            sum_y[ids.data()[i] * m + static_cast<Index>(y[i])] += weights ? weights[i] : 1.0;
        out.data()[r] = error_of(mean.data(), sum_y.data(), weight.data(), k, m, distance, norm);
    }
}

template <class Label> void bind_label_errors(nb::module_ &m) {
    m.def("binning_label_errors", &label_errors<Label>, nb::arg("mean"), nb::arg("weight"),
          nb::arg("ids"), nb::arg("w").none(), nb::arg("labels").noconvert(), nb::arg("distance"),
          nb::arg("norm"), nb::arg("out").noconvert());
}

} // namespace

void bind_binning(nb::module_ &m) {
    m.def("binning_uniform", &uniform, nb::arg("p"), nb::arg("n_bins"), nb::arg("ids").noconvert());
    m.def("binning_median_variance", &median_variance, nb::arg("p"), nb::arg("min_size"),
          nb::arg("max_bins"), nb::arg("ids").noconvert());
    m.def("binning_sums", &sums, nb::arg("p"), nb::arg("y"), nb::arg("w").none(), nb::arg("ids"),
          nb::arg("sum_p").noconvert(), nb::arg("sum_y").noconvert(),
          nb::arg("weight").noconvert());
    m.def("binning_errors", &errors, nb::arg("p"), nb::arg("y"), nb::arg("ids"),
          nb::arg("distance"), nb::arg("norm"), nb::arg("out").noconvert());
    bind_label_errors<std::uint8_t>(m);
    bind_label_errors<std::uint16_t>(m);
    bind_label_errors<std::uint32_t>(m);
    bind_label_errors<std::int64_t>(m);
}
