// Steps of repair.h on a mesh taken apart into faces. Each works on the whole mesh and is repeated by repair_mesh until
// none of them finds anything to do.
#pragma once
#include "core/math.h"
#include "geometry/repair.h"

namespace sinew {

struct RepairFace {
    std::vector<int> vertex; // of `positions`, not of the cluster
    std::vector<int> uv;     // per corner, -1 = none
    int source = -1;         // polygon before the repair
    bool alive = true;
};
struct RepairWork {
    PolygonMesh rest; // everything but the polygons
    std::vector<RepairFace> faces;
    std::vector<int> cluster;       // per vertex the lowest vertex at the same place
    std::vector<int> vertex_source; // per vertex, before the repair
    RepairReport report;
};

void find_clusters(const RepairOptions&, RepairWork&);
void clean_faces(const RepairOptions&, RepairWork&);    // repeated corners, degenerate, duplicate
bool flip_thin_faces(const RepairOptions&, RepairWork&); // true if something changed
void connect_faces(const RepairOptions&, RepairWork&);  // orientation, fans; sets the corners' vertices, merged or split

// Normal times twice the area of a face.
Vec3 face_area(const RepairWork&, const RepairFace&);
Real thinness(const Vec3& a, const Vec3& b, const Vec3& c); // height over longest edge, 0 for a point

// Directed side of a face in terms of clusters.
struct RepairSide {
    int a, b;          // a < b, clusters
    int face, corner;  // runs from this corner to the next
    bool forward;      // from a to b
};
std::vector<RepairSide> build_sides(const RepairWork&); // of living faces, sorted by (a, b, face, corner)

} // namespace sinew
