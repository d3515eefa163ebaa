// Expanding polytope, geometry/epa.h. Faces are kept with their neighbours; a new point removes the connected
// faces that see it, and new ones join their border to it. Where rounding makes the border anything but one
// simple loop the polytope stays as it is and the best direction so far is the answer. Fixed arrays, no
// allocation.
#include "geometry/epa.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

constexpr int kPoints = 124, kFaces = 2 * kPoints;
constexpr Real kNever = std::numeric_limits<Real>::infinity();

struct Face {
    std::array<int, 3> v, next; // corners; face across the edge v[i], v[i + 1]
    Vec3 n;
    Real d; // [m] n . x; kNever without area
    bool alive, seen;
};
struct Polytope {
    std::array<DifferencePoint, kPoints> point;
    std::array<Face, kFaces> face;
    int points = 0, faces = 0;
    std::array<int, kFaces> unused; // slots of faces that left
    int unused_count = 0;
    Real size = 0; // [m] largest |w|
};

Face make_face(const Polytope& p, int i, int j, int k) {
    Face f{{i, j, k}, {-1, -1, -1}, Vec3::UnitX(), kNever, true, false};
    const Vec3 a = p.point[i].w, e = p.point[j].w - a, g = p.point[k].w - a, n = e.cross(g);
    const Real area = n.norm();
    if (area > 1e-15 * p.size * std::sqrt(std::max(e.squaredNorm(), g.squaredNorm()))) {
        f.n = n / area;
        f.d = f.n.dot(a);
    }
    return f;
}

// --- a tetrahedron around the origin ---

// Adds the support point along d or -d if it lies off the flat set, measured by the distance function
template <class Off> bool add_point_off(const ConvexPair& pair, Polytope& p, const Vec3& d, Off&& off) {
    for (int sign : {1, -1}) {
        const DifferencePoint w = support(pair, Vec3(sign * d));
        p.size = std::max(p.size, w.w.norm());
        if (!(off(w.w) > 1e-11 * p.size)) continue;
        p.point[p.points++] = w;
        return true;
    }
    return false;
}

// Flat: direction of the flat difference in `normal`
bool build_tetrahedron(const ConvexPair& pair, const Simplex& s, Polytope& p, Vec3& normal) {
    for (int i = 0; i < s.count; ++i) {
        p.point[p.points++] = s.point[i];
        p.size = std::max(p.size, s.point[i].w.norm());
    }
    if (p.points == 4) {
        const Vec3 a = p.point[0].w, n = (p.point[1].w - a).cross(p.point[2].w - a);
        if (std::abs(n.dot(p.point[3].w - a)) <= 1e-11 * p.size * n.norm()) p.points = 3;
    }
    if (p.points == 1) {
        const Vec3 o = p.point[0].w;
        for (int k = 0; k < 3 && p.points == 1; ++k)
            add_point_off(pair, p, Vec3::Unit(k), [&](const Vec3& w) { return (w - o).norm(); });
        normal = Vec3::UnitY();
        if (p.points == 1) return false;
    }
    if (p.points == 2) {
        const Vec3 o = p.point[0].w, line = (p.point[1].w - o).normalized(), u = perpendicular(line);
        for (int k = 0; k < 3 && p.points == 2; ++k)
            add_point_off(pair, p, exp_rotation(line * (k * kPi / 3)) * u,
                          [&](const Vec3& w) { return line.cross(w - o).norm(); });
        normal = u;
        if (p.points == 2) return false;
    }
    if (p.points == 3) {
        const Vec3 o = p.point[0].w;
        normal = (p.point[1].w - o).cross(p.point[2].w - o).normalized();
        add_point_off(pair, p, normal, [&](const Vec3& w) { return std::abs(normal.dot(w - o)); });
        if (p.points == 3) return false;
    }
    return true;
}

void build_faces(Polytope& p) {
    const Vec3 a = p.point[0].w;
    if ((p.point[1].w - a).cross(p.point[2].w - a).dot(p.point[3].w - a) > 0)
        std::swap(p.point[1], p.point[2]);
    static constexpr int kSides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static constexpr int kNext[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; ++f) {
        p.face[f] = make_face(p, kSides[f][0], kSides[f][1], kSides[f][2]);
        for (int e = 0; e < 3; ++e) p.face[f].next[e] = kNext[f][e];
    }
    p.faces = 4;
}

// --- growth ---

