// From snapshot to picture. The picture is made in bands of rows; in each band
//   1. every pixel gets a quarter of its samples
//   2. pixels in or next to which something changes (edges, shadows' borders) get the rest
//   3. light from the sky is averaged over 4 x 4 pixels of the same surface, which together hold one evenly
//   spread
//      set of directions (sampling.h); light is compressed to the screen's range and encoded.
#include "render/render.h"
#include "render/shade.h"
#include "render/write_on.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kBandRows = 128, kReach = 2, kTile = 16;

struct Pixel {                                                                 // sums over samples
    Vec3f seen = Vec3f::Zero();                                                // everything, as it came
    Vec3f direct = Vec3f::Zero(), lit = Vec3f::Zero(), sunlit = Vec3f::Zero(); // sunlit: sun * lit
    Vec3f albedo = Vec3f::Zero(), sky = Vec3f::Zero();
    Vec3f position = Vec3f::Zero(), normal = Vec3f::Zero();
    float sun = 0;
    int samples = 0, sky_samples = 0;
    int id = -2; // of all samples; -2 = they differ
};

struct Band {
    int y0, y1;                // rows held
    std::vector<Pixel> pixels; // (y1 - y0) * width
    std::vector<std::uint8_t> refine;
};

struct Shot {                      // camera in single precision about the drawing's origin
    Vec3f eye, right, up, forward; // right, up scaled to the half picture at distance 1
    float pixel;                   // [rad] between neighbouring pixels
    int width, height, base, most; // samples per pixel: first round, in all
};

} // namespace

static Shot make_shot(const RenderSettings& settings, const Camera& camera, const Real3& origin) {
    const CameraAxes axes = camera_axes(camera);
    const double t = std::tan(camera.fov / 2), aspect = double(settings.width) / settings.height;
    Shot s;
    s.eye = (vec(camera.eye) - vec(origin)).cast<float>();
    s.right = (t * aspect * vec(axes.right)).cast<float>();
    s.up = (t * vec(axes.up)).cast<float>();
    s.forward = vec(axes.forward).cast<float>();
    s.pixel = float(2 * t / settings.height);
    s.width = settings.width;
    s.height = settings.height;
    s.most = settings.samples;
    s.base = std::max(1, settings.samples / 4);
    return s;
}

static void add_sample(const ShadeScene& scene, const Shot& shot, int x, int y, int sample, Pixel& p) {
    const std::uint32_t i = sequence_index(x, y, sample, shot.base, shot.most);
    // within the pixel all pixels use the same places: edges come out without a pattern
    const Sample2 at = sequence_point(std::uint32_t(sample), 0x9e3779b9u, 0x7f4a7c15u);
    const float px = 2 * (x + 0.5f + in_tent(at.u)) / shot.width - 1;
    const float py = 1 - 2 * (y + 0.5f + in_tent(at.v)) / shot.height;
    const Vec3f direction = (shot.forward + px * shot.right + py * shot.up).normalized();
    const Shaded s =
        shade(scene, shot.eye, direction, shot.pixel, sequence_point(i, 0x85ebca6bu, 0xc2b2ae35u));
    // further samples of the same surface need no more light from the sky: that is averaged over neighbours
    Vec3f sky = Vec3f::Zero();
    if (s.id >= 0 && sample >= shot.base && s.id == p.id) {
        sky = p.sky / p.sky_samples;
    } else if (s.id >= 0) {
        sky = sky_arriving(scene, s, sequence_point(i, 0, 0));
        p.sky += sky;
        ++p.sky_samples;
    }
    p.id = p.samples == 0 || p.id == s.id ? s.id : -2;
    p.seen += s.direct + s.sun * s.lit + s.albedo.cwiseProduct(sky);
    p.direct += s.direct;
    p.lit += s.lit;
    p.sunlit += s.sun * s.lit;
    p.albedo += s.albedo;
    p.position += s.position;
    p.normal += s.normal;
    p.sun += s.sun;
    ++p.samples;
}

// f(x, y) for all pixels of the rows, tile by tile
template <class F> static void for_each_pixel(const Parallel& parallel, int width, int y0, int y1, F&& f) {
    const int across = chunk_count(width, kTile), down = chunk_count(y1 - y0, kTile);
    parallel_for(parallel, across * down, 1, [&](int begin, int end) {
        for (int t = begin; t < end; ++t) {
            const int tx = t % across * kTile, ty = y0 + t / across * kTile;
            for (int y = ty; y < std::min(ty + kTile, y1); ++y)
                for (int x = tx; x < std::min(tx + kTile, width); ++x) f(x, y);
        }
    });
}

