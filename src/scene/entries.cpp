// Joints, attachments and contact rules, in the scene and in prefabs; parents; references between all of
// them.
#include "core/error.h"
#include "core/nearest.h"
#include "scene/expander.h"
#include "scene/names.h"
#include "scene/replicate.h"
#include "scene/select.h"
#include "scene/vars.h"
#include <algorithm>
#include <unordered_map>

namespace sinew {
namespace {

bool read_between(Expander& e, const SceneLevel& level, const Value& v, SceneEntry& out) {
    const std::string path = out.path + ".between";
    const Value* between = find(v, "between");
    if (!between) {
        Error error = make_error(v, path, "missing: \"between\" must be given", "[\"one\", \"other\"]");
        error.value.clear();
        e.errors.push_back(std::move(error));
        return false;
    }
    if (!check_array(*between, 2, path, "names", e.errors)) return false;
    const Scope scope = make_scope(e.globals, out.vars);
    bool ok = true;
    for (int i = 0; i < 2; ++i) {
        std::string name;
        ok &= fill_name(between->items[std::size_t(i)], scope, join_path(path, i), name, e.errors);
        out.names.push_back(resolve_name(level.prefix, name));
    }
    return ok;
}

// "of" inside a selection becomes a full name
bool resolve_of(Expander& e, const SceneLevel& level, const Scope& scope, const std::string& path, Value& select) {
    Value* of = find(select, "of");
    if (!of || of->kind != Value::Kind::text) return true; // said where the selection is read
    std::string name;
    if (!fill_name(*of, scope, path + ".of", name, e.errors)) return false;
    of->text = resolve_name(level.prefix, name);
    return true;
}

bool read_attach(Expander& e, const SceneLevel& level, Value& v, SceneEntry& out) {
    Value *points = find(v, "points"), *to = find(v, "to");
    bool ok = true;
    const auto missing = [&](const char* key, const char* allowed) {
        Error error = make_error(v, join_path(out.path, key),
                                 std::string("missing: \"") + key + "\" must be given", allowed);
        error.value.clear();
        e.errors.push_back(std::move(error));
        ok = false;
    };
    if (!points || points->kind != Value::Kind::object || !find(*points, "of"))
        missing("points", R"("points": { "of": "cape", "group": "collar" })");
    if (!to) missing("to", R"("to": "hero/chest", "to": "world", "to": { "of": "shirt", "group": "hem" })");
    if (!ok) return false;
    const Scope scope = make_scope(e.globals, out.vars);
    Select select;
    if (!resolve_of(e, level, scope, out.path + ".points", *points)) return false;
    ok &= parse_select(*points, scope, out.path + ".points", select, e.errors);
    out.names.push_back(select.of);
    if (to->kind == Value::Kind::object) {
        if (!resolve_of(e, level, scope, out.path + ".to", *to)) return false;
        ok &= parse_select(*to, scope, out.path + ".to", select, e.errors);
        out.names.push_back(select.of);
        return ok;
    }
    std::string name;
    ok &= fill_name(*to, scope, out.path + ".to", name, e.errors);
    to->text = resolve_name(level.prefix, name);
    out.names.push_back(to->text);
    return ok;
}

enum class EntrySection { joints, attach, contact };

bool read_joint_kind(Expander& e, Value& v, SceneEntry& out) {
    const Value* kind = find(v, "kind");
    bool ok = false;
    if (kind)
        ok = read_text(*kind, out.path + ".kind", out.kind, e.errors);
    else {
        Error error = make_error(v, out.path + ".kind", "missing: the joint needs a kind");
        error.value.clear();
        e.errors.push_back(std::move(error));
    }
    erase(v, "kind");
    return ok;
}

// entry: with its name, its path and the vars of where it stands
void expand_single_entry(Expander& e, const SceneLevel& level, EntrySection section, SceneEntry entry, const Pose& base, Value v) {
    PendingEntry pending{level.parent, base, v};
    if (const Value* own = find(v, "vars")) {
        const Vars more = evaluate_vars(*own, make_scope(e.globals, entry.vars), entry.path + ".vars", e.errors);
        entry.vars.insert(entry.vars.end(), more.begin(), more.end());
        erase(v, "vars");
    }
    bool ok = section != EntrySection::joints || read_joint_kind(e, v, entry);
    if (section == EntrySection::attach)
        ok &= read_attach(e, level, v, entry);
    else {
        ok &= read_between(e, level, v, entry);
        erase(v, "between");
    }
    if (!ok) {
        e.scene.broken.push_back(entry.name);
        return;
    }
    entry.params = std::move(v);
    auto& entries = section == EntrySection::joints   ? e.scene.joints
                    : section == EntrySection::attach ? e.scene.attach
                                                 : e.scene.contact;
    auto& pendings = section == EntrySection::joints   ? e.joints
                     : section == EntrySection::attach ? e.attach
                                                  : e.contact;
    entries.push_back(std::move(entry));
    pendings.push_back(std::move(pending));
}

void expand_entry_replicas(Expander& e, const SceneLevel& level, EntrySection section, const SceneEntry& entry, Value v) {
    const Value replicate = *find(v, "replicate");
    erase(v, "replicate");
    Value members;
    if (const Value* o = section == EntrySection::joints ? find(v, "override") : nullptr) {
        members = *o;
        erase(v, "override");
    }
    const bool overrides = members.kind != Value::Kind::null;
    if (overrides) push_override(e, entry.name, entry.path, std::move(members), true);
    const long long cost = measure_value(v).cost + (long long)entry.vars.size();
    const Replicated how = section == EntrySection::joints ? Replicated::placed : Replicated::unplaced;
    bool any = false;
    const bool ok = make_replicas(e, replicate, entry.vars, entry.path + ".replicate", how, cost, [&](Replica r) {
        any = true;
        SceneEntry one = entry;
        one.name += r.suffix;
        one.path += r.suffix;
        one.vars = std::move(r.vars);
        Value own = v;
        if (section == EntrySection::joints) apply_overrides(e, one.name, false, own);
        expand_single_entry(e, level, section, std::move(one), compose(level.base.pose, r.offset.pose), std::move(own));
    });
    if (!ok) e.scene.broken.push_back(entry.name);
    else if (!any) e.scene.empty.push_back(entry.name);
    if (overrides) pop_override(e);
}

void expand_entry(Expander& e, const SceneLevel& level, EntrySection section, SceneEntry entry, Value v) {
    if (v.kind != Value::Kind::object) {
        e.errors.push_back(make_error(v, entry.path, "an object { } is expected, not " + std::string(kind_name(v.kind))));
        e.scene.broken.push_back(entry.name);
        return;
    }
    entry.vars = level.vars;
    if (section == EntrySection::joints) apply_overrides(e, entry.name, false, v);
    if (find(v, "replicate"))
        expand_entry_replicas(e, level, section, entry, std::move(v));
    else
        expand_single_entry(e, level, section, std::move(entry), level.base.pose, std::move(v));
}

void expand_section(Expander& e, const SceneLevel& level, const Value& definition, EntrySection section,
                    const std::string& title) {
    const Value* v = find(definition, title);
    if (!v) return;
    SceneEntry entry;
    if (v->kind == Value::Kind::array) {
        for (std::size_t i = 0; i < v->items.size(); ++i) {
            entry.name = level.prefix + join_path(title, int(i));
            entry.path = level.prefix.empty() ? join_path(title, int(i)) : title + '.' + entry.name;
            expand_entry(e, level, section, entry, substitute(e, level, v->items[i]));
        }
    } else if (v->kind == Value::Kind::object && section != EntrySection::contact) {
        for (const Member& m : v->members) {
            entry.name = level.prefix + m.key;
            entry.path = title + '.' + entry.name;
            if (check_name(m, entry.path, e.errors))
                expand_entry(e, level, section, entry, substitute(e, level, m.value));
        }
    } else
        e.errors.push_back(
            make_error(*v, title, "a list is expected, not " + std::string(kind_name(v->kind)),
                       section == EntrySection::contact ? "[ { } ]" : "[ { } ], { \"name\": { } }"));
}

} // namespace

void expand_entries(Expander& e, const SceneLevel& level, const Value& definition) {
    expand_section(e, level, definition, EntrySection::joints, "joints");
    expand_section(e, level, definition, EntrySection::attach, "attach");
    expand_section(e, level, definition, EntrySection::contact, "contact");
}

// ---- parents

static void place_object(Expander& e, std::size_t i, const SceneObject* parent) {
    SceneObject& o = e.scene.objects[i];
    InitialPlacement container = e.objects[i].container;
    if (parent)
        container = compose(InitialPlacement{parent->pose, parent->velocity, parent->angular_velocity}, container);
    const InitialPlacement world = compose(container, e.objects[i].own);
    o.container = container.pose;
    o.local = e.objects[i].own.pose;
    o.pose = world.pose;
    o.velocity = world.velocity;
    o.angular_velocity = world.angular_velocity;
}

static void report_parent_cycle(Expander& e, const std::vector<std::size_t>& chain, std::size_t back) {
    std::string cycle;
    for (auto it = std::find(chain.begin(), chain.end(), back); it != chain.end(); ++it)
        cycle += e.scene.objects[*it].name + " -> ";
    SceneObject& o = e.scene.objects[back];
    e.errors.push_back(make_error(e.objects[back].parent_text, o.path + ".parent",
                                  "objects are each other's parents in a circle: " + cycle + o.name));
    o.parent.clear(); // whoever follows parents must come to an end
}

void resolve_parents(Expander& e) {
    std::vector<SceneObject>& objects = e.scene.objects;
    NameIndex index;
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        add_name(index, objects[i].name);
        by_name.emplace(objects[i].name, i);
    }
    add_unbuilt(index, e.scene);
    enum : char { fresh, open, done };
    std::vector<char> state(objects.size(), fresh);
    for (std::size_t first = 0; first < objects.size(); ++first) {
        // up to an ancestor that is placed, then down again
        std::vector<std::size_t> chain;
        for (std::size_t i = first; state[i] != done;) {
            if (state[i] == open) {
                report_parent_cycle(e, chain, i);
                break;
            }
            state[i] = open;
            chain.push_back(i);
            if (objects[i].parent.empty()) break;
            const auto it = by_name.find(objects[i].parent);
            if (it == by_name.end()) {
                check_reference(index, e.objects[i].parent_text, objects[i].path + ".parent",
                                objects[i].parent, true, e.errors);
                objects[i].parent.clear();
                break;
            }
            i = it->second;
        }
        for (std::size_t k = chain.size(); k-- > 0;) {
            const auto it = by_name.find(objects[chain[k]].parent);
            const bool placed =
                !objects[chain[k]].parent.empty() && it != by_name.end() && state[it->second] == done;
            place_object(e, chain[k], placed ? &objects[it->second] : nullptr);
            state[chain[k]] = done;
        }
    }
}

