// Two boxes, collision/box_pair.h. All axes in terms of R = Ra^T Rb and p, the centre of b in the axes of a
// (Gottschalk, Lin and Manocha 1996):
//   separation(n) = |n . p| - sum |n_i| a_i - sum |n . R_j| b_j
// The box whose face is the axis is the one that is clipped against (a where two edges cross). Corners of the other's
// facing side slide along the normal n onto the plane of that face,
//   x' = x + n (h - x_k) / n_k,   gap = n . (x - x')
// and are clipped by the sides |u|, |v| <= half sizes of the face (Sutherland and Hodgman 1974). The gap is linear in
// (u, v). Boxes apart: the separation is a lower bound of the distance; it is the distance if a point of the overlap
// attains it, otherwise the caller needs the general way.
#include "collision/box_pair.h"
#include "collision/manifold_clip.h"
#include "geometry/convex_distance.h"
#include <cmath>

namespace sinew {

namespace {

constexpr int kMost = 16; // corners of a clipped rectangle: eight, and room for rounding

struct Axis {
    enum Kind : int { face_a, face_b, edges } kind = face_a;
    int i = 0, j = 0; // face axis, or edge directions of a and b
    Real separation = -std::numeric_limits<Real>::infinity();
};

// better by more than rounding and habit, as in geometry/sat.h: resting contacts do not flip
bool better(Real separation, Real now) { return separation > now + 1e-6 * std::abs(now); }

bool find_edge_axis(const Vec3& a, const Vec3& b, const Mat3& R, const Mat3& Q, const Vec3& p, Real limit, Axis& best) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const Real above = std::abs(p[i2] * R(i1, j) - p[i1] * R(i2, j)) - a[i1] * Q(i2, j) - a[i2] * Q(i1, j) -
                               b[j1] * Q(i, j2) - b[j2] * Q(i, j1);
            // the length is at most 1: what is not above the best before the division is not above it after
            if (above <= 0 && above <= best.separation) continue;
            if (above <= 0 && best.separation >= 0) continue;
            const Real length = std::sqrt(R(i1, j) * R(i1, j) + R(i2, j) * R(i2, j));
            if (!(length > 1e-8)) continue; // parallel: the faces decide
            const Real separation = above / length;
            if (!better(separation, best.separation)) continue;
            best = {Axis::edges, i, j, separation};
            if (separation > limit) return false;
        }
    return true;
}

// false if some axis separates the boxes by more than the limit
bool find_axis(const Vec3& a, const Vec3& b, const Mat3& R, const Vec3& p, const Vec3& in_b, Real limit, Axis& best) {
    const Mat3 Q = R.cwiseAbs();
    for (int i = 0; i < 3; ++i) {
        const Real separation = std::abs(p[i]) - a[i] - (Q(i, 0) * b[0] + Q(i, 1) * b[1] + Q(i, 2) * b[2]);
        if (separation > limit) return false;
        if (i == 0 || better(separation, best.separation)) best = {Axis::face_a, i, 0, separation};
    }
    for (int j = 0; j < 3; ++j) {
        const Real separation = std::abs(in_b[j]) - b[j] - (Q(0, j) * a[0] + Q(1, j) * a[1] + Q(2, j) * a[2]);
        if (separation > limit) return false;
        if (better(separation, best.separation)) best = {Axis::face_b, j, 0, separation};
    }
    return find_edge_axis(a, b, R, Q, p, limit, best);
}

// The pair seen from the box whose face is clipped against.
struct View {
    Vec3 own, other;  // half sizes
    Mat3 R;           // axes of the other
    Vec3 p;           // its centre
    Vec3 n;           // unit, towards the other
    int k, u, v;      // axis of the own face and its sides
    Real h;           // the face is at x_k = h
};
struct Corner {
    Real u, v, gap;
    int side; // leaving edge: 0..3 sides +u, +v, -u, -v of the face, 4..7 of the other's
};
struct Polygon {
    int count = 0;
    Corner corner[kMost];
};

int largest(const Vec3& d) {
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (std::abs(d[i]) > std::abs(d[k])) k = i;
    return k;
}

// ids of corners as in support: bit k set on the positive side of axis k
struct OtherFace {
    int id[4];
};

// the side of the other box that faces us, slid along n onto the plane of our face
OtherFace project_other(const View& w, Polygon& out) {
    OtherFace face;
    const Vec3 d = -(w.R.transpose() * w.n);
    const int k = largest(d), u = (k + 1) % 3, v = (k + 2) % 3, up = d[k] >= 0;
    const Vec3 middle = w.p + (up ? w.other[k] : -w.other[k]) * w.R.col(k), eu = w.other[u] * w.R.col(u),
               ev = w.other[v] * w.R.col(v);
    static constexpr int kTurn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const Real slope = 1 / w.n[w.k];
    out.count = 4;
    for (int i = 0; i < 4; ++i) {
        const Vec3 x = middle + (kTurn[i][0] ? eu : Vec3(-eu)) + (kTurn[i][1] ? ev : Vec3(-ev));
        const Real slide = (w.h - x[w.k]) * slope;
        out.corner[i] = {x[w.u] + slide * w.n[w.u], x[w.v] + slide * w.n[w.v], -slide, 4 + i};
        face.id[i] = up << k | kTurn[i][0] << u | kTurn[i][1] << v;
    }
    return face;
}

