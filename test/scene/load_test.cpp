#include "scene/compile_text.h"
#include "scene/event.h"
#include "scene/expand.h"
#include "scene/expect.h"
#include "scene/scope.h"
#include "core/rotation.h"
#include "paths.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace sinew;

static const std::string kSample = source_dir() + "/test/scene/sample/";

static Scene loaded(Result<Scene> r) {
    for (const Error& e : r.errors) ADD_FAILURE() << to_string(e);
    return r.value.value_or(Scene{});
}
static std::string load_error(std::string_view text, std::vector<std::string> sets = {}) {
    const auto r = parse_scene(text, "scene.json", sets);
    return r.errors.empty() ? "" : to_string(r.errors[0]);
}
static const SceneObject& object(const Scene& s, std::string_view name) {
    for (const SceneObject& o : s.objects)
        if (o.name == name) return o;
    ADD_FAILURE() << "no object " << name;
    static const SceneObject none;
    return none;
}
static void expect_near(const Real3& a, const Real3& b,
                        double tolerance = 1e-14) { // a few roundings of numbers near 1
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

TEST(scene, the_first_sample_scene_loads) {
    const Scene s = loaded(load_scene(kSample + "drape.json"));
    EXPECT_EQ(s.name, "drape");
    EXPECT_EQ(s.gravity, (Real3{0, -9.81, 0}));
    EXPECT_EQ(s.time.first_frame, 1001);
    EXPECT_EQ(s.time.last_frame, 1240);
    EXPECT_DOUBLE_EQ(s.time.seconds, 239.0 / 24);
    ASSERT_EQ(s.objects.size(), 3u);
    EXPECT_EQ(s.objects[2].kind, "cloth_grid");
    EXPECT_EQ(s.objects[2].pose.position, (Real3{0, 0.32, 0}));
    EXPECT_EQ(find(s.objects[2].params, "at"), nullptr);
    EXPECT_EQ(find(s.objects[2].params, "edge")->text, "1 cm");
    EXPECT_EQ(s.fields[0].kind, "wind");
    EXPECT_EQ(s.solvers.size(), 2u);
    EXPECT_EQ(s.outputs[1].kind, "pc2");
    EXPECT_EQ(s.expect.size(), 2u);
    Motion m;
    std::vector<Error> errors;
    ASSERT_TRUE(parse_motion(s.objects[0], make_scene_scope(s), s.time, m, errors));
    EXPECT_TRUE(m.has_spin);
    EXPECT_DOUBLE_EQ(m.spin.rate, M_PI);
}

TEST(scene, the_second_sample_scene_loads_with_its_prefab) {
    const Scene s = loaded(load_scene(kSample + "stairs.json"));
    EXPECT_EQ(s.objects.size(), 14u + 11 + 1);
    EXPECT_EQ(s.objects[3].name, "step/3");
    expect_near(object(s, "step/3").pose.position, {3 * 0.28, -3 * 0.17, 0});
    ASSERT_EQ(s.joints.size(), 10u);
    EXPECT_EQ(s.joints[1].name, "hero/neck");
    EXPECT_EQ(s.joints[1].names, (std::vector<std::string>{"hero/chest", "hero/head"}));
    const double c = std::cos(20 * M_PI / 180), d = std::sin(20 * M_PI / 180), y = 0.92 * 1.8;
    expect_near(object(s, "hero/head").pose.position,
                {d * y, 1.2 + c * y, 0}); // turned by -20 degrees about z
    expect_near(object(s, "hero/head").velocity, {1.5, 0, 0});
    expect_near(s.joints[1].frame.position, {0, 1.2, 0});
    // the cape follows the chest
    expect_near(object(s, "cape").pose.position, object(s, "hero/chest").pose.position);
    expect_near(object(s, "cape").velocity, {1.5, 0, 0});
    EXPECT_EQ(find(object(s, "hero/chest").params, "material")->text, "rubber"); // "$skin"
    EXPECT_EQ(s.contact[0].names, (std::vector<std::string>{"cape", "hero/*"}));
    EXPECT_EQ(s.attach[0].names, (std::vector<std::string>{"cape", "hero/chest"}));
    EXPECT_EQ(s.events.size(), 2u);
    EXPECT_EQ(s.files.size(), 2u);
    EXPECT_EQ(resolve_file(*find(*find(object(s, "cape").params, "mesh"), "file")), kSample + "cape.obj");
}

TEST(scene, a_five_line_scene_runs_on_defaults_that_are_explained) {
    const Scene s =
        parsed_scene(R"({ "objects": { "sheet": { "kind": "cloth_grid" }, "ball": { "kind": "sphere" } } })");
    EXPECT_EQ(s.name, "scene");
    EXPECT_EQ(s.solver, "auto");
    EXPECT_EQ(s.time.fps, 24);
    EXPECT_EQ(s.time.last_frame, 120);
    EXPECT_EQ(s.time.dt, 0);
    EXPECT_EQ(s.notes, (std::vector<std::string>{"gravity = 9.81 m/s^2 along -up (y): default",
                                                 "fps = 24: default", "seconds = 5: default"}));
}

TEST(scene, gravity_follows_up_and_may_be_a_number_or_a_vector) {
    const auto gravity = [](const std::string& head) {
        return parsed_scene("{" + head + R"("objects": { "a": { "kind": "box" } } })").gravity;
    };
    EXPECT_EQ(gravity(R"("up": "z",)"), (Real3{0, 0, -9.81}));
    EXPECT_EQ(gravity(R"("up": "-x", "gravity": 2,)"), (Real3{2, 0, 0}));
    EXPECT_EQ(gravity(R"("gravity": ["1 m/s^2", 0, 3],)"), (Real3{1, 0, 3}));
    EXPECT_EQ(gravity(R"("gravity": 0,)"), (Real3{0, 0, 0}));
}

TEST(scene, time_is_resolved_from_what_is_given) {
    const auto time = [](const std::string& text) {
        return parsed_scene("{ \"time\": " + text + R"(, "objects": { "a": { "kind": "box" } } })").time;
    };
    SceneTime t = time(R"({ "dt": "1 ms" })"); // 1/24 s is no whole number of ms: 42 steps make a frame
    EXPECT_EQ(t.substeps, 42);
    EXPECT_EQ(t.dt, 1e-3);
    EXPECT_DOUBLE_EQ(t.fps, 1 / 0.042);
    t = time(R"({ "dt": 0.001, "fps": 100, "seconds": 2 })");
    EXPECT_EQ(t.substeps, 10);
    EXPECT_EQ(t.dt, 0.001);
    EXPECT_EQ(t.last_frame, 200);
    t = time(R"({ "dt": 0.001, "fps": 24 })"); // shortened so that steps land on frames
    EXPECT_EQ(t.substeps, 42);
    EXPECT_DOUBLE_EQ(t.dt, 1.0 / (24 * 42));
    t = time(R"({ "fps": 30, "substeps": 4, "frames": 90 })");
    EXPECT_DOUBLE_EQ(t.dt, 1.0 / 120);
    EXPECT_EQ(t.last_frame, 90);
    EXPECT_DOUBLE_EQ(t.seconds, 3);
    t = time(R"({ "dt": 0.5, "seconds": 20 })"); // longer than a usual frame: a step is a frame
    EXPECT_EQ(t.substeps, 1);
    EXPECT_EQ(t.fps, 2);
    EXPECT_EQ(t.last_frame, 40);
    t = time(R"({ "dt": 0.01, "substeps": 5 })");
    EXPECT_DOUBLE_EQ(t.fps, 20);
    t = time(R"({ "fps": 24, "seconds": 0.1 })"); // ends between two frames
    EXPECT_EQ(t.last_frame, 2);
    EXPECT_EQ(t.seconds, 0.1);
}

TEST(scene, vars_refer_to_each_other_in_any_order) {
    const Scene s = parsed_scene(
        R"({ "vars": { "c": "2*b", "a": "30 cm", "b": "a + 1" }, "objects": { "x": { "kind": "box",
        "at": ["c", "b", "a"] } } })");
    expect_near(s.objects[0].pose.position, {2.6, 1.3, 0.3});
    // a long chain needs no deep stack and no quadratic time
    std::string text = "{ \"vars\": { \"v0\": 1";
    for (int i = 1; i < 20000; ++i)
        text += ", \"v" + std::to_string(i) + "\": \"v" + std::to_string(i - 1) + " + 1\"";
    std::string backwards = "{ \"vars\": { ";
    for (int i = 19999; i > 0; --i)
        backwards += "\"v" + std::to_string(i) + "\": \"v" + std::to_string(i - 1) + " + 1\", ";
    const std::string end = R"( }, "objects": { "x": { "kind": "box", "at": ["v19999", 0, 0] } } })";
    EXPECT_EQ(parsed_scene(text + end).objects[0].pose.position.x, 20000);
    EXPECT_EQ(parsed_scene(backwards + "\"v0\": 1" + end).objects[0].pose.position.x, 20000);
}

