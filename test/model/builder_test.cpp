// Building a model object by object: ranges, owners, flags and arrays that belong together.
#include "energy/attach_frame.h"
#include "energy/spring.h"
#include "energy/spring_models.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr Real33 kUnequalInertia{1, 0, 0, 0, 2, 0, 0, 0, 3};
const std::vector<Real3> kPlaces{{0, 0, 0}, {3, 4, 0}};
const std::vector<Real> kMasses{1, 2};

} // namespace

TEST(builder, every_object_owns_what_was_added_after_it_began) {
    ModelBuilder b;
    EXPECT_EQ(begin_object(b, "a", "particles", "steel"), 0);
    EXPECT_EQ(add_points(b, kPlaces, kMasses, kFree, {0, 1, 0}), 0);
    EXPECT_EQ(begin_object(b, "b", "box"), 1);
    EXPECT_EQ(add_frame(b, {{1, 2, 3}, {}}, 5, kUnequalInertia, kFixed), 0);
    EXPECT_EQ(add_scalar(b, 0.5, 7), 0);
    EXPECT_EQ(begin_object(b, "c", "particles"), 2);
    EXPECT_EQ(add_points(b, kPlaces, kMasses, kFixed), 2);
    EXPECT_EQ(add_points(b, kPlaces, kMasses), 4);
    EXPECT_EQ(add_surface_points(b, {2, 6}, 0.01), 0);
    finish_model(b);
    const Model& m = b.model;
    EXPECT_EQ(point_count(m), 6);
    EXPECT_EQ(m.objects[0].points.count(), 2);
    EXPECT_EQ(m.objects[0].material, "steel");
    EXPECT_EQ(m.objects[1].points.count(), 0);
    EXPECT_EQ(m.objects[1].frames.count(), 1);
    EXPECT_EQ(m.objects[1].scalars.count(), 1);
    EXPECT_EQ(m.objects[2].points.begin, 2);
    EXPECT_EQ(m.objects[2].points.end, 6);
    EXPECT_EQ(m.objects[2].surface.count(), 4);
    EXPECT_EQ(m.point.object, (std::vector<int>{0, 0, 2, 2, 2, 2}));
    EXPECT_EQ(m.point.flags, (std::vector<std::uint8_t>{0, 0, kFixed, kFixed, 0, 0}));
    EXPECT_EQ(m.surface.object, (std::vector<int>{2, 2, 2, 2}));
    EXPECT_EQ(m.surface.vertices[3].index, 5);
    EXPECT_EQ(b.state.point.v[1].y, 1);
    EXPECT_EQ(b.state.frame.p[0].z, 3);
    EXPECT_EQ(b.state.scalar.s[0], 0.5);
    EXPECT_EQ(find(m, "c").index, 2);
    EXPECT_LT(find(m, "d").index, 0);
    ASSERT_TRUE(m.elements && m.fields && m.layout);
}

TEST(builder, elements_are_prepared_from_the_rest_state_and_owned_by_their_first_unknown) {
    ModelBuilder b;
    begin_object(b, "a", "particles");
    add_points(b, kPlaces, kMasses);
    begin_object(b, "b", "box");
    add_frame(b, {}, 5, kUnequalInertia);
    add_spring(b, 0, 1, 100); // while b is being built
    const AttachFrame::Params pin;
    add_energy(b, *find_energy("attach_frame"), &pin, std::array<int, 2>{1, 0});
    finish_model(b);
    ASSERT_EQ(b.model.elements->energies.size(), 2u);
    const Table& springs = b.model.elements->energies[0];
    Spring::Data data;
    std::memcpy(&data, springs.data.data(), sizeof data);
    EXPECT_DOUBLE_EQ(data.rest_length, 5); // |(3, 4, 0)|
    EXPECT_EQ(springs.object, std::vector<int>{0});
    EXPECT_EQ(b.model.elements->energies[1].object, std::vector<int>{0});
    EXPECT_EQ(b.model.elements->energies[1].stencil, (std::vector<int>{1, 0}));
}

TEST(builder, a_pool_added_after_other_points_leaves_those_alive) {
    ModelBuilder b;
    begin_object(b, "a", "particles");
    add_points(b, kPlaces, kMasses);
    EXPECT_TRUE(b.state.point.alive.empty()); // no pool, no array
    begin_object(b, "pool", "emitter");
    add_points(b, kPlaces, kMasses, kPooled | kPassive);
    begin_object(b, "late", "particles");
    add_points(b, kPlaces, kMasses);
    EXPECT_EQ(b.state.point.alive, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1}));
    EXPECT_EQ(b.state.point.age.size(), 6u);
    EXPECT_EQ(b.state.point.id.size(), 6u);
    EXPECT_EQ(b.model.point.field.size(), 6u); // some point is passive
}
