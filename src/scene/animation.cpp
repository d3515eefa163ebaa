#include "scene/animation.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/math.h"
#include "scene/mesh_source.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace sinew {

namespace {

struct AnimationParams {
    std::string file, object, unit = "m", up = "y";
    Real fps = 0, from = 0;
    int first_frame = 0;
    bool repeat = false;
    template <class V> static void fields(AnimationParams& p, V&& v) {
        v("file", p.file, Field{.required = true, .doc = "PC2, MDD or Sinew recording, or OBJ, PLY or STL with * for the frame"});
        v("object", p.object, Field{.doc = "of a recording or an OBJ file with several"});
        v("fps", p.fps, Field{.min = 0, .min_exclusive = true, .unit = "1/s", .doc = "of the file's frames; default: the scene's"});
        v("first_frame", p.first_frame, Field{.doc = "frame of the file at time 0; default: the scene's first frame"});
        v("unit", p.unit, Field{.allowed = {"m", "cm", "mm", "in", "ft"}, .doc = "of the file's numbers"});
        v("up", p.up, Field{.allowed = {"x", "y", "z"}, .doc = "axis of the file that points up"});
        v("from", p.from, Field{.unit = "s", .doc = "scene time of the animation's time 0"});
        v("repeat", p.repeat, Field{.doc = "starts again after the last sample"});
    }
};

// index of the sample before t, and how far t is on the way to the next
int find_sample(const AnimationTrack& a, double t, double& part) {
    const std::vector<double>& times = a.source->times;
    const double first = times.front(), last = times.back();
    if (a.repeat && last > first) t = first + (t - first) - (last - first) * std::floor((t - first) / (last - first));
    part = 0;
    if (t <= first || times.size() == 1) return 0;
    if (t >= last) return int(times.size()) - 1;
    const int k = int(std::upper_bound(times.begin(), times.end(), t) - times.begin()) - 1;
    part = (t - times[k]) / (times[k + 1] - times[k]);
    return k;
}

// makes slot 0 hold sample k and slot 1 sample k + 1, reading as little as possible
Errors load_samples(AnimationTrack& a, int k) {
    const int next = std::min(k + 1, int(a.source->times.size()) - 1);
    if (a.sample[0] != k && a.sample[1] == k) {
        std::swap(a.sample[0], a.sample[1]);
        std::swap(a.x[0], a.x[1]);
    }
    for (int slot : {0, 1}) {
        const int wanted = slot ? next : k;
        if (a.sample[slot] == wanted) continue;
        a.sample[slot] = -1;
        if (Errors e = a.source->read(wanted, a.x[slot]); !e.empty()) return e;
        a.sample[slot] = wanted;
    }
    return {};
}

} // namespace

std::shared_ptr<AnimationTrack> read_animation(BuildContext& c, std::string_view key, const Value& value) {
    AnimationParams p;
    p.fps = c.scene.time.fps;
    p.first_frame = c.scene.time.first_frame;
    Value name = value;
    if (value.kind == Value::Kind::object) {
        FieldList list = collect_fields([&](auto v) { AnimationParams::fields(p, v); });
        if (!read_fields(list, value, c.scope, c.path(key), c.errors)) return nullptr;
        name = *find(value, "file");
    } else if (!read_text(value, c.path(key), p.file, c.errors)) {
        return nullptr;
    }
    Result<std::unique_ptr<Animation>> opened = open_animation({resolve_file(name), p.object, p.fps, double(p.first_frame)});
    const auto blame = [&](const Errors& errors) {
        for (const Error& e : errors)
            c.errors.push_back(make_error(e.value.empty() ? name : text_at(e.value, name.place), c.path(key),
                                          "cannot use this animation: " + e.message, e.allowed));
        return nullptr;
    };
    if (!opened) return blame(opened.errors);
    auto track = std::make_shared<AnimationTrack>();
    track->source = std::move(*opened.value);
    track->up = p.up;
    track->from = p.from;
    track->repeat = p.repeat;
    track->rest = c.object.pose;
    const Real unit = metres_per(p.unit);
    for (int k = 0; k < 3; ++k) track->scale[k] = unit * c.object.scale[k];
    // the first and the last sample are read at once: a damaged file is better found before the run
    if (Errors e = load_samples(*track, int(track->source->times.size()) - 1); !e.empty()) return blame(e);
    Hash content; // of counts, first and last sample: whole caches may be large
    add(content, std::uint64_t(track->source->times.size()));
    add(content, std::span<const Real3>(track->x[0]));
    if (Errors e = load_samples(*track, 0); !e.empty()) return blame(e);
    add(content, std::span<const Real3>(track->x[0]));
    const std::string path = std::filesystem::absolute(resolve_file(name)).lexically_normal().string();
    c.files.push_back(fmt::format("{:016x}  {}", content.value, path));
    return track;
}

Errors sample_animation(AnimationTrack& a, double t, std::vector<Real3>& x, std::vector<Real3>* v) {
    double part = 0;
    const int k = find_sample(a, t - a.from, part);
    if (Errors e = load_samples(a, k); !e.empty()) return e;
    const std::size_t n = std::size_t(a.source->point_count);
    const std::vector<double>& times = a.source->times;
    const bool moves = a.sample[1] > k && (t - a.from >= times.front() || a.repeat);
    const double rate = moves ? 1 / (times[std::size_t(k) + 1] - times[std::size_t(k)]) : 0;
    x.resize(n);
    if (v) v->resize(n);
    const Vec3 scale = vec(a.scale);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 here = scale.cwiseProduct(vec(up_to_y(a.x[0][i], a.up)));
        const Vec3 way = scale.cwiseProduct(vec(up_to_y(a.x[1][i], a.up))) - here;
        x[i] = real3(here + part * way);
        if (v) (*v)[i] = real3(rate * way);
    }
    return {};
}

} // namespace sinew
