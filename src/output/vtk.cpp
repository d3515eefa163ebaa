// VTK: one PolyData file per frame, "drape.1001.vtp", and a collection "drape.pvd" with the times, which
// ParaView opens as an animation. All objects in one mesh (flatten.h).
//   point data  every field (NaN where an object lacks it), object, id, group_NAME (1 = member), uv if no
//   vertex has two cell data   object (cells in the order verts, lines, polys) field data  TimeValue,
//   object_names, corner_uv (two numbers per polygon corner, if some vertex has several)
// Arrays are appended raw: UInt64 header [blocks, block size, size of the last partial block, compressed size
// of each block], then the zlib streams. Reference: VTK File Formats, section XML.
#include "core/atomic_file.h"
#include "output/bytes.h"
#include "output/flatten.h"
#include "output/output.h"
#include "output/select.h"
#include "output/text.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <zlib.h>

namespace sinew {
namespace {
constexpr std::size_t kBlock = std::size_t(1) << 20; // [bytes] before compression

std::string escape(std::string_view text) {
    std::string out;
    for (char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

// Connectivity and the like rarely change from frame to frame; compressing them again would take most of the
// time.
struct PackedArray {
    Bytes raw, packed;
};
using PackedArrays = std::map<std::string, PackedArray>; // by section and name

struct VtkWriter {
    std::string xml;
    Bytes appended;
    int level = 3;
    PackedArrays* kept = nullptr;

    // one block after the other; a failure of zlib can only be lack of memory
    void append_data(ByteSpan data) {
        const std::size_t full = data.size() / kBlock, part = data.size() % kBlock,
                          blocks = full + (part > 0);
        const std::size_t header = appended.size();
        append(appended, std::uint64_t(blocks));
        append(appended, std::uint64_t(kBlock));
        append(appended, std::uint64_t(part));
        appended.resize(appended.size() + 8 * blocks);
        for (std::size_t b = 0; b < blocks; ++b) {
            const ByteSpan block = data.subspan(b * kBlock, std::min(kBlock, data.size() - b * kBlock));
            const std::size_t at = appended.size();
            uLongf size = compressBound(uLong(block.size()));
            appended.resize(at + size);
            if (compress2(appended.data() + at, &size, block.data(), uLong(block.size()),
                          std::min(level, 9)) != Z_OK)
                throw std::bad_alloc();
            appended.resize(at + size);
            const std::uint64_t stored = size;
            std::memcpy(appended.data() + header + 24 + 8 * b, &stored, 8);
        }
    }
    void array(const std::string& type, const std::string& name, std::size_t components, ByteSpan data,
               bool tuples, std::size_t item) {
        xml += "<DataArray type=\"" + type + "\" Name=\"" + escape(name) + "\"";
        if (components > 1) xml += " NumberOfComponents=\"" + std::to_string(components) + "\"";
        if (tuples) xml += " NumberOfTuples=\"" + std::to_string(data.size() / item / components) + "\"";
        xml += " format=\"appended\" offset=\"" + std::to_string(appended.size()) + "\"/>\n";
        append_data(data);
    }
    template <class T> static ByteSpan raw(const std::vector<T>& v) {
        return {reinterpret_cast<const std::uint8_t*>(v.data()), v.size() * sizeof(T)};
    }
    void ints(const std::string& section, const std::string& name, const std::vector<std::int32_t>& v) {
        xml += "<DataArray type=\"Int32\" Name=\"" + name + "\" format=\"appended\" offset=\"" +
               std::to_string(appended.size()) + "\"/>\n";
        const ByteSpan data = raw(v);
        PackedArray& last = (*kept)[section + name];
        if (last.packed.empty() || !std::equal(data.begin(), data.end(), last.raw.begin(), last.raw.end())) {
            const std::size_t begin = appended.size();
            append_data(data);
            last.raw.assign(data.begin(), data.end());
            last.packed.assign(appended.begin() + std::ptrdiff_t(begin), appended.end());
        } else {
            append_bytes(appended, last.packed.data(), last.packed.size());
        }
    }
    void reals(const std::string& name, std::span<const double> v, std::size_t components, bool single,
               bool tuples) {
        if (!single) {
            array("Float64", name, components,
                  {reinterpret_cast<const std::uint8_t*>(v.data()), v.size_bytes()}, tuples, 8);
            return;
        }
        const std::vector<float> narrow(v.begin(), v.end());
        array("Float32", name, components, raw(narrow), tuples, 4);
    }
};

// texture coordinates per vertex; false if a vertex has two different ones
bool find_vertex_uv(const FlatMesh& m, std::vector<double>& uv) {
    uv.assign(2 * m.position.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < m.corner_uv.size(); ++k) {
        double* to = &uv[2 * std::size_t(m.polygon_vertex[k])];
        const auto& from = m.corner_uv[k];
        if (std::isnan(from[0])) continue;
        if (!std::isnan(to[0]) && (to[0] != from[0] || to[1] != from[1])) return false;
        to[0] = from[0];
        to[1] = from[1];
    }
    return true;
}

// the time that a frame has in its field data, near the begin of the file
Errors read_time(const std::string& path, double& time) {
    File file;
    std::uint64_t size = 0;
    if (Errors e = open_to_read(path, file); !e.empty()) return e;
    if (Errors e = file_size(file, size); !e.empty()) return e;
    Bytes head(std::size_t(std::min<std::uint64_t>(size, 4096)));
    if (Errors e = read_at(file, 0, head); !e.empty()) return e;
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const std::size_t begin = text.find('>', text.find("Name=\"TimeValue\""));
    if (begin == text.npos || std::from_chars(text.data() + begin + 1, text.data() + text.size(), time).ec != std::errc())
        return {file_error(path, "cannot continue: this frame has no time")};
    return {};
}

struct VtkExporter final : Exporter {
    ExporterSettings settings;
    std::string path;
    SnapshotLayout layout;
    std::vector<std::pair<int, double>> frames; // number, time [s]
    PackedArrays kept;

    Errors open(const std::string& to, const SnapshotLayout& given) override {
        path = to;
        layout = given;
        frames.clear();
        return {};
    }
    Errors change_layout(const SnapshotLayout& given) override {
        layout = given;
        return {};
    }

    std::string frame_path(int frame) const {
        std::string p = path;
        for (const char* extension : {".pvd", ".vtp", ".vtk"})
            if (p.size() > 4 && p.ends_with(extension)) {
                p.resize(p.size() - 4);
                break;
            }
        return numbered_path(p + ".vtp", frame);
    }
    std::string collection_path() const {
        const std::string p = frame_path(0);
        return p.substr(0, p.size() - 9) + ".pvd"; // without ".0000.vtp"
    }

    // A killed run has frames that its collection does not list yet: the files themselves are the list.
    Errors resume(const std::string& to, const SnapshotLayout& given, int last_frame) override {
        if (Errors e = open(to, given); !e.empty()) return e;
        for (const int frame : find_frames()) {
            if (frame > last_frame) continue;
            double time = 0;
            if (Errors e = read_time(frame_path(frame), time); !e.empty()) return e;
            frames.emplace_back(frame, time);
        }
        std::optional<int> kept;
        if (!frames.empty()) kept = frames.back().first;
        return check_kept(path, settings, layout.first_frame, last_frame, kept);
    }
    std::vector<int> find_frames() const {
        const std::filesystem::path sample(frame_path(0));
        const std::string name = sample.filename().string(), stem = name.substr(0, name.size() - 8); // without "0000.vtp"
        std::vector<int> found;
        std::error_code failed;
        for (const auto& f : std::filesystem::directory_iterator(sample.has_parent_path() ? sample.parent_path() : ".", failed)) {
            const std::string file = f.path().filename().string();
            int frame = 0;
            if (!file.starts_with(stem) || !file.ends_with(".vtp")) continue;
            std::from_chars(file.data() + stem.size(), file.data() + file.size(), frame);
            if (std::filesystem::path(frame_path(frame)).filename() == file) found.push_back(frame);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    Errors write_collection() const {
        std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                          "byte_order=\"LittleEndian\">\n<Collection>\n";
        for (const auto& [frame, time] : frames) {
            const std::string file = frame_path(frame);
            xml += "<DataSet timestep=\"";
            append_number(xml, time, false);
            xml += "\" part=\"0\" file=\"" + escape(file.substr(file.rfind('/') + 1)) + "\"/>\n";
        }
        xml += "</Collection>\n</VTKFile>\n";
        return write_atomically(collection_path(), as_bytes(xml));
    }

    void point_data(const FlatMesh& m, const std::vector<double>& uv, VtkWriter& w) const {
        const bool single = settings.field_precision != Precision::float64;
        w.xml += uv.empty() ? "<PointData>\n" : "<PointData TCoords=\"uv\">\n";
        for (const SnapshotField& f : m.fields)
            w.reals(f.name, f.values, std::size_t(f.components), single, false);
        if (!uv.empty()) w.reals("uv", uv, 2, true, false);
        w.ints("PointData", "object", m.vertex_object);
        if (!m.id.empty()) w.array("UInt32", "id", 1, VtkWriter::raw(m.id), false, 4);
        for (const auto& [name, member] : m.groups)
            w.array("UInt8", "group_" + name, 1, VtkWriter::raw(member), false, 1);
        w.xml += "</PointData>\n";
    }
    static void cells(const FlatMesh& m, VtkWriter& w) {
        std::vector<std::int32_t> object, connectivity, offsets;
        for (int v : m.points) object.push_back(m.vertex_object[std::size_t(v)]);
        object.insert(object.end(), m.segment_object.begin(), m.segment_object.end());
        object.insert(object.end(), m.polygon_object.begin(), m.polygon_object.end());
        w.xml += "<CellData>\n";
        w.ints("CellData", "object", object);
        for (const auto& [name, member] : m.polygon_groups) {
            std::vector<std::uint8_t> cell(m.points.size() + m.segments.size(), 0);
            cell.insert(cell.end(), member.begin(), member.end());
            w.array("UInt8", name, 1, VtkWriter::raw(cell), false, 1);
        }
        w.xml += "</CellData>\n<Verts>\n";
        for (std::size_t i = 1; i <= m.points.size(); ++i) offsets.push_back(std::int32_t(i));
        w.ints("Verts", "connectivity", m.points);
        w.ints("Verts", "offsets", offsets);
        w.xml += "</Verts>\n<Lines>\n";
        offsets.clear();
        for (std::size_t i = 0; i < m.segments.size(); ++i) {
            connectivity.insert(connectivity.end(), {m.segments[i][0], m.segments[i][1]});
            offsets.push_back(std::int32_t(connectivity.size()));
        }
        w.ints("Lines", "connectivity", connectivity);
        w.ints("Lines", "offsets", offsets);
        w.xml += "</Lines>\n<Polys>\n";
        w.ints("Polys", "connectivity", m.polygon_vertex);
        w.ints("Polys", "offsets",
               std::vector<std::int32_t>(m.polygon_begin.begin() + 1, m.polygon_begin.end()));
        w.xml += "</Polys>\n";
    }
    void field_data(const Snapshot& s, const FlatMesh& m, bool corner_uv, VtkWriter& w) const {
        w.xml += "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                 "format=\"ascii\">";
        append_number(w.xml, s.time, false);
        // texts are lists of character codes, each ended by 0
        w.xml += "</DataArray>\n<DataArray type=\"String\" Name=\"object_names\" NumberOfTuples=\"" +
                 std::to_string(layout.objects.size()) + "\" format=\"ascii\">";
        for (const SnapshotObject& o : layout.objects) {
            for (char c : o.name) w.xml += std::to_string(static_cast<unsigned char>(c)) + " ";
            w.xml += "0 ";
        }
        w.xml += "</DataArray>\n";
        if (corner_uv) w.reals("corner_uv", {m.corner_uv[0].data(), 2 * m.corner_uv.size()}, 2, true, true);
        w.xml += "</FieldData>\n";
    }

    Errors write(const Snapshot& s) override {
        const FlatMesh m = flatten(layout, s, std::numeric_limits<double>::quiet_NaN());
        std::vector<double> uv;
        const bool per_vertex = !m.corner_uv.empty() && find_vertex_uv(m, uv);
        if (!per_vertex) uv.clear();
        VtkWriter w;
        w.level = settings.level;
        w.kept = &kept;
        w.xml =
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n";
        field_data(s, m, !m.corner_uv.empty() && !per_vertex, w);
        w.xml += "<Piece NumberOfPoints=\"" + std::to_string(m.position.size()) + "\" NumberOfVerts=\"" +
                 std::to_string(m.points.size()) + "\" NumberOfLines=\"" + std::to_string(m.segments.size()) +
                 "\" NumberOfStrips=\"0\" NumberOfPolys=\"" + std::to_string(m.polygon_object.size()) +
                 "\">\n<Points>\n";
        const double* x = m.position.empty() ? nullptr : &m.position[0].x;
        w.reals("Points", {x, 3 * m.position.size()}, 3, settings.precision != Precision::float64, false);
        w.xml += "</Points>\n";
        point_data(m, uv, w);
        cells(m, w);
        w.xml += "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
        AtomicFile file;
        if (Errors e = file.open(frame_path(s.frame)); !e.empty()) return e;
        if (Errors e = file.write(w.xml); !e.empty()) return e;
        if (Errors e = file.write(w.appended); !e.empty()) return e;
        if (Errors e = file.write("\n</AppendedData>\n</VTKFile>\n"); !e.empty()) return e;
        if (Errors e = file.commit(); !e.empty()) return e;
        frames.emplace_back(s.frame, s.time);
        // an interrupted run has a collection too, without the cost growing with the square of the frames
        return frames.size() <= 64 || frames.size() % 64 == 0 ? write_collection() : Errors{};
    }
    Errors close() override { return path.empty() ? Errors{} : write_collection(); }
};
} // namespace

std::unique_ptr<Exporter> make_vtk_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<VtkExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
