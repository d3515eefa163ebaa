// Attributes of particles (spec P8): any named numbers, by list or expression, one or several per particle;
// they stay with their particle in the state, in what exporters see and in a checkpoint, and points can be
// selected by them.
#include "model/dofs.h"
#include "model/snapshot_of.h"
#include "output/state_file.h"
#include "scene/compile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

static const char* kText = R"({ "objects": {
    "plain":  { "kind": "particles", "positions": [[9, 0, 0]] },
    "marked": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
                "attributes": { "heat": [300, 310, 320], "size": "1 + index^2", "color": [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } },
    "more":   { "kind": "particles", "positions": [[5, 0, 0], [6, 0, 0]], "attributes": { "size": 7 } } } })";

static Result<Compiled> compile_attributes(const std::string& text) {
    const Result<Scene> scene = parse_scene(text, "test");
    if (!scene) return {std::nullopt, scene.errors};
    return compile_scene(*scene.value);
}
static const NamedValues* find_attribute(const State& s, std::string_view name) {
    for (const NamedValues& a : s.attributes)
        if (a.name == name) return &a;
    return nullptr;
}

TEST(attributes, lists_expressions_and_vectors_are_kept_per_particle) {
    const Result<Compiled> r = compile_attributes(kText);
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    const State& s = r.value->state;
    ASSERT_EQ(s.attributes.size(), 3u);
    EXPECT_EQ(find_attribute(s, "heat")->values, (std::vector<double>{0, 300, 310, 320, 0, 0}));
    EXPECT_EQ(find_attribute(s, "size")->values, (std::vector<double>{0, 1, 2, 5, 7, 7}));
    const NamedValues& color = *find_attribute(s, "color");
    EXPECT_EQ(color.components, 3);
    EXPECT_EQ(color.values, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
    // what exporters and pictures see
    const Snapshot snapshot = snapshot_of(r.value->model, s);
    const auto field = [&](int object, std::string_view name) -> const SnapshotField* {
        for (const SnapshotField& f : snapshot.objects[object].fields)
            if (f.name == name) return &f;
        return nullptr;
    };
    ASSERT_TRUE(field(1, "heat") && field(1, "color"));
    EXPECT_EQ(std::vector<double>(field(1, "heat")->values.begin(), field(1, "heat")->values.end()),
              (std::vector<double>{300, 310, 320}));
    EXPECT_EQ(field(1, "color")->components, 3);
    EXPECT_EQ(field(1, "color")->values.size(), 9u);
    // through a checkpoint
    StateFile written, read;
    written.state = s;
    Checkpoint parsed;
    ASSERT_TRUE(parse_checkpoint(make_checkpoint(state_checkpoint(written)), true, parsed).empty());
    ASSERT_TRUE(read_state(parsed, read).empty());
    EXPECT_EQ(read.state.attributes, s.attributes);
}

TEST(attributes, wrong_ones_are_named_with_their_place) {
    const auto error = [](const std::string& attributes) {
        const Result<Compiled> r =
            compile_attributes(R"({ "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0]],
            "attributes": )" +
                         attributes + " } } }");
        return r.errors.empty() ? std::string() : to_string(r.errors[0]);
    };
    EXPECT_NE(error(R"({ "heat": [1, 2, 3] })").find("objects.a.attributes.heat"), std::string::npos);
    EXPECT_NE(error(R"({ "color": [[1, 2], [1]] })").find("objects.a.attributes.color[1]"),
              std::string::npos);
    EXPECT_NE(error(R"({ "color": [[], []] })").find("objects.a.attributes.color[0]"), std::string::npos);
    EXPECT_NE(error(R"({ "size": "1 + indx" })").find("did you mean \"index\""), std::string::npos);
    EXPECT_NE(error("3").find("objects.a.attributes"), std::string::npos);
    // one name, one number of components
    const Result<Compiled> r = compile_attributes(R"({ "objects": {
        "a": { "kind": "particles", "positions": [[0, 0, 0]], "attributes": { "tint": 1 } },
        "b": { "kind": "particles", "positions": [[0, 0, 0]], "attributes": { "tint": [[1, 2, 3]] } } } })");
    ASSERT_FALSE(r);
    EXPECT_EQ(r.errors[0].path, "objects.b.attributes.tint");
}

// points of the object that are held
static std::vector<int> held(const Compiled& c, std::string_view object) {
    std::vector<int> found;
    const Range points = c.model.objects[find(c.model, object).index].points;
    for (int i = points.begin; i < points.end; ++i)
        if (c.model.point.flags[i] & kFixed) found.push_back(i - points.begin);
    return found;
}

