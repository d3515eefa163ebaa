#include "scene/mesh_shape.h"
#include "core/error.h"
#include "geometry/generate.h"
#include "geometry/stuffing.h"
#include "geometry/tet_measure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

struct ShapeParams {
    std::string shape;
    Real radius = 0.5;
    int levels = 3;
    Value blobs, profile;
    int around = 48;
    Real blend = 0.02, cell = 0;
    template <class V> static void fields(ShapeParams& p, V&& v) {
        v("shape", p.shape, Field{.allowed = {"ball", "blobs", "lathe"}, .doc = "a ball of triangles, balls and capsules joined smoothly, or a line turned about y"});
        v("radius", p.radius, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the ball"});
        v("levels", p.levels, Field{.min = 0, .max = 7, .doc = "of the ball: 10 4^levels + 2 vertices"});
        v("blobs", p.blobs, Field{.doc = "balls [x, y, z, r] and capsules [x0, y0, z0, x1, y1, z1, r]"});
        v("blend", p.blend, Field{.min = 0, .unit = "m", .doc = "by which blobs run into each other"});
        v("profile", p.profile, Field{.doc = "of the lathe: points [radius, y] of the line"});
        v("around", p.around, Field{.min = 3, .max = 4096, .doc = "of the lathe: parts of a turn"});
        v("cell", p.cell, Field{.min = 0, .unit = "m", .doc = "of the lattice that makes blobs, default: a thirtieth of the longest side; of the lathe: longest piece "
                                                               "of the line, default: as it is"});
    }
};

struct Blob {
    Vec3 a, b;
    Real radius;
};

bool read_blobs(BuildContext& c, const Value& value, const std::string& path, std::vector<Blob>& out) {
    if (value.kind != Value::Kind::array || value.items.empty()) {
        c.errors.push_back(make_error(value, path, "must be a list of balls and capsules", "[x, y, z, r], [x0, y0, z0, x1, y1, z1, r]"));
        return false;
    }
    for (std::size_t i = 0; i < value.items.size(); ++i) {
        const Value& item = value.items[i];
        const std::string here = fmt::format("{}[{}]", path, i);
        const std::size_t n = item.kind == Value::Kind::array ? item.items.size() : 0;
        if (n != 4 && n != 7) {
            c.errors.push_back(make_error(item, here, "must have four or seven numbers", "[x, y, z, r], [x0, y0, z0, x1, y1, z1, r]"));
            return false;
        }
        std::array<Real, 7> number{};
        for (std::size_t k = 0; k < n; ++k)
            if (!read_number(item.items[k], "m", c.scope, fmt::format("{}[{}]", here, k), number[k], c.errors)) return false;
        if (!(number[n - 1] > 0)) {
            c.errors.push_back(make_error(item.items[n - 1], here, "a radius must be above 0"));
            return false;
        }
        const Vec3 a(number[0], number[1], number[2]), b = n == 7 ? Vec3(number[3], number[4], number[5]) : a;
        out.push_back({a, b, number[n - 1]});
    }
    return true;
}

Real distance_to_blob(const Blob& blob, const Vec3& x) {
    const Vec3 axis = blob.b - blob.a;
    const Real length2 = axis.squaredNorm(), t = length2 > 0 ? std::clamp(axis.dot(x - blob.a) / length2, 0.0, 1.0) : 0;
    return (x - blob.a - t * axis).norm() - blob.radius;
}

Real joined_distance(const std::vector<Blob>& blobs, Real blend, const Vec3& x) {
    Real least = 1e300;
    for (const Blob& b : blobs) least = std::min(least, distance_to_blob(b, x));
    if (!(blend > 0)) return least;
    Real sum = 0;
    for (const Blob& b : blobs) sum += std::exp((least - distance_to_blob(b, x)) / blend);
    return least - blend * std::log(sum);
}

PolygonMesh make_blobs(BuildContext& c, std::string_view key, const Value& value, const ShapeParams& p) {
    std::vector<Blob> blobs;
    if (!read_blobs(c, p.blobs, c.path(key) + ".blobs", blobs)) return {};
    Vec3 low = Vec3::Constant(1e300), high = -low;
    for (const Blob& b : blobs) {
        const Vec3 r = Vec3::Constant(b.radius + p.blend * std::log(Real(blobs.size()))); // the join grows by no more
        low = low.cwiseMin(b.a.cwiseMin(b.b) - r);
        high = high.cwiseMax(b.a.cwiseMax(b.b) + r);
    }
    StuffingSettings settings;
    settings.cell = p.cell > 0 ? p.cell : (high - low).maxCoeff() / 30;
    const Vec3 room = Vec3::Constant(2 * settings.cell);
    const Result<TetMesh> made = stuff_distance(*make_parallel(Context{}), Aabb{low - room, high + room},
                                                [&](const Vec3& x) { return joined_distance(blobs, p.blend, x); }, settings);
    if (!made) {
        for (const Error& e : made.errors) add_error(c, key, value, "cannot make these blobs: " + e.message, e.allowed);
        return {};
    }
    // the boundary's points alone
    PolygonMesh out;
    std::vector<int> vertex(made.value->points.size(), -1);
    for (const BoundaryFace& f : boundary_faces(*made.value)) {
        std::array<int, 3> corner{};
        for (int k = 0; k < 3; ++k) {
            int& v = vertex[f.corners[k]];
            if (v < 0) {
                v = vertex_count(out);
                out.positions.push_back(made.value->points[f.corners[k]]);
            }
            corner[k] = v;
        }
        add_polygon(out, {corner[0], corner[1], corner[2]});
    }
    return out;
}

PolygonMesh make_turned(BuildContext& c, std::string_view key, const Value& value, const ShapeParams& p) {
    const std::string path = c.path(key) + ".profile";
    const Value& list = p.profile;
    if (list.kind != Value::Kind::array || list.items.size() < 2) {
        c.errors.push_back(make_error(list.kind == Value::Kind::null ? value : list, path, "must be a list of at least two points", "[radius, y]"));
        return {};
    }
    std::vector<std::array<Real, 2>> line(list.items.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string here = fmt::format("{}[{}]", path, i);
        if (!check_array(list.items[i], 2, here, "numbers", c.errors)) return {};
        for (int k = 0; k < 2; ++k)
            if (!read_number(list.items[i].items[k], "m", c.scope, here, line[i][k], c.errors)) return {};
        const bool end = i == 0 || (i + 1 == line.size() && (i > 1 || line[0][0] > 0)); // of a line off the axis
        if (line[i][0] < 0 || (!end && line[i][0] == 0)) {
            c.errors.push_back(make_error(list.items[i].items[0], here, "a radius must be above 0, at the ends 0 or more"));
            return {};
        }
        if (i > 0 && line[i] == line[i - 1]) {
            c.errors.push_back(make_error(list.items[i], here, "is the point before once more"));
            return {};
        }
    }
    if (line.size() < 4 && line.front() == line.back()) { // there and back: two sheets in one place
        c.errors.push_back(make_error(list, path, "a closed line must have at least three different points"));
        return {};
    }
    // counted before anything is made: a tiny cell would fill the memory
    constexpr Real kMostVertices = 4e6;
    Real parts = 1;
    for (std::size_t i = 1; i < line.size(); ++i)
        parts += p.cell > 0 ? std::max(1.0, std::ceil(std::hypot(line[i][0] - line[i - 1][0], line[i][1] - line[i - 1][1]) / p.cell)) : 1;
    if (!(parts * p.around <= kMostVertices)) {
        c.errors.push_back(make_error(value, c.path(key), fmt::format("would have {:.3g} vertices", parts * p.around),
                                      "at most 4e6; a larger cell, a smaller around"));
        return {};
    }
    return make_lathe(line, p.around, p.cell);
}

} // namespace

