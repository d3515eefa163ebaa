#include "core/fields.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {
struct Rope {
    struct Params {
        double stiffness = 1e3, breaks_at = INFINITY, share = 0.5;
        int segments = 10;
        bool self_contact = false;
        std::string model = "linear", label;
        Real3 at{1, 2, 3};
        std::array<double, 2> size{1, 2};
        std::array<int, 2> cells{3, 4};
        std::vector<double> weights{1, 0.5};
        std::vector<int> pins{0};
        std::vector<std::string> groups{"top"};
        std::vector<Real3> path{{0, 0, 0}, {0, 1, 0}};
        Signal pull = make_signal(2);
        Signal3 wind;
        Value extra;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "axial stiffness"});
        v("breaks_at", p.breaks_at,
          Field{.min = 0, .min_exclusive = true, .unit = "N", .doc = "force | limit"});
        v("share", p.share, Field{.min = 0, .max = 1, .max_exclusive = true});
        v("segments", p.segments, Field{.min = 1, .max = 1000, .doc = "count"});
        v("self_contact", p.self_contact, Field{});
        v("model", p.model, Field{.allowed = {"linear", "cubic"}, .doc = "force law"});
        v("label", p.label, Field{});
        v("at", p.at, Field{.unit = "m"});
        v("size", p.size, Field{.min = 0, .unit = "m"});
        v("cells", p.cells, Field{.min = 1});
        v("weights", p.weights, Field{.min = 0, .least_count = 1, .most_count = 4});
        v("pins", p.pins, Field{.min = 0});
        v("groups", p.groups, Field{.allowed = {"top", "bottom"}});
        v("path", p.path, Field{.unit = "m"});
        v("pull", p.pull, Field{.min = 0, .unit = "N"});
        v("wind", p.wind, Field{.unit = "m/s"});
        v("extra", p.extra, Field{});
    }
};

Scope test_scope() { return make_scope({{"run", 0.28}, {"n", 7}}, kTimeSlots); }

bool read(std::string_view text, Rope::Params& p, std::vector<Error>& errors) {
    const auto v = parse_value(text, "f.json");
    for (const Error& e : v.errors) ADD_FAILURE() << to_string(e);
    FieldList list = list_fields<Rope>(p);
    return read_fields(list, v.value.value_or(make_object()), test_scope(), "objects.rope", errors);
}
} // namespace

TEST(fields, every_type_is_read_from_numbers_units_and_expressions) {
    Rope::Params p;
    std::vector<Error> errors;
    EXPECT_TRUE(read(
        R"J({ "stiffness": "2 kN/m", "breaks_at": 400, "segments": "n*2", "self_contact": "n > 3",
        "model": "cubic",
        "label": "x", "at": ["run", "3 mm", 1], "size": ["1 cm", 2], "cells": [2, "n"], "weights": [1,
        "50 %"], "pins": [3],
        "groups": ["bottom", "top"], "path": [[0, 0, "1 in"]], "pull": "1 + t",
        "wind": ["4 + 2*sin(2*pi*t/1.5)", "1 km/h", 0],
        "extra": {
        "any" : [1] }
})J",
        p, errors));
    for (const Error& e : errors) ADD_FAILURE() << to_string(e);
    EXPECT_EQ(p.stiffness, 2000);
    EXPECT_EQ(p.breaks_at, 400);
    EXPECT_EQ(p.segments, 14);
    EXPECT_TRUE(p.self_contact);
    EXPECT_EQ(p.model, "cubic");
    EXPECT_EQ(p.at, (Real3{0.28, 0.003, 1}));
    EXPECT_EQ(p.size[0], 0.01);
    EXPECT_EQ(p.cells[1], 7);
    EXPECT_EQ(p.weights[1], 0.5);
    EXPECT_EQ(p.groups[0], "bottom");
    EXPECT_EQ(p.path[0].z, 0.0254);
    const double slots[] = {0.375, 9};
    EXPECT_EQ(evaluate(p.pull, slots), 1.375);
    EXPECT_DOUBLE_EQ(evaluate(p.wind, slots).x, 6);
    EXPECT_TRUE(is_constant(p.wind.y));
    EXPECT_EQ(write_value(p.extra, 0), "{ \"any\": [1] }");
}

