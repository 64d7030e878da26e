// Conversion of Python arguments to those of the tile kernels.
#pragma once
#include "arrays.hpp"
#include "tiles.hpp"

namespace calibrant {

struct Tile {
    Rows i, j;
    Dims dims;
};

inline int64_t columns(const In<double, 2> &a) { return static_cast<int64_t>(a.shape(1)); }

inline Rows points(const In<double, 2> &x) {
    return {x.data(), nullptr, static_cast<int64_t>(x.shape(0))};
}

inline Tile tile_of(const In<double, 2> &xi, const In<double, 2> &vi, const In<double, 2> &xj,
                    const In<double, 2> &vj, bool triangle) {
    demand(alike(xi, vi) && alike(xj, vj), "x and v must have the same rows");
    demand(xi.shape(1) == xj.shape(1), "xi and xj must have the same columns");
    demand(vi.shape(1) == vj.shape(1) && vi.shape(1) > 0, "vi and vj must have the same columns");
    demand(!triangle || alike(xi, xj), "a triangle must be square");
    return {{xi.data(), vi.data(), static_cast<int64_t>(xi.shape(0))},
            {xj.data(), vj.data(), static_cast<int64_t>(xj.shape(0))},
            {columns(xi), columns(vi)}};
}

inline Kernel kernel_of(int metric, int profile, double rate) {
    demand(metric >= 0 && metric <= 1, "metric must be 0 (cityblock) or 1 (euclidean)");
    demand(profile >= 0 && profile <= 2,
           "profile must be 0 (distance), 1 (laplacian) or 2 (gaussian)");
    return {static_cast<Metric>(metric), static_cast<Profile>(profile), rate};
}

} // namespace calibrant
