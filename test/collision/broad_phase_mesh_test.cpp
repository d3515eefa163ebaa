// Scanned surfaces pushed and twisted through each other: on three frames, every pair that brute force finds
// is found: boxes of triangles by every broad phase, vertex-triangle and edge-edge candidates at rest and on
// the way from frame to frame, and exact intersections. `make test` looks at every stride-th element against
// all others, `make soak` at all against all.
#include "collision/broad_phase.h"
#include "collision/candidates.h"
#include "collision/intersections.h"
#include "geometry/data_path.h"
#include "geometry/exact.h"
#include "geometry/read_mesh.h"
#include "geometry/topology.h"
#include "geometry/triangulate.h"
#include <algorithm>
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

constexpr const char* kAbsent =
    "meshes/dragon_50k.obj and meshes/bunny.obj are neither in $SINEW_DATA nor in "
    "shared/data beside the sources";

bool load(Pile& p) {
    const std::string dragon = find_data("meshes/dragon_50k.obj"), bunny = find_data("meshes/bunny.obj");
    if (dragon.empty() || bunny.empty()) return false;
    const auto a = read_mesh(dragon), b = read_mesh(bunny);
    EXPECT_TRUE(a && b) << "a mesh of " << dragon << ", " << bunny << " cannot be read";
    if (!a || !b) return false;
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
    if (!load(p)) GTEST_SKIP() << kAbsent;
    const auto parallel = make_parallel({});
    BroadPhaseScratch scratch[std::size(kBroadPhaseNames)];
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
             {BroadPhase::tree, BroadPhase::dynamic_tree, BroadPhase::kept_pairs, BroadPhase::sweep, BroadPhase::grid, BroadPhase::hierarchical_grid}) {
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

namespace {

// boxes of elements that move from x to y, grown by half of the margin
template <class E>
std::vector<Aabb> swept_boxes(const std::vector<E>& elements, const std::vector<Real3>& x,
                              const std::vector<Real3>& y, Real margin) {
    std::vector<Aabb> boxes(elements.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (int v : elements[i]) boxes[i] = merge(merge(boxes[i], Vec3(vec(x[v]))), Vec3(vec(y[v])));
        boxes[i] = grow(boxes[i], 0.5 * margin);
    }
    return boxes;
}
template <class A, class B> bool share(const A& a, const B& b) {
    for (int v : a)
        if (std::find(b.begin(), b.end(), v) != b.end()) return true;
    return false;
}

struct Tally {
    long wanted = 0, between = 0, missing = 0;
};

// every stride-th element of a against all of b: how many pairs of boxes that share no vertex there are, how
// many of them between the two objects, and how many are not among those found
template <class A, class B>
Tally look_at_all(const Parallel& parallel, const Pile& p, const std::vector<A>& a,
                  const std::vector<Aabb>& box_a, const std::vector<B>& b, const std::vector<Aabb>& box_b,
                  int stride, bool same, const std::vector<Pair>& found) {
    const int rows = (int(a.size()) + stride - 1) / stride;
    std::vector<Tally> tally(rows);
    parallel_for(parallel, rows, 1, [&](int row, int) {
        const int i = row * stride;
        for (int j = 0; j < int(b.size()); ++j) {
            if (!overlap(box_a[i], box_b[j]) || share(a[i], b[j])) continue;
            const Pair wanted = same && j < i ? Pair{j, i} : Pair{i, j};
            ++tally[row].wanted;
            tally[row].between += p.object[a[i][0]] != p.object[b[j][0]];
            tally[row].missing += !std::binary_search(found.begin(), found.end(), wanted);
        }
    });
    Tally sum;
    for (const Tally& t : tally) sum.wanted += t.wanted, sum.between += t.between, sum.missing += t.missing;
    return sum;
}

// swept: from each frame to the next; otherwise at rest on each
void check_candidates(bool swept, int stride) {
    Pile p;
    if (!load(p)) GTEST_SKIP() << kAbsent;
    const auto parallel = make_parallel({});
    SurfaceTopology t;
    t.vertex_count = int(p.x.size()), t.edges = p.edges, t.triangles = p.triangles, t.object = p.object;
    SurfaceNeighbors n;
    ASSERT_TRUE(build_neighbors(t, 1, n));
    std::vector<std::array<int, 1>> vertices(p.x.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) vertices[v] = {int(v)};
    CandidateScratch s;
    Candidates found;
    constexpr Real kMargin = 1e-3; // of a size of one: about the length of an edge
    for (int frame = 0; frame < 3; ++frame) {
        // a fortieth of the way to the next frame: some edges' lengths
        std::vector<Real3> x = place(p, frame), y = x;
        if (swept) {
            const std::vector<Real3> next = place(p, frame + 1);
            for (std::size_t i = 0; i < x.size(); ++i)
                y[i] = real3(vec(x[i]) + (vec(next[i]) - vec(x[i])) / 40);
        }
        ASSERT_TRUE(find_candidates(*parallel, t, n, x, y, kMargin, s, found));
        const auto box_v = swept_boxes(vertices, x, y, kMargin), box_e = swept_boxes(p.edges, x, y, kMargin),
                   box_t = swept_boxes(p.triangles, x, y, kMargin);
        const Tally vt = look_at_all(*parallel, p, vertices, box_v, p.triangles, box_t, stride, false,
                                     found.vertex_triangle);
        const Tally ee =
            look_at_all(*parallel, p, p.edges, box_e, p.edges, box_e, stride, true, found.edge_edge);
        EXPECT_EQ(vt.missing, 0) << "vertex-triangle, frame " << frame << ", of " << vt.wanted;
        EXPECT_EQ(ee.missing, 0) << "edge-edge, frame " << frame << ", of " << ee.wanted;
        EXPECT_GT(vt.between, 10) << "frame " << frame << ": the two do not meet";
        EXPECT_GT(ee.between, 10) << "frame " << frame << ": the two do not meet";
    }
}

Triangle3 corners_at(const std::vector<Real3>& x, const std::array<int, 3>& t) {
    return {Vec3(vec(x[t[0]])), Vec3(vec(x[t[1]])), Vec3(vec(x[t[2]]))};
}

// triangles of the first object against those of the second, by exact arithmetic
void check_intersections(int stride) {
    Pile p;
    if (!load(p)) GTEST_SKIP() << kAbsent;
    const auto parallel = make_parallel({});
    std::vector<std::array<int, 3>> side[2];
    for (const auto& t : p.triangles) side[p.object[t[0]]].push_back(t);
    IntersectScratch s;
    std::vector<Pair> found;
    for (int frame = 0; frame < 3; ++frame) {
        const std::vector<Real3> x = place(p, frame);
        ASSERT_TRUE(find_intersections(*parallel, {x, side[0]}, {x, side[1]}, s, found));
        const auto box_a = swept_boxes(side[0], x, x, 0), box_b = swept_boxes(side[1], x, x, 0);
        const int rows = (int(side[0].size()) + stride - 1) / stride;
        std::vector<std::vector<Pair>> rows_wanted(rows);
        parallel_for(*parallel, rows, 1, [&](int row, int) {
            const int i = row * stride;
            const Triangle3 a = corners_at(x, side[0][i]);
            for (int j = 0; j < int(side[1].size()); ++j)
                if (overlap(box_a[i], box_b[j]) && triangles_intersect(a, corners_at(x, side[1][j])))
                    rows_wanted[row].push_back({i, j});
        });
        std::vector<Pair> wanted;
        for (const auto& r : rows_wanted) wanted.insert(wanted.end(), r.begin(), r.end());
        std::erase_if(found, [&](Pair q) { return q[0] % stride; });
        EXPECT_EQ(found == wanted, true)
            << "frame " << frame << ": " << found.size() << " instead of " << wanted.size();
        EXPECT_GT(wanted.size(), 10u) << "frame " << frame << ": the two do not meet";
    }
}

} // namespace

TEST(broad_phase_mesh, candidates_of_dragon_and_bunny_miss_no_pair_at_rest) { check_candidates(false, 200); }
TEST(broad_phase_mesh, candidates_of_dragon_and_bunny_miss_no_pair_on_the_way) {
    check_candidates(true, 200);
}
TEST(broad_phase_mesh, exact_intersections_of_dragon_and_bunny_are_those_of_all_pairs) {
    check_intersections(20);
}
TEST(soak_broad_phase_mesh, candidates_of_dragon_and_bunny_miss_no_pair_of_all_at_rest) {
    check_candidates(false, 1);
}
TEST(soak_broad_phase_mesh, candidates_of_dragon_and_bunny_miss_no_pair_of_all_on_the_way) {
    check_candidates(true, 1);
}
TEST(soak_broad_phase_mesh, exact_intersections_of_dragon_and_bunny_are_those_of_all_pairs) {
    check_intersections(1);
}
