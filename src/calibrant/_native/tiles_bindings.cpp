// Binds the tile kernels of the pair engine.
#include <utility>

#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "dispatch.hpp"
#include "tile_arguments.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

double pair_sum(In<double, 2> xi, In<double, 2> vi, In<double, 2> xj, In<double, 2> vj, int metric,
                int profile, double rate, bool triangle, int threads) {
    demand(threads >= 1, "threads must be at least 1");
    const Tile tile = tile_of(xi, vi, xj, vj, triangle);
    const Kernel kernel = kernel_of(metric, profile, rate);
    nb::gil_scoped_release unlocked;
    return tiles().pair_sum(tile.i, tile.j, tile.dims, kernel, triangle, threads);
}

void row_sums(In<double, 2> xi, In<double, 2> vi, In<double, 2> xj, In<double, 2> vj, int metric,
              int profile, double rate, bool triangle, Out<double, 1> out_i, Out<double, 1> out_j) {
    demand(alike(out_i, xi), "out_i must have one entry for every row of xi");
    demand(alike(out_j, xj), "out_j must have one entry for every row of xj");
    const Tile tile = tile_of(xi, vi, xj, vj, triangle);
    const Kernel kernel = kernel_of(metric, profile, rate);
    nb::gil_scoped_release unlocked;
    tiles().row_sums(tile.i, tile.j, tile.dims, kernel, triangle, out_i.data(), out_j.data());
}

void gram(In<double, 2> xi, In<double, 2> xj, int metric, int profile, double rate,
          Out<double, 2> out) {
    demand(xi.shape(1) == xj.shape(1), "xi and xj must have the same columns");
    demand(out.shape(0) == xi.shape(0) && out.shape(1) == xj.shape(0),
           "out must have one row for every row of xi and one column for every row of xj");
    const Kernel kernel = kernel_of(metric, profile, rate);
    nb::gil_scoped_release unlocked;
    tiles().gram(points(xi), points(xj), {columns(xi), 0}, kernel, out.data());
}

void apply(In<double, 2> xi, In<double, 2> xj, In<double, 2> vj, int metric, int profile,
           double rate, Out<double, 2> out) {
    demand(xi.shape(1) == xj.shape(1), "xi and xj must have the same columns");
    demand(alike(xj, vj), "xj and vj must have the same rows");
    demand(out.shape(0) == xi.shape(0) && out.shape(1) == vj.shape(1),
           "out must have one row for every row of xi and the columns of vj");
    const Rows j{xj.data(), vj.data(), static_cast<int64_t>(xj.shape(0))};
    const Kernel kernel = kernel_of(metric, profile, rate);
    nb::gil_scoped_release unlocked;
    tiles().apply(points(xi), j, {columns(xi), columns(vj)}, kernel, out.data());
}

void many_pair_sums(In<double, 3> x, In<double, 3> v, int metric, int profile, In<double, 1> rates,
                    Out<double, 1> out) {
    demand(alike(x, v, 2), "x and v must have the same data sets and rows");
    demand(v.shape(2) > 0, "v must have a column");
    demand(alike(rates, x) && alike(out, x),
           "rates and out must have one entry for every data set");
    const Dims dims{static_cast<int64_t>(x.shape(2)), static_cast<int64_t>(v.shape(2))};
    const Kernel kernel = kernel_of(metric, profile, 0.0);
    nb::gil_scoped_release unlocked;
    tiles().many_pair_sums(x.data(), v.data(), x.shape(0), x.shape(1), dims, kernel, rates.data(),
                           out.data());
}

void block_residual_sums(In<double, 2> x, In<double, 2> p, In<int64_t, 1> codes,
                         In<double, 1> weights, int metric, int profile, double rate, int64_t size,
                         Out<double, 1> out) {
    demand(alike(p, x) && alike(codes, x) && alike(weights, x),
           "x, p, codes and weights must have the same length");
    demand(size >= 1 && out.shape(0) <= x.shape(0) / static_cast<size_t>(size),
           "out must have no more entries than there are blocks of `size` rows");
    const Kernel kernel = kernel_of(metric, profile, rate);
    nb::gil_scoped_release unlocked;
    tiles().block_residual_sums(x.data(), p.data(), codes.data(), weights.data(), out.shape(0),
                                size, {columns(x), columns(p)}, kernel, out.data());
}

nb::tuple row_sums_and_range(In<double, 2> a, Out<double, 1> sums) {
    demand(alike(sums, a), "sums must have one entry for every row");
    double low, high;
    {
        nb::gil_scoped_release unlocked;
        tiles().row_sums_and_range(a.data(), a.shape(0), a.shape(1), sums.data(), &low, &high);
    }
    return nb::make_tuple(low, high);
}

