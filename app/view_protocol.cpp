#include "view_protocol.h"
#include "core/math.h"
#include "core/utf8.h"
#include "output/bytes.h"
#include "render/camera.h"
#include "render/shape.h"
#include "render/view.h"
#include "sinew/value.h"
#include <algorithm>
#include <limits>

namespace sinew {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN(); // not to be drawn, or no value

Value number_list(std::initializer_list<double> numbers) {
    Value list = make_array();
    for (double x : numbers) list.items.push_back(make_number(x));
    return list;
}
Value text_list(const std::vector<std::string>& words) {
    Value list = make_array();
    for (const std::string& w : words) list.items.push_back(make_text(w));
    return list;
}

// what the scene says about pictures, as far as it is understood
RenderSettings read_look(const SnapshotLayout& layout) {
    RenderSettings look, read;
    const Result<Value> parsed = parse_value(layout.look, "look");
    if (!parsed) return look;
    std::vector<Error> errors;
    FieldList list = render_fields(read);
    return read_fields(list, *parsed.value, Scope{}, "look", errors) && errors.empty() ? read : look;
}

Value describe_object(const SnapshotObject& o, const DrawnShape& shape) {
    Value v = make_object();
    set(v, "name", make_text(o.name));
    set(v, "kind", make_text(o.kind));
    set(v, "material", make_text(o.material));
    set(v, "rigid", make_boolean(o.rigid));
    set(v, "points", make_number(o.point_count));
    set(v, "drawn", make_number(double(shape.normal_vertex.size())));
    set(v, "triangles", make_number(double(shape.triangles.size())));
    set(v, "segments", make_number(double(o.segments.size())));
    set(v, "draw_points", make_boolean(o.draw_points));
    set(v, "sheet", make_boolean(shape.open));
    set(v, "radius", make_number(o.radius));
    set(v, "color", number_list({o.color.x, o.color.y, o.color.z}));
    return v;
}

Value describe_scene(const SnapshotLayout& layout, const Snapshot& first, const RenderSettings& look, const ViewNames& names) {
    Value v = make_object();
    set(v, "scene", make_text(layout.scene_name));
    set(v, "fps", make_number(layout.fps));
    set(v, "first_frame", make_number(layout.first_frame));
    Value camera = make_array();
    if (layout.camera.size() == 10)
        for (double x : layout.camera) camera.items.push_back(make_number(x));
    set(v, "camera", std::move(camera));
    set(v, "up", number_list({look.up.x, look.up.y, look.up.z}));
    Bounds bounds = kEmptyBounds;
    add_bounds(layout, first, bounds);
    set(v, "ground", make_number(find_ground(layout, first, bounds, look.up)));
    set(v, "color_by", make_text(look.color_by));
    set(v, "numbers", text_list(names.numbers));
    set(v, "fields", text_list(names.fields));
    return v;
}

template <std::size_t N> void append_all(Bytes& out, const std::vector<std::array<int, N>>& rows) {
    for (const std::array<int, N>& row : rows)
        for (int i : row) append(out, std::uint32_t(i));
}
void append_place(Bytes& out, const Real3& x) {
    for (int k = 0; k < 3; ++k) append(out, float(x[k]));
}

void append_positions(Bytes& out, const SnapshotObject& o, const SnapshotObjectFrame& f) {
    if (o.rigid) {
        const bool gone = !f.alive.empty() && !f.alive[0]; // a body that was removed
        const Pose& p = f.pose;
        const double numbers[7] = {p.position.x, p.position.y, p.position.z, p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w};
        for (double x : numbers) append(out, gone ? kNothing : float(x));
        return;
    }
    for (int i = 0; i < o.point_count; ++i) {
        if (std::size_t(i) < f.position.size() && is_alive(f, i)) append_place(out, f.position[i]);
        else append_place(out, {kNothing, kNothing, kNothing});
    }
}

// speeds of the vertices of a body, as means since the frame before
std::vector<double> body_speeds(const SnapshotObject& o, const Pose& now, const Pose& before, double seconds) {
    std::vector<double> speeds(o.rest.size());
    for (std::size_t i = 0; i < speeds.size(); ++i) {
        const Vec3 x = vec(o.rest[i]);
        const Vec3 moved = vec(now.position) + quat(now.rotation) * x - vec(before.position) - quat(before.rotation) * x;
        speeds[i] = moved.norm() / seconds;
    }
    return speeds;
}

void append_field(Bytes& out, const SnapshotLayout& layout, const ViewFrame& frame) {
    for (std::size_t k = 0; k < layout.objects.size(); ++k) {
        const SnapshotObject& o = layout.objects[k];
        const SnapshotObjectFrame& f = frame.now->objects[k];
        std::vector<double> values = field_values(f, frame.field);
        const bool moved = frame.before && frame.before->objects.size() == layout.objects.size() && frame.before->time < frame.now->time;
        if (values.empty() && o.rigid && frame.field == "speed" && moved)
            values = body_speeds(o, f.pose, frame.before->objects[k].pose, frame.now->time - frame.before->time);
        for (int i = 0; i < o.point_count; ++i)
            append(out, std::size_t(i) < values.size() && is_alive(f, i) ? float(values[i]) : kNothing);
    }
}

} // namespace

