#include "render/surroundings.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static Vec3f to_float(const Real3& c) { return vec(c).cast<float>(); }

static float smooth_step(float a, float b, float x) {
    const float t = std::clamp((x - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

// 1, 2 or 5 times a power of ten, next to x
static double round_number(double x) {
    const double power = std::pow(10.0, std::floor(std::log10(x))), m = x / power;
    return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * power;
}

Surroundings make_surroundings(const RenderSettings& settings, const FilmView& view, const Drawing& drawing) {
    Surroundings s;
    Vec3 up = vec(settings.up);
    up = up.allFinite() && up.norm() > 1e-12 ? Vec3(up.normalized()) : Vec3(0, 1, 0);
    // the same axes as the camera fit uses, so that angles of eye and sun count from the same direction
    const Vec3 axis = std::abs(up.y()) > 0.9   ? Vec3(1, 0, 0)
                      : std::abs(up.x()) < 0.7 ? Vec3(up.cross(Vec3(1, 0, 0)))
                                               : Vec3(up.cross(Vec3(0, 0, 1)));
    const Vec3 east = (axis - up * up.dot(axis)).normalized(), north = east.cross(up);
    s.up = up.cast<float>();
    s.east = east.cast<float>();
    s.north = north.cast<float>();

    const double elevation = std::clamp(settings.sun_elevation, 0.05, kPi / 2), a = settings.sun_azimuth;
    const Vec3 sun =
        std::cos(elevation) * (std::sin(a) * east + std::cos(a) * north) + std::sin(elevation) * up;
    const Vec3 side = sun.cross(std::abs(sun.x()) < 0.7 ? Vec3(1, 0, 0) : Vec3(0, 0, 1)).normalized();
    const double size = std::clamp(settings.sun_size, 0.0, 0.5);
    s.sun = sun.cast<float>();
    s.sun_a = (size * side).cast<float>();
    s.sun_b = (size * sun.cross(side)).cast<float>();
    s.sun_color = float(settings.sun_light) * Vec3f(1.0f, 0.955f, 0.885f);

    s.sky_top = to_float(settings.sky_top);
    s.sky_horizon = to_float(settings.sky_horizon);
    // cosine-weighted mean of the gradient in sky_light is (horizon + 2 top) / 3
    s.light_top = float(settings.sky_light) * Vec3f(0.90f, 0.99f, 1.16f);
    s.light_horizon = float(settings.sky_light) * Vec3f(1.04f, 1.02f, 0.98f);

    s.ground = ground_style(settings);
    s.ground_color = to_float(settings.ground_color);
    const double radius =
        is_empty(view.bounds) ? 1 : (vec(view.bounds.max) - vec(view.bounds.min)).norm() / 2;
    s.scale = float(std::clamp(radius, 1e-6, 1e12));
    // a hair lower than asked, so that what lies on the ground is not in it
    s.ground_height = float(view.ground_height - vec(drawing.origin).dot(up)) - 2e-4f * s.scale;
    s.spacing = float(settings.ground_spacing > 0 ? settings.ground_spacing : round_number(0.45 * s.scale));
    s.fade_begin = 2.2f * s.scale;
    s.fade_end = 9 * s.scale;
    return s;
}

Vec3f background(const Surroundings& s, const Vec3f& d) {
    const float h = d.dot(s.up);
    if (h >= 0) return s.sky_horizon + (s.sky_top - s.sky_horizon) * (1 - std::exp(-3.0f * h));
    // below the horizon slowly darker: the far end of a studio floor
    return s.sky_horizon * (1 - 0.22f * (1 - std::exp(2.5f * h)));
}

Vec3f sky_light(const Surroundings& s, const Vec3f& d) {
    const float h = d.dot(s.up);
    if (h >= 0) return s.light_horizon + (s.light_top - s.light_horizon) * h;
    // light from below where there is no ground: as from a far grey floor
    return 0.55f * s.light_horizon;
}

float ground_distance(const Surroundings& s, const Vec3f& origin, const Vec3f& d) {
    if (s.ground == GroundStyle::none) return -1;
    const float h = origin.dot(s.up) - s.ground_height, fall = -d.dot(s.up);
    return h > 0 && fall > 1e-6f ? h / fall : -1;
}

// Part of an interval of `width` around x covered by lines of half width `half` at whole numbers.
static float line_coverage(float x, float half, float width) {
    // integral of the periodic indicator from 0 to x
    const auto sum = [half](float y) {
        const float n = std::floor(y + 0.5f), f = y - n;
        return 2 * half * n + std::clamp(f, -half, half);
    };
    width = std::max(width, 1e-4f);
    return (sum(x + 0.5f * width) - sum(x - 0.5f * width)) / width;
}

// Mean over an interval of `width` around x of the square wave that is +1 on [0,1), -1 on [1,2)
static float square_mean(float x, float width) {
    const auto sum = [](float y) { // its integral, a triangle wave
        const float f = y - 2 * std::floor(y / 2);
        return f < 1 ? f : 2 - f;
    };
    width = std::max(width, 1e-4f);
    return (sum(x + 0.5f * width) - sum(x - 0.5f * width)) / width;
}

GroundPoint ground_point(const Surroundings& s, const Vec3f& p, float footprint) {
    const float x = p.dot(s.east), z = p.dot(s.north), far = std::sqrt(x * x + z * z);
    GroundPoint g{s.ground_color, 1 - smooth_step(s.fade_begin, s.fade_end, far)};
    const float u = x / s.spacing, v = z / s.spacing, w = footprint / s.spacing;
    if (s.ground == GroundStyle::grid) {
        const float a = line_coverage(u, 0.007f, w), b = line_coverage(v, 0.007f, w);
        g.color *= 1 - 0.28f * (a + b - a * b);
    } else if (s.ground == GroundStyle::checker) {
        g.color *= 1 + 0.09f * square_mean(u, w) * square_mean(v, w);
    }
    return g;
}

} // namespace sinew
