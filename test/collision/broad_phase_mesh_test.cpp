// Scanned surfaces pushed and twisted through each other: on three frames, every pair of triangles that brute
// force finds is found, by every broad phase and by the trees of candidates.
#include "collision/broad_phase.h"
#include "collision/candidates.h"
#include "geometry/data_path.h"
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

struct Pile {
    std::vector<Real3> x;
    std::vector<std::array<int, 3>> triangles;
    std::vector<std::array<int, 2>> edges;
    std::vector<int> object;
};

// scaled to a unit box about the origin
void add_mesh(const PolygonMesh& m, int object, Pile& p) {
    const Bounds b = compute_bounds(m);
    const Vec3 size = vec(b.max) - vec(b.min), middle = 0.5 * (vec(b.max) + vec(b.min));
    const int first = int(p.x.size());
    for (const Real3& x : m.positions) p.x.push_back(real3((vec(x) - middle) / size.maxCoeff()));
    p.object.resize(p.x.size(), object);
    for (auto t : triangulate(m).triangles) p.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    for (auto e : unique_edges(m)) p.edges.push_back({first + e[0], first + e[1]});
}

// the second mesh comes down into the first; both are wrung about the vertical, in opposite directions
std::vector<Real3> place(const Pile& p, int frame) {
    std::vector<Real3> x = p.x;
    const Real s = frame / 2.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        Vec3 q = vec(p.x[i]);
        if (p.object[i]) q += Vec3(0.1, 0.6 * (1 - s), 0.05);
        const Real angle = (p.object[i] ? 3 : -3) * s * q.y();
        x[i] = real3(Vec3(std::cos(angle) * q.x() + std::sin(angle) * q.z(), q.y(),
                          std::cos(angle) * q.z() - std::sin(angle) * q.x()));
    }
    return x;
}
std::vector<Aabb> boxes_of(const Pile& p, const std::vector<Real3>& x) {
    std::vector<Aabb> boxes(p.triangles.size());
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (int v : p.triangles[i]) boxes[i] = merge(boxes[i], Vec3(vec(x[v])));
    return boxes;
}

bool load(Pile& p) {
    const std::string dragon = find_data("meshes/dragon_50k.obj"), bunny = find_data("meshes/bunny.obj");
    if (dragon.empty() || bunny.empty()) return false;
    const auto a = read_mesh(dragon), b = read_mesh(bunny);
    EXPECT_TRUE(a && b);
    add_mesh(*a.value, 0, p);
    add_mesh(*b.value, 1, p);
    return true;
}

} // namespace

namespace {

// pairs with a triangle whose number is a multiple of `stride`, by looking at all
std::vector<Pair> judged_pairs(const std::vector<Aabb>& boxes, int stride) {
    std::vector<Pair> pairs;
    for (int i = 0; i < int(boxes.size()); i += stride)
        for (int j = 0; j < int(boxes.size()); ++j)
            if (overlap(boxes[i], boxes[j]) && (j > i || (j < i && j % stride)))
                pairs.push_back({std::min(i, j), std::max(i, j)});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void check_pairs(int stride) {
    Pile p;
    if (!load(p)) GTEST_SKIP() << "the scanned meshes are not there";
    const auto parallel = make_parallel({});
    BroadPhaseScratch scratch[4];
    for (int frame = 0; frame < 3; ++frame) {
        const auto x = place(p, frame);
        const auto boxes = boxes_of(p, x);
        const std::vector<Pair> wanted = judged_pairs(boxes, stride);
        std::vector<Pair> found;
        const auto between = std::count_if(wanted.begin(), wanted.end(), [&](Pair q) {
            return p.object[p.triangles[q[0]][0]] != p.object[p.triangles[q[1]][0]];
        });
        EXPECT_GT(between, 20) << "frame " << frame << ": the two do not meet";
        for (BroadPhase method :
             {BroadPhase::tree, BroadPhase::sweep, BroadPhase::grid, BroadPhase::hierarchical_grid}) {
            ASSERT_TRUE(find_pairs(*parallel, method, boxes, {}, scratch[int(method)], found));
            std::erase_if(found, [&](Pair q) { return q[0] % stride && q[1] % stride; });
            ASSERT_EQ(found == wanted, true) << "frame " << frame << ", " << name_of(method) << ": "
                                             << found.size() << " pairs instead of " << wanted.size();
        }
    }
}

} // namespace

TEST(broad_phase_mesh, dragon_and_bunny_wrung_through_each_other_lose_no_pair) { check_pairs(40); }
TEST(soak_broad_phase_mesh, dragon_and_bunny_wrung_through_each_other_lose_no_pair_at_all) { check_pairs(1); }

TEST(broad_phase_mesh, candidates_of_dragon_and_bunny_miss_no_vertex_near_a_triangle) {
    Pile p;
    if (!load(p)) GTEST_SKIP() << "the scanned meshes are not there";
    const auto parallel = make_parallel({});
    SurfaceTopology t;
    t.vertex_count = int(p.x.size()), t.edges = p.edges, t.triangles = p.triangles, t.object = p.object;
    SurfaceNeighbors n;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    CandidateScratch s;
    Candidates found;
    const Real margin = 1e-3;
    for (int frame = 0; frame < 3; ++frame) {
        const auto x = place(p, frame);
        ASSERT_TRUE(find_candidates(*parallel, t, n, x, margin, s, found));
        // every 100th vertex against every triangle; the margin in the largest coordinate is that of the
        // boxes
        std::size_t wanted = 0;
        const auto boxes = boxes_of(p, x);
        for (int v = 0; v < t.vertex_count; v += 100)
            for (int k = 0; k < int(p.triangles.size()); ++k) {
                const auto& c = p.triangles[k];
                if (v == c[0] || v == c[1] || v == c[2] || !contains(grow(boxes[k], margin), Vec3(vec(x[v]))))
                    continue;
                ++wanted;
                ASSERT_TRUE(std::binary_search(found.vertex_triangle.begin(), found.vertex_triangle.end(),
                                               Pair{v, k}));
            }
        EXPECT_GT(wanted, 50u);
    }
}
