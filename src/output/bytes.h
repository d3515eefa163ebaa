// Numbers to and from little-endian bytes (formats that are big endian swap with reverse_bytes). The reader
// never goes past its end: it gives zeros and remembers that it failed.
#pragma once
#include "core/file.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace sinew {

static_assert(std::endian::native == std::endian::little,
              "files are written as the memory is: little endian");

template <class T> void append(Bytes& out, T value) {
    static_assert(std::is_arithmetic_v<T>);
    const std::size_t at = out.size();
    out.resize(at + sizeof(T));
    std::memcpy(out.data() + at, &value, sizeof(T));
}
inline void append_bytes(Bytes& out, const void* data, std::size_t count) {
    const std::size_t at = out.size();
    out.resize(at + count);
    if (count > 0) std::memcpy(out.data() + at, data, count);
}

template <class T> T reverse_bytes(T value) {
    std::uint8_t b[sizeof(T)];
    std::memcpy(b, &value, sizeof(T));
    std::reverse(b, b + sizeof(T));
    std::memcpy(&value, b, sizeof(T));
    return value;
}

struct ByteReader {
    ByteSpan rest;
    bool failed = false;

    template <class T> T number() {
        T value{};
        const ByteSpan b = bytes(sizeof(T));
        if (!b.empty()) std::memcpy(&value, b.data(), sizeof(T));
        return value;
    }
    ByteSpan bytes(std::uint64_t count) { // empty if there are not that many
        if (failed || count > rest.size()) {
            failed = true;
            return {};
        }
        const ByteSpan b = rest.first(std::size_t(count));
        rest = rest.subspan(std::size_t(count));
        return b;
    }
};

} // namespace sinew
