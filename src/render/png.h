// The two layers every PNG and APNG file is made of: chunks (length, type, data, CRC-32) and packed scanlines
// (a filter byte per row, then one zlib stream).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sinew {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::array<std::uint8_t, 8> kPngSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
enum class PngColor : std::uint8_t {
    rgb = 2,
    palette = 3,
    rgba = 6
}; // colour types as the format numbers them

void add_u16(Bytes&, std::uint32_t); // big endian, as everything in PNG
void add_u32(Bytes&, std::uint32_t);
void add_chunk(std::string_view type, std::span<const std::uint8_t> data, Bytes& out);

Bytes png_header(int width, int height, PngColor); // data of IHDR, 8 bits per sample, not interlaced

// Filtered and deflated rows of `pixel_bytes` bytes per pixel. With more than one byte per pixel each row
// takes the filter with the smallest sum of absolute differences (the standard's heuristic); palette indices
// stay as they are.
Bytes pack_scanlines(std::span<const std::uint8_t> pixels, int width, int height, int pixel_bytes, int level);

} // namespace sinew
