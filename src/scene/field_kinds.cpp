#include "scene/field_kinds.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/attractor_line_frame.h"
#include "energy/attractor_plane_frame.h"
#include "energy/attractor_point_frame.h"
#include "energy/attractor_line.h"
#include "energy/attractor_plane.h"
#include "energy/attractor_point.h"
#include "energy/drag_frame.h"
#include "energy/list.h"
#include "scene/deformable.h"
#include "scene/names.h"
#include "scene/scope.h"
#include <algorithm>
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
    Real from = 0, until = 1e300, ease = 0;
    Signal scale = make_signal(1);
    template <class V> static void fields(FlowParams& p, V&& v) {
        v("velocity", p.velocity, Field{.unit = "m/s", .live = true, .doc = "numbers or expressions of x, y, z, t, frame and measurements"});
        v("turbulence", p.turbulence, Field{.doc = "eddies on top: { speed, size, rate, seed }"});
        v("from", p.from, Field{.unit = "s", .doc = "start"});
        v("until", p.until, Field{.unit = "s", .doc = "end"});
        v("ease", p.ease, Field{.min = 0, .unit = "s", .doc = "length of the ramps at start and end"});
        v("scale", p.scale, Field{.live = true, .doc = "factor on everything, of the same; events switch a field with 0 and 1"});
    }
};

// A force field: the law of an energy of points, which another one has for bodies, and which objects it acts on.
struct ForceParams {
    std::vector<std::string> objects{"*"};
    std::string field; // of drag
};
template <class OnPoints, class OnFrames> struct ForceOf : ForceParams {
    static_assert(std::is_same_v<typename OnPoints::Params, typename OnFrames::Params>);
    typename OnPoints::Params law;
    template <class V> static void fields(ForceOf& p, V&& v) {
        OnPoints::fields(p.law, v);
        if constexpr (std::is_same_v<OnPoints, Drag>)
            v("field", p.field, Field{.doc = "flow that it is relative to, by name; default: the sum of all wind fields, without any still air"});
        v("objects", p.objects, Field{.doc = "names or patterns of objects that it acts on: on their points, on free bodies at the centre of mass"});
    }
    // what is passive or held is not moved by forces; held points may be released
    static bool add(const void* params, const Object& o, ModelBuilder& b) {
        const ForceOf& p = *static_cast<const ForceOf*>(params);
        const ElementRow &of_points = *find_energy(OnPoints::name), &of_frames = *find_energy(OnFrames::name);
        bool any = false;
        const auto add_one = [&](const ElementRow& row, int i) {
            add_energy(b, row, &p.law, std::array<int, 1>{i});
            any = true;
        };
        for (int i = o.points.begin; i < o.points.end; ++i)
            if (!(b.model.point.flags[i] & kPassive)) add_one(of_points, i);
        for (int i = o.frames.begin; i < o.frames.end; ++i)
            if (!(b.model.frame.flags[i] & kFixed)) add_one(of_frames, i);
        return any;
    }
};
using DragField = ForceOf<Drag, DragFrame>;

template <class P> void describe_field(void* p, FieldList& list) { P::fields(*static_cast<P*>(p), FieldCollector{list}); }
template <class P> std::shared_ptr<void> make_field() { return std::make_shared<P>(); }
// an expression goes to the place of this field among the strengths, and the elements know where it is
template <class P> void set_strength_of(void* params, const SceneTime& time, NamedFields& fields) {
    auto& law = static_cast<P*>(params)->law;
    if (is_constant(law.strength)) return;
    ScalarField& f = fields.strengths.back();
    f.value = law.strength.expression;
    f.fps = time.fps, f.first_frame = time.first_frame;
    law.field = int(fields.strengths.size()) - 1;
    fields.reads_gauges = fields.reads_gauges || uses_gauges(f.value);
}
template <class P> FieldKind flow_kind(std::string_view name, std::string_view doc) {
    return {name, doc, make_field<P>, describe_field<P>, nullptr, nullptr};
}
template <class OnPoints, class OnFrames> FieldKind force_kind() {
    using P = ForceOf<OnPoints, OnFrames>;
    constexpr bool has_strength = requires(P p) { p.law.strength; };
    if constexpr (has_strength) return {OnPoints::name, OnPoints::doc, make_field<P>, describe_field<P>, P::add, set_strength_of<P>};
    else return {OnPoints::name, OnPoints::doc, make_field<P>, describe_field<P>, P::add, nullptr};
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

// the flow that drag is relative to; false if there is none of this name
bool find_drag_flow(const SceneEntry& e, DragField& p, const ModelBuilder& b, std::vector<Error>& errors) {
    p.law.field = default_flow(b.fields);
    if (p.field.empty()) return true;
    std::vector<std::string> known;
    for (const VelocityField& f : b.fields.velocity) known.push_back(f.name);
    const auto found = std::find(known.begin(), known.end(), p.field);
    p.law.field = int(found - known.begin());
    if (found != known.end()) return true;
    errors.push_back(make_error(text_at(p.field, place_of(e.params, "field")), join_path(e.path, "field"),
                                known.empty() ? "the scene has no wind or velocity field" : "no wind or velocity field of this name",
                                fmt::format("{}", fmt::join(known, ", ")), find_nearest(p.field, known)));
    return false;
}

Expression to_expression(const Signal& s) { return is_constant(s) ? make_expression(s.constant) : s.expression; }

} // namespace

