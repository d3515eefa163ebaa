#include "scene/ways.h"
#include "core/error.h"
#include "model/way.h"
#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace sinew {

namespace {

struct WayWork {
    const Scene& scene;
    const Script& script;
    const State& start;
    const Model& model;
    Ways ways{};
    std::unordered_map<std::string_view, int> by_name{}; // objects of the scene
};

bool is_region(const SceneObject& o) { return o.kind == "emitter" || o.kind == "sink"; }

int find_parent(const WayWork& w, const SceneObject& o) {
    const auto parent = w.by_name.find(o.parent);
    return o.parent.empty() || parent == w.by_name.end() ? -1 : parent->second;
}

// -1: nothing can move it
int add_way(WayWork& w, int scene_object) {
    if (scene_object < 0) return -1;
    const SceneObject& o = w.scene.objects[std::size_t(scene_object)];
    const Id id = find(w.model, o.name);
    if (!id) return -1;
    std::vector<Way>& all = w.ways.all;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].object == id.index) return int(k);
    const Range frames = w.model.objects[std::size_t(id.index)].frames;
    const auto mover = std::find_if(w.script.movers.begin(), w.script.movers.end(), [&](const Mover& m) { return m.object == id.index; });
    const bool moves = mover != w.script.movers.end();
    Way way;
    way.object = id.index;
    way.rest = o.pose;
    if (moves && mover->has_motion) {
        way.has_motion = true;
        way.motion = mover->motion;
    }
    if (frames.count() > 0) {
        // where forces, programs or its motion take it; free bodies carry no held one
        way.frame = frames.begin;
        if (!moves) way.rest = {w.start.frame.p[std::size_t(frames.begin)], w.start.frame.q[std::size_t(frames.begin)]};
        if (moves && mover->parent >= 0) way.parent = add_way(w, find_parent(w, o));
    } else {
        // emitters and sinks follow, and what the script carries; cloth on a free body is on its own
        if (is_region(o) || (moves && mover->parent >= 0)) way.parent = add_way(w, find_parent(w, o));
        if (way.parent < 0 && !way.has_motion) return -1;
    }
    all.push_back(std::move(way));
    return int(all.size()) - 1;
}

// what the parent's own velocity at the start has added to that of the object; it comes from the way
Vec3 share_of_parent(const SceneObject& parent, const SceneObject& o) {
    return vec(parent.velocity) + vec(parent.angular_velocity).cross(vec(o.pose.position) - vec(parent.pose.position));
}

void refuse_free(const SceneObject& o, std::vector<Error>& errors) {
    if (o.motion.kind == Value::Kind::text && o.motion.text == "free")
        errors.push_back(make_error(o.motion, join_path(o.path, "motion"), fmt::format("nothing pushes the kind {}: it rests, has a motion or a parent that moves", o.kind),
                                    "\"static\", { spin, slide, at, move, rotate, keys }"));
}

void check_region(const SceneObject& o, const Model& m, bool moves, std::vector<Error>& errors) {
    refuse_free(o, errors);
    const Value* inherit = find(o.params, "inherit_velocity");
    const bool judged = o.parent.empty() || find(m, o.parent); // a parent with errors of its own might move
    if (inherit && !moves && judged && (o.motion.kind == Value::Kind::null || o.motion.kind == Value::Kind::text))
        errors.push_back(make_error(*inherit, join_path(o.path, "inherit_velocity"), "has no effect: nothing moves this emitter", "with a motion, or a parent that is a body or moves"));
}

} // namespace

void build_ways(const Scene& scene, const Script& script, const State& start, Model& m, std::vector<Error>& errors) {
    WayWork w{scene, script, start, m};
    for (std::size_t k = 0; k < scene.objects.size(); ++k) w.by_name.emplace(scene.objects[k].name, int(k));
    for (const SceneObject& o : scene.objects) {
        if (!is_region(o)) continue;
        const Id id = find(m, o.name);
        if (!id) continue;
        const int way = add_way(w, w.by_name[o.name]);
        for (Emitter& e : m.emitters) {
            if (e.object != id.index) continue;
            e.way = way;
            if (way >= 0 && w.ways.all[std::size_t(way)].parent >= 0)
                e.velocity = real3(vec(e.velocity) - share_of_parent(scene.objects[std::size_t(find_parent(w, o))], o));
        }
        for (Sink& s : m.sinks)
            if (s.object == id.index) s.way = way;
        check_region(o, m, way >= 0, errors);
    }
    if (!w.ways.all.empty()) m.ways = std::make_shared<const Ways>(std::move(w.ways));
}

void refuse_moving_sinks(const Scene& scene, const Model& m, std::vector<Error>& errors) {
    const auto named = [&](const std::string& name) { return std::find_if(scene.objects.begin(), scene.objects.end(), [&](const SceneObject& a) { return a.name == name; }); };
    for (const SceneObject& o : scene.objects) {
        if (o.kind != "sink") continue;
        refuse_free(o, errors);
        auto parent = named(o.parent);
        while (parent != scene.objects.end() && is_region(*parent)) parent = named(parent->parent);
        const Id id = parent != scene.objects.end() ? find(m, parent->name) : Id{};
        if (!id || m.objects[std::size_t(id.index)].frames.count() == 0) continue; // cloth and points carry none
        errors.push_back(make_error(text_at(o.parent, o.params.place), join_path(o.path, "parent"), "sinks that follow a body are of the scene, not of what is spawned into it",
                                    "a place of its own: it stays there"));
    }
}

} // namespace sinew
