#include "scene/compile.h"
#include "collision/sunk.h"
#include "core/error.h"
#include "core/nearest.h"
#include "model/edit.h"
#include "model/emit.h"
#include "scene/animation.h"
#include "scene/attach.h"
#include "scene/choose.h"
#include "scene/field_kinds.h"
#include "scene/joint.h"
#include "scene/look.h"
#include "scene/names.h"
#include "scene/placement.h"
#include "scene/scope.h"
#include "scene/script_build.h"
#include "scene/spawn.h"
#include "scene/ways.h"
#include "solver/position.h"
#include "solver/velocity.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace sinew {

namespace {

struct Work {
    const Scene& scene;
    bool check_only;
    Scope scene_scope, field_scope;
    ModelBuilder builder;
    std::vector<NamedMaterial> materials;
    Compiled out;
    std::vector<Error> errors;
    std::vector<std::string> wrong; // objects and joints that are not built, for an error of their own
    // what the scene sets and this version does not act on yet: feature -> who sets it
    std::map<std::string, std::vector<std::string>> idle;
    // with all that events spawn, each once: what the solver and the step are chosen for
    std::unique_ptr<Spawned> joined{}; // null = there is none
    PointAttributes attributes{};
    GaugeRequests gauges{};            // what expressions measure
    const Model& whole() const { return joined ? joined->model : builder.model; }
    const State& whole_state() const { return joined ? joined->state : builder.state; }
};

std::vector<std::string> built_solvers() {
    std::vector<std::string> names;
    for (const SolverEntry& s : solver_entries()) names.emplace_back(s.name);
    return names;
}

void read_materials(Work& w) {
    // a file is missing that may hold materials: unknown ones are not wrong
    if (is_incomplete(w.scene)) w.materials.push_back({std::string(kAnything), {}});
    for (const SceneEntry& e : w.scene.materials) {
        Material m;
        const Scope scope = make_scope(w.scene_scope, e.vars);
        find_material(e.params, scope, e.path, w.materials, m, w.errors);
        m.name = e.name;
        w.materials.push_back({e.name, m}); // a wrong one too: who uses it is not wrong
        if (find(e.params, "friction")) w.idle["friction"].push_back(e.path);
    }
}

constexpr const char* kRodContact = "self_contact of rods";

// parameters that are read and not acted on yet
void note_idle(Work& w, const SceneObject& o) {
    const auto given = [&](const char* key) { return find(o.params, key); };
    const Value *material = given("material"), *self = given("self_contact");
    if (given("friction") || (material && find(*material, "friction"))) w.idle["friction"].push_back(o.name);
    if (self && !(self->kind == Value::Kind::boolean && !self->boolean))
        w.idle[o.kind == "rod" ? kRodContact : "self_contact"].push_back(o.name);
}

// whether something of the object is an unknown, or carries one
bool has_unknowns(const Model& m, const Object& o) {
    const auto is_free = [](const std::vector<std::uint8_t>& flags, const Range& r) {
        return std::any_of(flags.begin() + r.begin, flags.begin() + r.end, [](std::uint8_t f) { return !(f & kFixed); });
    };
    return is_free(m.point.flags, o.points) || is_free(m.frame.flags, o.frames);
}

// Surfaces that cannot move and are met by their triangles alone: solvers without contact of surfaces let free bodies pass those of
// animated objects, and everything those of fixed points.
std::vector<std::string> passed_surfaces(const Model& m) {
    bool soft = false, bodies = false;
    for (const Object& o : m.objects) {
        const bool meets = o.surface.count() > 0 && has_unknowns(m, o);
        soft = soft || (meets && o.points.count() > 0), bodies = bodies || (meets && o.frames.count() > 0);
    }
    std::vector<std::string> names;
    for (int i = 0; i < int(m.objects.size()); ++i) {
        const auto owns = [&](const auto& x) { return x.object == i; };
        const Object& o = m.objects[i];
        if (o.triangles.count() == 0 || has_unknowns(m, o) || o.frames.count() > 0) continue;
        if (bodies || (soft && std::none_of(m.obstacles.begin(), m.obstacles.end(), owns))) names.push_back(o.name);
    }
    return names;
}

// objects that move and have a surface to touch, particles aside
std::vector<std::string> touchable_movers(const Model& m, std::size_t& rods) {
    std::vector<std::string> names;
    rods = 0;
    std::vector<char> has_surface(m.objects.size(), 0);
    for (int object : m.surface.object) has_surface[object] = 1;
    for (std::size_t i = 0; i < m.objects.size(); ++i)
        if (has_surface[i] && has_unknowns(m, m.objects[i]) && m.objects[i].kind != "particles" && m.objects[i].kind != "emitter") {
            names.push_back(m.objects[i].name);
            rods += m.objects[i].kind == "rod";
        }
    return names;
}

std::string list_names(const std::vector<std::string>& names) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i ? ", " : "") + names[i];
    return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

