// load_scene: file -> document -> Scene. Each section is read by its own small function; all errors are
// collected.
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "core/value_parts.h"
#include "scene/document.h"
#include "scene/event.h"
#include "scene/expand.h"
#include "scene/expect.h"
#include "scene/gauge.h"
#include "scene/load.h"
#include "scene/names.h"
#include "scene/placement.h"
#include "scene/scope.h"
#include "scene/time.h"
#include "scene/vars.h"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace sinew {

// where a file is missing, names that nothing has may be vars of it
static Scope open_scope(Scope scope, const Scene& s) {
    if (is_incomplete(s))
        scope.symbols.resolve = [](std::string_view name) -> std::optional<Symbol> {
            for (std::string_view constant : {"pi", "e", "true", "false"})
                if (name == constant) return std::nullopt;
            return Symbol{-1, kBrokenVar};
        };
    return scope;
}
Scope make_scene_scope(const Scene& s) { return open_scope(make_scope(s.vars, kTimeSlots, s.seed), s); }
Scope make_field_scope(const Scene& s) { return open_scope(make_scope(s.vars, kSpaceSlots, s.seed), s); }

bool parse_motion(const SceneObject& o, const Scope& scene_scope, const SceneTime& time, Motion& out,
                  std::vector<Error>& errors) {
    const Scope scope = make_scope(scene_scope, o.vars);
    return parse_motion(o.motion, scope, time, o.container, o.local, o.path + ".motion", out, errors);
}

