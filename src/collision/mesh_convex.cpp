#include "collision/mesh_convex.h"
#include "collision/manifold_clip.h"
#include "collision/mesh_feature.h"
#include "core/hash.h"
#include "geometry/convex_distance.h"
#include "geometry/convex_face.h"
#include "geometry/distance_grid.h"
#include "geometry/height_field.h"
#include "geometry/shape_bounds.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
constexpr int kOffered = 32; // normals offered to other triangles: a deep overlap with a fine mesh has thousands

// Separation of the cores along n: lowest point of the convex over the highest of the triangle.
Real separation(const MeshFace& f, const Convex& c, const Placement& fc, const Vec3& n) {
    const Real top = std::max({n.dot(f.x[0]), n.dot(f.x[1]), n.dot(f.x[2])});
    return n.dot(at(fc, support(c, -(fc.R.transpose() * n)).x)) - top;
}

// The true direction of largest separation among the face normals, the normals found at other triangles, and those of the
// edges' cones nearest to n.
Vec3 replace_normal(const MeshFace& f, const Convex& c, const Placement& fc, const Vec3& n, const MeshContactScratch& s, Real& best_separation) {
    Vec3 best = f.normal;
    best_separation = separation(f, c, fc, f.normal);
    const auto offer = [&](const Vec3& m) {
        const Real depth = separation(f, c, fc, m);
        if (depth > best_separation + 1e-9) best_separation = depth, best = m;
    };
    if (!f.s.one_sided) offer(-f.normal);
    for (Vec3 m : s.normals)
        if (allows(f, m)) offer(m);
    for (int k = 0; k < 3; ++k) {
        const Vec3 e = (f.x[(k + 1) % 3] - f.x[k]).normalized(), flat = n - n.dot(e) * e;
        for (const Vec3& m : {Vec3(flat.stableNormalized()), normal_across(f, k)})
            if (m.squaredNorm() > 0.5 && !is_near(m, f.normal) && !is_near(m, -f.normal) && edge_allows(f, k, m)) offer(m);
    }
    return best;
}

// A single point over the triangle: its foot along n.
void drop_point(const MeshFace& f, const ContactFace& face, const Vec3& n, ClipPoints& out) {
    const Real slope = n.dot(f.normal);
    if (std::abs(slope) < 1e-6) return;
    const Vec3 p = face.x[0], foot = p - f.normal.dot(p - f.x[0]) / slope * n;
    for (int k = 0; k < 3; ++k)
        if ((foot - f.x[k]).dot(inward(f.x[k], f.x[(k + 1) % 3], f.x[(k + 2) % 3])) < -1e-9 * (f.x[(k + 1) % 3] - f.x[k]).norm()) return;
    out.point[out.count++] = {foot, p, n.dot(p - foot), contact_key(1, 0, std::uint64_t(face.id[0]))};
}

// Points of one triangle along n, in the axes of the mesh. `nearest`: where n is the direction of least penetration itself,
// so that its points count even if no corner is as deep.
void add_points(const MeshFace& f, int name, const Convex& c, const Placement& fc, Real limit, const Vec3& n, const ConvexDistance* nearest,
                MeshContactScratch& out) {
    const Convex triangle = make_triangle(f.x[0], f.x[1], f.x[2], 0);
    ContactFace fa, fb;
    find_contact_face(triangle, n, fa);
    find_contact_face(c, -(fc.R.transpose() * n), fb);
    place_face(fc, fb);
    ClipPoints points;
    if (fb.count == 1 && !nearest) drop_point(f, fb, n, points);
    else clip_faces(fa, fb, n, roundness(c), points);
    if (nearest) add_nearest(nearest->on_a, nearest->on_b, nearest->distance, points);
    const int begin = int(out.points.size());
    for (int i = 0; i < points.count; ++i)
        if (points.point[i].gap <= limit) out.points.push_back(points.point[i]);
    if (begin < int(out.points.size())) out.parts.push_back({n, name, begin, int(out.points.size())});
}

// Of many points with one normal those that span the contact, the deepest last: triangles meet inside the contact, too, and
// four of their corners would be a poor choice. Extremes along 16 directions hold every corner of a box.
void keep_outermost(const std::vector<ManifoldPoint>& points, const Vec3& n, ClipPoints& out) {
    constexpr int kDirections = 16;
    Vec3 s, t;
    contact_frame(n, s, t);
    std::array<int, kDirections + 1> chosen;
    out.count = 0;
    const auto choose = [&](auto&& value) {
        int best = 0;
        for (int i = 1; i < int(points.size()); ++i)
            if (value(points[i]) > value(points[best])) best = i;
        if (std::find(chosen.begin(), chosen.begin() + out.count, best) != chosen.begin() + out.count) return;
        chosen[out.count] = best;
        out.point[out.count++] = points[best];
    };
    for (int k = 0; k < kDirections; ++k) {
        const Real angle = 2 * kPi * (k + 0.37) / kDirections; // along no side of an aligned box
        const Vec3 d = std::cos(angle) * s + std::sin(angle) * t;
        choose([&](const ManifoldPoint& p) { return d.dot(p.on_a); });
    }
    choose([](const ManifoldPoint& p) { return -p.gap; });
}

