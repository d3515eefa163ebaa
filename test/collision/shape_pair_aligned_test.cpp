// Cubes of triangles whose sides lie in common planes: corners on edges and faces of each other, parallel
// edges, edges that meet at their ends. Judge: the separating axes of two boxes.
#include "collision/shape_pair.h"
#include "core/random.h"
#include "geometry/distance_grid.h"
#include "geometry/generate.h"
#include "geometry/sat.h"
#include "geometry/triangle_shape.h"
#include <gtest/gtest.h>
#include <map>

namespace sinew {
namespace {

// A cube of edge 1 whose sides have n x n squares each; vertices are shared.
TriangleShape fine_cube(int n) {
    TriangleShape m;
    std::map<std::array<int, 3>, int> number;
    const auto vertex = [&](const std::array<int, 3>& i) {
        const auto [at, is_new] = number.try_emplace(i, int(m.vertices.size()));
        if (is_new) m.vertices.push_back({Real(i[0]) / n - 0.5, Real(i[1]) / n - 0.5, Real(i[2]) / n - 0.5});
        return at->second;
    };
    for (int k = 0; k < 6 * n * n; ++k) {
        const int axis = k / (2 * n * n), high = k / (n * n) % 2, i = k / n % n, j = k % n;
        const auto corner = [&](int di, int dj) {
            std::array<int, 3> x;
            x[axis] = high * n, x[(axis + 1) % 3] = i + (high ? di : dj), x[(axis + 2) % 3] = j + (high ? dj : di);
            return vertex(x);
        };
        m.triangles.push_back({corner(0, 0), corner(1, 0), corner(1, 1)});
        m.triangles.push_back({corner(0, 0), corner(1, 1), corner(0, 1)});
    }
    return m;
}

// A cube of edge 1 as mesh and as solid.
struct Cubes {
    ShapeCache cache;
    std::vector<Shape> kinds{{Shape::mesh, {}, 0, 0}, {Shape::solid, {}, 0, 0}};
    ShapePairScratch scratch;
    std::vector<ShapePoint> points;

