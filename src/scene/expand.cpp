#include "scene/expand.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "core/units.h"
#include "scene/expander.h"
#include "scene/names.h"
#include "scene/replicate.h"
#include "scene/vars.h"
#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace sinew {
namespace {

bool spend(Expander& e, const Value& at) {
    if (e.full) return false;
    if (++e.parts <= kMaxObjects) return true;
    e.full = true;
    e.errors.push_back(make_error(at, "objects", "too many objects",
                                  "at most " + std::to_string(kMaxObjects) + " in one scene"));
    return false;
}

void expand_object(Expander& e, const SceneLevel& level, const std::string& name, Value v, const InitialPlacement& offset,
                   Vars vars);

// ---- prefab instances

const Value* find_prefab(Expander& e, const Value& use, std::string_view path) {
    const Value* prefabs = find(e.document, "prefabs");
    std::vector<std::string> known;
    if (prefabs)
        for (const Member& m : prefabs->members) known.push_back(m.key);
    std::string name;
    if (!read_text(use, path, name, e.errors)) return nullptr;
    const Value* prefab = prefabs ? find(*prefabs, name) : nullptr;
    if (!prefab) {
        if (is_incomplete(e.scene)) return nullptr;
        const std::string allowed =
            known.empty() ? "none: no prefabs are defined or included" : list_words(known);
        e.errors.push_back(
            make_error(use, path, "there is no prefab \"" + name + '"', allowed, find_nearest(name, known)));
    } else if (e.prefabs.size() >= 50) {
        e.errors.push_back(make_error(use, path, "prefabs use each other too deeply", "50 levels"));
        return nullptr;
    } else if (std::find(e.prefabs.begin(), e.prefabs.end(), name) != e.prefabs.end()) {
        std::string cycle;
        for (auto it = std::find(e.prefabs.begin(), e.prefabs.end(), name); it != e.prefabs.end(); ++it)
            cycle += *it + " -> ";
        e.errors.push_back(make_error(use, path, "prefabs use each other in a circle: " + cycle + name));
        return nullptr;
    }
    return prefab;
}

// a param is a number if its default is one, or, without default, if what is given can be read as one
bool is_number(const Value& v, const Scope& scope) {
    std::vector<Error> ignored;
    double x = 0;
    return v.kind == Value::Kind::number ||
           (v.kind == Value::Kind::text && read_number(v, "*", scope, "", x, ignored));
}

// false: without it the inside of the instance means nothing
bool bind_param(Expander& e, const Member& declared, const Value* given, const Scope& caller,
                const Value& instance, std::string_view path, SceneLevel& inner) {
    const Value& standard = declared.value;
    const std::string here = join_path(path, declared.key);
    if (!given && standard.kind == Value::Kind::null) {
        Error error = make_error(instance, here, "missing: this param of the prefab must be given");
        error.value.clear();
        e.errors.push_back(std::move(error));
        return false;
    }
    const Value& value = given ? *given : standard;
    const bool number =
        standard.kind == Value::Kind::null ? is_number(value, caller) : is_number(standard, e.globals);
    if (!number) {
        inner.params.emplace_back(declared.key, value);
        return true;
    }
    double x = 1;
    if (!read_number(value, "*", given ? caller : e.globals, here, x, e.errors)) x = kBrokenVar;
    inner.vars.emplace_back(declared.key, x);
    Value v = make_number(x);
    v.place = value.place;
    // "$name" as the expression that names the param: one that is wrong is told once
    if (std::isnan(x)) v = text_at(declared.key, value.place);
    inner.params.emplace_back(declared.key, std::move(v));
    return true;
}

bool bind_params(Expander& e, const Value& prefab, const Value& instance, const Scope& caller,
                 std::string_view path, SceneLevel& inner) {
    static const Value none = make_object();
    const Value* params = find(prefab, "params");
    if (!params) params = &none;
    std::vector<std::string> allowed = {"use", "parent", "replicate", "override", "vars"};
    for (std::string_view k : kPlacementKeys) allowed.emplace_back(k);
    for (const Member& m : params->members) allowed.push_back(m.key);
    for (const Member& m : instance.members)
        if (std::find(allowed.begin(), allowed.end(), m.key) == allowed.end())
            e.errors.push_back(make_error(m, join_path(path, m.key),
                                          "unknown name: the prefab has no such param", list_words(allowed),
                                          find_nearest(m.key, allowed)));
    bool ok = true;
    for (const Member& m : params->members)
        ok &= bind_param(e, m, find(instance, m.key), caller, instance, path, inner);
    return ok;
}

bool check_prefab(Expander& e, const Value& prefab, std::string_view path) {
    Value any;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        for (const char* key : {"params", "vars", "objects", "joints", "attach", "contact", "description"})
            f(key, any, Field{});
    });
    if (!read_fields(list, prefab, e.globals, path, e.errors)) return false;
    for (const char* key : {"params", "objects"})
        if (const Value* v = find(prefab, key); v && v->kind != Value::Kind::object) {
            e.errors.push_back(
                make_error(*v, join_path(path, key),
                           "an object { } is expected, not " + std::string(kind_name(v->kind))));
            return false;
        }
    bool ok = true;
    if (const Value* params = find(prefab, "params"))
        for (const Member& m : params->members) ok &= check_symbol(m, join_path(join_path(path, "params"), m.key), e.errors);
    return ok;
}

