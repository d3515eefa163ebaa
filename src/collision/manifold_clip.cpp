// Clipping of contact features, collision/manifold_clip.h: Sutherland and Hodgman (1974) in the plane perpendicular to
// the normal. Each side of the clipped polygon remembers the edge it came from; the two sides at a corner
// name it.
#include "collision/manifold_clip.h"
#include "geometry/convex_distance.h"
#include <cmath>

namespace sinew {

namespace {

struct Frame {
    Vec3 s, t; // sideways axes
    Vec2 flat(const Vec3& x) const { return {s.dot(x), t.dot(x)}; }
};

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

std::uint64_t edge_name(const ContactFace& f, int e) {
    const auto i = std::uint64_t(f.id[e]), j = std::uint64_t(f.id[(e + 1) % f.count]);
    return (std::min(i, j) * 65521 + std::max(i, j)) & 0x7fffffff;
}

struct ClippedCorner {
    Vec3 x;   // on the subject
    Vec2 u;   // sideways
    int side; // leaving edge: 2 e of the clipper, 2 e + 1 of the subject
};
struct ClippedPolygon {
    int count = 0;
    std::array<ClippedCorner, kClipPoints> corner;
};

ClippedCorner between(const ClippedCorner& p, const ClippedCorner& q, Real dp, Real dq, int side) {
    const Real t = dp / (dp - dq);
    return {p.x + t * (q.x - p.x), p.u + t * (q.u - p.u), side};
}

void clip_polygon(const ClippedPolygon& in, const Vec2& o, const Vec2& e, int side, ClippedPolygon& out) {
    out.count = 0;
    const auto add = [&](const ClippedCorner& c) {
        if (out.count < kClipPoints) out.corner[out.count++] = c;
    };
    for (int i = 0; i < in.count; ++i) {
        const ClippedCorner &p = in.corner[i], &q = in.corner[(i + 1) % in.count];
        const Real dp = cross(e, p.u - o), dq = cross(e, q.u - o);
        if (dp >= 0) {
            add(p);
            if (dq < 0) add(between(p, q, dp, dq, side));
        } else if (dq > 0) {
            add(between(p, q, dp, dq, p.side));
        } else if (dq == 0) {
            continue; // q itself is added next
        }
    }
}

// The point of the polygon's plane over x along n
Vec3 lift(const ContactFace& f, const Vec3& x, const Vec3& n) {
    return x + n * (f.normal.dot(f.x[0] - x) / f.normal.dot(n));
}

std::uint64_t corner_key(const ContactFace& a, const ContactFace& b, int in, int out) {
    const int i = in / 2, j = out / 2;
    if (in % 2 != out % 2) return contact_key(2, edge_name(a, in % 2 ? j : i), edge_name(b, in % 2 ? i : j));
    const ContactFace& f = in % 2 ? b : a;
    const int corner = j == (i + 1) % f.count ? j : i;
    return contact_key(in % 2, in % 2 ? 0 : f.id[corner], in % 2 ? f.id[corner] : 0);
}

void add_point(ClipPoints& out, const Vec3& on_a, const Vec3& on_b, const Vec3& n, std::uint64_t key) {
    if (out.count < kClipPoints) out.point[out.count++] = {on_a, on_b, n.dot(on_b - on_a), key};
}

void clip_polygons(const ContactFace& a, const ContactFace& b, const Vec3& n, const Frame& frame,
                   ClipPoints& out) {
    ClippedPolygon polygons[2];
    polygons[0].count = b.count;
    for (int i = 0; i < b.count; ++i) polygons[0].corner[i] = {b.x[i], frame.flat(b.x[i]), 2 * i + 1};
    int now = 0;
    for (int e = 0; e < a.count && polygons[now].count > 0; ++e) {
        const Vec2 o = frame.flat(a.x[e]), d = frame.flat(a.x[(e + 1) % a.count]) - o;
        clip_polygon(polygons[now], o, d, 2 * e, polygons[1 - now]);
        now = 1 - now;
    }
    const ClippedPolygon& p = polygons[now];
    for (int i = 0; i < p.count; ++i)
        add_point(out, lift(a, p.corner[i].x, n), p.corner[i].x, n,
                  corner_key(a, b, p.corner[(i + p.count - 1) % p.count].side, p.corner[i].side));
}

// The part of a line over a polygon; `line_is_a` tells whose is which
void clip_line(const ContactFace& line, const ContactFace& face, const Vec3& n, const Frame& frame,
               bool line_is_a, ClipPoints& out) {
    const Vec2 p = frame.flat(line.x[0]), d = frame.flat(line.x[1]) - p;
    Real t[2] = {0, 1};
    int edge[2] = {-1, -1};
    const Real turn = line_is_a ? -1 : 1; // b's corners run the other way seen along n
    for (int e = 0; e < face.count; ++e) {
        const Vec2 o = frame.flat(face.x[e]), side = frame.flat(face.x[(e + 1) % face.count]) - o;
        const Real start = turn * cross(side, p - o), rate = turn * cross(side, d);
        if (rate == 0) {
            if (start < 0) return;
            continue;
        }
        const Real hit = -start / rate;
        if (rate > 0 && hit > t[0]) t[0] = hit, edge[0] = e;
        if (rate < 0 && hit < t[1]) t[1] = hit, edge[1] = e;
    }
    if (!(t[0] <= t[1])) return;
    for (int k = 0; k < 2; ++k) {
        const Vec3 x = line.x[0] + t[k] * (line.x[1] - line.x[0]), y = lift(face, x, n);
        const std::uint64_t own = edge[k] < 0 ? std::uint64_t(line.id[k]) : edge_name(line, 0),
                            other = edge[k] < 0 ? 0 : edge_name(face, edge[k]);
        const int kind = edge[k] >= 0 ? 2 : line_is_a ? 0 : 1;
        add_point(out, line_is_a ? x : y, line_is_a ? y : x, n,
                  contact_key(kind, line_is_a ? own : other, line_is_a ? other : own));
    }
}

// Two lines, almost parallel: the ends of the stretch they have in common
void clip_lines(const ContactFace& a, const ContactFace& b, const Vec3& n, const Frame& frame, Real roundness,
                ClipPoints& out) {
    const Vec2 p = frame.flat(a.x[0]), d = frame.flat(a.x[1]) - p, q = frame.flat(b.x[0]),
               g = frame.flat(b.x[1]) - q;
    const Real dd = d.squaredNorm(), along = d.dot(g);
    if (!(dd > 0) || !(std::abs(cross(d, g)) < 0.05 * std::abs(along))) return;
    const Real t0 = d.dot(q - p) / dd, t1 = d.dot(q + g - p) / dd; // of b's ends on a
    const bool same = t1 > t0;
    struct End {
        Real t;
        std::uint64_t key;
    };
    const int low = same ? 0 : 1;
    const Real lo = std::min(t0, t1), hi = std::max(t0, t1);
    const End ends[2] = {lo > 0 ? End{lo, contact_key(1, 0, b.id[low])} : End{0, contact_key(0, a.id[0], 0)},
                         hi < 1 ? End{hi, contact_key(1, 0, b.id[1 - low])}
                                : End{1, contact_key(0, a.id[1], 0)}};
    if (!(ends[0].t < ends[1].t)) return;
    for (const End& end : ends) {
        const Vec3 x = a.x[0] + end.t * (a.x[1] - a.x[0]);
        const Vec3 y = b.x[0] + (end.t - t0) / (t1 - t0) * (b.x[1] - b.x[0]);
        if ((frame.flat(y) - frame.flat(x)).norm() <= 0.25 * roundness) add_point(out, x, y, n, end.key);
    }
}

} // namespace

std::uint64_t contact_key(int kind, std::uint64_t id_a, std::uint64_t id_b) {
    return std::uint64_t(kind) << 62 | (id_a & 0x7fffffff) << 31 | (id_b & 0x7fffffff);
}

void clip_faces(const ContactFace& a, const ContactFace& b, const Vec3& n, Real roundness, ClipPoints& out) {
    Frame frame;
    contact_frame(n, frame.s, frame.t);
    if (a.count < 2 || b.count < 2) return;
    if (a.count > 2 && b.count > 2)
        clip_polygons(a, b, n, frame, out);
    else if (b.count == 2 && a.count > 2)
        clip_line(b, a, n, frame, false, out);
    else if (a.count == 2 && b.count > 2)
        clip_line(a, b, n, frame, true, out);
    else
        clip_lines(a, b, n, frame, roundness, out);
}

void place_face(const Placement& f, ContactFace& face) {
    for (int i = 0; i < face.count; ++i) face.x[i] = at(f, face.x[i]);
    face.normal = f.R * face.normal;
}

Real roundness(const Convex& c) {
    return c.radius + (c.core == Convex::cylinder || c.core == Convex::cone ? c.size.x() : 0);
}

void add_nearest(const Vec3& on_a, const Vec3& on_b, Real distance, ClipPoints& out) {
    Real deepest = std::numeric_limits<Real>::infinity(), spread = 0;
    for (int i = 0; i < out.count; ++i) {
        deepest = std::min(deepest, out.point[i].gap);
        spread = std::max(spread, (out.point[i].on_a - on_a).cwiseAbs().maxCoeff());
    }
    if (!(deepest <= distance + 1e-5 * spread) && out.count < kClipPoints)
        out.point[out.count++] = {on_a, on_b, distance, contact_key(3, 0, 0)};
}

} // namespace sinew
