// 64-bit hash of byte ranges, same on every little-endian machine, eight bytes at a time. Not cryptographic.
// It guards states and files: one flipped bit changes the result (the mixing steps are bijections).
//   h <- mix(h ^ word) * odd,   word = next 8 bytes (the last one zero-padded), then the length
// mix is the finaliser of splitmix64 (Steele, Lea, Flood 2014). Own code; no byte-order conversion.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace sinew {

static_assert(std::endian::native == std::endian::little, "hashes and files assume little-endian machines");

inline constexpr std::uint64_t mix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

// Running hash: add(...) in a fixed order, read `value` at any time. Doubles are hashed by their bits, so
// that -0.0 differs from 0.0 and a NaN is visible.
struct Hash {
    std::uint64_t value = 0x9e3779b97f4a7c15ull;
};

inline void add(Hash& h, std::uint64_t word) { h.value = mix64(h.value ^ word) * 0x9e3779b97f4a7c15ull; }

inline void add_bytes(Hash& h, const void* data, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::size_t left = size;
    for (; left >= 8; p += 8, left -= 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        add(h, word);
    }
    if (left) {
        std::uint64_t word = 0;
        std::memcpy(&word, p, left);
        add(h, word);
    }
    add(h, std::uint64_t(size)); // so that {a}{b} and {a,b} differ, and padding is visible
}

inline void add(Hash& h, double number) { add(h, std::bit_cast<std::uint64_t>(number)); }
inline void add(Hash& h, int number) { add(h, std::uint64_t(std::int64_t(number))); }
inline void add(Hash& h, std::string_view text) { add_bytes(h, text.data(), text.size()); }
template <class T>
requires std::is_trivially_copyable_v<T>
void add(Hash& h, std::span<const T> items) { add_bytes(h, items.data(), items.size_bytes()); }

inline std::uint64_t hash_bytes(const void* data, std::size_t size) {
    Hash h;
    add_bytes(h, data, size);
    return h.value;
}
inline std::uint64_t hash_text(std::string_view text) { return hash_bytes(text.data(), text.size()); }

} // namespace sinew
