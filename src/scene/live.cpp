#include "scene/live.h"
#include "core/error.h"
#include "core/fields.h"
#include "model/element.h"
#include "model/field.h"
#include "scene/compile.h"
#include "scene/load.h"
#include "scene/names.h"
#include "scene/set.h"
#include "scene/spawn.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace sinew {

namespace {

template <class T> bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
bool same(const Pose& a, const Pose& b) { return a.position == b.position && a.rotation == b.rotation; }

bool same_structure(const std::vector<Table>& a, const std::vector<Table>& b) {
    const auto same_table = [](const Table& x, const Table& y) {
        return x.row == y.row && x.stencil == y.stencil && x.object == y.object && x.data.size() == y.data.size();
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_table);
}

bool same_obstacles(const std::vector<Obstacle>& a, const std::vector<Obstacle>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Obstacle& x, const Obstacle& y) {
        return x.shape == y.shape && x.size == y.size && x.data == y.data && same(x.pose, y.pose) && x.frame == y.frame && x.object == y.object;
    });
}

bool same_colliders(const std::vector<Collider>& a, const std::vector<Collider>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Collider& x, const Collider& y) {
        return x.shape.kind == y.shape.kind && x.shape.size == y.shape.size && x.shape.rounding == y.shape.rounding &&
               x.shape.data == y.shape.data && same(x.pose, y.pose) && x.frame == y.frame;
    });
}

bool same_objects(const std::vector<Object>& a, const std::vector<Object>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Object& x, const Object& y) {
        return x.name == y.name && x.self_contact == y.self_contact && x.groups == y.groups && x.touches == y.touches;
    });
}

bool same_rules(const std::vector<ContactRule>& a, const std::vector<ContactRule>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ContactRule& x, const ContactRule& y) { return x.a == y.a && x.b == y.b && x.off == y.off; });
}

bool same_emitters(const std::vector<Emitter>& a, const std::vector<Emitter>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Emitter& x, const Emitter& y) {
        return x.object == y.object && x.sites == y.sites && x.shape == y.shape && same(x.pose, y.pose) && x.size == y.size &&
               x.rate == y.rate && x.from == y.from && x.until == y.until && x.seed == y.seed && x.initial_count == y.initial_count;
    });
}

bool same_vertices(const std::vector<SurfaceVertex>& a, const std::vector<SurfaceVertex>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SurfaceVertex& x, const SurfaceVertex& y) {
        return x.kind == y.kind && x.index == y.index && x.local == y.local;
    });
}

bool same_sinks(const std::vector<Sink>& a, const std::vector<Sink>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Sink& x, const Sink& y) {
        return x.center == y.center && x.size == y.size && x.is_sphere == y.is_sphere && x.outside == y.outside && x.rotation == y.rotation;
    });
}

bool same_state(const State& a, const State& b) {
    return a.point.x == b.point.x && a.point.v == b.point.v && a.frame.p == b.frame.p && a.frame.q == b.frame.q && a.frame.v == b.frame.v &&
           a.frame.w == b.frame.w && a.scalar.s == b.scalar.s && a.scalar.ds == b.scalar.ds && a.attributes == b.attributes && a.animated.x == b.animated.x;
}

// number by number: what else was changed in the same element stays
template <class Byte> void copy_words(const Byte* before, const Byte* after, std::size_t size, Byte* running) {
    for (std::size_t at = 0; at < size; at += sizeof(double)) {
        const std::size_t width = std::min(sizeof(double), size - at);
        if (std::memcmp(before + at, after + at, width) != 0) std::memcpy(running + at, after + at, width);
    }
}

