// Binds the statistics of many label sets of the same rows.
#include <limits>

#include "arrays.hpp"
#include "tile_arguments.hpp"

using namespace calibrant;
using namespace nb::literals;

namespace {

template <class Label> const Relabel<Label> &relabel();
template <> const Relabel<uint8_t> &relabel() { return tiles().relabel8; }
template <> const Relabel<uint16_t> &relabel() { return tiles().relabel16; }

template <class Label> Labels<Label> labels(const In<Label, 2> &a, size_t n_rows) {
    demand(a.shape(0) == n_rows, "labels must have one row for every sample");
    demand(a.shape(1) % 64 == 0, "the number of replicates must be a multiple of 64");
    return {a.data(), static_cast<int64_t>(a.shape(1))};
}

template <class Label>
LabelRows<Label> rows(const In<double, 2> &x, const In<double, 1> &w, const In<double, 2> &p,
                      const In<Label, 2> &y) {
    demand(alike(w, x) && alike(p, x), "x, w and p must have the same rows");
    return {x.data(), w.data(), p.data(), static_cast<int64_t>(x.shape(0)), labels(y, x.shape(0))};
}

template <class Label>
void label_pair_sums(In<double, 2> xi, In<double, 1> wi, In<double, 2> pi, In<double, 2> xj,
                     In<double, 1> wj, In<double, 2> pj, int metric, int profile,
                     In<double, 1> rates, In<Label, 2> labels_i, In<Label, 2> labels_j,
                     bool triangle, size_t count, Out<double, 2> agree, Out<double, 2> cross,
                     Out<double, 1> constant) {
    demand(xi.shape(1) == xj.shape(1), "xi and xj must have the same columns");
    demand(pi.shape(1) == pj.shape(1) && pi.shape(1) > 0, "pi and pj must have the same columns");
    demand(!triangle || alike(xi, xj), "a triangle must be square");
    demand(alike(agree, rates) && alike(cross, rates) && alike(constant, rates),
           "agree, cross and constant must have one row for every rate");
    demand(labels_i.shape(1) == labels_j.shape(1) && count <= labels_i.shape(1),
           "labels_i and labels_j must have the same replicates, count of them or more");
    demand(agree.shape(1) == labels_i.shape(1) && cross.shape(1) == labels_i.shape(1),
           "agree and cross must have one column for every replicate");
    const LabelRows<Label> i = rows(xi, wi, pi, labels_i), j = rows(xj, wj, pj, labels_j);
    const Kernel kernel = kernel_of(metric, profile, 0.0);
    nb::gil_scoped_release unlocked;
    relabel<Label>().label_pair_sums(i, j, columns(xi), columns(pi), kernel, rates.data(),
                                     rates.shape(0), count, triangle, agree.data(), cross.data(),
                                     constant.data());
}

template <class Label>
void agreeing_sums(In<double, 2> values, In<Label, 2> labels_i, In<Label, 2> labels_j,
                   bool triangle, size_t count, Out<double, 1> out) {
    demand(out.shape(0) == labels_i.shape(1) && out.shape(0) == labels_j.shape(1),
           "out must have one entry for every replicate");
    demand(count <= out.shape(0), "count must not exceed the replicates");
    demand(!triangle || values.shape(0) == values.shape(1), "a triangle must be square");
    const Labels<Label> li = labels(labels_i, values.shape(0));
    const Labels<Label> lj = labels(labels_j, values.shape(1));
    nb::gil_scoped_release unlocked;
    relabel<Label>().agreeing_sums(values.data(), values.shape(0), values.shape(1), li, lj, count,
                                   triangle, out.data());
}

template <class Label>
void line_label_sums(In<double, 1> x, In<double, 1> hit, In<double, 1> miss, In<int64_t, 1> order,
                     int64_t c, double rate, In<Label, 2> y, Out<double, 1> out) {
    const size_t n = x.shape(0);
    demand(alike(hit, x) && alike(miss, x) && alike(order, x),
           "x, hit, miss and order must have the same length");
    demand(all_below(order, n), "order must be in [0, n_samples)");
    demand(c >= 0 && c <= std::numeric_limits<Label>::max(), "c must be a label");
    demand(out.shape(0) == y.shape(1), "out must have one entry for every replicate");
    const Labels<Label> all = labels(y, n);
    nb::gil_scoped_release unlocked;
    relabel<Label>().line_sums(x.data(), hit.data(), miss.data(), order.data(), n, c, rate, all,
                               out.data());
}

template <class Label>
void score_sums(In<double, 2> scores, In<Label, 2> y, Out<double, 1> out) {
    demand(out.shape(0) == y.shape(1), "out must have one entry for every replicate");
    const Labels<Label> all = labels(y, scores.shape(0));
    nb::gil_scoped_release unlocked;
    relabel<Label>().score_sums(scores.data(), scores.shape(0), scores.shape(1), all, out.data());
}

template <class Label>
void feature_sums(In<double, 3> features, In<Label, 2> y, Out<double, 4> out) {
    demand(out.shape(0) <= y.shape(1), "out must have no more rows than replicates");
    demand(out.shape(1) == features.shape(0), "out must have the slices of features");
    demand(out.shape(3) == features.shape(2), "out must have one column for every feature");
    const Labels<Label> all = labels(y, features.shape(1));
    nb::gil_scoped_release unlocked;
    relabel<Label>().feature_sums(features.data(), features.shape(0), features.shape(1),
                                  features.shape(2), out.shape(2), all, out.shape(0), out.data());
}

template <class Label>
void few_class_sums(In<double, 3> features, In<Label, 2> y, Out<double, 3> out) {
    demand(out.shape(0) <= y.shape(1), "out must have no more rows than replicates");
    demand(out.shape(1) == features.shape(0), "out must have the classes of features");
    demand(out.shape(2) == features.shape(2), "out must have one column for every feature");
    const Labels<Label> all = labels(y, features.shape(1));
    nb::gil_scoped_release unlocked;
    relabel<Label>().few_class_sums(features.data(), features.shape(0), features.shape(1),
                                    features.shape(2), all, out.shape(0), out.data());
}

template <class Label>
void cell_sums(In<uint16_t, 2> cells, In<double, 1> weights, In<Label, 2> y, Out<double, 3> out) {
    demand(alike(weights, cells), "weights must have one entry for every sample");
    demand(out.shape(0) <= y.shape(1), "out must have no more rows than replicates");
    demand(cells.shape(1) == 1 || out.shape(1) == cells.shape(1),
           "cells must have one column, or one for every class of out");
    const Labels<Label> all = labels(y, cells.shape(0));
    nb::gil_scoped_release unlocked;
    relabel<Label>().cell_sums(cells.data(), cells.shape(1), weights.data(), cells.shape(0),
                               out.shape(1), out.shape(2), all, out.shape(0), out.data());
}

void own_cell_sums(In<uint16_t, 2> cells, In<double, 2> values, In<double, 1> weights,
                   Out<double, 2> out) {
    demand(alike(values, cells, 2), "values must have the shape of cells");
    demand(alike(weights, cells), "weights must have one entry for every sample");
    demand(out.shape(0) == cells.shape(1), "out must have one row for every class");
    nb::gil_scoped_release unlocked;
    tiles().own_cell_sums(cells.data(), values.data(), weights.data(), cells.shape(0),
                          cells.shape(1), out.shape(1), out.data());
}

void bucket_sums(In<uint16_t, 1> buckets, In<double, 2> values, In<double, 1> weights,
                 Out<double, 2> out) {
    demand(alike(values, buckets) && alike(weights, buckets),
           "values and weights must have one row for every bucket");
    demand(out.shape(1) == values.shape(1), "out must have one column for every class");
    demand(all_below(buckets, out.shape(0)), "buckets must be in [0, n_buckets)");
    nb::gil_scoped_release unlocked;
    tiles().bucket_sums(buckets.data(), values.data(), weights.data(), values.shape(0),
                        values.shape(1), out.data());
}

void squared_deviations(In<double, 3> tables, In<double, 2> expected, Out<double, 2> out) {
    demand(tables.shape(1) == expected.shape(0) && tables.shape(2) == expected.shape(1),
           "expected must have the shape of the sums of a replicate");
    demand(alike(out, tables, 2), "out must have one entry for every replicate and slice");
    nb::gil_scoped_release unlocked;
    tiles().squared_deviations(tables.data(), expected.data(), tables.shape(0), tables.shape(1),
                               tables.shape(2), out.data());
}

void cell_pair_sums(In<double, 3> tables, In<double, 2> expected, In<double, 1> decays,
                    Out<double, 2> out) {
    demand(tables.shape(1) == expected.shape(0) && tables.shape(2) == expected.shape(1),
           "expected must have the shape of the sums of a replicate");
    demand(alike(out, tables) && out.shape(1) == decays.shape(0),
           "out must have one entry for every replicate and decay");
    nb::gil_scoped_release unlocked;
    tiles().cell_pair_sums(tables.data(), expected.data(), tables.shape(0), tables.shape(1),
                           tables.shape(2), decays.data(), decays.shape(0), out.data());
}

template <class Label>
void class_score_sums(In<double, 2> scores, In<Label, 2> y, Out<double, 2> out) {
    demand(out.shape(0) <= y.shape(1), "out must have no more rows than replicates");
    demand(out.shape(1) == scores.shape(1), "out must have one column for every class");
    const Labels<Label> all = labels(y, scores.shape(0));
    nb::gil_scoped_release unlocked;
    relabel<Label>().class_score_sums(scores.data(), scores.shape(0), scores.shape(1), all,
                                      out.shape(0), out.data());
}

template <class Label> void bind(nb::module_ &m) {
    m.def("label_pair_sums", &label_pair_sums<Label>, "xi"_a, "wi"_a, "pi"_a, "xj"_a, "wj"_a,
          "pj"_a, "metric"_a, "profile"_a, "rates"_a, "labels_i"_a.noconvert(),
          "labels_j"_a.noconvert(), "triangle"_a, "count"_a, "agree"_a.noconvert(),
          "cross"_a.noconvert(), "constant"_a.noconvert());
    m.def("agreeing_sums", &agreeing_sums<Label>, "values"_a, "labels_i"_a.noconvert(),
          "labels_j"_a.noconvert(), "triangle"_a, "count"_a, "out"_a.noconvert());
    m.def("line_label_sums", &line_label_sums<Label>, "x"_a, "hit"_a, "miss"_a,
          "order"_a.noconvert(), "c"_a, "rate"_a, "labels"_a.noconvert(), "out"_a.noconvert());
    m.def("score_sums", &score_sums<Label>, "scores"_a, "labels"_a.noconvert(),
          "out"_a.noconvert());
    m.def("feature_sums", &feature_sums<Label>, "features"_a, "labels"_a.noconvert(),
          "out"_a.noconvert());
    m.def("class_score_sums", &class_score_sums<Label>, "scores"_a, "labels"_a.noconvert(),
          "out"_a.noconvert());
    m.def("few_class_sums", &few_class_sums<Label>, "features"_a, "labels"_a.noconvert(),
          "out"_a.noconvert());
    m.def("cell_sums", &cell_sums<Label>, "cells"_a.noconvert(), "weights"_a,
          "labels"_a.noconvert(), "out"_a.noconvert());
}

} // namespace

void bind_relabel(nb::module_ &m) {
    bind<uint8_t>(m);
    bind<uint16_t>(m);
    m.def("own_cell_sums", &own_cell_sums, "cells"_a.noconvert(), "values"_a, "weights"_a,
          "out"_a.noconvert());
    m.def("bucket_sums", &bucket_sums, "buckets"_a.noconvert(), "values"_a, "weights"_a,
          "out"_a.noconvert());
    m.def("squared_deviations", &squared_deviations, "tables"_a, "expected"_a, "out"_a.noconvert());
    m.def("cell_pair_sums", &cell_pair_sums, "tables"_a, "expected"_a, "decays"_a,
          "out"_a.noconvert());
}
