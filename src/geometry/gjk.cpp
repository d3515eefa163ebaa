// GJK, geometry/gjk.h. The point of a simplex nearest to the origin is found by signed volumes (Montanari,
// Petrinic and Barbieri 2017): the barycentric coordinates of the origin's projection decide which faces to
// look at, and where several come in question the nearest wins, so that rounding cannot send the search the
// wrong way. Ends when the gap between |v| and its lower bound is below 1e-13 of |v| plus the rounding of the
// support points, when a support point comes twice, or when the distance no longer falls; never after more
// than 128 rounds.
#include "geometry/gjk.h"
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr Real kEps = std::numeric_limits<Real>::epsilon();

struct Nearest {
    int count = 0;
    std::array<int, 4> id{};
    std::array<Real, 4> weight{};
    Vec3 v = Vec3::Zero();
    Real vv = std::numeric_limits<Real>::infinity();
};

Nearest nearest_point(const Simplex& s, int i) {
    Nearest r{1, {i}, {1}, s.point[i].w, 0};
    r.vv = r.v.squaredNorm();
    return r;
}

Nearest nearest_line(const Simplex& s, int i, int j) {
    // start at the end nearer to the origin: less cancellation
    if (s.point[j].w.squaredNorm() < s.point[i].w.squaredNorm()) std::swap(i, j);
    const Vec3 d = s.point[j].w - s.point[i].w;
    const Real dd = d.squaredNorm(), t = -s.point[i].w.dot(d);
    if (!(t > 0)) return nearest_point(s, i);
    if (!(t < dd)) return nearest_point(s, j);
    Nearest r{2, {i, j}, {1 - t / dd, t / dd}, s.point[i].w + d * (t / dd), 0};
    r.vv = r.v.squaredNorm();
    return r;
}

void take_nearer(Nearest& best, const Nearest& other) {
    if (other.vv < best.vv) best = other;
}

Nearest nearest_triangle(const Simplex& s, int i, int j, int k) {
    const Vec3 &a = s.point[i].w, &b = s.point[j].w, &c = s.point[k].w;
    const Vec3 e = b - a, f = c - a, n = e.cross(f);
    const Real nn = n.squaredNorm();
    bool edges[3] = {true, true, true}; // opposite to i, j, k
    if (nn > 64 * kEps * kEps * e.squaredNorm() * f.squaredNorm()) {
        const Vec3 p = n * (n.dot(a) / nn);
        const Vec3 pa = a - p, pb = b - p, pc = c - p;
        const Real weight[3] = {n.dot(pb.cross(pc)), n.dot(pc.cross(pa)), n.dot(pa.cross(pb))};
        for (int m = 0; m < 3; ++m) edges[m] = !(weight[m] > 0);
        if (!edges[0] && !edges[1] && !edges[2]) {
            const Real sum = weight[0] + weight[1] + weight[2];
            return {3, {i, j, k}, {weight[0] / sum, weight[1] / sum, weight[2] / sum}, p, p.squaredNorm()};
        }
    }
    Nearest best;
    if (edges[0]) take_nearer(best, nearest_line(s, j, k));
    if (edges[1]) take_nearer(best, nearest_line(s, i, k));
    if (edges[2]) take_nearer(best, nearest_line(s, i, j));
    return best;
}

Nearest nearest_tetrahedron(const Simplex& s) {
    static constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    Nearest best;
    Real weight[4], sum = 0;
    bool inside = true;
    for (int l = 0; l < 4; ++l) {
        const auto& f = kFaces[l];
        const Vec3 &a = s.point[f[0]].w, &b = s.point[f[1]].w, &c = s.point[f[2]].w;
        const Vec3 e = b - a, g = c - a, n = e.cross(g), up = s.point[l].w - a;
        const Real apex = n.dot(up), origin = -n.dot(a);
        // signs below the rounding of the products decide nothing: look at the face
        const Real rounding = 64 * kEps * e.norm() * g.norm();
        const bool known = std::abs(apex) > rounding * up.norm() && std::abs(origin) > rounding * a.norm();
        if (known && apex * origin > 0) {
            weight[l] = origin / apex;
            sum += weight[l];
            continue;
        }
        inside = false;
        take_nearer(best, nearest_triangle(s, f[0], f[1], f[2]));
    }
    if (!inside) return best;
    best = {4, {0, 1, 2, 3}, {}, Vec3::Zero(), 0};
    for (int l = 0; l < 4; ++l) best.weight[l] = sum > 0 ? weight[l] / sum : 0.25;
    return best;
}

