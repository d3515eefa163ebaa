// Payload of a frame chunk: poses of all rigid objects ("pose"), positions of all others one after the other
// ("position"), then per object "alive/7", "id/7" and "field/7/strain", then the report ("number_names",
// "number_values").
#include "output/arrays.h"
#include "output/check.h"
#include "output/recording.h"
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace sinew {
namespace {

// false if a finite value would become infinite
bool narrow(std::span<const double> values, std::vector<float>& out) {
    constexpr double largest = std::numeric_limits<float>::max();
    out.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i]) > largest && std::isfinite(values[i])) return false;
        out[i] = float(values[i]);
    }
    return true;
}

void add_reals(const std::string& name, std::span<const double> values, int columns, Precision precision,
               ArrayWriter& out) {
    std::vector<float> narrowed;
    if (precision != Precision::float64 && narrow(values, narrowed))
        out.add<float>(name, narrowed, std::uint64_t(columns));
    else
        out.add<double>(name, values, std::uint64_t(columns));
}

constexpr std::size_t kPose = 7; // px py pz qw qx qy qz
void append_pose(const Pose& p, std::vector<double>& out) {
    out.insert(out.end(), {p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y,
                           p.rotation.z});
}
Pose read_pose(const double* v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}}; }

// "field/7/strain" -> 7, "strain"
bool split_field_name(std::string_view name, std::size_t& object, std::string_view& field) {
    if (name.substr(0, 6) != "field/") return false;
    name.remove_prefix(6);
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), object);
    const std::size_t digits = std::size_t(end - name.data());
    if (code != std::errc() || digits >= name.size() || name[digits] != '/') return false;
    field = name.substr(digits + 1);
    return true;
}

void read_fields(const ArrayList& list, Snapshot& s, Errors& errors) {
    for (const ArrayView& a : list.arrays) {
        std::size_t object = 0;
        std::string_view name;
        if (!split_field_name(a.name, object, name)) continue;
        if (object >= s.objects.size() || a.shape.size() != 2 || a.shape[1] > std::uint64_t(1) << 16) {
            errors.push_back(data_error(a.name, "a field has the wrong object or shape"));
            return;
        }
        SnapshotField field;
        field.name = std::string(name);
        field.components = int(a.shape[1]);
        read_array(list, a.name, a.shape[1], field.values, errors);
        s.objects[object].fields.push_back(std::move(field));
    }
}

// poses of rigid objects, positions of the others
void read_motion(const ArrayList& list, const SnapshotLayout& layout, Snapshot& s, Errors& errors) {
    std::vector<double> poses, positions;
    read_array(list, "pose", kPose, poses, errors);
    read_array(list, "position", 3, positions, errors);
    std::size_t rigid_count = 0, position_count = 0;
    for (const SnapshotObject& o : layout.objects)
        (o.rigid ? rigid_count : position_count) += o.rigid ? 1 : std::size_t(o.point_count);
    if (!errors.empty()) return;
    if (poses.size() != kPose * rigid_count || positions.size() != 3 * position_count) {
        errors.push_back(data_error("position", "a frame does not fit its layout"));
        return;
    }
    const double* pose = poses.data();
    const double* position = positions.data();
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        SnapshotObjectFrame& to = s.objects[i];
        to.pose = layout.objects[i].rigid ? read_pose(pose) : Pose{};
        if (layout.objects[i].rigid) {
            pose += kPose;
            to.position.clear();
            continue;
        }
        to.position.resize(std::size_t(layout.objects[i].point_count));
        if (!to.position.empty())
            std::memcpy(static_cast<void*>(to.position.data()), position, to.position.size() * sizeof(Real3));
        position += 3 * to.position.size();
    }
}
} // namespace

Bytes encode_frame(const SnapshotLayout& layout, const Snapshot& s, const ExporterSettings& settings) {
    ArrayWriter out;
    std::vector<double> poses, positions;
    std::size_t count = 0;
    for (const SnapshotObjectFrame& f : s.objects) count += f.position.size();
    positions.reserve(3 * count);
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        if (layout.objects[i].rigid) append_pose(s.objects[i].pose, poses);
        const std::vector<Real3>& x = s.objects[i].position;
        if (!x.empty()) positions.insert(positions.end(), &x[0].x, &x[0].x + 3 * x.size());
    }
    if (!poses.empty()) out.add<double>("pose", poses, kPose);
    if (!positions.empty()) add_reals("position", positions, 3, settings.precision, out);
    for (std::size_t i = 0; i < layout.objects.size(); ++i) {
        const SnapshotObjectFrame& f = s.objects[i];
        const std::string number = std::to_string(i);
        if (!f.alive.empty()) out.add<std::uint8_t>("alive/" + number, f.alive);
        if (!f.id.empty()) out.add<std::uint32_t>("id/" + number, f.id);
        for (const SnapshotField& field : f.fields)
            add_reals("field/" + number + "/" + field.name, field.values, field.components,
                      settings.field_precision, out);
    }
    std::vector<std::string> names;
    std::vector<double> values;
    for (const auto& [name, value] : s.numbers) {
        names.push_back(name);
        values.push_back(value);
    }
    if (!names.empty()) {
        out.add_texts("number_names", names);
        out.add<double>("number_values", values);
    }
    return std::move(out.bytes);
}

Errors decode_frame(ByteSpan payload, const SnapshotLayout& layout, Snapshot& s) {
    ArrayList list;
    if (Errors e = parse_arrays(payload, list); !e.empty()) return e;
    Errors errors;
    s.objects.resize(layout.objects.size());
    s.numbers.clear();
    read_motion(list, layout, s, errors);
    for (std::size_t i = 0; i < s.objects.size() && errors.empty(); ++i) {
        const std::string number = std::to_string(i);
        s.objects[i].fields.clear();
        read_array(list, "alive/" + number, 0, s.objects[i].alive, errors);
        read_array(list, "id/" + number, 0, s.objects[i].id, errors);
    }
    if (errors.empty()) read_fields(list, s, errors);
    std::vector<std::string> names;
    std::vector<double> values;
    read_texts(list, "number_names", names, errors);
    read_array(list, "number_values", 0, values, errors);
    if (errors.empty() && names.size() != values.size())
        errors.push_back(data_error("number_values", "names and values have different numbers"));
    if (!errors.empty()) return errors;
    for (std::size_t i = 0; i < names.size(); ++i) s.numbers.emplace_back(std::move(names[i]), values[i]);
    return check_snapshot(layout, s);
}

} // namespace sinew