int nearest_face(const Polytope& p) {
    int best = -1;
    for (int f = 0; f < p.faces; ++f)
        if (p.face[f].alive && (best < 0 || p.face[f].d < p.face[best].d)) best = f;
    return best;
}

struct Border {
    std::array<int, kFaces> face, edge; // that stays
    int count = 0;
    std::array<int, kFaces> seen;
    int seen_count = 0;
};

void find_border(Polytope& p, int first, const Vec3& w, Border& border) {
    border.seen[border.seen_count++] = first;
    p.face[first].seen = true;
    for (int i = 0; i < border.seen_count; ++i) {
        const Face& f = p.face[border.seen[i]];
        for (int e = 0; e < 3; ++e) {
            Face& g = p.face[f.next[e]];
            if (g.seen) continue;
            if (g.d == kNever || g.n.dot(w) - g.d > 1e-14 * p.size) {
                g.seen = true;
                border.seen[border.seen_count++] = f.next[e];
            }
        }
    }
    for (int i = 0; i < border.seen_count; ++i) {
        const Face& f = p.face[border.seen[i]];
        for (int e = 0; e < 3; ++e) {
            if (p.face[f.next[e]].seen) continue;
            const Face& g = p.face[f.next[e]];
            int back = 0;
            while (back < 2 && g.v[back] != f.v[(e + 1) % 3]) ++back;
            border.face[border.count] = f.next[e];
            border.edge[border.count++] = back;
        }
    }
}

// False, and nothing changes, if the border is not one simple loop or there is no room
bool grow(Polytope& p, int first, const DifferencePoint& w) {
    static constexpr int kNone = -1;
    Border border;
    find_border(p, first, w.w, border);
    std::array<int, kPoints> to; // per corner the next one along the border
    to.fill(kNone);
    bool simple = border.count >= 3 && p.points < kPoints &&
                  border.count <= kFaces - p.faces + p.unused_count + border.seen_count;
    for (int i = 0; i < border.count && simple; ++i) {
        const Face& g = p.face[border.face[i]];
        int& next = to[g.v[(border.edge[i] + 1) % 3]];
        simple = next == kNone;
        next = g.v[border.edge[i]];
    }
    int length = 0;
    if (simple) {
        const int start = p.face[border.face[0]].v[border.edge[0]];
        int at = start;
        do at = to[at], ++length;
        while (at != start && at != kNone && length < border.count);
        simple = at == start && length == border.count;
    }
    for (int i = 0; i < border.seen_count; ++i) p.face[border.seen[i]].seen = false;
    if (!simple) return false;

    for (int i = 0; i < border.seen_count; ++i) {
        p.face[border.seen[i]].alive = false;
        p.unused[p.unused_count++] = border.seen[i];
    }
    const int apex = p.points;
    p.point[p.points++] = w;
    std::array<int, kPoints> face_from;
    std::array<int, kFaces> made;
    for (int i = 0; i < border.count; ++i) {
        Face& g = p.face[border.face[i]];
        const int e = border.edge[i], slot = p.unused_count ? p.unused[--p.unused_count] : p.faces++;
        const int u = g.v[(e + 1) % 3], v = g.v[e];
        p.face[slot] = make_face(p, u, v, apex);
        p.face[slot].next[0] = border.face[i];
        g.next[e] = slot;
        face_from[u] = slot;
        made[i] = slot;
    }
    for (int i = 0; i < border.count; ++i) {
        const int other = face_from[p.face[made[i]].v[1]];
        p.face[made[i]].next[1] = other;
        p.face[other].next[2] = made[i];
    }
    return true;
}

// --- the last digits where the points have run out ---

// Height of the difference along n0 + x s + y t, a function of two variables with one minimum near by
struct Height {
    const ConvexPair& pair;
    Vec3 n0, s, t;
    Vec3 direction(const Vec2& x) const { return (n0 + x.x() * s + x.y() * t).normalized(); }
    Real operator()(const Vec2& x) const {
        const Vec3 n = direction(x);
        return n.dot(support(pair, n).w);
    }
};

