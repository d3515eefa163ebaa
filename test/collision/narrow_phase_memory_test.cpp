// Manifolds, mesh contacts, casts and continuous detection take no memory once their scratch has grown.
#include "allocation_counter.h"
#include "collision/ccd.h"
#include "collision/convex_query.h"
#include "collision/manifold.h"
#include "collision/mesh_convex.h"
#include "collision/swept_sphere.h"
#include "core/random.h"
#include "geometry/generate.h"
#include "geometry/hull.h"
#include "geometry/triangulate.h"
#include <gtest/gtest.h>

namespace sinew {
namespace {

std::vector<Convex> make_kinds(const HullShape& hull) {
    std::vector<Convex> kinds(7);
    kinds[0].radius = 0.3;
    for (int k = 1; k < 7; ++k) kinds[k].size = {0.3, 0.4, 0.2};
    kinds[1].core = Convex::segment, kinds[1].radius = 0.1;
    kinds[2].core = Convex::box;
    kinds[3].core = Convex::cylinder;
    kinds[4].core = Convex::cone;
    kinds[5].core = Convex::hull, kinds[5].hull_data = &hull;
    kinds[6].core = Convex::half_space;
    return kinds;
}
Placement random_place(Rng& rng) {
    return {quat(draw_rotation(rng)).toRotationMatrix(), 0.5 * Vec3(vec(draw_in_ball(rng)))};
}

TEST(narrow_phase_memory, manifolds_and_casts_of_convex_shapes_take_none) {
    std::vector<Real3> cloud;
    Rng rng{4};
    for (int k = 0; k < 60; ++k) cloud.push_back(real3(0.4 * Vec3(vec(draw_in_ball(rng)))));
    const HullShape hull = *make_hull(cloud).value;
    const std::vector<Convex> kinds = make_kinds(hull);
    int touching = 0, cast = 0;
    const long before = allocation_count();
    for (int trial = 0; trial < 300; ++trial)
        for (const Convex& a : kinds)
            for (const Convex& b : kinds) {
                Manifold m;
                CastHit hit;
                const Placement fa = random_place(rng), fb = random_place(rng);
                touching += collide_convex(a, fa, b, fb, 0.01, m);
                cast += is_bounded(a) && is_bounded(b) &&
                        cast_convex(a, straight({fa.R, fa.p + Vec3(0, 2, 0)}, {0, -4, 0}), b, resting(fb), 0,
                                    hit);
            }
    EXPECT_EQ(allocation_count() - before, 0);
    EXPECT_GT(touching, 1000);
    EXPECT_GT(cast, 1000);
}

TEST(narrow_phase_memory, contacts_of_meshes_and_height_fields_take_none_once_grown) {
    const PolygonMesh ball = make_icosphere(0.5, 3);
    const TriangleShape mesh{ball.positions, triangulate(ball).triangles};
    const MeshSurface surface = build_mesh_surface(mesh);
    HeightFieldShape field{40, 40, 0.1, 0.1, std::vector<double>(1600, 0.0)};
    for (int k = 0; k < 1600; ++k) field.height[k] = 0.05 * ((k * 7) % 5);
    const HullShape hull = make_box_hull({0.2, 0.3, 0.2});
    const std::vector<Convex> kinds = make_kinds(hull);
    MeshContactScratch scratch;
    std::vector<Manifold> out;
    std::size_t contacts = 0;
    long taken = 0;
    for (int round = 0; round < 3; ++round) { // the same scenes again
        Rng rng{5};
        const long before = allocation_count();
        for (int trial = 0; trial < 20; ++trial)
            for (const Convex& c : kinds) {
                const Placement f = random_place(rng);
                collide_mesh_convex(surface, {}, 0.01, c, f, 0.01, scratch, out), contacts += out.size();
                collide_height_field_convex(field, {Mat3::Identity(), {-2, 0, -2}}, 0.01, c, f, 0.01, scratch,
                                            out),
                    contacts += out.size();
            }
        taken = allocation_count() - before;
    }
    EXPECT_EQ(taken, 0);
    EXPECT_GT(contacts, 500u);
}

TEST(narrow_phase_memory, continuous_detection_takes_none) {
    Rng rng{6};
    int hits = 0;
    const long before = allocation_count();
    for (int trial = 0; trial < 20000; ++trial) {
        CcdPoints x0, x1;
        for (int k = 0; k < 4; ++k) x0[k] = vec(draw_in_ball(rng)), x1[k] = vec(draw_in_ball(rng));
        const Real t = trial % 2 ? find_impact_vertex_triangle(x0, x1)
                                 : find_impact_edge_edge(x0, x1, {.separation = 0.01});
        hits += t < kNoImpact;
        hits += find_impact_sphere_triangle(x0, x1, 0.05).time < kNoImpact;
    }
    EXPECT_EQ(allocation_count() - before, 0);
    EXPECT_GT(hits, 1000);
}

} // namespace
} // namespace sinew
