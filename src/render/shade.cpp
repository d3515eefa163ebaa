#include "render/shade.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// A point of a body, as lighting needs it
struct Surface {
    Vec3f position;
    Vec3f flat;   // geometric normal facing the ray's origin
    Vec3f normal; // shading normal, same side
    Vec3f lifted; // start of shadow rays: off the facets of a curved surface
    Vec3f albedo;
    bool sheet = false, back = false;
    int object = 0;
};

} // namespace

static Vec3f vertex_color(const ShadeScene& s, const DrawnObject& object, float value, bool back) {
    if (object.value.empty()) return back ? object.back_color : object.color;
    const Real3 c = map_color(s.color_map, value);
    return Vec3f(float(linear_from_srgb(c.x)), float(linear_from_srgb(c.y)), float(linear_from_srgb(c.z)));
}

static float value_at(const DrawnObject& object, int vertex) {
    return object.value.empty() ? 0 : object.value[vertex];
}

// Shadow rays from the facets of a smooth surface would meet the neighbouring facets: they start on the
// curved surface instead, the mean of the projections onto the tangent planes at the corners (Hanika 2021).
static Vec3f lift_point(const Vec3f& p, const Vec3f* corner, const Vec3f* normal, const float* weight) {
    Vec3f lifted = Vec3f::Zero();
    for (int k = 0; k < 3; ++k) {
        const float below = std::min(0.0f, (p - corner[k]).dot(normal[k]));
        lifted += weight[k] * (p - below * normal[k]);
    }
    return lifted;
}

static void fill_triangle(const ShadeScene& s, const TraceHit& hit, const Vec3f& direction, Surface& out) {
    const DrawnShape& shape = (*s.shapes)[hit.object];
    const DrawnObject& object = s.drawing->objects[hit.object];
    const auto &vertex = shape.triangles[hit.element], &normal = shape.normals[hit.element];
    const float weight[3] = {1 - hit.u - hit.v, hit.u, hit.v};
    Vec3f corner[3], n[3], sum = Vec3f::Zero();
    float value = 0;
    out.back = hit.normal.dot(direction) > 0;
    for (int k = 0; k < 3; ++k) {
        corner[k] = object.position[vertex[k]];
        n[k] = object.normal[normal[k]] * (out.back ? -1.0f : 1.0f);
        sum += weight[k] * n[k];
        value += weight[k] * value_at(object, vertex[k]);
    }
    out.flat = out.back ? Vec3f(-hit.normal) : hit.normal;
    out.normal = sum.squaredNorm() > 1e-8f ? Vec3f(sum.normalized()) : out.flat;
    // at grazing angles the interpolated normal may point away from the eye: bend it back
    const float away = out.normal.dot(direction);
    if (away > -1e-3f) out.normal = (out.normal - (away + 1e-3f) * direction).normalized();
    out.lifted = lift_point(out.position, corner, n, weight);
    out.sheet = object.sheet;
    out.back &= object.sheet;
    out.albedo = vertex_color(s, object, value, out.back);
}

static void fill_round(const ShadeScene& s, const TraceHit& hit, const Vec3f& direction, Surface& out) {
    const DrawnObject& object = s.drawing->objects[hit.object];
    float value = 0;
    if (hit.part == TracePart::point) {
        value = value_at(object, hit.element);
    } else {
        const auto& ab = s.layout->objects[hit.object].segments[hit.element];
        value = (1 - hit.u) * value_at(object, ab[0]) + hit.u * value_at(object, ab[1]);
    }
    out.flat = out.normal = hit.normal.dot(direction) > 0 ? Vec3f(-hit.normal) : hit.normal;
    out.lifted = out.position;
    out.albedo = vertex_color(s, object, value, false);
}

static Surface find_surface(const ShadeScene& s, const TraceHit& hit, const TraceRay& ray) {
    Surface out;
    out.position = ray.origin + hit.distance * ray.direction;
    out.object = hit.object;
    if (hit.part == TracePart::triangle)
        fill_triangle(s, hit, ray.direction, out);
    else
        fill_round(s, hit, ray.direction, out);
    return out;
}

// Start of a secondary ray: off the surface by what single precision needs at that distance from the origin
static Vec3f start_point(const ShadeScene& s, const Vec3f& p, const Vec3f& side) {
    return p + 2e-5f * (s.around.scale + p.cwiseAbs().maxCoeff()) * side;
}

// Orthonormal axes around n that turn smoothly with it (Duff et al. 2017)
static Vec3f to_world(const Vec3f& n, float x, float y, float z) {
    const float sign = n.z() >= 0 ? 1.0f : -1.0f, a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
    const Vec3f t(1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x()),
        c(b, sign + n.y() * n.y() * a, -n.y());
    return x * t + y * c + z * n;
}

static Vec3f sun_direction(const Surroundings& a, Sample2 sample) {
    const Sample2 d = on_disc(sample);
    return (a.sun + d.u * a.sun_a + d.v * a.sun_b).normalized();
}

