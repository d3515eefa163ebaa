// Joints, attachments and contact rules made by `replicate`, and names with expressions in them.
#include "compile_text.h"
#include "constraint/list.h"

using namespace sinew;

namespace {

// rows x columns, each joined to its neighbours
const std::string kNet = R"({ "vars": { "n": 3 }, "objects": { "node": { "kind": "sphere", "radius": 0.1, "mass": 1,
    "replicate": { "count": ["n", "n + 1"], "index": ["r", "c"], "at": ["c", "-r", 0] } } },
  "joints": { "right": { "kind": "ball", "between": ["node/{r}/{c}", "node/{r}/{c + 1}"], "at": ["c + 0.5", "-r", 0],
                         "replicate": { "count": ["n", "n"], "index": ["r", "c"] } },
              "down":  { "kind": "ball", "between": ["node/{r}/{c}", "node/{r + 1}/{c}"], "at": [0, -0.5, 0],
                         "replicate": { "count": ["n - 1", "n + 1"], "index": ["r", "c"], "at": ["c", "-r", 0] } } } })";

} // namespace

TEST(replicate, a_net_of_joints_has_every_neighbour_once) {
    const Scene s = parsed_scene(kNet);
    ASSERT_EQ(s.joints.size(), 3u * 3 + 2 * 4);
    EXPECT_EQ(s.joints[5].name, "right/1/2"); // the last index runs fastest
    EXPECT_EQ(s.joints[5].path, "joints.right/1/2");
    EXPECT_EQ(s.joints[5].names, (std::vector<std::string>{"node/1/2", "node/1/3"}));
    EXPECT_EQ(s.joints[9 + 5].names, (std::vector<std::string>{"node/1/1", "node/2/1"}));
    EXPECT_EQ(s.joints[5].vars, (Vars{{"r", 1}, {"c", 2}}));
}

// the same model as joints written one by one, to the bit: anchors by expressions, and by the place of the replica
TEST(replicate, joints_are_those_written_one_by_one) {
    std::string joints;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            joints += "\"right" + std::to_string(3 * r + c) + "\": { \"kind\": \"ball\", \"between\": [\"node/" + std::to_string(r) + "/" + std::to_string(c) +
                      "\", \"node/" + std::to_string(r) + "/" + std::to_string(c + 1) + "\"], \"at\": [" + std::to_string(c) + ".5, " + std::to_string(-r) + ", 0] },";
    for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c)
            joints += "\"down" + std::to_string(4 * r + c) + "\": { \"kind\": \"ball\", \"between\": [\"node/" + std::to_string(r) + "/" + std::to_string(c) +
                      "\", \"node/" + std::to_string(r + 1) + "/" + std::to_string(c) + "\"], \"at\": [" + std::to_string(c) + ", -" + std::to_string(r) + ".5, 0] },";
    const std::string one_by_one = kNet.substr(0, kNet.find("\"joints\"")) + "\"joints\": {" + joints + "} }";
    const Compiled a = compile(kNet), b = compile(one_by_one);
    ASSERT_EQ(a.model.elements->constraints.size(), 1u);
    ASSERT_EQ(b.model.elements->constraints.size(), 1u);
    const Table &ta = a.model.elements->constraints[0], &tb = b.model.elements->constraints[0];
    EXPECT_EQ(ta.count(), 17);
    EXPECT_EQ(ta.stencil, tb.stencil);
    EXPECT_EQ(ta.data, tb.data);
    EXPECT_EQ(a.model.contact_rules.size(), 17u);
    ASSERT_EQ(b.model.contact_rules.size(), 17u);
    for (int k = 0; k < 17; ++k) {
        EXPECT_EQ(a.model.contact_rules[k].a, b.model.contact_rules[k].a);
        EXPECT_EQ(a.model.contact_rules[k].b, b.model.contact_rules[k].b);
    }
    EXPECT_TRUE(find(a.model, "down/1/3"));
}

TEST(replicate, places_of_replicas_turn_anchors_and_axes) {
    const Scene s = parsed_scene(R"({ "objects": { "hub": { "kind": "sphere" },
                   "blade": { "kind": "box", "mass": 1, "replicate": { "count": 4, "index": "k" } } },
      "joints": { "root": { "kind": "hinge", "between": ["hub", "blade/{k}"], "at": [1, 0, 0], "axis": [1, 0, 0], "vars": { "half": "k/2" },
                  "replicate": { "count": 4, "index": "k", "at": [0, "k", 0], "rotate": { "axis": [0, 0, 1], "angle": "k*pi/2" } } } } })");
    ASSERT_EQ(s.joints.size(), 4u);
    EXPECT_EQ(s.joints[3].frame.position, (Real3{0, 3, 0}));
    EXPECT_NEAR(s.joints[3].frame.rotation.z, std::sin(3 * 3.14159265358979323846 / 4), 1e-15); // half of three right angles; rounding
    EXPECT_EQ(s.joints[3].vars, (Vars{{"k", 3}, {"half", 1.5}}));
    EXPECT_EQ(find(s.joints[3].params, "vars"), nullptr);
}