    explicit Cubes(int cells = 1) {
        auto store = std::make_shared<ShapeStore>();
        store->meshes.push_back(cells > 1 ? fine_cube(cells) : shape_of(make_box({1, 1, 1})));
        store->distance_grids.push_back(
            *build_distance_grid(*make_parallel({}), store->meshes[0], {.cell = 0.05}).value);
        store->distance_grids[0].mesh = 0;
        update_shape_cache(store, cache);
    }
    // b at `offset` in the axes of a
    void collide(const Shape& a, const Shape& b, const Placement& fa, const Vec3& offset, Real margin) {
        collide_shapes(cache, a, fa, b, {fa.R, at(fa, offset)}, margin, scratch, points);
    }
    Real deepest() const {
        Real d = std::numeric_limits<Real>::infinity();
        for (const ShapePoint& p : points) d = std::min(d, p.gap);
        return d;
    }
};

std::vector<Placement> common_placements() {
    std::vector<Placement> out{{}};
    out.push_back({exp_rotation({0, kPi / 6, 0}).toRotationMatrix(), Vec3(0.3, -2, 0.7)});
    Rng rng{4};
    for (int i = 0; i < 3; ++i)
        out.push_back({exp_rotation(vec(draw_unit_vector(rng)) * draw_uniform(rng, 0, 3)).toRotationMatrix(),
                       3 * vec(draw_in_ball(rng))});
    return out;
}

SeparatingAxis box_axis(const Vec3& offset) {
    const Convex box = *make_convex({}, {Shape::box, {0.5, 0.5, 0.5}});
    return find_box_axis({&box, &box, {Mat3::Identity(), offset}}, std::numeric_limits<Real>::infinity());
}

TEST(shape_pair_aligned, cubes_at_lattice_offsets_are_as_deep_as_boxes_and_leave_along_an_axis) {
    Cubes w;
    const Real lattice[] = {0, 0.25, 0.5, 0.999, -0.25, -0.5, -0.999};
    for (const Placement& f : common_placements())
        for (const Shape& a : w.kinds)
            for (const Shape& b : w.kinds)
                for (Real x : lattice)
                    for (Real y : lattice)
                        for (Real z : lattice) {
                            const Vec3 o(x, y, z);
                            const Real expected = box_axis(o).separation;
                            w.collide(a, b, f, o, 0.001);
                            ASSERT_FALSE(w.points.empty()) << o.transpose();
                            ASSERT_NEAR(w.deepest(), expected, 1e-9) << o.transpose();
                            for (const ShapePoint& p : w.points) {
                                const Vec3 n = f.R.transpose() * p.normal;
                                int k = 0;
                                n.cwiseAbs().maxCoeff(&k);
                                ASSERT_GT(std::abs(n[k]), 1 - 1e-9) << o.transpose() << " n " << n.transpose();
                                ASSERT_GE(n[k] * o[k], 0) << o.transpose() << " n " << n.transpose();
                            }
                        }
}

// corners of the overlap: sizes in x and z
void expect_four_corners(const Cubes& w, const Placement& f, const Vec3& offset, Real gap, int axis) {
    ASSERT_EQ(w.points.size(), 4u);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const Real u = (1 - std::abs(offset[i])) / 2, v = (1 - std::abs(offset[j])) / 2;
    int corners = 0;
    for (const ShapePoint& p : w.points) {
        // apart, corners that are nearly one see each other at angles up to the 1e-3 of mesh_feature.h
        ASSERT_LE((f.R.transpose() * p.normal - Vec3::Unit(axis)).norm(), gap > 0 ? 2e-3 : 1e-6);
        // coordinates of a few metres; beyond two cells a solid's grid answers, in single precision
        ASSERT_NEAR(p.gap, gap, gap < -0.05 ? 1e-8 : 1e-12 + (gap > 0 ? 1e-6 * gap : 0));
        const Vec3 x = from(f, (p.on_a + p.on_b) / 2) - offset / 2;
        // corners that are nearly one, and lines that cross within the rounding of touching, 3e-9 m
        ASSERT_NEAR(std::abs(x[i]), u, 1e-8 + (std::abs(offset[i]) < 0.01 ? std::abs(offset[i]) : 0));
        ASSERT_NEAR(std::abs(x[j]), v, 1e-8 + (std::abs(offset[j]) < 0.01 ? std::abs(offset[j]) : 0));
        corners |= 1 << ((x[i] > 0) + 2 * (x[j] > 0));
    }
    ASSERT_EQ(corners, 15);
}

TEST(shape_pair_aligned, a_cube_on_a_cube_touches_at_the_four_corners_of_the_overlap_however_deep) {
    Cubes w;
    const Real sides[] = {0, 0.2, -0.3, 0.5, 1e-14, -1e-11, 1e-9, 1e-7, -1e-5, 1e-3};
    int axis = 0;
    for (const Placement& f : common_placements())
        for (const Shape& a : w.kinds)
            for (const Shape& b : w.kinds) {
                axis = (axis + 1) % 3;
                for (Real x : sides)
                    for (Real z : sides)
                        for (Real gap : {1e-4, 1e-7, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3, -0.1}) {
                            Vec3 o;
                            o[axis] = 1 + gap, o[(axis + 1) % 3] = x, o[(axis + 2) % 3] = z;
                            w.collide(a, b, f, o, 0.001);
                            expect_four_corners(w, f, o, gap, axis);
                            ASSERT_FALSE(HasFailure()) << a.kind << " on " << b.kind << " at " << o.transpose()
                                                       << " gap " << gap;
                        }
            }
}

// Vertices in the middle of sides lie in the sides of the other cube and may leave it sideways only.
TEST(shape_pair_aligned, fine_cubes_deeper_than_their_triangles_have_no_contacts_sideways) {
    Cubes w(8);
    for (const Placement& f : common_placements())
        for (const Shape& a : w.kinds)
            for (const Shape& b : w.kinds)
                for (const Vec3& o : {Vec3(0, 0.7, 0), Vec3(0.01, 0.7, 0), Vec3(0.01, 0.7, -0.02), Vec3(0.125, 0.75, 0)}) {
                    w.collide(a, b, f, o, 0.001);
                    ASSERT_GE(w.points.size(), 4u);
                    for (const ShapePoint& p : w.points) {
                        ASSERT_LE((f.R.transpose() * p.normal - Vec3::UnitY()).norm(), 1e-6) << o.transpose();
                        ASSERT_NEAR(p.gap, o.y() - 1, 1e-9) << o.transpose();
                    }
                }
}

// Tilted and moved aside by anything from rounding to a centimetre: what a stack at rest looks like. In some of these
// series sides of both cubes cross each other within the depth, so that at a corner either's vertex is outside the other.
TEST(shape_pair_aligned, nearly_aligned_cubes_are_held_at_all_corners) {
    Cubes w;
    Rng rng{0};
    const Convex box = *make_convex({}, {Shape::box, {0.5, 0.5, 0.5}});
    const auto power = [&](Real low, Real high) { return std::pow(10, draw_uniform(rng, low, high)); };
    const std::vector<Placement> places = common_placements();
    for (int trial = 0; trial < 21000; ++trial) {
        if (trial % 3000 == 0) rng = Rng{unsigned(7 + trial / 3000)};
        const Placement f = places[trial % places.size()];
        const Real depth = power(-10, -1.5), tilt = power(-14, -2);
        const Vec3 aside = power(-14, -2) * vec(draw_unit_vector(rng)).cwiseProduct(Vec3(trial % 3 != 0, 0, trial % 5 != 0));
        Placement b{exp_rotation(vec(draw_unit_vector(rng)) * tilt).toRotationMatrix(), Vec3::UnitY() + aside};
        b.p -= (depth + find_box_axis({&box, &box, b}, 1).separation) * Vec3::UnitY();
        const Real expected = find_box_axis({&box, &box, b}, 1).separation;
        for (const Shape& k : w.kinds) {
            collide_shapes(w.cache, k, f, w.kinds[trial % 2], {f.R * b.R, at(f, b.p)}, 0.001, w.scratch, w.points);
            // vertices see a face of either cube: the depth changes by the tilt squared
            ASSERT_LE(w.deepest(), 0.99 * expected + 1e-8) << trial << " depth " << depth << " tilt " << tilt;
            ASSERT_GE(w.deepest(), 2 * expected - 1e-8) << trial << " depth " << depth << " tilt " << tilt;
            Vec3 low = Vec3::Constant(1), high = -low;
            for (const ShapePoint& p : w.points) low = low.cwiseMin(from(f, p.on_a)), high = high.cwiseMax(from(f, p.on_a));
            if (tilt > 5e-4) continue; // lifted out of the margin
            ASSERT_GE(w.points.size(), 4u);
            ASSERT_GT((high - low).x(), 0.97) << trial << " depth " << depth << " tilt " << tilt;
            ASSERT_GT((high - low).z(), 0.97) << trial << " depth " << depth << " tilt " << tilt;
        }
    }
}

// Prisms between two common planes, turned against each other in them.
TEST(shape_pair_aligned, cubes_turned_in_a_common_plane_are_as_deep_as_boxes) {
    Cubes w;
    Rng rng{12};
    const Convex box = *make_convex({}, {Shape::box, {0.5, 0.5, 0.5}});
    const std::vector<Placement> places = common_placements();
    int same = 0, all = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const Placement f = places[trial % places.size()];
        const Real angle = draw_uniform(rng, 0, 7), depth = std::pow(10, draw_uniform(rng, -8, -1));
        Placement b{exp_rotation({0, 0, draw_uniform(rng, 0, 7)}).toRotationMatrix(), Vec3(std::cos(angle), std::sin(angle), 0)};
        const SeparatingAxis axis = find_box_axis({&box, &box, b}, 2);
        b.p -= (depth + axis.separation) * axis.normal;
        const Real expected = find_box_axis({&box, &box, b}, 1).separation;
        for (const Shape& k : w.kinds) {
            collide_shapes(w.cache, k, f, w.kinds[trial % 2], {f.R * b.R, at(f, b.p)}, 0.001, w.scratch, w.points);
            ASSERT_LE(w.deepest(), expected + 1e-8) << trial << " depth " << depth;
            ASSERT_GE(w.deepest(), 2 * expected - 1e-8) << trial << " depth " << depth; // as in shape_pair_test
            for (const ShapePoint& p : w.points)
                ASSERT_LE(std::abs((f.R.transpose() * p.normal).z()), 1e-6) << trial << " depth " << depth;
            same += w.deepest() > expected - 1e-8;
            ++all;
        }
    }
    EXPECT_GT(same, 0.9 * all);
}

// Two balls of radius 0.5 fit into the cubes: at 0.8 m they overlap by 0.2 m at least.
TEST(shape_pair_aligned, cubes_deep_in_each_other_touch_in_any_pose) {
    Cubes w;
    Rng rng{7};
    for (int trial = 0; trial < 3000; ++trial) {
        const auto turn = [&] { return exp_rotation(vec(draw_unit_vector(rng)) * draw_uniform(rng, 0, 3)).toRotationMatrix(); };
        const Placement fa{turn(), Vec3::Zero()}, fb{turn(), 0.8 * vec(draw_unit_vector(rng))};
        for (const Shape& k : w.kinds) {
            collide_shapes(w.cache, k, fa, k, fb, 0.001, w.scratch, w.points);
            ASSERT_FALSE(w.points.empty()) << trial << " kind " << k.kind;
            ASSERT_LE(w.deepest(), -0.19) << trial << " kind " << k.kind; // a fifth of a cell of the solid's grid
        }
    }
}

} // namespace
} // namespace sinew
