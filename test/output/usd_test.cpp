// USD files read back by a parser of the tests (usda.h) and compared with the snapshots they were made of.
#include "core/math.h"
#include "output/output.h"
#include "output/samples.h"
#include "output/usda.h"
#include "output/world.h"
#include <cmath>
#include <functional>
#include <limits>

namespace sinew {
namespace {

using UsdFrames = std::function<Snapshot(int)>;

void write_usd_frames(Exporter& exporter, const SnapshotLayout& layout, int first, int last,
                      const UsdFrames& frame, const std::string& path) {
    ASSERT_NO_ERRORS(exporter.open(path, layout));
    for (int f = first; f <= last; ++f) ASSERT_NO_ERRORS(exporter.write(frame(f)));
    ASSERT_NO_ERRORS(exporter.close());
}
UsdaPrim write_and_parse(const SnapshotLayout& layout, int first, int last, const UsdFrames& frame,
                         const ExporterSettings& settings = {}) {
    TemporaryFolder folder;
    write_usd_frames(**make_exporter("usd", settings).value, layout, first, last, frame,
                     folder.path("a.usda"));
    EXPECT_EQ(folder.files(), std::vector<std::string>{"a.usda"});
    return parse_usda(read_text_file(folder.path("a.usda")));
}
UsdaPrim sample_file(const ExporterSettings& settings = {}) {
    const SnapshotLayout layout = make_sample_layout();
    return write_and_parse(
        layout, 1001, 1005, [&](int f) { return make_sample_snapshot(layout, f); }, settings);
}
} // namespace

TEST(Usd, the_head_says_units_frames_and_program) {
    const UsdaPrim root = sample_file();
    EXPECT_EQ(root.text("upAxis"), "Y");
    EXPECT_EQ(root.text("defaultPrim"), "World");
    EXPECT_EQ(root.text("doc").rfind("Sinew ", 0), 0u);
    EXPECT_NE(root.text("doc").find("scene drape"), std::string::npos);
    for (const auto& [key, value] : {std::pair{"startTimeCode", 1001.0}, std::pair{"endTimeCode", 1005.0},
                                     std::pair{"metersPerUnit", 1.0}, std::pair{"timeCodesPerSecond", 24.0},
                                     std::pair{"framesPerSecond", 24.0}})
        EXPECT_EQ(root.metadata.at(key).numbers, std::vector<double>{value}) << key;
    EXPECT_EQ(root.order, std::vector<std::string>{"World"});
    const UsdaAttribute& time = root.child("World").attribute("sinew:time");
    EXPECT_TRUE(time.custom);
    ASSERT_EQ(time.samples.size(), 5u);
    for (int f = 1001; f <= 1005; ++f)
        EXPECT_EQ(time.samples.at(f).numbers, std::vector<double>{(f - 1001) / 24.0});
}

TEST(Usd, a_mesh_reads_back_with_all_its_data) {
    const SnapshotLayout layout = make_sample_layout();
    const SnapshotObject& o = layout.objects[0];
    const UsdaPrim root = sample_file();
    const UsdaPrim& mesh = root.child("World/sheet");
    EXPECT_EQ(mesh.type, "Mesh");
    EXPECT_EQ(mesh.text("customData.name"), "sheet");
    EXPECT_EQ(mesh.text("customData.kind"), "cloth_grid");
    EXPECT_EQ(mesh.text("customData.material"), "cotton");
    EXPECT_EQ(mesh.attribute("subdivisionScheme").value.texts, std::vector<std::string>{"none"});
    EXPECT_EQ(mesh.attribute("faceVertexCounts").value.numbers, (std::vector<double>{4, 4, 4, 4, 4, 3}));
    EXPECT_EQ(mesh.attribute("faceVertexIndices").value.numbers, as_numbers(o.polygon_vertex));
    const UsdaAttribute& st = mesh.attribute("primvars:st");
    EXPECT_EQ(st.type, "texCoord2f[]");
    EXPECT_EQ(st.metadata.at("interpolation").texts[0], "faceVarying");
    std::vector<double> uv;
    for (const auto& t : o.uv) uv.insert(uv.end(), {t[0], t[1]});
    expect_floats(st.value, uv);
    EXPECT_EQ(mesh.attribute("primvars:st:indices").value.numbers, as_numbers(o.polygon_uv));
    EXPECT_EQ(mesh.attribute("primvars:displayColor").type, "color3f[]");
    expect_floats(mesh.attribute("primvars:displayColor").value, std::vector<double>{0.8, 0.2, 0.1});
    EXPECT_FALSE(mesh.has("visibility"));
    EXPECT_FALSE(mesh.has("xformOpOrder"));

    EXPECT_EQ(mesh.attribute("points").type, "point3f[]");
    EXPECT_EQ(mesh.attribute("velocities").type, "vector3f[]");
    EXPECT_EQ(mesh.attribute("primvars:sinew:speed").metadata.at("interpolation").texts[0], "vertex");
    ASSERT_EQ(mesh.attribute("points").samples.size(), 5u);
    for (int f = 1001; f <= 1005; ++f) {
        const Snapshot s = make_sample_snapshot(layout, f);
        const std::vector<double> x = flat_numbers(s.objects[0].position);
        EXPECT_EQ(mesh.attribute("points").samples.at(f).tuple, 3);
        expect_floats(mesh.attribute("points").samples.at(f), x);
        expect_floats(mesh.attribute("velocities").samples.at(f), s.objects[0].fields[0].values);
        expect_floats(mesh.attribute("primvars:sinew:speed").samples.at(f), s.objects[0].fields[1].values);
        const UsdaValue& extent = mesh.attribute("extent").at(f);
        for (std::size_t c = 0; c < 3; ++c) {
            double low = x[c], high = x[c];
            for (std::size_t i = c; i < x.size(); i += 3)
                low = std::min(low, x[i]), high = std::max(high, x[i]);
            EXPECT_EQ(float(extent.numbers[c]), float(low));
            EXPECT_EQ(float(extent.numbers[3 + c]), float(high));
        }
    }
}

TEST(Usd, groups_of_polygons_are_subsets_and_groups_of_vertices_primvars) {
    const UsdaPrim root = sample_file();
    const UsdaPrim& mesh = root.child("World/sheet");
    EXPECT_EQ(mesh.order, (std::vector<std::string>{"even", "red", "blue"}));
    for (const auto& [name, polygons] :
         std::map<std::string, std::vector<double>>{{"even", {0, 2, 4}}, {"red", {1, 2}}, {"blue", {4}}}) {
        const UsdaPrim& subset = mesh.child(name);
        EXPECT_EQ(subset.type, "GeomSubset");
        EXPECT_EQ(subset.attribute("elementType").value.texts[0], "face");
        EXPECT_EQ(subset.attribute("familyName").value.texts[0], name == "even" ? "group" : "materialBind");
        EXPECT_EQ(subset.attribute("indices").value.numbers, polygons);
    }
    const UsdaAttribute& corner = mesh.attribute("primvars:sinew:group:corner");
    EXPECT_EQ(corner.type, "int[]");
    EXPECT_EQ(corner.value.numbers, (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(Usd, a_corner_without_texture_coordinate_gets_one_of_its_own) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("a")};
    layout.objects[0].uv = {{0.25, 0.5}, {1, 1}};
    layout.objects[0].polygon_uv = {0, -1, 1, -1};
    const UsdaPrim root = write_and_parse(layout, 1, 2, [&](int f) { return make_usd_rise(layout, f); });
    EXPECT_EQ(root.child("World/a").attribute("primvars:st").value.numbers,
              (std::vector<double>{0.25, 0.5, 1, 1, 0, 0}));
    EXPECT_EQ(root.child("World/a").attribute("primvars:st:indices").value.numbers,
              (std::vector<double>{0, 2, 1, 2}));
}

TEST(Usd, rigid_objects_are_moved_by_poses) {
    const SnapshotLayout layout = make_sample_layout();
    const UsdaPrim root = sample_file();
    EXPECT_EQ(root.child("World/hero").type, "Xform");
    const UsdaPrim& box = root.child("World/hero/box");
    EXPECT_EQ(box.text("customData.name"), "hero/box");
    EXPECT_EQ(box.attribute("xformOpOrder").value.texts,
              (std::vector<std::string>{"xformOp:translate", "xformOp:orient"}));
    EXPECT_TRUE(box.attribute("points").samples.empty());
    expect_floats(box.attribute("points").value, flat_numbers(layout.objects[1].rest));
    EXPECT_EQ(box.attribute("extent").value.numbers, (std::vector<double>{-0.5, -0.25, -1, 0.5, 0.25, 1}));
    EXPECT_EQ(box.attribute("xformOp:translate").type, "double3");
    EXPECT_EQ(box.attribute("xformOp:orient").type, "quatf");
    for (int f = 1001; f <= 1005; ++f) {
        const std::vector<double>&p = box.attribute("xformOp:translate").at(f).numbers,
              &q = box.attribute("xformOp:orient").at(f).numbers;
        const Mat3 turn = Quat(q[0], q[1], q[2], q[3]).toRotationMatrix();
        const std::vector<Real3> want =
            make_world_positions(layout.objects[1], make_sample_snapshot(layout, f).objects[1]);
        for (std::size_t i = 0; i < want.size(); ++i) {
            const Vec3 x = turn * vec(layout.objects[1].rest[i]) + Vec3(p[0], p[1], p[2]);
            // a quaternion of float32 is wrong by 2^-24 per component, which turns a vertex 1.2 m away by a
            // few of that
            EXPECT_LT((x - vec(want[i])).norm(), 8 * 1.2 * std::exp2(-24.0)) << f;
        }
    }
}

TEST(Usd, segments_are_curves) {
    const UsdaPrim root = sample_file();
    const UsdaPrim& rope = root.child("World/rope");
    EXPECT_EQ(rope.type, "BasisCurves");
    EXPECT_EQ(rope.attribute("type").value.texts[0], "linear");
    EXPECT_EQ(rope.attribute("curveVertexCounts").value.numbers, std::vector<double>{5});
    expect_floats(rope.attribute("widths").value, std::vector<double>{0.02});
    EXPECT_EQ(rope.attribute("widths").metadata.at("interpolation").texts[0], "constant");
    const Snapshot s = make_sample_snapshot(make_sample_layout(), 1003);
    expect_floats(rope.attribute("points").samples.at(1003), flat_numbers(s.objects[2].position));

    // a fork, a lone segment, polygons besides
    SnapshotLayout layout;
    layout.objects = {make_usd_square("net")};
    layout.objects[0].segments = {{0, 1}, {1, 2}, {1, 3}, {0, 2}};
    const UsdaPrim net = write_and_parse(layout, 0, 1, [&](int f) { return make_usd_rise(layout, f); });
    EXPECT_EQ(net.child("World").order, (std::vector<std::string>{"net", "net_lines"}));
    EXPECT_EQ(net.child("World/net").type, "Mesh");
    const UsdaPrim& lines = net.child("World/net_lines");
    EXPECT_EQ(lines.text("customData.name"), "net");
    EXPECT_EQ(lines.attribute("curveVertexCounts").value.numbers, (std::vector<double>{3, 2, 2}));
    std::vector<Real3> want;
    for (int v : {0, 1, 2, 1, 3, 0, 2}) want.push_back(layout.objects[0].rest[std::size_t(v)]);
    expect_floats(lines.attribute("points").samples.at(0), flat_numbers(want));
}

TEST(Usd, particles_are_born_and_die) {
    SnapshotLayout layout;
    layout.objects = {make_usd_cloud("rain", 3)};
    const std::vector<std::vector<std::uint8_t>> alive = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                                          {0, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    const std::vector<std::vector<std::uint32_t>> id = {{0, 0, 0}, {7, 0, 0},           {7, 8, 0},
                                                        {7, 8, 0}, {4000000000u, 8, 0}, {4000000000u, 8, 0}};
    const UsdFrames frame = [&](int f) {
        Snapshot s = make_usd_rise(layout, f);
        s.objects[0].alive = alive[std::size_t(f)];
        s.objects[0].id = id[std::size_t(f)];
        s.objects[0].fields = {{"age", 1, {1.0 + f, 2.0 + f, 3}}};
        s.objects[0].position[2].x = std::numeric_limits<double>::quiet_NaN(); // a slot that was never used
        return s;
    };
    const UsdaPrim root = write_and_parse(layout, 0, 5, frame);
    const UsdaPrim& rain = root.child("World/rain");
    EXPECT_EQ(rain.type, "Points");
    EXPECT_EQ(rain.attribute("widths").value.numbers, std::vector<double>{0.25});
    EXPECT_EQ(rain.attribute("ids").type, "int64[]");
    for (int f = 0; f <= 5; ++f) {
        std::vector<double> ids, ages, x;
        for (std::size_t i = 0; i < 3; ++i) {
            if (!alive[std::size_t(f)][i]) continue;
            const Snapshot s = frame(f);
            ids.push_back(s.objects[0].id[i]);
            ages.push_back(s.objects[0].fields[0].values[i]);
            for (int c = 0; c < 3; ++c) x.push_back(s.objects[0].position[i][c]);
        }
        EXPECT_EQ(rain.attribute("ids").at(f).numbers, ids) << f;
        expect_floats(rain.attribute("points").at(f), x);
        expect_floats(rain.attribute("primvars:sinew:age").at(f), ages);
        if (!x.empty()) {
            EXPECT_EQ(float(rain.attribute("extent").at(f).numbers[0]), float(x[0] - 0.125));
        }
    }
}

TEST(Usd, names_become_identifiers_that_differ_and_stay_readable) {
    SnapshotLayout layout;
    const std::vector<std::string> names = {"a b",  "a_b",        "a-b",         "3", "Größe \"x\" \\",
                                            "hero", "hero/chest", "hero/chest/", "/", "World",
                                            "\xff"};
    for (const std::string& name : names) layout.objects.push_back(make_usd_square(name));
    const UsdFrames frame = [&](int f) {
        Snapshot s = make_usd_rise(layout, f);
        const std::vector<double> one(4, f + 1.0), three(12, f + 2.0), six(24, f + 3.0);
        s.objects[0].fields = {{"my; field", 1, one},
                               {"my__field", 1, one},
                               {"indices", 1, one},
                               {"tint", 3, three},
                               {"stress", 6, six}};
        return s;
    };
    const UsdaPrim root = write_and_parse(layout, 0, 1, frame);
    const std::vector<std::string> paths = {"a_b",         "a_b_1", "a_b_2",        "_3",
                                            "Gr__e__x___", "hero",  "hero_1/chest", "hero_1/chest_1/_",
                                            "_/_",         "World", "__1"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(root.child("World/" + paths[i]).type, "Mesh") << paths[i];
        EXPECT_EQ(root.child("World/" + paths[i]).text("customData.name"), names[i]);
    }
    const UsdaPrim& fields = root.child("World/a_b");
    EXPECT_EQ(fields.attribute("primvars:sinew:my__field").metadata.at("displayName").texts[0], "my; field");
    EXPECT_EQ(fields.attribute("primvars:sinew:my__field_1").metadata.at("displayName").texts[0],
              "my__field");
    EXPECT_EQ(fields.attribute("primvars:sinew:indices_").metadata.at("displayName").texts[0], "indices");
    EXPECT_EQ(fields.attribute("primvars:sinew:tint").type, "float3[]");
    EXPECT_EQ(fields.attribute("primvars:sinew:stress").type, "float[]");
    EXPECT_EQ(fields.attribute("primvars:sinew:stress").metadata.at("elementSize").numbers[0], 6);
    EXPECT_EQ(fields.attribute("primvars:sinew:stress").at(1).numbers, std::vector<double>(24, 4.0));
}

TEST(Usd, what_rests_is_written_once_and_holds_until_it_moves) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("still"), make_usd_square("late")};
    const UsdFrames frame = [&](int f) {
        Snapshot s = make_usd_rise(layout, 0);
        s.frame = f;
        if (f > 6) s.objects[1].position[0].y = f;
        return s;
    };
    const UsdaPrim root = write_and_parse(layout, 1, 9, frame);
    EXPECT_TRUE(root.child("World/still").attribute("points").has_value);
    EXPECT_TRUE(root.child("World/still").attribute("points").samples.empty());
    // a program that interpolates sees nothing move before frame 6
    std::vector<double> times;
    for (const auto& [time, value] : root.child("World/late").attribute("points").samples)
        times.push_back(time);
    EXPECT_EQ(times, (std::vector<double>{1, 6, 7, 8, 9}));
    for (int f = 1; f <= 9; ++f)
        expect_floats(root.child("World/late").attribute("points").at(f),
                      flat_numbers(frame(f).objects[1].position));
}

TEST(Usd, no_number_that_is_not_finite_is_written) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("a")};
    layout.objects[0].color = {std::nan(""), 0.5, 1};
    constexpr double inf = std::numeric_limits<double>::infinity(), large = std::numeric_limits<float>::max();
    const UsdaPrim root = write_and_parse(layout, 0, 0, [&](int f) {
        Snapshot s = make_usd_rise(layout, f);
        s.objects[0].fields = {{"odd", 1, {std::nan(""), inf, -inf, 1e300}}};
        return s;
    });
    EXPECT_EQ(root.child("World/a").attribute("primvars:sinew:odd").value.numbers.size(), 4u);
    expect_floats(root.child("World/a").attribute("primvars:sinew:odd").value,
                  std::vector<double>{0, large, -large, large});
    EXPECT_EQ(root.child("World/a").attribute("primvars:displayColor").value.numbers[0], 0);

    for (const double bad : {std::nan(""), inf, 1e39}) {
        TemporaryFolder folder;
        auto exporter = make_exporter("usd", {});
        ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.usda"), layout));
        ASSERT_NO_ERRORS((*exporter.value)->write(make_usd_rise(layout, 0)));
        Snapshot s = make_usd_rise(layout, 1);
        s.objects[0].position[2].z = bad;
        const Errors errors = (*exporter.value)->write(s);
        ASSERT_EQ(errors.size(), 1u);
        EXPECT_EQ(errors[0].path, "objects.a");
        EXPECT_EQ(errors[0].message,
                  "the position of vertex 2 in frame 1 is no finite float32, which USD cannot hold");
        // the frames before it are kept
        ASSERT_NO_ERRORS((*exporter.value)->close());
        EXPECT_EQ(parse_usda(read_text_file(folder.path("a.usda")))
                      .child("World")
                      .attribute("sinew:time")
                      .samples.size(),
                  1u);
    }
    SnapshotLayout rigid = make_sample_layout();
    auto exporter = make_exporter("usd", {});
    TemporaryFolder folder;
    ASSERT_NO_ERRORS((*exporter.value)->open(folder.path("a.usda"), rigid));
    Snapshot s = make_sample_snapshot(rigid, 1001);
    s.objects[1].pose.rotation.x = std::nan("");
    const Errors errors = (*exporter.value)->write(s);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].path, "objects.hero/box");
    EXPECT_NE(errors[0].message.find("the pose in frame 1001"), std::string::npos);
}

