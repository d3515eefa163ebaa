// Contacts of the whole surface against all pairs by hand, and what a list of contacts promises: every contact once, in
// the same order at any number of threads, with weights that make a gap vector.
#include "collision/detect.h"
#include "core/random.h"
#include "geometry/distance_closest.h"
#include "model/builder.h"
#include "model/contact_rows.h"
#include "model/stencil.h"
#include "model/surface.h"
#include <gtest/gtest.h>
#include <set>

namespace sinew {
namespace {

struct SurfaceScene {
    ModelBuilder b;
    std::vector<Real3> x;
};

// a sheet of n x n cells with bumps, as points
int add_bumpy_sheet(SurfaceScene& w, Rng& rng, const char* name, int n, Real height, Real bump, Real thickness) {
    const int object = begin_object(w.b, name, "test");
    std::vector<Real3> x;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) x.push_back({Real(i) / n, height + draw_uniform(rng, -bump, bump), Real(j) / n});
    const int first = add_points(w.b, x, std::vector<Real>(x.size(), 1.0));
    const int vertex = add_surface_points(w.b, {first, first + int(x.size())}, thickness);
    std::vector<std::array<int, 3>> triangles;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = i + (n + 1) * j;
            triangles.push_back({a, a + n + 2, a + 1});
            triangles.push_back({a, a + n + 1, a + n + 2});
        }
    add_surface_triangles(w.b, vertex, triangles);
    return object;
}

void add_line(SurfaceScene& w, Rng& rng, int count, Real thickness) {
    begin_object(w.b, "rod", "test");
    std::vector<Real3> x{{0, 0.03, 0.5}};
    for (int i = 0; i < count; ++i) x.push_back(real3(vec(x.back()) + Vec3(1.0 / count, 0, 0) + 0.02 * draw_vec(rng, -1, 1)));
    const int first = add_points(w.b, x, std::vector<Real>(x.size(), 1.0));
    const int vertex = add_surface_points(w.b, {first, first + int(x.size())}, thickness);
    std::vector<std::array<int, 2>> edges;
    for (int i = 0; i < count; ++i) edges.push_back({i, i + 1});
    add_surface_edges(w.b, vertex, edges);
}

void add_grains(SurfaceScene& w, Rng& rng, int count, Real thickness) {
    const int object = begin_object(w.b, "grains", "test");
    std::vector<Real3> x;
    for (int i = 0; i < count; ++i) x.push_back({draw_uniform(rng), draw_uniform(rng, -0.05, 0.1), draw_uniform(rng)});
    const int first = add_points(w.b, x, std::vector<Real>(x.size(), 1.0));
    add_surface_points(w.b, {first, first + count}, thickness);
    w.b.model.objects[object].self_contact = true;
}

void finish(SurfaceScene& w) {
    finish_model(w.b);
    const auto one = make_parallel(Context{1, {}, {}});
    w.x.resize(w.b.model.surface.vertices.size());
    surface_positions(*one, w.b.model, surface_state(w.b.state), w.x);
}

// two bumpy sheets, a rod and grains between them; the first sheet touches itself
SurfaceScene make_surface_scene(std::uint64_t seed) {
    SurfaceScene w;
    Rng rng{seed, 0, 0};
    const int sheet = add_bumpy_sheet(w, rng, "low", 6, 0, 0.06, 0.01);
    w.b.model.objects[sheet].self_contact = true;
    add_bumpy_sheet(w, rng, "high", 5, 0.06, 0.06, 0.005);
    add_line(w, rng, 7, 0.02);
    add_grains(w, rng, 40, 0.02);
    finish(w);
    return w;
}

Contacts contacts_of_scene(const SurfaceScene& w, int threads, Real margin = 0.02, bool everything = false) {
    const auto parallel = make_parallel(Context{threads, {}, {}});
    SurfaceScratch scratch;
    Contacts out;
    EXPECT_TRUE(detect_surface(*parallel, w.b.model, w.x, {}, {margin, everything, 1}, scratch, out));
    return out;
}

// all pairs by hand: which features touch, by the vertices of the stencil
struct Brute {
    std::set<std::vector<int>> found; // side a, -1, side b; vertex-vertex and edge-edge with the smaller side first
    void add(std::vector<int> a, std::vector<int> b) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        if (a.size() == b.size() && b < a) std::swap(a, b);
        a.push_back(-1);
        a.insert(a.end(), b.begin(), b.end());
        found.insert(a);
    }
};

