#include "collision/mesh_mesh.h"
#include "collision/manifold_clip.h"
#include "collision/mesh_feature.h"
#include "collision/surface_distance.h"
#include "geometry/distance_closest.h"
#include "geometry/distance_grid.h"
#include "geometry/height_field.h"
#include "geometry/shape_bounds.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace sinew {

namespace {
constexpr Real kShallow =
    1.1; // edges deeper than this times what the depth of their points tells are dropped
constexpr Real kShallowVertex = 2; // the same of vertices; the balls of shared_depth do not fill their tips

using Side = SurfacePairScratch::Side;

struct SidePair {
    const SurfaceSide& a;
    const SurfaceSide& b;
    Real limit; // [m] of the distance of the surfaces without thickness
};

// Triangles of one side near the other, whose box in our axes is `box`; a height field becomes a patch.
void find_near(const SurfaceSide& s, const Aabb& box, MeshNeighborScratch& neighbors, Side& out) {
    out.triangles.clear();
    out.vertices.clear();
    if (s.field) {
        const Vec3 ring(s.field->dx, 0, s.field->dz); // border triangles must know their neighbours
        make_patch(*s.field, {box.lo - ring, box.hi + ring}, out.patch, out.patch_name);
        out.patch_surface.shape = &out.patch;
        out.patch_surface.one_sided = out.patch_surface.solid_below = true;
        build_mesh_neighbors(out.patch_surface, neighbors);
        out.surface = &out.patch_surface;
        for (int t = 0; t < int(out.patch.triangles.size()); ++t) {
            Aabb b;
            for (int k = 0; k < 3; ++k) b = merge(b, corner(out.patch, t, k));
            b.lo.y() = std::min(b.lo.y(), box.lo.y());
            if (overlap(b, box)) out.triangles.push_back(t);
        }
    } else {
        out.surface = s.surface;
        find_triangles(s.surface->tree, *s.surface->shape, box, false, out.triangles);
    }
    for (int t : out.triangles)
        for (int v : out.surface->shape->triangles[t]) out.vertices.push_back(v);
    std::sort(out.vertices.begin(), out.vertices.end());
    out.vertices.erase(std::unique(out.vertices.begin(), out.vertices.end()), out.vertices.end());
}

Aabb box_with_inside(const SurfaceSide& s) {
    Aabb box = s.box;
    if (s.field) box.lo.y() = -kEndless;
    return box;
}

std::uint64_t vertex_name(const SurfaceSide& s, const Side& side, int v) {
    if (!s.field) return std::uint64_t(v);
    const Real3& x = side.patch.vertices[v];
    return std::uint64_t(std::llround(x.z / s.field->dz)) * std::uint64_t(s.field->nx) +
           std::uint64_t(std::llround(x.x / s.field->dx));
}
std::uint64_t edge_name(const SurfaceSide& s, const Side& side, int t, int k) {
    return 3 * std::uint64_t(s.field ? side.patch_name[t] : t) + std::uint64_t(k);
}

// A contact of the surfaces without thickness, points and normal in the axes of a
void add_point(const SidePair& pair, const Vec3& on_a, const Vec3& on_b, const Vec3& n, Real distance,
               std::uint64_t key, std::vector<ShapePoint>& out) {
    const Placement& f = pair.a.place;
    out.push_back({at(f, on_a + pair.a.thickness * n), at(f, on_b - pair.b.thickness * n), f.R * n,
                   distance - pair.a.thickness - pair.b.thickness, key});
}

// A vertex of a body that has gone through an open surface: the surface then runs through the body.
bool went_through(const SurfaceSide& own, const Placement& to_other, const SurfaceDistance& d) {
    SurfaceDistance inside;
    const Real rounding = 1e-9 * (own.box.hi - own.box.lo).norm(); // the foot of a corner is on an edge
    return has_inside(own) && find_distance(own, from(to_other, d.closest), rounding, inside);
}

Real longest_edge(const MeshSurface& s, int v) {
    Real longest = 0;
    for (int k = s.end_begin[v]; k < s.end_begin[v + 1]; ++k)
        longest = std::max(longest, (vec(s.shape->vertices[s.end[k]]) - vec(s.shape->vertices[v])).norm());
    return longest;
}

// [m] What two bodies overlap by at least, near x in the axes of `other`. With a ball of radius r about a point inside one and
// a ball of radius s about it inside the other, no way shorter than r + s parts them. The largest sum over x and points sideways
// of it along w, up to where it is `enough`; 0 if none is inside both. x itself may lie in a side that the bodies share, so it
// does not suffice.
Real shared_depth(const SurfaceSide& own, const SurfaceSide& other, const Placement& to_other, const Vec3& x, const Vec3& w,
                  Real depth, Real enough) {
    Real most = 0;
    for (const Real step : {0.0, 0.75, 0.35, 1.5, 3.0}) {
        const Vec3 at = x + step * depth * w;
        const Real r = depth_inside(other, at);
        const Real s = r > 0 ? depth_inside(own, from(to_other, at)) : 0;
        if (s > 0) most = std::max(most, r + s);
        if (most >= enough || w.squaredNorm() == 0) break;
    }
    return most;
}
// u without its part along n, unit; zero where little is left
Vec3 sideways(const Vec3& u, const Vec3& n) {
    const Vec3 flat = u - u.dot(n) * n;
    return flat.norm() > 1e-3 * u.norm() ? Vec3(flat.normalized()) : Vec3(Vec3::Zero());
}

enum class Found { none, sure, doubtful, refused };

// A vertex at p inside the other body or on its surface, whose nearest way out `d` is refused: it lies near a side that it may
// not leave by, or in one that the bodies share. Inside, it leaves along its own normal; from a shared side, where that ray may
// begin outside, through the nearest face that it may leave by. Either must not be deeper than the bodies overlap: a vertex in
// the middle of a side would leave through the far one.
Found leave_otherwise(const SurfaceSide& own, const Side& mine, int v, const SurfaceSide& other, const Placement& to_other,
                      Real limit, SurfaceDistance& d) {
    const Vec3 p = d.closest + d.distance * d.normal, side = d.normal;
    const Vec3 outwards = to_other.R * mine.surface->vertex_normal[v];
    const Real rounding = rounding_of(other), aside = d.distance;
    if (d.distance < -rounding) {
        if (!leave_along(other, p, -outwards, d)) return Found::refused;
        if (!vertex_allows(*mine.surface, v, -(to_other.R.transpose() * d.normal), kSnap)) return Found::refused;
    } else if (!find_allowed_face(other, p, *mine.surface, v, to_other.R, d) || d.distance > limit) {
        return Found::none;
    }
    const Real depth = -d.distance;
    if (aside > std::max(rounding, kSnap * depth)) return Found::none;
    if (std::abs(depth) <= rounding) return Found::sure;
    const Vec3 inwards = -sideways(outwards, d.normal) - sideways(side, d.normal);
    const Real shared = shared_depth(own, other, to_other, p + 0.5 * depth * d.normal, sideways(inwards, d.normal), depth,
                                     depth / kShallowVertex);
    if (depth <= kShallowVertex * shared) return Found::sure;
    return shared > rounding ? Found::doubtful : Found::none; // touching bodies do not overlap
}

// The contact of a vertex at p with the other surface, in the axes of that: nearest point, or the way out
// that the vertex itself allows.
Found find_vertex_contact(const SurfaceSide& own, const Side& mine, int v, const SurfaceSide& other,
                          const Placement& to_other, Real limit, SurfaceDistance& d) {
    const Vec3 p = at(to_other, vec(mine.surface->shape->vertices[v]));
    const auto is_allowed = [&](const Vec3& n) {
        return vertex_allows(*mine.surface, v, -(to_other.R.transpose() * n), kSnap);
    };
    const auto sure = [](bool touches) { return touches ? Found::sure : Found::none; };
    const bool open = !has_inside(other), bodies = !open && has_inside(own) && !other.field;
    // through an open surface at most by half the body
    const Real through =
        open && has_inside(own) && !own.field ? 0.5 * (own.box.hi - own.box.lo).minCoeff() : 0;
    const Real rounding = bodies ? rounding_of(other) : 0;
    if (!find_distance(other, p, std::max(limit + through, rounding), d)) return Found::none;
    if (is_allowed(d.normal)) return sure(d.distance <= limit);
    // far inside, the shape of the vertex says nothing; ghosts are never deeper than the overlap they come
    // from
    const Vec3 outwards = to_other.R * mine.surface->vertex_normal[v];
    if (d.distance < -longest_edge(*mine.surface, v) && -d.normal.dot(outwards) > 0.3 * outwards.norm())
        return Found::sure;
    if (open) {
        d.normal = -d.normal, d.distance = -d.distance;
        return sure(is_allowed(d.normal) && went_through(own, to_other, d));
    }
    // sides that bodies share cross each other by their tilt times the depth: a vertex may be as far outside, and the other's too
    if (bodies) {
        const Real tilted = kSnap * 0.5 * (other.box.hi - other.box.lo).minCoeff();
        return d.distance <= std::max(rounding, tilted) ? leave_otherwise(own, mine, v, other, to_other, limit, d) : Found::none;
    }
    if (d.distance >= 0) return Found::none;
    return sure(leave_along(other, p, -outwards, d) && is_allowed(d.normal));
}

// Vertices of one side against the other surface.
struct VertexSearch {
    const SidePair& pair;
    bool mine_is_a;
    const SurfaceSide &own, &other;
    const Side& mine;
    Placement to_other, to_a; // from own axes, from those of the other
};
VertexSearch make_vertex_search(const SidePair& pair, bool mine_is_a, const SurfacePairScratch& s) {
    const SurfaceSide &own = mine_is_a ? pair.a : pair.b, &other = mine_is_a ? pair.b : pair.a;
    return {pair, mine_is_a, own, other, s.side[mine_is_a ? 0 : 1], relative(other.place, own.place),
            relative(pair.a.place, other.place)};
}
void add_vertex(const VertexSearch& w, int v, const SurfaceDistance& d, std::vector<ShapePoint>& out) {
    const std::uint64_t name = vertex_name(w.own, w.mine, v);
    const Vec3 foot = at(w.to_a, d.closest), n = w.to_a.R * d.normal, x = foot + d.distance * n;
    if (w.mine_is_a) add_point(w.pair, x, foot, -n, d.distance, contact_key(0, name, 0), out);
    else add_point(w.pair, foot, x, n, d.distance, contact_key(1, 0, name), out);
}

void collide_vertices(const SidePair& pair, bool mine_is_a, SurfacePairScratch& s) {
    const VertexSearch w = make_vertex_search(pair, mine_is_a, s);
    std::vector<int>& refused = s.refused[mine_is_a ? 0 : 1];
    refused.clear();
    for (int v : w.mine.vertices) {
        SurfaceDistance d;
        const Found found = find_vertex_contact(w.own, w.mine, v, w.other, w.to_other, pair.limit, d);
        if (found == Found::sure) add_vertex(w, v, d, s.points);
        if (found == Found::doubtful) add_vertex(w, v, d, s.doubtful);
        if (found == Found::refused) refused.push_back(v);
    }
}

// Ways out of refused vertices, when nothing else tells how the bodies part: through the nearest face that the vertex allows.
void collide_refused(const SidePair& pair, bool mine_is_a, SurfacePairScratch& s) {
    const VertexSearch w = make_vertex_search(pair, mine_is_a, s);
    for (int v : s.refused[mine_is_a ? 0 : 1]) {
        SurfaceDistance d;
        const Vec3 p = at(w.to_other, vec(w.mine.surface->shape->vertices[v]));
        if (find_allowed_face(w.other, p, *w.mine.surface, v, w.to_other.R, d) && d.distance < 0) add_vertex(w, v, d, s.doubtful);
    }
}

// Depth [m] of the deepest point of an edge within `reach` of the parameter `middle`; the edge in the side's
// axes. A few samples, then golden sections around the best.
Real depth_of_edge(const SurfaceSide& s, const Vec3& x0, const Vec3& x1, Real middle, Real reach) {
    constexpr int kSteps = 4, kSections = 12;
    constexpr Real kGolden = 0.6180339887498949;
    const Real step = reach / (kSteps * (x1 - x0).norm());
    const auto depth = [&](Real at) {
        SurfaceDistance d;
        return find_distance(s, x0 + std::clamp(at, 0.0, 1.0) * (x1 - x0), 0, d) ? std::max(0.0, -d.distance)
                                                                                 : 0.0;
    };
    Real deepest = 0, best = middle;
    for (int i = -kSteps; i <= kSteps; ++i)
        if (const Real d = depth(middle + step * i); d > deepest) deepest = d, best = middle + step * i;
    Real low = best - step, high = best + step;
    for (int i = 0; i < kSections; ++i) {
        const Real p = high - kGolden * (high - low), q = low + kGolden * (high - low), dp = depth(p),
                   dq = depth(q);
        (dp < dq ? low : high) = dp < dq ? p : q;
        deepest = std::max({deepest, dp, dq});
    }
    return deepest;
}

// both ends of an edge, in the side's axes
bool lies_inside(const SurfaceSide& s, const Vec3& x0, const Vec3& x1) {
    SurfaceDistance d;
    return has_inside(s) && find_distance(s, x0, 0, d) && d.distance < 0 && find_distance(s, x1, 0, d) &&
           d.distance < 0;
}

struct EdgeOfSide { // in the axes of a
    MeshFace face;  // own axes
    int k;
    Vec3 x0, x1, outwards;
};
EdgeOfSide edge_of(const MeshSurface& s, const Placement& in_a, int t, int k) {
    const MeshFace f = face_of(s, t);
    return {f, k, at(in_a, f.x[k]), at(in_a, f.x[(k + 1) % 3]), in_a.R * (f.normal + normal_across(f, k))};
}

// Normal from a to b and signed distance of two edges that cross; false if they do not, or not as material
// allows
bool cross_edges(const SidePair& pair, const Placement& b_in_a, const EdgeOfSide& a, const EdgeOfSide& b,
                 Vec3 on[2], Vec3& n, Real& distance) {
    const bool inside_a = has_inside(pair.a), inside_b = has_inside(pair.b);
    const Vec3 cross = (a.x1 - a.x0).cross(b.x1 - b.x0);
    if (!(cross.squaredNorm() > 0)) return false;
    n = cross.normalized();
    // with the tolerance of vertices: sides that lie on each other but for a small tilt meet along one of their normals
    const auto is_allowed = [&] {
        return edge_allows(a.face, a.k, n, kSnap) && edge_allows(b.face, b.k, -(b_in_a.R.transpose() * n), kSnap);
    };
    // both edges' outward directions say where a ends and b begins; most pairs of a fine mesh end here
    const Vec3 outwards =
        (inside_a ? a.outwards : Vec3(Vec3::Zero())) - (inside_b ? b.outwards : Vec3(Vec3::Zero()));
    const bool known = outwards.squaredNorm() > 0;
    if (known && n.dot(outwards) < 0) n = -n;
    if (known && !is_allowed()) return false;
    const Closest c = closest_edge_edge(a.x0, a.x1, b.x0, b.x1);
    if (c.feature.kind != Feature::line_line) return false;
    on[0] = a.x0 + c.weight[1] * (a.x1 - a.x0);
    on[1] = b.x0 + c.weight[3] * (b.x1 - b.x0);
    const Vec3 apart = on[1] - on[0];
    if (!known && n.dot(apart) < 0) n = -n;
    if (!known && !is_allowed()) return false;
    const Mat3& R = b_in_a.R;
    for (const Vec3& m : {a.face.normal, normal_across(a.face, a.k), Vec3(-(R * b.face.normal)), Vec3(-(R * normal_across(b.face, b.k)))})
        if (is_near(n, m)) {
            n = m;
            break;
        }
    distance = n.dot(apart);
    return distance <= pair.limit;
}

void collide_edge_pair(const SidePair& pair, const Placement& b_in_a, const EdgeOfSide& a,
                       const EdgeOfSide& b, std::uint64_t key, SurfacePairScratch& s) {
    Vec3 on[2], n;
    Real distance;
    if (!cross_edges(pair, b_in_a, a, b, on, n, distance)) return;
    const Real rounding = std::max(rounding_of(pair.a), rounding_of(pair.b));
    if (distance < -rounding) {
        // inside a wedge of half angle h a point at the depth d of its edge is d sin h deep; sin h = |n1 +
        // n2| / 2
        const Real depth = -distance, reach = 4 * depth, sa = a.outwards.norm() / 2,
                   sb = b.outwards.norm() / 2;
        const auto part = [](const Vec3& x, const Vec3& x0, const Vec3& x1) {
            return (x - x0).norm() / (x1 - x0).norm();
        };
        // edges shorter than the overlap, or with both ends inside, have vertices that touch
        if (depth > std::min((a.x1 - a.x0).norm(), (b.x1 - b.x0).norm())) return;
        if (lies_inside(pair.a, b.x0, b.x1) || lies_inside(pair.b, from(b_in_a, a.x0), from(b_in_a, a.x1)))
            return;
        Real inside = 0;
        if (has_inside(pair.a))
            inside = depth_of_edge(pair.a, b.x0, b.x1, part(on[1], b.x0, b.x1), reach) / sa;
        if (has_inside(pair.b) && depth > kShallow * inside)
            inside = std::max(inside, depth_of_edge(pair.b, from(b_in_a, a.x0), from(b_in_a, a.x1),
                                                    part(on[0], a.x0, a.x1), reach) /
                                          sb);
        // edges along a side that the bodies share, or nearly, are not deep themselves
        const Vec3 inwards = -sideways(a.outwards, n) - sideways(b.outwards, n);
        if (depth > kShallow * inside && has_inside(pair.a) && has_inside(pair.b))
            inside = std::max(inside, shared_depth(pair.b, pair.a, b_in_a, 0.5 * (on[0] + on[1]), sideways(inwards, n),
                                                   depth, depth / kShallow));
        if (!(depth <= kShallow * inside)) {
            // far sides of bodies that do not overlap here
            if (inside > rounding) add_point(pair, on[0], on[1], n, distance, key, s.doubtful);
            return;
        }
    }
    add_point(pair, on[0], on[1], n, distance, key, s.points);
}

// Which side's triangles are looped over: the one without a tree, if there is one; the other is searched.
struct EdgeSearch {
    const SidePair& pair;
    bool outer_is_a;
    const SurfaceSide &own, &other; // outer, inner
    const Side &outer, &inner;
    Placement to_inner, b_in_a, outer_in_a, inner_in_a;
};
EdgeSearch make_edge_search(const SidePair& pair, const SurfacePairScratch& s) {
    const bool outer_is_a = !pair.b.field;
    const SurfaceSide &own = outer_is_a ? pair.a : pair.b, &other = outer_is_a ? pair.b : pair.a;
    const Placement b_in_a = relative(pair.a.place, pair.b.place);
    return {pair, outer_is_a, own, other, s.side[outer_is_a ? 0 : 1], s.side[outer_is_a ? 1 : 0],
            relative(other.place, own.place), b_in_a, outer_is_a ? Placement{} : b_in_a, outer_is_a ? b_in_a : Placement{}};
}

// How far from outer triangle t edges can matter [m]; negative: none are near.
Real reach_of(const EdgeSearch& w, int t) {
    if (!has_inside(w.pair.a) && !has_inside(w.pair.b)) return w.pair.limit;
    // edges may have passed each other by their length
    const MeshFace f = face_of(*w.outer.surface, t);
    const Real longest = std::max({(f.x[1] - f.x[0]).norm(), (f.x[2] - f.x[1]).norm(), (f.x[0] - f.x[2]).norm()});
    const Real reach = w.pair.limit + longest;
    if (!w.other.grid) return reach;
    // far from the surface of a solid, outside or inside, no edge of it is near
    const Real d = sample_distance(*w.other.grid, at(w.to_inner, f.x[0])).distance;
    return std::abs(d) > reach + longest + w.other.grid->cell ? -1 : reach;
}

// sharp edges of outer triangle t against those of inner triangle u
void collide_triangle_edges(const EdgeSearch& w, int t, const std::array<std::optional<EdgeOfSide>, 3>& mine, int u,
                            SurfacePairScratch& s) {
    for (int k = 0; k < 3; ++k) {
        if (!(w.inner.surface->sharp[u] >> k & 1)) continue;
        const EdgeOfSide ei = edge_of(*w.inner.surface, w.inner_in_a, u, k);
        const std::uint64_t ni = edge_name(w.other, w.inner, u, k);
        for (int q = 0; q < 3; ++q) {
            if (!mine[q]) continue;
            const std::uint64_t no = edge_name(w.own, w.outer, t, q);
            if (w.outer_is_a) collide_edge_pair(w.pair, w.b_in_a, *mine[q], ei, contact_key(2, no, ni), s);
            else collide_edge_pair(w.pair, w.b_in_a, ei, *mine[q], contact_key(2, ni, no), s);
        }
    }
}

void collide_edges(const SidePair& pair, SurfacePairScratch& s) {
    const EdgeSearch w = make_edge_search(pair, s);
    const TriangleShape& m = *w.inner.surface->shape;
    for (int t : w.outer.triangles) {
        if (!w.outer.surface->sharp[t]) continue;
        const Real reach = reach_of(w, t);
        if (reach < 0) continue;
        Aabb box;
        for (int k = 0; k < 3; ++k) box = merge(box, at(w.to_inner, corner(*w.outer.surface->shape, t, k)));
        box = grow(box, reach);
        std::array<std::optional<EdgeOfSide>, 3> mine;
        for (int k = 0; k < 3; ++k)
            if (w.outer.surface->sharp[t] >> k & 1) mine[k].emplace(edge_of(*w.outer.surface, w.outer_in_a, t, k));
        const std::vector<int>* near = &w.inner.triangles;
        if (!w.other.field) find_triangles(w.inner.surface->tree, m, box, false, s.near), near = &s.near;
        for (int u : *near) {
            if (!w.inner.surface->sharp[u]) continue;
            if (w.other.field && !overlap(box, merge(merge(box_of(corner(m, u, 0)), corner(m, u, 1)), corner(m, u, 2)))) continue;
            collide_triangle_edges(w, t, mine, u, s);
        }
    }
}

// Nothing else overlaps: the shallowest of the points in doubt does, with those of its normal.
void add_doubtful(const SidePair& pair, SurfacePairScratch& s) {
    const Real thickness = pair.a.thickness + pair.b.thickness;
    if (std::any_of(s.points.begin(), s.points.end(), [&](const ShapePoint& p) { return p.gap < -thickness; })) return;
    collide_refused(pair, true, s);
    collide_refused(pair, false, s);
    if (s.doubtful.empty()) return;
    const ShapePoint best = *std::max_element(s.doubtful.begin(), s.doubtful.end(), [](const ShapePoint& p, const ShapePoint& q) {
        return std::tie(p.gap, p.key) < std::tie(q.gap, q.key);
    });
    for (const ShapePoint& p : s.doubtful)
        if (is_near(p.normal, best.normal)) s.points.push_back(p);
}
} // namespace

