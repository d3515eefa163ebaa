// The viewer's messages to its pages, byte by byte as docs/viewer.md has them.
#include "view_protocol.h"
#include "output/bytes.h"
#include "output/samples.h"
#include "sinew/value.h"
#include <cmath>
#include <limits>

using namespace sinew;

namespace {

struct ReadLayout {
    std::uint32_t id = 0;
    Value info;
    ByteReader arrays;
};
ReadLayout read_layout(const Bytes& bytes) {
    ByteReader r{bytes};
    EXPECT_EQ(r.number<std::uint32_t>(), kViewLayoutMagic);
    EXPECT_EQ(r.number<std::uint32_t>(), kViewProtocol);
    ReadLayout out;
    out.id = r.number<std::uint32_t>();
    const auto length = r.number<std::uint32_t>();
    EXPECT_EQ(length % 8, 0u);
    const ByteSpan text = r.bytes(length);
    const auto parsed = parse_value({reinterpret_cast<const char*>(text.data()), text.size()}, "layout");
    EXPECT_TRUE(parsed);
    if (parsed) out.info = *parsed.value;
    out.arrays = r;
    return out;
}
double number_at(const Value& v, const char* key) { return find(v, key)->number; }

struct Sample {
    SnapshotLayout layout = make_sample_layout();
    Snapshot before = make_sample_snapshot(layout, 1), now = make_sample_snapshot(layout, 2);
    ViewNames names = find_view_names(layout, now);
    Bytes encode(const std::string& field, bool with_before = true) const {
        return encode_view_frame(layout, names, {7, 3, 2.5, 0.25, field, &now, with_before ? &before : nullptr});
    }
    std::size_t place_count() const { // of float32
        std::size_t count = 0;
        for (const SnapshotObject& o : layout.objects) count += o.rigid ? 7 : 3 * std::size_t(o.point_count);
        return count;
    }
    std::size_t vertex_count() const {
        std::size_t count = 0;
        for (const SnapshotObject& o : layout.objects) count += std::size_t(o.point_count);
        return count;
    }
};

} // namespace

TEST(view_protocol, a_layout_has_the_counts_it_announces) {
    const Sample s;
    const auto bytes = encode_view_layout(s.layout, s.now, s.names, 3);
    ASSERT_TRUE(bytes);
    ReadLayout got = read_layout(*bytes.value);
    EXPECT_EQ(got.id, 3u);
    EXPECT_EQ(find(got.info, "scene")->text, s.layout.scene_name);
    const std::vector<Value>& objects = find(got.info, "objects")->items;
    ASSERT_EQ(objects.size(), s.layout.objects.size());
    for (std::size_t k = 0; k < objects.size(); ++k) {
        const SnapshotObject& o = s.layout.objects[k];
        EXPECT_EQ(find(objects[k], "name")->text, o.name);
        EXPECT_EQ(number_at(objects[k], "points"), o.point_count);
        const int triangles = int(number_at(objects[k], "triangles")), drawn = int(number_at(objects[k], "drawn"));
        int corners = 0;
        for (std::size_t p = 0; p + 1 < o.polygon_begin.size(); ++p) corners += o.polygon_begin[p + 1] - o.polygon_begin[p] - 2;
        EXPECT_EQ(triangles, corners) << o.name << ": a polygon of n corners is n - 2 triangles";
        for (int i = 0; i < 3 * triangles; ++i) EXPECT_LT(int(got.arrays.number<std::uint32_t>()), drawn);
        for (int i = 0; i < drawn; ++i) EXPECT_LT(int(got.arrays.number<std::uint32_t>()), o.point_count);
        for (const auto& segment : o.segments)
            for (int i : segment) EXPECT_EQ(int(got.arrays.number<std::uint32_t>()), i);
        for (int i = 0; o.rigid && i < o.point_count; ++i)
            for (int c = 0; c < 3; ++c) EXPECT_EQ(got.arrays.number<float>(), float(o.rest[i][c]));
    }
    EXPECT_FALSE(got.arrays.failed);
    EXPECT_TRUE(got.arrays.rest.empty());
}

TEST(view_protocol, a_box_has_a_normal_per_side_at_each_corner) {
    const Sample s;
    const auto bytes = encode_view_layout(s.layout, s.now, s.names, 1);
    ASSERT_TRUE(bytes);
    const ReadLayout got = read_layout(*bytes.value);
    for (const Value& o : find(got.info, "objects")->items)
        if (find(o, "name")->text == "hero/box") {
            EXPECT_EQ(number_at(o, "drawn"), 24);
        }
}

