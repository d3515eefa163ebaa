// All exporters: one declaration and one row each, sorted by name.
#include "core/nearest.h"
#include "output/output.h"
#include "output/select.h"
#include <algorithm>
#include <cstdio>

namespace sinew {

std::unique_ptr<Exporter> make_csv_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_mdd_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_obj_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_pc2_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_ply_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_recording_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_usd_exporter(const ExporterSettings&);
std::unique_ptr<Exporter> make_vtk_exporter(const ExporterSettings&);

namespace {
constexpr ExporterEntry kExporters[] = {
    {"csv", "csv", "report of every frame: one row of numbers, units in the second row", true,
     make_csv_exporter},
    {"mdd", "mdd", "point cache, one file per object, big endian float32, a time for each sample", false,
     make_mdd_exporter},
    {"obj", "obj", "one text file per frame: polygons, texture coordinates, groups, lines, points", true,
     make_obj_exporter},
    {"pc2", "pc2", "point cache, one file per object, float32, frames at equal distances", false,
     make_pc2_exporter},
    {"ply", "ply", "one binary file per frame: one mesh with all fields of its vertices", true,
     make_ply_exporter},
    {"recording", "sinew",
     "Sinew's own recording: objects, fields and report, compressed, read by render and convert", true,
     make_recording_exporter},
    {"usd", "usda",
     "USD as text, one file per run: meshes, curves, particles, poses, fields and camera; positions are float32", false,
     make_usd_exporter},
    {"vtk", "pvd", "ParaView: one .vtp per frame with all fields, and a .pvd collection with the times", true,
     make_vtk_exporter},
};

Error setting_error(std::string_view name, std::string value, std::string message, std::string allowed) {
    Error error;
    error.path = std::string(name);
    error.value = std::move(value);
    error.message = std::move(message);
    error.allowed = std::move(allowed);
    return error;
}
} // namespace

std::span<const ExporterEntry> exporters() { return kExporters; }

const ExporterEntry* find_exporter(std::string_view name) {
    const auto found = std::find_if(std::begin(kExporters), std::end(kExporters),
                                    [&](const ExporterEntry& e) { return e.name == name; });
    return found == std::end(kExporters) ? nullptr : found;
}

Result<std::unique_ptr<Exporter>> make_exporter(std::string_view name, const ExporterSettings& settings) {
    Result<std::unique_ptr<Exporter>> result;
    const ExporterEntry* entry = find_exporter(name);
    if (!entry) {
        std::vector<std::string> known;
        for (const ExporterEntry& e : kExporters) known.emplace_back(e.name);
        result.errors.push_back(
            setting_error("kind", std::string(name), "there is no such exporter", list_words(known)));
        result.errors.back().nearest = find_nearest(name, known);
        return result;
    }
    if (settings.every < 1)
        result.errors.push_back(
            setting_error("every", std::to_string(settings.every), "not a number of frames", "at least 1"));
    if (settings.level < 0 || settings.level > 19)
        result.errors.push_back(
            setting_error("level", std::to_string(settings.level), "no such level", "0 to 19"));
    const bool wants_float64 =
        settings.precision == Precision::float64 || settings.field_precision == Precision::float64;
    if (wants_float64 && !entry->float64)
        result.errors.push_back(
            setting_error("precision", "float64", std::string(name) + " stores float32 only", "float32"));
    if (result.errors.empty()) result.value = make_selection(settings, entry->make(settings));
    return result;
}

namespace {
// "out/drape.obj" -> "out/drape", ".obj"
std::pair<std::string, std::string> split_extension(const std::string& path) {
    const std::size_t dot = path.rfind('.'), slash = path.rfind('/');
    const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
    if (dot == std::string::npos || dot <= name) return {path, ""};
    return {path.substr(0, dot), path.substr(dot)};
}
} // namespace

std::string numbered_path(const std::string& path, int frame) {
    const auto [stem, extension] = split_extension(path);
    char number[16];
    std::snprintf(number, sizeof number, "%04d", frame);
    return stem + "." + number + extension;
}

std::string object_path(const std::string& path, const std::string& object) {
    const auto [stem, extension] = split_extension(path);
    std::string name = object;
    std::replace(name.begin(), name.end(), '/', '_');
    return stem + "." + name + extension;
}

} // namespace sinew
