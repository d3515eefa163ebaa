// sinew modes: lowest vibration modes of a scene about its start, as a table and as shapes.
#include "command.h"
#include "geometry/bounds.h"
#include "model/snapshot_of.h"
#include "output/output.h"
#include "solver/modes.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

// The start moved along a mode, so that the point that moves most moves by `size` [m].
State moved(const State& start, const std::vector<Real>& shape, Real size) {
    Real largest = 0;
    for (std::size_t i = 0; i < start.point.x.size(); ++i)
        largest = std::max(largest, Eigen::Map<const Vec3>(shape.data() + 3 * i).norm());
    State out = start;
    if (largest > 0)
        for (std::size_t i = 0; i < out.point.x.size(); ++i) vec(out.point.x[i]) += size / largest * Eigen::Map<const Vec3>(shape.data() + 3 * i);
    return out;
}

// Shapes as frames: recordings and USD swing each mode through one period of 24 frames, other formats have one frame for each, numbered
// as the table is.
bool is_film(const ExporterEntry& format) { return format.name == "recording" || format.name == "usd"; }
const ExporterEntry* find_format(const std::string& file) {
    for (const ExporterEntry& e : exporters())
        if (std::filesystem::path(file).extension() == "." + std::string(e.extension)) return &e;
    return nullptr;
}
// what would be written: one file for a film, one for each mode otherwise
std::vector<std::string> shape_files(const ModesOptions& o, const ExporterEntry& format) {
    if (is_film(format)) return {o.out};
    const std::filesystem::path path(o.out);
    std::vector<std::string> files;
    for (int i = 0; i < o.count; ++i)
        files.push_back((path.parent_path() / fmt::format("{}.{:04}{}", path.stem().string(), i, path.extension().string())).string());
    return files;
}
Errors write_shapes(const ModesOptions& o, const ExporterEntry* format, const Compiled& c, const ModeResult& r) {
    const std::filesystem::path path(o.out);
    std::error_code ignored;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
    Aabb box;
    for (const Real3& x : c.state.point.x) box = merge(box, vec(x));
    const Real size = is_empty(box) ? 0 : o.amplitude * (box.hi - box.lo).norm();
    const Result<std::unique_ptr<Exporter>> made = make_exporter(format->name, {});
    if (!made) return made.errors;
    Exporter& out = **made.value;
    SnapshotLayout layout = *c.model.layout;
    layout.first_frame = 0;
    if (Errors e = out.open(o.out, layout); !e.empty()) return e;
    const int period = is_film(*format) ? 24 : 1;
    for (int i = 0; i < int(r.shapes.size()); ++i)
        for (int k = 0; k < period; ++k) {
            Snapshot s = snapshot_of(c.model, moved(c.state, r.shapes[i], size * (period == 1 ? 1 : std::sin(2 * kPi * k / period))));
            s.frame = period * i + k, s.time = s.frame / 24.0;
            if (Errors e = out.write(s); !e.empty()) return e;
        }
    return out.close();
}

} // namespace

int command_modes(const ModesOptions& o) {
    const Result<Compiled> compiled = load_compiled(o.scene, {}, o.set, false);
    if (!compiled) return print_errors(compiled.errors), kBadInput;
    const Compiled& c = *compiled.value;
    const ExporterEntry* format = find_format(o.out);
    if (!o.out.empty()) {
        if (!format || !c.model.layout)
            return print_errors({{.path = o.out, .message = "shapes are written by the ending of the file: .sinew, .obj, .ply ..."}}), kBadInput;
        if (!check_free(shape_files(o, *format), o.overwrite)) return kBadInput;
    }
    ModeSettings settings;
    settings.count = o.count;
    const ModeResult r = find_modes(*make_parallel(make_context(o.threads, true)), c.model, c.state, settings);
    if (r.squares.empty()) {
        fmt::print(stderr, "error: {}\n", r.message);
        return kFailed;
    }
    // below the rounding of the largest one a mode is rigid
    Real largest = 0;
    for (Real w2 : r.squares) largest = std::max(largest, std::abs(w2));
    fmt::print("{:>5}  {:>14}  {:>14}\n", "mode", "frequency [Hz]", "period [s]");
    for (std::size_t i = 0; i < r.squares.size(); ++i) {
        const Real w2 = r.squares[i], f = std::sqrt(std::abs(w2)) / (2 * 3.14159265358979323846);
        if (std::abs(w2) <= 1e-9 * largest) fmt::print("{:>5}  {:>14}  {:>14}\n", i, 0, "rigid");
        else if (w2 < 0) fmt::print("{:>5}  {:>14}  {:>14}\n", i, "", "unstable");
        else fmt::print("{:>5}  {:>14.6g}  {:>14.6g}\n", i, f, 1 / f);
    }
    if (!o.out.empty())
        if (const Errors e = write_shapes(o, format, c, r); !e.empty()) return print_errors(e), kFailed;
    if (r.ok) return kOk;
    fmt::print(stderr, "error: {} after {} iterations: residual {:.3g}\n", r.message, r.iterations, r.residual);
    return kFailed;
}

} // namespace sinew
