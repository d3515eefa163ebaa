#include "collision/inscribed.h"
#include "geometry/compound.h"
#include "geometry/convex_closest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

bool is_round(Shape::Kind k) {
    return k == Shape::sphere || k == Shape::capsule || k == Shape::cylinder || k == Shape::cone;
}

// sum of l_i, see the header
Real factor_of(const Shape& s) {
    if (s.kind != Shape::cone) return 1.25;
    const Real slant = std::hypot(s.size.x, 2 * s.size.y); // sin A = radius / slant
    return slant / std::min(s.size.x, 1.6 * s.size.y);
}

// largest sagitta of the object's triangles that have all their corners on the shape
Real find_sagitta(const Model& m, const Object& o, const Convex& shape, const Placement& place) {
    const Real size = shape.size.cwiseAbs().maxCoeff() + shape.radius;
    Real most = 0;
    for (int t = o.triangles.begin; t < o.triangles.end; ++t) {
        std::array<Vec3, 3> x;
        bool on = true;
        for (int k = 0; k < 3 && on; ++k) {
            const SurfaceVertex& v = m.surface.vertices[m.surface.triangles[t][k]];
            on = v.kind == SurfaceVertex::frame;
            if (!on) break;
            x[k] = from(place, vec(v.local));
            on = std::abs(closest_point(shape, x[k]).distance) < 1e-6 * size;
        }
        if (!on) continue;
        const Vec3 area = (x[1] - x[0]).cross(x[2] - x[0]);
        if (!(area.norm() > 0)) continue;
        const Vec3 n = area.normalized();
        most = std::max(most, n.dot(support_grown(shape, n) - x[0]));
    }
    return most;
}

} // namespace

void update_inscribed(const Model& m, InscribedScratch& s) {
    if (s.topology == m.topology_revision && s.values == m.values_revision && s.owner == m.elements.get() &&
        s.by.size() == m.surface.vertices.size())
        return;
    s.topology = m.topology_revision, s.values = m.values_revision, s.owner = m.elements.get();
    s.by.assign(m.surface.vertices.size(), 0);
    static const ShapeStore none;
    const ShapeStore& store = m.shapes ? *m.shapes : none;
    std::vector<PlacedShape> parts;
    for (const Collider& c : m.colliders) {
        if (c.object < 0) continue;
        const Object& o = m.objects[c.object];
        parts.clear();
        if (o.triangles.count() == 0 || expand_shape(store, c.shape, parts)) continue;
        const Placement whole = make_placement(c.pose);
        for (PlacedShape& p : parts) {
            if (!is_round(p.shape.kind)) continue;
            p.shape.rounding = 0; // a thickness
            const Placement own = make_placement(p.pose);
            const auto convex = make_convex(store, p.shape);
            if (!convex) continue;
            const Real by = factor_of(p.shape) * find_sagitta(m, o, *convex, {whole.R * own.R, at(whole, own.p)});
            for (int v = o.surface.begin; v < o.surface.end; ++v) s.by[v] = std::max(s.by[v], by);
        }
    }
}

} // namespace sinew
