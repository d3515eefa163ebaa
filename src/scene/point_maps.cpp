#include "scene/point_maps.h"
#include "core/error.h"
#include "core/signal.h"
#include "geometry/triangle_tree.h"
#include "geometry/triangulate.h"
#include "scene/scope.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

MapPlaces map_places(const PolygonMesh& mesh) { return {mesh.positions, mesh.attributes}; }

MapPlaces map_places(std::span<const Real3> x, const PolygonMesh& surface) {
    MapPlaces out{x, {}};
    if (surface.attributes.empty()) return out;
    const TriangleShape shape{surface.positions, triangulate(surface).triangles};
    if (shape.triangles.empty()) return out;
    const TriangleTree tree = build_triangle_tree(shape);
    for (const VertexAttribute& a : surface.attributes) out.attributes.push_back({a.name, a.components, {}});
    int near = -1;
    for (const Real3& p : x) {
        const SurfacePoint found = find_closest(tree, shape, vec(p), std::numeric_limits<Real>::infinity(), near);
        near = found.triangle;
        const auto& corners = shape.triangles[near];
        for (std::size_t k = 0; k < surface.attributes.size(); ++k) {
            const VertexAttribute& a = surface.attributes[k];
            for (int i = 0; i < a.components; ++i) {
                Real value = 0;
                for (int j = 0; j < 3; ++j) value += found.at.weight[j] * a.values[std::size_t(corners[j]) * a.components + i];
                out.attributes[k].values.push_back(value);
            }
        }
    }
    return out;
}

bool read_map(BuildContext& c, const Value& value, std::string_view key, const MapPlaces& places, const MapRange& range,
              std::vector<Real>& out) {
    const std::string path = c.path(key);
    const std::size_t n = places.x.size(), before = c.errors.size();
    const auto named = std::find_if(places.attributes.begin(), places.attributes.end(), [&](const VertexAttribute& a) {
        return value.kind == Value::Kind::text && a.name == value.text;
    });
    if (value.kind == Value::Kind::array) {
        if (!check_array(value, int(n), path, "one number per point", c.errors)) return false;
        for (std::size_t i = 0; i < n; ++i) read_number(value.items[i], "", c.scope, join_path(path, int(i)), out[i], c.errors);
    } else if (named != places.attributes.end()) {
        for (std::size_t i = 0; i < n; ++i) out[i] = named->values[i * named->components];
    } else {
        Signal signal;
        const Scope outer = make_field_scope(c.scene), scope = make_scope(outer, c.object.vars);
        if (!read_signal(value, "", scope, path, signal, c.errors)) return false;
        for (std::size_t i = 0; i < n; ++i) {
            const Real3& x = places.x[i];
            out[i] = evaluate(signal, std::array<double, 5>{0, 0, x.x, x.y, x.z});
        }
    }
    for (std::size_t i = 0; i < n && c.errors.size() == before; ++i)
        if (!((range.above ? out[i] > range.min : out[i] >= range.min) && out[i] <= range.max))
            c.errors.push_back(make_error(value, path, fmt::format("is {:.4g} at point {}", out[i], i), range.allowed));
    return c.errors.size() == before;
}

PointMaps read_maps(BuildContext& c, const Value& maps, const MapPlaces& places, std::string_view size) {
    const std::vector<Real> ones(places.x.size(), 1.0);
    PointMaps out{ones, ones, ones};
    if (maps.kind == Value::Kind::null) return out;
    Value stiffness, density, width;
    FieldList list = collect_fields([&](auto v) {
        v("stiffness", stiffness, Field{.doc = "factor on all stiffnesses"});
        v("density", density, Field{.doc = "factor on the mass per area or volume"});
        if (!size.empty()) v(size, width, Field{.doc = "factor on the thickness of a sheet or the radius of a rod, with all that follows from it"});
    });
    if (!read_fields(list, maps, c.scope, c.path("maps"), c.errors)) return out;
    const auto read = [&](const Value& value, std::string_view key, std::vector<Real>& to) {
        if (value.kind != Value::Kind::null) read_map(c, value, fmt::format("maps.{}", key), places, {}, to);
    };
    read(stiffness, "stiffness", out.stiffness);
    read(density, "density", out.density);
    read(width, size, out.size);
    return out;
}

} // namespace sinew