ViewNames find_view_names(const SnapshotLayout& layout, const Snapshot& s) {
    ViewNames names;
    for (const auto& [name, value] : s.numbers) names.numbers.push_back(name);
    const auto add = [&](const std::string& name) {
        if (std::find(names.fields.begin(), names.fields.end(), name) == names.fields.end()) names.fields.push_back(name);
    };
    for (const SnapshotObject& o : layout.objects)
        if (o.rigid) add("speed");
    for (const SnapshotObjectFrame& o : s.objects)
        for (const SnapshotField& f : o.fields) add(f.name == "velocity" ? "speed" : f.name);
    return names;
}

Result<Bytes> encode_view_layout(const SnapshotLayout& layout, const Snapshot& first, const ViewNames& names, std::uint32_t id) {
    const RenderSettings look = read_look(layout);
    Value v = describe_scene(layout, first, look, names);
    Value objects = make_array();
    Bytes arrays;
    for (const SnapshotObject& o : layout.objects) {
        Result<DrawnShape> shape = build_drawn_shape(o, look.crease);
        if (!shape) return {std::nullopt, shape.errors};
        objects.items.push_back(describe_object(o, *shape.value));
        append_all(arrays, shape.value->normals);
        for (int i : shape.value->normal_vertex) append(arrays, std::uint32_t(i));
        append_all(arrays, o.segments);
        if (o.rigid)
            for (const Real3& x : o.rest) append_place(arrays, x);
    }
    set(v, "objects", std::move(objects));
    std::string text = write_value(v, 0);
    text.resize((text.size() + 7) / 8 * 8, ' '); // arrays begin where numbers of eight bytes may
    Bytes out;
    for (std::uint32_t x : {kViewLayoutMagic, kViewProtocol, id, std::uint32_t(text.size())}) append(out, x);
    append_bytes(out, text.data(), text.size());
    append_bytes(out, arrays.data(), arrays.size());
    return {std::move(out), {}};
}

Bytes encode_view_frame(const SnapshotLayout& layout, const ViewNames& names, const ViewFrame& frame) {
    const Snapshot& s = *frame.now;
    const auto field = std::find(names.fields.begin(), names.fields.end(), frame.field);
    const bool has_field = !frame.field.empty() && field != names.fields.end();
    Bytes out;
    for (std::uint32_t x : {kViewFrameMagic, kViewProtocol, frame.serial, frame.layout}) append(out, x);
    for (double x : {frame.frame, s.time, frame.cost}) append(out, x);
    append(out, std::uint32_t(s.numbers.size()));
    append(out, has_field ? std::int32_t(field - names.fields.begin()) : std::int32_t(-1));
    for (const auto& [name, value] : s.numbers) append(out, value);
    for (std::size_t k = 0; k < layout.objects.size(); ++k) append_positions(out, layout.objects[k], s.objects[k]);
    if (has_field) append_field(out, layout, frame);
    return out;
}

// what is quoted may be any bytes, but texts of WebSockets must be UTF-8
static std::string readable(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const int length = utf8_length(text, i);
        if (length > 0) out.append(text.substr(i, length));
        else append_utf8(0xfffd, out);
        i += std::size_t(std::max(1, length));
    }
    return out;
}

std::string view_error(std::string_view about, std::string_view message) {
    Value v = make_object();
    set(v, "type", make_text("error"));
    set(v, "about", make_text(readable(about)));
    set(v, "message", make_text(readable(message)));
    return write_value(v, 0);
}

std::string view_log(std::string_view line) {
    Value v = make_object();
    set(v, "type", make_text("log"));
    set(v, "text", make_text(readable(line)));
    return write_value(v, 0);
}

} // namespace sinew