TEST(view_protocol, a_frame_is_its_head_numbers_positions) {
    Sample s;
    s.now.numbers = {{"energy.total [J]", 1.5}, {"residual", 1e-9}};
    s.names = find_view_names(s.layout, s.now);
    const Bytes bytes = s.encode("");
    ByteReader r{bytes};
    EXPECT_EQ(r.number<std::uint32_t>(), kViewFrameMagic);
    EXPECT_EQ(r.number<std::uint32_t>(), kViewProtocol);
    EXPECT_EQ(r.number<std::uint32_t>(), 7u);
    EXPECT_EQ(r.number<std::uint32_t>(), 3u);
    EXPECT_EQ(r.number<double>(), 2.5);
    EXPECT_EQ(r.number<double>(), s.now.time);
    EXPECT_EQ(r.number<double>(), 0.25);
    EXPECT_EQ(r.number<std::uint32_t>(), 2u);
    EXPECT_EQ(r.number<std::int32_t>(), -1);
    EXPECT_EQ(r.number<double>(), 1.5);
    EXPECT_EQ(r.number<double>(), 1e-9);
    EXPECT_EQ(r.rest.size(), 4 * s.place_count());
    for (std::size_t k = 0; k < s.layout.objects.size(); ++k) {
        const SnapshotObject& o = s.layout.objects[k];
        const SnapshotObjectFrame& f = s.now.objects[k];
        if (o.rigid) {
            const Real4 q = f.pose.rotation;
            for (double x : {f.pose.position.x, f.pose.position.y, f.pose.position.z, q.x, q.y, q.z, q.w}) EXPECT_EQ(r.number<float>(), float(x));
            continue;
        }
        for (int i = 0; i < o.point_count; ++i)
            for (int c = 0; c < 3; ++c) {
                const float x = r.number<float>();
                const bool dead = !f.alive.empty() && !f.alive[i];
                EXPECT_TRUE(dead ? std::isnan(x) : x == float(f.position[i][c])) << o.name << " " << i;
            }
    }
    EXPECT_FALSE(r.failed);
}

TEST(view_protocol, a_field_follows_the_positions) {
    const Sample s;
    const auto place = std::find(s.names.fields.begin(), s.names.fields.end(), "speed");
    ASSERT_NE(place, s.names.fields.end());
    EXPECT_EQ(std::count(s.names.fields.begin(), s.names.fields.end(), "velocity"), 0) << "its length is called speed";
    const Bytes without = s.encode(""), with = s.encode("speed");
    EXPECT_EQ(with.size(), without.size() + 4 * s.vertex_count());
    EXPECT_EQ(s.encode("no_such_field").size(), without.size());
    std::int32_t index = -2;
    std::memcpy(&index, with.data() + 44, 4);
    EXPECT_EQ(index, place - s.names.fields.begin());
}

TEST(view_protocol, speeds_of_bodies_are_means_since_the_frame_before) {
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].rigid = true;
    layout.objects[0].point_count = 1;
    layout.objects[0].rest = {{1, 0, 0}};
    Snapshot before, now;
    before.objects.resize(1), now.objects.resize(1);
    before.time = 1, now.time = 1.5;
    now.objects[0].pose.position = {0, 3, 0};
    now.objects[0].pose.rotation = {0, 0, 0, 1}; // half a turn about z: the vertex goes from (1, 0, 0) to (-1, 3, 0)
    const ViewNames names = find_view_names(layout, now);
    EXPECT_EQ(names.fields, std::vector<std::string>{"speed"});
    const auto speed = [&](const Snapshot* earlier) {
        const Bytes b = encode_view_frame(layout, names, {1, 1, 0, 0, "speed", &now, earlier});
        float x = 0;
        std::memcpy(&x, b.data() + b.size() - 4, 4);
        return x;
    };
    EXPECT_FLOAT_EQ(speed(&before), float(std::sqrt(13.0) / 0.5));
    EXPECT_TRUE(std::isnan(speed(nullptr)));
    EXPECT_TRUE(std::isnan(speed(&now))) << "no time has passed";
}

TEST(view_protocol, a_removed_body_is_not_a_number) {
    SnapshotLayout layout;
    layout.objects.resize(1);
    layout.objects[0].rigid = true;
    layout.objects[0].point_count = 1;
    layout.objects[0].rest = {{1, 0, 0}};
    Snapshot now;
    now.objects.resize(1);
    now.objects[0].alive = {0};
    const Bytes b = encode_view_frame(layout, {}, {1, 1, 0, 0, "", &now, nullptr});
    ASSERT_EQ(b.size(), 48 + 7 * sizeof(float));
    float x = 0;
    std::memcpy(&x, b.data() + 48, 4);
    EXPECT_TRUE(std::isnan(x));
}

TEST(view_protocol, texts_are_json_whatever_they_quote) {
    for (const char* text : {"", "plain", "quote \" backslash \\ newline \n", "\x01"}) {
        const auto e = parse_value(view_error(text, text), "error"), l = parse_value(view_log(text), "log");
        ASSERT_TRUE(e && l) << text;
        EXPECT_EQ(find(*e.value, "type")->text, "error");
        EXPECT_EQ(find(*e.value, "message")->text, text);
        EXPECT_EQ(find(*l.value, "text")->text, text);
    }
    const auto cut = parse_value(view_error("", "a\xff\xc3"), "error");
    ASSERT_TRUE(cut) << "bytes that are no UTF-8";
    EXPECT_EQ(find(*cut.value, "message")->text, "a\xef\xbf\xbd\xef\xbf\xbd");
}
