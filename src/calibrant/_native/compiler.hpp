// Compiler-specific spellings.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define CALIBRANT_INLINE inline __attribute__((always_inline))
#define CALIBRANT_NOINLINE __attribute__((noinline))
#define CALIBRANT_PREFETCH(address) __builtin_prefetch(address)
#else
#define CALIBRANT_INLINE inline
#define CALIBRANT_NOINLINE
#define CALIBRANT_PREFETCH(address) ((void)(address))
#ifndef CALIBRANT_SCALAR
#define CALIBRANT_SCALAR // no vector extensions: vectors.inc computes lane by lane
#endif
#endif
