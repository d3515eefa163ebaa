// Questions to one rigid triangle mesh in its own axes: closest point, ray, triangles in a box, winding number.
// A tree of boxes built once by binned surface-area splits (Wald 2007), so that moving bodies transform the question
// instead of the mesh; where vertices move, boxes are refitted. Sizes of 10^6 triangles are fine; answers are those of trying every triangle in order (of equal
// ones the lowest index wins), whatever the tree looks like.
//   winding number  w(p) = 1/(4 pi) sum of solid angles: 1 inside, 0 outside a closed mesh, in between near holes;
//                   far parts of the tree count as one dipole (Barill et al. 2018, order 1): error under 0.05
//   sign            w > 1/2 (any mesh), or the angle-weighted pseudonormal at the closest feature
//                   (Baerentzen and Aanaes 2005; exact for closed meshes without self-intersections)
#pragma once
#include "geometry/triangle.h"
#include "sinew/shape.h"

namespace sinew {

inline Vec3 corner(const TriangleShape& m, int t, int k) { return vec(m.vertices[m.triangles[t][k]]); }

struct TriangleTree {
    struct Node {
        Aabb box;
        int first = 0; // leaf: into `order`; otherwise the left child, the right one follows it
        int count = 0; // triangles of a leaf, 0 = inner node
    };
    struct Dipole {
        Vec3 center, normal; // [m] area-weighted middle, [m^2] sum of area vectors
        Real radius = 0;     // [m] of a ball about the middle that holds the triangles
    };
    std::vector<Node> nodes; // children behind their parents; empty for an empty mesh
    std::vector<int> order;  // triangles by leaves
    std::vector<Dipole> dipoles; // per node
};
TriangleTree build_triangle_tree(const TriangleShape&);

// Levels below the root: cuts are by area in the first half, then at the middle (31 bits of triangles are cut to leaves in 30).
constexpr int kTreeDepth = 64;

// Nodes still to be opened on the way down. Of two children one is opened and one waits, so that one per level waits.
struct TriangleNodeStack {
    struct Entry {
        int node;
        Real bound;
    };
    std::array<Entry, kTreeDepth + 2> entry; // not initialised
    int size = 0;
};
inline void push(TriangleNodeStack& s, int node, Real bound) { s.entry[s.size++] = {node, bound}; }
inline TriangleNodeStack::Entry pop(TriangleNodeStack& s) { return s.entry[--s.size]; }
// the nearer one last, so that it is opened first
inline void push_nearer_last(TriangleNodeStack& s, int a, Real bound_a, int b, Real bound_b) {
    if (bound_a < bound_b) push(s, b, bound_b), push(s, a, bound_a);
    else push(s, a, bound_a), push(s, b, bound_b);
}

// Of a mesh whose vertices move: memory is taken only where there is too little.
struct TriangleTreeScratch {
    struct Task {
        int node, begin, end, level;
    };
    std::vector<Aabb> box;     // per triangle
    std::vector<Vec3> middle;
    std::vector<int> right;    // triangles of one side of a cut
    std::vector<Task> tasks;
    std::vector<Real> area;    // [m^2] per node
};
void build_triangle_tree(const TriangleShape&, TriangleTreeScratch&, TriangleTree&);
// Boxes and dipoles anew, the order of the triangles kept. Answers stay those of trying every triangle.
void refit_triangle_tree(const TriangleShape&, TriangleTreeScratch&, TriangleTree&);
// Sum of the areas of all boxes as parts of the outermost: grows as the order fits the mesh less and less.
Real tree_cost(const TriangleTree&);

struct SurfacePoint {
    int triangle = -1; // -1 = none within the limit
    Real distance = 0; // [m] unsigned
    TrianglePoint at;
};
SurfacePoint find_closest(const TriangleTree&, const TriangleShape&, const Vec3& p,
                          Real within = std::numeric_limits<Real>::infinity(), int hint = -1); // hint: a triangle near p

struct RayPoint {
    int triangle = -1; // -1 = no hit
    Real t = 0;        // hit = origin + t direction; direction need not be unit
    Vec3 weight = Vec3::Zero();
    Vec3 normal = Vec3::Zero(); // unit, of the triangle's orientation
};
// Nearest hit with 0 <= t <= far from both sides. Watertight: a ray cannot slip through a shared edge or vertex
// (Woop et al. 2013).
RayPoint cast_ray(const TriangleTree&, const TriangleShape&, const Vec3& origin, const Vec3& direction, Real far);

// The same of one triangle, number 0: shared edges get the same decision from both their triangles.
RayPoint cast_ray_triangle(const std::array<Vec3, 3>&, const Vec3& origin, const Vec3& direction, Real far);

// Triangles that touch the box, ascending; `exact` = by separating axes, otherwise by their boxes.
void find_triangles(const TriangleTree&, const TriangleShape&, const Aabb&, bool exact, std::vector<int>& out);

Real winding_number(const TriangleTree&, const TriangleShape&, const Vec3& p);
Real winding_number_exact(const TriangleShape&, const Vec3& p); // sum over all triangles

// Angle-weighted normals of faces, edges and vertices, for the sign of a distance.
struct Pseudonormals {
    std::vector<Vec3> face;               // unit; zero for a triangle without area
    std::vector<std::array<Vec3, 3>> edge; // per triangle and edge: sum over the faces at the edge
    std::vector<Vec3> vertex;             // sum of face normals by angle
};
Pseudonormals build_pseudonormals(const TriangleShape&);
Vec3 pseudonormal(const Pseudonormals&, const TriangleShape&, const SurfacePoint&);

} // namespace sinew