void exp_of(In<double, 1> x, Out<double, 1> out) {
    demand(alike(out, x), "out must have the length of x");
    nb::gil_scoped_release unlocked;
    tiles().exp(x.data(), x.shape(0), out.data());
}

void log_of(In<double, 1> x, Out<double, 1> out) {
    demand(alike(out, x), "out must have the length of x");
    nb::gil_scoped_release unlocked;
    tiles().log(x.data(), x.shape(0), out.data());
}

void tempered_rows(In<double, 2> p, In<int64_t, 1> rows, double beta, double floor, bool relative,
                   Out<double, 2> out) {
    demand(p.shape(1) > 0, "p must have a column");
    demand(all_below(rows, p.shape(0)), "rows must be in [0, n_samples)");
    demand(alike(out, rows) && out.shape(1) == 9, "out must have nine columns and a row for each");
    demand(floor > 0.0 && beta > 0.0, "floor and beta must be positive");
    nb::gil_scoped_release unlocked;
    tiles().tempered_rows(p.data(), rows.data(), rows.shape(0), columns(p), beta, floor, relative,
                          out.data());
}

void center_rows(In<double, 2> p, In<double, 2> values, double noise, Out<double, 2> centered,
                 Out<double, 1> variance) {
    demand(alike(values, p, 2) && alike(centered, p, 2), "all tables must have the shape of p");
    demand(alike(variance, p), "variance must have one entry for every row");
    nb::gil_scoped_release unlocked;
    tiles().center_rows(p.data(), values.data(), p.shape(0), columns(p), noise, centered.data(),
                        variance.data());
}

void sums_of_others(In<double, 2> p, In<int64_t, 1> chosen, Out<double, 1> out) {
    demand(alike(chosen, p) && alike(out, p), "chosen and out must have one entry for every row");
    nb::gil_scoped_release unlocked;
    tiles().sums_of_others(p.data(), chosen.data(), p.shape(0), columns(p), out.data());
}

void shifted_rows(In<double, 2> p, In<double, 1> weights, double floor, double slope,
                  In<double, 1> intercepts, Out<double, 2> out, Out<double, 1> totals,
                  Out<double, 1> crosses, Out<double, 2> roots) {
    const size_t m = p.shape(1);
    demand(m > 0, "p must have a column");
    demand(alike(weights, p), "weights must have one entry for every row");
    demand(intercepts.shape(0) == m && totals.shape(0) == m && crosses.shape(0) == m,
           "intercepts, totals and crosses must have one entry for every column");
    demand(alike(out, p) && out.shape(1) == 5, "out must have five columns and the rows of p");
    demand(roots.shape(0) == 0 || alike(roots, p, 2), "roots must have the shape of p, or no rows");
    demand(floor > 0.0, "floor must be positive");
    nb::gil_scoped_release unlocked;
    tiles().shifted_rows(p.data(), weights.data(), p.shape(0), columns(p), floor, slope,
                         intercepts.data(), out.data(), totals.data(), crosses.data(),
                         roots.shape(0) ? roots.data() : nullptr);
}

void odds_sums(In<double, 2> p, In<int64_t, 1> labels, In<double, 1> weights, double floor,
               In<double, 1> factors, Out<double, 2> out) {
    demand(p.shape(1) > 0, "p must have a column");
    demand(alike(labels, p) && alike(weights, p), "labels and weights must have the rows of p");
    demand(all_below(labels, p.shape(1)), "labels must be in [0, n_classes)");
    demand(factors.shape(0) == p.shape(1), "factors must have one entry for every column");
    demand(out.shape(0) == 5 && out.shape(1) == p.shape(1), "out must have shape (5, n_classes)");
    nb::gil_scoped_release unlocked;
    tiles().odds_sums(p.data(), labels.data(), weights.data(), p.shape(0), columns(p), floor,
                      factors.data(), out.data());
}

void fourier_features(In<double, 2> projections, In<double, 1> rates, double scale,
                      Out<double, 4> out) {
    const size_t n = projections.shape(0), d = projections.shape(1);
    demand(out.shape(0) == n && out.shape(1) == rates.shape(0) && out.shape(2) == 2 &&
               out.shape(3) == d,
           "out must have the shape (n_rows, n_rates, 2, n_projections)");
    nb::gil_scoped_release unlocked;
    tiles().fourier_features(projections.data(), n, d, rates.data(), rates.shape(0), scale,
                             out.data());
}