TEST(attributes, particles_are_held_and_attached_by_them) {
    const Result<Compiled> r = compile_attributes(R"({ "objects": {
        "plain":  { "kind": "particles", "positions": [[9, 0, 0]] },
        "marked": { "kind": "particles", "positions": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "attributes": { "weight": [0.7, 0.2, 0.5] },
                    "fixed": { "attribute": "weight", "min": 0.5 } },
        "tied":   { "kind": "particles", "positions": [[0, 1, 0], [1, 1, 0], [2, 1, 0]], "attributes": { "weight": "index" } } },
        "attach": [ { "points": { "of": "tied", "attribute": "weight", "equals": 1 }, "to": "world" } ] })");
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    ASSERT_TRUE(r);
    EXPECT_EQ(held(*r.value, "marked"), (std::vector<int>{0, 2}));
    EXPECT_EQ(held(*r.value, "tied"), (std::vector<int>{1}));
    // another object's attribute is none of this one
    const Result<Compiled> other = compile_attributes(R"({ "objects": {
        "a": { "kind": "particles", "positions": [[0, 0, 0]], "attributes": { "weight": 1 } },
        "b": { "kind": "particles", "positions": [[1, 0, 0]], "attributes": { "tint": 1 }, "fixed": { "attribute": "weight" } } } })");
    ASSERT_EQ(other.errors.size(), 1u);
    EXPECT_EQ(other.errors[0].path, "objects.b.fixed");
    EXPECT_NE(to_string(other.errors[0]).find("there is no attribute \"weight\""), std::string::npos);
    EXPECT_EQ(other.errors[0].allowed, "tint");
}

// a cube of which the vertices have a number 1 + 2 x
TEST(attributes, vertices_of_a_mesh_are_held_and_attached_by_those_of_its_file) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "sinew_selected_cube.ply";
    std::ofstream out(file);
    out << "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nproperty float weight\n"
           "element face 6\nproperty list uchar int vertex_indices\nend_header\n";
    for (int k = 0; k < 8; ++k) out << (k & 1) << ' ' << (k >> 1 & 1) << ' ' << (k >> 2 & 1) << ' ' << 1 + 2 * (k & 1) << '\n';
    out << "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n";
    out.close();
    const auto scene = [&](const std::string& object, const std::string& attach) {
        return compile_attributes(R"({ "objects": { "a": { "mesh": ")" + file.string() + R"(", )" + object + R"( } }, "attach": [)" + attach + "] }");
    };
    const char* attach = R"({ "points": { "of": "a", "attribute": "weight", "min": 2 }, "to": "world" })";
    for (const auto& r : {scene(R"("kind": "cloth", "fixed": { "attribute": "weight", "min": 2 })", ""), scene(R"("kind": "cloth")", attach)}) {
        for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
        ASSERT_TRUE(r);
        EXPECT_EQ(held(*r.value, "a"), (std::vector<int>{1, 3, 5, 7}));
    }
    // of a solid that fills the surface: its points on the side x = 1 have the number of that side
    for (const auto& r : {scene(R"("kind": "solid", "cell": 0.25, "fixed": { "attribute": "weight", "min": 2.999 })", ""),
                          scene(R"("kind": "solid", "cell": 0.25)", R"({ "points": { "of": "a", "attribute": "weight", "min": 2.999 }, "to": "world" })")}) {
        for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
        ASSERT_TRUE(r);
        const std::vector<int> found = held(*r.value, "a");
        EXPECT_GT(found.size(), 4u);
        for (int i : found) EXPECT_GT(r.value->state.point.x[i].x, 0.7); // 0.25 of a cell: nearer to that side than to any other place of it
    }
    std::filesystem::remove(file);
}

TEST(attributes, the_pool_of_an_emitter_has_them_too) {
    const Result<Compiled> r = compile_attributes(R"({ "objects": { "jet": { "kind": "emitter", "rate": 10, "lifetime": 1, "capacity": 4,
        "attributes": { "tint": "index/2" } } }, "time": { "fps": 10, "seconds": 1 } })");
    ASSERT_TRUE(r) << to_string(r.errors.front());
    const NamedValues* tint = find_attribute(r.value->state, "tint");
    ASSERT_TRUE(tint);
    ASSERT_EQ(tint->values.size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(tint->values[i], 0.5 * i);
}
