// Detects the instruction set once, and returns its tile kernels.
#include "dispatch.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "compiler.hpp"
#include "tiles.hpp"

namespace calibrant {

namespace baseline {
extern const TileApi api;
}
#ifdef CALIBRANT_X86
namespace avx2 {
extern const TileApi api;
}
namespace avx512 {
extern const TileApi api;
}
#endif

static Simd limit() {
    const char *value = std::getenv("CALIBRANT_SIMD");
    const std::string text = value ? value : "";
    if (text == "baseline") return Simd::baseline;
    if (text == "avx2") return Simd::avx2;
    if (text == "avx512" || text.empty()) return Simd::avx512;
    throw std::invalid_argument(
        "the environment variable CALIBRANT_SIMD must be baseline, avx2 or avx512; got '" + text +
        "'");
}

static Simd widest() {
#ifdef CALIBRANT_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
        return wide ? Simd::avx512 : Simd::avx2;
    }
#endif
    return Simd::baseline;
}

Simd simd() {
    static const Simd chosen = std::min(limit(), widest());
    return chosen;
}

const char *simd_name() {
#ifdef CALIBRANT_SCALAR
    simd(); // throws if CALIBRANT_SIMD has an invalid value
    return "scalar";
#else
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    return names[static_cast<int>(simd())];
#endif
}

const TileApi &tiles() {
#ifdef CALIBRANT_X86
    static const TileApi *const variants[] = {&baseline::api, &avx2::api, &avx512::api};
    return *variants[static_cast<int>(simd())];
#else
    simd();
    return baseline::api;
#endif
}

} // namespace calibrant
