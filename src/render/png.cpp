#include "render/png.h"
#include <cstdlib>
#include <new>
#include <zlib.h>

namespace sinew {

void add_u16(Bytes& out, std::uint32_t v) {
    out.push_back(std::uint8_t(v >> 8));
    out.push_back(std::uint8_t(v));
}
void add_u32(Bytes& out, std::uint32_t v) {
    add_u16(out, v >> 16);
    add_u16(out, v & 0xffff);
}

void add_chunk(std::string_view type, std::span<const std::uint8_t> data, Bytes& out) {
    add_u32(out, std::uint32_t(data.size()));
    const std::size_t begin = out.size();
    out.insert(out.end(), type.begin(), type.end());
    out.insert(out.end(), data.begin(), data.end());
    add_u32(out, std::uint32_t(crc32_z(0, out.data() + begin, out.size() - begin)));
}

Bytes png_header(int width, int height, PngColor color) {
    Bytes b;
    add_u32(b, std::uint32_t(width));
    add_u32(b, std::uint32_t(height));
    b.insert(b.end(), {8, std::uint8_t(color), 0, 0, 0});
    return b;
}

// a, b, c: the bytes to the left, above, and above left (PNG section 9.4)
static int paeth(int a, int b, int c) {
    const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// One row through filter `type` (0 none, 1 sub, 2 up, 3 average, 4 Paeth); returns the sum of |signed byte|.
static long filter_row(int type, const std::uint8_t* row, const std::uint8_t* above, int bytes, int step,
                       std::uint8_t* out) {
    long sum = 0;
    for (int i = 0; i < bytes; ++i) {
        const int a = i >= step ? row[i - step] : 0, b = above[i], c = i >= step ? above[i - step] : 0;
        int guess = 0;
        if (type == 1)
            guess = a;
        else if (type == 2)
            guess = b;
        else if (type == 3)
            guess = (a + b) / 2;
        else if (type == 4)
            guess = paeth(a, b, c);
        out[i] = std::uint8_t(row[i] - guess);
        sum += std::abs(int(std::int8_t(out[i])));
    }
    return sum;
}

Bytes pack_scanlines(std::span<const std::uint8_t> pixels, int width, int height, int pixel_bytes,
                     int level) {
    const int stride = width * pixel_bytes;
    Bytes rows(std::size_t(height) * (stride + 1)), best(stride), next(stride);
    const Bytes black(stride, 0);
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* row = pixels.data() + std::size_t(y) * stride;
        const std::uint8_t* above = y ? row - stride : black.data();
        int type = 0;
        long least = filter_row(0, row, above, stride, pixel_bytes, best.data());
        for (int t = 1; t < 5 && pixel_bytes > 1 && least > 0; ++t) {
            const long sum = filter_row(t, row, above, stride, pixel_bytes, next.data());
            if (sum >= least) continue;
            least = sum;
            type = t;
            best.swap(next);
        }
        std::uint8_t* out = rows.data() + std::size_t(y) * (stride + 1);
        out[0] = std::uint8_t(type);
        std::copy(best.begin(), best.end(), out + 1);
    }
    uLongf size = compressBound(uLong(rows.size()));
    Bytes packed(size);
    // the buffer is as large as compressBound asks, so only memory can be missing
    if (compress2(packed.data(), &size, rows.data(), uLong(rows.size()), level) != Z_OK)
        throw std::bad_alloc();
    packed.resize(size);
    return packed;
}

} // namespace sinew