// the solver, or the one that a preset sets up
std::string_view base_solver(std::string_view solver) {
    const SolverEntry* e = find_solver(solver);
    return !e ? "" : e->base.empty() ? e->name : e->base;
}

// whether bodies touch each other, with friction, under the chosen solver
bool has_body_contact(std::string_view base) { return base == "velocity" || base == "articulated" || base == "position"; }
// rods touch each other and themselves
bool has_rod_contact(std::string_view base) { return base == "newton"; }

// a word among the settings of the chosen solver, "" = it has none of this name
std::string setting_word(const Work& w, std::string_view name) {
    const SolverEntry* e = find_solver(w.out.solver);
    if (!e || !w.out.settings) return "";
    FieldList list;
    e->describe(w.out.settings.get(), list);
    for (const FieldRef& f : list.fields)
        if (f.name == name && f.type == FieldType::text) return *static_cast<const std::string*>(f.member);
    return "";
}

// Why points on obstacles have no friction under the chosen solver and settings, "" = they have. One linear solve knows no
// limit of a force, and an equilibrium has no way that was gone (docs/theory/newton.md).
std::string without_friction(const Work& w, std::string_view base) {
    if (base != "newton" && base != "nonlinear_cg") return "not built yet";
    const std::string linearisation = setting_word(w, "linearisation");
    if (!linearisation.empty() && linearisation != "full") return fmt::format("{} has no friction, newton has", linearisation);
    if (setting_word(w, "scheme") == "quasi_static") return "quasi_static has no friction, the other schemes have";
    return "";
}

void add_notes(Work& w) {
    const std::string_view base = base_solver(w.out.solver);
    const bool touching = has_body_contact(base), rods_touch = has_rod_contact(base);
    for (const auto& [feature, names] : w.idle) {
        const std::string why = feature == "friction" ? without_friction(w, base) : "not built yet";
        if (touching || why.empty() || (rods_touch && feature == kRodContact)) continue;
        w.out.notes.push_back(fmt::format("{}: {} has no effect ({})", why, feature, list_names(names)));
    }
    std::size_t rods = 0;
    const auto movers = touchable_movers(w.builder.model, rods);
    if (movers.size() > 1 && !touching && !(rods_touch && rods == movers.size()))
        w.out.notes.push_back(fmt::format("{} has no contact between moving objects{}: {} pass through each other; position and velocity have it", w.out.solver,
                                          rods_touch && rods > 1 ? " other than rods" : "", list_names(movers)));
    const auto others = passed_surfaces(w.builder.model);
    if (!others.empty() && base != "position" && base != "velocity")
        w.out.notes.push_back(fmt::format("warning: not everything meets {}: under {} points meet held bodies and meshes moved by files, bodies meet "
                                          "bodies; position and velocity meet every surface", list_names(others), w.out.solver));
    std::vector<std::string> rolling;
    for (const Object& o : w.builder.model.objects)
        if (o.rolling_friction > 0 || o.torsional_friction > 0) rolling.push_back(o.name);
    if (!rolling.empty() && base != "velocity" && base != "articulated")
        w.out.notes.push_back(fmt::format("warning: rolling and torsional friction have no effect under {} ({}); velocity and articulated have them", w.out.solver,
                                          list_names(rolling)));
    for (const ScriptEvent& e : w.out.script.events)
        if (e.event.when.empty() && e.event.at > w.scene.time.seconds)
            w.out.notes.push_back(fmt::format("warning: {} never happens: {:.6g} s is after the end of the run, {:.6g} s", e.event.path,
                                              e.event.at, w.scene.time.seconds));
}