TEST(fields, defaults_stay_and_given_is_known) {
    Rope::Params p;
    FieldList list = list_fields<Rope>(p);
    std::vector<Error> errors;
    EXPECT_TRUE(read_fields(list, make_object({{"share", make_number(0.25), {}}}), test_scope(), "", errors));
    EXPECT_EQ(p.stiffness, 1e3);
    EXPECT_TRUE(find_field(list, "share")->given);
    EXPECT_FALSE(find_field(list, "stiffness")->given);
}

TEST(fields, all_errors_come_at_once_with_path_value_and_what_is_allowed) {
    Rope::Params p;
    std::vector<Error> errors;
    EXPECT_FALSE(read("{ \"stifness\": 1,\n \"stiffness\": -1, \"breaks_at\": 0, \"share\": 1, \"segments\": "
                      "2.5, \"self_contact\": 1,\n"
                      " \"model\": \"cubik\", \"label\": 3, \"at\": [1, 2], \"size\": [\"2 kg\", -1], "
                      "\"cells\": 3, \"weights\": [],\n"
                      " \"pins\": [1e10], \"groups\": [\"topp\"], \"path\": [1], \"pull\": \"-2 N\", "
                      "\"wind\": [\"rum\", 0, \"1/0\"] }",
                      p, errors));
    const char* expected[] = {
        "f.json:1:3: objects.rope.stifness: unknown name (allowed: stiffness, breaks_at, share, segments, "
        "self_contact, model, label, at, size, cells, weights, pins, groups, path, pull, wind, extra; did "
        "you mean \"stiffness\"?)",
        "f.json:2:15: objects.rope.stiffness = -1: out of range (allowed: >= 0 N/m)",
        "objects.rope.breaks_at = 0: out of range (allowed: > 0 N)",
        "objects.rope.share = 1: out of range (allowed: 0 <= value < 1)",
        "objects.rope.segments = 2.5: a whole number is expected",
        "objects.rope.self_contact = 1: true or false is expected, not number",
        "objects.rope.model = \"cubik\": unknown word (allowed: linear, cubic; did you mean \"cubic\"?)",
        "objects.rope.label = 3: a text is expected, not number",
        "objects.rope.at = [1, 2]: an array of 3 numbers is expected, not 2 items",
        "objects.rope.size[0] = \"2 kg\": wrong unit: this is a mass (kg), expected is a length (m)",
        "objects.rope.size[1] = -1: out of range (allowed: >= 0 m)",
        "objects.rope.cells = 3: an array of 2 numbers is expected, not number",
        "objects.rope.weights = []: wrong number of items: 0 (allowed: at least 1, at most 4)",
        "objects.rope.pins[0] = 1e10: whole number too large",
        "objects.rope.groups[0] = \"topp\": unknown word (allowed: top, bottom; did you mean \"top\"?)",
        "objects.rope.path[0] = 1: an array of 3 numbers is expected",
        "objects.rope.pull = \"-2 N\": out of range: this is -2 N (allowed: >= 0 N)",
        "objects.rope.wind[0] = \"rum\": unknown name \"rum\"",
        "objects.rope.wind[2] = \"1/0\": this expression is not a finite number",
    };
    ASSERT_EQ(errors.size(), std::size(expected));
    for (std::size_t i = 0; i < errors.size(); ++i)
        EXPECT_NE(to_string(errors[i]).find(expected[i]), std::string::npos) << to_string(errors[i]) << "\n"
                                                                             << expected[i];
    EXPECT_EQ(p.stiffness, 1e3); // wrong values leave what was there
}