Corner between(const Corner& p, const Corner& q, Real dp, Real dq, int side) {
    const Real t = dp / (dp - dq);
    return {p.u + t * (q.u - p.u), p.v + t * (q.v - p.v), p.gap + t * (q.gap - p.gap), side};
}

// keeps what is within one side of the face
void clip_side(const Polygon& in, const Real* inside, int side, Polygon& out) {
    out.count = 0;
    const auto add = [&](const Corner& c) {
        if (out.count < kMost) out.corner[out.count++] = c;
    };
    for (int i = 0; i < in.count; ++i) {
        const int next = i + 1 < in.count ? i + 1 : 0;
        const Real dp = inside[i], dq = inside[next];
        if (dp >= 0) {
            add(in.corner[i]);
            if (dq < 0) add(between(in.corner[i], in.corner[next], dp, dq, side));
        } else if (dq > 0) {
            add(between(in.corner[i], in.corner[next], dp, dq, in.corner[i].side));
        }
    }
}

const Polygon& clip_to_face(const View& w, Polygon (&polygons)[2]) {
    int now = 0;
    Real inside[kMost];
    for (int side = 0; side < 4; ++side) {
        const Polygon& in = polygons[now];
        const Real half = side % 2 ? w.own[w.v] : w.own[w.u];
        bool out = false;
        for (int i = 0; i < in.count; ++i) {
            const Real x = side % 2 ? in.corner[i].v : in.corner[i].u;
            inside[i] = side < 2 ? half - x : half + x;
            out = out || inside[i] < 0;
        }
        if (!out) continue;
        clip_side(in, inside, side, polygons[1 - now]);
        now = 1 - now;
    }
    return polygons[now];
}

std::uint64_t edge_name(int i, int j) { return (std::uint64_t(std::min(i, j)) * 65521 + std::uint64_t(std::max(i, j))) & 0x7fffffff; }

// name of the corner between two sides, as in manifold_clip.cpp; `swapped`: our box is b
std::uint64_t corner_key(const View& w, const OtherFace& other, const Corner& c, int in, bool swapped) {
    const int own = (w.h > 0) << w.k;
    const auto own_id = [&](bool u, bool v) { return own | int(u) << w.u | int(v) << w.v; };
    const auto own_edge = [&](int side) {
        const bool positive = side < 2;
        return side % 2 ? edge_name(own_id(false, positive), own_id(true, positive))
                        : edge_name(own_id(positive, false), own_id(positive, true));
    };
    const auto key = [&](int kind, std::uint64_t mine, std::uint64_t theirs) {
        return swapped ? contact_key(kind, theirs, mine) : contact_key(kind, mine, theirs);
    };
    if (in < 4 && c.side < 4) return key(swapped, own_id(c.u >= 0, c.v >= 0), 0);
    if (in >= 4 && c.side >= 4) {
        const int i = in - 4, j = c.side - 4;
        return key(!swapped, 0, other.id[j == (i + 1) % 4 ? j : i]);
    }
    const int mine = in < 4 ? in : c.side, theirs = (in < 4 ? c.side : in) - 4;
    return key(2, own_edge(mine), edge_name(other.id[theirs], other.id[(theirs + 1) % 4]));
}

struct Overlap {
    int count = 0;
    Vec2 flat[kMost + 1];  // seen along the normal
    Vec3 x[kMost + 1];     // on our face
    Real gap[kMost + 1];
    std::uint64_t key[kMost + 1];
};

// the deepest point of the other box itself, for an overlap that does not contain it
Vec3 deepest_on_face(const View& w, const Axis& axis) {
    const Vec3 d = w.R.transpose() * w.n;
    Vec3 x = w.p;
    if (axis.kind != Axis::edges) {
        for (int i = 0; i < 3; ++i) x += (d[i] > 0 ? -w.other[i] : w.other[i]) * w.R.col(i);
        return x - axis.separation * w.n;
    }
    // crossing of the two edges: middles, then the nearest point of the lines on ours
    Vec3 own = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
        if (i != axis.i) own[i] = w.n[i] >= 0 ? w.own[i] : -w.own[i];
        if (i != axis.j) x += (d[i] > 0 ? -w.other[i] : w.other[i]) * w.R.col(i);
    }
    const Vec3 between = x - own, g = w.R.col(axis.j);
    const Real c = g[axis.i], det = 1 - c * c;
    own[axis.i] += (between[axis.i] - c * between.dot(g)) / det;
    return own;
}

