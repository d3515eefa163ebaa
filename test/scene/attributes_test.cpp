// Attributes of particles (spec P8): any named numbers, by list or expression, one or several per particle;
// they stay with their particle in the state, in what exporters see and in a checkpoint, and points can be
// selected by them.
#include "model/dofs.h"
#include "model/snapshot_of.h"
#include "output/state_file.h"
#include "scene/compile.h"
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

TEST(attributes, the_pool_of_an_emitter_has_them_too) {
    const Result<Compiled> r = compile_attributes(R"({ "objects": { "jet": { "kind": "emitter", "rate": 10, "lifetime": 1, "capacity": 4,
        "attributes": { "tint": "index/2" } } }, "time": { "fps": 10, "seconds": 1 } })");
    ASSERT_TRUE(r) << to_string(r.errors.front());
    const NamedValues* tint = find_attribute(r.value->state, "tint");
    ASSERT_TRUE(tint);
    ASSERT_EQ(tint->values.size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(tint->values[i], 0.5 * i);
}