// the material of an object that is not built, because its parameters are wrong
void check_material(Work& w, const SceneObject& o, FieldList& list, const Scope& scope) {
    const FieldRef* field = find_field(list, "material");
    const Value* value = find(o.params, "material");
    Material ignored;
    if (field && field->type == FieldType::value && value)
        find_material(*value, scope, join_path(o.path, "material"), w.materials, ignored, w.errors);
}

void read_object(Work& w, const SceneObject& o) {
    const ObjectKind* kind = find_object_kind(o.kind);
    if (!kind) {
        std::vector<std::string> known;
        for (const ObjectKind& k : object_kinds()) known.emplace_back(k.name);
        for (std::string_view f : future_kinds())
            if (f == o.kind && w.check_only) {
                w.out.future.push_back(make_error(text_at(o.kind, o.params.place), join_path(o.path, "kind"), "this kind is not built yet"));
                return;
            }
        bool later = false;
        for (std::string_view f : future_kinds()) later = later || f == o.kind;
        w.errors.push_back(make_error(text_at(o.kind, o.params.place), join_path(o.path, "kind"),
                                      later ? "this kind is not built yet" : "no kind of this name",
                                      fmt::format("{}", fmt::join(known, ", ")), later ? "" : find_nearest(o.kind, known)));
        return;
    }
    const auto params = kind->make_params();
    FieldList list;
    kind->describe(params.get(), list);
    const Scope scope = make_scope(w.scene_scope, o.vars);
    note_idle(w, o);
    if (!read_fields(list, o.params, scope, o.path, w.errors)) {
        w.wrong.push_back(o.name);
        check_material(w, o, list, scope);
        return;
    }
    BuildContext c{w.scene, o, scope, w.materials, w.builder, w.out.script.handles, w.out.script.animations,
                   w.errors, w.out.notes, w.out.files, w.attributes};
    kind->build(params.get(), c);
}

void build_object(Work& w, const SceneObject& o) {
    const std::size_t before = w.errors.size();
    read_object(w, o);
    if (w.errors.size() > before) w.wrong.push_back(o.name);
}

// Settings of a solver of a later version stand in a scene without harm while another one is chosen.
void add_unbuilt_settings(Work& w, const SceneEntry& e) {
    const Value at = text_at(e.name, e.params.place);
    if (!is_future_solver(e.name)) {
        const std::vector<std::string> known = built_solvers();
        std::vector<std::string> words = known; // a misspelt name may also be one of a later version
        for (std::string_view f : future_solvers()) words.emplace_back(f);
        w.errors.push_back(make_error(at, e.path, "no solver of this name", fmt::format("{}", fmt::join(known, ", ")),
                                      find_nearest(e.name, words)));
    } else if (w.check_only) {
        w.out.future.push_back(make_error(at, e.path, "this solver is not built yet"));
    } else {
        w.out.notes.push_back(fmt::format("{} is not used: this solver is not built yet", e.path));
    }
}

void read_settings(Work& w, std::string_view name) {
    for (const SceneEntry& e : w.scene.solvers) {
        const SolverEntry* entry = find_solver(e.name);
        if (!entry) {
            add_unbuilt_settings(w, e);
            continue;
        }
        const auto settings = entry->make_settings();
        FieldList list;
        entry->describe(settings.get(), list);
        const Scope scope = make_scope(w.scene_scope, e.vars);
        if (read_fields(list, e.params, scope, e.path, w.errors) && e.name == name) w.out.settings = settings;
    }
}

