#include "render/apng.h"
#include "render/png.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <zlib.h>

namespace sinew {

static constexpr std::uint64_t kActlPosition = 8 + 25 + 13; // after signature, IHDR and sRGB

static Error apng_error(const ApngWriter& w, std::string message) {
    Error error;
    error.file = w.path;
    error.message = std::move(message);
    return error;
}

static std::optional<Error> first_of(const Errors& errors) {
    if (errors.empty()) return std::nullopt;
    return errors[0];
}

// the first failure stays: later calls do nothing, so that not every call must be checked
template <class F> static bool keep_failure(ApngWriter& w, F&& work) {
    if (w.failure.empty()) w.failure = work();
    return w.failure.empty();
}
static void put(ApngWriter& w, AtomicFile& file, std::span<const std::uint8_t> bytes) {
    keep_failure(w, [&] { return file.write(bytes); });
}

static void put_chunk(ApngWriter& w, std::string_view type, std::span<const std::uint8_t> data) {
    Bytes bytes;
    add_chunk(type, data, bytes);
    put(w, w.file, bytes);
}

static Bytes animation_control(const ApngWriter& w) {
    Bytes data, chunk;
    add_u32(data, std::uint32_t(w.frame_count));
    add_u32(data, std::uint32_t(std::max(0, w.settings.loops)));
    add_chunk("acTL", data, chunk);
    return chunk;
}

static void put_start(ApngWriter& w, PngColor color) {
    put(w, w.file, kPngSignature);
    put_chunk(w, "IHDR", png_header(w.width, w.height, color));
    put_chunk(w, "sRGB", Bytes{0});
    put(w, w.file, animation_control(w)); // the count is put in when it is known
}

std::optional<Error> open_apng(const std::string& path, int width, int height, const ApngSettings& settings,
                               ApngWriter& w) {
    w.settings = settings;
    w.width = width;
    w.height = height;
    w.frame_count = 0;
    w.sequence = 0;
    w.shown = {};
    w.path = path;
    w.failure.clear();
    if (width < 1 || height < 1 || width > kPictureSide || height > kPictureSide)
        return apng_error(w, "picture size out of range: " + std::to_string(width) + " x " +
                                 std::to_string(height));
    if (!(settings.fps > 0) || !std::isfinite(settings.fps))
        return apng_error(w, "frames per second must be positive");
    if (settings.colors < 0 || settings.colors == 1 || settings.colors > 255)
        return apng_error(w, "colours of the palette: 0 (all) or 2 to 255, not " +
                                 std::to_string(settings.colors));
    if (Errors e = w.file.open(path); !e.empty()) return first_of(e);
    if (settings.colors == 0) {
        put_start(w, PngColor::rgba);
        return first_of(w.failure);
    }
    w.histogram = make_histogram();
    return first_of(w.spool.open(path + ".spool"));
}

// Seconds per frame as a fraction of two 16-bit numbers, exact for whole and for NTSC-like rates
static void add_delay(double fps, Bytes& out) {
    double num = 1, den = fps;
    for (const double scale : {1.0, 1000.0, 100.0, 10.0}) {
        if (fps * scale > 65535) continue;
        num = scale;
        den = fps * scale;
        if (den == std::round(den)) break;
    }
    // slower than one frame per second: count the other way round
    if (fps < 1) num = std::min(65535.0, 1000 / fps), den = 1000;
    add_u16(out, std::uint32_t(std::lround(num)));
    add_u16(out, std::uint32_t(std::clamp(std::lround(den), 1l, 65535l)));
}

namespace {

struct Rectangle {
    int x0, y0, x1, y1; // x1, y1 one past the end
};

} // namespace

static Rectangle find_changed(std::span<const std::uint8_t> now, std::span<const std::uint8_t> before,
                              int width, int height, int pixel_bytes) {
    Rectangle r{width, height, 0, 0};
    for (int y = 0; y < height; ++y) {
        const std::size_t row = std::size_t(y) * width * pixel_bytes;
        if (!std::memcmp(&now[row], &before[row], std::size_t(width) * pixel_bytes)) continue;
        r.y0 = std::min(r.y0, y);
        r.y1 = y + 1;
        for (int x = 0; x < width; ++x) {
            const std::size_t i = row + std::size_t(x) * pixel_bytes;
            if (!std::memcmp(&now[i], &before[i], pixel_bytes)) continue;
            r.x0 = std::min(r.x0, x);
            r.x1 = std::max(r.x1, x + 1);
        }
    }
    // a frame must have a pixel
    return r.x1 ? r : Rectangle{0, 0, 1, 1};
}

// Pixels of the rectangle; with `over` the unchanged ones become zero, which is transparent in both colour
// types. Returns nothing where a changed pixel is itself not opaque: it would be blended.
static Bytes cut_rectangle(std::span<const std::uint8_t> now, std::span<const std::uint8_t> before, int width,
                           int pixel_bytes, const Rectangle& r, bool over) {
    Bytes out;
    out.reserve(std::size_t(r.x1 - r.x0) * (r.y1 - r.y0) * pixel_bytes);
    for (int y = r.y0; y < r.y1; ++y)
        for (int x = r.x0; x < r.x1; ++x) {
            const std::size_t i = (std::size_t(y) * width + x) * pixel_bytes;
            if (over && !std::memcmp(&now[i], &before[i], pixel_bytes)) {
                out.insert(out.end(), pixel_bytes, 0);
                continue;
            }
            if (over && pixel_bytes == 4 && now[i + 3] != 255) return {};
            out.insert(out.end(), now.begin() + i, now.begin() + i + pixel_bytes);
        }
    return out;
}

// One frame of which the viewer already sees `before`; empty for the first frame.
static void put_frame(ApngWriter& w, std::span<const std::uint8_t> now, std::span<const std::uint8_t> before,
                      int pixel_bytes, bool first) {
    const int level = pixel_bytes == 1 ? 9 : 6;
    const Rectangle r = first ? Rectangle{0, 0, w.width, w.height}
                              : find_changed(now, before, w.width, w.height, pixel_bytes);
    const int width = r.x1 - r.x0, height = r.y1 - r.y0;
    Bytes packed = pack_scanlines(cut_rectangle(now, before, w.width, pixel_bytes, r, false), width, height,
                                  pixel_bytes, level);
    bool over = false;
    if (!first) {
        const Bytes pixels = cut_rectangle(now, before, w.width, pixel_bytes, r, true);
        Bytes other = pixels.empty() ? Bytes{} : pack_scanlines(pixels, width, height, pixel_bytes, level);
        over = !other.empty() && other.size() < packed.size();
        if (over) packed.swap(other);
    }
    Bytes control;
    add_u32(control, w.sequence++);
    for (const int v : {width, height, r.x0, r.y0}) add_u32(control, std::uint32_t(v));
    add_delay(w.settings.fps, control);
    control.insert(control.end(), {0, std::uint8_t(over)}); // the picture stays; source or over
    put_chunk(w, "fcTL", control);
    if (first) {
        put_chunk(w, "IDAT", packed);
        return;
    }
    Bytes data;
    add_u32(data, w.sequence++);
    data.insert(data.end(), packed.begin(), packed.end());
    put_chunk(w, "fdAT", data);
}

// true where a pixel must be stored anew; alpha counts in full-colour films only
static bool differs(const std::uint8_t* a, const std::uint8_t* b, int channels, int tolerance) {
    for (int k = 0; k < channels; ++k)
        if (std::abs(a[k] - b[k]) > tolerance) return true;
    return false;
}

static void add_frame_exact(ApngWriter& w, const Picture& p) {
    const bool first = w.frame_count == 0;
    Picture next = first ? p : w.shown;
    for (std::size_t i = 0; !first && i < p.rgba.size(); i += 4)
        if (differs(&p.rgba[i], &next.rgba[i], 4, w.settings.tolerance))
            std::memcpy(&next.rgba[i], &p.rgba[i], 4);
    put_frame(w, next.rgba, w.shown.rgba, 4, first);
    w.shown = std::move(next);
}

// Spool: per frame the deflated size, then the deflated byte differences from the frame before.
static void spool_frame(ApngWriter& w, const Picture& p) {
    const bool first = w.frame_count == 0;
    Bytes difference(p.rgba);
    for (std::size_t i = 0; i < p.rgba.size(); i += 4) {
        if (first || differs(&p.rgba[i], &w.shown.rgba[i], 3, w.settings.tolerance))
            add_color(w.histogram, &p.rgba[i]);
        for (int k = 0; !first && k < 4; ++k)
            difference[i + k] = std::uint8_t(p.rgba[i + k] - w.shown.rgba[i + k]);
    }
    uLongf length = compressBound(uLong(difference.size()));
    Bytes packed(length), size;
    if (compress2(packed.data(), &length, difference.data(), uLong(difference.size()), 1) != Z_OK)
        throw std::bad_alloc();
    packed.resize(length);
    add_u32(size, std::uint32_t(length));
    put(w, w.spool, size);
    put(w, w.spool, packed);
    w.shown = p;
}

std::optional<Error> add_frame(ApngWriter& w, const Picture& p) {
    if (auto error = check_picture(p)) {
        error->file = w.path;
        return error;
    }
    if (p.width != w.width || p.height != w.height)
        return apng_error(w, "frame of " + std::to_string(p.width) + " x " + std::to_string(p.height) +
                                 " pixels in a film of " + std::to_string(w.width) + " x " +
                                 std::to_string(w.height));
    if (w.file.path.empty()) return apng_error(w, "the film is not open");
    if (w.settings.colors)
        spool_frame(w, p);
    else
        add_frame_exact(w, p);
    ++w.frame_count;
    return first_of(w.failure);
}

// Reads one spooled frame and adds it to `p`.
static Errors unspool_frame(ApngWriter& w, std::uint64_t& at, Picture& p) {
    const Errors damaged{apng_error(w, "cannot read back " + w.spool.temporary)};
    std::uint8_t head[4];
    if (Errors e = w.spool.read_back(at, head); !e.empty()) return e;
    const std::size_t size = std::size_t(head[0]) << 24 | head[1] << 16 | head[2] << 8 | head[3];
    if (size > w.spool.position()) return damaged;
    Bytes packed(size), difference(p.rgba.size());
    if (Errors e = w.spool.read_back(at + 4, packed); !e.empty()) return e;
    at += 4 + size;
    uLongf length = uLongf(difference.size());
    if (uncompress(difference.data(), &length, packed.data(), uLong(size)) != Z_OK) return damaged;
    if (length != difference.size()) return damaged;
    for (std::size_t i = 0; i < length; ++i) p.rgba[i] = std::uint8_t(p.rgba[i] + difference[i]);
    return {};
}

namespace {

struct PaletteTry {
    int colors, tolerance;
    bool dither;
};

} // namespace

static bool is_too_large(const ApngWriter& w) {
    return w.settings.limit > 0 && (long long)(w.file.position()) > w.settings.limit - 12; // IEND comes on top
}

// Stops early where the limit is passed; the caller looks.
static std::optional<Error> write_palette_film(const PaletteTry& how, ApngWriter& w) {
    PaletteMap map = make_palette_map(build_palette(w.histogram, how.colors));
    w.sequence = 0;
    put_start(w, PngColor::palette);
    // entry 0 means "as before"
    Bytes palette{0, 0, 0};
    for (const Rgb8& c : map.palette) palette.insert(palette.end(), c.begin(), c.end());
    put_chunk(w, "PLTE", palette);
    put_chunk(w, "tRNS", Bytes{0});
    std::uint64_t at = 0; // in the spool
    const std::size_t pixels = std::size_t(w.width) * w.height;
    Picture now = make_picture(w.width, w.height, {0, 0, 0, 0}), source;
    Bytes indices(pixels), before;
    for (int f = 0; f < w.frame_count && !is_too_large(w); ++f) {
        if (Errors e = unspool_frame(w, at, now); !e.empty()) return first_of(e);
        if (f == 0) source = now;
        before = indices;
        for (std::size_t i = 0; i < pixels; ++i) {
            if (f && !differs(&now.rgba[4 * i], &source.rgba[4 * i], 3, how.tolerance)) continue;
            std::memcpy(&source.rgba[4 * i], &now.rgba[4 * i], 4);
            const std::uint8_t* c = &now.rgba[4 * i];
            indices[i] =
                std::uint8_t(1 + (how.dither ? find_color_dithered(map, c, int(i % w.width), int(i / w.width))
                                             : find_color(map, c[0], c[1], c[2])));
        }
        put_frame(w, indices, before, 1, f == 0);
        if (!w.failure.empty()) break;
    }
    return first_of(w.failure);
}

// The film as asked for, or, where it must fit a limit, the best of a few coarser ones that does.
static std::optional<Error> write_fitting_film(ApngWriter& w) {
    const ApngSettings& s = w.settings;
    std::vector<PaletteTry> tries{{s.colors, s.tolerance, true}};
    // in the order of how they look; dithering makes a film about 1.4 times as large, banding shows without
    // it
    static constexpr PaletteTry coarser[] = {
        {255, 6, true}, {128, 8, true}, {160, 5, false}, {96, 8, false}, {48, 13, false}};
    for (const PaletteTry& t : coarser)
        if (s.limit > 0)
            tries.push_back({std::min(t.colors, s.colors), std::max(t.tolerance, s.tolerance), t.dither});
    for (const PaletteTry& t : tries) {
        if (!keep_failure(w, [&] { return w.file.restart(); })) return first_of(w.failure);
        if (auto error = write_palette_film(t, w)) return error;
        if (!is_too_large(w)) return {};
    }
    return apng_error(w, "the film does not fit into " + std::to_string(s.limit) +
                             " bytes: show fewer frames or smaller ones");
}

std::optional<Error> close_apng(ApngWriter& w) {
    std::optional<Error> error;
    if (w.file.path.empty()) return apng_error(w, "the film is not open");
    if (w.frame_count == 0) error = apng_error(w, "a film without frames");
    if (!error) error = first_of(w.failure);
    if (!error && w.settings.colors) error = write_fitting_film(w);
    w.spool.discard();
    if (error) {
        w.file.discard();
        return error;
    }
    put_chunk(w, "IEND", {});
    keep_failure(w, [&] { return w.file.patch(kActlPosition, animation_control(w)); });
    keep_failure(w, [&] { return w.file.commit(); });
    if (!w.failure.empty()) w.file.discard();
    return first_of(w.failure);
}

} // namespace sinew
