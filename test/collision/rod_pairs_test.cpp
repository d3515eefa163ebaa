#include "collision/rod_pairs.h"
#include "geometry/distance_closest.h"
#include "model/builder.h"
#include "model/element.h"
#include <gtest/gtest.h>
#include <set>

using namespace sinew;

namespace {

// a rod along points, with thickness
void add_rod(ModelBuilder& b, const std::vector<Real3>& x, Real thickness, bool closed, bool touches_itself) {
    begin_object(b, "rod" + std::to_string(b.model.objects.size()), "rod");
    const int first = add_points(b, x, std::vector<Real>(x.size(), 1.0));
    const Range points{first, first + int(x.size())};
    std::vector<std::array<int, 2>> segments;
    const int n = int(x.size());
    for (int i = 0; i < (closed ? n : n - 1); ++i) segments.push_back({i, (i + 1) % n});
    const int vertices = add_surface_points(b, points, thickness);
    add_surface_edges(b, vertices, segments);
    b.model.objects.back().self_contact = touches_itself;
}

std::vector<Real3> helix(int n, Real radius, Real rise, Real turns) {
    std::vector<Real3> x;
    for (int i = 0; i < n; ++i) {
        const Real t = 2 * kPi * turns * i / (n - 1);
        x.push_back({radius * std::cos(t), radius * std::sin(t), rise * turns * i / (n - 1)});
    }
    return x;
}

std::vector<RodPair> rod_pairs_of(const ModelBuilder& b, Real margin, int threads = 1) {
    const auto parallel = make_parallel({.threads = threads});
    RodPairScratch scratch;
    std::vector<RodPair> out;
    EXPECT_TRUE(find_rod_pairs(*parallel, b.model, b.state.point, margin, scratch, out));
    return out;
}

} // namespace

TEST(rod_pairs, are_those_of_all_pairs_by_hand) {
    ModelBuilder b;
    add_rod(b, helix(60, 0.1, 0.03, 4), 0.01, false, true);
    add_rod(b, helix(50, 0.12, 0.05, 3), 0.008, false, false);
    finish_model(b);
    const Real margin = 0.01;
    // rest lengths along the rods
    std::vector<Real> along{0};
    const auto& edges = b.model.surface.edges;
    const auto at = [&](int v) { return vec(b.state.point.x[b.model.surface.vertices[v].index]); };
    for (const auto& e : edges) along.push_back(along.back() + (at(e[1]) - at(e[0])).norm());
    std::set<std::array<int, 2>> expected;
    for (int i = 0; i < int(edges.size()); ++i)
        for (int j = i + 1; j < int(edges.size()); ++j) {
            const int a = b.model.surface.object[edges[i][0]], c = b.model.surface.object[edges[j][0]];
            const Real thickness = (a == 0 ? 0.01 : 0.008) + (c == 0 ? 0.01 : 0.008);
            if (a == c && (a == 1 || along[j] - along[i + 1] < kPi / 2 * thickness)) continue;
            const Closest near = closest_edge_edge(at(edges[i][0]), at(edges[i][1]), at(edges[j][0]), at(edges[j][1]));
            if (std::sqrt(near.squared) - thickness < margin) expected.insert({i, j});
        }
    for (int threads : {1, 2, 3}) {
        std::set<std::array<int, 2>> found;
        for (const RodPair& p : rod_pairs_of(b, margin, threads)) found.insert(p.edge);
        EXPECT_GT(found.size(), 100u);
        EXPECT_EQ(found, expected);
    }
}

TEST(rod_pairs, ends_of_a_ring_are_neighbours_and_those_of_an_open_rod_are_not) {
    for (bool closed : {true, false}) {
        ModelBuilder b;
        // the gap between the last and the first point is an edge of the ring
        std::vector<Real3> x;
        for (int i = 0; i < 40; ++i) x.push_back({0.1 * std::cos(2 * kPi * i / 40), 0, 0.1 * std::sin(2 * kPi * i / 40)});
        add_rod(b, x, 0.01, closed, true);
        finish_model(b);
        const auto pairs = rod_pairs_of(b, 0);
        EXPECT_EQ(pairs.empty(), closed); // edges are 16 mm, thickness of the pair 20 mm
        if (!closed) {
            EXPECT_EQ(pairs[0].edge, (std::array<int, 2>{0, 38}));
        }
    }
}

TEST(rod_pairs, rods_without_self_contact_do_not_meet_themselves_and_positions_that_are_no_numbers_are_refused) {
    ModelBuilder b;
    add_rod(b, helix(60, 0.1, 0.01, 4), 0.01, false, false);
    finish_model(b);
    EXPECT_FALSE(rods_meet(b.model));
    EXPECT_TRUE(rod_pairs_of(b, 0.1).empty());
    b.model.objects[0].self_contact = true;
    ++b.model.values_revision;
    EXPECT_TRUE(rods_meet(b.model));
    EXPECT_FALSE(rod_pairs_of(b, 0.1).empty());
    b.state.point.x[3].x = std::numeric_limits<Real>::quiet_NaN();
    const auto parallel = make_parallel({.threads = 1});
    RodPairScratch scratch;
    std::vector<RodPair> out;
    EXPECT_FALSE(find_rod_pairs(*parallel, b.model, b.state.point, 0.1, scratch, out));
    EXPECT_TRUE(out.empty());
}