// settings that contradict each other or the model
void check_settings(Work& w) {
    const auto fail = [&](const char* key, std::string message, std::string allowed) {
        const std::string path = fmt::format("solvers.{}.{}", w.out.solver, key);
        for (const SceneEntry& e : w.scene.solvers)
            if (const Value* at = find(e.params, key); at && e.name == w.out.solver)
                return w.errors.push_back(make_error(*at, path, std::move(message), std::move(allowed)));
        w.errors.push_back(make_error(text_at(w.out.solver, place_of(w.scene.document, "solver")), path, std::move(message), std::move(allowed)));
    };
    if (setting_word(w, "globalisation") == "trust_region" && setting_word(w, "merit") == "residual")
        fail("merit", "a trust region compares with the decrease of the energy that its model predicts", "energy");
    if (setting_word(w, "linearisation") == "baraff_witkin" && w.out.solver != "baraff_witkin" && scalar_count(w.whole()) > 0)
        fail("linearisation", "moves points only, and the scene has rods with angles", "full, linearly_implicit");
    if (find_solver(w.out.solver)->make == make_velocity) {
        const auto& s = *static_cast<const VelocitySettings*>(w.out.settings.get());
        if (s.method == "soft_step" && s.rounds == 1 && (s.friction == "box" || s.friction == "polyhedral"))
            fail("friction", "contacts of method soft_step know the disc alone", "cone, cylinder, single_tangent; or another method");
    }
    if (find_solver(w.out.solver)->make == make_position)
        for (const SettingTrouble& t : find_position_trouble(w.whole(), *static_cast<const PositionSettings*>(w.out.settings.get())))
            fail(t.key.c_str(), t.message, t.allowed);
}

void choose_and_check_solver(Work& w, std::string_view override_name) {
    const std::string asked = override_name.empty() ? w.scene.solver : std::string(override_name);
    Place place = place_of(w.scene.document, "solver");
    if (!override_name.empty()) place = command_line_place(fmt::format("--solver {}", asked));
    const Value at = text_at(asked, place);
    std::string reason;
    w.out.solver = asked == "auto" ? choose_solver(w.whole(), reason) : asked;
    if (!reason.empty()) w.out.notes.push_back(fmt::format("solver = {}: {}", w.out.solver, reason));
    const SolverEntry* entry = find_solver(w.out.solver);
    if (!entry) {
        const bool later = is_future_solver(asked);
        std::vector<std::string> known = built_solvers();
        known.insert(known.begin(), "auto");
        Error e = make_error(at, "solver", later ? "this solver is not built yet" : "no solver of this name");
        if (!later || !w.check_only) e.allowed = fmt::format("{}", fmt::join(known, ", "));
        if (!later) e.nearest = find_nearest(asked, known);
        (later && w.check_only ? w.out.future : w.errors).push_back(std::move(e));
        read_settings(w, "");
        return;
    }
    w.out.settings = entry->make_settings();
    read_settings(w, entry->name);
    check_settings(w);
    for (const std::string& problem : find_unsupported(*entry, w.whole())) {
        std::vector<std::string> able;
        for (const SolverEntry& s : solver_entries())
            if (find_unsupported(s, w.whole()).empty()) able.emplace_back(s.name);
        w.errors.push_back(make_error(at, "solver", problem, fmt::format("{}", fmt::join(able, ", "))));
    }
}

void choose_time(Work& w) {
    const SceneTime& t = w.scene.time;
    const double frame = 1 / t.fps;
    std::string reason;
    w.out.substeps = t.substeps > 0 ? t.substeps : t.dt > 0 ? std::max(1, int(std::lround(frame / t.dt))) : 0;
    if (w.out.substeps == 0) {
        w.out.substeps = choose_substeps(w.whole(), w.whole_state(), w.out.solver, frame, reason);
        w.out.notes.push_back(fmt::format("substeps = {}: {}", w.out.substeps, reason));
    }
    w.out.dt = t.dt > 0 ? t.dt : frame / w.out.substeps;
    // a solver that is told to cut steps itself may take longer ones
    const bool cuts = std::any_of(w.scene.solvers.begin(), w.scene.solvers.end(), [&](const SceneEntry& e) {
        return e.name == w.out.solver && find(e.params, "substeps");
    });
    const bool given = t.substeps > 0 || t.dt > 0;
    std::string problem = cuts || !given
                              ? std::string()
                              : refuse_long_step(w.whole(), w.whole_state(), w.out.solver, w.out.dt);
    if (!problem.empty()) {
        const Value* time = find(w.scene.document, "time");
        for (const char* key : {"substeps", "dt"})
            if (const Value* at = time ? find(*time, key) : nullptr; at && !problem.empty())
                w.errors.push_back(make_error(*at, fmt::format("time.{}", key), std::exchange(problem, {})));
    }
    const double steps = t.seconds / w.out.dt, left = t.seconds - std::floor(steps) * w.out.dt;
    if (std::abs(steps - std::round(steps)) > 1e-6)
        w.out.notes.push_back(fmt::format("the run ends at {:.6g} s, between two steps: the last step is {:.4g} s long", t.seconds, left));
    const std::vector<Error> missed = find_missed_moments(w.out.script, w.out.dt);
    w.errors.insert(w.errors.end(), missed.begin(), missed.end());
}