Nearest nearest(const Simplex& s) {
    switch (s.count) {
    case 1:
        return nearest_point(s, 0);
    case 2:
        return nearest_line(s, 0, 1);
    case 3:
        return nearest_triangle(s, 0, 1, 2);
    default:
        return nearest_tetrahedron(s);
    }
}

Simplex reduced(const Simplex& s, const Nearest& n) {
    Simplex r;
    r.count = n.count;
    for (int i = 0; i < n.count; ++i) r.point[i] = s.point[n.id[i]], r.weight[i] = n.weight[i];
    return r;
}

bool contains_point(const Simplex& s, const Vec3& w) {
    for (int i = 0; i < s.count; ++i)
        if (s.point[i].w == w) return true;
    return false;
}

void set_witness(const Simplex& s, GjkResult& r) {
    r.on_a.setZero();
    r.on_b.setZero();
    for (int i = 0; i < s.count; ++i) {
        r.on_a += s.weight[i] * s.point[i].a;
        r.on_b += s.weight[i] * s.point[i].b;
    }
}

} // namespace

DifferencePoint support(const ConvexPair& pair, const Vec3& d, int hint_a, int hint_b) {
    const SupportPoint a = support(*pair.a, d, hint_a);
    const SupportPoint b = support(*pair.b, -(pair.b_in_a.R.transpose() * d), hint_b);
    const Vec3 xb = at(pair.b_in_a, b.x);
    return {a.x - xb, a.x, xb, a.id, b.id};
}

GjkResult run_gjk(const ConvexPair& pair, Real limit, Simplex& s) {
    GjkResult r;
    Real bound = 0; // of the distance, times |v|
    Vec3 start = -pair.b_in_a.p;
    if (!(start.squaredNorm() > 0)) start = Vec3::UnitX();
    s.count = 1;
    s.point[0] = support(pair, -start);
    s.weight[0] = 1;
    r.v = s.point[0].w;
    Real vv = r.v.squaredNorm(), size = std::sqrt(vv);
    for (r.iterations = 1; r.iterations < 128; ++r.iterations) {
        // so short a vector has no direction left
        if (!(vv > 1e-24 * size * size) || !std::isfinite(vv)) {
            r.state = GjkResult::overlapping;
            break;
        }
        const DifferencePoint& last = s.point[s.count - 1];
        const DifferencePoint w = support(pair, -r.v, last.id_a, last.id_b);
        const Real length = std::sqrt(vv);
        bound = r.v.dot(w.w);
        if (bound > limit * length && bound > 0) {
            r.state = GjkResult::beyond;
            r.distance = bound / length;
            set_witness(s, r);
            return r;
        }
        size = std::max(size, w.w.norm());
        if (vv - bound <= 1e-13 * vv + 8 * kEps * length * size || contains_point(s, w.w)) break;
        Simplex wider = s;
        wider.point[wider.count++] = w;
        const Nearest n = nearest(wider);
        if (n.count == 4) {
            s = reduced(wider, n);
            r.state = GjkResult::overlapping;
            break;
        }
        if (!(n.vv < vv)) break;
        s = reduced(wider, n);
        r.v = n.v;
        vv = n.vv;
    }
    // stopped by rounding without a plane between the cores: they touch or overlap
    if (r.state == GjkResult::separated && !(bound > 0)) r.state = GjkResult::overlapping;
    set_witness(s, r);
    r.distance = r.state == GjkResult::overlapping ? 0 : std::sqrt(vv);
    return r;
}

} // namespace sinew