TEST(replicate, inside_a_prefab_names_are_local_and_params_count) {
    const Scene s = parsed_scene(R"({ "prefabs": { "chain": { "params": { "links": 3 },
        "objects": { "link": { "kind": "sphere", "mass": 1, "replicate": { "count": "links", "at": ["i", 0, 0] } } },
        "joints": { "pin": { "kind": "ball", "between": ["link/{i}", "link/{i + 1}"], "replicate": { "count": "links - 1" } },
                    "end": { "kind": "ball", "between": ["link/{links - 1}", "/hook"] } } } },
      "objects": { "hook": { "kind": "sphere" }, "a": { "use": "chain", "links": 5, "at": [0, 7, 0], "override": { "pin/2": { "breaks_at": 4 } } },
                   "b": { "use": "chain", "replicate": { "count": 2 } } } })");
    ASSERT_EQ(s.joints.size(), 5u + 2 * 3);
    EXPECT_EQ(s.joints[2].name, "a/pin/2");
    EXPECT_EQ(s.joints[2].names, (std::vector<std::string>{"a/link/2", "a/link/3"}));
    EXPECT_EQ(find(s.joints[2].params, "breaks_at")->number, 4);
    EXPECT_EQ(find(s.joints[1].params, "breaks_at"), nullptr);
    EXPECT_EQ(s.joints[2].frame.position, (Real3{0, 7, 0}));
    EXPECT_EQ(s.joints[4].names, (std::vector<std::string>{"a/link/4", "hook"}));
    EXPECT_EQ(s.joints[9].name, "b/1/pin/1");
}

TEST(replicate, overrides_reach_single_joints_and_patterns_of_them) {
    const Scene s = parsed_scene(R"({ "objects": { "node": { "kind": "sphere", "mass": 1, "replicate": { "count": [2, 3] } } },
      "joints": { "pin": { "kind": "ball", "between": ["world", "node/{i}/{j}"], "breaks_at": 1, "replicate": { "count": [2, 3] },
                           "override": { "1/*": { "breaks_at": 5 }, "0/2": { "breaks_at": 9 } } } } })");
    std::vector<double> at;
    for (const SceneEntry& j : s.joints) at.push_back(find(j.params, "breaks_at")->number);
    EXPECT_EQ(at, (std::vector<double>{1, 1, 9, 5, 5, 5}));
}

TEST(replicate, attachments_and_contact_rules_are_made_alike) {
    const Compiled c = compile(R"({ "objects": { "rope": { "kind": "rope", "mass": 1, "count": 4, "replicate": { "count": 3, "at": [0, 0, "i"] } },
                   "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0, -1, 0], "replicate": { "count": 3, "at": [0, 0, "i"] } } },
      "attach": { "hook": { "points": { "of": "rope/{k}", "index": "k" }, "to": "ball/{2 - k}", "replicate": { "count": 3, "index": "k" } } },
      "contact": [ { "between": ["rope/{i}", "ball/{i}"], "friction": "0.1*i", "replicate": { "count": 3 } } ], "solver": "velocity" })");
    ASSERT_EQ(c.model.contact_rules.size(), 3u);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(c.model.contact_rules[k].a, find(c.model, "rope/" + std::to_string(k)).index);
        EXPECT_EQ(c.model.contact_rules[k].b, find(c.model, "ball/" + std::to_string(k)).index);
        EXPECT_DOUBLE_EQ(c.model.contact_rules[k].friction, 0.1 * k);
    }
    int pins = 0;
    for (const auto* tables : {&c.model.elements->energies, &c.model.elements->constraints})
        for (const Table& t : *tables) {
            if (!t.row->name.starts_with("attach_")) continue;
            for (int e = 0; e < t.count(); ++e) {
                const int point = t.stencil[std::size_t(e) * t.row->stencil], frame = t.stencil[std::size_t(e) * t.row->stencil + 1];
                const int k = c.model.point.object[point] - find(c.model, "rope/0").index;
                EXPECT_EQ(point, c.model.objects[find(c.model, "rope/" + std::to_string(k)).index].points.begin + k);
                EXPECT_EQ(c.model.frame.object[frame], find(c.model, "ball/" + std::to_string(2 - k)).index);
                ++pins;
            }
        }
    EXPECT_EQ(pins, 3);
}

TEST(replicate, none_at_all_is_no_error_and_may_be_named) {
    const Scene s = parsed_scene(R"({ "objects": { "a": { "kind": "sphere", "mass": 1 } },
      "joints": { "pin": { "kind": "hinge", "between": ["world", "a"], "motor": { "speed": 1, "limit": 1 }, "replicate": { "count": 0 } } },
      "events": [ { "at": 1, "set": { "pin.motor": "off" } } ] })");
    EXPECT_TRUE(s.joints.empty());
}

TEST(replicate, what_is_wrong_with_all_is_said_once) {
    const auto r = parse_scene(R"({ "objects": { "a": { "kind": "sphere", "mass": 1, "replicate": { "count": 50 } } },
      "joints": { "pin": { "kind": "ball", "between": ["world", "a/{q}"], "replicate": { "count": 50 } } } })", "f.json");
    ASSERT_EQ(r.errors.size(), 1u);
    EXPECT_EQ(r.errors[0].path, "joints.pin/0.between[1]");
    EXPECT_EQ(r.errors[0].line, 2);
}