// what begins inside of obstacles
void add_sunk(Work& w) {
    const Model& m = w.builder.model;
    for (const SunkPair& p : register_sunk(*make_parallel(Context{.threads = 1}), m, w.builder.state))
        w.out.notes.push_back(fmt::format("warning: {} begins inside of {}, {} {} up to {:.3g} m deep; it is pushed out slowly", m.objects[p.object].name,
                                          m.objects[p.other].name, p.vertices, p.vertices == 1 ? "vertex" : "vertices", p.depth));
}

} // namespace

CompiledParts compile_parts(const Scene& scene, std::string_view solver, bool check_only) {
    Work w{scene, check_only, make_scene_scope(scene), make_field_scope(scene), {}, {}, {}, {}, scene.broken, {}};
    w.out.notes = scene.notes;
    w.builder.model.gravity = scene.gravity;
    w.builder.layout.scene_name = scene.name;
    w.builder.layout.fps = scene.time.fps;
    w.builder.layout.first_frame = scene.time.first_frame;
    w.builder.layout.up = scene.up;

    read_materials(w);
    w.gauges.scene = &scene;
    add_flows(scene, w.field_scope, w.gauges, w.builder, w.errors);
    for (const SceneObject& o : scene.objects) build_object(w, o);
    add_force_fields(scene, w.scene_scope, w.gauges, w.builder, w.errors);
    add_joints(scene, w.scene_scope, check_only, w.builder, w.out.script.motors, w.gauges, w.out.future, w.wrong, w.errors);
    add_attachments(scene, w.scene_scope, check_only, w.wrong, w.attributes, w.builder, w.out.script.handles, w.out.future, w.errors);
    add_contact_rules(scene, w.scene_scope, w.builder, w.errors);
    for (const SceneEntry& e : scene.contact)
        if (find(e.params, "friction")) w.idle["friction"].push_back(e.path);
    read_look(scene, w.scene_scope, w.builder, w.errors);
    for (NamedValues& a : w.builder.state.attributes)
        a.values.resize(std::size_t(point_count(w.builder.model)) * a.components, 0.0);
    finish_model(w.builder);
    register_elements(*w.builder.model.elements, w.builder.state);
    w.out.script.live = make_live_scene(scene, solver);
    const auto around = make_spawn_context(scene, w.scene_scope);
    w.builder.model.fields = std::make_shared<const FieldSet>(FieldSet{w.builder.fields, around});
    build_script(scene, w.scene_scope, w.gauges, w.wrong, w.builder.model, w.builder.state, w.out.script, w.out.future, w.errors);
    build_ways(scene, w.out.script, w.builder.state, w.builder.model, w.errors);
    for (const ScriptEvent& e : w.out.script.events) {
        if (!e.spawned) continue;
        if (!w.joined) w.joined = std::make_unique<Spawned>(Spawned{w.builder.model, w.builder.state});
        append_objects(w.joined->model, w.joined->state, e.spawned->model, e.spawned->state);
    }
    choose_and_check_solver(w, solver);
    around->solver = w.out.solver, around->settings = w.out.settings;
    if (w.errors.empty() && std::isfinite(scene.time.seconds)) choose_time(w);
    add_notes(w);
    const std::vector<std::string> repeated = note_repeated_events(w.out.script, w.out.dt);
    w.out.notes.insert(w.out.notes.end(), repeated.begin(), repeated.end());
    remove_duplicates(w.errors);
    if (w.errors.empty() && !check_only) w.errors = std::move(w.out.future);
    register_emitters(w.builder.model, w.builder.state);
    if (w.errors.empty()) add_sunk(w);
    register_events(w.out.script, w.builder.model, w.builder.state);
    w.out.model = std::move(w.builder.model);
    w.out.state = std::move(w.builder.state);
    return {std::move(w.out), std::move(w.errors), w.wrong.empty()};
}