namespace {

void check_sections(const Value& document, bool incomplete, std::vector<Error>& errors) {
    for (const Member& m : document.members)
        if (std::find(kSections.begin(), kSections.end(), m.key) == kSections.end())
            errors.push_back(
                make_error(m, m.key, "unknown name", list_words(kSections), find_nearest(m.key, kSections)));
    for (const char* map : {"objects", "prefabs", "fields", "materials", "solvers"})
        if (const Value* v = find(document, map); v && v->kind != Value::Kind::object)
            errors.push_back(
                make_error(*v, map, "an object { \"name\": ... } is expected, not " + std::string(kind_name(v->kind))));
    const Value* objects = find(document, "objects");
    if (!objects && incomplete) return;
    if (!objects || (objects->kind == Value::Kind::object && objects->members.empty())) {
        Error e = make_error(document, "objects", "a scene needs objects",
                             R"("objects": { "ball": { "kind": "sphere" } })");
        e.value.clear();
        errors.push_back(std::move(e));
    }
}

void read_head(const Value& document, Scene& s, std::vector<Error>& errors) {
    const Value* schema = find(document, "$schema");
    std::string ignored;
    if (schema) read_text(*schema, "$schema", ignored, errors);
    if (const Value* v = find(document, "name"))
        if (read_text(*v, "name", s.name, errors)) check_file_name(*v, "name", s.name, errors);
    if (const Value* v = find(document, "description")) read_text(*v, "description", s.description, errors);
    if (const Value* v = find(document, "solver")) read_text(*v, "solver", s.solver, errors);
    if (const Value* v = find(document, "seed")) {
        int seed = 0;
        FieldRef field{"seed", FieldType::integer, &seed, Field{.min = 0}, false};
        if (read_field(field, *v, {}, "seed", errors)) s.seed = std::uint64_t(seed);
    }
    if (const Value* v = find(document, "up")) {
        FieldRef field{"up", FieldType::text, &s.up, Field{.allowed = {"x", "y", "z", "-x", "-y", "-z"}},
                       false};
        read_field(field, *v, {}, "up", errors);
    }
}

void read_gravity(const Value& document, const Scope& scope, Scene& s, std::vector<Error>& errors) {
    const double sign = s.up[0] == '-' ? 1 : -1; // gravity points down
    const int axis = s.up.back() - 'x';
    const Value* v = find(document, "gravity");
    double strength = 9.81;
    if (v && v->kind == Value::Kind::array) {
        read_real3(*v, "m/s^2", scope, "gravity", s.gravity, errors);
        return;
    }
    if (v)
        read_number(*v, "m/s^2", scope, "gravity", strength, errors);
    else
        s.notes.push_back("gravity = 9.81 m/s^2 along -up (" + s.up + "): default");
    s.gravity = {0, 0, 0};
    s.gravity[axis] = sign * strength;
}

bool read_kind(SceneEntry& entry, std::vector<Error>& errors) {
    const Value* kind = find(entry.params, "kind");
    if (!kind) {
        Error e = make_error(entry.params, entry.path + ".kind", "missing: \"kind\" must be given");
        e.value.clear();
        errors.push_back(std::move(e));
        return false;
    }
    if (!read_text(*kind, entry.path + ".kind", entry.kind, errors)) return false;
    erase(entry.params, "kind");
    return true;
}

// maps of name -> object; with_kind: each needs a kind
void read_named(const Value& document, const std::string& section, bool with_kind,
                std::vector<SceneEntry>& out, std::vector<std::string>& broken, std::vector<Error>& errors) {
    const Value* v = find(document, section);
    if (!v) return;
    for (const Member& m : v->members) {
        SceneEntry entry;
        entry.name = m.key;
        entry.path = section + '.' + m.key;
        bool ok = check_name(m, entry.path, errors);
        entry.params = m.value;
        if (ok && m.value.kind != Value::Kind::object) {
            errors.push_back(
                make_error(m.value, entry.path, "an object { } is expected, not " + std::string(kind_name(m.value.kind))));
            entry.params = make_object();
            ok = false;
        }
        if (ok && with_kind) ok = read_kind(entry, errors);
        if (!ok) broken.push_back(entry.path); // who refers to it is not wrong
        if (ok || !with_kind) out.push_back(std::move(entry));
    }
}

void read_outputs(const Value& document, const NameIndex& names, Scene& s, std::vector<Error>& errors) {
    const Value* v = find(document, "outputs");
    if (!v || !check_array(*v, -1, "outputs", "outputs", errors)) return;
    for (std::size_t i = 0; i < v->items.size(); ++i) {
        const Value& item = v->items[i];
        SceneEntry entry;
        entry.path = entry.name = join_path("outputs", int(i));
        entry.params = make_object();
        entry.params.place = item.place;
        if (item.kind == Value::Kind::text) {
            entry.kind = item.text;
        } else if (item.kind == Value::Kind::object && find(item, "kind")) {
            if (!read_text(*find(item, "kind"), entry.path + ".kind", entry.kind, errors)) continue;
            entry.params = item;
            erase(entry.params, "kind");
        } else {
            errors.push_back(make_error(item, entry.path, "an output is a word or an object with a kind",
                                        R"("recording", { "kind": "pc2", "objects": ["sheet"] })"));
            continue;
        }
        if (const Value* objects = find(entry.params, "objects");
            objects && objects->kind == Value::Kind::array)
            for (std::size_t k = 0; k < objects->items.size(); ++k) {
                std::string pattern;
                const std::string path = join_path(entry.path + ".objects", int(k));
                if (read_text(objects->items[k], path, pattern, errors))
                    check_reference(names, objects->items[k], path, pattern, false, errors);
            }
        s.outputs.push_back(std::move(entry));
    }
}

void read_view(const Value& document, const NameIndex& names, Scene& s, std::vector<Error>& errors) {
    if (const Value* v = find(document, "camera")) {
        if (v->kind == Value::Kind::object)
            s.camera = *v;
        else
            errors.push_back(make_error(*v, "camera", "an object { } is expected, not " + std::string(kind_name(v->kind))));
        if (const Value* look = find(*v, "look_at"); look && look->kind == Value::Kind::text)
            check_reference(names, *look, "camera.look_at", look->text, false, errors);
    }
    if (const Value* v = find(document, "light")) s.light = *v;
    if (const Value* v = find(document, "background")) s.background = *v;
}

void read_events(const Value& document, const Scope& scope, const NameIndex& objects, Scene& s,
                 std::vector<Error>& errors) {
    const Value* v = find(document, "events");
    if (!v || !check_array(*v, -1, "events", "events", errors)) return;
    NameIndex all = objects;
    for (const SceneEntry& j : s.joints) add_name(all, j.name);
    for (const SceneEntry& f : s.fields) add_name(all, "fields." + f.name);
    add_unbuilt(all, s);
    // what may be removed or set: also what events spawn, and parts of it
    NameIndex removable = all;
    std::vector<std::string> spawned;
    for (const Value& item : v->items)
        if (const Value* spawn = find(item, "spawn"))
            for (const Member& m : spawn->members) spawned.push_back(m.key), add_name(removable, m.key);
    const auto is_spawned = [&](const std::string& pattern) {
        return std::any_of(spawned.begin(), spawned.end(), [&](const std::string& name) { return pattern.starts_with(name + "/"); });
    };
    for (std::size_t i = 0; i < v->items.size(); ++i) {
        Event event;
        const std::string path = join_path("events", int(i));
        if (!parse_event(v->items[i], scope, path, event, errors)) {
            s.events.push_back(make_null()); // so that the others keep their numbers
            continue;
        }
        for (const EventSet& set : event.sets)
            if (!names_section(set.target) && !is_spawned(set.target)) check_reference(removable, set.value, path + ".set." + set.target, set.target, false, errors);
        for (const EventRelease& r : event.releases)
            check_reference(objects, *find(v->items[i], "release"), path + ".release", r.target, false,
                            errors);
        for (const std::string& name : event.removes)
            if (!is_spawned(name)) check_reference(removable, *find(v->items[i], "remove"), path + ".remove", name, false, errors);
        s.events.push_back(v->items[i]);
    }
}

void read_expect(const Value& document, const Scope& scope, Scene& s, std::vector<Error>& errors) {
    const Value* v = find(document, "expect");
    if (!v || !check_array(*v, -1, "expect", "expectations", errors)) return;
    std::vector<Expectation> ignored;
    for (std::size_t i = 0; i < v->items.size(); ++i)
        s.expect.push_back(
            parse_expect(v->items[i], scope, s.time, join_path("expect", int(i)), ignored, errors) ? v->items[i] : make_null());
}

std::string default_name(const Value& document) {
    if (!document.place.file) return "scene";
    const std::string stem = std::filesystem::path(*document.place.file).stem().string();
    return stem.empty() ? "scene" : stem;
}

} // namespace

