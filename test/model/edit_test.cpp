// Edits between steps: what stays keeps its index and its id, arrays stay consistent, old ids are refused.
#include "energy/attach_frame.h"
#include "energy/spring.h"
#include "energy/spring_models.h"
#include "model/edit.h"
#include "model/visit.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

constexpr Real33 kBodyInertia{1, 0, 0, 0, 2, 0, 0, 0, 3};

// two points joined by a spring, a body, and the second point attached to the body
ModelBuilder make_pair_and_body(Real x, Real stiffness) {
    ModelBuilder b;
    begin_object(b, "pair", "particles");
    const std::vector<Real3> places{{x, 0, 0}, {x + 2, 0, 0}};
    add_points(b, places, std::vector<Real>{1, 2});
    add_spring(b, 0, 1, stiffness);
    add_surface_points(b, {0, 2}, 0.01);
    begin_object(b, "body", "box");
    add_frame(b, {{x, 1, 0}, {}}, 5, kBodyInertia);
    add_surface_vertex_in_frame(b, 0, {0.5, 0, 0}, 0);
    const AttachFrame::Params pin;
    add_energy(b, *find_energy("attach_frame"), &pin, std::array<int, 2>{1, 0});
    b.model.obstacles.push_back({.shape = Obstacle::sphere, .size = {1, 0, 0}, .frame = 0, .object = 1});
    b.model.contact_rules.push_back({0, 1, true});
    b.state.attributes.push_back({"heat", 1, {x, x + 1}});
    finish_model(b);
    return b;
}

const Table* find_table(const Model& m, std::string_view name) {
    for (const Table& t : m.elements->energies)
        if (t.row->name == name) return &t;
    return nullptr;
}

void expect_consistent(const Model& m, const State& s) {
    const std::size_t points = point_count(m), frames = frame_count(m);
    for (const std::size_t n : {m.point.rest.size(), m.point.object.size(), m.point.flags.size(),
                                s.point.x.size(), s.point.v.size()})
        EXPECT_EQ(n, points);
    for (const std::size_t n : {m.frame.inertia.size(), m.frame.object.size(), m.frame.flags.size(),
                                s.frame.p.size(), s.frame.q.size(), s.frame.v.size(), s.frame.w.size()})
        EXPECT_EQ(n, frames);
    for (const std::size_t n : {s.point.alive.size(), s.point.age.size(), s.point.id.size()})
        EXPECT_TRUE(n == 0 || n == points);
    for (const NamedValues& a : s.attributes) EXPECT_EQ(a.values.size(), points * a.components);
    EXPECT_EQ(m.surface.thickness.size(), m.surface.vertices.size());
    EXPECT_EQ(m.surface.object.size(), m.surface.vertices.size());
    for (int k = 0; k < int(m.objects.size()); ++k) {
        for (int i = m.objects[k].points.begin; i < m.objects[k].points.end; ++i)
            EXPECT_EQ(m.point.object[i], k);
        for (int i = m.objects[k].frames.begin; i < m.objects[k].frames.end; ++i)
            EXPECT_EQ(m.frame.object[i], k);
        for (int i = m.objects[k].surface.begin; i < m.objects[k].surface.end; ++i)
            EXPECT_EQ(m.surface.object[i], k);
    }
    for (const Table& t : m.elements->energies) {
        EXPECT_EQ(t.data.size(), t.count() * t.row->data_size);
        ASSERT_EQ(t.stencil.size(), std::size_t(t.count()) * t.row->stencil);
        for (int e = 0; e < t.count(); ++e) {
            EXPECT_TRUE(m.objects[t.object[e]].alive);
            for (int k = 0; k < t.row->stencil; ++k) {
                const int id = t.stencil[e * t.row->stencil + k];
                EXPECT_GE(id, 0);
                EXPECT_LT(id, k < t.row->points ? int(points) : int(frames));
            }
        }
    }
}

} // namespace