// Simplex search of Nelder and Mead (1965) from the size `step` [rad]
Vec2 descend(const Height& height, const Vec2& start, Real step) {
    constexpr int kRounds = 90;
    std::array<std::pair<Real, Vec2>, 3> x;
    for (int i = 0; i < 3; ++i) {
        x[i].second = start + step * (i == 1 ? Vec2(1, 0) : i == 2 ? Vec2(-0.5, 0.8660254037844386) : Vec2(0, 0));
        x[i].first = height(x[i].second);
    }
    const auto lower = [](const auto& p, const auto& q) { return p.first < q.first; };
    for (int round = 0; round < kRounds; ++round) {
        std::sort(x.begin(), x.end(), lower);
        const Vec2 middle = (x[0].second + x[1].second) / 2, away = middle - x[2].second;
        const auto at = [&](Real r) { return std::pair<Real, Vec2>(height(middle + r * away), middle + r * away); };
        std::pair<Real, Vec2> next = at(1);
        if (next.first < x[0].first) {
            const auto further = at(2);
            if (further.first < next.first) next = further;
        } else if (!(next.first < x[1].first)) {
            const auto nearer = at(next.first < x[2].first ? 0.5 : -0.5);
            if (nearer.first < std::min(next.first, x[2].first)) {
                next = nearer;
            } else { // shrink towards the best
                for (int i = 1; i < 3; ++i) x[i].second = (x[0].second + x[i].second) / 2, x[i].first = height(x[i].second);
                continue;
            }
        }
        x[2] = next;
    }
    return std::min_element(x.begin(), x.end(), lower)->second;
}

// Bodies of revolution on one axis are equally deep all around it: the points are spent on all these directions alike.
// One of them, the best so far, goes down to its minimum.
void polish(const ConvexPair& pair, Penetration& r) {
    const Vec3 s = perpendicular(r.normal);
    const Height height{pair, r.normal, s, r.normal.cross(s)};
    Vec2 x = Vec2::Zero();
    for (const Real step : {0.1, 0.01, 0.001}) x = descend(height, x, step);
    const Real depth = height(x);
    if (!(depth < r.depth)) return;
    r.depth = depth;
    r.normal = height.direction(x);
    const Vec3 rest = (r.depth - r.normal.dot(r.on_a - r.on_b)) / 2 * r.normal;
    r.on_a += rest;
    r.on_b -= rest;
}

// Points of both cores over the origin's foot on the face
void set_witness(const Polytope& p, const Face& f, Penetration& r) {
    const DifferencePoint &i = p.point[f.v[0]], &j = p.point[f.v[1]], &k = p.point[f.v[2]];
    const Vec3 foot = f.n * f.d, a = i.w - foot, b = j.w - foot, c = k.w - foot;
    Vec3 weight(f.n.dot(b.cross(c)), f.n.dot(c.cross(a)), f.n.dot(a.cross(b)));
    weight = weight.cwiseMax(0);
    const Real sum = weight.sum();
    weight = sum > 0 ? Vec3(weight / sum) : Vec3(Vec3::Constant(1.0 / 3));
    r.on_a = weight[0] * i.a + weight[1] * j.a + weight[2] * k.a;
    r.on_b = weight[0] * i.b + weight[1] * j.b + weight[2] * k.b;
    // the depth is that of the supporting plane: shift both points onto it by half the rest each
    const Vec3 rest = (r.depth - f.n.dot(r.on_a - r.on_b)) / 2 * f.n;
    r.on_a += rest;
    r.on_b -= rest;
}

} // namespace

Penetration run_epa(const ConvexPair& pair, const Simplex& s) {
    Penetration r;
    Polytope p;
    Vec3 flat = Vec3::UnitY();
    if (!build_tetrahedron(pair, s, p, flat)) {
        r.normal = flat;
        for (int i = 0; i < s.count; ++i) {
            r.on_a += s.weight[i] * s.point[i].a;
            r.on_b += s.weight[i] * s.point[i].b;
        }
        return r;
    }
    build_faces(p);
    Real best = kNever, low = 0;
    for (r.iterations = 1; r.iterations < kPoints; ++r.iterations) {
        const int id = nearest_face(p);
        const Face f = p.face[id];
        if (f.d == kNever) break;
        low = f.d;
        const DifferencePoint w = support(pair, f.n, p.point[f.v[0]].id_a, p.point[f.v[0]].id_b);
        const Real height = f.n.dot(w.w); // an upper bound of the depth, f.d a lower one
        if (height < best) {
            best = height;
            r.depth = height;
            r.normal = f.n;
            set_witness(p, f, r);
        }
        if (best - f.d <= 1e-10 * p.size || !grow(p, id, w)) break;
    }
    if (best - low > 1e-9 * p.size && std::isfinite(best)) polish(pair, r);
    return r;
}

} // namespace sinew
