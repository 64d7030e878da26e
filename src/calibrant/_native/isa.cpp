// Chooses the tile kernels for this processor and binds them to Python.
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "tiles.hpp"

namespace nb = nanobind;

namespace calibrant {

namespace baseline { extern const TileApi api; }
#ifdef CALIBRANT_X86
namespace avx2 { extern const TileApi api; }
namespace avx512 { extern const TileApi api; }
#endif

// CALIBRANT_SIMD = baseline | avx2 | avx512 lowers the choice; it never raises it.
static const TileApi &choose() {
    const char *limit = std::getenv("CALIBRANT_SIMD");
#ifdef CALIBRANT_X86
    const bool want512 = !limit || !std::strcmp(limit, "avx512");
    const bool want2 = want512 || !std::strcmp(limit, "avx2");
    if (want512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return avx512::api;
    if (want2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::api;
#else
    (void)limit;
#endif
    return baseline::api;
}

const TileApi &tiles() {
    static const TileApi &chosen = choose();
    return chosen;
}

} // namespace calibrant

using namespace calibrant;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Batch = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutVector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

static void demand(bool condition, const char *message) {
    if (!condition) throw std::invalid_argument(message);
}
static Kernel kernel(int metric, int profile, double rate) {
    return {static_cast<Metric>(metric), static_cast<Profile>(profile), rate};
}
static Rows rows(const Matrix &x, const Matrix &v) {
    demand(x.shape(0) == v.shape(0), "x and v must have the same number of rows");
    return {x.data(), v.data(), static_cast<int64_t>(x.shape(0))};
}
static Rows points(const Matrix &x) {
    return {x.data(), nullptr, static_cast<int64_t>(x.shape(0))};
}
static Dims dims(const Matrix &x, int64_t d) { return {static_cast<int64_t>(x.shape(1)), d}; }

template <class Label>
using LabelMatrix = nb::ndarray<const Label, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Index = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutCube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class Label> static Labels<Label> labels(const LabelMatrix<Label> &a, size_t n_rows) {
    demand(a.shape(0) == n_rows, "labels must have one row for every sample");
    demand(a.shape(1) % 64 == 0, "the number of replicates must be a multiple of 64");
    return {a.data(), static_cast<int64_t>(a.shape(1))};
}

template <class Label> static void bind_relabel(nb::module_ &m, const Relabel<Label> &api) {
    using namespace nb::literals;
    m.def(
        "same_label_sums",
        [&api](Matrix xi, Matrix vi, Matrix xj, Matrix vj, int metric, int profile, Vector rates,
               LabelMatrix<Label> labels_i, LabelMatrix<Label> labels_j, bool triangle,
               OutMatrix out) {
            demand(xi.shape(1) == xj.shape(1) && vi.shape(1) == 1 && vj.shape(1) == 1, "columns");
            demand(out.shape(0) == rates.shape(0) && out.shape(1) == labels_i.shape(1) &&
                       out.shape(1) == labels_j.shape(1),
                   "bad output");
            const Rows i = rows(xi, vi), j = rows(xj, vj);
            const Labels<Label> li = labels<Label>(labels_i, xi.shape(0));
            const Labels<Label> lj = labels<Label>(labels_j, xj.shape(0));
            nb::gil_scoped_release release;
            api.same_label_sums(i, j, dims(xi, 1), kernel(metric, profile, 0.0), rates.data(),
                                rates.shape(0), li, lj, triangle, out.data());
        },
        "xi"_a, "vi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rates"_a, "labels_i"_a,
        "labels_j"_a, "triangle"_a, "out"_a);
    m.def(
        "agreeing_sums",
        [&api](Matrix values, LabelMatrix<Label> labels_i, LabelMatrix<Label> labels_j,
               bool triangle, OutVector out) {
            demand(out.shape(0) == labels_i.shape(1) && out.shape(0) == labels_j.shape(1),
                   "bad output");
            const Labels<Label> li = labels<Label>(labels_i, values.shape(0));
            const Labels<Label> lj = labels<Label>(labels_j, values.shape(1));
            nb::gil_scoped_release release;
            api.agreeing_sums(values.data(), values.shape(0), values.shape(1), li, lj, triangle,
                              out.data());
        },
        "values"_a, "labels_i"_a, "labels_j"_a, "triangle"_a, "out"_a);
    m.def(
        "line_label_sums",
        [&api](Vector x, Vector hit, Vector miss, Index order, int64_t c, double rate,
               LabelMatrix<Label> y, OutVector out) {
            const size_t n = x.shape(0);
            demand(hit.shape(0) == n && miss.shape(0) == n && order.shape(0) == n, "lengths");
            demand(out.shape(0) == y.shape(1), "bad output");
            const Labels<Label> all = labels<Label>(y, n);
            nb::gil_scoped_release release;
            api.line_sums(x.data(), hit.data(), miss.data(), order.data(), n, c, rate, all,
                          out.data());
        },
        "x"_a, "hit"_a, "miss"_a, "order"_a, "c"_a, "rate"_a, "labels"_a, "out"_a);
    m.def(
        "score_sums",
        [&api](Matrix scores, LabelMatrix<Label> y, OutVector out) {
            demand(out.shape(0) == y.shape(1), "bad output");
            const Labels<Label> all = labels<Label>(y, scores.shape(0));
            nb::gil_scoped_release release;
            api.score_sums(scores.data(), scores.shape(0), scores.shape(1), all, out.data());
        },
        "scores"_a, "labels"_a, "out"_a);
    m.def(
        "feature_sums",
        [&api](Matrix features, LabelMatrix<Label> y, OutCube out) {
            demand(out.shape(0) <= y.shape(1) && out.shape(2) == features.shape(1), "bad output");
            const Labels<Label> all = labels<Label>(y, features.shape(0));
            nb::gil_scoped_release release;
            api.feature_sums(features.data(), features.shape(0), features.shape(1), out.shape(1),
                             all, out.shape(0), out.data());
        },
        "features"_a, "labels"_a, "out"_a);
    m.def(
        "cell_sums",
        [&api](nb::ndarray<const uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> cells,
               Vector weights, LabelMatrix<Label> y, OutCube out) {
            demand(out.shape(0) <= y.shape(1) && out.shape(1) == cells.shape(1), "bad output");
            demand(weights.shape(0) == cells.shape(0), "bad weights");
            const Labels<Label> all = labels<Label>(y, cells.shape(0));
            nb::gil_scoped_release release;
            api.cell_sums(cells.data(), weights.data(), cells.shape(0), cells.shape(1),
                          out.shape(2), all, out.shape(0), out.data());
        },
        "cells"_a, "weights"_a, "labels"_a, "out"_a);
}

void bind_tiles(nb::module_ &m) {
    using namespace nb::literals;
    bind_relabel<uint8_t>(m, tiles().relabel8);
    bind_relabel<uint16_t>(m, tiles().relabel16);
    m.def("isa", [] { return tiles().name; });
    m.def(
        "pair_sum",
        [](Matrix xi, Matrix vi, Matrix xj, Matrix vj, int metric, int profile, double rate,
           bool triangle, int threads) {
            demand(xi.shape(1) == xj.shape(1) && vi.shape(1) == vj.shape(1), "columns differ");
            const Rows i = rows(xi, vi), j = rows(xj, vj);
            nb::gil_scoped_release release;
            return tiles().pair_sum(i, j, dims(xi, vi.shape(1)), kernel(metric, profile, rate),
                                    triangle, threads);
        },
        "xi"_a, "vi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a, "triangle"_a,
        "threads"_a = 1);
    m.def(
        "row_sums",
        [](Matrix xi, Matrix vi, Matrix xj, Matrix vj, int metric, int profile, double rate,
           bool triangle, OutVector out_i, OutVector out_j) {
            demand(xi.shape(1) == xj.shape(1) && vi.shape(1) == vj.shape(1), "columns differ");
            demand(out_i.shape(0) == xi.shape(0) && out_j.shape(0) == xj.shape(0), "bad output");
            const Rows i = rows(xi, vi), j = rows(xj, vj);
            nb::gil_scoped_release release;
            tiles().row_sums(i, j, dims(xi, vi.shape(1)), kernel(metric, profile, rate), triangle,
                             out_i.data(), out_j.data());
        },
        "xi"_a, "vi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a, "triangle"_a,
        "out_i"_a, "out_j"_a);
    m.def(
        "gram",
        [](Matrix xi, Matrix xj, int metric, int profile, double rate, OutMatrix out) {
            demand(xi.shape(1) == xj.shape(1), "columns differ");
            demand(out.shape(0) == xi.shape(0) && out.shape(1) == xj.shape(0), "bad output");
            nb::gil_scoped_release release;
            tiles().gram(points(xi), points(xj), dims(xi, 0), kernel(metric, profile, rate),
                         out.data());
        },
        "xi"_a, "xj"_a, "metric"_a, "profile"_a, "rate"_a, "out"_a);
    m.def(
        "apply",
        [](Matrix xi, Matrix xj, Matrix vj, int metric, int profile, double rate, OutMatrix out) {
            demand(xi.shape(1) == xj.shape(1), "columns differ");
            demand(out.shape(0) == xi.shape(0) && out.shape(1) == vj.shape(1), "bad output");
            const Rows j = rows(xj, vj);
            nb::gil_scoped_release release;
            tiles().apply(points(xi), j, dims(xi, vj.shape(1)), kernel(metric, profile, rate),
                          out.data());
        },
        "xi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a, "out"_a);
    m.def(
        "many_pair_sums",
        [](Batch x, Batch v, int metric, int profile, Vector rates, OutVector out) {
            demand(x.shape(0) == v.shape(0) && x.shape(1) == v.shape(1), "x and v must match");
            demand(rates.shape(0) == x.shape(0) && out.shape(0) == x.shape(0), "bad output");
            nb::gil_scoped_release release;
            tiles().many_pair_sums(x.data(), v.data(), x.shape(0), x.shape(1),
                                   {static_cast<int64_t>(x.shape(2)),
                                    static_cast<int64_t>(v.shape(2))},
                                   kernel(metric, profile, 0.0), rates.data(), out.data());
        },
        "x"_a, "v"_a, "metric"_a, "profile"_a, "rates"_a, "out"_a);
    m.def(
        "block_residual_sums",
        [](Matrix x, Matrix p, nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig> codes,
           Vector weights, int metric, int profile, double rate, int64_t size, OutVector out) {
            const size_t n = x.shape(0);
            demand(p.shape(0) == n && codes.shape(0) == n && weights.shape(0) == n, "lengths");
            demand(size > 0 && out.shape(0) * size <= n, "bad output");
            nb::gil_scoped_release release;
            tiles().block_residual_sums(x.data(), p.data(), codes.data(), weights.data(),
                                        out.shape(0), size, dims(x, p.shape(1)),
                                        kernel(metric, profile, rate), out.data());
        },
        "x"_a, "p"_a, "codes"_a, "weights"_a, "metric"_a, "profile"_a, "rate"_a, "size"_a,
        "out"_a);
    m.def(
        "row_sums_and_range",
        [](Matrix a, OutVector sums) {
            demand(sums.shape(0) == a.shape(0), "bad output");
            double low, high;
            {
                nb::gil_scoped_release release;
                tiles().row_sums_and_range(a.data(), a.shape(0), a.shape(1), sums.data(), &low,
                                           &high);
            }
            return nb::make_tuple(low, high);
        },
        "a"_a, "sums"_a);
    m.def(
        "exp",
        [](Vector x, OutVector out) {
            demand(x.shape(0) == out.shape(0), "bad output");
            nb::gil_scoped_release release;
            tiles().exp(x.data(), x.shape(0), out.data());
        },
        "x"_a, "out"_a);
    m.def(
        "fourier_features",
        [](Matrix projections, Vector rates, double scale,
           nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu> out) {
            const size_t n = projections.shape(0), d = projections.shape(1);
            demand(out.shape(0) == n && out.shape(1) == rates.shape(0) && out.shape(2) == 2 &&
                       out.shape(3) == d,
                   "bad output");
            nb::gil_scoped_release release;
            tiles().fourier_features(projections.data(), n, d, rates.data(), rates.shape(0), scale,
                                     out.data());
        },
        "projections"_a, "rates"_a, "scale"_a, "out"_a);
}