TEST(Usd, an_object_without_vertices_is_an_empty_prim) {
    SnapshotLayout layout;
    layout.objects = {make_usd_cloud("nothing", 0), make_usd_square("something")};
    const UsdaPrim root = write_and_parse(layout, 3, 4, [&](int f) { return make_usd_rise(layout, f); });
    EXPECT_TRUE(root.child("World/nothing").attribute("points").value.array);
    EXPECT_TRUE(root.child("World/nothing").attribute("points").value.numbers.empty());
}

TEST(Usd, samples_of_many_frames_come_in_order_through_the_temporary_file) {
    // 3000 points: each sample is larger than what an attribute gathers in memory, the file larger than its
    // buffers
    SnapshotLayout layout;
    layout.objects = {make_usd_cloud("cloud", 3000), make_usd_square("sheet")};
    const UsdFrames frame = [&](int f) {
        Snapshot s = make_usd_rise(layout, f);
        for (std::size_t i = 0; i < 3000; ++i) s.objects[0].position[i].z = std::sin(double(i) + f);
        return s;
    };
    const UsdaPrim root = write_and_parse(layout, -20, 219, frame);
    for (int f = -20; f <= 219; ++f) {
        EXPECT_EQ(root.child("World/sheet").attribute("points").samples.count(f), 1u);
        if (f % 40 == 0)
            expect_floats(root.child("World/cloud").attribute("points").samples.at(f),
                          flat_numbers(frame(f).objects[0].position));
    }
}

