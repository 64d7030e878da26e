// Philox4x32-10 (Salmon et al., 2011): random words as a pure function of key and counter.
#pragma once
#include <cstdint>

#include "compiler.hpp"

namespace calibrant {

struct Block {
    uint32_t w0, w1, w2, w3;
};

CALIBRANT_INLINE Block philox_round(Block c, uint32_t k0, uint32_t k1) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c.w0;
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * c.w2;
    return {uint32_t(p1 >> 32) ^ c.w1 ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ c.w3 ^ k1,
            uint32_t(p0)};
}

// The ten rounds are unrolled because compilers vectorize over lanes only without inner loops.
CALIBRANT_INLINE Block philox(Block c, uint32_t k0, uint32_t k1) {
    constexpr uint32_t g = 0x9E3779B9u, s = 0xBB67AE85u;
    c = philox_round(c, k0, k1);
    c = philox_round(c, k0 + g, k1 + s);
    c = philox_round(c, k0 + 2u * g, k1 + 2u * s);
    c = philox_round(c, k0 + 3u * g, k1 + 3u * s);
    c = philox_round(c, k0 + 4u * g, k1 + 4u * s);
    c = philox_round(c, k0 + 5u * g, k1 + 5u * s);
    c = philox_round(c, k0 + 6u * g, k1 + 6u * s);
    c = philox_round(c, k0 + 7u * g, k1 + 7u * s);
    c = philox_round(c, k0 + 8u * g, k1 + 8u * s);
    return philox_round(c, k0 + 9u * g, k1 + 9u * s);
}

// 53 bits in [0, 1); the signed casts are safe (27 bits) and convert in one vector instruction.
CALIBRANT_INLINE double unit(uint32_t high, uint32_t low) {
    const double a = static_cast<double>(static_cast<int32_t>(high >> 5));
    const double b = static_cast<double>(static_cast<int32_t>(low >> 6));
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

} // namespace calibrant
