// Checks of the arguments of the core.
//
// Callers have checked the data; these checks keep a mistake in the library from reading or writing
// out of bounds. They are static, so that each file has its own for its instruction set.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace calibrant {

static inline void demand(bool condition, const char *message) {
    if (!condition) throw std::invalid_argument(message);
}

// Whether all indices are in [0, limit); one pass without branches, which compilers vectorize.
template <class T> static bool all_below(const T *index, size_t count, size_t limit) {
    if constexpr (std::is_unsigned_v<T>) {
        T largest = 0;
        for (size_t i = 0; i < count; ++i) largest = index[i] > largest ? index[i] : largest;
        return count == 0 || largest < limit;
    } else {
        uint64_t below = 0, above = 0; // an index out of range sets the highest bit
        for (size_t i = 0; i < count; ++i) {
            below |= static_cast<uint64_t>(index[i]);
            above |= limit - 1 - static_cast<uint64_t>(index[i]);
        }
        return count == 0 || (limit > 0 && (below | above) >> 63 == 0);
    }
}

} // namespace calibrant