// ---- references

struct References {
    NameIndex index;
    std::unordered_map<std::string_view, const SceneObject*> by_name;
};

static void check_section(Expander& e, const References& known, std::vector<SceneEntry>& entries,
                          const std::vector<PendingEntry>& pendings, bool exact, bool world) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        SceneEntry& entry = entries[i];
        const PendingEntry& pending = pendings[i];
        entry.frame = pending.base;
        if (const auto parent = known.by_name.find(pending.parent); parent != known.by_name.end())
            entry.frame = compose(parent->second->pose, pending.base);
        for (const std::string& name : entry.names)
            if (!(world && name == kWorld))
                check_reference(known.index, pending.original, entry.path, name, exact, e.errors);
        if (exact && entry.names.size() == 2 && entry.names[0] == entry.names[1])
            e.errors.push_back(
                make_error(pending.original, entry.path, "both sides are \"" + entry.names[0] + '"'));
    }
}

void check_entries(Expander& e) {
    References known;
    for (const SceneObject& o : e.scene.objects) {
        add_name(known.index, o.name);
        known.by_name.emplace(o.name, &o);
    }
    add_unbuilt(known.index, e.scene);
    check_section(e, known, e.scene.joints, e.joints, true, true);
    check_section(e, known, e.scene.attach, e.attach, true, true);
    check_section(e, known, e.scene.contact, e.contact, false, false);
}

} // namespace sinew
