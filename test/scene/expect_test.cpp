#include "scene/event.h"
#include "scene/expect.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace sinew;

namespace {
Value value(std::string_view text) {
    const Result<Value> v = parse_value(text, "f.json");
    EXPECT_TRUE(v) << text;
    return v.value.value_or(Value{});
}
SceneTime run() {
    SceneTime t;
    t.fps = 10;
    t.first_frame = 100;
    t.last_frame = 150;
    t.seconds = 5;
    return t;
}
std::vector<Expectation> expectations(std::string_view text) {
    std::vector<Expectation> list;
    std::vector<Error> errors;
    EXPECT_TRUE(
        parse_expect(value(text), make_scope({{"g", 9.81}}, kTimeSlots), run(), "expect[0]", list, errors))
        << text;
    for (const Error& e : errors) ADD_FAILURE() << to_string(e);
    if (list.empty()) list.emplace_back();
    return list;
}
Event event(std::string_view text) {
    Event e;
    std::vector<Error> errors;
    EXPECT_TRUE(parse_event(value(text), make_scope({{"low", -1.5}}, kTimeSlots), "events[0]", e, errors))
        << text;
    for (const Error& error : errors) ADD_FAILURE() << to_string(error);
    return e;
}
using When = Expectation::When;
} // namespace

TEST(expect, when_to_look_is_read_in_all_its_forms) {
    EXPECT_EQ(expectations(R"({ "a.y": 0 })")[0].when, When::end);
    EXPECT_EQ(expectations(R"({ "at": "end", "a.y": 0 })")[0].when, When::end);
    EXPECT_EQ(expectations(R"({ "at": "start", "a.y": 0 })")[0].when, When::at);
    EXPECT_EQ(expectations(R"({ "at": "500 ms", "a.y": 0 })")[0].at, 0.5);
    EXPECT_DOUBLE_EQ(expectations(R"({ "frame": 120, "a.y": 0 })")[0].at, 2);
    EXPECT_EQ(expectations(R"({ "every": "step", "a.y": 0 })")[0].when, When::steps);
    const Expectation e = expectations(R"({ "after": "1 s", "before": 2, "a.y": 0 })")[0];
    EXPECT_EQ(e.when, When::frames);
    EXPECT_EQ(e.after, 1);
    EXPECT_EQ(e.before, 2);
}

TEST(expect, each_measurement_is_an_expectation_of_its_own) {
    const auto list = expectations(
        R"({ "at": 1, "a.y": { "min": 1, "max": 2 }, "b/c.z": true, "energy": { "equals": "2*g" } })");
    ASSERT_EQ(list.size(), 3u);
    EXPECT_EQ(list[1].measure, "b/c.z");
    EXPECT_EQ(list[1].path, "expect[0].b/c.z");
    EXPECT_EQ(check_expectation(list[0], 1.5, 1, 110), "");
    EXPECT_EQ(check_expectation(list[0], 2, 1, 110), "");
    EXPECT_EQ(check_expectation(list[0], 2.5, 1, 110), "= 2.5, expected at most 2");
    EXPECT_EQ(check_expectation(list[0], 0.5, 1, 110), "= 0.5, expected at least 1");
    EXPECT_EQ(check_expectation(list[1], 1, 1, 110), "");
    EXPECT_EQ(check_expectation(list[1], 0, 1, 110), "= 0, expected 1");
    EXPECT_EQ(check_expectation(list[2], 19.62, 1, 110), "");
}

TEST(expect, closed_forms_of_time_and_relative_tolerances) {
    const Expectation fall =
        expectations(R"({ "every": "frame", "ball.y": { "about": "5 - g*t^2/2", "within": "1 mm" } })")[0];
    EXPECT_EQ(check_expectation(fall, 5 - 9.81 * 0.5 + 0.0009, 1, 110), "");
    EXPECT_NE(check_expectation(fall, 5 - 9.81 * 0.5 + 0.0011, 1, 110), "");
    const Expectation relative = expectations(R"({ "energy": { "about": -200, "within": "2 %" } })")[0];
    EXPECT_TRUE(relative.relative);
    EXPECT_EQ(check_expectation(relative, -203.9, 0, 0), "");
    EXPECT_NE(check_expectation(relative, -204.1, 0, 0), "");
    EXPECT_EQ(check_expectation(relative, NAN, 0, 0), "is not a finite number");
}

TEST(event, times_conditions_sets_and_releases_are_read) {
    Event e = event(
        R"({ "at": "0.8 s", "every": 1, "until": 5, "set": { "hero/*.motor": "off", "fields.gust.velocity": [1, 0, 0], "sheet.air.drag": 2 } })");
    EXPECT_EQ(e.at, 0.8);
    EXPECT_EQ(e.every, 1);
    EXPECT_EQ(e.until, 5);
    ASSERT_EQ(e.sets.size(), 3u);
    EXPECT_EQ(e.sets[0].target, "hero/*");
    EXPECT_EQ(e.sets[0].parameter, "motor");
    EXPECT_EQ(e.sets[1].target, "fields.gust");
    EXPECT_EQ(e.sets[1].parameter, "velocity");
    EXPECT_EQ(e.sets[2].parameter, "air.drag");
    e = event(R"({ "when": "hero/hips.y < low && t > 1", "once": true, "release": ["cape.collar", "hat"] })");
    EXPECT_TRUE(e.once);
    EXPECT_EQ(e.releases[0].target, "cape");
    EXPECT_EQ(e.releases[0].group, "collar");
    EXPECT_EQ(e.releases[1].group, "");
}

TEST(event, conditions_are_checked_for_form_before_measurements_are_known) {
    const Scope scope = make_scope({{"low", 1}, {"high", 2}}, kTimeSlots);
    const Value at = make_text("condition");
    for (const char* good : {"hero/hips.y < -1.5", "a.y/b.y > low/high", "sheet.point[12].x > 0",
                             "energy.kinetic < 3", "low/2 < t", "hero/a.y/hero/b.y > 1"}) {
        std::vector<Error> errors;
        EXPECT_TRUE(check_condition(good, scope, at, "when", errors)) << good << ": " << to_string(errors[0]);
    }
    for (const char* bad : {"hero/hips.y <", "1 <", "hero/hips < 3 +", "a = b", "sinn(1)", ""}) {
        std::vector<Error> errors;
        EXPECT_FALSE(check_condition(bad, scope, at, "when", errors)) << bad;
    }
}