// Contacts of equal normals become one manifold. The first of a group gives the normal.
void merge_manifolds(MeshContactScratch& s, std::vector<Manifold>& out) {
    for (std::size_t i = 0; i < s.parts.size(); ++i) {
        if (s.parts[i].triangle < 0) continue;
        const Vec3 n = s.parts[i].normal;
        s.group.clear();
        for (std::size_t j = i; j < s.parts.size(); ++j) {
            MeshContactPart& part = s.parts[j];
            if (part.triangle < 0 || !is_near(n, part.normal)) continue;
            for (int k = part.begin; k < part.end; ++k) {
                ManifoldPoint p = s.points[k];
                p.key = mix64(p.key ^ mix64(std::uint64_t(part.triangle) + 1));
                s.group.push_back(p);
            }
            part.triangle = -1;
        }
        ClipPoints points;
        Manifold m;
        keep_outermost(s.group, n, points);
        reduce_points(points, n, m);
        out.push_back(m);
    }
}

void finish(const Placement& mesh, Real thickness, Real radius, MeshContactScratch& s, std::vector<Manifold>& out) {
    merge_manifolds(s, out);
    for (Manifold& m : out) {
        for (int i = 0; i < m.count; ++i) {
            ManifoldPoint& p = m.point[i];
            p.gap -= thickness + radius;
            p.on_a = at(mesh, p.on_a + thickness * m.normal);
            p.on_b = at(mesh, p.on_b - radius * m.normal);
        }
        m.normal = mesh.R * m.normal;
    }
}

// First the triangles whose direction of least penetration is true, then the others, which may take a direction found at
// the first: a corner that is hit from above is not pushed sideways. `limit`: of the cores' gap. Of a height field also
// shapes wholly below touch.
void collide_triangles(const MeshSurface& s, const std::vector<int>& triangles, const std::vector<int>* names, const Convex& c,
                       const Placement& fc, Real limit, MeshContactScratch& scratch) {
    scratch.normals.clear();
    scratch.refused.clear();
    const auto name = [&](int t) { return names ? (*names)[t] : t; };
    for (int t : triangles) {
        if (s.normal[t].squaredNorm() == 0) continue;
        const MeshFace f = face_of(s, t);
        const Convex triangle = make_triangle(f.x[0], f.x[1], f.x[2], 0);
        const ConvexDistance nearest = core_distance({&triangle, &c, fc}, limit);
        const bool buried = !(nearest.distance <= limit);
        if (buried && !s.solid_below) continue;
        Vec3 n = nearest.normal;
        if (buried || !allows(f, n)) {
            scratch.refused.push_back({buried ? f.normal : n, t, 0, 0});
            continue;
        }
        if (int(scratch.normals.size()) < kOffered && std::none_of(scratch.normals.begin(), scratch.normals.end(), [&](const Vec3& m) { return is_near(n, m); }))
            scratch.normals.push_back(n);
        add_points(f, name(t), c, fc, limit, n, &nearest, scratch);
    }
    for (const MeshContactPart& r : scratch.refused) {
        const MeshFace f = face_of(s, r.triangle);
        Real gap;
        const Vec3 n = replace_normal(f, c, fc, r.normal, scratch, gap);
        if (gap <= limit) add_points(f, name(r.triangle), c, fc, limit, n, nullptr, scratch);
    }
    std::sort(scratch.parts.begin(), scratch.parts.end(),
              [](const MeshContactPart& p, const MeshContactPart& q) { return std::tie(p.triangle, p.begin) < std::tie(q.triangle, q.begin); });
}

// Vertices under the plane y = 0 of the half-space's axes. The plane is two-sided: it pushes to the side where less has to
// move. `vertex(v)` is empty where no triangle is.
template <class Vertex> void collide_plane(int count, const Convex& c, const Placement& fc, Real limit, MeshContactScratch& scratch, Vertex&& vertex) {
    Real side = 1;
    const Vec3 up = fc.R.col(1);
    if (c.core == Convex::plane) {
        Real low = std::numeric_limits<Real>::infinity(), high = -low;
        for (int v = 0; v < count; ++v)
            if (const std::optional<Vec3> x = vertex(v)) low = std::min(low, up.dot(*x - fc.p)), high = std::max(high, up.dot(*x - fc.p));
        if (low + high < 0) side = -1;
    }
    for (int v = 0; v < count; ++v) {
        const std::optional<Vec3> x = vertex(v);
        if (!x) continue;
        const Real height = up.dot(*x - fc.p);
        if (side * height > limit) continue;
        const int begin = int(scratch.points.size());
        scratch.points.push_back({*x, *x - height * up, side * height, contact_key(0, std::uint64_t(v), 0)});
        scratch.parts.push_back({-side * up, v, begin, begin + 1});
    }
}