static LoadedScene read_scene(const Value& document, bool incomplete) {
    LoadedScene result;
    std::vector<Error>& errors = result.errors;
    Scene& s = result.scene;
    if (document.kind != Value::Kind::object) {
        errors.push_back(make_error(document, "", "a scene is an object { }, not " + std::string(kind_name(document.kind))));
        return result;
    }
    if (!check_version(document, errors)) return result; // anything else would mislead
    if (incomplete) s.broken.emplace_back(kAnything);
    s.name = default_name(document);
    check_sections(document, incomplete, errors);
    read_head(document, s, errors);
    if (const Value* v = find(document, "vars")) {
        s.vars = evaluate_vars(*v, make_scene_scope(s), "vars", errors);
        if (v->kind != Value::Kind::object) s.broken.emplace_back(kAnything);
    }
    const Scope scope = make_scene_scope(s);
    read_gravity(document, scope, s, errors);
    if (!read_time(find(document, "time"), scope, s.time, s.notes, errors))
        s.time.seconds = INFINITY; // no moment is outside the run
    if (!expand_objects(document, scope, s, errors)) { // what is missing would give errors of its own
        remove_duplicates(errors);
        return result;
    }
    read_named(document, "fields", true, s.fields, s.broken, errors);
    read_named(document, "materials", false, s.materials, s.broken, errors);
    read_named(document, "solvers", false, s.solvers, s.broken, errors);
    GaugeRequests measured; // what they ask for is judged when there is a model
    Scope motion_scope = make_scope(scope, {});
    motion_scope.gauge = find_gauge_for(measured, {});
    for (const SceneObject& o : s.objects) {
        Motion motion;
        if (o.motion.kind != Value::Kind::null) parse_motion(o, motion_scope, s.time, motion, errors);
    }
    NameIndex names;
    for (const SceneObject& o : s.objects) add_name(names, o.name);
    add_unbuilt(names, s);
    read_view(document, names, s, errors);
    read_outputs(document, names, s, errors);
    read_events(document, scope, names, s, errors);
    read_expect(document, scope, s, errors);
    remove_duplicates(errors);
    s.document = s.source = document;
    result.usable = true;
    return result;
}

