#include "collision/shape_pair.h"
#include "collision/manifold_clip.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {
enum Kind : int { convex, surface, field, kinds, none };

struct Operand {
    const ShapeCache& cache;
    Shape shape;
    Placement place;
    std::optional<Convex> convex;
};

Kind kind_of(const Operand& s) {
    if (s.convex) return convex;
    if (surface_of(s.cache, s.shape)) return surface;
    return field_of(s.cache, s.shape) ? field : none;
}

void add_manifold(const Manifold& m, std::vector<ShapePoint>& out) {
    for (int k = 0; k < m.count; ++k)
        out.push_back({m.point[k].on_a, m.point[k].on_b, m.normal, m.point[k].gap, m.point[k].key});
}

// what many triangles found; normals that are alike share four points
void add_manifolds(ShapePairScratch& s, std::vector<ShapePoint>& out) {
    if (s.manifolds.size() == 1) return add_manifold(s.manifolds[0], out);
    s.points.clear();
    for (const Manifold& m : s.manifolds) add_manifold(m, s.points);
    reduce_groups(s.points, s.surfaces.used, s.surfaces.group, out);
}

void collide_convexes(const Operand& a, const Operand& b, Real margin, ShapePairScratch&,
                      std::vector<ShapePoint>& out) {
    Manifold m;
    if (collide_convex(*a.convex, a.place, *b.convex, b.place, margin, m)) add_manifold(m, out);
}

// A convex wholly inside the solid: points of its surface, pushed out along the gradient where the deepest
// is.
void leave_solid(const Operand& solid, const Operand& c, ShapePairScratch& s, std::vector<ShapePoint>& out) {
    const DistanceGridShape* grid = grid_of(solid.cache, solid.shape);
    if (!grid || !is_bounded(*c.convex)) return;
    constexpr int kPoints = 26;
    std::array<Vec3, kPoints> points;
    int count = 0;
    for (int i = 0; i < 27; ++i)
        if (i != 13) points[count++] = support(*c.convex, Vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)).x;
    const Vec3 center = from(solid.place, at(c.place, center_of(*c.convex)));
    if (!is_inside(*grid, center)) return;
    collide_solid_points(*grid, solid.place, solid.shape.rounding, points, c.place, c.convex->radius, 0,
                         s.inside);
    s.points.clear();
    const auto deepest =
        std::min_element(s.inside.begin(), s.inside.end(),
                         [](const SolidContact& p, const SolidContact& q) { return p.gap < q.gap; });
    for (const SolidContact& p : s.inside)
        if (p.normal.dot(deepest->normal) > 0.5)
            s.points.push_back(
                {p.on_solid, p.on_point, p.normal, p.gap, contact_key(1, 0, std::uint64_t(p.point))});
    reduce_groups(s.points, s.surfaces.used, s.surfaces.group, out);
}

void collide_surface_convex(const Operand& a, const Operand& b, Real margin, ShapePairScratch& s,
                            std::vector<ShapePoint>& out) {
    const MeshSurface& mesh = *surface_of(a.cache, a.shape);
    if (collide_mesh_convex(mesh, a.place, a.shape.rounding, *b.convex, b.place, margin, s.mesh,
                            s.manifolds)) {
        add_manifolds(s, out);
    } else {
        leave_solid(a, b, s, out);
    }
}

void collide_field_convex(const Operand& a, const Operand& b, Real margin, ShapePairScratch& s,
                          std::vector<ShapePoint>& out) {
    collide_height_field_convex(*field_of(a.cache, a.shape), a.place, a.shape.rounding, *b.convex, b.place,
                                margin, s.mesh, s.manifolds);
    add_manifolds(s, out);
}

SurfaceSide side_of(const Operand& s) {
    SurfaceSide out;
    out.place = s.place;
    out.thickness = s.shape.rounding;
    out.grid = grid_of(s.cache, s.shape);
    out.field = field_of(s.cache, s.shape);
    if (out.field)
        out.box = s.cache.field_box[s.shape.data];
    else
        out.surface = surface_of(s.cache, s.shape), out.box = out.surface->tree.nodes[0].box;
    return out;
}

void collide_two_surfaces(const Operand& a, const Operand& b, Real margin, ShapePairScratch& s,
                          std::vector<ShapePoint>& out) {
    collide_surfaces(side_of(a), side_of(b), margin, s.surfaces, out);
}

using Collide = void (*)(const Operand&, const Operand&, Real, ShapePairScratch&, std::vector<ShapePoint>&);
struct Entry {
    Collide collide;
    bool swapped; // takes b first
};
constexpr Entry kTable[kinds][kinds] = {
    {{collide_convexes, false}, {collide_surface_convex, true}, {collide_field_convex, true}},
    {{collide_surface_convex, false}, {collide_two_surfaces, false}, {collide_two_surfaces, false}},
    {{collide_field_convex, false}, {collide_two_surfaces, false}, {collide_two_surfaces, false}},
};

bool is_length(Real x) { return x >= 0 && std::isfinite(x); }
} // namespace

void collide_shapes(const ShapeCache& cache, const Shape& a, const Placement& fa, const Shape& b,
                    const Placement& fb, Real margin, ShapePairScratch& s, std::vector<ShapePoint>& out) {
    out.clear();
    if (!is_length(a.rounding) || !is_length(b.rounding)) return;
    const Operand oa{cache, a, fa, make_convex(store_of(cache), a)},
        ob{cache, b, fb, make_convex(store_of(cache), b)};
    const Kind ka = kind_of(oa), kb = kind_of(ob);
    if (ka == none || kb == none) return;
    const Entry& entry = kTable[ka][kb];
    if (!entry.swapped) return entry.collide(oa, ob, margin, s, out);
    entry.collide(ob, oa, margin, s, out);
    for (ShapePoint& p : out) {
        std::swap(p.on_a, p.on_b);
        p.normal = -p.normal;
    }
}

} // namespace sinew