TEST(scene, replicas_have_their_own_names_indices_and_places) {
    const Scene s = parsed_scene(
        R"({ "objects": { "g": { "kind": "box", "at": [0, 1, 0], "size": ["0.1*r + 0.1", 1, 1],
        "rotate": { "axis": [0, 1, 0], "angle": "90 deg" },
        "replicate": { "count": [2, 3], "index": ["r", "c"], "at": ["r", 0, "c"],
        "rotate": { "axis": [0, 1, 0], "angle": "r*pi/2" } } } } })");
    ASSERT_EQ(s.objects.size(), 6u);
    EXPECT_EQ(s.objects[5].name, "g/1/2");
    EXPECT_EQ(s.objects[5].vars, (Vars{{"r", 1}, {"c", 2}}));
    expect_near(s.objects[5].pose.position, {1, 1, 2});
    EXPECT_NEAR(s.objects[5].pose.rotation.y, 1, 1e-15); // 90 + 90 degrees about y
    EXPECT_TRUE(
        parsed_scene(R"({ "objects": { "a": { "kind": "box", "replicate": { "count": 0 } } } })").objects.empty());
}

// The same rotation in every way the language has it: axis and angle, Euler angles about the fixed axes x, y, z, a list of turns, a
// quaternion of any length. Euler angles [x, y, z] are the list x, y, z.
TEST(scene, a_rotation_is_the_same_by_euler_angles_axes_and_quaternion) {
    const auto rotation = [](const std::string& rotate) {
        const Scene s = parsed_scene(R"({ "objects": { "a": { "kind": "box", "rotate": )" + rotate + " } } }");
        return s.objects.empty() ? Quat::Identity() : quat(s.objects[0].pose.rotation);
    };
    const auto expect_same = [](const Quat& a, const Quat& b) {
        EXPECT_LT(std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm()), 1e-15); // rounding of numbers below 1
    };
    // 120 degrees about the diagonal carry x to y to z: 90 degrees about x, then 90 degrees about z
    const Quat diagonal = rotation(R"({ "axis": [1, 1, 1], "angle": "120 deg" })");
    expect_same(diagonal, Quat(0.5, 0.5, 0.5, 0.5));
    expect_same(rotation(R"({ "quaternion": [2, 2, 2, 2] })"), diagonal);
    expect_same(rotation(R"({ "euler": ["90 deg", 0, "90 deg"] })"), diagonal);
    EXPECT_LT((diagonal * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
    const Quat turned = rotation(R"({ "euler": [0.3, -0.7, 1.9] })");
    expect_same(turned, rotation(R"([ { "axis": [1, 0, 0], "angle": 0.3 }, { "axis": [0, 1, 0], "angle": -0.7 }, { "axis": [0, 0, 1], "angle": 1.9 } ])"));
    // its matrix: columns are where the axes go, z after y after x
    const Real cx = std::cos(0.3), sx = std::sin(0.3), cy = std::cos(-0.7), sy = std::sin(-0.7), cz = std::cos(1.9), sz = std::sin(1.9);
    Mat3 r;
    r << cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, -sy, cy * sx, cy * cx;
    EXPECT_LT((turned.toRotationMatrix() - r).norm(), 2e-15);
    EXPECT_LT((euler_angles(turned) - Vec3(0.3, -0.7, 1.9)).norm(), 2e-15);
    expect_same(rotation_from_rodrigues(rodrigues_vector(turned)), turned);
}

TEST(scene, names_inside_a_prefab_are_local_and_params_do_not_leak) {
    const std::string text = R"({ "vars": { "w": 3, "i": 100 },
      "prefabs": {
        "arm":  { "params": { "length": 1 }, "vars": { "half": "length/2" },
                  "objects": { "upper": { "kind": "capsule", "size": "half + w" },
        "lower": { "kind": "capsule", "parent": "upper", "at": [0, "-length", 0] } },
                  "joints": [ { "kind": "hinge", "between": ["upper", "lower"] } ],
                  "attach": [ { "points": { "of": "lower" }, "to": "/floor" } ] },
        "body": { "objects": { "arm": { "use": "arm", "length": "2*w", "replicate": { "count": 2,
        "at": ["i", 0, 0] } } },
                  "contact": [ { "between": ["arm/0", "/floor"], "friction": 1 } ] } },
      "objects": { "floor": { "kind": "plane" }, "hero": { "use": "body", "at": [0, 5, 0] } } })";
    const Scene s = parsed_scene(text);
    std::vector<std::string> names;
    for (const SceneObject& o : s.objects) names.push_back(o.name);
    EXPECT_EQ(names, (std::vector<std::string>{"floor", "hero/arm/0/upper", "hero/arm/0/lower",
                                               "hero/arm/1/upper", "hero/arm/1/lower"}));
    EXPECT_EQ(object(s, "hero/arm/1/lower").parent, "hero/arm/1/upper");
    expect_near(object(s, "hero/arm/1/lower").pose.position, {1, -1, 0});
    EXPECT_EQ(s.joints[1].names[1], "hero/arm/1/lower");
    EXPECT_EQ(s.joints[1].name, "hero/arm/1/joints[0]");
    EXPECT_EQ(s.attach[0].names, (std::vector<std::string>{"hero/arm/0/lower", "floor"}));
    EXPECT_EQ(find(*find(s.attach[0].params, "points"), "of")->text, "hero/arm/0/lower");
    EXPECT_EQ(s.contact[0].names[0], "hero/arm/0");
    EXPECT_EQ(object(s, "hero/arm/0/upper").vars, (Vars{{"length", 6}, {"half", 3}}));
}