static Result<Scene> whole_scene(LoadedScene loaded) {
    Result<Scene> result;
    result.errors = std::move(loaded.errors);
    if (result.errors.empty()) result.value = std::move(loaded.scene);
    return result;
}

LoadedScene make_parts(const Value& document) { return read_scene(document, false); }

Result<Scene> make_scene(const Value& document) { return whole_scene(read_scene(document, false)); }

void remove_about(const std::vector<Place>& places, std::vector<Error>& errors) {
    std::erase_if(errors, [&](const Error& e) {
        return std::any_of(places.begin(), places.end(), [&](const Place& p) {
            return p.line == e.line && p.column == e.column && p.file && *p.file == e.file;
        });
    });
}

LoadedScene parse_parts(std::string_view text, const std::string& file, std::span<const std::string> sets,
                        const std::vector<std::string>& origins) {
    LoadedScene result;
    ValueParts parsed = parse_value_parts(text, file);
    std::vector<Error> errors = std::move(parsed.errors);
    if (!parsed.usable) {
        result.errors = std::move(errors);
        return result;
    }
    restore_origins(origins, parsed.value);
    Value document = parsed.value;
    Included included;
    included.broken = std::move(parsed.broken);
    if (document.kind == Value::Kind::object && check_version(document, result.errors)) {
        merge_includes(document, file, included, errors);
        std::vector<Error> wrong_sets;
        for (const std::string& set : sets) apply_set(document, set, wrong_sets);
        // what cannot be set may be in the file that is missing
        if (included.complete) errors.insert(errors.end(), wrong_sets.begin(), wrong_sets.end());
    }
    result = read_scene(document, !included.complete);
    remove_about(included.broken, result.errors);
    result.broken = std::move(included.broken);
    result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
    remove_duplicates(result.errors);
    result.scene.files = std::move(included.files);
    if (sets.empty()) result.scene.source = std::move(parsed.value);
    return result;
}

Result<Scene> parse_scene(std::string_view text, const std::string& file, std::span<const std::string> sets) {
    return whole_scene(parse_parts(text, file, sets));
}

static bool read_or_fail(const std::string& file, std::string& text, std::vector<Error>& errors) {
    std::string problem;
    if (read_whole_file(file, text, problem)) return true;
    errors.push_back({file, 0, 0, {}, {}, problem, {}, {}});
    return false;
}

LoadedScene load_parts(const std::string& file, std::span<const std::string> sets) {
    LoadedScene result;
    std::string text;
    return read_or_fail(file, text, result.errors) ? parse_parts(text, file, sets) : result;
}

Result<Scene> load_scene(const std::string& file, std::span<const std::string> sets) {
    return whole_scene(load_parts(file, sets));
}

Result<Value> load_document(const std::string& file) {
    Result<Value> result;
    std::string text;
    if (!read_or_fail(file, text, result.errors)) return result;
    result = parse_value(text, file);
    if (!result) return result;
    Included included;
    if (check_version(*result.value, result.errors))
        merge_includes(*result.value, file, included, result.errors);
    if (!result.errors.empty()) result.value.reset();
    return result;
}

std::string write_scene(const Scene& s) { return write_value(s.source); }

} // namespace sinew
