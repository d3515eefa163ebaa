// An independent reader for the tests: chunks with their CRCs (computed bit by bit, not by zlib), inflate by
// zlib, scanline filters undone, APNG frames composed as the standard says. Throws std::runtime_error on
// anything unusual.
#pragma once
#include "render/picture.h"
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <zlib.h>

namespace sinew::png_test {

using Bytes = std::vector<std::uint8_t>;

inline void require(bool ok, const char* what) {
    if (!ok) throw std::runtime_error(what);
}
inline Bytes read_bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    require(bool(in), "no such file");
    return Bytes(std::istreambuf_iterator<char>(in), {});
}
inline std::uint32_t u32(const Bytes& b, std::size_t i) {
    require(i + 4 <= b.size(), "short data");
    return std::uint32_t(b[i]) << 24 | b[i + 1] << 16 | b[i + 2] << 8 | b[i + 3];
}
inline std::uint32_t crc(const std::uint8_t* p, std::size_t n) {
    std::uint32_t c = 0xffffffffu;
    for (std::size_t i = 0; i < n; ++i) {
        c ^= p[i];
        for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    }
    return ~c;
}

struct Chunk {
    std::string type;
    Bytes data;
};
inline std::vector<Chunk> read_chunks(const Bytes& b) {
    static const std::uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    require(b.size() > 8 && !std::memcmp(b.data(), signature, 8), "signature");
    std::vector<Chunk> chunks;
    std::size_t i = 8;
    while (i < b.size()) {
        const std::size_t n = u32(b, i);
        require(i + 12 + n <= b.size(), "chunk length");
        require(crc(&b[i + 4], n + 4) == u32(b, i + 8 + n), "chunk crc");
        chunks.push_back({std::string(&b[i + 4], &b[i + 8]), Bytes(&b[i + 8], &b[i + 8] + n)});
        i += 12 + n;
    }
    return chunks;
}

// Inflated and unfiltered samples
inline Bytes unpack(const Bytes& packed, int width, int height, int step) {
    const int stride = width * step;
    Bytes rows(std::size_t(height) * (stride + 1));
    uLongf n = uLongf(rows.size());
    require(uncompress(rows.data(), &n, packed.data(), uLong(packed.size())) == Z_OK, "inflate");
    require(n == rows.size(), "inflated size");
    Bytes out(std::size_t(height) * stride);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < stride; ++x) {
            const int type = rows[std::size_t(y) * (stride + 1)],
                      raw = rows[std::size_t(y) * (stride + 1) + 1 + x];
            const std::size_t at = std::size_t(y) * stride + x;
            const int a = x >= step ? out[at - step] : 0, b = y ? out[at - stride] : 0,
                      c = x >= step && y ? out[at - stride - step] : 0;
            const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
            const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
            require(type <= 4, "filter type");
            const int guess[5] = {0, a, b, (a + b) / 2, paeth};
            out[at] = std::uint8_t(raw + guess[type]);
        }
    return out;
}

struct Header {
    int width, height, color;
    Bytes palette, transparency;
    int step() const { return color == 2 ? 3 : color == 3 ? 1 : 4; }
};
inline Header read_header(const std::vector<Chunk>& chunks) {
    require(!chunks.empty() && chunks[0].type == "IHDR" && chunks[0].data.size() == 13, "IHDR first");
    const Bytes& d = chunks[0].data;
    Header h{int(u32(d, 0)), int(u32(d, 4)), d[9], {}, {}};
    require(d[8] == 8 && d[10] == 0 && d[11] == 0 && d[12] == 0,
            "8 bits, deflate, adaptive filters, no interlace");
    require(h.color == 2 || h.color == 3 || h.color == 6, "colour type");
    for (const Chunk& c : chunks) {
        if (c.type == "PLTE") h.palette = c.data;
        if (c.type == "tRNS") h.transparency = c.data;
    }
    return h;
}

