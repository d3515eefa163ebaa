#include "scene/body_shape.h"
#include "core/math.h"
#include "core/parallel.h"
#include "geometry/decompose.h"
#include "geometry/distance_grid.h"
#include "geometry/hull.h"
#include "geometry/triangulate.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

namespace {

Shape primitive(BodyShape shape, const BodyParams& p) {
    switch (shape) {
    case BodyShape::box: return {Shape::box, {p.size.x / 2, p.size.y / 2, p.size.z / 2}};
    case BodyShape::capsule: return {Shape::capsule, {p.radius, p.height / 2, 0}};
    case BodyShape::cone: return {Shape::cone, {p.radius, p.height / 2, 0}};
    case BodyShape::cylinder: return {Shape::cylinder, {p.radius, p.height / 2, 0}};
    case BodyShape::plane: return {Shape::half_space, {}};
    default: return {Shape::sphere, {p.radius, 0, 0}};
    }
}

// Convex parts as one compound; fewer hulls than the limit needs are a note, no error.
Shape decomposed_shape(const BodyParams& p, const TriangleShape& triangles, BuildContext& c) {
    ShapeStore& store = c.builder.shapes;
    const ParallelPtr parallel = make_parallel({});
    DecomposeSettings settings;
    settings.concavity = p.concavity;
    settings.max_hulls = p.hulls;
    settings.spacing = std::min(settings.spacing, p.concavity / 4);
    Result<Decomposition> d = decompose_mesh(*parallel, triangles, settings);
    for (const Error& e : d.errors) add_error(c, "shape", make_text(p.shape), "no decomposition of this mesh: " + e.message);
    Shape shape{Shape::compound, {}, 0, int(store.compounds.size())};
    if (!d) return shape;
    CompoundShape parts;
    for (HullShape& hull : d.value->hulls) {
        parts.parts.push_back({Shape::hull, {}, 0, int(store.hulls.size())});
        parts.poses.push_back({});
        store.hulls.push_back(std::move(hull));
    }
    if (!d.value->within_limit)
        c.notes.push_back(fmt::format("{}: {} hulls are not enough for a concavity of {} (\"hulls\", \"concavity\")", c.object.name,
                                      d.value->hulls.size(), p.concavity));
    store.compounds.push_back(std::move(parts));
    return shape;
}

Shape mesh_shape(const BodyParams& p, const PolygonMesh& mesh, bool free, BuildContext& c) {
    ShapeStore& store = c.builder.shapes;
    Shape shape;
    if (p.shape == "hull") {
        Result<HullShape> hull = make_hull(mesh.positions);
        for (const Error& e : hull.errors) add_error(c, "shape", make_text(p.shape), "no hull of this mesh: " + e.message);
        if (!hull) return shape;
        shape.kind = Shape::hull;
        shape.data = int(store.hulls.size());
        store.hulls.push_back(std::move(*hull.value));
        return shape;
    }
    TriangleShape triangles{mesh.positions, triangulate(mesh).triangles};
    if (p.shape == "decomposition") return decomposed_shape(p, triangles, c);
    const bool solid = p.shape == "solid" || (p.shape == "auto" && free && is_closed(triangles));
    shape.kind = Shape::mesh;
    shape.data = int(store.meshes.size());
    store.meshes.push_back(std::move(triangles));
    if (!solid) return shape;
    const ParallelPtr parallel = make_parallel({});
    Result<DistanceGridShape> grid =
        build_distance_grid(*parallel, store.meshes.back(), {.cell = 0, .resolution = p.cells, .padding = 2});
    for (const Error& e : grid.errors) add_error(c, "shape", make_text(p.shape), "no signed distance of this mesh: " + e.message);
    if (!grid) return shape;
    grid.value->mesh = shape.data;
    shape.kind = Shape::solid;
    shape.data = int(store.distance_grids.size());
    store.distance_grids.push_back(std::move(*grid.value));
    return shape;
}

} // namespace

Shape make_body_shape(BodyShape kind, const BodyParams& p, const PolygonMesh& mesh, bool free, BuildContext& c) {
    Shape shape = kind == BodyShape::mesh ? mesh_shape(p, mesh, free, c) : primitive(kind, p);
    shape.rounding = p.thickness;
    return shape;
}

void add_body_shape(BodyShape kind, const BodyParams& p, const PolygonMesh& mesh, const Real3& center, int frame, bool free,
                    BuildContext& c) {
    Pose pose;
    // the mesh has been moved already
    if (kind != BodyShape::mesh) pose.position = {-center.x, -center.y, -center.z};
    add_collider(c.builder, make_body_shape(kind, p, mesh, free, c), frame, pose);
}

void add_body_surface(BodyShape kind, const BodyParams& p, const PolygonMesh& mesh, int frame, BuildContext& c) {
    if (kind == BodyShape::plane) return;
    const int first = int(c.builder.model.surface.vertices.size());
    for (const Real3& x : mesh.positions) add_surface_vertex_in_frame(c.builder, frame, x, p.thickness);
    add_surface_triangles(c.builder, first, triangulate(mesh).triangles);
}

} // namespace sinew
