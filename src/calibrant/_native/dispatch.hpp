// The choice of an instruction set for all routines with variants.
//
// Tiles are compiled in one file per instruction set, other routines as functions with a target
// attribute; both take the variant that `simd()` names.
#pragma once

namespace calibrant {

enum class Simd : int { baseline = 0, avx2 = 1, avx512 = 2 };

// The widest instruction set that the processor has and CALIBRANT_SIMD (baseline, avx2 or avx512)
// allows, chosen at the first call; throws if CALIBRANT_SIMD has another value.
Simd simd();
const char *simd_name();

} // namespace calibrant

// CALIBRANT_X86 comes from CMake, where these variants are compiled.
#ifdef CALIBRANT_X86
#define CALIBRANT_AVX2 __attribute__((target("avx2")))
#define CALIBRANT_AVX512_FEATURES "avx512f,avx512dq,avx512bw,avx512vl"
#define CALIBRANT_AVX512 __attribute__((target(CALIBRANT_AVX512_FEATURES)))
#ifdef __clang__ // clang would ignore the whole attribute
#define CALIBRANT_AVX512_WIDE CALIBRANT_AVX512
#else
#define CALIBRANT_AVX512_WIDE                                                                      \
    __attribute__((target(CALIBRANT_AVX512_FEATURES ",prefer-vector-width=512")))
#endif
#endif
