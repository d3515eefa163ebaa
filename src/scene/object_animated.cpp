// A mesh whose vertices are moved by files: an obstacle that deforms. Its vertices are no unknowns; they are where the
// animation is at the end of each step, and go there in straight lines. A motion or a parent carries it as a whole.
#include "core/error.h"
#include "geometry/triangulate.h"
#include "scene/animation.h"
#include "scene/kinds.h"
#include "scene/mesh_source.h"
#include <fmt/format.h>

namespace sinew {

namespace {

// faces of the mesh file, or of the animation itself; positions of the first sample
PolygonMesh animated_mesh(const AnimatedMesh::Params& p, const AnimationTrack& track, std::span<const Real3> x, BuildContext& c) {
    PolygonMesh mesh;
    if (p.mesh.kind != Value::Kind::null) {
        mesh = read_mesh_source(c, "mesh", p.mesh);
        if (!mesh.positions.empty() && vertex_count(mesh) != track.source->point_count)
            add_error(c, "mesh", p.mesh, fmt::format("has {} vertices, the animation {}", vertex_count(mesh), track.source->point_count));
    } else {
        mesh.polygon_begin = track.source->polygon_begin;
        mesh.polygon_vertex = track.source->polygon_vertex;
        if (polygon_count(mesh) == 0)
            add_error(c, "animation", p.animation, "the file has no faces", "a mesh with the same vertices, by `mesh`");
    }
    mesh.positions.assign(x.begin(), x.end());
    return mesh;
}

} // namespace

void AnimatedMesh::build(const Params& p, BuildContext& c) {
    const std::size_t before = c.errors.size();
    const Material material = object_material(c, p.material);
    const auto track = read_animation(c, "animation", p.animation);
    if (!track || c.errors.size() != before) return;
    std::vector<Real3> x, v;
    for (const Error& e : sample_animation(*track, 0, x, &v)) c.errors.push_back(make_error(p.animation, c.path("animation"), e.message));
    const PolygonMesh mesh = animated_mesh(p, *track, x, c);
    if (c.errors.size() != before) return;
    for (const Error& e : validate_mesh(mesh)) add_error(c, "mesh", p.mesh, e.message);
    if (c.errors.size() != before) return;

    track->object = begin_object(c.builder, c.object.name, c.object.kind, material.name);
    const Quat turn = quat(c.object.pose.rotation);
    for (Real3& a : x) a = real3(vec(c.object.pose.position) + turn * vec(a));
    for (Real3& a : v) a = real3(turn * vec(a));
    const int first = int(c.builder.model.surface.vertices.size());
    const int animated = add_animated_vertices(c.builder, x, p.thickness);
    std::copy(v.begin(), v.end(), c.builder.state.animated.v.begin() + animated);
    if (p.contact) add_surface_triangles(c.builder, first, triangulate(mesh).triangles);
    set_touch(c, p.touch, p.friction >= 0 ? p.friction : material.friction);
    if (p.contact) { // without a frame: met by its triangles
        Obstacle o;
        o.object = track->object;
        o.friction = c.builder.model.objects.back().friction;
        o.stiffness = p.stiffness, o.damping = p.damping;
        c.builder.model.obstacles.push_back(o);
    }
    c.animations.push_back(track);
    c.notes.push_back(fmt::format("{}: {} samples from {:.4g} s to {:.4g} s",
                                  c.object.name, track->source->times.size(), track->from + track->source->times.front(),
                                  track->from + track->source->times.back()));

    SnapshotObject s;
    s.name = c.object.name;
    s.kind = c.object.kind;
    s.point_count = vertex_count(mesh);
    s.rest = x;
    s.polygon_begin = mesh.polygon_begin;
    s.polygon_vertex = mesh.polygon_vertex;
    s.uv = mesh.uv;
    s.polygon_uv = mesh.polygon_uv;
    s.vertex_groups = mesh.vertex_groups;
    s.polygon_groups = mesh.polygon_groups;
    const int index = int(c.builder.layout.objects.size());
    s.color = p.color.x >= 0 ? p.color : default_color(index);
    c.builder.model.objects.back().snapshot = index;
    c.builder.layout.objects.push_back(std::move(s));
}

} // namespace sinew