TEST(edit, appending_shifts_what_is_new_and_leaves_what_is_there) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    const Id pair = find(a.model, "pair");
    const int revision = a.model.topology_revision;
    EXPECT_EQ(append_model(a.model, a.state, b.model, b.state), 2);
    expect_consistent(a.model, a.state);
    EXPECT_GT(a.model.topology_revision, revision);
    EXPECT_EQ(find(a.model, "pair").index, pair.index);
    EXPECT_EQ(a.model.objects[2].points.begin, 2);
    EXPECT_EQ(a.model.objects[3].frames.begin, 1);
    EXPECT_EQ(a.state.point.x[2].x, 10);
    EXPECT_EQ(find_table(a.model, "spring")->stencil, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(find_table(a.model, "attach_frame")->stencil, (std::vector<int>{1, 0, 3, 1}));
    EXPECT_EQ(find_table(a.model, "spring")->object, (std::vector<int>{0, 2}));
    Spring::Data data[2];
    std::memcpy(data, find_table(a.model, "spring")->data.data(), sizeof data);
    EXPECT_EQ(data[0].stiffness, 100);
    EXPECT_EQ(data[1].stiffness, 300);
    EXPECT_EQ(a.model.obstacles[1].frame, 1);
    EXPECT_EQ(a.model.obstacles[1].object, 3);
    EXPECT_EQ(a.model.surface.vertices[5].index, 1);
    ASSERT_EQ(a.model.contact_rules.size(), 2u);
    EXPECT_EQ(a.model.contact_rules[1].a, 2);
    EXPECT_EQ(a.model.contact_rules[1].b, 3);
    EXPECT_EQ(a.state.attributes[0].values, (std::vector<double>{0, 1, 10, 11}));
}

TEST(edit, appending_to_a_model_leaves_its_copy_alone_and_grows_one_without_copies_in_place) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    const Model copy = a.model;
    append_model(a.model, a.state, b.model, b.state);
    EXPECT_EQ(find_table(copy, "spring")->count(), 1);
    EXPECT_EQ(find_table(a.model, "spring")->count(), 2);
    const Tables* tables = a.model.elements.get(); // now its own: the next one is not a copy of thousands
    append_model(a.model, a.state, b.model, b.state);
    EXPECT_EQ(a.model.elements.get(), tables);
    EXPECT_EQ(find_table(a.model, "spring")->count(), 3);
    expect_consistent(a.model, a.state);
}

TEST(edit, attributes_are_joined_by_name_and_are_zero_where_they_were_unknown) {
    ModelBuilder a = make_pair_and_body(0, 100), b = make_pair_and_body(10, 300);
    b.state.attributes = {{"color", 3, {1, 2, 3, 4, 5, 6}}};
    append_model(a.model, a.state, b.model, b.state);
    expect_consistent(a.model, a.state);
    ASSERT_EQ(a.state.attributes.size(), 2u);
    EXPECT_EQ(a.state.attributes[0].values, (std::vector<double>{0, 1, 0, 0}));
    EXPECT_EQ(a.state.attributes[1].values, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(edit, removing_refuses_old_ids_and_keeps_the_indices_of_others) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    append_model(a.model, a.state, b.model, b.state);
    const Id first{0, a.model.objects[0].generation}, second{2, a.model.objects[2].generation};
    EXPECT_TRUE(remove_object(a.model, a.state, first));
    expect_consistent(a.model, a.state);
    EXPECT_FALSE(remove_object(a.model, a.state, first));
    EXPECT_FALSE(remove_object(a.model, a.state, {-1, 0}));
    EXPECT_FALSE(remove_object(a.model, a.state, {4, 0}));
    EXPECT_EQ(point_count(a.model), 4); // indices of others stay
    EXPECT_EQ(a.state.point.alive, (std::vector<std::uint8_t>{0, 0, 1, 1}));
    EXPECT_EQ(find_table(a.model, "spring")->stencil, (std::vector<int>{2, 3}));
    EXPECT_EQ(find_table(a.model, "attach_frame")->stencil, (std::vector<int>{3, 1}));
    EXPECT_TRUE(a.model.objects[second.index].alive);
    EXPECT_EQ(find(a.model, "pair").index, second.index); // the name now means the one that lives
}

TEST(edit, removing_a_body_takes_the_attachments_to_it_along) {
    ModelBuilder a = make_pair_and_body(0, 100);
    EXPECT_TRUE(remove_object(a.model, a.state, find(a.model, "body")));
    expect_consistent(a.model, a.state);
    EXPECT_EQ(find_table(a.model, "attach_frame")->count(), 0);
    EXPECT_EQ(find_table(a.model, "spring")->count(), 1);
    EXPECT_TRUE(a.model.obstacles.empty());
    EXPECT_TRUE(a.model.frame.flags[0] & kFixed);
}

TEST(edit, removing_and_appending_again_gives_a_new_id) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    const Id old = find(a.model, "pair");
    remove_object(a.model, a.state, old);
    append_model(a.model, a.state, b.model, b.state);
    expect_consistent(a.model, a.state);
    const Id fresh = find(a.model, "pair");
    EXPECT_FALSE(fresh.index == old.index && fresh.generation == old.generation);
    EXPECT_EQ(a.state.point.alive, (std::vector<std::uint8_t>{0, 0, 1, 1}));
    EXPECT_TRUE(remove_object(a.model, a.state, fresh));
}