void expand_instance(Expander& e, const Value& v, const std::string& name, const Scope& caller,
                     const InitialPlacement& placement, const std::string& parent) {
    const std::string path = "objects." + name;
    const Value& use = *find(v, "use");
    const Value* prefab = find_prefab(e, use, path + ".use");
    SceneLevel inner;
    inner.prefix = name + '/';
    inner.base = placement;
    inner.parent = parent;
    if (!prefab || !check_prefab(e, *prefab, "prefabs." + use.text) || !bind_params(e, *prefab, v, caller, path, inner)) {
        e.scene.broken.push_back(name);
        return;
    }
    if (const Value* own = find(*prefab, "vars")) {
        const Scope scope = make_scope(e.globals, inner.vars);
        const Vars more = evaluate_vars(*own, scope, "prefabs." + use.text + ".vars", e.errors);
        inner.vars.insert(inner.vars.end(), more.begin(), more.end());
    }
    e.prefabs.push_back(use.text);
    expand_level(e, inner, *prefab);
    e.prefabs.pop_back();
}

// ---- replicas

void expand_object_replicas(Expander& e, const SceneLevel& level, const std::string& name, Value v, const Vars& vars) {
    const Value replicate = *find(v, "replicate");
    erase(v, "replicate");
    const long long cost = measure_value(v).cost + (long long)vars.size();
    const bool ok = make_replicas(e, replicate, vars, "objects." + name + ".replicate", Replicated::placed, cost, [&](Replica r) {
        expand_object(e, level, name + r.suffix, v, r.offset, std::move(r.vars));
    });
    if (!ok) e.scene.broken.push_back(name);
}

// ---- single objects

void add_object(Expander& e, const SceneLevel& level, const std::string& name, Value v, Vars vars,
                const InitialPlacement& container, const InitialPlacement& own, const std::string& parent) {
    SceneObject o;
    o.name = name;
    o.path = "objects." + name;
    o.prefix = level.prefix;
    o.parent = parent;
    const Scope scope = make_scope(e.globals, vars);
    const bool has_kind = read_text(*find(v, "kind"), o.path + ".kind", o.kind, e.errors);
    if (const Value* s = find(v, "scale")) read_scale(*s, scope, o.path + ".scale", o.scale, e.errors);
    if (Value* m = find(v, "motion")) o.motion = std::move(*m);
    PendingObject pending{container, own, make_text(parent)};
    if (const Value* p = find(v, "parent")) pending.parent_text = *p;
    for (const char* key :
         {"kind", "scale", "motion", "parent", "vars", "at", "rotate", "velocity", "angular_velocity"})
        erase(v, key);
    o.params = std::move(v);
    o.vars = std::move(vars);
    if (!has_kind) {
        e.scene.broken.push_back(name);
        return;
    }
    e.scene.objects.push_back(std::move(o));
    e.objects.push_back(std::move(pending));
}