TEST(scene, parents_carry_pose_and_velocity_as_a_rigid_body_does) {
    const Scene s = parsed_scene(R"({ "objects": {
        "child":  { "kind": "box", "parent": "turner", "at": [2, 0, 0], "velocity": [0, 0, 1] },
        "turner": { "kind": "box", "at": [1, 0, 0], "rotate": { "axis": [0, 0, 1], "angle": "90 deg" },
        "velocity": [5, 0, 0], "angular_velocity": [0, 0, 3] } } })");
    expect_near(s.objects[0].pose.position, {1, 2, 0});
    expect_near(s.objects[0].velocity, {5 - 3 * 2, 0, 1}); // v + w x r, r = (0, 2, 0)
    expect_near(s.objects[0].angular_velocity, {0, 0, 3});
    expect_near(s.objects[0].container.position, {1, 0, 0});
    expect_near(s.objects[0].local.position, {2, 0, 0});
}

TEST(scene, overrides_change_parts_and_outer_ones_win) {
    const Scene s = parsed_scene(R"({
      "prefabs": { "a": { "objects": { "p": { "kind": "box", "mass": 1 }, "q": { "kind": "box",
        "mass": 1, "air": { "drag": 1, "lift": 1 } } },
                          "joints": { "j": { "kind": "ball", "between": ["p", "q"], "limit": 1 } } },
                   "b": { "objects": { "x": { "use": "a", "override": { "p": { "mass": 2 } } } } } },
      "objects": { "h": { "use": "b", "override": { "*": { "friction": 0.5 }, "x/p": { "mass": 3 },
        "x/q": { "air.drag": 9 }, "x/j": { "limit": 7 } } },
                   "r": { "kind": "box", "replicate": { "count": 3 },
        "override": { "1": { "mass": 8 } } } } })");
    EXPECT_EQ(find(object(s, "h/x/p").params, "mass")->number, 3);
    EXPECT_EQ(find(object(s, "h/x/p").params, "friction")->number, 0.5);
    EXPECT_EQ(find(*find(object(s, "h/x/q").params, "air"), "drag")->number, 9);
    EXPECT_EQ(find(*find(object(s, "h/x/q").params, "air"), "lift")->number, 1);
    EXPECT_EQ(find(s.joints[0].params, "limit")->number, 7);
    EXPECT_EQ(find(s.joints[0].params, "friction"), nullptr); // patterns change objects only
    EXPECT_EQ(find(object(s, "r/0").params, "mass"), nullptr);
    EXPECT_EQ(find(object(s, "r/1").params, "mass")->number, 8);
}

