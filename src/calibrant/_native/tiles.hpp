// The tile kernels of the pair engine, with one table of functions per instruction set.
//
// A tile is a block of rows i and a block of rows j of the same data. Its pairs have
//     h_ij = k(x_i, x_j) · <v_i, v_j>,   k(x, y) = phi(rate · ||x − y||).
#pragma once
#include <cstdint>

namespace calibrant {

enum class Metric : int { cityblock = 0, euclidean = 1 };
enum class Profile : int { distance = 0, laplacian = 1, gaussian = 2 };

struct Kernel {
    Metric metric;
    Profile profile;
    double rate;
};

// n rows of points x (n × m) and vectors v (n × d), row-major.
struct Rows {
    const double *x;
    const double *v;
    int64_t n;
};

struct Dims {
    int64_t m; // columns of x
    int64_t d; // columns of v
};

// Labels of many replicates, sample-major: labels[i · replicates + b], replicates a multiple of 64.
template <class Label> struct Labels {
    const Label *at;
    int64_t replicates;
};

// n rows with points x (n × m), weights w (n), probabilities p (n × classes) and labels.
template <class Label> struct LabelRows {
    const double *x, *w, *p;
    int64_t n;
    Labels<Label> labels;
};

template <class Label> struct Relabel {
    // With V_ij = phi(rates[k] ||x_i − x_j||) w_i w_j over the pairs of the tile, for the first
    // `count` label sets: agree[k, b] += Σ V_ij over pairs whose labels agree in label set b,
    // cross[k, b] += Σ V_ij (p_j[y_i] + p_i[y_j]), constant[k] += Σ V_ij <p_i, p_j>.
    void (*label_pair_sums)(const LabelRows<Label> &i, const LabelRows<Label> &j, int64_t m,
                            int64_t classes, Kernel, const double *rates, int64_t n_rates,
                            int64_t count, bool triangle, double *agree, double *cross,
                            double *constant);
    // out[b] += Σ values[i, j] over the pairs of a tile of rows × columns whose labels agree in
    // replicate b < count, for kernels computed elsewhere.
    void (*agreeing_sums)(const double *values, int64_t rows, int64_t columns,
                          Labels<Label> labels_i, Labels<Label> labels_j, int64_t count,
                          bool triangle, double *out);
    // out[b] += Σ_{i<j} exp(−rate (x_j − x_i)) r_i r_j over points x in ascending order, where
    // r_i = hit[i] if sample order[i] has label c in replicate b, else miss[i].
    void (*line_sums)(const double *x, const double *hit, const double *miss, const int64_t *order,
                      int64_t n, int64_t c, double rate, Labels<Label> labels, double *out);
    // out[b] += Σ_i scores[i, label_i^b] over n rows of m scores.
    void (*score_sums)(const double *scores, int64_t n, int64_t m, Labels<Label> labels,
                       double *out);
    // out[b, s, label_i^b, :] += features[s, i, :] over n rows; features are (slices, n, f), out is
    // (count, slices, m, f).
    void (*feature_sums)(const double *features, int64_t slices, int64_t n, int64_t f, int64_t m,
                         Labels<Label> labels, int64_t count, double *out);
    // out[b, c, cells[i, c]] += weights[i] with c = label_i^b; out is (count, m, n_cells). Cells
    // have m columns, or one for all classes.
    void (*cell_sums)(const uint16_t *cells, int64_t columns, const double *weights, int64_t n,
                      int64_t m, int64_t n_cells, Labels<Label> labels, int64_t count, double *out);
    // out[b, c] += scores[i, c] with c = label_i^b over n rows of m scores; out is (count, m).
    void (*class_score_sums)(const double *scores, int64_t n, int64_t m, Labels<Label> labels,
                             int64_t count, double *out);
    // out[b, c, :] += features[c, i, :] over the rows i with label c + 1; features are (classes, n,
    // f), out is (count, classes, f), labels are in [0, classes].
    void (*few_class_sums)(const double *features, int64_t classes, int64_t n, int64_t f,
                           Labels<Label> labels, int64_t count, double *out);
};

struct TileApi {
    // Σ h_ij over the tile, or only over i < j if it is a triangle (rows i and j are the same).
    double (*pair_sum)(const Rows &i, const Rows &j, Dims, Kernel, bool triangle, int threads);
    // rows_i[i] += Σ_j h_ij and rows_j[j] += Σ_i h_ij over the pairs of pair_sum.
    void (*row_sums)(const Rows &i, const Rows &j, Dims, Kernel, bool triangle, double *rows_i,
                     double *rows_j);
    // out[i, j] = k(x_i, x_j), or the distance itself.
    void (*gram)(const Rows &i, const Rows &j, Dims, Kernel, double *out);
    // out[i] += Σ_j k(x_i, x_j) v_j, a row of d numbers.
    void (*apply)(const Rows &i, const Rows &j, Dims, Kernel, double *out);
    // One pair_sum over i < j for each of `count` data sets of n rows; rates has one entry each.
    void (*many_pair_sums)(const double *x, const double *v, int64_t count, int64_t n, Dims, Kernel,
                           const double *rates, double *out);
    // The same within blocks of `size` rows, with v_i = w_i (e_{y_i} − p_i) computed on the fly: p
    // has d columns, codes are the labels y, `x` the points; no array as large as the data
    // is needed.
    void (*block_residual_sums)(const double *x, const double *p, const int64_t *codes,
                                const double *weights, int64_t count, int64_t size, Dims, Kernel,
                                double *out);
    // Statistics of many label sets at once: see relabel.inc.
    Relabel<uint8_t> relabel8;
    Relabel<uint16_t> relabel16;
    // out[c, cells[i, c]] += weights[i] · values[i, c] over n rows and m classes; out is (m,
    // n_cells).
    void (*own_cell_sums)(const uint16_t *cells, const double *values, const double *weights,
                          int64_t n, int64_t m, int64_t n_cells, double *out);
    // out[buckets[i], :] += weights[i] · values[i, :] over n rows of m numbers.
    void (*bucket_sums)(const uint16_t *buckets, const double *values, const double *weights,
                        int64_t n, int64_t m, double *out);
    // out[b, s] = Σ (sums[b, s, :] − expected[s, :])² over `size` numbers; sums are (count, slices,
    // size).
    void (*squared_deviations)(const double *sums, const double *expected, int64_t count,
                               int64_t slices, int64_t size, double *out);
    // out[b, w] = Σ_c Σ_{k, l} decays[w]^|k − l| d_ck d_cl, d = sums[b] − expected of m classes and
    // n_cells cells.
    void (*cell_pair_sums)(const double *sums, const double *expected, int64_t count, int64_t m,
                           int64_t n_cells, const double *decays, int64_t n_decays, double *out);
    // Sums of the rows of a (n × m), its minimum and maximum, in one pass; NaN compares false but
    // propagates to the sum of its row.
    void (*row_sums_and_range)(const double *a, int64_t n, int64_t m, double *sums, double *low,
                               double *high);
    // The largest of n ≥ 1 integers, and whether all are in [0, limit).
    int64_t (*largest)(const int64_t *index, int64_t n);
    bool (*all_below)(const int64_t *index, int64_t n, int64_t limit);
    // out = exp(x) elementwise, for x <= 0.
    void (*exp)(const double *x, int64_t n, double *out);
    // out = log(x) elementwise, for positive normal x.
    void (*log)(const double *x, int64_t n, double *out);
    // For n of the rows of p, with z = log p minus that of the largest, probabilities raised to at
    // least `floor`, times the sum of their row if `relative`, and q = softmax(beta z):
    // out[i] = log of the largest, sum of the row, log Σ exp(beta z), E z, E z², E z³, Σ q²,
    // E p, E p z, each expectation under q.
    void (*tempered_rows)(const double *p, const int64_t *rows, int64_t n, int64_t m, double beta,
                          double floor, bool relative, double *out);
    // The same with q = softmax(slope z + intercepts) and a relative floor; intercepts may be −∞.
    // out[i] = log of the largest, sum of the row, log Σ exp(slope z + intercepts), E z, E z²;
    // totals[c] += w q_c, crosses[c] += w q_c (z_c − E z), roots[i, c] = √w q_c unless null.
    void (*shifted_rows)(const double *p, const double *weights, int64_t n, int64_t m, double floor,
                         double slope, const double *intercepts, double *out, double *totals,
                         double *crosses, double *roots);
    // With q = p_c f_c/(Σ_{d ≠ c} p_d + p_c f_c), and probabilities raised to at least `floor`
    // times the sum of their row: out (5 × m) += w(hit − q), w q(1 − q), w² q(1 − q), w²(hit
    // − q)² and w⁴(hit − q)⁴, where hit is 1 if c is the label.
    void (*odds_sums)(const double *p, const int64_t *labels, const double *weights, int64_t n,
                      int64_t m, double floor, const double *factors, double *out);
    // centered[i, c] = f_c − Σ_d p_d f_d for values f (n × m), 0 where it is at most `noise` of the
    // largest |f| of the row; variance[i] = Σ_c p_c centered[i, c]².
    void (*center_rows)(const double *p, const double *values, int64_t n, int64_t m, double noise,
                        double *centered, double *variance);
    // out[i] = Σ p_c over c ≠ chosen[i], one after the other.
    void (*sums_of_others)(const double *p, const int64_t *chosen, int64_t n, int64_t m,
                           double *out);
    // out[i, k, 0, :] = scale · cos 2π rates[k] projections[i, :], and sin in out[i, k, 1, :]; n
    // rows of d projections.
    void (*fourier_features)(const double *projections, int64_t n, int64_t d, const double *rates,
                             int64_t n_rates, double scale, double *out);
    // counts[digit] += the pairs of a tile whose factor · ||x_i − x_j|| has the bits `prefix` from
    // bit `shift` on, by the digit of its next bits down to `finer`.
    void (*count_distances)(const Rows &i, const Rows &j, int64_t m, Metric, double factor,
                            bool triangle, uint64_t prefix, int shift, int finer, int64_t *counts);
    // Writes the distances with the bits `prefix` to `out`, up to its capacity, and returns their
    // number; *beyond becomes the smallest larger one, if that is below it.
    int64_t (*collect_distances)(const Rows &i, const Rows &j, int64_t m, Metric, double factor,
                                 bool triangle, uint64_t prefix, int shift, int64_t capacity,
                                 double *out, double *beyond);
};

const TileApi &tiles(); // the kernels for simd(), see dispatch.hpp

} // namespace calibrant