void expand_single_object(Expander& e, const SceneLevel& level, const std::string& name, Value v, const InitialPlacement& offset,
                          Vars vars) {
    const std::string path = "objects." + name;
    if (!spend(e, v)) return;
    if (const Value* own = find(v, "vars")) {
        const Scope scope = make_scope(e.globals, vars);
        const Vars more = evaluate_vars(*own, scope, path + ".vars", e.errors);
        vars.insert(vars.end(), more.begin(), more.end());
    }
    const Scope scope = make_scope(e.globals, vars);
    InitialPlacement own;
    read_placement(v, scope, path, own, e.errors);
    std::string parent = level.parent;
    InitialPlacement container = compose(level.base, offset);
    if (const Value* p = find(v, "parent")) {
        std::string reference;
        if (!read_text(*p, path + ".parent", reference, e.errors)) {
            e.scene.broken.push_back(name);
            return;
        }
        parent = resolve_name(level.prefix, reference);
        container = offset;
    }
    const bool kind = find(v, "kind"), use = find(v, "use");
    if (kind == use) {
        Error error = make_error(v, path,
                                 kind ? "an object has either a kind or a prefab to use, not both"
                                      : "missing: the object needs a kind or a prefab",
                                 "kind, use");
        error.value.clear();
        e.errors.push_back(std::move(error));
        e.scene.broken.push_back(name);
    } else if (kind)
        add_object(e, level, name, std::move(v), std::move(vars), container, own, parent);
    else
        expand_instance(e, v, name, scope, compose(container, own), parent);
}

void expand_object(Expander& e, const SceneLevel& level, const std::string& name, Value v, const InitialPlacement& offset,
                   Vars vars) {
    const std::string path = "objects." + name;
    if (v.kind != Value::Kind::object) {
        e.errors.push_back(make_error(v, path,
                                      "an object { } is expected, not " + std::string(kind_name(v.kind)),
                                      "{ \"kind\": ... }"));
        e.scene.broken.push_back(name);
        return;
    }
    apply_overrides(e, name, find(v, "kind") != nullptr, v);
    const bool has_parts = find(v, "use") || find(v, "replicate");
    Value members;
    if (const Value* o = find(v, "override")) {
        if (!has_parts)
            e.errors.push_back(make_error(*o, path + ".override",
                                          "only instances of prefabs and replicas have parts to override"));
        members = *o;
        erase(v, "override");
    }
    const bool overrides = has_parts && members.kind != Value::Kind::null;
    if (overrides) push_override(e, name, path, std::move(members));
    if (find(v, "replicate"))
        expand_object_replicas(e, level, name, std::move(v), vars);
    else
        expand_single_object(e, level, name, std::move(v), offset, std::move(vars));
    if (overrides) pop_override(e);
}

} // namespace

void expand_level(Expander& e, const SceneLevel& level, const Value& definition) {
    if (const Value* objects = find(definition, "objects"))
        for (const Member& m : objects->members) {
            if (has_too_many_errors(e)) return;
            if (check_name(m, "objects." + level.prefix + m.key, e.errors))
                expand_object(e, level, level.prefix + m.key, substitute(e, level, m.value), {}, level.vars);
            else
                e.scene.broken.push_back(level.prefix + m.key);
        }
    expand_entries(e, level, definition);
}

bool expand_objects(const Value& document, const Scope& globals, Scene& scene, std::vector<Error>& errors) {
    Expander e{document, globals, scene, errors, {}, {}, {}, {}, {}, {}, 0, 0, 0, false};
    expand_level(e, {}, document);
    if (e.full) return false;
    // no replicas at all: who refers to them is not wrong
    std::unordered_set<std::string_view> roots;
    for (const SceneObject& o : scene.objects) roots.insert(std::string_view(o.name).substr(0, o.name.find('/')));
    if (const Value* objects = find(document, "objects"))
        for (const Member& m : objects->members)
            if (!roots.contains(m.key)) scene.empty.push_back(m.key);
    resolve_parents(e);
    check_entries(e);
    return true;
}

} // namespace sinew