TEST(Usd, up_and_camera_are_those_of_the_scene) {
    SnapshotLayout layout;
    layout.objects = {make_usd_square("a")};
    layout.camera = {1, 2, 3, 1, 2, -5, 0, 1, 0, 0.5};
    layout.look = R"({"width": 640, "height": 640})";
    const UsdFrames frame = [&](int f) { return make_usd_rise(layout, f); };
    ExporterSettings settings;
    settings.objects = {"a"}; // choosing objects keeps the camera
    UsdaPrim root = write_and_parse(layout, 0, 1, frame, settings);
    const UsdaPrim& camera = root.child("World/Camera");
    EXPECT_EQ(camera.type, "Camera");
    const double focal = camera.attribute("focalLength").value.numbers[0],
                 high = camera.attribute("verticalAperture").value.numbers[0];
    EXPECT_NEAR(2 * std::atan(high / (2 * focal)), 0.5, 1e-6); // numbers of float32
    EXPECT_EQ(camera.attribute("horizontalAperture").value.numbers[0], high);
    EXPECT_EQ(camera.attribute("xformOp:translate").value.numbers, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(camera.attribute("xformOp:orient").value.numbers,
              (std::vector<double>{1, 0, 0, 0})); // along -z already
    // the eye on +x looks along -x, z up: its right is +y
    layout.camera = {4, 0, 0, 0, 0, 0, 0, 0, 1, 0.5};
    root = write_and_parse(layout, 0, 1, frame);
    const std::vector<double> q = root.child("World/Camera").attribute("xformOp:orient").value.numbers;
    const Mat3 axes = Quat(q[0], q[1], q[2], q[3]).toRotationMatrix();
    EXPECT_LT((axes.col(0) - Vec3(0, 1, 0)).norm() + (axes.col(1) - Vec3(0, 0, 1)).norm(),
              1e-6); // float32 again

    for (const std::string up : {"x", "y", "z", "-x", "-y", "-z"}) {
        layout.up = up;
        root = write_and_parse(layout, 0, 1, frame);
        Vec3 direction = Vec3::Zero();
        direction["xyz"[0] == up.back() ? 0 : up.back() == 'y' ? 1 : 2] = up[0] == '-' ? -1 : 1;
        const UsdaPrim& world = root.child("World");
        Mat3 turn = Mat3::Identity();
        if (world.has("xformOp:rotateX"))
            turn = Eigen::AngleAxisd(world.attribute("xformOp:rotateX").value.numbers[0] * kPi / 180,
                                     Vec3::UnitX())
                       .toRotationMatrix();
        if (world.has("xformOp:rotateZ"))
            turn = Eigen::AngleAxisd(world.attribute("xformOp:rotateZ").value.numbers[0] * kPi / 180,
                                     Vec3::UnitZ())
                       .toRotationMatrix();
        const Vec3 axis = root.text("upAxis") == "Z" ? Vec3(0, 0, 1) : Vec3(0, 1, 0);
        EXPECT_LT((turn * direction - axis).norm(), 1e-12) << up;
    }
}

TEST(Usd, fields_are_written_as_asked_for) {
    ExporterSettings settings;
    settings.fields = {"speed"};
    const UsdaPrim some = sample_file(settings);
    EXPECT_TRUE(some.child("World/sheet").has("primvars:sinew:speed"));
    EXPECT_FALSE(some.child("World/sheet").has("velocities"));
    settings.fields.clear();
    EXPECT_FALSE(sample_file(settings).child("World/sheet").has("primvars:sinew:speed"));
}

} // namespace sinew