TEST(edit, slots_of_what_was_spawned_are_used_again_after_a_step_by_what_has_the_same_size) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    const std::vector<int> first = append_objects(a.model, a.state, b.model, b.state);
    EXPECT_EQ(first, (std::vector<int>{2, 3}));
    for (int o : first) EXPECT_TRUE(remove_object(a.model, a.state, {o, 0}));
    // solvers may still remember who had it
    EXPECT_EQ(append_objects(a.model, a.state, b.model, b.state), (std::vector<int>{4, 5}));
    a.state.step = 1;
    const std::vector<int> again = append_objects(a.model, a.state, b.model, b.state);
    EXPECT_EQ(again, first);
    expect_consistent(a.model, a.state);
    EXPECT_EQ(a.model.objects[2].generation, 1);
    EXPECT_FALSE(remove_object(a.model, a.state, {2, 0})); // the old id
    EXPECT_EQ(point_count(a.model), 6);
    EXPECT_EQ(a.state.point.alive, (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(a.model.point.flags[2], kFree);
    EXPECT_EQ(a.model.frame.flags[1], kFree);
    EXPECT_EQ(a.state.point.x[2].x, 10);
    EXPECT_EQ(a.model.contact_rules.size(), 3u); // of the scene's pair and of the two that live
    // those of the scene are known by their index and stay empty; others that are larger or smaller go to the end
    remove_object(a.model, a.state, find(a.model, "pair"));
    a.state.step = 2;
    EXPECT_EQ(append_objects(a.model, a.state, b.model, b.state), (std::vector<int>{6, 7}));
    remove_object(a.model, a.state, {6, 0});
    a.state.step = 3;
    ModelBuilder single;
    begin_object(single, "single", "particles");
    add_points(single, std::vector<Real3>{{1, 1, 1}}, std::vector<Real>{1});
    finish_model(single);
    EXPECT_EQ(append_objects(a.model, a.state, single.model, single.state), (std::vector<int>{8}));
    expect_consistent(a.model, a.state);
}

TEST(edit, schemes_of_several_steps_begin_anew_where_a_slot_has_another_owner) {
    ModelBuilder a = make_pair_and_body(0, 100);
    const ModelBuilder b = make_pair_and_body(10, 300);
    append_objects(a.model, a.state, b.model, b.state);
    remove_object(a.model, a.state, {2, 0});
    a.state.step = 1;
    a.state.memory.push_back({"newton.history", 1, {0.1, 0.2}});
    a.state.memory.push_back({"velocity.contacts", 1, {1, 2, 3}});
    append_objects(a.model, a.state, b.model, b.state);
    EXPECT_TRUE(find_memory(a.state, "newton.history")->empty());
    EXPECT_EQ(find_memory(a.state, "velocity.contacts")->size(), 3u);
}