Brute find_all(const SurfaceScene& w, Real margin) {
    const Surface& s = w.b.model.surface;
    Brute out;
    std::vector<int> used(s.vertices.size(), 0), edge_used(s.edges.size(), 0);
    for (const auto& e : s.edges)
        for (int v : e) used[v] = 1;
    const auto meets = [&](int a, int b) {
        return s.object[a] != s.object[b] || w.b.model.objects[s.object[a]].self_contact;
    };
    const auto at = [&](int v) { return Vec3(vec(w.x[v])); };
    // stencil of vertices, the number of them on side a
    const auto add = [&](const std::vector<int>& ids, int on_a, const Closest& near) {
        std::vector<int> a, b;
        Real thick_a = 0, thick_b = 0;
        for (int k = 0; k < point_count(near.feature.kind); ++k) {
            const int i = near.feature.point[k];
            (i < on_a ? a : b).push_back(ids[i]);
            Real& thick = i < on_a ? thick_a : thick_b;
            thick = std::max(thick, s.thickness[ids[i]]);
        }
        if (a.size() > 1 && b.size() == 1) std::swap(a, b); // the vertex is side a
        if (std::sqrt(near.squared) - thick_a - thick_b < margin) out.add(a, b);
    };
    const auto shares = [](const auto& a, const auto& b) {
        for (int i : a)
            for (int j : b)
                if (i == j) return true;
        return false;
    };
    for (int v = 0; v < int(s.vertices.size()); ++v) {
        for (const auto& t : s.triangles)
            if (meets(v, t[0]) && !shares(std::array{v}, t))
                add({v, t[0], t[1], t[2]}, 1, closest_vertex_triangle(at(v), at(t[0]), at(t[1]), at(t[2])));
        for (int u = 0; u < v; ++u)
            if (!used[u] && !used[v] && meets(u, v)) add({u, v}, 1, closest_vertex_vertex(at(u), at(v)));
        for (const auto& e : s.edges) // grains against the rod
            if (!used[v] && s.object[e[0]] == 2 && meets(v, e[0])) add({v, e[0], e[1]}, 1, closest_vertex_edge(at(v), at(e[0]), at(e[1])));
    }
    for (std::size_t i = 0; i < s.edges.size(); ++i)
        for (std::size_t j = i + 1; j < s.edges.size(); ++j) {
            const auto &a = s.edges[i], &b = s.edges[j];
            if (meets(a[0], b[0]) && !shares(a, b))
                add({a[0], a[1], b[0], b[1]}, 2, closest_edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1])));
        }
    return out;
}

template <class F> void for_each_range(const Contacts& c, F&& f) {
    f(c.vertex_triangle, 1, 4);
    f(c.edge_edge, 2, 4);
    f(c.vertex_edge, 1, 3);
    f(c.vertex_vertex, 1, 2);
}

TEST(detect_surface, finds_what_all_pairs_by_hand_find_and_each_contact_once) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const SurfaceScene w = make_surface_scene(seed);
        const Contacts got = contacts_of_scene(w, 1);
        Brute mine;
        std::size_t count = 0;
        for_each_range(got, [&](const std::vector<SurfaceContact>& range, int on_a, int size) {
            EXPECT_FALSE(range.empty()) << size;
            count += range.size();
            for (std::size_t k = 0; k < range.size(); ++k) {
                if (k) { EXPECT_LT(range[k - 1].key, range[k].key); }
                const auto& v = range[k].vertex;
                mine.add({v.begin(), v.begin() + on_a}, {v.begin() + on_a, v.begin() + size});
                EXPECT_GE(range[k].count, 1);
            }
        });
        EXPECT_EQ(mine.found.size(), count); // no contact twice
        EXPECT_EQ(mine.found, find_all(w, 0.02).found) << seed;
    }
}