TEST(fields, time_may_be_used_in_signals_only_and_required_fields_must_be_given) {
    Rope::Params p;
    std::vector<Error> errors;
    EXPECT_FALSE(read(R"({ "stiffness": "2*t" })", p, errors));
    EXPECT_NE(errors[0].message.find("cannot depend on t"), std::string::npos);

    double x = 0;
    FieldList list = collect_fields([&](const FieldCollector& v) { v("x", x, Field{.required = true}); });
    errors.clear();
    EXPECT_FALSE(read_fields(list, make_object(), test_scope(), "a", errors));
    EXPECT_NE(to_string(errors[0]).find("a.x: missing"), std::string::npos);
    errors.clear();
    EXPECT_FALSE(read_fields(list, make_number(3), test_scope(), "a", errors));
    EXPECT_NE(to_string(errors[0]).find("an object { } is expected, not number"), std::string::npos);
}

TEST(fields, other_keys_are_left_to_their_reader_and_listed_as_allowed) {
    double x = 0;
    const std::string_view others[] = {"kind"};
    std::vector<Error> errors;
    FieldList list = collect_fields([&](const FieldCollector& v) { v("x", x, Field{}); });
    EXPECT_TRUE(
        read_fields(list, make_object({{"kind", make_text("q"), {}}}), test_scope(), "", errors, others));
    EXPECT_FALSE(
        read_fields(list, make_object({{"kinf", make_text("q"), {}}}), test_scope(), "", errors, others));
    EXPECT_EQ(errors[0].nearest, "kind");
    EXPECT_EQ(errors[0].allowed, "x, kind");
}

TEST(fields, what_is_written_reads_back_to_the_same_struct) {
    Rope::Params p, q;
    std::vector<Error> errors;
    ASSERT_TRUE(read(
        R"({ "stiffness": 0.1, "share": "1/3", "wind": ["run*t", 1, "2 m/s"], "at": [0.1, "1/7", 1e-300], "label": "a\"b" })",
        p, errors));
    const Value written = write_fields(list_fields<Rope>(p));
    EXPECT_EQ(find(written, "breaks_at"), nullptr); // no limit
    ASSERT_TRUE(read(write_value(written), q, errors));
    EXPECT_EQ(write_fields(list_fields<Rope>(q)), written);
    EXPECT_EQ(q.share, 1.0 / 3);
    EXPECT_EQ(q.at, p.at);
    EXPECT_EQ(q.breaks_at, INFINITY);
    EXPECT_EQ(q.label, "a\"b");
    const double slots[] = {2, 0};
    EXPECT_EQ(evaluate(q.wind, slots), (Real3{0.56, 1, 2}));
}

TEST(fields, documentation_and_schema_follow_from_the_list) {
    Rope::Params p;
    const FieldList list = list_fields<Rope>(p);
    const std::string doc = document_fields(list);
    EXPECT_NE(doc.find("| `stiffness` | number | N/m | `1000` | >= 0 N/m | axial stiffness |\n"),
              std::string::npos)
        << doc;
    EXPECT_NE(doc.find("| `breaks_at` | number | N | no limit | > 0 N | force \\| limit |\n"),
              std::string::npos)
        << doc;
    EXPECT_NE(doc.find("| `model` | word |  | `\"linear\"` | `linear`, `cubic` | force law |\n"),
              std::string::npos)
        << doc;
    const Value schema = schema_fields(list);
    const Value& model = *find(*find(schema, "properties"), "model");
    EXPECT_EQ(
        write_value(model, 0),
        R"({ "type": "string", "enum": ["linear", "cubic"], "description": "force law", )"
              R"("default": "linear" })");
    EXPECT_EQ(find(schema, "additionalProperties")->boolean, false);
    EXPECT_TRUE(parse_value(write_value(schema), "schema").value.has_value());
}
