// Separating axes of polytopes, geometry/sat.h. Of all pairs of edges only those count whose arcs of normals
// cross on the sphere (Gregorius 2013): then the cross product is a face normal of the difference and its
// separation needs no projection. Segments have no arcs; their few axes are projected in full.
#include "geometry/sat.h"
#include "geometry/polytope.h"
#include <cmath>

namespace sinew {

namespace {

struct Search {
    const ConvexPair& pair;
    SeparatingAxis best;
    Real size = 0; // [m] scale of rounding
};

// Is the new separation better than the best by more than rounding and habit?
bool better(const Search& s, Real separation) {
    const Real now = s.best.separation;
    return separation > now + 1e-6 * std::abs(now) + 1e-14 * s.size ||
           now == -std::numeric_limits<Real>::infinity();
}

void try_faces_of_a(Search& s) {
    const Placement& f = s.pair.b_in_a;
    int hint = 0;
    for (int i = 0; i < face_count(*s.pair.a); ++i) {
        const PolytopeFace face = face_of(*s.pair.a, i);
        const SupportPoint p = support(*s.pair.b, -(f.R.transpose() * face.normal), hint);
        hint = p.id;
        const Vec3 x = at(f, p.x);
        const Real separation = face.normal.dot(x) - face.offset;
        s.size = std::max(s.size, std::abs(face.offset));
        if (!better(s, separation)) continue;
        s.best = {SeparatingAxis::face_a, i, p.id, separation, face.normal, x - separation * face.normal, x};
    }
}

void try_faces_of_b(Search& s) {
    const Placement& f = s.pair.b_in_a;
    int hint = 0;
    for (int i = 0; i < face_count(*s.pair.b); ++i) {
        const PolytopeFace face = face_of(*s.pair.b, i);
        const Vec3 n = f.R * face.normal; // outward from b: from b to a
        const SupportPoint p = support(*s.pair.a, -n, hint);
        hint = p.id;
        const Real separation = n.dot(p.x - f.p) - face.offset;
        s.size = std::max(s.size, std::abs(face.offset));
        if (!better(s, separation)) continue;
        s.best = {SeparatingAxis::face_b, p.id, i, separation, -n, p.x, p.x - separation * n};
    }
}

// Closest points of two lines with directions e, g, not parallel
void line_points(const Vec3& p, const Vec3& e, const Vec3& q, const Vec3& g, Vec3& on_p, Vec3& on_q) {
    const Vec3 r = p - q;
    const Real a = e.dot(e), b = e.dot(g), c = g.dot(g), d = e.dot(r), h = g.dot(r), det = a * c - b * b;
    const Real s = det > 0 ? (b * h - c * d) / det : 0, t = det > 0 ? (a * h - b * d) / det : 0;
    on_p = p + std::min(std::max(s, Real(0)), Real(1)) * e;
    on_q = q + std::min(std::max(t, Real(0)), Real(1)) * g;
}

void take_edges(Search& s, int i, int j, const PolytopeEdge& p, const PolytopeEdge& q, const Vec3& n,
                Real separation) {
    s.best = {SeparatingAxis::edges, i, j, separation, n, p.a, q.a};
    line_points(p.a, p.b - p.a, q.a, q.b - q.a, s.best.on_a, s.best.on_b);
    const Vec3 rest = (separation - n.dot(s.best.on_b - s.best.on_a)) / 2 * n;
    s.best.on_a -= rest;
    s.best.on_b += rest;
}

// Do the arcs of normals cross on the sphere? Arc of p from normal0 to normal1, of q's turned round; the
// edges stand for the cross products of their normals.
bool arcs_cross(const PolytopeEdge& p, const Vec3& e, const PolytopeEdge& q, const Vec3& g) {
    const Real c = -q.normal0.dot(e), d = -q.normal1.dot(e);
    if (!(c * d < 0)) return false;
    const Real a = p.normal0.dot(g), b = p.normal1.dot(g);
    return a * b < 0 && c * b > 0;
}

PolytopeEdge placed(const Placement& f, const PolytopeEdge& e) {
    return {at(f, e.a), at(f, e.b), f.R * e.normal0, f.R * e.normal1};
}

void try_edges(Search& s) {
    for (int j = 0; j < edge_count(*s.pair.b); ++j) {
        const PolytopeEdge q = placed(s.pair.b_in_a, edge_of(*s.pair.b, j));
        const Vec3 g = q.b - q.a;
        for (int i = 0; i < edge_count(*s.pair.a); ++i) {
            const PolytopeEdge p = edge_of(*s.pair.a, i);
            const Vec3 e = p.b - p.a;
            if (!arcs_cross(p, e, q, g)) continue;
            const Vec3 cross = e.cross(g);
            const Real length = cross.norm();
            if (!(length > 1e-8 * e.norm() * g.norm())) continue; // parallel: the faces decide
            Vec3 n = cross / length;
            if (n.dot(p.normal0 + p.normal1) < 0) n = -n;
            const Real separation = n.dot(q.a - p.a);
            if (better(s, separation)) take_edges(s, i, j, p, q, n, separation);
        }
    }
}

// One of the two is a segment: every product of edges, both ways, by projection
void try_segment_edges(Search& s) {
    for (int j = 0; j < edge_count(*s.pair.b); ++j) {
        const PolytopeEdge q = placed(s.pair.b_in_a, edge_of(*s.pair.b, j));
        const Vec3 g = q.b - q.a;
        for (int i = 0; i < edge_count(*s.pair.a); ++i) {
            const PolytopeEdge p = edge_of(*s.pair.a, i);
            const Vec3 e = p.b - p.a, cross = e.cross(g);
            const Real length = cross.norm();
            if (!(length > 1e-8 * e.norm() * g.norm())) continue;
            for (int sign : {1, -1}) {
                const Vec3 n = sign / length * cross;
                const Real separation = -n.dot(support(s.pair, n).w);
                // only where both edges are the supporting features is the product a face of the difference
                const Real here = n.dot(q.a - p.a);
                if (std::abs(here - separation) > 1e-9 * (s.size + std::abs(here))) continue;
                if (better(s, separation)) take_edges(s, i, j, p, q, n, separation);
            }
        }
    }
}

} // namespace

SeparatingAxis find_separating_axis(const ConvexPair& pair, Real limit) {
    Search s{pair, {}, 0};
    try_faces_of_a(s);
    if (s.best.separation > limit) return s.best;
    try_faces_of_b(s);
    if (s.best.separation > limit) return s.best;
    if (pair.a->core == Convex::segment || pair.b->core == Convex::segment)
        try_segment_edges(s);
    else
        try_edges(s);
    return s.best;
}

} // namespace sinew