View make_view(const Axis& axis, const Vec3& a, const Vec3& b, const Mat3& R, const Vec3& p, const Vec3& in_b) {
    View w;
    if (axis.kind == Axis::face_b) {
        w.own = b, w.other = a;
        w.R = R.transpose();
        w.p = -in_b;
        w.n = Vec3::Zero();
        w.n[axis.i] = w.p[axis.i] >= 0 ? 1 : -1;
    } else {
        w.own = a, w.other = b;
        w.R = R, w.p = p;
        if (axis.kind == Axis::face_a) {
            w.n = Vec3::Zero();
            w.n[axis.i] = p[axis.i] >= 0 ? 1 : -1;
        } else {
            const int i = axis.i, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            w.n[i] = 0, w.n[i1] = -R(i2, axis.j), w.n[i2] = R(i1, axis.j);
            w.n /= w.n.norm();
            if (w.n.dot(p) < 0) w.n = -w.n;
        }
    }
    w.k = axis.kind == Axis::edges ? largest(w.n) : axis.i;
    w.u = (w.k + 1) % 3, w.v = (w.k + 2) % 3;
    w.h = w.n[w.k] >= 0 ? w.own[w.k] : -w.own[w.k];
    return w;
}

// points of the overlap nearer than the limit; false if none is as near as the axis says and the boxes are apart
bool find_points(const View& w, const Axis& axis, Real limit, Overlap& out) {
    Polygon polygons[2];
    const OtherFace other = project_other(w, polygons[0]);
    const Polygon& p = clip_to_face(w, polygons);
    Vec3 s = Vec3::Zero(), t = Vec3::Zero();
    s[w.u] = t[w.v] = 1;
    if (axis.kind == Axis::edges) contact_frame(w.n, s, t);
    Real deepest = std::numeric_limits<Real>::infinity();
    for (int i = 0; i < p.count; ++i) deepest = std::min(deepest, p.corner[i].gap);
    const Real size = std::min(w.own.maxCoeff(), w.other.maxCoeff());
    if (axis.separation > 0 && !(deepest <= axis.separation * (1 + 1e-6) + 1e-12 * size)) return false;
    const bool swapped = axis.kind == Axis::face_b;
    Real spread = 0;
    const auto add = [&](const Vec3& x, Real gap, std::uint64_t key) {
        const int i = out.count++;
        out.x[i] = x;
        out.flat[i] = {s.dot(x), t.dot(x)};
        out.gap[i] = gap;
        out.key[i] = key;
    };
    const Vec3 nearest = deepest_on_face(w, axis);
    for (int i = 0; i < p.count; ++i) {
        const Corner& c = p.corner[i];
        Vec3 x;
        x[w.k] = w.h, x[w.u] = c.u, x[w.v] = c.v;
        spread = std::max(spread, (x - nearest).cwiseAbs().maxCoeff());
        if (c.gap <= limit) add(x, c.gap, corner_key(w, other, c, p.corner[i ? i - 1 : p.count - 1].side, swapped));
    }
    if (!(deepest <= axis.separation + 1e-5 * spread)) add(nearest, axis.separation, contact_key(3, 0, 0));
    return true;
}

} // namespace

std::optional<bool> collide_boxes(const Convex& a, const Placement& fa, const Convex& b, const Placement& fb, Real margin,
                                  Manifold& out) {
    out.count = 0;
    const Vec3 apart = fb.p - fa.p;
    const Real thickness = a.radius + b.radius, limit = margin + thickness;
    if (!(apart.cwiseAbs().maxCoeff() < 1e140)) return false;
    const Vec3 p = fa.R.transpose() * apart, in_b = fb.R.transpose() * apart;
    const Mat3 R = fa.R.transpose() * fb.R;
    Axis axis;
    if (!find_axis(a.size, b.size, R, p, in_b, limit, axis)) return false;
    const View w = make_view(axis, a.size, b.size, R, p, in_b);
    Overlap points;
    if (!find_points(w, axis, limit, points)) return {};
    if (points.count == 0) return false;
    int kept[4];
    out.count = choose_points(points.count, points.flat, points.gap, kept);
    // grow by the balls, to the world
    const bool swapped = axis.kind == Axis::face_b;
    const Placement& own = swapped ? fb : fa;
    const Vec3 n = own.R * w.n;
    const Real own_radius = swapped ? b.radius : a.radius, other_radius = thickness - own_radius;
    out.normal = swapped ? Vec3(-n) : n;
    for (int i = 0; i < out.count; ++i) {
        const int k = kept[i];
        const Vec3 x = at(own, points.x[k]);
        const Vec3 mine = x + own_radius * n, theirs = x + (points.gap[k] - other_radius) * n;
        out.point[i] = {swapped ? theirs : mine, swapped ? mine : theirs, points.gap[k] - thickness, points.key[k]};
    }
    return true;
}

} // namespace sinew
