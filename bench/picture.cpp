// One frame of 1280 x 720 pixels, 16 rays each, of a cloth over a ball, 11080 triangles: what `sinew render` takes for it once the scene is
// read, from the triangles to the pixels (a tree of them, rays, shading). The limit is in seconds, as users count; beside it the same with two
// threads, against the machine's ceiling, and that both have the same pixels.
#include "bench.h"
#include "core/hash.h"
#include "core/math.h"
#include "model/snapshot_of.h"
#include "render/render.h"
#include "sinew/sinew.h"
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr double kMostSeconds = 5; // "a few"
const char* kScene = R"({ "objects": { "ball": { "kind": "sphere", "radius": 0.4 },
    "cloth": { "kind": "cloth_grid", "size": [2, 2], "edge": 0.0285715, "at": [0, 0.42, 0] } } })";

// a sheet that hangs down beyond the ball, in folds
void drape(std::span<Real3> points) {
    for (Real3& p : points) {
        const double r = std::hypot(p.x, p.z), angle = std::atan2(p.z, p.x);
        p.y = r < 0.3 ? std::sqrt(0.42 * 0.42 - r * r) : 0.294 - 1.1 * (r - 0.3) + 0.08 * (r - 0.3) * std::sin(9 * angle);
        p.x *= 1 / (1 + 0.4 * r), p.z *= 1 / (1 + 0.4 * r);
    }
}
int triangle_count(const SnapshotLayout& layout) {
    int count = 0;
    for (const SnapshotObject& o : layout.objects)
        for (std::size_t k = 0; k + 1 < o.polygon_begin.size(); ++k) count += o.polygon_begin[k + 1] - o.polygon_begin[k] - 2;
    return count;
}

} // namespace

void run_picture(const Options& o, Results& r) {
    const Ceilings machine = measure_ceilings(9);
    add_ceilings(r, "before", machine);
    const Context context{.threads = 1};
    const auto scene = parse(context, kScene);
    auto built = scene ? build(context, *scene.value) : Result<Built>{};
    if (!built) return add_at_least(r, "picture", 1, "the scene is built", exactly(0), 1, true);
    drape(built.value->state.point.x);
    const Snapshot snapshot = snapshot_of(built.value->model, built.value->state);
    const SnapshotLayout& layout = *built.value->model.layout;
    const RenderSettings settings;
    FilmView view;
    add_to_view(layout, snapshot, settings, view);
    finish_view(layout, snapshot, settings, {}, view);
    const auto painter = make_painter(layout, settings);
    if (!painter) return add_at_least(r, "picture", 1, painter.errors.empty() ? "a painter" : painter.errors[0].message, exactly(0), 1, true);
    const auto one = make_parallel({.threads = 1}), two = make_parallel({.threads = 2});
    std::uint64_t hashes[2] = {};
    std::size_t least = std::size_t(-1); // bytes of a picture
    const auto draw = [&](const Parallel& parallel, std::uint64_t& hash_of) {
        const auto frame = render_frame(parallel, *painter.value, snapshot, view);
        Hash h;
        least = std::min(least, frame ? frame.value->picture.rgba.size() : 0);
        if (frame) add_bytes(h, frame.value->picture.rgba.data(), frame.value->picture.rgba.size());
        hash_of = h.value;
    };
    const Pairs pairs = measure_pairs(o.pairs, 2, [&] { draw(*one, hashes[0]); }, [&] { draw(*two, hashes[1]); });
    const std::string name = fmt::format("{} triangles, {} x {}", triangle_count(layout), settings.width, settings.height);
    add_at_most(r, name, 1, "time of a frame [s]", pairs.a, kMostSeconds, true);
    add(r, name, 2, "time of a frame", "s", pairs.b);
    add_at_least(r, name, 2, "gain by two threads / ceiling of computing",
                 {pairs.ratio.median / machine.compute.median, pairs.ratio.low / machine.compute.median, pairs.ratio.high / machine.compute.median}, 0.85, !r.busy);
    add_at_least(r, name, 2, "pixels drawn", exactly(double(least) / 4), settings.width * settings.height, true);
    add_at_least(r, name, 2, "the same pixels", exactly(hashes[0] == hashes[1] ? 1 : 0), 1, true);
    r.hash = fmt::format("{:016x}", hashes[0]);
}

} // namespace sinew::bench