// elements that the change alters, where the running model still has them: it may have lost some and gained others, in the same
// order
void copy_elements(const std::vector<Table>& before, const std::vector<Table>& after, int objects, std::vector<Table>& running) {
    for (std::size_t k = 0; k < before.size(); ++k) {
        const Table &old = before[k], &fresh = after[k];
        const auto t = std::find_if(running.begin(), running.end(), [&](const Table& r) { return r.row == old.row; });
        if (t == running.end() || old.data == fresh.data) continue;
        const std::size_t size = old.row->data_size, width = std::size_t(old.row->stencil);
        for (int e = 0, i = 0; e < t->count(); ++e) {
            if (t->object[e] >= objects) continue; // spawned
            const auto is_it = [&](int j) {
                return t->object[e] == old.object[j] &&
                       std::equal(t->stencil.begin() + e * std::ptrdiff_t(width), t->stencil.begin() + (e + 1) * std::ptrdiff_t(width),
                                  old.stencil.begin() + j * std::ptrdiff_t(width));
            };
            while (i < old.count() && !is_it(i)) ++i;
            if (i == old.count()) break;
            copy_words(old.data.data() + i * size, fresh.data.data() + i * size, size, t->data.data() + e * size);
            ++i;
        }
    }
}

template <class T> void copy_if_changed(const T& before, const T& after, T& running) {
    if (!(before == after)) running = after;
}

// The entry of "contact" that each rule was made of, -1 = none: for a pair of objects each entry that names them has made one, in order,
// behind those of joints and of what was spawned with rules of its own.
std::vector<int> find_rule_sources(const Model& m, const std::vector<RulePattern>& entries) {
    std::vector<int> sources(m.contact_rules.size(), -1);
    std::map<std::pair<int, int>, int> next; // of the pair: entries from here on have their rule
    for (std::size_t k = sources.size(); k-- > 0;) {
        const ContactRule& r = m.contact_rules[k];
        int& entry = next.try_emplace({r.a, r.b}, int(entries.size())).first->second;
        while (entry > 0) {
            const RulePattern& e = entries[--entry];
            if (!match_name(e.a, m.objects[r.a].name) || !match_name(e.b, m.objects[r.b].name)) continue;
            sources[k] = entry;
            break;
        }
    }
    return sources;
}

void copy_contact(const Model& a, const Model& b, Model& running) {
    for (std::size_t i = 0; i < a.objects.size() && i < running.objects.size(); ++i) {
        const Object &x = a.objects[i], &y = b.objects[i];
        Object& o = running.objects[i];
        copy_if_changed(x.friction, y.friction, o.friction);
        copy_if_changed(x.restitution, y.restitution, o.restitution);
        copy_if_changed(x.rolling_friction, y.rolling_friction, o.rolling_friction);
        copy_if_changed(x.torsional_friction, y.torsional_friction, o.torsional_friction);
    }
    // those of an object go together, so that what is left is in the same order
    std::size_t i = 0;
    for (Obstacle& o : running.obstacles) {
        while (i < a.obstacles.size() && a.obstacles[i].object != o.object) ++i;
        if (i == a.obstacles.size()) break;
        const Obstacle &x = a.obstacles[i], &y = b.obstacles[i];
        copy_if_changed(x.friction, y.friction, o.friction);
        copy_if_changed(x.stiffness, y.stiffness, o.stiffness);
        copy_if_changed(x.damping, y.damping, o.damping);
        copy_if_changed(x.thickness, y.thickness, o.thickness);
        ++i;
    }
    // by what they were made of: what was spawned has rules too
    const std::vector<RulePattern> &before = a.fields->spawning->rules, &after = b.fields->spawning->rules;
    const std::vector<int> sources = before.size() == after.size() ? find_rule_sources(running, before) : std::vector<int>();
    for (std::size_t k = 0; k < sources.size(); ++k) {
        if (sources[k] < 0) continue;
        const ContactRule &x = before[sources[k]].rule, &y = after[sources[k]].rule;
        ContactRule& r = running.contact_rules[k];
        copy_if_changed(x.friction, y.friction, r.friction);
        copy_if_changed(x.thickness, y.thickness, r.thickness);
        copy_if_changed(x.restitution, y.restitution, r.restitution);
    }
    for (std::size_t k = 0; k < a.surface.thickness.size() && k < running.surface.thickness.size(); ++k)
        copy_if_changed(a.surface.thickness[k], b.surface.thickness[k], running.surface.thickness[k]);
}

