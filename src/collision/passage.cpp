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
    case Convex::hull:
    case Convex::half_space:
    case Convex::plane: break;
    }
    return 0;
}

namespace {

// `depth` off all around; the ball first
void set_core(const Convex& c, Real depth, Followed& out) {
    out.core = c;
    out.core.radius = std::max(0.0, c.radius - depth);
    const Real left = depth - (c.radius - out.core.radius);
    if (!(left > 0)) return;
    if (c.core == Convex::box) out.core.size = (c.size.array() - left).max(0.0);
    if (c.core == Convex::cylinder) out.core.size = {std::max(0.0, c.size.x() - left), std::max(0.0, c.size.y() - left), c.size.z()};
    if (c.core == Convex::cone) { // scaled about the centre of its inner ball, all its sides come in evenly
        const Real ball = inner_radius(c) - c.radius, part = std::max(0.0, 1 - left / ball);
        out.core.size *= part;
        out.core_at = Vec3(0, (1 - part) * (ball - c.size.y()), 0);
    }
}

} // namespace

Real half_thickness(const ShapeCache& cache, const Shape& s, const std::optional<Convex>& c) {
    if (!c || !is_bounded(*c)) return 0;
    if (c->core != Convex::hull) return inner_radius(*c);
    return cache.hulls[s.data].inner > 0 ? cache.hulls[s.data].inner + c->radius : 0;
}

Followed followed_of(const ShapeCache& cache, const Shape& s, const std::optional<Convex>& c) {
    Followed out;
    out.inner = half_thickness(cache, s, c);
    out.shape = *c;
    if (c->core == Convex::hull) {
        out.core = *c;
        out.core.hull_data = &cache.hulls[s.data].core;
        out.core.radius = (1 - kCoreDepth) * c->radius;
    } else {
        set_core(*c, kCoreDepth * out.inner, out);
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

// what is followed, or its core, and until when it moves
struct Runner {
    const Convex& shape;
    RigidMotion motion;
    Real until;
};
// both until a part of the step, within which none of them comes to rest
Stretch stretch_of(const Runner& a, const MovingShape& b, Real begin, Real end) {
    const auto piece = [&](const RigidMotion& m, Real until) { return piece_of(m, std::min(begin, until), std::min(end, until)); };
    return {begin, end, piece(a.motion, a.until), piece(b.motion, b.until)};
}

// the same motion of other axes of the body, whose origin is at `place`
RigidMotion seen_from(const RigidMotion& m, const Vec3& place) { return {{m.start.R, at(m.start, place)}, m.center - place, m.shift, m.turn}; }

} // namespace

Real find_passage(const ShapeCache& cache, const Followed& followed, const RigidMotion& motion, Real until, const MovingShape& b, Real near, std::vector<int>& triangles) {
    constexpr int kLooks = 8;
    constexpr Real kLeast = 1.0 / 64; // of the depth that is kept between
    const Runner whole{followed.shape, motion, until}, core{followed.core, seen_from(motion, followed.core_at), until};
    const Real first = std::min(until, b.until), last = std::max(until, b.until), clear = 2 * near;
    const auto find_first = [&](const Runner& a, Real separation, Real begin) {
        Real t = kNever;
        if (begin < first) t = first_time(cache, a.shape, b, stretch_of(a, b, begin, first), separation, triangles);
        if (t > 1 && last > std::max(begin, first)) t = first_time(cache, a.shape, b, stretch_of(a, b, std::max(begin, first), last), separation, triangles);
        return t;
    };
    const Real meets = find_first(core, 0, 0);
    if (meets > 1 || meets == 0) return kNever;
    // a cast ends a hair above `near`, and where it has ended the next one would be at its end at once
    const auto distance_at = [&](Real t) { return distance_at_start(cache, whole.shape, b, stretch_of(whole, b, t, t), clear, triangles); };
    const Real at_start = distance_at(0);
    if (at_start > clear)
        if (const Real t = find_first(whole, near, 0); t > 0) return t;
    // half of what is left, so that something is left; triangles beside the way may be nearer than those on it
    const Stretch start = stretch_of(core, b, 0, first);
    const Real on_way = distance_at_start(cache, core.shape, b, start, 0, triangles);
    const Real left = std::min(on_way, distance_at_start(cache, core.shape, b, start, std::max(0.0, on_way), triangles));
    if (!(left > 0)) return kNever;
    if (left < kLeast * kCoreDepth * followed.inner) return 0;
    const Real t = find_first(core, left / 2, 0);
    if (!(t > 0) || t > 1) return kNever;
    // what goes away and comes back stops where it touches again, or where it was furthest away
    Real best = t, most = at_start + near / 8;
    for (int k = kLooks - 1; k > 0; --k) {
        const Real away = t * k / kLooks, distance = distance_at(away);
        if (distance > clear) return std::min(t, find_first(whole, near, away));
        if (distance > most) best = away, most = distance;
    }
    return best;
}

} // namespace sinew