// What a ray that left a surface for the sky brings back: sky, or light bounced off what it met. Bodies and
// ground met there are lit by the sun's middle and half of the sky.
static Vec3f gather(const ShadeScene& s, const TraceRay& ray) {
    TraceHit hit;
    const bool body = find_hit(*s.trace, ray, hit);
    const float ground = ground_distance(s.around, ray.origin, ray.direction);
    if (!body && ground < 0) return sky_light(s.around, ray.direction);
    Vec3f p, n, color;
    if (body && (ground < 0 || hit.distance < ground)) {
        const Surface surface = find_surface(s, hit, ray);
        p = surface.position, n = surface.normal, color = surface.albedo;
    } else {
        p = ray.origin + ground * ray.direction, n = s.around.up, color = s.around.ground_color;
    }
    Vec3f light = 0.5f * sky_light(s.around, n);
    const float facing = n.dot(s.around.sun);
    if (facing > 0 && !is_blocked(*s.trace, {start_point(s, p, n), s.around.sun}))
        light += facing * s.around.sun_color;
    return color.cwiseProduct(light);
}

Vec3f sky_arriving(const ShadeScene& s, const Shaded& at, Sample2 sample) {
    // cosine-weighted about the shading normal; below the facet nothing arrives
    const Sample2 d = on_disc(sample);
    const float z = std::sqrt(std::max(0.0f, 1 - d.u * d.u - d.v * d.v));
    const Vec3f direction = to_world(at.normal, d.u, d.v, z).normalized();
    const float lift = direction.dot(at.flat);
    // reflected at the facet: keeps the energy that interpolated normals would lose
    const Vec3f out = lift > 0 ? direction : Vec3f(direction - 2 * lift * at.flat);
    return gather(s, {start_point(s, at.position, at.flat), out});
}

// Schlick's Fresnel term for plastic
static float fresnel(float cosine) { return 0.04f + 0.96f * std::pow(1 - cosine, 5.0f); }

// The sun mirrored (Blinn's lobe, normalised) by a surface that faces it with cosine `facing`
static Vec3f highlight(const ShadeScene& s, const Surface& surface, const Vec3f& view, float facing) {
    const Vec3f half = (view + s.around.sun).normalized();
    const float power = 55, lobe = std::pow(std::max(0.0f, surface.normal.dot(half)), power);
    return facing * fresnel(std::max(0.0f, half.dot(view))) * (power + 8) / 8 * lobe * s.around.sun_color;
}

static Shaded shade_body(const ShadeScene& s, const TraceRay& ray, const TraceHit& hit, Sample2 sample) {
    const Surface surface = find_surface(s, hit, ray);
    Shaded out;
    out.id = 1 + 2 * surface.object + surface.back;
    out.position = surface.position;
    out.normal = surface.normal;
    out.flat = surface.flat;
    out.albedo = surface.albedo;
    const Vec3f sun = sun_direction(s.around, sample);
    const float facing = surface.normal.dot(sun);
    const Vec3f view = -ray.direction;
    if (facing > 0) {
        out.sun = !is_blocked(*s.trace, {start_point(s, surface.lifted, surface.flat), sun});
        out.lit = facing * surface.albedo.cwiseProduct(s.around.sun_color);
        if (!surface.sheet) out.lit += highlight(s, surface, view, facing);
    } else if (surface.sheet) {
        // lit from behind: a thin fabric passes a part, tinted once more
        out.sun = !is_blocked(*s.trace, {start_point(s, surface.position, -surface.flat), sun});
        const Vec3f tint = surface.albedo.cwiseProduct(surface.albedo.cwiseSqrt());
        out.lit = -0.45f * facing * tint.cwiseProduct(s.around.sun_color);
    }
    // bodies mirror what is around them, blurred by their roughness to the mean that arrives; at grazing
    // angles most
    if (!surface.sheet)
        out.albedo += Vec3f::Constant(0.55f * fresnel(std::max(0.0f, surface.normal.dot(view))));
    return out;
}

static Shaded shade_ground(const ShadeScene& s, const TraceRay& ray, float distance, float pixel,
                           Sample2 sample) {
    Shaded out;
    out.id = 0;
    out.position = ray.origin + distance * ray.direction;
    out.normal = out.flat = s.around.up;
    // a pixel covers more ground the flatter the ray meets it
    const float footprint = distance * pixel / std::max(0.05f, -ray.direction.dot(s.around.up));
    const GroundPoint ground = ground_point(s.around, out.position, footprint);
    out.direct = (1 - ground.presence) * background(s.around, ray.direction);
    if (ground.presence <= 0) {
        out.id = -1;
        return out;
    }
    out.albedo = ground.presence * ground.color;
    const Vec3f sun = sun_direction(s.around, sample), start = start_point(s, out.position, s.around.up);
    out.sun = !is_blocked(*s.trace, {start, sun});
    out.lit = s.around.up.dot(sun) * out.albedo.cwiseProduct(s.around.sun_color);
    return out;
}

Shaded shade(const ShadeScene& s, const Vec3f& eye, const Vec3f& direction, float pixel, Sample2 sample) {
    const TraceRay ray{eye, direction};
    TraceHit hit;
    const bool body = find_hit(*s.trace, ray, hit);
    const float ground = ground_distance(s.around, eye, direction);
    if (body && (ground < 0 || hit.distance < ground)) return shade_body(s, ray, hit, sample);
    if (ground >= 0) return shade_ground(s, ray, ground, pixel, sample);
    Shaded out;
    out.direct = background(s.around, direction);
    return out;
}

} // namespace sinew
