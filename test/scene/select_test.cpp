#include "scene/select.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {
// a 4 x 4 grid of points in the plane z = 0, spacing 1, x fastest
struct Grid {
    std::vector<Real3> positions;
    std::vector<std::pair<std::string, std::vector<int>>> groups{{"collar", {0, 1, 2}}, {"hem", {12, 13}}};
    std::vector<std::uint8_t> boundary;
    std::vector<VertexAttribute> attributes{{"weight", 1, {}}, {"tint", 3, {}}};
    Grid() {
        for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i) {
                positions.push_back({double(i), double(j), 0});
                boundary.push_back(i == 0 || j == 0 || i == 3 || j == 3);
                attributes[0].values.push_back(i * 0.1);
                for (const int n : {j, 0, 9}) attributes[1].values.push_back(n);
            }
    }
};

std::vector<int> select(std::string_view text, std::vector<Error>& errors) {
    static const Grid grid;
    const Result<Value> v = parse_value(text, "f.json");
    EXPECT_TRUE(v) << text;
    Select s;
    if (!v || !parse_select(*v.value, make_scope({{"n", 3}}), "points", s, errors)) return {-1};
    return find_selected(s, {grid.positions, grid.groups, grid.boundary, grid.attributes}, "points", errors);
}
std::vector<int> selected(std::string_view text) {
    std::vector<Error> errors;
    const std::vector<int> found = select(text, errors);
    for (const Error& e : errors) ADD_FAILURE() << text << ": " << to_string(e);
    return found;
}
std::string selection_error(std::string_view text) {
    std::vector<Error> errors;
    select(text, errors);
    return errors.empty() ? "" : to_string(errors[0]);
}
using List = std::vector<int>;
} // namespace

TEST(select, every_kind_of_selection_finds_its_points) {
    EXPECT_EQ(selected(R"("all")").size(), 16u);
    EXPECT_EQ(selected(R"("none")"), List{});
    EXPECT_EQ(selected(R"("boundary")").size(), 12u);
    EXPECT_EQ(selected(R"("collar")"), (List{0, 1, 2}));
    EXPECT_EQ(selected(R"({ "group": "hem" })"), (List{12, 13}));
    EXPECT_EQ(selected(R"({ "box": [[2.5, 0.5, -1], [0.5, 1, 1]] })"),
              (List{5, 6})); // corners in any order, borders included
    EXPECT_EQ(selected(R"({ "sphere": { "center": [0, 0, 0], "radius": "100 cm" } })"), (List{0, 1, 4}));
    EXPECT_EQ(selected(R"({ "half_space": { "point": [0, 3, 0], "normal": [0, 5, 0] } })"),
              (List{12, 13, 14, 15}));
    EXPECT_EQ(selected(R"({ "index": -1 })"), (List{15}));
    EXPECT_EQ(selected(R"({ "index": [3, "n - 1", 3] })"), (List{2, 3}));
    EXPECT_EQ(selected(R"({ "range": [4, 6] })"), (List{4, 5, 6}));
    EXPECT_EQ(selected(R"({ "range": [-2, -1] })"), (List{14, 15}));
    EXPECT_EQ(selected(R"({ "range": [6, 4] })"), List{});
    EXPECT_EQ(selected(R"({ "attribute": "weight", "min": 0.25 })"), (List{3, 7, 11, 15}));
    EXPECT_EQ(selected(R"({ "attribute": "weight", "equals": 0 })"), (List{0, 4, 8, 12}));
    EXPECT_EQ(selected(R"({ "attribute": "tint", "equals": 3 })"), (List{12, 13, 14, 15})); // the first of three
}

TEST(select, combinations_follow_set_theory) {
    EXPECT_EQ(selected(R"(["collar", { "index": 9 }])"), (List{0, 1, 2, 9}));
    EXPECT_EQ(selected(R"({ "any": ["collar", "hem"] })"), (List{0, 1, 2, 12, 13}));
    EXPECT_EQ(selected(R"({ "every": ["boundary", { "range": [4, 7] }] })"), (List{4, 7}));
    EXPECT_EQ(selected(R"({ "boundary": true, "range": [4, 7] })"),
              (List{4, 7})); // several in one { } must all hold
    EXPECT_EQ(selected(R"({ "boundary": false })"), (List{5, 6, 9, 10}));
    EXPECT_EQ(selected(R"({ "not": "boundary" })"), (List{5, 6, 9, 10}));
    EXPECT_EQ(selected(R"({ "not": { "any": ["boundary", { "index": 5 }] } })"), (List{6, 9, 10}));
    EXPECT_EQ(selected(R"({ "of": "sheet" })").size(), 16u);
}

TEST(select, mistakes_are_named) {
    EXPECT_NE(selection_error(R"("coller")").find("did you mean \"collar\""), std::string::npos);
    EXPECT_NE(selection_error(R"({ "attribute": "wait" })").find("there is no attribute \"wait\""),
              std::string::npos);
    EXPECT_NE(selection_error(R"({ "index": 16 })").find("the object has 16 points"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "range": [0, 99] })").find("index out of range"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "sphere": { "radius": -1 } })").find("out of range"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "half_space": { "normal": [0, 0, 0] } })").find("cannot be zero"),
              std::string::npos);
    EXPECT_NE(selection_error(R"({ "min": 3 })").find("unknown name"), std::string::npos);
    EXPECT_NE(selection_error("{ }").find("nothing is said of which points"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "not": {} })").find("nothing is said of which points"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "every": [] })").find("allowed: \"all\""), std::string::npos);
    EXPECT_NE(selection_error("3").find("a selection of points is expected, not number"), std::string::npos);
    EXPECT_NE(selection_error(R"({ "any": "collar" })").find("array of selections"), std::string::npos);
}
