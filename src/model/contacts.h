// Result of detection, plain data, one contiguous range per kind, sorted by key: deterministic, and warm starting is a
// merge. Loops run over a range without asking what kind it is.
//
// Contacts of the collision surface have a stencil of 2 to 4 surface vertices with generalised barycentric weights
// (spec T 7.6): + on side a, - on side b, their sum is zero.
//   gap vector  g = sum_j weight_j x_j        from b to a
//   distance    n . g, n = g / |g|            the unit normal from b to a
//   gap         C = n . g - thickness         thickness: sum of the two sides'
// Closest-feature classification has been done: a vertex-triangle contact has its closest point strictly inside the
// triangle, an edge-edge contact strictly inside both edges; what is closest to an edge or a corner appears once as
// vertex-edge or vertex-vertex, however many triangles and edges share it (spec A 3.3).
//
// Contacts of shapes, planes and distance fields have a given normal and two temporary surface points.
#pragma once
#include "sinew/model.h"

namespace sinew {

struct SurfaceContact {
    std::uint64_t key = 0;       // feature a << 32 | feature b: indices of vertex, edge or triangle by kind
    std::array<int, 4> vertex{-1, -1, -1, -1}; // p t0 t1 t2 | a0 a1 b0 b1 | p e0 e1 | a b
    std::array<Real, 4> weight{}; // of each vertex in the gap vector
    Real3 normal;                // unit, from b to a, at detection
    Real3 normal_frozen;         // kept while a solver updates `normal`
    Real gap = 0;                // [m] distance - thickness
    Real thickness = 0;          // [m] of the pair
    Real friction = 0;           // coefficient of the pair
    int count = 0;               // pairs of elements that found it
};

struct PointContact {
    enum Source : int { vertex_obstacle, edge_obstacle, triangle_obstacle, vertex_held, shapes } source = vertex_obstacle;
    std::uint64_t key = 0;       // vertex, edge or triangle << 32 | obstacle, vertex << 32 | held shape, or object a << 32 | object b (a < b)
    std::uint64_t feature = 0;   // which of the pair's points, stable while the same features touch
    SurfaceVertex a, b;          // what carries the two points; a: embedded, -1 where several vertices do (stencil)
    int vertex = -1;             // surface vertex of side a, -1 = none or several
    std::array<int, 3> stencil{-1, -1, -1}; // surface vertices of side a; none for shapes
    std::array<Real, 3> weight{};           // their parts of the point of side a, sum 1
    int obstacle = -1;           // of side b, -1 = none
    int object_a = -1, object_b = -1;
    Real3 normal;                // unit, from b to a
    Real3 normal_frozen;
    Real3 at;                    // [m] point on b
    Real3 velocity;              // [m/s] of b there
    Real gap = 0;                // [m] distance - thickness
    Real thickness = 0;          // [m] of the pair
    Real friction = 0;           // coefficient of the pair
};

// Two edges of rods near each other, that touch or may touch soon.
struct RodPair {
    std::array<int, 4> vertex{-1, -1, -1, -1}; // a0 a1 b0 b1
    std::array<int, 2> edge{-1, -1};           // edges of the surface, a < b
    std::array<Real, 2> rest{};                // [m] their lengths at rest
    Real distance = 0;                         // [m] at detection
    Real thickness = 0;                        // [m] of the pair
};

struct Contacts {
    std::vector<SurfaceContact> vertex_triangle; // key: vertex, triangle
    std::vector<SurfaceContact> edge_edge;       // key: edge, edge (a < b)
    std::vector<SurfaceContact> vertex_edge;     // key: vertex, edge
    std::vector<SurfaceContact> vertex_vertex;   // key: vertex, vertex (a < b)
    std::vector<PointContact> point_point;       // by source, key, feature
    std::vector<RodPair> rod_pairs;              // by edges (collision/rod_pairs.h)
};

// Names every range once.
template <class C, class F> void visit(C& c, F&& f)
    requires std::is_same_v<std::remove_const_t<C>, Contacts>
{
    f("vertex_triangle", c.vertex_triangle);
    f("edge_edge", c.edge_edge);
    f("vertex_edge", c.vertex_edge);
    f("vertex_vertex", c.vertex_vertex);
    f("point_point", c.point_point);
    f("rod_pairs", c.rod_pairs);
}

// Puts what one source found in place of what it found before; `found` is sorted by key and feature. No allocation while
// the capacity lasts.
void replace_points(PointContact::Source, const std::vector<PointContact>& found, Contacts&);

// The contact frame: two unit tangents t0, t1 with (n, t0, t1) right-handed.
struct ContactFrame {
    Real3 n, t0, t1;
};
ContactFrame contact_frame(const Real3& normal);

// How a pair of objects meets: rules of the scene over the objects' own numbers.
struct PairRule {
    bool touches = true;
    Real friction = 0;
    Real thickness = -1;         // [m] of the deformable side, -1 = its own
    Real restitution = 0;
    Real rolling_friction = 0, torsional_friction = 0; // [m]
};
// The rules sorted by pair, the last one of each, so that looking one up does not depend on their number.
struct RuleTable {
    std::vector<std::pair<std::uint64_t, int>> rules; // smaller object << 32 | larger, index into Model.contact_rules
};
void build_rule_table(const Model&, RuleTable&);
PairRule find_pair_rule(const Model&, const RuleTable&, int object_a, int object_b);

} // namespace sinew
