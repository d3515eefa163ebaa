// sinew render: ray-traced pictures and films of a recording.
#include "command.h"
#include "core/error.h"
#include "output/recording.h"
#include "progress.h"
#include "render/film.h"
#include "render/render.h"
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

// first and last index of frames, from "a-b" or "a"
bool parse_range(const std::string& text, const RecordingReader& reader, int& first, int& last) {
    first = 0;
    last = reader.frame_count() - 1;
    if (text.empty()) return true;
    try {
        const std::size_t dash = text.find('-', 1);
        const int a = std::stoi(text), b = dash == std::string::npos ? a : std::stoi(text.substr(dash + 1));
        first = reader.find_frame(a);
        last = reader.find_frame(b);
    } catch (const std::exception&) {
        return false;
    }
    return first >= 0 && last >= first;
}

// "eye=2,1,2 look_at=0,0,0 fov=35 deg" is too much for a command line: six or seven numbers
bool parse_camera(const std::string& text, std::optional<Camera>& out) {
    if (text.empty()) return true;
    Camera c;
    double degrees = 35;
    const int n = std::sscanf(text.c_str(), "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &c.eye.x, &c.eye.y, &c.eye.z, &c.look_at.x, &c.look_at.y,
                              &c.look_at.z, &degrees);
    if (n < 6) return false;
    c.fov = degrees * kPi / 180;
    out = c;
    return true;
}

int bad(const std::string& path, const std::string& value, const std::string& message, const std::string& allowed = {}) {
    print_errors({Error{.path = path, .value = value, .message = message, .allowed = allowed}});
    return kBadInput;
}

// settings of the scene, then from the command line: --set key=value in the names of render_fields
int read_settings(const RenderOptions& o, const SnapshotLayout& layout, RenderSettings& s) {
    std::vector<Error> errors;
    Value object = make_object();
    if (const Result<Value> look = parse_value(layout.look, o.recording); look) object = *look.value;
    for (const std::string& text : o.set) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return bad("--set", text, "must be name=value");
        const Result<Value> parsed = parse_value(text.substr(equals + 1), "--set");
        set(object, text.substr(0, equals), parsed ? *parsed.value : make_text(text.substr(equals + 1)));
    }
    FieldList list = render_fields(s);
    if (!read_fields(list, object, Scope{}, "--set", errors)) return print_errors(errors), kBadInput;
    if (!o.color_by.empty()) s.color_by = o.color_by;
    if (o.samples > 0) s.samples = o.samples;
    if (!o.size.empty() && std::sscanf(o.size.c_str(), "%dx%d", &s.width, &s.height) != 2)
        return bad("--size", o.size, "must be WIDTHxHEIGHT", "1280x720");
    return kOk;
}

FilmSettings plan_film(const RenderOptions& o, const RenderSettings& s, const RecordingReader& reader, bool single) {
    FilmSettings film;
    film.width = s.width;
    film.height = s.height;
    film.fps = o.fps > 0 ? o.fps : reader.layout.fps;
    film.colors = o.colors;
    film.limit = int(o.limit * 1e6);
    const std::string out = o.out.empty() ? std::filesystem::path(o.recording).replace_extension(".png").string() : o.out;
    const std::string ext = std::filesystem::path(out).extension().string();
    if (ext == ".mp4") film.mp4 = out;
    else if (out.find('#') != std::string::npos) film.numbered = out;
    else if (single) film.still = out;
    else film.apng = out;
    return film;
}

} // namespace

int command_render(const RenderOptions& o) {
    RecordingReader reader;
    if (Errors e = reader.open(o.recording); !e.empty()) return print_errors(e), kBadInput;
    if (reader.frame_count() == 0) return bad("", o.recording, "the recording has no frames");
    RenderSettings settings;
    if (const int code = read_settings(o, reader.layout, settings)) return code;
    int first = 0, last = 0;
    if (!parse_range(o.frames, reader, first, last))
        return bad("--frames", o.frames, "no such frames", fmt::format("{}-{}", reader.frames.front().frame, reader.frames.back().frame));
    std::optional<Camera> camera;
    if (!parse_camera(o.camera, camera)) return bad("--camera", o.camera, "must be eye and look_at", "x,y,z,x,y,z[,degrees]");

    if (!camera && reader.layout.camera.size() == 10) {
        const std::vector<double>& c = reader.layout.camera;
        camera = Camera{{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}, c[9]};
    }

    // the view is that of all frames of the recording, so that parts rendered apart fit together
    FilmView view;
    Snapshot snapshot;
    const int stride = std::max(1, reader.frame_count() / 60);
    for (int i = 0; i < reader.frame_count(); i += stride) {
        if (Errors e = reader.read(i, snapshot); !e.empty()) return print_errors(e), kBadInput;
        add_to_view(reader.layout, snapshot, settings, view);
    }
    if (Errors e = reader.read(0, snapshot); !e.empty()) return print_errors(e), kBadInput;
    finish_view(reader.layout, snapshot, settings, camera, view);
    auto painter = make_painter(reader.layout, settings);
    if (!painter) return print_errors(painter.errors), kBadInput;
    const ParallelPtr parallel = make_parallel(make_context(o.threads, true));
    FilmWriter film;
    const FilmSettings plan = plan_film(o, settings, reader, first == last);
    if (auto e = open_film(plan, film)) return print_errors({*e}), kBadInput;
    Progress progress = make_progress("render", last - first + 1, o.quiet);
    for (int i = first; i <= last; ++i) {
        if (Errors e = reader.read(i, snapshot); !e.empty()) return print_errors(e), kBadInput;
        auto frame = render_frame(*parallel, *painter.value, snapshot, view);
        if (!frame) return print_errors(frame.errors), kBadInput;
        if (auto e = add_frame(film, frame.value->picture, snapshot.frame)) return print_errors({*e}), kFailed;
        show_progress(progress, i - first + 1, fmt::format("frame {}", snapshot.frame));
    }
    finish_progress(progress);
    if (auto e = close_film(film)) return print_errors({*e}), kFailed;
    if (!o.quiet) fmt::print("{}  ({} frames, {})\n", plan.mp4 + plan.apng + plan.still + plan.numbered, last - first + 1, duration_text(seconds_since(progress.start)));
    return kOk;
}

} // namespace sinew