// distance of q's point from p's tangent plane, in pixels
static float step_between(const Shot& shot, const Pixel& p, const Pixel& q) {
    const Vec3f a = p.position / p.samples, n = p.normal / p.samples, b = q.position / q.samples;
    return std::abs((b - a).dot(n)) / (shot.pixel * (a - shot.eye).norm());
}

static bool differ(const Shot& shot, const Pixel& p, const Pixel& q) {
    if (p.id != q.id) return true;
    if (p.id < 0) return false;
    if (std::abs(p.sun / p.samples - q.sun / q.samples) > 0.2f) return true;
    return p.normal.dot(q.normal) < 0.95f * p.samples * q.samples || step_between(shot, p, q) > 2;
}

static bool needs_more(const Shot& shot, const Band& band, int x, int y) {
    const auto at = [&](int i, int j) -> const Pixel& {
        return band.pixels[std::size_t(j - band.y0) * shot.width + i];
    };
    const Pixel& p = at(x, y);
    if (p.id == -2 || (p.sun > 0 && p.sun < p.samples)) return true;
    if (p.id >= 0 && p.normal.norm() < 0.985f * p.samples) return true;
    for (int j = std::max(band.y0, y - 1); j <= std::min(band.y1 - 1, y + 1); ++j)
        for (int i = std::max(0, x - 1); i <= std::min(shot.width - 1, x + 1); ++i)
            if (differ(shot, p, at(i, j))) return true;
    return false;
}

static void trace_band(const Parallel& parallel, const ShadeScene& scene, const Shot& shot, Band& band) {
    const std::size_t count = std::size_t(band.y1 - band.y0) * shot.width;
    band.pixels.assign(count, Pixel{});
    band.refine.assign(count, 0);
    const auto at = [&](int x, int y) { return std::size_t(y - band.y0) * shot.width + x; };
    for_each_pixel(parallel, shot.width, band.y0, band.y1, [&](int x, int y) {
        for (int s = 0; s < shot.base; ++s) add_sample(scene, shot, x, y, s, band.pixels[at(x, y)]);
    });
    if (shot.most == shot.base) return;
    for_each_pixel(parallel, shot.width, band.y0, band.y1,
                   [&](int x, int y) { band.refine[at(x, y)] = needs_more(shot, band, x, y); });
    for_each_pixel(parallel, shot.width, band.y0, band.y1, [&](int x, int y) {
        for (int s = shot.base; s < shot.most && band.refine[at(x, y)]; ++s)
            add_sample(scene, shot, x, y, s, band.pixels[at(x, y)]);
    });
}

namespace {

struct Soft {
    Vec3f sky;
    float sun;      // mean over the window
    float penumbra; // part of the window that is neither in full sun nor in full shadow
};

} // namespace

// Sky light and sun of the pixel averaged with those of neighbours on the same surface; the outer ring counts
// half, so that the window is 4 pixels wide and centred.
static Soft smooth_light(const Shot& shot, const Band& band, int x, int y) {
    const Pixel& p = band.pixels[std::size_t(y - band.y0) * shot.width + x];
    Soft soft{Vec3f::Zero(), 0, 0};
    float weight = 0;
    for (int j = std::max(band.y0, y - kReach); j <= std::min(band.y1 - 1, y + kReach); ++j)
        for (int i = std::max(0, x - kReach); i <= std::min(shot.width - 1, x + kReach); ++i) {
            const Pixel& q = band.pixels[std::size_t(j - band.y0) * shot.width + i];
            if (q.id != p.id) continue;
            const float aligned = p.normal.dot(q.normal) / (p.normal.norm() * q.normal.norm());
            if (!(aligned > 0.8f) || step_between(shot, p, q) > 3) continue;
            const float ring =
                (std::abs(i - x) == kReach ? 0.5f : 1) * (std::abs(j - y) == kReach ? 0.5f : 1);
            const float w = ring * aligned * aligned * aligned * aligned;
            soft.sky += w / q.sky_samples * q.sky;
            soft.sun += w / q.samples * q.sun;
            soft.penumbra += w * (q.sun > 0 && q.sun < q.samples);
            weight += w;
        }
    if (!(weight > 0)) return {p.sky / std::max(1, p.sky_samples), p.sun / p.samples, 0};
    return {soft.sky / weight, soft.sun / weight, soft.penumbra / weight};
}

