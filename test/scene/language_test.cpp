// The schema for editors, and what is explained.
#include "paths.h"
#include "scene/document.h"
#include "scene/event.h"
#include "scene/expect.h"
#include "scene/joint.h"
#include "scene/language.h"
#include "schema_check.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

static const Value* descend(const Value* v, std::initializer_list<const char*> keys) {
    for (const char* key : keys) v = v ? find(*v, key) : nullptr;
    return v;
}

// every kind of joint that the compiler knows, with the two bodies and its own parameters
TEST(language, schema_has_every_kind_of_joint_with_its_parameters) {
    const Value schema = language_schema();
    const Value* kinds = descend(&schema, {"properties", "joints", "additionalProperties", "anyOf"});
    ASSERT_TRUE(kinds);
    EXPECT_EQ(kinds->items.size(), joint_kinds().size());
    for (const JointKind& kind : joint_kinds()) {
        const auto found = std::find_if(kinds->items.begin(), kinds->items.end(), [&](const Value& k) {
            const Value* name = descend(&k, {"properties", "kind", "const"});
            return name && name->text == kind.name;
        });
        ASSERT_NE(found, kinds->items.end()) << kind.name;
        EXPECT_TRUE(descend(&*found, {"properties", "between"})) << kind.name;
        EXPECT_TRUE(descend(&*found, {"properties", "at"})) << kind.name;
        const bool limited = descend(&*found, {"properties", "limits"}) != nullptr;
        if (kind.name == "hinge" || kind.name == "distance") {
            EXPECT_TRUE(limited) << kind.name;
        }
        if (kind.name == "weld" || kind.name == "ball") {
            EXPECT_FALSE(limited) << kind.name;
        }
    }
}

static std::string violation_of(const Value& schema, std::string_view text) {
    const Result<Value> v = parse_value(text, "text");
    return v ? find_violation(schema, *v.value, "") : "not JSON";
}

TEST(language, schema_takes_every_scene_of_the_tree) {
    namespace fs = std::filesystem;
    const Value schema = language_schema();
    int count = 0;
    for (const char* folder : {"/scenes", "/example", "/test/scene/sample"})
        for (const auto& f : fs::recursive_directory_iterator(source_dir() + folder)) {
            if (f.path().extension() != ".json" || f.path().stem().extension() == ".study") continue;
            std::ifstream in(f.path());
            const std::string text((std::istreambuf_iterator<char>(in)), {});
            EXPECT_EQ(violation_of(schema, text), "") << f.path();
            ++count;
        }
    EXPECT_GT(count, 100);
}

// the same words that the loader refuses
TEST(language, schema_finds_misspelt_names_in_every_section) {
    const Value schema = language_schema();
    for (const char* text :
         {R"({"objcts": {}})", R"({"time": {"fsp": 1}})", R"({"solvers": {"newton": {"toleranc": 1}}})", R"({"solvers": {"newtn": {}}})",
          R"({"materials": {"m": {"densty": 1}}})", R"({"fields": {"w": {"kind": "wind", "velocty": [1, 0, 0]}}})",
          R"({"fields": {"w": {"kind": "wind", "objects": ["a"]}}})", R"({"fields": {"u": {"kind": "velocity", "objects": ["a"]}}})",
          R"({"fields": {"p": {"kind": "attractor_point", "field": "w"}}})",
          R"({"camera": {"eye": [0, 0, 1], "lookat": "a"}})", R"({"light": {"exposre": 1}})", R"({"background": {"exposre": 1}})",
          R"({"events": [{"at": 1, "sett": {}}]})", R"({"outputs": ["objj"]})", R"({"outputs": [{"kind": "obj", "evry": 2}]})",
          R"({"contact": [{"between": ["a", "b"], "frction": 1}]})", R"({"attach": [{"points": {"of": "a"}, "too": "world"}]})",
          R"({"expect": [{"every": "stp", "a.y": 1}]})", R"({"objects": {"a": {"kind": "sphere", "radus": 1}}})", R"({"up": "w"})"})
        EXPECT_NE(violation_of(schema, text), "") << text;
    for (const char* text :
         {R"({"gravity": 1.62, "seed": 3, "background": {}, "$schema": "x.json"})", R"({"gravity": [0, 0, -9.81]})",
          R"({"solvers": {"newton": {"tolerance": "1e-6"}}})", R"({"outputs": ["obj", {"kind": "pc2", "objects": ["a"]}, "report"]})",
          R"({"expect": [{"every": "step", "a.y": {"max": 1}, "energy.total": 3}]})", R"({"joints": []})",
          R"({"fields": {"d": {"kind": "drag", "objects": ["a"], "field": "w"}, "p": {"kind": "attractor_point", "objects": ["*"]}}})",
          R"({"joints": {"a": {"kind": "ball", "between": ["x", "y"], "vars": {"n": 1}, "replicate": {"count": 3}, "override": {"1": {"breaks_at": 2}}}}})",
          R"({"attach": [{"points": {"of": "a"}, "to": "b/{i}", "replicate": {"count": 3}}], "contact": [{"between": ["a", "b"], "replicate": {"count": 3}}]})"})
        EXPECT_EQ(violation_of(schema, text), "") << text;
}

TEST(language, every_section_is_in_the_schema_and_explained) {
    const Value schema = language_schema();
    for (const std::string& name : kSections) {
        EXPECT_TRUE(descend(&schema, {"properties", name.c_str()})) << name;
        EXPECT_NE(explain(name).text, "") << name;
    }
}

// what the loader takes is what is explained
TEST(language, force_fields_explain_which_objects_they_act_on) {
    for (const char* name : {"attractor_line", "attractor_plane", "attractor_point", "drag"})
        EXPECT_NE(explain(name).text.find("  objects "), std::string::npos) << name;
    EXPECT_EQ(explain("wind").text.find("  objects "), std::string::npos);
}

// their names are written down twice: here what is explained is held against what is read
TEST(language, words_of_events_and_expectations_are_those_that_are_read) {
    const Value schema = language_schema();
    const Value* events = descend(&schema, {"properties", "events", "items", "properties"});
    ASSERT_TRUE(events);
    Event event;
    std::vector<Error> errors;
    const Result<Value> unknown = parse_value(R"({"nothing": 1})", "text");
    parse_event(*unknown.value, {}, "events[0]", event, errors);
    ASSERT_FALSE(errors.empty());
    std::string words;
    for (const Member& m : events->members) words += (words.empty() ? "" : ", ") + m.key;
    EXPECT_EQ(errors[0].allowed, words);
    const Value* expect = descend(&schema, {"properties", "expect", "items", "properties"});
    ASSERT_TRUE(expect);
    for (const Member& m : expect->members) {
        // a word that is not one of time would be a measurement, and alone enough
        errors.clear();
        std::vector<Expectation> list;
        const Value v = make_object({{m.key, make_text(m.key == "every" ? "step" : "1"), {}}});
        EXPECT_FALSE(parse_expect(v, {}, SceneTime{}, "expect[0]", list, errors)) << m.key;
    }
}
