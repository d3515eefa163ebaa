// A scene that is simulated while one looks: the main loop's own step (simulate.h), so that states are those of `sinew run` bit for
// bit as long as nobody sets or grabs anything.
#include "scene/script.h"
#include "view_grab.h"
#include "view_source.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

Errors ViewSource::seek(int) {
    return {Error{.message = "a scene that is simulated has no frames to go to", .allowed = "restart, step; or view its recording"}};
}
Errors ViewSource::set_live(const std::string& path, const std::string&) {
    return {Error{.path = path, .message = "nothing can be set in a recording", .allowed = "view the scene"}};
}
Errors ViewSource::grab(int, int, const Real3&) {
    return {Error{.message = "nothing can be grabbed in a recording", .allowed = "view the scene"}};
}
Result<std::string> ViewSource::hash_text() {
    return {std::nullopt, {Error{.message = "a recording has no states, so no hash of one", .allowed = "view the scene"}}};
}

namespace {

Result<Simulation> load_simulation(const ViewOptions& o, std::string& name) {
    Scene scene;
    Result<Compiled> compiled = load_compiled(o.file, o.solver, o.set, false, &scene);
    if (!compiled) return {std::nullopt, compiled.errors};
    name = scene.name;
    Result<Simulation> made = make_simulation(make_context(o.threads, true), std::move(*compiled.value));
    if (made) measure_start(*made.value);
    return made;
}

struct LiveSource : ViewSource {
    ViewOptions options;
    std::string name;
    std::optional<Simulation> simulation;
    ViewGrab grabbed;
    Snapshot now, before;
    bool has_now = false, has_before = false;
    bool now_is_frame = false; // `now` is that of a frame, not of a step between
    int generation = 0; // restarts

    Simulation& s() { return *simulation; }
    const Simulation& s() const { return *simulation; }

    Value describe() const override {
        Value v = make_object();
        set(v, "live", make_boolean(true));
        set(v, "scene", make_text(name));
        set(v, "solver", make_text(s().compiled.solver));
        set(v, "dt", make_number(s().compiled.dt));
        set(v, "substeps", make_number(s().compiled.substeps));
        set(v, "threads", make_number(thread_count(*s().parallel)));
        return v;
    }
    const SnapshotLayout& layout() const override { return *s().compiled.model.layout; }
    int revision() const override { return generation * 100000 + s().compiled.model.topology_revision; }
    ViewPlace place() const override {
        const SceneTime& t = s().compiled.script.time;
        return {current_frame(s()), t.first_frame, t.last_frame, s().now.time, s().now.step};
    }
    bool at_frame() const override { return sinew::at_frame(s()); }
    bool at_end() const override { return is_finished(s()); }

    const Snapshot& look() override {
        if (!has_now) {
            if (now_is_frame) std::swap(now, before), has_before = true;
            now = make_snapshot(s());
            now_is_frame = sinew::at_frame(s());
            has_now = true;
        }
        return now;
    }
    const Snapshot* look_before() override { return has_before ? &before : nullptr; }

    Errors advance() override {
        apply_grab(grabbed, s());
        has_now = false;
        if (simulate_step(s()) == Status::failed)
            return {Error{.message = fmt::format("failed at t = {:.6g} s, frame {:.2f}, after {} retries: {}", s().now.time,
                                                 current_frame(s()), s().report.retries, s().report.message)}};
        return {};
    }
    Errors restart() override {
        Result<Simulation> again = load_simulation(options, name);
        if (!again) return again.errors;
        simulation.emplace(std::move(*again.value));
        grabbed = {};
        has_now = has_before = now_is_frame = false;
        ++generation;
        return {};
    }
    std::vector<std::string> news() override {
        std::vector<std::string> lines = s().events;
        for (const std::string& w : s().report.warnings) lines.push_back(fmt::format("warning: t = {:.6g} s: {}", s().now.time, w));
        return lines;
    }
    Errors set_live(const std::string& path, const std::string& value) override {
        return sinew::set(s().compiled.script, s().compiled.model, s().now, path, value); // the next step makes the solver anew
    }
    Errors grab(int object, int vertex, const Real3& at) override { return begin_grab(s(), object, vertex, at, grabbed); }
    void drag(const Real3& to) override { grabbed.to = to; }
    void release() override { grabbed = {}; }
    Result<std::string> hash_text() override { return {fmt::format("{:016x}", hash(s().now)), {}}; }
};

} // namespace

Result<std::unique_ptr<ViewSource>> make_live_source(const ViewOptions& options) {
    auto source = std::make_unique<LiveSource>();
    source->options = options;
    Result<Simulation> made = load_simulation(options, source->name);
    if (!made) return {std::nullopt, made.errors};
    source->simulation.emplace(std::move(*made.value));
    return {std::unique_ptr<ViewSource>(std::move(source)), {}};
}

} // namespace sinew
