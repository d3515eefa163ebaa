// OBJ: one text file per frame, "drape.1001.obj". Objects as `o`, polygons with their corners and texture
// coordinates as `f`, segments as `l`, particles as `p`. Vertex order and count are those of the scene; only
// objects that are nothing but particles leave out their dead ones.
//   Groups and materials of polygons (`g a b`, `usemtl red`) are those of the input file; objects of that file are
//   groups too. OBJ groups elements, not vertices: a polygon belongs to other vertex groups if they hold all its
//   corners; what is left of a group goes into it as points, so that the group's set of vertices survives.
//   A polygon with a corner without texture coordinate is written without any: OBJ cannot mix.
#include "core/atomic_file.h"
#include "output/check.h"
#include "output/flatten.h"
#include "output/output.h"
#include "output/text.h"
#include "output/world.h"

namespace sinew {
namespace {

struct ObjGroups {                         // of one object
    std::vector<std::string> polygon_line; // "g top collar" per polygon, "g" = none
    std::vector<std::string> material;     // "usemtl red" per polygon, "usemtl" = none; empty = no polygon has one
    std::vector<std::pair<std::string, std::vector<int>>>
        points; // vertices of a group that no polygon brings in
};

// polygons that the input file puts into a group or object of this name; false: it has none of this name
bool find_polygons(const SnapshotObject& o, std::string_view name, std::vector<std::uint8_t>& in) {
    bool found = false;
    in.assign(std::size_t(polygon_count(o)), 0);
    for (const PolygonGroup& g : o.polygon_groups) {
        if (g.kind == PolygonGroupKind::material || g.name != name) continue;
        found = true;
        for (int p : g.polygons) in[std::size_t(p)] = 1;
    }
    return found;
}

ObjGroups find_groups(const SnapshotObject& o) {
    ObjGroups groups;
    groups.polygon_line.assign(std::size_t(polygon_count(o)), "g");
    for (const PolygonGroup& g : o.polygon_groups) {
        if (g.kind != PolygonGroupKind::material) continue;
        groups.material.resize(std::size_t(polygon_count(o)), "usemtl");
        for (int p : g.polygons) groups.material[std::size_t(p)] = "usemtl " + one_word(g.name);
    }
    for (const auto& [name, vertices] : o.vertex_groups) {
        std::vector<std::uint8_t> left(std::size_t(o.point_count), 0), member, in;
        for (int v : vertices) left[std::size_t(v)] = 1;
        member = left;
        const bool known = find_polygons(o, name, in);
        for (int p = 0; p < polygon_count(o); ++p) {
            const int *begin = &o.polygon_vertex[0] + o.polygon_begin[std::size_t(p)],
                      *end = &o.polygon_vertex[0] + o.polygon_begin[std::size_t(p) + 1];
            bool all = true;
            for (const int* v = begin; v != end; ++v) all = all && member[std::size_t(*v)];
            if (known ? !in[std::size_t(p)] : !all) continue;
            groups.polygon_line[std::size_t(p)] += " " + one_word(name);
            for (const int* v = begin; v != end; ++v) left[std::size_t(*v)] = 0;
        }
        std::vector<int> points;
        for (int v : vertices)
            if (left[std::size_t(v)]) points.push_back(v);
        if (!points.empty()) groups.points.emplace_back(one_word(name), points);
    }
    return groups;
}

struct ObjWriter {
    std::string text, group = "g", material = "usemtl"; // group, material = the lines that are in force
    bool single = true;
    int vertex_base = 1, uv_base = 1;

    void row(const char* word, const double* values, int count) {
        text += word;
        for (int i = 0; i < count; ++i) {
            text += ' ';
            append_number(text, values[i], single);
        }
        text += '\n';
    }
    void set_line(std::string& now, const std::string& line) {
        if (now == line) return;
        now = line;
        text += line;
        text += '\n';
    }
    void set_group(const std::string& line) { set_line(group, line); }
    void points(const std::vector<int>& vertices) {
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            text += i % 16 == 0 ? (i == 0 ? "p " : "\np ") : " ";
            append_integer(text, vertex_base + vertices[i]);
        }
        if (!vertices.empty()) text += '\n';
    }
    void polygon(const SnapshotObject& o, int begin, int end) {
        bool uv = !o.polygon_uv.empty();
        for (int k = begin; k < end && uv; ++k) uv = o.polygon_uv[std::size_t(k)] >= 0;
        text += 'f';
        for (int k = begin; k < end; ++k) {
            text += ' ';
            append_integer(text, vertex_base + o.polygon_vertex[std::size_t(k)]);
            if (!uv) continue;
            text += '/';
            append_integer(text, uv_base + o.polygon_uv[std::size_t(k)]);
        }
        text += '\n';
    }
    void object(const SnapshotObject& o, const SnapshotObjectFrame& frame, const ObjGroups& groups) {
        text += "o " + o.name + "\n";
        const std::vector<Real3> x = make_world_positions(o, frame);
        const std::vector<int> shown = shown_vertices(o, frame);
        for (int i : shown) row("v", &x[std::size_t(i)].x, 3);
        for (const auto& uv : o.uv) row("vt", uv.data(), 2);
        for (int p = 0; p < polygon_count(o); ++p) {
            set_group(groups.polygon_line[std::size_t(p)]);
            set_line(material, groups.material.empty() ? "usemtl" : groups.material[std::size_t(p)]);
            polygon(o, o.polygon_begin[std::size_t(p)], o.polygon_begin[std::size_t(p) + 1]);
        }
        for (const auto& [name, vertices] : groups.points) {
            set_group("g " + name);
            points(vertices);
        }
        set_group("g");
        for (const auto& s : o.segments) {
            text += "l ";
            append_integer(text, vertex_base + s[0]);
            text += ' ';
            append_integer(text, vertex_base + s[1]);
            text += '\n';
        }
        std::vector<int> particles;
        for (std::size_t i = 0; o.draw_points && i < shown.size(); ++i)
            if (frame.alive.empty() || frame.alive[std::size_t(shown[i])]) particles.push_back(int(i));
        points(particles);
        vertex_base += int(shown.size());
        uv_base += int(o.uv.size());
    }
};

struct ObjExporter final : Exporter {
    ExporterSettings settings;
    std::string path;
    SnapshotLayout layout;
    std::vector<ObjGroups> groups;

    Errors open(const std::string& to, const SnapshotLayout& given) override {
        path = to;
        return change_layout(given);
    }
    Errors resume(const std::string& to, const SnapshotLayout& given, int) override {
        return open(to, given);
    }
    Errors change_layout(const SnapshotLayout& given) override {
        layout = given;
        groups.clear();
        for (const SnapshotObject& o : layout.objects) groups.push_back(find_groups(o));
        return {};
    }
    Errors write(const Snapshot& s) override {
        ObjWriter writer;
        writer.single = settings.precision != Precision::float64;
        writer.text = "# Sinew " + layout.scene_name + ", frame " + std::to_string(s.frame) + ", t = ";
        append_number(writer.text, s.time, false);
        writer.text += " s\n";
        for (std::size_t i = 0; i < layout.objects.size(); ++i)
            writer.object(layout.objects[i], s.objects[i], groups[i]);
        return write_atomically(numbered_path(path, s.frame), as_bytes(writer.text));
    }
    Errors close() override { return {}; }
};
} // namespace

std::unique_ptr<Exporter> make_obj_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<ObjExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
