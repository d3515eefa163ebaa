// Questions to bodies of meshes, solids, height fields and compounds, against trying every triangle.
#include "collision/convex_query.h"
#include "core/random.h"
#include "geometry/convex_distance.h"
#include "geometry/distance_grid.h"
#include "geometry/generate.h"
#include "geometry/height_field.h"
#include "geometry/triangulate.h"
#include "model/builder.h"
#include "sinew/query.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

struct Piece { // what a brute force looks at: a triangle or a convex part
    Convex convex;
    Placement place;
    int object, index;
};

struct QueriedBodies {
    ModelBuilder b;
    std::vector<Piece> pieces;
    QueryPtr q = make_query(Context{1, {}, {}});

    int add_body(const std::string& name, const Shape& shape, const Pose& pose) {
        const int object = begin_object(b, name, "test");
        add_collider(b, shape, add_frame(b, pose, 1, {}));
        return object;
    }
    void add_pieces(const TriangleShape& m, const Pose& pose, int object) {
        for (int t = 0; t < int(m.triangles.size()); ++t) {
            const auto x = [&](int k) { return Vec3(vec(m.vertices[m.triangles[t][k]])); };
            pieces.push_back({make_triangle(x(0), x(1), x(2), 0), make_placement(pose), object, t});
        }
    }
    QueriedBodies() {
        Rng rng{21};
        const auto pose = [&](const Vec3& p) { return Pose{real3(p), draw_rotation(rng)}; };
        for (const PolygonMesh& m :
             {make_icosphere(0.5, 2), make_box({1, 0.8, 0.6}), make_grid(3, 3, 1.5, 1.5)})
            b.shapes.meshes.push_back({m.positions, triangulate(m).triangles});
        b.shapes.distance_grids.push_back(
            *build_distance_grid(*make_parallel({}), b.shapes.meshes[1], {.cell = 0.05}).value);
        b.shapes.distance_grids[0].mesh = 1;
        HeightFieldShape hills{13, 11, 0.5, 0.5, {}};
        for (int k = 0; k < 13 * 11; ++k) hills.height.push_back(0.4 * draw_uniform(rng));
        b.shapes.height_fields.push_back(hills);
        b.shapes.compounds.push_back(
            {{{Shape::sphere, {0.3, 0, 0}}, {Shape::mesh, {}, 0, 2}}, {{{0, 0.5, 0}, {}}, {}}});
        const Pose poses[] = {pose({0, 1, 0}), pose({1.5, 1, 0.3}), pose({-1.5, 1.2, 0.4}),
                              pose({0.2, 1.5, 1.6})};
        add_pieces(b.shapes.meshes[0], poses[0], add_body("ball", {Shape::mesh, {}, 0, 0}, poses[0]));
        add_pieces(b.shapes.meshes[1], poses[1], add_body("crate", {Shape::solid, {}, 0, 0}, poses[1]));
        add_pieces(b.shapes.meshes[2], poses[2], add_body("sheet", {Shape::mesh, {}, 0, 2}, poses[2]));
        const Pose ground{{-3, -0.4, -2.5}, {}};
        add_pieces(mesh_of(hills), ground, add_body("hills", {Shape::height_field, {}, 0, 0}, ground));
        const int pin = add_body("pin", {Shape::compound, {}, 0, 0}, poses[3]);
        Convex head;
        head.radius = 0.3;
        const Placement f = make_placement(poses[3]);
        pieces.push_back({head, {f.R, at(f, Vec3(0, 0.5, 0))}, pin, -1});
        add_pieces(b.shapes.meshes[2], poses[3], pin);
        finish_model(b);
        EXPECT_TRUE(update(*q, b.model, b.state));
    }
    // inside the crate or under the hills: the triangles say nothing there
    bool is_inside(const Vec3& p) const {
        const Vec3 local = from(make_placement({b.state.frame.p[1], b.state.frame.q[1]}), p);
        const bool crate = (local.cwiseAbs().array() < Eigen::Array3d(0.5, 0.4, 0.3)).all();
        const HeightSample h = sample_height(b.shapes.height_fields[0], p.x() + 3, p.z() + 2.5);
        return crate || (h.inside && p.y() + 0.4 < h.height);
    }
    Real distance(const Convex& c, const Placement& f) const {
        Real least = std::numeric_limits<Real>::infinity();
        for (const Piece& p : pieces)
            least = std::min(least, convex_distance(c, f, p.convex, p.place).distance);
        return least;
    }
};

TEST(mesh_body_query, rays_and_nearest_points_are_those_of_every_triangle) {
    const QueriedBodies w;
    Rng rng{5};
    int hits = 0, inside = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        const Vec3 p = Vec3(0, 1, 0) + Vec3(3, 2, 3).cwiseProduct(Vec3(vec(draw_in_ball(rng))));
        const Vec3 u = (Vec3(0, 1, 0) + 2 * Vec3(vec(draw_in_ball(rng))) - p).normalized();
        const auto ray = cast_ray(*w.q, real3(p), real3(u));
        const auto near = find_closest(*w.q, real3(p));
        ASSERT_TRUE(near);
        if (w.is_inside(p)) {
            ++inside;
            ASSERT_TRUE(ray);
            EXPECT_EQ(ray->distance, 0);
            EXPECT_LT(near->distance, 0);
            EXPECT_LT((vec(near->position) - p + near->distance * Vec3(vec(near->normal))).norm(), 1e-9);
            continue;
        }
        RayHit hit;
        Real first = std::numeric_limits<Real>::infinity(), least = first;
        for (const Piece& k : w.pieces) {
            if (cast_ray(k.convex, k.place, p, u, 100, hit)) first = std::min(first, hit.time);
            least = std::min(least, closest_point(k.convex, k.place, p).distance);
        }
        ASSERT_EQ(bool(ray), std::isfinite(first)) << trial;
        hits += bool(ray);
        if (ray) {
            EXPECT_NEAR(ray->distance, first, 1e-8) << trial;
        } // Newton's end of the convex ray
        if (ray && ray->part == QueryHit::triangle) {
            EXPECT_LE(vec(ray->normal).dot(u), 0);
        }
        EXPECT_NEAR(near->distance, least, 1e-9) << trial;
        EXPECT_FALSE(find_closest(*w.q, real3(p), 0.999 * least - 1e-9));
    }
    EXPECT_GT(hits, 700);
    EXPECT_GT(inside, 50);
}