TEST(detect_surface, weights_and_normal_make_the_gap_vector) {
    const SurfaceScene w = make_surface_scene(11);
    for_each_range(contacts_of_scene(w, 1), [&](const std::vector<SurfaceContact>& range, int on_a, int size) {
        for (const SurfaceContact& c : range) {
            Vec3 g = Vec3::Zero();
            Real sum_a = 0, sum_b = 0, thick_a = 0, thick_b = 0;
            for (int k = 0; k < size; ++k) {
                g += c.weight[k] * vec(w.x[c.vertex[k]]);
                (k < on_a ? sum_a : sum_b) += c.weight[k];
                Real& thick = k < on_a ? thick_a : thick_b;
                thick = std::max(thick, w.b.model.surface.thickness[c.vertex[k]]);
            }
            // rounding of a few operations on numbers of size 1
            EXPECT_NEAR(sum_a, 1, 1e-14);
            EXPECT_NEAR(sum_b, -1, 1e-14);
            EXPECT_NEAR(vec(c.normal).norm(), 1, 1e-14);
            EXPECT_DOUBLE_EQ(c.thickness, thick_a + thick_b);
            EXPECT_NEAR(vec(c.normal).dot(g) - c.thickness, c.gap, 1e-14);
            EXPECT_LT((g - (c.gap + c.thickness) * vec(c.normal)).norm(), 1e-13);
            EXPECT_LT(c.gap, 0.02);
        }
    });
}

// a vertex above the corner shared by six triangles, one above an edge of two
TEST(detect_surface, a_corner_or_an_edge_shared_by_many_triangles_is_one_contact) {
    SurfaceScene w;
    begin_object(w.b, "fan", "test");
    std::vector<Real3> x{{0, 0, 0}};
    for (int i = 0; i < 6; ++i) x.push_back({std::cos(kPi * i / 3), -0.3, std::sin(kPi * i / 3)});
    add_points(w.b, x, std::vector<Real>(7, 1.0));
    const int first = add_surface_points(w.b, {0, 7}, 0);
    std::vector<std::array<int, 3>> fan;
    for (int i = 0; i < 6; ++i) fan.push_back({0, 1 + (i + 1) % 6, 1 + i});
    add_surface_triangles(w.b, first, fan);
    begin_object(w.b, "tips", "test");
    // above the apex, and outside the ridge from the apex to corner 1
    const std::vector<Real3> tips{{0, 0.1, 0}, {0.53, -0.05, 0}};
    add_points(w.b, tips, std::vector<Real>(2, 1.0));
    add_surface_points(w.b, {7, 9}, 0);
    finish(w);
    const Contacts got = contacts_of_scene(w, 1, 0.15);
    ASSERT_EQ(got.vertex_vertex.size(), 1u);
    EXPECT_EQ(got.vertex_vertex[0].vertex[0], 0);
    EXPECT_EQ(got.vertex_vertex[0].vertex[1], 7);
    EXPECT_EQ(got.vertex_vertex[0].count, 6);
    EXPECT_NEAR(got.vertex_vertex[0].gap, 0.1, 1e-15);
    int ridge = 0;
    for (const SurfaceContact& c : got.vertex_edge) ridge += c.vertex[0] == 8 && c.vertex[1] == 0 && c.vertex[2] == 1;
    EXPECT_EQ(ridge, 1);
}

TEST(detect_surface, same_contacts_in_the_same_order_at_any_number_of_threads) {
    const SurfaceScene w = make_surface_scene(21);
    const Contacts one = contacts_of_scene(w, 1);
    for (int threads : {2, 3, 8}) {
        const Contacts more = contacts_of_scene(w, threads);
        const auto same = [&](const std::vector<SurfaceContact>& a, const std::vector<SurfaceContact>& b) {
            ASSERT_EQ(a.size(), b.size());
            for (std::size_t k = 0; k < a.size(); ++k) {
                EXPECT_EQ(a[k].key, b[k].key);
                EXPECT_EQ(a[k].gap, b[k].gap);
                EXPECT_EQ(a[k].count, b[k].count);
                EXPECT_TRUE(a[k].normal == b[k].normal);
                EXPECT_EQ(a[k].weight, b[k].weight);
            }
        };
        same(one.vertex_triangle, more.vertex_triangle);
        same(one.edge_edge, more.edge_edge);
        same(one.vertex_edge, more.vertex_edge);
        same(one.vertex_vertex, more.vertex_vertex);
    }
}

int count_between(const Contacts& c, const Model& m, int a, int b) {
    int n = 0;
    for_each_range(c, [&](const std::vector<SurfaceContact>& range, int on_a, int) {
        for (const SurfaceContact& k : range) {
            const int i = m.surface.object[k.vertex[0]], j = m.surface.object[k.vertex[on_a]];
            n += (i == a && j == b) || (i == b && j == a);
        }
    });
    return n;
}

