// Numbers that only studies have: sums of depths, slopes of piles.
#include "study/column.h"
#include "study/tiny_study.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

Simulation start(const std::string& text) {
    Result<Scene> scene = parse_scene(text, "scene.json");
    for (const Error& e : scene.errors) ADD_FAILURE() << to_string(e);
    Result<Compiled> compiled = compile_scene(*scene.value);
    for (const Error& e : compiled.errors) ADD_FAILURE() << to_string(e);
    Result<Simulation> made = make_simulation({.threads = 1}, std::move(*compiled.value));
    measure_start(*made.value);
    return std::move(*made.value);
}

} // namespace

TEST(study_columns, depths_of_all_contacts_add_up) {
    // two grains of radius 0.1 at 0.17, one of them 0.02 deep in the ground, a box 0.01 deep on four corners
    const Simulation s = start(R"({ "sinew": 1, "time": { "fps": 60, "frames": 1 }, "objects": {
        "floor": { "kind": "plane" },
        "grain": { "kind": "particles", "positions": [[0, 0.08, 0], [0.17, 0.5, 0], [0.17, 0.67, 0]], "radius": 0.1, "thickness": 0.1, "mass": 1, "self_contact": true },
        "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "at": [2, 0.09, 0], "mass": 1 } }, "solver": "velocity" })");
    PenetrationScratch scratch;
    EXPECT_NEAR(total_penetration(*s.parallel, s.compiled.model, s.now, scratch), 0.03 + 0.02 + 4 * 0.01, 1e-9); // sums of exact depths
}

TEST(study_columns, the_slope_of_a_cone_of_grains_is_that_of_the_cone) {
    for (double degrees : {15.0, 25.0, 35.0}) {
        std::string positions;
        const double d = 0.05, slope = std::tan(degrees * kPi / 180);
        for (int i = -20; i <= 20; ++i)
            for (int k = -20; k <= 20; ++k)
                for (int j = 0; j < 20; ++j) {
                    const double away = std::hypot(d * i, d * k), y = d * (j + 0.5);
                    if (y + 0.5 * d > slope * (1 - away) + 0.5 * d) continue; // under a cone of radius 1 m, half a grain of play
                    positions += fmt::format("{}[{}, {}, {}]", positions.empty() ? "" : ", ", d * i, y, d * k);
                }
        const Simulation s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "frames": 1 }}, "objects": {{
            "sand": {{ "kind": "particles", "positions": [{}], "radius": 0.025, "thickness": 0.025, "mass": 0.01 }} }} }})", positions));
        // layers of 5 cm: a line through steps of one grain over 15 rings or more is within a few degrees
        EXPECT_NEAR(repose_angle(s.compiled.model, s.now, 0) * 180 / kPi, degrees, 4) << degrees;
    }
}

// the strain map of pictures (spec U186): each vertex has the largest strain of its links
TEST(study_columns, the_strain_map_has_the_largest_strain_at_each_point) {
    Simulation s = start(R"({ "sinew": 1, "time": { "fps": 60, "frames": 1 }, "objects": {
        "chain": { "kind": "chain", "from": [0, 0, 0], "to": [0.3, 0, 0], "count": 3, "mass": 1, "fixed": { "index": 0 },
                   "material": { "rod": { "model": "distance", "compliance": 1e-9 } } } }, "solver": "position" })");
    s.now.point.x[3].x += 0.02; // the last link of 0.1 m by a fifth
    s.now.point.x[1].x += 0.005; // the first longer, the second shorter by a twentieth
    const Snapshot snapshot = make_snapshot(s);
    const auto& fields = snapshot.objects[0].fields;
    const auto strain = std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f.name == "strain"; });
    ASSERT_NE(strain, fields.end());
    const std::vector<double> want{0.05, 0.05, 0.2, 0.2};
    ASSERT_EQ(strain->values.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(strain->values[i], want[i], 1e-6) << i; // room for values kept in single precision
}

// strains that are constraints (tri_strain, tet_hooke) count too, whichever way the body is turned
TEST(study_columns, the_strain_map_knows_rows_of_strain) {
    for (const char* object : {R"({ "kind": "cloth_grid", "size": [0.4, 0.4], "edge": 0.2, "material": { "membrane": { "model": "tri_strain", "young": 1e5, "thickness": "1 mm" } } })",
                               R"({ "kind": "solid", "size": [0.4, 0.2, 0.2], "cells": [2, 1, 1], "material": { "solid": { "model": "hooke", "young": 1e5 } } })"}) {
        Simulation s = start(std::string(R"({ "sinew": 1, "time": { "fps": 60, "frames": 1 }, "objects": { "body": )") + object + R"( }, "solver": "position" })");
        for (Real3& x : s.now.point.x) x = {-1.1 * x.z, x.y, x.x}; // turned, and longer by a tenth along z
        const Snapshot snapshot = make_snapshot(s);
        const auto& fields = snapshot.objects[0].fields;
        const auto strain = std::find_if(fields.begin(), fields.end(), [](const auto& f) { return f.name == "strain"; });
        ASSERT_NE(strain, fields.end());
        for (double e : strain->values) EXPECT_NEAR(e, 0.1, 1e-6); // room for values kept in single precision
    }
}