void collide_surfaces(const SurfaceSide& a, const SurfaceSide& b, Real margin, SurfacePairScratch& s,
                      std::vector<ShapePoint>& out) {
    const SidePair pair{a, b, margin + a.thickness + b.thickness};
    const Placement b_in_a = relative(a.place, b.place), a_in_b = relative(b.place, a.place);
    s.points.clear();
    s.doubtful.clear();
    find_near(a, grow(oriented_bounds(box_with_inside(b), b_in_a), pair.limit), s.neighbors, s.side[0]);
    find_near(b, grow(oriented_bounds(box_with_inside(a), a_in_b), pair.limit), s.neighbors, s.side[1]);
    if (s.side[0].triangles.empty() || s.side[1].triangles.empty()) return;
    collide_vertices(pair, true, s);
    collide_vertices(pair, false, s);
    collide_edges(pair, s);
    add_doubtful(pair, s);
    reduce_groups(s.points, s.used, s.group, out);
}

void reduce_groups(std::vector<ShapePoint>& points, std::vector<std::uint8_t>& used, std::vector<int>& group,
                   std::vector<ShapePoint>& out) {
    constexpr Real kAlike = 0.94; // cosine of 20 degrees
    constexpr int kDirections = 16;
    std::sort(points.begin(), points.end(), [](const ShapePoint& p, const ShapePoint& q) {
        return std::tie(p.gap, p.key) < std::tie(q.gap, q.key);
    });
    used.assign(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (used[i]) continue;
        group.clear(); // the deepest first
        for (std::size_t j = i; j < points.size(); ++j)
            if (!used[j] && points[j].normal.dot(points[i].normal) > kAlike)
                used[j] = 1, group.push_back(int(j));
        // the outermost along some directions, so that four of them span the contact
        ClipPoints few;
        Vec3 s, t;
        const Vec3 n = points[i].normal;
        s = perpendicular(n), t = n.cross(s);
        const auto keep = [&](int k) {
            for (int q = 0; q < few.count; ++q)
                if (few.point[q].key == std::uint64_t(k)) return;
            few.point[few.count++] = {points[k].on_a, points[k].on_b, points[k].gap, std::uint64_t(k)};
        };
        for (int d = 0; d < kDirections; ++d) {
            const Real angle = 2 * kPi * (d + 0.37) / kDirections;
            const Vec3 u = std::cos(angle) * s + std::sin(angle) * t;
            int best = group[0];
            for (int k : group)
                if (u.dot(points[k].on_a) > u.dot(points[best].on_a)) best = k;
            keep(best);
        }
        keep(group[0]);
        Manifold m;
        reduce_points(few, n, m);
        for (int k = 0; k < m.count; ++k) out.push_back(points[m.point[k].key]);
    }
}

} // namespace sinew