// a flat sheet folded over along its middle: the halves lie on each other, neighbours are left out
TEST(detect_surface, a_folded_sheet_touches_itself_where_it_asks_to_and_neighbours_do_not_count) {
    SurfaceScene w;
    Rng rng{1, 0, 0};
    const int n = 10;
    add_bumpy_sheet(w, rng, "sheet", n, 0, 0, 0.01);
    finish(w);
    for (Real3& x : w.x)
        if (x.x > 0.55) x = {1 - x.x + 0.013, 0.025, x.z + 0.017};
    EXPECT_EQ(count_between(contacts_of_scene(w, 1), w.b.model, 0, 0), 0);
    w.b.model.objects[0].self_contact = true;
    const Contacts got = contacts_of_scene(w, 1);
    EXPECT_GT(got.vertex_triangle.size(), 40u);
    EXPECT_GT(got.edge_edge.size(), 40u);
    for_each_range(got, [&](const std::vector<SurfaceContact>& range, int, int size) {
        for (const SurfaceContact& c : range) {
            // gap: 0.025 apart with thickness 0.01 on both sides, but for the cells across the fold
            bool low = false, high = false;
            for (int k = 0; k < size; ++k) (c.vertex[k] % (n + 1) <= 5 ? low : high) = true;
            EXPECT_TRUE(low && high);
            for (int i = 0; i < size; ++i)
                for (int j = i + 1; j < size; ++j) EXPECT_NE(c.vertex[i], c.vertex[j]);
        }
    });
    for (const SurfaceContact& c : got.vertex_triangle)
        if (c.vertex[0] % (n + 1) < 4) { EXPECT_NEAR(c.gap, 0.005, 1e-12); }
}

// each vertex looks as far as its own way: one that is fast finds others, these do not find each other
TEST(detect_surface, each_vertex_looks_as_far_as_its_own_way) {
    SurfaceScene w;
    Rng rng{5, 0, 0};
    constexpr int count = 400;
    constexpr Real thickness = 0.005, margin = 0.01, far = 0.3;
    add_grains(w, rng, count, thickness);
    w.b.model.objects[0].self_contact = true;
    finish(w);
    std::vector<Real> way(count, 0);
    way[7] = far;
    const auto gap = [&](int i, int j) { return (vec(w.x[i]) - vec(w.x[j])).norm() - 2 * thickness; };
    SurfaceScratch scratch;
    Contacts out;
    ASSERT_TRUE(detect_surface(*make_parallel({}), w.b.model, w.x, {}, {.margin = margin, .reach = way}, scratch, out));
    std::set<std::pair<int, int>> found;
    for (const SurfaceContact& c : out.vertex_vertex) found.insert(std::minmax(c.vertex[0], c.vertex[1]));
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            if (gap(i, j) < margin + way[i] + way[j]) {
                EXPECT_TRUE(found.count({i, j})) << i << ' ' << j;
            }
    int slow = 0;
    for (const auto& [i, j] : found) slow += i != 7 && j != 7;
    // boxes of the slow ones overlap within a cube of thickness and margin: at most some 400^2/2 times its share of the room
    EXPECT_LT(slow, 400 * 400 / 2 * 8 * 0.03 * 0.03 * 0.03 / 0.15 * 2);
    EXPECT_GT(found.size() - slow, 20u);
}

TEST(detect_surface, rules_groups_and_self_contact_decide_who_meets) {
    SurfaceScene w = make_surface_scene(31);
    Model& m = w.b.model;
    EXPECT_GT(count_between(contacts_of_scene(w, 1), m, 0, 1), 0);
    m.contact_rules = {{0, 1, true, -1, -1}, {3, 0, false, 0.9, 0.001}};
    Contacts got = contacts_of_scene(w, 1);
    EXPECT_EQ(count_between(got, m, 0, 1), 0);
    bool seen = false;
    for (const SurfaceContact& c : got.vertex_triangle)
        if (m.surface.object[c.vertex[0]] == 3 && m.surface.object[c.vertex[1]] == 0) {
            EXPECT_EQ(c.friction, 0.9);
            EXPECT_EQ(c.thickness, 0.001);
            seen = true;
        }
    EXPECT_TRUE(seen);
    // a rule that makes the pair thicker reaches further than the vertices' own thickness
    m.contact_rules = {{3, 0, false, -1, 0.2}};
    const int near = count_between(got, m, 0, 3);
    got = contacts_of_scene(w, 1);
    EXPECT_GT(count_between(got, m, 0, 3), near);
    m.contact_rules.clear();
    m.objects[1].groups = 2;
    m.objects[0].touches = 1 | 4;
    got = contacts_of_scene(w, 1);
    EXPECT_EQ(count_between(got, m, 0, 1), 0);
    EXPECT_GT(count_between(got, m, 1, 3), 0);
    m.objects[3].alive = false; // removed
    EXPECT_EQ(count_between(contacts_of_scene(w, 1), m, 1, 3), 0);
}