// RGBA of samples of the header's colour type
inline Bytes to_rgba(const Bytes& samples, const Header& h) {
    Bytes out;
    for (std::size_t i = 0; i < samples.size(); i += h.step()) {
        if (h.color == 3) {
            const std::size_t index = samples[i];
            require(3 * index + 2 < h.palette.size(), "palette index");
            out.insert(out.end(), &h.palette[3 * index], &h.palette[3 * index] + 3);
            out.push_back(index < h.transparency.size() ? h.transparency[index] : 255);
        } else {
            out.insert(out.end(), &samples[i], &samples[i] + 3);
            out.push_back(h.color == 6 ? samples[i + 3] : 255);
        }
    }
    return out;
}

inline Picture read_png(const Bytes& file) {
    const auto chunks = read_chunks(file);
    const Header h = read_header(chunks);
    require(chunks.back().type == "IEND" && chunks.back().data.empty(), "IEND last");
    Bytes packed;
    for (const Chunk& c : chunks)
        if (c.type == "IDAT") packed.insert(packed.end(), c.data.begin(), c.data.end());
    return {h.width, h.height, to_rgba(unpack(packed, h.width, h.height, h.step()), h)};
}

struct Film {
    std::vector<Picture> frames;
    std::vector<double> delay;                 // [s]
    std::vector<std::array<int, 4>> rectangle; // x, y, width, height
    int loops = 0;
};
inline Film read_apng(const Bytes& file) {
    const auto chunks = read_chunks(file);
    const Header h = read_header(chunks);
    Film film;
    std::uint32_t sequence = 0, announced = 0;
    bool control_seen = false, image_seen = false;
    Bytes control, packed;
    Picture canvas = make_picture(h.width, h.height, {0, 0, 0, 0});
    const auto finish_frame = [&] {
        if (control.empty()) return;
        require(!packed.empty(), "frame without data");
        const int w = int(u32(control, 4)), ht = int(u32(control, 8)), x0 = int(u32(control, 12)),
                  y0 = int(u32(control, 16));
        require(w > 0 && ht > 0 && x0 >= 0 && y0 >= 0 && x0 + w <= h.width && y0 + ht <= h.height,
                "rectangle");
        require(control[24] == 0 && control[25] <= 1, "dispose none, blend source or over");
        const Bytes pixels = to_rgba(unpack(packed, w, ht, h.step()), h);
        for (int y = 0; y < ht; ++y)
            for (int x = 0; x < w; ++x) {
                const std::uint8_t* from = &pixels[4 * (std::size_t(y) * w + x)];
                if (control[25] == 1 && from[3] == 0) continue;
                require(control[25] == 0 || from[3] == 255, "the tests blend no half-transparent pixels");
                std::memcpy(&canvas.rgba[4 * (std::size_t(y0 + y) * h.width + x0 + x)], from, 4);
            }
        const int num = control[20] << 8 | control[21], den = control[22] << 8 | control[23];
        film.frames.push_back(canvas);
        film.delay.push_back(double(num) / (den ? den : 100));
        film.rectangle.push_back({x0, y0, w, ht});
        control.clear();
        packed.clear();
    };
    for (const Chunk& c : chunks) {
        if (c.type == "acTL") {
            require(!control_seen && !image_seen && c.data.size() == 8, "one acTL before the image");
            control_seen = true;
            announced = u32(c.data, 0);
            film.loops = int(u32(c.data, 4));
        } else if (c.type == "fcTL") {
            finish_frame();
            require(c.data.size() == 26 && u32(c.data, 0) == sequence++, "fcTL sequence");
            control = c.data;
        } else if (c.type == "IDAT") {
            require(control_seen && film.frames.empty(), "IDAT is the first frame");
            image_seen = true;
            packed.insert(packed.end(), c.data.begin(), c.data.end());
        } else if (c.type == "fdAT") {
            require(image_seen && u32(c.data, 0) == sequence++, "fdAT sequence");
            packed.insert(packed.end(), c.data.begin() + 4, c.data.end());
        }
    }
    finish_frame();
    require(chunks.back().type == "IEND", "IEND last");
    require(announced == film.frames.size(), "frame count of acTL");
    return film;
}

} // namespace sinew::png_test