void copy_emitters(const Model& a, const Model& b, Model& running) {
    for (std::size_t k = 0; k < a.emitters.size(); ++k)
        for (Emitter& e : running.emitters) {
            if (e.object != a.emitters[k].object) continue;
            copy_if_changed(a.emitters[k].velocity, b.emitters[k].velocity, e.velocity);
            copy_if_changed(a.emitters[k].spread, b.emitters[k].spread, e.spread);
            copy_if_changed(a.emitters[k].inherit, b.emitters[k].inherit, e.inherit);
            copy_if_changed(a.emitters[k].lifetime, b.emitters[k].lifetime, e.lifetime);
        }
}

std::shared_ptr<const LiveModel> compile_document(const Value& document, const std::string& solver) {
    LoadedScene loaded = make_parts(document);
    auto out = std::make_shared<LiveModel>();
    out->errors = std::move(loaded.errors);
    if (!loaded.usable) return out;
    CompiledParts parts = compile_parts(loaded.scene, solver, true);
    out->errors.insert(out->errors.end(), parts.errors.begin(), parts.errors.end());
    out->model = std::move(parts.compiled.model);
    out->state = std::move(parts.compiled.state);
    out->solver = std::move(parts.compiled.solver);
    out->settings = std::move(parts.compiled.settings);
    return out;
}

bool same_settings(const LiveModel& a, const LiveModel& b) {
    const SolverEntry* entry = find_solver(a.solver);
    if (!entry || !a.settings || !b.settings) return true;
    const auto write = [&](const LiveModel& m) {
        FieldList list;
        entry->describe(m.settings.get(), list);
        return write_fields(list);
    };
    return write(a) == write(b);
}

// parameters that are read for a script or a picture and leave no trace in the model
bool is_script_parameter(std::string_view path) {
    const std::size_t dot = path.find('.', std::string_view("objects.").size());
    if (!path.starts_with("objects.") || dot == std::string_view::npos) return false;
    const std::string_view parameter = path.substr(dot + 1), first = parameter.substr(0, parameter.find_first_of(".["));
    for (std::string_view word : {"motion", "parent", "color", "replicate", "override", "use", "vars"})
        if (first == word) return true;
    return false;
}

// about the value or a part of it
bool is_about(const Error& e, const Value& v) {
    const Place& p = v.place;
    if (p.file && *p.file == e.file && e.line == p.line && e.column == p.column) return true;
    return std::any_of(v.items.begin(), v.items.end(), [&](const Value& x) { return is_about(e, x); }) ||
           std::any_of(v.members.begin(), v.members.end(), [&](const Member& m) { return is_about(e, m.value); });
}

} // namespace

LiveScene make_live_scene(const Scene& scene, std::string_view solver) {
    Value document = scene.document;
    for (const char* section : {"events", "expect", "outputs", "camera"}) erase(document, section);
    return {std::make_shared<const Value>(std::move(document)), std::string(solver), nullptr, false};
}

std::string live_path(const Value& document, std::string_view key) {
    key = without_objects(key);
    const std::string_view head = key.substr(0, key.find_first_of(".["));
    const Value* objects = find(document, "objects");
    const bool object = objects && find(*objects, head.substr(0, head.find('/')));
    const Value* joints = find(document, "joints");
    if (!object && joints && find(*joints, head)) return "joints." + std::string(key);
    for (std::string_view section : {"gravity", "materials", "fields", "joints", "contact", "attach", "solvers"})
        if (!object && head == section) return std::string(key);
    return "objects." + std::string(key);
}