// held and free bodies, an animated sheet and a soft one at the same place
TEST(detect_surface, two_that_cannot_move_never_meet_and_bodies_with_shapes_meet_by_them) {
    SurfaceScene w;
    Rng rng{41, 0, 0};
    const std::vector<std::array<int, 3>> faces{{0, 1, 2}};
    const auto body = [&](const char* name, std::uint8_t flags) {
        begin_object(w.b, name, "test");
        const int frame = add_frame(w.b, {}, 1, {}, flags);
        const int first = int(w.b.model.surface.vertices.size());
        for (int i = 0; i < 3; ++i) add_surface_vertex_in_frame(w.b, frame, real3(draw_vec(rng, -1, 1)), 0);
        add_surface_triangles(w.b, first, faces);
    };
    body("free", kFree), body("other", kFree), body("held", kFixed), body("wall", kFixed);
    begin_object(w.b, "moved", "test");
    const int first = int(w.b.model.surface.vertices.size());
    add_animated_vertices(w.b, std::vector<Real3>{real3(draw_vec(rng, -1, 1)), real3(draw_vec(rng, -1, 1)), real3(draw_vec(rng, -1, 1))}, 0);
    add_surface_triangles(w.b, first, faces);
    begin_object(w.b, "soft", "test");
    add_points(w.b, std::vector<Real3>{real3(draw_vec(rng, -1, 1)), real3(draw_vec(rng, -1, 1)), real3(draw_vec(rng, -1, 1))}, std::vector<Real>(3, 1.0));
    const int soft = add_surface_points(w.b, {0, 3}, 0);
    add_surface_triangles(w.b, soft, faces);
    finish(w);
    const auto meets = [&](bool everything, int a, int b) { return count_between(contacts_of_scene(w, 1, 10, everything), w.b.model, a, b) > 0; };
    EXPECT_FALSE(meets(true, 2, 3));
    EXPECT_FALSE(meets(true, 2, 4));
    EXPECT_FALSE(meets(false, 0, 1));
    EXPECT_FALSE(meets(false, 0, 2));
    EXPECT_TRUE(meets(true, 0, 1));
    EXPECT_TRUE(meets(true, 0, 2));
    for (bool everything : {false, true}) {
        EXPECT_TRUE(meets(everything, 0, 4)); // an animated mesh has no shape
        for (int k = 0; k < 5; ++k) EXPECT_TRUE(meets(everything, k, 5)) << k;
        for (int k = 0; k < 6; ++k) EXPECT_FALSE(meets(everything, k, k)) << k;
    }
}

// D . q' is the rate of the distance along the motion of the unknowns, for every contact (spec U 3.8.1, T 3.5)
TEST(detect_surface, generalised_directions_are_the_rates_of_the_gap) {
    SurfaceScene w = make_surface_scene(51);
    const Model& m = w.b.model;
    const Dofs dofs = dofs_of(m);
    Rng rng{5, 0, 0};
    State moved = w.b.state, back = w.b.state;
    const Real h = 1e-6;
    for (std::size_t i = 0; i < moved.point.x.size(); ++i) {
        w.b.state.point.v[i] = real3(draw_vec(rng, -1, 1));
        vec(moved.point.x[i]) += h * vec(w.b.state.point.v[i]);
        vec(back.point.x[i]) -= h * vec(w.b.state.point.v[i]);
    }
    PushedBack d;
    for_each_range(contacts_of_scene(w, 1), [&](const std::vector<SurfaceContact>& range, int, int) {
        for (const SurfaceContact& c : range) {
            const ContactStencil s = stencil_of(m, c);
            const ContactFrame f = contact_frame(c.normal);
            EXPECT_NEAR(vec(f.n).cross(vec(f.t0)).dot(vec(f.t1)), 1, 1e-14);
            for (const Real3& axis : {f.n, f.t0, f.t1}) {
                build_direction(m, w.b.state.frame, dofs, s, vec(axis), d);
                Real rate = 0;
                for (int k = 0; k < d.count; ++k)
                    rate += Eigen::Map<Vec3>(d.gradient.data() + 3 * k).dot(vec(w.b.state.point.v[d.block[k]]));
                const Real up = stencil_distance(m, surface_state(moved), s, vec(axis));
                const Real down = stencil_distance(m, surface_state(back), s, vec(axis));
                EXPECT_NEAR(rate, (up - down) / (2 * h), 1e-9); // linear in the points: eps/h
            }
        }
    });
}

