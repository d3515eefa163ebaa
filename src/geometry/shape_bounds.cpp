// Boxes of posed shapes, geometry/shape_bounds.h: along each world axis the support of the shape in both
// directions, s(R^T e). The half-space and the plane are unbounded unless their normal is a world axis.
#include "geometry/shape_bounds.h"

namespace sinew {

static Aabb everything() { return {Vec3::Constant(-kEndless), Vec3::Constant(kEndless)}; }

// Below the plane through p with unit normal n; two_sided: the plane alone
static Aabb flat_bounds(const Vec3& n, const Vec3& p, Real radius, bool two_sided) {
    Aabb box = everything();
    for (int i = 0; i < 3; ++i) {
        if (n[(i + 1) % 3] != 0 || n[(i + 2) % 3] != 0) continue;
        if (n[i] > 0 || two_sided) box.hi[i] = p[i] + radius;
        if (n[i] < 0 || two_sided) box.lo[i] = p[i] - radius;
    }
    return box;
}

Aabb oriented_bounds(const Aabb& own, const Placement& f) {
    Aabb box{f.p, f.p};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const Real r = f.R(i, j);
            if (r == 0) continue; // 0 * infinity
            box.lo[i] += std::min(r * own.lo[j], r * own.hi[j]);
            box.hi[i] += std::max(r * own.lo[j], r * own.hi[j]);
        }
    return box;
}

Aabb shape_bounds(const Convex& c, const Placement& f) {
    if (!is_bounded(c)) return flat_bounds(f.R.col(1), f.p, c.radius, c.core == Convex::plane);
    if (c.core == Convex::point) return grow(box_of(f.p), c.radius);
    if (c.core == Convex::box) {
        const Vec3 half = f.R.cwiseAbs() * c.size + Vec3::Constant(c.radius);
        return {f.p - half, f.p + half};
    }
    Aabb box;
    for (int i = 0; i < 3; ++i) {
        const Vec3 d = f.R.row(i);
        box.lo[i] = f.p[i] + d.dot(support(c, -d).x) - c.radius;
        box.hi[i] = f.p[i] + d.dot(support(c, d).x) + c.radius;
    }
    return box;
}

static Aabb height_bounds(const HeightFieldShape& h, const Placement& f) {
    if (h.height.empty() || h.nx < 1 || h.nz < 1) return {};
    Real top = -kEndless;
    for (Real y : h.height) top = std::max(top, y);
    return oriented_bounds({{0, -kEndless, 0}, {(h.nx - 1) * h.dx, top, (h.nz - 1) * h.dz}}, f);
}

static Aabb mesh_bounds(const TriangleShape& m, const Placement& f) {
    Aabb box;
    for (const Real3& v : m.vertices) box = merge(box, at(f, vec(v)));
    return box;
}

static Aabb grid_bounds(const ShapeStore& store, const DistanceGridShape& g, const Placement& f) {
    if (g.mesh >= 0 && g.mesh < int(store.meshes.size())) return mesh_bounds(store.meshes[g.mesh], f);
    const Vec3 lo = vec(g.origin), n(g.size[0] - 1, g.size[1] - 1, g.size[2] - 1);
    if (!(n.minCoeff() >= 0)) return {};
    return oriented_bounds({lo, lo + g.cell * n}, f);
}

static Aabb any_bounds(const ShapeStore& store, const Shape& s, const Placement& f, int depth) {
    const auto has = [&](const auto& list) { return s.data >= 0 && s.data < int(list.size()); };
    Aabb box;
    switch (s.kind) {
    case Shape::height_field:
        if (has(store.height_fields)) box = height_bounds(store.height_fields[s.data], f);
        break;
    case Shape::mesh:
        if (has(store.meshes)) box = mesh_bounds(store.meshes[s.data], f);
        break;
    case Shape::solid:
        if (has(store.distance_grids)) box = grid_bounds(store, store.distance_grids[s.data], f);
        break;
    case Shape::compound:
        if (has(store.compounds) && depth < 8) { // nested deeper than this it contains itself
            const CompoundShape& c = store.compounds[s.data];
            for (std::size_t i = 0; i < c.parts.size() && i < c.poses.size(); ++i) {
                const Placement part = make_placement(c.poses[i]);
                box = merge(box, any_bounds(store, c.parts[i], {f.R * part.R, at(f, part.p)}, depth + 1));
            }
        }
        break;
    default:
        if (const auto c = make_convex(store, s)) return shape_bounds(*c, f);
        return {};
    }
    return is_empty(box) ? box : grow(box, s.rounding);
}

Aabb shape_bounds(const ShapeStore& store, const Shape& s, const Pose& pose) {
    return any_bounds(store, s, make_placement(pose), 0);
}

} // namespace sinew