std::string find_fixed_difference(const Model& a, const Model& b) {
    if (!same_objects(a.objects, b.objects)) return "which objects there are and which of them meet";
    if (point_count(a) != point_count(b) || frame_count(a) != frame_count(b) || scalar_count(a) != scalar_count(b))
        return "how many points and bodies there are";
    if (a.point.rest != b.point.rest) return "the shape at rest";
    if (a.point.mass != b.point.mass || a.frame.mass != b.frame.mass || !same_bytes(a.frame.inertia, b.frame.inertia) ||
        a.scalar.mass != b.scalar.mass)
        return "masses";
    if (a.point.flags != b.point.flags || a.frame.flags != b.frame.flags) return "what is held";
    if (a.point.field != b.point.field) return "which flow carries points";
    if (!same_structure(a.elements->energies, b.elements->energies) || !same_structure(a.elements->constraints, b.elements->constraints))
        return "which elements there are, and of which model";
    if (a.surface.triangles != b.surface.triangles || a.surface.edges != b.surface.edges || !same_vertices(a.surface.vertices, b.surface.vertices))
        return "the surface";
    if (!same_colliders(a.colliders, b.colliders) || !same_obstacles(a.obstacles, b.obstacles)) return "shapes and places of obstacles";
    if (!same_rules(a.contact_rules, b.contact_rules)) return "which pairs touch";
    if (!same_emitters(a.emitters, b.emitters)) return "where and when particles are born";
    if (!same_sinks(a.sinks, b.sinks)) return "where particles end";
    // a strength may become a number, which is in the elements
    for (std::size_t k = 0; a.fields && b.fields && k < std::min(a.fields->strengths.size(), b.fields->strengths.size()); ++k) {
        const Expression &x = a.fields->strengths[k].value, &y = b.fields->strengths[k].value;
        if (!y.code.empty() && x.text != y.text) return "an expression that is a strength";
    }
    return {};
}

static void copy_changes(const Model& a, const Model& b, Model& running) {
    copy_if_changed(a.gravity, b.gravity, running.gravity);
    auto fields = std::make_shared<FieldSet>(*running.fields);
    fields->spawning = b.fields->spawning; // for what is spawned from now on
    running.fields = std::move(fields);
    auto tables = std::make_shared<Tables>(*running.elements);
    copy_elements(a.elements->energies, b.elements->energies, int(a.objects.size()), tables->energies);
    copy_elements(a.elements->constraints, b.elements->constraints, int(a.objects.size()), tables->constraints);
    change_spawned_gravity(a.gravity, b.gravity, running, tables->energies);
    running.elements = std::move(tables);
    copy_contact(a, b, running);
    copy_emitters(a, b, running);
    // Both revisions: solvers keep pointers to tables and may order elements by their data, and caches that are built anew are those
    // of a run that is continued from here.
    ++running.values_revision;
    ++running.topology_revision;
}

// why the one cannot become the other while the simulation runs; empty = it can
static std::string find_obstacle(const LiveModel& a, const LiveModel& b) {
    if (!a.model.elements || !b.model.elements) return "the scene cannot be compiled";
    if (a.errors.empty() && !b.errors.empty()) return fmt::format("{}: {}", b.errors[0].path, b.errors[0].message);
    std::string fixed = find_fixed_difference(a.model, b.model);
    if (fixed.empty() && !same_state(a.state, b.state)) fixed = "where things start";
    if (fixed.empty() && a.solver != b.solver) fixed = "which solver is used";
    return fixed.empty() ? "" : "it alters " + fixed;
}

std::vector<Error> change_live(LiveScene& now, std::string_view key, const Value& value, Model* running) {
    constexpr const char* kLive = "gravity; friction, restitution, thickness, drag, stiffness and damping of objects and materials; "
                                  "velocity, inherit_velocity, spread, lifetime and rate of emitters; motors; flows; settings of the solver";
    std::vector<Error> errors;
    const auto fail = [&](const std::string& why) {
        errors.push_back(make_error(value, key, "not a live parameter: it cannot change while the simulation runs; " + why, kLive));
        return errors;
    };
    if (!now.document) return fail("the model was not made from a scene");
    const std::string path = live_path(*now.document, key);
    if (is_script_parameter(path)) return fail("it was read before the start");
    Value document = *now.document;
    if (!set_value(document, path, value, errors)) return errors;
    if (!now.made) now.made = compile_document(*now.document, now.solver);
    const std::shared_ptr<const LiveModel> next = compile_document(document, now.solver);
    for (const Error& e : next->errors)
        if (is_about(e, value)) errors.push_back(e);
    remove_duplicates(errors);
    if (!errors.empty()) return errors;
    if (const std::string why = find_obstacle(*now.made, *next); !why.empty()) return fail(why);
    if (running) copy_changes(now.made->model, next->model, *running);
    now.new_settings = now.new_settings || !same_settings(*now.made, *next);
    now.made = next;
    now.document = std::make_shared<const Value>(std::move(document));
    return {};
}

} // namespace sinew