TEST(scene, sets_reach_objects_sections_vars_and_parts) {
    const std::string text =
        R"({ "vars": { "w": 1 }, "time": { "fps": 24 }, "contact": [ { "between": ["sheet", "ball"],
        "friction": 0.1 } ],
      "prefabs": { "doll": { "params": { "height": 1.8 }, "objects": { "head": { "kind": "sphere" },
        "arm": { "kind": "box" } } } },
      "objects": { "sheet": { "kind": "cloth_grid", "edge": "1 cm", "air": { "drag": 1 } },
        "ball": { "kind": "sphere", "at": ["w", 0, 0] }, "hero": { "use": "doll" } } })";
    Scene s = parsed_scene(text, {"objects.sheet.edge=2cm", "sheet.air.drag=7", "sheet.material=wool",
                                  "ball.at[1]=5", "w=2", "time.fps=60", "hero.height=2", "hero/head.radius=0.1",
                                  "hero/*.friction=0.3", "contact[0].friction=0.9", "solvers.newton.tolerance=1e-3",
                                  "solver=newton", "*.mass=[1, 2]", "name=a=b"});
    EXPECT_EQ(find(object(s, "sheet").params, "edge")->text, "2cm");
    EXPECT_EQ(find(*find(object(s, "sheet").params, "air"), "drag")->number, 7);
    EXPECT_EQ(find(object(s, "sheet").params, "material")->text, "wool");
    EXPECT_EQ(object(s, "ball").pose.position, (Real3{2, 5, 0}));
    EXPECT_EQ(s.time.fps, 60);
    EXPECT_EQ(object(s, "hero/arm").vars[0].second, 2);
    EXPECT_EQ(find(object(s, "hero/head").params, "radius")->number, 0.1);
    EXPECT_EQ(find(object(s, "hero/arm").params, "friction")->number, 0.3);
    EXPECT_EQ(find(s.contact[0].params, "friction")->number, 0.9);
    EXPECT_EQ(find(s.solvers[0].params, "tolerance")->number, 1e-3);
    EXPECT_EQ(s.solver, "newton");
    EXPECT_EQ(s.name, "a=b");
    for (const SceneObject& o : s.objects) EXPECT_EQ(find(o.params, "mass")->items.size(), 2u) << o.name;
    EXPECT_NE(write_scene(s).find("2cm"), std::string::npos);
    // the same scene without sets is read back from what is written
    EXPECT_EQ(parsed_scene(write_scene(s)).objects.size(), s.objects.size());
}

