#include "scene/field_kinds.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/attractor_point.h"
#include "energy/drag.h"
#include "energy/list.h"
#include "scene/names.h"
#include "scene/scope.h"
#include <fmt/format.h>

namespace sinew {

namespace {

struct Turbulence {
    Real speed = 0, size = 0.5, rate = 0;
    int seed = 1;
    template <class V> static void fields(Turbulence& p, V&& v) {
        v("speed", p.speed, Field{.min = 0, .unit = "m/s", .doc = "root mean square of the eddies"});
        v("size", p.size, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the eddies"});
        v("rate", p.rate, Field{.min = 0, .unit = "1/s", .doc = "how fast they change; 0 = frozen in space"});
        v("seed", p.seed, Field{.min = 0, .doc = "of the pattern"});
    }
};
struct FlowParams {
    Signal3 velocity;
    Value turbulence;
    Real from = 0, until = 1e300, ease = 0, scale = 1;
    template <class V> static void fields(FlowParams& p, V&& v) {
        v("velocity", p.velocity, Field{.unit = "m/s", .live = true, .doc = "numbers or expressions of x, y, z, t, frame"});
        v("turbulence", p.turbulence, Field{.doc = "eddies on top: { speed, size, rate, seed }"});
        v("from", p.from, Field{.unit = "s", .doc = "start"});
        v("until", p.until, Field{.unit = "s", .doc = "end"});
        v("ease", p.ease, Field{.min = 0, .unit = "s", .doc = "length of the ramps at start and end"});
        v("scale", p.scale, Field{.live = true, .doc = "factor on everything; events switch a field with 0 and 1"});
    }
};

struct ForceParams { // which objects a force field acts on
    std::vector<std::string> objects{"*"};
};

template <class P> FieldKind flow_kind(std::string_view name, std::string_view doc) {
    return {name, doc, []() -> std::shared_ptr<void> { return std::make_shared<P>(); },
            [](void* p, FieldList& list) { P::fields(*static_cast<P*>(p), FieldCollector{list}); }};
}
FieldKind row_kind(const char* name) {
    const ElementRow& row = *find_energy(name);
    return {row.name, row.doc, row.make_params, row.describe};
}

const FieldKind* checked_kind(const SceneEntry& e, std::vector<Error>& errors) {
    const FieldKind* kind = find_field_kind(e.kind);
    if (kind) return kind;
    std::vector<std::string> known;
    for (const FieldKind& k : field_kinds()) known.emplace_back(k.name);
    errors.push_back(make_error(text_at(e.kind, e.params.place), join_path(e.path, "kind"), "no field of this kind",
                                fmt::format("{}", fmt::join(known, ", ")), find_nearest(e.kind, known)));
    return nullptr;
}

bool is_flow(const SceneEntry& e) { return e.kind == "wind" || e.kind == "velocity"; }

Expression to_expression(const Signal& s) { return is_constant(s) ? make_expression(s.constant) : s.expression; }

} // namespace

std::span<const FieldKind> field_kinds() {
    static const std::vector<FieldKind> kinds{
        row_kind("attractor_line"),
        row_kind("attractor_plane"),
        row_kind("attractor_point"),
        row_kind("drag"),
        flow_kind<FlowParams>("velocity", "flow that carries passive points"),
        flow_kind<FlowParams>("wind", "flow that blows on everything with drag"),
    };
    return kinds;
}

const FieldKind* find_field_kind(std::string_view name) {
    for (const FieldKind& k : field_kinds())
        if (k.name == name) return &k;
    return nullptr;
}

void add_flows(const Scene& scene, const Scope& field_scope, ModelBuilder& b, std::vector<Error>& errors) {
    for (const SceneEntry& e : scene.fields) {
        if (!checked_kind(e, errors) || !is_flow(e)) continue;
        const Scope scope = make_scope(field_scope, e.vars);
        FlowParams p;
        FieldList list = collect_fields([&](auto v) { FlowParams::fields(p, v); });
        Turbulence eddies;
        bool ok = read_fields(list, e.params, scope, e.path, errors);
        if (p.turbulence.kind != Value::Kind::null) {
            FieldList more = collect_fields([&](auto v) { Turbulence::fields(eddies, v); });
            ok &= read_fields(more, p.turbulence, scope, join_path(e.path, "turbulence"), errors);
        }
        VelocityField f;
        f.name = e.name;
        if (!ok) { // the name is known: who uses it is not wrong
            b.fields.velocity.push_back(std::move(f));
            continue;
        }
        f.base = {to_expression(p.velocity.x), to_expression(p.velocity.y), to_expression(p.velocity.z)};
        f.fps = scene.time.fps;
        f.first_frame = scene.time.first_frame;
        f.is_wind = e.kind == "wind";
        f.turbulence_speed = eddies.speed;
        f.turbulence_size = eddies.size;
        f.turbulence_rate = eddies.rate;
        f.seed = scene.seed * 1000003 + eddies.seed;
        f.from = p.from;
        f.until = p.until;
        f.ease = p.ease;
        f.scale = p.scale;
        b.fields.velocity.push_back(std::move(f));
    }
}

void add_force_fields(const Scene& scene, const Scope& scene_scope, ModelBuilder& b, std::vector<Error>& errors) {
    std::vector<std::string> names;
    for (const Object& o : b.model.objects) names.push_back(o.name);
    // objects with errors of their own, or of a later version
    const auto is_unbuilt = [&](const std::string& pattern) {
        for (const SceneObject& o : scene.objects)
            if (match_name(pattern, o.name)) return true;
        return matches_broken(scene.broken, pattern) || !match_names(pattern, scene.empty).empty();
    };
    for (const SceneEntry& e : scene.fields) {
        if (is_flow(e) || !find_field_kind(e.kind)) continue;
        const ElementRow& row = *find_energy(e.kind);
        const Scope scope = make_scope(scene_scope, e.vars);
        const auto params = row.make_params();
        FieldList list;
        row.describe(params.get(), list);
        ForceParams on;
        FieldCollector{list}("objects", on.objects, Field{.doc = "names or patterns; default: all"});
        if (!read_fields(list, e.params, scope, e.path, errors)) continue;
        if (const FieldRef* axis = find_field(list, "axis"); axis && *static_cast<const Real3*>(axis->member) == Real3{}) {
            errors.push_back(make_error(*find(e.params, "axis"), join_path(e.path, "axis"), "a direction cannot be zero"));
            continue;
        }
        for (const std::string& pattern : on.objects) {
            const std::vector<int> found = match_names(pattern, names);
            if (found.empty() && pattern != "*" && !is_unbuilt(pattern))
                errors.push_back(make_error(text_at(pattern, place_of(e.params, "objects")), join_path(e.path, "objects"), "no object of this name", "",
                                            find_nearest(pattern, names)));
            for (int o : found) {
                const Range points = b.model.objects[o].points;
                for (int i = points.begin; i < points.end; ++i)
                    if (!(b.model.point.flags[i] & kPassive)) add_energy(b, row, params.get(), std::array<int, 1>{i});
            }
        }
    }
}

} // namespace sinew