bool is_mesh_shape(const Value& value) { return value.kind == Value::Kind::object && find(value, "shape"); }

// keys that belong to another shape do nothing: they are mistakes
static bool check_keys(BuildContext& c, std::string_view key, const Value& value, const std::string& shape) {
    const std::vector<std::string_view> own = shape == "ball"    ? std::vector<std::string_view>{"radius", "levels"}
                                              : shape == "lathe" ? std::vector<std::string_view>{"profile", "around", "cell"}
                                                                 : std::vector<std::string_view>{"blobs", "blend", "cell"};
    bool ok = true;
    for (const Member& m : value.members) {
        if (m.key == "shape" || std::find(own.begin(), own.end(), m.key) != own.end()) continue;
        c.errors.push_back(make_error(m.value, c.path(key) + "." + m.key, fmt::format("is not a key of shape {}", shape), fmt::format("{}", fmt::join(own, ", "))));
        ok = false;
    }
    return ok;
}

PolygonMesh make_mesh_shape(BuildContext& c, std::string_view key, const Value& value) {
    ShapeParams p;
    FieldList list = collect_fields([&](auto v) { ShapeParams::fields(p, v); });
    if (!read_fields(list, value, c.scope, c.path(key), c.errors)) return {};
    if (!check_keys(c, key, value, p.shape)) return {};
    if (p.shape == "ball") return make_icosphere(p.radius, p.levels);
    if (p.shape == "lathe") return make_turned(c, key, value, p);
    return make_blobs(c, key, value, p);
}

} // namespace sinew
