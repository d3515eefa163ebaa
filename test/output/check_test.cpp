#include "output/check.h"
#include "output/samples.h"
#include <cmath>
#include <functional>

namespace sinew {

TEST(Check, the_sample_is_consistent) {
    const SnapshotLayout layout = make_sample_layout();
    EXPECT_NO_ERRORS(check_layout(layout));
    EXPECT_NO_ERRORS(check_snapshot(layout, make_sample_snapshot(layout, 1001)));
}

TEST(Check, every_inconsistency_of_a_layout_is_named) {
    struct Case {
        const char* expected;
        std::function<void(SnapshotLayout&)> spoil;
    };
    const std::vector<Case> cases = {
        {"frames per second", [](auto& l) { l.fps = 0; }},
        {"frames per second", [](auto& l) { l.fps = std::nan(""); }},
        {"no name", [](auto& l) { l.objects[0].name.clear(); }},
        {"same name", [](auto& l) { l.objects[1].name = "sheet"; }},
        {"control characters", [](auto& l) { l.objects[1].kind = "a\nb"; }},
        {"negative", [](auto& l) { l.objects[3].point_count = -1; }},
        {"rest does not", [](auto& l) { l.objects[1].rest.pop_back(); }},
        {"a polygon names a vertex", [](auto& l) { l.objects[0].polygon_vertex[3] = 12; }},
        {"a polygon names a vertex", [](auto& l) { l.objects[0].polygon_vertex[3] = -1; }},
        {"polygon_begin does not", [](auto& l) { l.objects[0].polygon_begin.pop_back(); }},
        {"fewer than 3", [](auto& l) { l.objects[0].polygon_begin[1] = 2; }},
        {"texture coordinate", [](auto& l) { l.objects[0].polygon_uv[3] = 13; }},
        {"different sizes", [](auto& l) { l.objects[0].polygon_uv.pop_back(); }},
        {"segment", [](auto& l) { l.objects[2].segments[0][1] = 5; }},
        {"vertex group names", [](auto& l) { l.objects[0].vertex_groups[0].second.push_back(99); }},
        {"polygon group names", [](auto& l) { l.objects[0].polygon_groups[0].polygons.push_back(6); }},
        {"polygon group has no", [](auto& l) { l.objects[0].polygon_groups[0].name.clear(); }},
        {"polygon group is of", [](auto& l) { l.objects[0].polygon_groups[0].kind = PolygonGroupKind(7); }},
        {"vertex groups have the same", [](auto& l) { l.objects[0].vertex_groups[1].first = "top"; }},
    };
    for (const Case& c : cases) {
        SnapshotLayout layout = make_sample_layout();
        c.spoil(layout);
        const Errors errors = check_layout(layout);
        ASSERT_EQ(errors.size(), 1u) << c.expected;
        EXPECT_NE(errors[0].message.find(c.expected), std::string::npos) << errors[0].message;
    }
}

TEST(Check, every_inconsistency_of_a_snapshot_is_named) {
    struct Case {
        const char* expected;
        std::function<void(Snapshot&)> spoil;
    };
    const std::vector<Case> cases = {
        {"3 objects, its layout 4", [](auto& s) { s.objects.pop_back(); }},
        {"position", [](auto& s) { s.objects[0].position.pop_back(); }},
        {"position", [](auto& s) { s.objects[1].position.resize(8); }},
        {"alive", [](auto& s) { s.objects[3].alive.pop_back(); }},
        {"id", [](auto& s) { s.objects[3].id.pop_back(); }},
        {"field \"velocity\"", [](auto& s) { s.objects[0].fields[0].values.pop_back(); }},
        {"field \"velocity\"", [](auto& s) { s.objects[0].fields[0].components = 0; }},
        {"two fields", [](auto& s) { s.objects[0].fields[1] = s.objects[0].fields[0]; }},
        {"number", [](auto& s) { s.numbers[0].first = "a\nb"; }},
    };
    const SnapshotLayout layout = make_sample_layout();
    for (const Case& c : cases) {
        Snapshot s = make_sample_snapshot(layout, 1001);
        c.spoil(s);
        const Errors errors = check_snapshot(layout, s);
        ASSERT_EQ(errors.size(), 1u) << c.expected;
        EXPECT_NE(errors[0].message.find(c.expected), std::string::npos) << errors[0].message;
    }
}

} // namespace sinew