// The pixel's light. Wide penumbras take the averaged sun; at sharp borders of shadows, where few pixels
// around are half lit, averaging would only blur.
static Vec3f finish_pixel(const Shot& shot, const Band& band, int x, int y) {
    const Pixel& p = band.pixels[std::size_t(y - band.y0) * shot.width + x];
    if (p.id < 0) return p.seen / p.samples;
    const Soft soft = smooth_light(shot, band, x, y);
    const float wide = std::clamp((soft.penumbra - 0.45f) / 0.35f, 0.0f, 1.0f);
    return (p.direct + (1 - wide) * p.sunlit + wide * soft.sun * p.lit + p.albedo.cwiseProduct(soft.sky)) /
           p.samples;
}

// Light above 0.76 is compressed towards 1 and loses some saturation (Khronos PBR neutral tone mapper without
// its reflectance offset): below that, colours come out as given.
static Vec3f tone_map(Vec3f c) {
    const float start = 0.76f, peak = c.maxCoeff();
    if (!(peak >= start)) return c.cwiseMax(0.0f);
    const float room = 1 - start, top = 1 - room * room / (peak + room - start);
    c *= top / peak;
    const float g = 1 - 1 / (0.15f * (peak - top) + 1);
    return c + g * (Vec3f::Constant(top) - c);
}

static void finish_band(const Parallel& parallel, const Shot& shot, const Band& band, int y0, int y1,
                        float exposure, Picture& picture) {
    for_each_pixel(parallel, shot.width, y0, y1, [&](int x, int y) {
        const Vec3f c = tone_map(exposure * finish_pixel(shot, band, x, y));
        std::uint8_t* out = &picture.rgba[4 * (std::size_t(y) * shot.width + x)];
        for (int k = 0; k < 3; ++k)
            out[k] = std::uint8_t(std::lround(255 * std::clamp(srgb_from_linear(c[k]), 0.0, 1.0)));
        out[3] = 255;
    });
}

Result<Painter> make_painter(const SnapshotLayout& layout, const RenderSettings& settings) {
    std::vector<Error> errors = check_settings(settings);
    if (!can_trace()) errors.push_back(make_trace_scene({}, {}, {}, {}).errors.at(0));
    Painter painter{layout, settings, {}};
    for (const SnapshotObject& object : layout.objects) {
        Result<DrawnShape> shape = build_drawn_shape(object, settings.crease);
        errors.insert(errors.end(), shape.errors.begin(), shape.errors.end());
        painter.shapes.push_back(shape ? std::move(*shape.value) : DrawnShape{});
    }
    if (!errors.empty()) return {{}, std::move(errors)};
    return {std::move(painter), {}};
}

Result<RenderedFrame> render_frame(const Parallel& parallel, const Painter& painter, const Snapshot& snapshot,
                                   const FilmView& view) {
    const RenderSettings& settings = painter.settings;
    if (auto errors = check_view(view); !errors.empty()) return {{}, std::move(errors)};
    Result<Drawing> drawing = build_drawing(painter.layout, painter.shapes, snapshot, settings, view);
    if (!drawing) return {{}, std::move(drawing.errors)};
    const Shot shot = make_shot(settings, view.camera, drawing.value->origin);
    const TraceThickness thick{shot.eye, shot.pixel, float(settings.thinnest)};
    Result<TraceScenePtr> trace = make_trace_scene(painter.layout, painter.shapes, *drawing.value, thick);
    if (!trace) return {{}, std::move(trace.errors)};
    const ShadeScene scene{&painter.layout,
                           &painter.shapes,
                           &*drawing.value,
                           trace.value->get(),
                           make_surroundings(settings, view, *drawing.value),
                           color_map(settings)};
    RenderedFrame frame{make_picture(settings.width, settings.height), drawing.value->warnings};
    // rows beyond the band's own are needed for its smoothing and for the choice of pixels to refine
    constexpr int border = kReach + 1;
    for (int y0 = 0; y0 < settings.height; y0 += kBandRows) {
        const int y1 = std::min(settings.height, y0 + kBandRows);
        Band band{std::max(0, y0 - border), std::min(settings.height, y1 + border), {}, {}};
        trace_band(parallel, scene, shot, band);
        finish_band(parallel, shot, band, y0, y1, float(settings.exposure), frame.picture);
    }
    write_on(settings, snapshot, *drawing.value, frame.picture);
    return {std::move(frame), {}};
}

} // namespace sinew