std::span<const FieldKind> field_kinds() {
    static const std::vector<FieldKind> kinds{
        force_kind<AttractorLine, AttractorLineFrame>(),
        force_kind<AttractorPlane, AttractorPlaneFrame>(),
        force_kind<AttractorPoint, AttractorPointFrame>(),
        force_kind<Drag, DragFrame>(),
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

void add_flows(const Scene& scene, const Scope& field_scope, GaugeRequests& gauges, ModelBuilder& b, std::vector<Error>& errors) {
    for (const SceneEntry& e : scene.fields) {
        if (!checked_kind(e, errors) || find_field_kind(e.kind)->add) continue;
        Scope scope = make_scope(field_scope, e.vars);
        scope.gauge = find_gauge_for(gauges, e.name);
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
        b.fields.reads_gauges = b.fields.reads_gauges || uses_gauges(p.velocity) || uses_gauges(p.scale);
        b.fields.velocity.push_back(std::move(f));
    }
}

void add_force_fields(const Scene& scene, const Scope& scene_scope, GaugeRequests& gauges, ModelBuilder& b, std::vector<Error>& errors) {
    std::vector<std::string> names;
    for (const Object& o : b.model.objects) names.push_back(o.name);
    // objects with errors of their own, or of a later version
    const auto is_unbuilt = [&](const std::string& pattern) {
        for (const SceneObject& o : scene.objects)
            if (match_name(pattern, o.name) && std::find(names.begin(), names.end(), o.name) == names.end()) return true;
        return matches_broken(scene.broken, pattern) || !match_names(pattern, scene.empty).empty();
    };
    for (const SceneEntry& e : scene.fields) {
        const FieldKind* kind = find_field_kind(e.kind);
        if (!kind || !kind->add) continue;
        Scope scope = make_scope(scene_scope, e.vars);
        scope.gauge = find_gauge_for(gauges, e.name);
        const auto params = kind->make_params();
        FieldList list;
        kind->describe(params.get(), list);
        b.fields.strengths.emplace_back().name = e.name;
        if (!read_fields(list, e.params, scope, e.path, errors)) continue;
        if (kind->set_strength) kind->set_strength(params.get(), scene.time, b.fields);
        if (const FieldRef* axis = find_field(list, "axis"); axis && member_of<Real3>(*axis) == Real3{}) {
            errors.push_back(make_error(*find(e.params, "axis"), join_path(e.path, "axis"), "a direction cannot be zero"));
            continue;
        }
        if (e.kind == Drag::name && !find_drag_flow(e, *static_cast<DragField*>(params.get()), b, errors)) continue;
        std::vector<std::uint8_t> done(names.size(), 0); // an object that two patterns mean feels the force once
        for (const std::string& pattern : member_of<std::vector<std::string>>(*find_field(list, "objects"))) {
            const std::vector<int> found = match_names(pattern, names);
            bool any = false;
            for (int o : found) {
                if (!done[o]) done[o] = kind->add(params.get(), b.model.objects[o], b);
                any = any || done[o];
            }
            if (any || pattern == "*" || is_unbuilt(pattern)) continue;
            errors.push_back(make_error(text_at(pattern, place_of(e.params, "objects")), join_path(e.path, "objects"),
                                        found.empty() ? "no object of this name" : "nothing of it can be moved by a force: it is held, or passive",
                                        found.empty() ? "" : "objects with points, free bodies", found.empty() ? find_nearest(pattern, names) : ""));
        }
    }
}

} // namespace sinew