namespace {

// what spawned objects cannot have, by name
void refuse_for_spawn(const Scene& what, const Real3& gravity, Work& w) {
    constexpr const char* kScene = "of the scene, not of what is spawned into it";
    const auto refuse = [&](const Value& at, const std::string& path, const std::string& what_it_is) {
        w.errors.push_back(make_error(at, path, fmt::format("{} {}", what_it_is, kScene)));
    };
    if (!what.events.empty()) refuse(what.events[0], "events", "events are");
    for (const SceneEntry& e : what.fields) refuse(e.params, e.path, "fields are");
    for (const SceneEntry& e : what.attach) refuse(e.params, e.path, "attachments are");
    if (const Value* g = find(what.document, "gravity"); g && what.gravity != gravity) refuse(*g, "gravity", "gravity is");
    for (const SceneObject& o : what.objects)
        if (o.motion.kind != Value::Kind::null && o.motion.kind != Value::Kind::text)
            refuse(o.motion, join_path(o.path, "motion"), "motions are");
    const Model& m = w.builder.model;
    for (const ScalarField& f : w.builder.fields.scalars) refuse(make_text(f.name), "objects." + f.name, "lengths at rest that change with time are");
    for (const Emitter& e : m.emitters) refuse(make_text(m.objects[e.object].name), "objects." + m.objects[e.object].name, "emitters are");
    for (const auto& a : w.out.script.animations)
        refuse(make_text(m.objects[a->object].name), "objects." + m.objects[a->object].name, "animated objects are");
    for (const MotorTrack& t : w.out.script.motors)
        refuse(make_text(m.objects[t.object].name), "joints." + m.objects[t.object].name, "targets of motors that move are");
}

// the only one is called `name`, several are name/theirs
void name_objects(const std::string& name, ModelBuilder& b) {
    if (name.empty()) return;
    const bool only = b.model.objects.size() == 1;
    for (Object& o : b.model.objects) o.name = only ? name : name + "/" + o.name;
    for (SnapshotObject& o : b.layout.objects) o.name = only ? name : name + "/" + o.name;
}

} // namespace

Result<Spawned> compile_spawn(const Scene& what, const SpawnContext& around, const Real3& gravity, const std::string& name, bool* has_files) {
    Work w{what, false, make_scene_scope(what), make_field_scope(around.scene), {}, {}, {}, {}, what.broken, {}};
    w.builder.model.gravity = gravity;
    std::vector<Error> said_with_the_scene;
    read_materials(w);
    add_flows(around.scene, w.field_scope, w.gauges, w.builder, said_with_the_scene);
    for (const SceneObject& o : what.objects) build_object(w, o);
    refuse_moving_sinks(what, w.builder.model, w.errors);
    add_joints(what, w.scene_scope, false, w.builder, w.out.script.motors, w.gauges, w.out.future, w.wrong, w.errors);
    add_contact_rules(what, w.scene_scope, w.builder, w.errors);
    name_objects(name, w.builder);
    add_force_fields(around.scene, make_scene_scope(around.scene), w.gauges, w.builder, said_with_the_scene);
    for (NamedValues& a : w.builder.state.attributes)
        a.values.resize(std::size_t(point_count(w.builder.model)) * a.components, 0.0);
    finish_model(w.builder);
    register_elements(*w.builder.model.elements, w.builder.state);
    refuse_for_spawn(what, gravity, w);
    if (w.builder.model.objects.empty() && w.errors.empty()) w.errors.push_back(Error{.path = "objects", .message = "there is nothing to spawn"});
    remove_duplicates(w.errors);
    if (w.errors.empty()) w.errors = std::move(w.out.future);
    if (!w.errors.empty()) return {std::nullopt, std::move(w.errors)};
    if (has_files) *has_files = !w.out.files.empty();
    return {Spawned{std::move(w.builder.model), std::move(w.builder.state)}, {}};
}

Result<Compiled> compile_scene(const Scene& scene, std::string_view solver, bool check_only) {
    CompiledParts parts = compile_parts(scene, solver, check_only);
    if (!parts.errors.empty()) return {std::nullopt, std::move(parts.errors)};
    return {std::move(parts.compiled), {}};
}

} // namespace sinew