TEST(scene, wrong_sets_name_what_was_meant) {
    const std::string text =
        R"({ "vars": { "rise": 1 }, "objects": { "sheet": { "kind": "cloth_grid", "edge": 1 } } })";
    EXPECT_NE(load_error(text, {"shet.edge=1"}).find("did you mean \"sheet\""), std::string::npos);
    EXPECT_NE(load_error(text, {"objects.shet.edge=1"}).find("there is no object \"shet\""),
              std::string::npos);
    EXPECT_NE(load_error(text, {"vars.rise2=1"}).find("did you mean \"rise\""), std::string::npos);
    EXPECT_NE(load_error(text, {"tme=1"}).find("did you mean \"time\""), std::string::npos);
    EXPECT_NE(load_error(text, {"sheet.edge.x=1"}).find("number has no member \"x\""), std::string::npos);
    EXPECT_NE(load_error(text, {"sheet/x.y=1"}).find("has no parts"), std::string::npos);
    EXPECT_NE(load_error(text, {"sheet"}).find("path=value"), std::string::npos);
    EXPECT_NE(load_error(text, {"=3"}).find("path=value"), std::string::npos);
    EXPECT_NE(load_error(text, {"sheet..x=3"}).find("a name is missing"), std::string::npos);
    EXPECT_NE(load_error(text, {"objects=3"}).find("an object is missing"), std::string::npos);
    EXPECT_NE(load_error(text, {"sheet.edge=1c\x96"}).find("invalid UTF-8"), std::string::npos);
    // errors found later name the option, also for names that the option has made
    EXPECT_TRUE(load_error(text, {"time.fps=-1"}).starts_with("command line (--set time.fps=-1): time.fps = -1: "));
    EXPECT_TRUE(load_error(text, {"time.fpss=1"}).starts_with("command line (--set time.fpss=1): time.fpss: "));
    for (const char* odd :
         {"", "=", "a=", ".=1", "[=1", "]=1", "objects.[0]=1", "*=1", "vars=1", "objects.*=1", "sheet[0]=1"})
        parse_scene(text, "scene.json", std::vector<std::string>{odd}); // whatever is said, nothing crashes
}