void demand_distances(const In<double, 2> &xi, const In<double, 2> &xj, int metric, bool triangle,
                      int shift) {
    demand(xi.shape(1) == xj.shape(1), "xi and xj must have the same columns");
    demand(!triangle || alike(xi, xj), "a triangle must be square");
    demand(metric >= 0 && metric <= 1, "metric must be 0 (cityblock) or 1 (euclidean)");
    demand(shift >= 0 && shift <= 63, "shift must be in [0, 63]");
}

void count_distances(In<double, 2> xi, In<double, 2> xj, int metric, double factor, bool triangle,
                     uint64_t prefix, int shift, int finer, Out<int64_t, 1> counts) {
    demand_distances(xi, xj, metric, triangle, shift);
    demand(finer >= 0 && finer <= shift && shift - finer <= 16, "finer must be in [0, shift]");
    demand(counts.shape(0) == size_t{1} << (shift - finer),
           "counts must have one entry for every digit");
    demand(xi.shape(0) < 32768 && xj.shape(0) < 32768, "a tile must have fewer than 32768 rows");
    nb::gil_scoped_release unlocked;
    tiles().count_distances(points(xi), points(xj), columns(xi), static_cast<Metric>(metric),
                            factor, triangle, prefix, shift, finer, counts.data());
}

std::pair<int64_t, double> collect_distances(In<double, 2> xi, In<double, 2> xj, int metric,
                                             double factor, bool triangle, uint64_t prefix,
                                             int shift, double beyond, Out<double, 1> out) {
    demand_distances(xi, xj, metric, triangle, shift);
    nb::gil_scoped_release unlocked;
    const int64_t count = tiles().collect_distances(
        points(xi), points(xj), columns(xi), static_cast<Metric>(metric), factor, triangle, prefix,
        shift, static_cast<int64_t>(out.shape(0)), out.data(), &beyond);
    return {count, beyond};
}

} // namespace

void bind_tiles(nb::module_ &m) {
    m.def("simd", &simd_name);
    m.def("pair_sum", &pair_sum, "xi"_a, "vi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a,
          "triangle"_a, "threads"_a = 1);
    m.def("row_sums", &row_sums, "xi"_a, "vi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a,
          "triangle"_a, "out_i"_a.noconvert(), "out_j"_a.noconvert());
    m.def("gram", &gram, "xi"_a, "xj"_a, "metric"_a, "profile"_a, "rate"_a, "out"_a.noconvert());
    m.def("apply", &apply, "xi"_a, "xj"_a, "vj"_a, "metric"_a, "profile"_a, "rate"_a,
          "out"_a.noconvert());
    m.def("many_pair_sums", &many_pair_sums, "x"_a, "v"_a, "metric"_a, "profile"_a, "rates"_a,
          "out"_a.noconvert());
    m.def("block_residual_sums", &block_residual_sums, "x"_a, "p"_a, "codes"_a.noconvert(),
          "weights"_a, "metric"_a, "profile"_a, "rate"_a, "size"_a, "out"_a.noconvert());
    m.def("row_sums_and_range", &row_sums_and_range, "a"_a, "sums"_a.noconvert());
    m.def("exp", &exp_of, "x"_a, "out"_a.noconvert());
    m.def("log", &log_of, "x"_a, "out"_a.noconvert());
    m.def("center_rows", &center_rows, "p"_a, "values"_a, "noise"_a, "centered"_a.noconvert(),
          "variance"_a.noconvert());
    m.def("sums_of_others", &sums_of_others, "p"_a, "chosen"_a.noconvert(), "out"_a.noconvert());
    m.def("tempered_rows", &tempered_rows, "p"_a, "rows"_a.noconvert(), "beta"_a, "floor"_a,
          "relative"_a, "out"_a.noconvert());
    m.def("shifted_rows", &shifted_rows, "p"_a, "weights"_a, "floor"_a, "slope"_a, "intercepts"_a,
          "out"_a.noconvert(), "totals"_a.noconvert(), "crosses"_a.noconvert(),
          "roots"_a.noconvert());
    m.def("odds_sums", &odds_sums, "p"_a, "labels"_a.noconvert(), "weights"_a, "floor"_a,
          "factors"_a, "out"_a.noconvert());
    m.def("fourier_features", &fourier_features, "projections"_a, "rates"_a, "scale"_a,
          "out"_a.noconvert());
    m.def("count_distances", &count_distances, "xi"_a, "xj"_a, "metric"_a, "factor"_a, "triangle"_a,
          "prefix"_a, "shift"_a, "finer"_a, "counts"_a.noconvert());
    m.def("collect_distances", &collect_distances, "xi"_a, "xj"_a, "metric"_a, "factor"_a,
          "triangle"_a, "prefix"_a, "shift"_a, "beyond"_a, "out"_a.noconvert());
}