// Triangles of the field in reach of the shape, as a mesh of their own.
void find_patch(const HeightFieldShape& field, const Aabb& box, MeshContactScratch& scratch) {
    // one cell more on each side, so that border triangles of the patch know their neighbours
    const Vec3 ring(field.dx, 0, field.dz);
    make_patch(field, {box.lo - ring, box.hi + ring}, scratch.patch, scratch.patch_triangle);
    MeshSurface& s = scratch.patch_surface;
    s.shape = &scratch.patch;
    s.one_sided = s.solid_below = true;
    build_mesh_neighbors(s, scratch.neighbors);
    scratch.found.clear();
    for (int t = 0; t < int(scratch.patch.triangles.size()); ++t) {
        Aabb b;
        for (int k = 0; k < 3; ++k) b = merge(b, corner(scratch.patch, t, k));
        b.lo.y() = std::min(b.lo.y(), box.lo.y());
        if (overlap(b, box)) scratch.found.push_back(t);
    }
}
} // namespace

MeshSurface build_mesh_surface(const TriangleShape& m) {
    MeshSurface s;
    s.shape = &m;
    s.tree = build_triangle_tree(m);
    s.one_sided = is_closed(m);
    MeshNeighborScratch scratch;
    build_mesh_neighbors(s, scratch);
    return s;
}

void build_mesh_surface(const TriangleShape& m, MeshMoveScratch& scratch, MeshSurface& s) {
    s.shape = &m;
    build_triangle_tree(m, scratch.tree, s.tree);
    scratch.cost = tree_cost(s.tree);
    s.one_sided = is_closed(m);
    scratch.neighbors.edges.reserve(3 * m.triangles.size()); // triangles that have no area now may get one
    s.end.reserve(6 * m.triangles.size());
    build_mesh_neighbors(s, scratch.neighbors);
}

void move_mesh_surface(MeshSurface& s, MeshMoveScratch& scratch) {
    refit_triangle_tree(*s.shape, scratch.tree, s.tree);
    if (tree_cost(s.tree) > 2 * scratch.cost) {
        build_triangle_tree(*s.shape, scratch.tree, s.tree);
        scratch.cost = tree_cost(s.tree);
    }
    build_mesh_neighbors(s, scratch.neighbors);
}

bool collide_mesh_convex(const MeshSurface& s, const Placement& mesh, Real thickness, const Convex& c, const Placement& fc,
                         Real margin, MeshContactScratch& scratch, std::vector<Manifold>& out) {
    out.clear();
    scratch.parts.clear();
    scratch.points.clear();
    const Placement local = relative(mesh, fc);
    const Real limit = margin + thickness + c.radius;
    if (is_bounded(c)) {
        find_triangles(s.tree, *s.shape, grow(shape_bounds(c, local), margin + thickness), false, scratch.found);
        collide_triangles(s, scratch.found, nullptr, c, local, limit, scratch);
    } else {
        collide_plane(int(s.shape->vertices.size()), c, local, limit, scratch, [&](int v) {
            return s.end_begin[v] != s.end_begin[v + 1] ? std::optional<Vec3>(vec(s.shape->vertices[v])) : std::nullopt;
        });
    }
    finish(mesh, thickness, c.radius, scratch, out);
    return !out.empty();
}

bool collide_height_field_convex(const HeightFieldShape& field, const Placement& mesh, Real thickness, const Convex& c,
                                 const Placement& fc, Real margin, MeshContactScratch& scratch, std::vector<Manifold>& out) {
    out.clear();
    scratch.parts.clear();
    scratch.points.clear();
    if (!has_cells(field)) return false;
    const Placement local = relative(mesh, fc);
    const Real limit = margin + thickness + c.radius;
    if (is_bounded(c)) {
        find_patch(field, grow(shape_bounds(c, local), margin + thickness), scratch);
        collide_triangles(scratch.patch_surface, scratch.found, &scratch.patch_triangle, c, local, limit, scratch);
    } else {
        collide_plane(field.nx * field.nz, c, local, limit, scratch,
                      [&](int v) { return std::optional<Vec3>(height_field_node(field, v % field.nx, v / field.nx)); });
    }
    finish(mesh, thickness, c.radius, scratch, out);
    return !out.empty();
}

} // namespace sinew
