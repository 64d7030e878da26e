// Array types for arguments from Python.
//
// Bind outputs and indices with `noconvert()`: otherwise nanobind would fill a converted copy of an
// output and discard it, and a converted index could wrap around.
#pragma once
#include <cstddef>
#include <cstdint>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "demand.hpp"

namespace calibrant {

namespace nb = nanobind;

template <class T, size_t D>
using In = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T, size_t D> using Out = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

// Whether two arrays have the same length along their first `axes` axes.
template <class A, class B> bool alike(const A &a, const B &b, size_t axes = 1) {
    for (size_t axis = 0; axis < axes; ++axis)
        if (a.shape(axis) != b.shape(axis)) return false;
    return true;
}

template <class... Traits> bool all_below(const nb::ndarray<Traits...> &index, size_t limit) {
    return all_below(index.data(), index.size(), limit);
}

} // namespace calibrant
