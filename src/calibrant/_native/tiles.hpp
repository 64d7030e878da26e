// The tile kernels of the pair engine, one table of functions for every instruction set.
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

struct TileApi {
    const char *name;
    // Σ h_ij over the tile; only i < j where the tile is a triangle (rows i and j the same).
    double (*pair_sum)(const Rows &i, const Rows &j, Dims, Kernel, bool triangle);
    // rows_i[i] += Σ_j h_ij and rows_j[j] += Σ_i h_ij over the pairs of pair_sum.
    void (*row_sums)(const Rows &i, const Rows &j, Dims, Kernel, bool triangle, double *rows_i,
                     double *rows_j);
    // out[i, j] = k(x_i, x_j), or the distance itself.
    void (*gram)(const Rows &i, const Rows &j, Dims, Kernel, double *out);
    // out[i] += Σ_j k(x_i, x_j) v_j, a row of d numbers.
    void (*apply)(const Rows &i, const Rows &j, Dims, Kernel, double *out);
    // One pair_sum over i < j for each of `count` data sets of n rows; rates has one entry each.
    void (*many_pair_sums)(const double *x, const double *v, int64_t count, int64_t n, Dims,
                           Kernel, const double *rates, double *out);
    // out = exp(x) elementwise, for x <= 0.
    void (*exp)(const double *x, int64_t n, double *out);
};

const TileApi &tiles(); // the best table this processor can run, chosen once

} // namespace calibrant