// One step of the predictor of spec U: v~ = v + h g, q~ = q + h v~, then detection at q~. The start is chosen such that q~ is
// a state whose contacts are known; the step is so long that nothing is in reach at the start.
TEST(detect_surface, right_after_the_unconstrained_prediction_finds_what_the_step_runs_into) {
    SurfaceScene w = make_surface_scene(61);
    const auto one = make_parallel(Context{1, {}, {}});
    const Model& m = w.b.model;
    const Contacts expected = contacts_of_scene(w, 1);
    const Real h = 0.02;
    const Vec3 gravity = vec(m.gravity);
    State start = w.b.state;
    for (int i = 0; i < point_count(m); ++i) {
        const bool falls = m.point.object[i] == 1; // the upper sheet; everything else rests
        if (falls) vec(start.point.v[i]) = Vec3(0.3, -20, 0.1);
        if (falls) vec(start.point.x[i]) -= h * (Vec3(vec(start.point.v[i])) + h * gravity);
    }
    SurfaceScene now = w;
    surface_positions(*one, m, surface_state(start), now.x);
    EXPECT_EQ(count_between(contacts_of_scene(now, 1), m, 0, 1), 0); // 0.4 m apart
    State predicted = start;
    for (int i = 0; i < point_count(m); ++i) {
        if (m.point.object[i] != 1) continue;
        vec(predicted.point.v[i]) += h * gravity;
        vec(predicted.point.x[i]) += h * Vec3(vec(predicted.point.v[i]));
    }
    surface_positions(*one, m, surface_state(predicted), now.x);
    const Contacts got = contacts_of_scene(now, 1);
    EXPECT_GT(count_between(got, m, 0, 1), 5);
    const Dofs dofs = dofs_of(m);
    PushedBack d;
    const auto same = [&](const std::vector<SurfaceContact>& a, const std::vector<SurfaceContact>& b) {
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t k = 0; k < a.size(); ++k) {
            EXPECT_EQ(a[k].key, b[k].key);
            EXPECT_NEAR(a[k].gap, b[k].gap, 1e-13); // rounding of the way there and back
            // the row built there gives the speed at which the prediction closes the gap
            const ContactStencil s = stencil_of(m, a[k]);
            build_direction(m, predicted.frame, dofs, s, vec(a[k].normal), d);
            Real rate = 0, speed = 0;
            for (int q = 0; q < d.count; ++q) rate += Eigen::Map<Vec3>(d.gradient.data() + 3 * q).dot(vec(predicted.point.v[d.block[q]]));
            for (int q = 0; q < s.count; ++q)
                speed += s.weight[q] * vec(a[k].normal).dot(vertex_velocity(m, surface_state(predicted), s.vertex[q]));
            EXPECT_NEAR(rate, speed, 1e-12);
        }
    };
    same(got.vertex_triangle, expected.vertex_triangle);
    same(got.edge_edge, expected.edge_edge);
    same(got.vertex_edge, expected.vertex_edge);
    same(got.vertex_vertex, expected.vertex_vertex);
}

TEST(detect_surface, refuses_a_broken_surface_and_positions_that_are_no_numbers) {
    SurfaceScene w = make_surface_scene(71);
    const auto one = make_parallel(Context{1, {}, {}});
    SurfaceScratch scratch;
    Contacts out;
    std::vector<Real3> x = w.x;
    x[3].y = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(detect_surface(*one, w.b.model, x, {}, {}, scratch, out));
    EXPECT_TRUE(out.vertex_triangle.empty());
    w.b.model.surface.edges.pop_back();
    w.b.model.surface.edges.erase(w.b.model.surface.edges.begin());
    ++w.b.model.topology_revision;
    EXPECT_FALSE(detect_surface(*one, w.b.model, w.x, {}, {}, scratch, out));
}

} // namespace
} // namespace sinew
