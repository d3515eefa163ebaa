#include "collision/passage.h"
#include "geometry/convex_distance.h"
#include "geometry/height_field.h"
#include "geometry/shape_bounds.h"
#include <algorithm>
#include <cmath>

namespace sinew {

Real inner_radius(const Convex& c) {
    switch (c.core) {
    case Convex::point:
    case Convex::segment:
    case Convex::triangle: return c.radius;
    case Convex::box: return c.size.minCoeff() + c.radius;
    case Convex::cylinder: return std::min(c.size.x(), c.size.y()) + c.radius;
    case Convex::cone: return c.size.x() * 2 * c.size.y() / (c.size.x() + std::hypot(c.size.x(), 2 * c.size.y())) + c.radius;
    case Convex::hull: {
        const Vec3 center = center_of(c);
        Real least = std::numeric_limits<Real>::infinity();
        for (std::size_t k = 0; k < c.hull_data->face_normal.size(); ++k)
            least = std::min(least, c.hull_data->face_offset[k] - vec(c.hull_data->face_normal[k]).dot(center));
        return std::max(0.0, std::isfinite(least) ? least : 0) + c.radius;
    }
    case Convex::half_space:
    case Convex::plane: break;
    }
    return 0;
}

Convex core_of(const Convex& c, Real depth, HullShape& hull) {
    Convex out = c;
    out.radius = std::max(0.0, c.radius - depth);
    const Real left = depth - (c.radius - out.radius);
    if (!(left > 0)) return out;
    switch (c.core) {
    case Convex::box: out.size = (c.size.array() - left).max(0.0); break;
    case Convex::cylinder: out.size = {std::max(0.0, c.size.x() - left), std::max(0.0, c.size.y() - left), c.size.z()}; break;
    case Convex::cone: out.size *= 1 - left / std::hypot(c.size.x(), c.size.y()); break;
    case Convex::hull: {
        const Vec3 center = center_of(c);
        const Real part = 1 - left / (radius_about(c, center) - c.radius);
        hull = *c.hull_data;
        for (Real3& x : hull.vertices) x = real3(center + part * (vec(x) - center));
        for (std::size_t k = 0; k < hull.face_offset.size(); ++k) {
            const Real middle = vec(hull.face_normal[k]).dot(center);
            hull.face_offset[k] = middle + part * (hull.face_offset[k] - middle);
        }
        out.hull_data = &hull;
        break;
    }
    default: break;
    }
    return out;
}

namespace {

constexpr Real kNever = 2; // after the step

RigidMotion piece_of(const RigidMotion& m, Real from, Real to) {
    if (!(to > from)) return resting(place_at(m, from));
    return {place_at(m, from), m.center, (to - from) * m.shift, (to - from) * m.turn};
}

// b while both move, or one of them, from a part of the step to another
struct Stretch {
    Real begin, end;
    RigidMotion a, b;
};
// a box in the axes of b, at rest or not, that holds all of a's way
Aabb reach_in(const Convex& a, const Stretch& s, Real more) {
    const Real radius = radius_about(a, s.a.center) + more;
    const Vec3 start = at(s.a.start, s.a.center), end = start + s.a.shift;
    if (s.b.turn.isZero(0)) { // seen from b it moves straight
        const Vec3 x = from(s.b.start, start), y = from(s.b.start, end - s.b.shift);
        return {x.cwiseMin(y) - Vec3::Constant(radius), x.cwiseMax(y) + Vec3::Constant(radius)};
    }
    const Vec3 center = at(s.b.start, s.b.center);
    const Real far = std::max((start - center).norm(), (end - center).norm()) + s.b.shift.norm() + radius;
    return {s.b.center - Vec3::Constant(far), s.b.center + Vec3::Constant(far)};
}

// f(convex shape of b) for all of it that a may meet
template <class F> void for_each_part(const ShapeCache& cache, const Convex& a, const MovingShape& b, const Stretch& s, Real more, std::vector<int>& triangles, F&& f) {
    if (b.convex) return f(*b.convex);
    const MeshSurface* surface = surface_of(cache, b.shape);
    const HeightFieldShape* field = field_of(cache, b.shape);
    if (!surface && !field) return;
    const Aabb box = reach_in(a, s, more + b.shape.rounding);
    if (surface) find_triangles(surface->tree, *surface->shape, box, false, triangles);
    else find_triangles(*field, box, triangles);
    for (const int t : triangles) {
        std::array<Vec3, 3> x;
        if (field) x = height_field_triangle(*field, t);
        else
            for (int k = 0; k < 3; ++k) x[k] = vec(surface->shape->vertices[surface->shape->triangles[t][k]]);
        f(make_triangle(x[0], x[1], x[2], b.shape.rounding));
    }
}

// first time the distance falls to `separation`
Real first_time(const ShapeCache& cache, const Convex& a, const MovingShape& b, const Stretch& s, Real separation, std::vector<int>& triangles) {
    Real first = kNever;
    for_each_part(cache, a, b, s, separation, triangles, [&](const Convex& part) {
        CastHit hit;
        if (cast_convex(a, s.a, part, s.b, separation, hit)) first = std::min(first, s.begin + hit.time * (s.end - s.begin));
    });
    return first;
}

// at the start of the stretch; of what is further than `more` from all of a's way perhaps infinite
Real distance_at_start(const ShapeCache& cache, const Convex& a, const MovingShape& b, const Stretch& s, Real more, std::vector<int>& triangles) {
    Real least = std::numeric_limits<Real>::infinity();
    for_each_part(cache, a, b, s, more, triangles, [&](const Convex& part) { least = std::min(least, convex_distance(a, s.a.start, part, s.b.start).distance); });
    return least;
}

// both until a part of the step, within which none of them comes to rest
Stretch stretch_of(const MovingShape& a, const MovingShape& b, Real begin, Real end) {
    const auto piece = [&](const MovingShape& s) { return piece_of(s.motion, std::min(begin, s.until), std::min(end, s.until)); };
    return {begin, end, piece(a), piece(b)};
}

} // namespace

Real find_passage(const ShapeCache& cache, const MovingShape& a, const MovingShape& b, Real depth, Real near, PassageScratch& scratch) {
    constexpr int kLooks = 8;
    constexpr Real kLeast = 1.0 / 64; // of the depth that is kept between
    const Real first = std::min(a.until, b.until), last = std::max(a.until, b.until), clear = 2 * near;
    const auto find_first = [&](const Convex& c, Real separation, Real begin) {
        Real t = kNever;
        if (begin < first) t = first_time(cache, c, b, stretch_of(a, b, begin, first), separation, scratch.triangles);
        if (t > 1 && last > std::max(begin, first)) t = first_time(cache, c, b, stretch_of(a, b, std::max(begin, first), last), separation, scratch.triangles);
        return t;
    };
    const Convex core = core_of(*a.convex, depth, scratch.hull);
    const Real meets = find_first(core, 0, 0);
    if (meets > 1 || meets == 0) return kNever;
    // a cast ends a hair above `near`, and where it has ended the next one would be at its end at once
    const auto distance_at = [&](Real t) { return distance_at_start(cache, *a.convex, b, stretch_of(a, b, t, t), clear, scratch.triangles); };
    const Real at_start = distance_at(0);
    if (at_start > clear)
        if (const Real t = find_first(*a.convex, near, 0); t > 0) return t;
    // half of what is left, so that something is left; triangles beside the way may be nearer than those on it
    const Stretch start = stretch_of(a, b, 0, first);
    const Real on_way = distance_at_start(cache, core, b, start, 0, scratch.triangles);
    const Real left = std::min(on_way, distance_at_start(cache, core, b, start, std::max(0.0, on_way), scratch.triangles));
    if (!(left > 0)) return kNever;
    if (left < kLeast * depth) return 0;
    const Real t = find_first(core, left / 2, 0);
    if (!(t > 0) || t > 1) return kNever;
    // what goes away and comes back stops where it touches again, or where it was furthest away
    Real best = t, most = at_start + near / 8;
    for (int k = kLooks - 1; k > 0; --k) {
        const Real away = t * k / kLooks, distance = distance_at(away);
        if (distance > clear) return std::min(t, find_first(*a.convex, near, away));
        if (distance > most) best = away, most = distance;
    }
    return best;
}

} // namespace sinew