TEST(mesh_body_query, casts_stop_where_the_nearest_triangle_is_touched_and_not_before) {
    const QueriedBodies w;
    Rng rng{6};
    int hits = 0, misses = 0;
    const Shape shapes[] = {
        {Shape::sphere, {0.1, 0, 0}}, {Shape::box, {0.1, 0.15, 0.05}}, {Shape::capsule, {0.05, 0.2, 0}}};
    for (int trial = 0; trial < 150; ++trial) {
        const Shape& s = shapes[trial % 3];
        const Convex c = *make_convex({}, s);
        const Vec3 p = Vec3(0, 1.5, 0) + 2.5 * Vec3(vec(draw_in_ball(rng))), u = vec(draw_unit_vector(rng));
        const Real far = 2;
        const Pose pose{real3(p), draw_rotation(rng)};
        Placement f = make_placement(pose);
        const auto hit = cast_shape(*w.q, s, pose, real3(far * u));
        if (w.is_inside(p) || w.distance(c, f) <= 0) {
            ASSERT_TRUE(hit);
            EXPECT_EQ(hit->distance, 0);
            continue;
        }
        const Real end = hit ? hit->distance : far;
        for (int k = 0; k <= 20; ++k) { // never nearer than touching on the way
            f.p = p + end * k / 20 * u;
            ASSERT_GT(w.distance(c, f), -1e-7) << trial << " " << k;
        }
        if (hit) {
            EXPECT_LT(w.distance(c, f), 1e-6) << trial;
        }
        (hit ? hits : misses)++;
    }
    EXPECT_GT(hits, 30);
    EXPECT_GT(misses, 20);
}

TEST(mesh_body_query, overlaps_are_all_triangles_within_the_margin_or_the_inside) {
    const QueriedBodies w;
    Rng rng{7};
    std::size_t found = 0, inside = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const Shape s{Shape::box, {0.2, 0.1, 0.15}};
        const Convex c = *make_convex({}, s);
        const Pose pose{real3(Vec3(0, 1, 0) + 2 * Vec3(vec(draw_in_ball(rng)))), draw_rotation(rng)};
        std::vector<std::array<int, 2>> expected, got;
        for (const Piece& k : w.pieces)
            if (convex_distance(c, make_placement(pose), k.convex, k.place).distance <= 0.05)
                expected.push_back({k.object, k.index});
        for (const QueryHit& h : find_overlaps(*w.q, s, pose, 0.05)) {
            const bool whole = h.part == QueryHit::shape && h.object.index != 4;
            if (whole) {
                ++inside;
                EXPECT_LT(h.distance, 0);
                EXPECT_TRUE(w.is_inside(vec(pose.position)));
            } else {
                got.push_back({h.object.index, h.index});
            }
        }
        EXPECT_EQ(got, expected) << trial;
        found += got.size();
    }
    EXPECT_GT(found, 200u);
    EXPECT_GT(inside, 3u);
}

TEST(mesh_body_query, senseless_questions_meet_nothing) {
    const QueriedBodies w;
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), inf = std::numeric_limits<Real>::infinity();
    const Shape ball{Shape::sphere, {1, 0, 0}};
    for (const Real bad : {nan, inf}) {
        EXPECT_FALSE(cast_ray(*w.q, {bad, 0, 0}, {0, -1, 0}));
        EXPECT_FALSE(cast_ray(*w.q, {0, 5, 0}, {0, bad, 0}));
        EXPECT_FALSE(cast_shape(*w.q, ball, {{bad, 0, 0}, {}}, {0, -1, 0}));
        EXPECT_FALSE(cast_shape(*w.q, ball, {}, {0, bad, 0}));
        EXPECT_TRUE(find_overlaps(*w.q, ball, {{bad, 0, 0}, {}}).empty());
        EXPECT_FALSE(find_closest(*w.q, {bad, 0, 0}));
        EXPECT_TRUE(find_overlaps(*w.q, {Shape::sphere, {bad, 0, 0}}, {}).empty());
    }
    EXPECT_FALSE(cast_ray(*w.q, {0, 5, 0}, {0, -1, 0}, nan));
    EXPECT_FALSE(find_closest(*w.q, {0, 0, 0}, nan));
    EXPECT_TRUE(find_overlaps(*w.q, ball, {}, nan).empty());
    EXPECT_TRUE(find_overlaps(*w.q, {Shape::hull, {}, 0, 3}, {}).empty());
    EXPECT_FALSE(find_overlaps(*w.q, ball, {{0, 1, 0}, {}}, inf).empty());
}

} // namespace
} // namespace sinew