TEST(scene, includes_are_merged_and_the_including_file_wins) {
    const auto folder = std::filesystem::path(binary_dir()) / "test_scene_include";
    std::filesystem::create_directories(folder / "sub");
    const auto write = [&](const char* name, const char* text) { std::ofstream(folder / name) << text; };
    write(
        "main.json",
        R"({ "include": ["sub/a.json", "sub/b.json"], "vars": { "v": 1 }, "time": { "fps": 10 },
        "objects": { "m": { "kind": "box", "at": ["v", "w", "u"] } },
                            "contact": [ { "between": ["m", "b"], "off": true } ] })");
    write(
        "sub/a.json",
        R"({ "include": ["b.json"], "vars": { "v": 5, "w": 2, "u": 7 }, "time": { "fps": 99 },
        "name": "a" })");
    write(
        "sub/b.json",
        R"({ "vars": { "w": 3 }, "objects": { "b": { "kind": "mesh", "mesh": "x.obj" } },
        "contact": [ { "between": ["b", "b"] } ] })");
    const Scene s = loaded(load_scene((folder / "main.json").string()));
    ASSERT_EQ(s.objects.size(), 2u); // b.json counts once
    EXPECT_EQ(s.objects[0].name, "b");
    EXPECT_EQ(s.objects[1].pose.position, (Real3{1, 3, 7}));
    EXPECT_EQ(s.time.fps, 10);
    EXPECT_EQ(s.name, "main");
    EXPECT_EQ(s.contact.size(), 2u);
    EXPECT_EQ(s.contact[0].names[0], "b");
    EXPECT_EQ(s.files.size(), 3u);
    EXPECT_EQ(resolve_file(*find(s.objects[0].params, "mesh")), (folder / "sub" / "x.obj").string());
    EXPECT_EQ(find(s.source, "include")->items.size(), 2u); // the file as written
    EXPECT_EQ(find(s.document, "include"), nullptr);        // all in one
    const Result<Value> document = load_document((folder / "main.json").string());
    ASSERT_TRUE(document);
    EXPECT_EQ(*document.value, s.document);
    EXPECT_EQ(make_scene(s.document).value->objects.size(), 2u);
}

