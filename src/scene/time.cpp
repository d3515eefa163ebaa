#include "scene/time.h"
#include "core/error.h"
#include "core/fields.h"
#include <cmath>

namespace sinew {
namespace {

constexpr double kDefaultFps = 24, kDefaultSeconds = 5;
constexpr double kMaxFrames = 1e7, kMaxSubsteps = 1e7;

struct Given {
    double fps = 0, dt = 0, seconds = 0;
    int substeps = 0;
    Value frames; // [first, last] or count
};

template <class V> void fields(Given& g, V&& v) {
    v("fps", g.fps,
      Field{.min = 1e-3, .max = 1e6, .unit = "1/s", .doc = "frames per second of the outputs; default 24"});
    v("frames", g.frames,
      Field{.doc = "[first, last] as you number them, the first being the initial state, or how many"});
    v("seconds", g.seconds,
      Field{.min = 0, .max = 1e9, .min_exclusive = true, .unit = "s", .doc = "duration; default 5"});
    v("dt", g.dt,
      Field{.min = 1e-12, .max = 1e6, .unit = "s", .doc = "longest step; default chosen by the solver"});
    v("substeps", g.substeps, Field{.min = 1, .max = kMaxSubsteps, .doc = "steps per frame, instead of dt"});
}

bool is_whole(double x) { return std::abs(x - std::round(x)) <= 1e-9 * std::max(1.0, std::abs(x)); }

// steps per frame and fps from what is given of dt, substeps, fps
void resolve_rate(const Value& at, const Given& g, bool has_fps, SceneTime& out,
                  std::vector<std::string>& notes, std::vector<Error>& errors) {
    out.fps = has_fps ? g.fps : kDefaultFps;
    if (g.dt > 0 && g.substeps > 0 && !has_fps) {
        out.fps = 1 / (g.dt * g.substeps);
    } else if (g.dt > 0 && !has_fps) {
        // the whole number of steps whose duration is nearest to the usual frame
        const double steps = std::max(1.0, std::round(1 / (kDefaultFps * g.dt)));
        if (!is_whole(1 / (kDefaultFps * g.dt))) {
            out.fps = 1 / (steps * g.dt);
            notes.push_back("fps = " + write_number(out.fps) + ": " + write_number(steps) +
                            " steps of the given dt, nearest to 24");
        }
    }
    if (g.dt > 0) {
        const double steps = std::max(1.0, std::ceil(1 / (out.fps * g.dt) * (1 - 1e-9)));
        if (steps > kMaxSubsteps) {
            errors.push_back(
                make_error(at, "time.dt", "more than 1e7 steps per frame", "a longer dt or a higher fps"));
            return;
        }
        if (g.substeps > 0 && g.substeps != int(steps)) {
            errors.push_back(make_error(at, "time.substeps",
                                        "dt, fps and substeps contradict each other: dt and fps give " +
                                            write_number(steps) + " steps per frame",
                                        "two of the three"));
            return;
        }
        out.substeps = int(steps);
        out.dt = is_whole(1 / (out.fps * g.dt)) ? g.dt : 1 / (out.fps * steps);
        if (out.dt != g.dt)
            notes.push_back("dt = " + write_number(out.dt) + " s instead of " + write_number(g.dt) +
                            " s: " + write_number(steps) + " steps make one frame");
    } else if (g.substeps > 0) {
        out.substeps = g.substeps;
        out.dt = 1 / (out.fps * g.substeps);
    }
    if (!has_fps && out.fps == kDefaultFps) notes.push_back("fps = 24: default");
}

bool read_frames(const Value& v, const Scope& scope, SceneTime& out, std::vector<Error>& errors) {
    if (v.kind != Value::Kind::array) {
        int count = 0;
        if (!read_integer(v, scope, "time.frames", count, errors)) return false;
        out.first_frame = 0;
        out.last_frame = count;
    } else {
        if (!check_array(v, 2, "time.frames", "frame numbers", errors)) return false;
        const bool a = read_integer(v.items[0], scope, "time.frames[0]", out.first_frame, errors);
        if (!read_integer(v.items[1], scope, "time.frames[1]", out.last_frame, errors) || !a) return false;
    }
    const double count = double(out.last_frame) - out.first_frame;
    if (count >= 1 && count <= kMaxFrames) return true;
    errors.push_back(make_error(v, "time.frames", "the number of frames is out of range",
                                "at least one frame after the first, at most 1e7"));
    return false;
}

} // namespace

FieldList describe_time(std::shared_ptr<void>& owner) {
    auto given = std::make_shared<Given>();
    owner = given;
    return collect_fields([&](const FieldCollector& v) { fields(*given, v); });
}

bool read_time(const Value* value, const Scope& scope, SceneTime& out, std::vector<std::string>& notes,
               std::vector<Error>& errors) {
    Given g;
    const std::size_t before = errors.size();
    FieldList list = collect_fields([&](const FieldCollector& v) { fields(g, v); });
    const Value nothing = make_object();
    const Value& at = value ? *value : nothing;
    if (value && !read_fields(list, *value, scope, "time", errors)) return false;
    resolve_rate(at, g, find_field(list, "fps")->given, out, notes, errors);

    const bool has_frames = find_field(list, "frames")->given,
               has_seconds = find_field(list, "seconds")->given;
    if (has_frames) {
        if (!read_frames(g.frames, scope, out, errors)) return false;
        out.seconds = (out.last_frame - out.first_frame) / out.fps;
        if (has_seconds && std::abs(g.seconds - out.seconds) > 1e-9 * g.seconds)
            errors.push_back(make_error(*find(at, "seconds"), "time.seconds",
                                        "frames and fps give " + write_number(out.seconds) + " s",
                                        "frames or seconds, not both"));
        return errors.size() == before;
    }
    out.seconds = has_seconds ? g.seconds : kDefaultSeconds;
    if (!has_seconds) notes.push_back("seconds = 5: default");
    const double frames = out.seconds * out.fps * (1 + 1e-12);
    if (frames > kMaxFrames) {
        errors.push_back(make_error(at, "time.seconds", "more than 1e7 frames", "shorter, or a lower fps"));
        return false;
    }
    out.first_frame = 0;
    out.last_frame = int(std::floor(frames + 1e-9));
    return errors.size() == before;
}

} // namespace sinew
