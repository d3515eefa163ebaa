// sinew render: ray-traced pictures and films of a recording.
#include "command.h"
#include "core/error.h"
#include "core/nearest.h"
#include "output/recording.h"
#include "progress.h"
#include "render/film.h"
#include "render/render.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

// first and last index of frames, from "a-b" or "a"
bool parse_range(const std::string& text, const RecordingReader& reader, int& first, int& last) {
    first = 0;
    last = reader.frame_count() - 1;
    if (text.empty()) return true;
    const auto range = parse_frame_range(text);
    if (!range) return false;
    first = reader.find_frame(range->first);
    last = reader.find_frame(range->last);
    return first >= 0 && last >= first;
}

// "eye=2,1,2 look_at=0,0,0 fov=35 deg" is too much for a command line: six or seven numbers
bool parse_camera(const std::string& text, std::optional<Camera>& out) {
    if (text.empty()) return true;
    std::vector<double> x;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const auto number = parse_real(std::string_view(text).substr(at, end - at));
        if (!number) return false;
        x.push_back(*number);
        at = end + 1;
    }
    if (x.size() != 6 && x.size() != 7) return false;
    const double degrees = x.size() == 7 ? x[6] : 35;
    out = Camera{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {0, 1, 0}, degrees * kPi / 180};
    return out->eye != out->look_at && degrees > 0 && degrees < 177;
}

bool parse_size(const std::string& text, int& width, int& height) {
    const std::size_t x = text.find('x');
    if (x == std::string::npos) return false;
    const auto a = parse_whole(std::string_view(text).substr(0, x)), b = parse_whole(std::string_view(text).substr(x + 1));
    if (!a || !b || *a < 1 || *b < 1 || *a > 16384 || *b > 16384) return false;
    width = *a;
    height = *b;
    return true;
}

// names that color_by can mean in a frame
void add_field_names(const Snapshot& s, std::vector<std::string>& names) {
    const auto add = [&](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const SnapshotObjectFrame& o : s.objects)
        for (const SnapshotField& f : o.fields) {
            add(f.name);
            if (f.name == "velocity") add("speed");
        }
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
    if (!o.size.empty() && !parse_size(o.size, s.width, s.height))
        return bad("--size", o.size, "must be WIDTHxHEIGHT, each 1 to 16384", "1280x720");
    return kOk;
}

// where the pictures go: an ending that is known, a folder that exists
int check_out(const RenderOptions& o) {
    if (o.out.empty()) return kOk;
    const std::filesystem::path path(o.out);
    const std::string ext = path.extension().string();
    if (ext != ".png" && ext != ".apng" && ext != ".mp4")
        return bad("--out", o.out, "no film or picture of this ending", ".png, .apng, .mp4");
    std::error_code ignored;
    if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), ignored))
        return bad("--out", o.out, "there is no such folder");
    if (ext == ".mp4" && find_ffmpeg().empty()) return bad("--out", o.out, "an MP4 needs the program ffmpeg, which is not here", ".png");
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

std::vector<std::string> film_files(const FilmSettings& film, const RecordingReader& reader, int first, int last) {
    if (film.numbered.empty()) return {film.mp4 + film.apng + film.still};
    std::vector<std::string> files;
    for (int i = first; i <= last; ++i) files.push_back(frame_path(film.numbered, reader.frames[i].frame));
    return files;
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
    if (!parse_camera(o.camera, camera)) return bad("--camera", o.camera, "must be two different places, eye and look_at, and an opening angle below 177 degrees",
                                                          "x,y,z,x,y,z[,degrees]");
    if (const int code = check_out(o)) return code;
    const FilmSettings plan = plan_film(o, settings, reader, first == last);
    if (!check_free(film_files(plan, reader, first, last), o.overwrite)) return kBadInput;

    if (!camera && reader.layout.camera.size() == 10) {
        const std::vector<double>& c = reader.layout.camera;
        camera = Camera{{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}, c[9]};
    }

    // the view is that of all frames of the recording, so that parts rendered apart fit together
    FilmView view;
    Snapshot snapshot;
    std::vector<std::string> fields;
    const int stride = std::max(1, reader.frame_count() / 60);
    for (int i = 0; i < reader.frame_count(); i += stride) {
        if (Errors e = reader.read(i, snapshot); !e.empty()) return print_errors(e), kBadInput;
        add_to_view(reader.layout, snapshot, settings, view);
        add_field_names(snapshot, fields);
    }
    if (!settings.color_by.empty() && std::find(fields.begin(), fields.end(), settings.color_by) == fields.end()) {
        print_errors({Error{.path = "--color-by", .value = settings.color_by, .message = "no object has a field of this name",
                            .allowed = fields.empty() ? "none: this recording has no fields" : list_words(fields),
                            .nearest = find_nearest(settings.color_by, fields)}});
        return kBadInput;
    }
    if (Errors e = reader.read(0, snapshot); !e.empty()) return print_errors(e), kBadInput;
    finish_view(reader.layout, snapshot, settings, camera, view);
    auto painter = make_painter(reader.layout, settings);
    if (!painter) return print_errors(painter.errors), kBadInput;
    int painted = reader.layout_number;
    const ParallelPtr parallel = make_parallel(make_context(o.threads, true));
    FilmWriter film;
    if (auto e = open_film(plan, film)) return print_errors({*e}), kFailed;
    Progress progress = make_progress("render", last - first + 1, o.quiet);
    for (int i = first; i <= last; ++i) {
        if (Errors e = reader.read(i, snapshot); !e.empty()) return print_errors(e), kBadInput;
        if (reader.layout_number != painted) { // something came
            painter = make_painter(reader.layout, settings);
            if (!painter) return print_errors(painter.errors), kBadInput;
            painted = reader.layout_number;
        }
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
