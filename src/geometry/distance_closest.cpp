#include "geometry/distance_closest.h"
#include <limits>

namespace sinew {

// |e x f|^2 as part of |e|^2 |f|^2. Below kNearlyParallel (angle of 1e-4) the normal is noisy along the edges: the
// difference is taken between actual points, which can only be too long, and the boundary is asked as well.
// Below kParallel the interior solution has no digits left.
static constexpr Real kNearlyParallel = 1e-8, kParallel = 1e-28;

// parameter of the point of the segment x0 + s d closest to the origin, s in [0, 1]
static Real segment_parameter(const Vec3& x0, const Vec3& d) {
    const Real length = d.squaredNorm(), s = -x0.dot(d);
    return s <= 0 || length == 0 ? 0 : s >= length ? 1 : s / length;
}

static Vec3 cross3(const Vec3& a, const Vec3& b) { return a.cross(b); }

// d without its components along e and f, which are nearly parallel: digits of the right angle, as above
static Vec3 perpendicular(Vec3 d, const Vec3& e, const Vec3& f) {
    const Real ee = e.squaredNorm();
    const Vec3 across = f - e * (f.dot(e) / ee);
    for (int i = 0; i < 2; ++i) {
        d -= e * (d.dot(e) / ee);
        d -= across * (d.dot(across) / across.squaredNorm());
    }
    return d;
}

Closest closest_vertex_vertex(const Vec3& p, const Vec3& q) {
    Closest c;
    c.weight = {1, 1, 0, 0};
    c.difference = p - q;
    c.squared = c.difference.squaredNorm();
    return c;
}

// p against the edge whose ends are the stencil's points i and j; weights of p (stencil number 0) left at one
static Closest vertex_edge(const Vec3& p, const Vec3& e0, const Vec3& e1, int i, int j) {
    Closest c;
    const Vec3 from = e0 - p, to = e1 - p, d = e1 - e0;
    const Real s = segment_parameter(from, d);
    c.weight[0] = 1;
    c.weight[i] = 1 - s, c.weight[j] = s;
    c.difference = s == 0 ? Vec3(-from) : s == 1 ? Vec3(-to) : Vec3(-(from + s * d));
    // a short difference of long vectors has lost digits of its right angle: without this nothing below 1e-8
    // of the edge's length is perpendicular enough to prove a separation
    if (s > 0 && s < 1) c.difference -= d * (c.difference.dot(d) / d.squaredNorm());
    c.squared = c.difference.squaredNorm();
    c.feature.kind = s > 0 && s < 1 ? Feature::point_line : Feature::point_point;
    c.feature.point = s == 1 ? std::array{0, j, i, 3} : std::array{0, i, j, 3};
    return c;
}

Closest closest_vertex_edge(const Vec3& p, const Vec3& e0, const Vec3& e1) {
    return vertex_edge(p, e0, e1, 1, 2);
}

static const Closest& nearer(const Closest& a, const Closest& b) { return b.squared < a.squared ? b : a; }

Closest closest_vertex_triangle(const Vec3& p, const Vec3& t0, const Vec3& t1, const Vec3& t2) {
    const Vec3 ab = t1 - t0, ac = t2 - t0, n = cross3(ab, ac);
    const Real area = n.squaredNorm(), scale = ab.squaredNorm() * ac.squaredNorm();
    Closest face;
    face.squared = std::numeric_limits<Real>::infinity();
    if (area > kParallel * scale) {
        // weights of the projection on the plane, each against its own edge
        const Vec3 a = t0 - p, b = t1 - p, c = t2 - p;
        const Real w0 = n.dot(cross3(b, c)), w1 = n.dot(cross3(c, a)), w2 = n.dot(cross3(a, b));
        if (w0 > 0 && w1 > 0 && w2 > 0) {
            const Real sum = w0 + w1 + w2;
            const bool thin = area < kNearlyParallel * scale;
            face.weight = {1, w0 / sum, w1 / sum, w2 / sum};
            face.difference = thin ? perpendicular(-(w0 * a + w1 * b + w2 * c) / sum, ab, ac)
                                   : Vec3(n * (-a.dot(n) / area));
            face.squared = face.difference.squaredNorm();
            face.feature.kind = Feature::point_plane;
            if (!thin) return face;
        }
    }
    return nearer(face, nearer(nearer(vertex_edge(p, t0, t1, 1, 2), vertex_edge(p, t1, t2, 2, 3)),
                               vertex_edge(p, t2, t0, 3, 1)));
}

// vertex `v` of one edge against the other edge (i, j); the difference points from a to b
static Closest corner_edge(const std::array<Vec3, 4>& x, int v, int i, int j) {
    Closest c = vertex_edge(x[v], x[i], x[j], 1, 2);
    const Real w1 = c.weight[1], w2 = c.weight[2];
    c.weight.setZero();
    c.weight[v] = 1, c.weight[i] = w1, c.weight[j] = w2;
    c.feature.point = {v, c.feature.point[1] == 1 ? i : j, c.feature.point[1] == 1 ? j : i, 3};
    if (v < 2) c.difference = -c.difference;
    return c;
}

Closest closest_edge_edge(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    const Vec3 e = a1 - a0, f = b1 - b0, w = b0 - a0, n = cross3(e, f);
    const Real area = n.squaredNorm(), scale = e.squaredNorm() * f.squaredNorm();
    Closest inner;
    inner.squared = std::numeric_limits<Real>::infinity();
    if (area > kParallel * scale) {
        // a0 + r e = b0 + s f up to the common normal: r n = w x f, s n = w x e
        const Real r = n.dot(cross3(w, f)), s = n.dot(cross3(w, e));
        if (r > 0 && r < area && s > 0 && s < area) {
            const bool thin = area < kNearlyParallel * scale;
            inner.weight = {1 - r / area, r / area, 1 - s / area, s / area};
            inner.difference =
                thin ? perpendicular(w + (s / area) * f - (r / area) * e, e, f) : Vec3(n * (w.dot(n) / area));
            inner.squared = inner.difference.squaredNorm();
            inner.feature.kind = Feature::line_line;
            if (!thin) return inner;
        }
    }
    const std::array<Vec3, 4> x{a0, a1, b0, b1};
    return nearer(inner, nearer(nearer(corner_edge(x, 0, 2, 3), corner_edge(x, 1, 2, 3)),
                                nearer(corner_edge(x, 2, 0, 1), corner_edge(x, 3, 0, 1))));
}

} // namespace sinew