TEST(scene, what_is_written_is_the_scene_that_was_read) {
    for (const char* name : {"drape.json", "stairs.json"}) {
        const Scene s = loaded(load_scene(kSample + name));
        const std::string text = write_scene(s);
        const Scene again = loaded(parse_scene(text, kSample + name));
        EXPECT_EQ(again.source, s.source);
        EXPECT_EQ(write_scene(again), text);
        EXPECT_EQ(again.objects.size(), s.objects.size());
    }
    const Scene s =
        parsed_scene(R"({ "gravity": 9.80, "objects": { "a": { "kind": "box", "size": [1.50, 2e0, 3] } } })");
    EXPECT_NE(write_scene(s).find("9.80"), std::string::npos);
    EXPECT_NE(write_scene(s).find("2e0"), std::string::npos);
}

TEST(scene, names_match_by_wildcards_and_by_group) {
    const std::vector<std::string> names{"hero/chest", "hero/arm/hand", "cape", "hero2", "h"};
    EXPECT_EQ(match_names("hero/*", names), (std::vector<int>{0, 1}));
    EXPECT_EQ(match_names("hero", names), (std::vector<int>{0, 1}));
    EXPECT_EQ(match_names("*", names), (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_EQ(match_names("hero?", names), (std::vector<int>{3}));
    EXPECT_EQ(match_names("hero/arm", names), (std::vector<int>{1}));
    EXPECT_EQ(match_names("*/hand", names), (std::vector<int>{1}));
    EXPECT_EQ(match_names("c*e", names), (std::vector<int>{2}));
    EXPECT_TRUE(match_names("", names).empty());
    EXPECT_TRUE(match_names("her", names).empty());
    EXPECT_TRUE(match_name(std::string(50, '*') + "z", std::string(2000, 'a') + "z")); // no exponential time
}

TEST(scene, errors_of_replicas_are_said_once_and_all_kinds_at_once) {
    const auto r = parse_scene(
        R"({ "up": "w", "objects": { "a": { "kind": "box", "at": ["x1", 0, 0],
        "replicate": { "count": 50 } }, "b": { "use": "none" } } })",
        "f.json");
    EXPECT_EQ(r.errors.size(), 3u);
}

TEST(scene, exploding_prefabs_and_params_are_refused_quickly) {
    std::string text = "{ \"prefabs\": { \"p0\": { \"params\": { \"w\": null }, \"objects\": { \"b\": { "
                       "\"kind\": \"box\", \"v\": \"$w\" } } }";
    for (int i = 1; i < 40; ++i)
        text += ", \"p" + std::to_string(i) +
                "\": { \"params\": { \"w\": null }, \"objects\": { \"c\": { \"use\": \"p" +
                std::to_string(i - 1) + "\", \"w\": [\"$w\", \"$w\"] } } }";
    text += " }, \"objects\": { \"o\": { \"use\": \"p39\", \"w\": [1] } } }";
    EXPECT_NE(load_error(text).find("too large"), std::string::npos);
    text = "{ \"prefabs\": { \"p0\": { \"objects\": {} }";
    for (int i = 1; i < 40; ++i)
        text += ", \"p" + std::to_string(i) + "\": { \"objects\": { \"c\": { \"use\": \"p" +
                std::to_string(i - 1) + "\" }, \"d\": { \"use\": \"p" + std::to_string(i - 1) + "\" } } }";
    text += " }, \"objects\": { \"o\": { \"use\": \"p39\" } } }";
    EXPECT_NE(load_error(text).find("too many objects"), std::string::npos);
}

TEST(scene, missing_files_and_folders_are_errors) {
    EXPECT_NE(to_string(load_scene("/nowhere/at/all.json").errors[0]).find("there is no such file"),
              std::string::npos);
    EXPECT_NE(to_string(load_scene(source_dir()).errors[0]).find("not a regular file"),
              std::string::npos);
    EXPECT_FALSE(load_document("/nowhere.json"));
}
