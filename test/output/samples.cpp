#include "output/samples.h"
#include <cmath>
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace sinew {
namespace {

SnapshotObject make_sheet() {
    SnapshotObject o;
    o.name = "sheet";
    o.kind = "cloth_grid";
    o.material = "cotton";
    o.point_count = 12;
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 4; ++i) o.rest.push_back({0.1 * i, 0.0, 0.1 * j});
    // five quads, the sixth cell as one triangle, so that polygons differ in size
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 3; ++i) {
            const int v = 4 * j + i;
            std::vector<int> corners = {v, v + 4, v + 5, v + 1};
            if (i == 2 && j == 1) corners.pop_back();
            o.polygon_vertex.insert(o.polygon_vertex.end(), corners.begin(), corners.end());
            o.polygon_begin.push_back(int(o.polygon_vertex.size()));
        }
    for (int v = 0; v < 12; ++v) o.uv.push_back({(v % 4) / 3.0, (v / 4) / 2.0});
    o.uv.push_back({0.75, 0.125}); // a seam: vertex 4 has another texture coordinate in the first polygon
    o.polygon_uv = o.polygon_vertex;
    o.polygon_uv[1] = 12;
    o.vertex_groups = {{"top", {0, 1, 2, 3, 4, 5, 6, 7}}, {"corner", {0, 11}}, {"even", {0, 1, 2, 3, 4, 5, 6, 7, 9, 10}}};
    // like the squares of a chessboard: every corner of the second polygon belongs to the group, the polygon does not
    o.polygon_groups = {{PolygonGroupKind::group, "even", {0, 2, 4}}, {PolygonGroupKind::material, "red", {1, 2}}, {PolygonGroupKind::material, "blue", {4}}};
    o.color = {0.8, 0.2, 0.1};
    return o;
}

SnapshotObject make_box() {
    SnapshotObject o;
    o.name = "hero/box";
    o.kind = "box";
    o.rigid = true;
    o.point_count = 8;
    for (int i = 0; i < 8; ++i)
        o.rest.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.25 : -0.25, i & 4 ? 1.0 : -1.0});
    o.polygon_vertex = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    for (int i = 1; i <= 6; ++i) o.polygon_begin.push_back(4 * i);
    return o;
}
} // namespace

SnapshotLayout make_sample_layout() {
    SnapshotLayout layout;
    layout.scene_name = "drape";
    layout.fps = 24;
    layout.first_frame = 1001;
    layout.objects = {make_sheet(), make_box()};
    SnapshotObject rope;
    rope.name = "rope";
    rope.kind = "rope";
    rope.point_count = 5;
    for (int i = 0; i < 5; ++i) rope.rest.push_back({2.0, -0.1 * i, 0.0});
    rope.segments = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    layout.objects.push_back(rope);
    SnapshotObject rain;
    rain.name = "rain";
    rain.kind = "emitter";
    rain.point_count = 6;
    rain.draw_points = true;
    rain.radius = 0.005;
    layout.objects.push_back(rain);
    return layout;
}

Snapshot make_sample_snapshot(const SnapshotLayout& layout, int frame) {
    Snapshot s;
    s.frame = frame;
    s.time = (frame - layout.first_frame) / layout.fps;
    s.objects.resize(layout.objects.size());
    for (std::size_t k = 0; k < layout.objects.size(); ++k) {
        const SnapshotObject& o = layout.objects[k];
        SnapshotObjectFrame& f = s.objects[k];
        if (o.rigid) {
            f.pose.position = {std::sin(s.time), 1.0 + 1.0 / 3.0, 0.0};
            f.pose.rotation = {std::cos(s.time / 2), 0.0, std::sin(s.time / 2), 0.0};
            continue;
        }
        for (int i = 0; i < o.point_count; ++i) {
            const Real3 x = o.rest.empty() ? Real3{0.01 * i, 2.0, 0.3} : o.rest[std::size_t(i)];
            f.position.push_back({x.x, x.y + 0.1 * std::sin(3 * x.x + s.time) + 1.0 / 3.0, x.z});
        }
    }
    SnapshotField velocity{"velocity", 3, {}}, speed{"speed", 1, {}};
    for (int i = 0; i < layout.objects[0].point_count; ++i) {
        velocity.values.insert(velocity.values.end(), {0.1 * i, std::cos(s.time + i), -1.0 / 7});
        speed.values.push_back(std::abs(std::cos(s.time + i)));
    }
    s.objects[0].fields = {velocity, speed};
    if (layout.objects.size() > 3) {
        s.objects[3].alive = {1, 0, 1, 1, 0, 1};
        s.objects[3].id = {0, 1, 2, 9, 4, std::uint32_t(frame)};
        s.objects[3].fields = {SnapshotField{"age", 1, {0.1, 0, 0.2, 0.3, 0, s.time}}};
    }
    s.numbers = {{"kinetic_energy [J]", 0.1 + frame}, {"gap [m]", 1e-300}, {"iterations", 7}};
    return s;
}

