// PLY: one binary little-endian file per frame, "drape.1001.ply", all objects in one mesh (flatten.h).
//   vertex  x y z, object (index of the header's "comment object"), id if particles have one, every field
//   ("speed",
//           "velocity_x" ...; 0 where an object lacks it), group_NAME (1 = member)
//   face    vertex_indices, texcoord (u v of each corner, if any object has texture coordinates), object, group_NAME and
//           material_NAME (1 = the input file says so)
//   edge    vertex1 vertex2 object
#include "core/atomic_file.h"
#include "output/bytes.h"
#include "output/flatten.h"
#include "output/output.h"
#include "output/text.h"

namespace sinew {
namespace {

void append_real(Bytes& out, double value, bool single) {
    if (single)
        append(out, float(value));
    else
        append(out, value);
}

std::string component_name(const SnapshotField& field, int component) {
    const std::string name = one_word(field.name);
    if (field.components == 1) return name;
    return name + "_" +
           (field.components <= 3 ? std::string(1, "xyz"[component]) : std::to_string(component));
}

struct PlyExporter final : Exporter {
    ExporterSettings settings;
    std::string path;
    SnapshotLayout layout;

    Errors open(const std::string& to, const SnapshotLayout& given) override {
        path = to;
        layout = given;
        return {};
    }
    Errors resume(const std::string& to, const SnapshotLayout& given, int) override {
        return open(to, given);
    }
    Errors change_layout(const SnapshotLayout& given) override {
        layout = given;
        return {};
    }

    bool single() const { return settings.precision != Precision::float64; }
    bool single_fields() const { return settings.field_precision != Precision::float64; }

    std::string header(const Snapshot& s, const FlatMesh& m, bool long_polygons) const {
        const std::string real = single() ? "float" : "double",
                          field_real = single_fields() ? "float" : "double";
        std::string h = "ply\nformat binary_little_endian 1.0\ncomment Sinew " + layout.scene_name +
                        ", frame " + std::to_string(s.frame) + ", t = ";
        append_number(h, s.time, false);
        h += " s\n";
        for (std::size_t i = 0; i < layout.objects.size(); ++i)
            h += "comment object " + std::to_string(i) + " " + layout.objects[i].name + "\n";
        h += "element vertex " + std::to_string(m.position.size()) + "\n";
        for (const char* axis : {"x", "y", "z"}) h += "property " + real + " " + axis + "\n";
        h += "property int object\n";
        if (!m.id.empty()) h += "property uint id\n";
        for (const SnapshotField& f : m.fields)
            for (int c = 0; c < f.components; ++c)
                h += "property " + field_real + " " + component_name(f, c) + "\n";
        for (const auto& group : m.groups) h += "property uchar group_" + one_word(group.first) + "\n";
        const std::string count = long_polygons ? "uint" : "uchar";
        h += "element face " + std::to_string(m.polygon_object.size()) + "\nproperty list " + count +
             " int vertex_indices\n";
        if (!m.corner_uv.empty()) h += "property list " + count + " float texcoord\n";
        h += "property int object\n";
        for (const auto& group : m.polygon_groups) h += "property uchar " + one_word(group.first) + "\n";
        if (!m.segments.empty())
            h += "element edge " + std::to_string(m.segments.size()) +
                 "\nproperty int vertex1\nproperty int vertex2\nproperty int object\n";
        return h + "end_header\n";
    }
    void append_vertex(const FlatMesh& m, std::size_t i, Bytes& out) const {
        for (int c = 0; c < 3; ++c) append_real(out, m.position[i][c], single());
        append(out, m.vertex_object[i]);
        if (!m.id.empty()) append(out, m.id[i]);
        for (const SnapshotField& f : m.fields)
            for (std::size_t c = 0; c < std::size_t(f.components); ++c)
                append_real(out, f.values[i * std::size_t(f.components) + c], single_fields());
        for (const auto& group : m.groups) append(out, group.second[i]);
    }
    static void append_count(Bytes& out, int count, bool wide) {
        if (wide)
            append(out, std::uint32_t(count));
        else
            append(out, std::uint8_t(count));
    }
    static void append_polygon(const FlatMesh& m, std::size_t p, bool wide, Bytes& out) {
        const int begin = m.polygon_begin[p], end = m.polygon_begin[p + 1];
        append_count(out, end - begin, wide);
        for (int k = begin; k < end; ++k) append(out, m.polygon_vertex[std::size_t(k)]);
        if (!m.corner_uv.empty()) {
            append_count(out, 2 * (end - begin), wide);
            for (int k = begin; k < end; ++k)
                for (double value : m.corner_uv[std::size_t(k)]) append(out, float(value));
        }
        append(out, m.polygon_object[p]);
        for (const auto& group : m.polygon_groups) append(out, group.second[p]);
    }
    Errors write(const Snapshot& s) override {
        const FlatMesh m = flatten(layout, s, 0.0);
        bool wide = false; // a texcoord list has two numbers per corner, so 127 corners fit into a uchar
        for (std::size_t p = 0; p + 1 < m.polygon_begin.size(); ++p)
            wide = wide || m.polygon_begin[p + 1] - m.polygon_begin[p] > 127;
        const std::string head = header(s, m, wide);
        Bytes out(head.begin(), head.end());
        for (std::size_t i = 0; i < m.position.size(); ++i) append_vertex(m, i, out);
        for (std::size_t p = 0; p < m.polygon_object.size(); ++p) append_polygon(m, p, wide, out);
        for (std::size_t i = 0; i < m.segments.size(); ++i) {
            append(out, m.segments[i][0]);
            append(out, m.segments[i][1]);
            append(out, m.segment_object[i]);
        }
        return write_atomically(numbered_path(path, s.frame), out);
    }
    Errors close() override { return {}; }
};
} // namespace

std::unique_ptr<Exporter> make_ply_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<PlyExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