void expect_equal(const SnapshotLayout& a, const SnapshotLayout& b) {
    EXPECT_EQ(a.scene_name, b.scene_name);
    EXPECT_EQ(a.fps, b.fps);
    EXPECT_EQ(a.first_frame, b.first_frame);
    EXPECT_EQ(a.up, b.up);
    ASSERT_EQ(a.objects.size(), b.objects.size());
    for (std::size_t i = 0; i < a.objects.size(); ++i) {
        const SnapshotObject &x = a.objects[i], &y = b.objects[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.kind, y.kind);
        EXPECT_EQ(x.material, y.material);
        EXPECT_EQ(x.rigid, y.rigid);
        EXPECT_EQ(x.point_count, y.point_count);
        EXPECT_EQ(x.rest, y.rest);
        EXPECT_EQ(x.polygon_begin, y.polygon_begin);
        EXPECT_EQ(x.polygon_vertex, y.polygon_vertex);
        EXPECT_EQ(x.uv, y.uv);
        EXPECT_EQ(x.polygon_uv, y.polygon_uv);
        EXPECT_EQ(x.segments, y.segments);
        EXPECT_EQ(x.vertex_groups, y.vertex_groups);
        ASSERT_EQ(x.polygon_groups.size(), y.polygon_groups.size());
        for (std::size_t g = 0; g < x.polygon_groups.size(); ++g) {
            EXPECT_EQ(x.polygon_groups[g].kind, y.polygon_groups[g].kind);
            EXPECT_EQ(x.polygon_groups[g].name, y.polygon_groups[g].name);
            EXPECT_EQ(x.polygon_groups[g].polygons, y.polygon_groups[g].polygons);
        }
        EXPECT_EQ(x.draw_points, y.draw_points);
        EXPECT_EQ(x.radius, y.radius);
        EXPECT_EQ(x.color, y.color);
    }
}

void expect_equal(const Snapshot& a, const Snapshot& b, bool rounded) {
    auto round = [&](double x) { return rounded ? double(float(x)) : x; };
    EXPECT_EQ(a.frame, b.frame);
    EXPECT_EQ(a.time, b.time);
    EXPECT_EQ(a.numbers, b.numbers);
    ASSERT_EQ(a.objects.size(), b.objects.size());
    for (std::size_t i = 0; i < a.objects.size(); ++i) {
        const SnapshotObjectFrame &x = a.objects[i], &y = b.objects[i];
        EXPECT_EQ(x.pose.position, y.pose.position);
        EXPECT_EQ(x.pose.rotation, y.pose.rotation);
        EXPECT_EQ(x.alive, y.alive);
        EXPECT_EQ(x.id, y.id);
        ASSERT_EQ(x.position.size(), y.position.size());
        for (std::size_t k = 0; k < x.position.size(); ++k)
            for (int c = 0; c < 3; ++c) EXPECT_EQ(round(x.position[k][c]), y.position[k][c]);
        ASSERT_EQ(x.fields.size(), y.fields.size());
        for (std::size_t k = 0; k < x.fields.size(); ++k) {
            EXPECT_EQ(x.fields[k].name, y.fields[k].name);
            EXPECT_EQ(x.fields[k].components, y.fields[k].components);
            ASSERT_EQ(x.fields[k].values.size(), y.fields[k].values.size());
            for (std::size_t v = 0; v < x.fields[k].values.size(); ++v)
                EXPECT_EQ(round(x.fields[k].values[v]), y.fields[k].values[v]);
        }
    }
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "sinew_test_XXXXXX").string();
    folder = ::mkdtemp(name.data());
}
TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}
std::vector<std::string> TemporaryFolder::files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string read_text_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}
void write_text_file(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary).write(text.data(), std::streamsize(text.size()));
}
std::string text_of(const Errors& errors) {
    std::string text;
    for (const Error& e : errors)
        text +=
            e.file + ": " + e.path + " = " + e.value + ": " + e.message + " (allowed: " + e.allowed + ")\n";
    return text;
}

SmallDisk::SmallDisk(std::uint64_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN); // the write then fails with EFBIG instead of ending the process
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    before_soft = limit.rlim_cur;
    before_hard = limit.rlim_max;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
}
SmallDisk::~SmallDisk() {
    const rlimit limit{before_soft, before_hard};
    ::setrlimit(RLIMIT_FSIZE, &limit);
}

} // namespace sinew
