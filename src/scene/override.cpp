// "$name" and "override": changes of a definition on its way to a part.
#include "core/error.h"
#include "core/nearest.h"
#include "scene/expander.h"
#include "scene/names.h"
#include "scene/set.h"
#include <algorithm>

namespace sinew {

ValueSize measure_value(const Value& v) {
    ValueSize size;
    std::vector<std::pair<const Value*, int>> open{{&v, 1}};
    while (!open.empty()) {
        const auto [x, depth] = open.back();
        open.pop_back();
        size.cost += 1 + (long long)(x->text.size() / 16);
        size.depth = std::max(size.depth, depth);
        for (const Value& item : x->items) open.emplace_back(&item, depth + 1);
        for (const Member& m : x->members) {
            size.cost += (long long)(m.key.size() / 16);
            open.emplace_back(&m.value, depth + 1);
        }
    }
    return size;
}

bool spend_values(Expander& e, long long cost, const Value& at) {
    if (e.full) return false;
    e.values += cost;
    if (e.values <= kMaxValues) return true;
    e.full = true;
    e.errors.push_back(make_error(at, "objects", "prefabs and replicas make the scene too large",
                                  "at most " + std::to_string(kMaxValues) + " values copied"));
    return false;
}

bool has_too_many_errors(Expander& e) {
    if (e.full || e.errors.size() < kEnoughErrors) return e.full;
    remove_duplicates(e.errors); // replicas may be wrong all in the same way
    e.full = e.errors.size() >= kEnoughErrors;
    return e.full;
}

static Value substitute_below(Expander& e, const SceneLevel& level, const Value& v, int depth) {
    if (e.full) return {};
    if (v.kind == Value::Kind::text && v.text.starts_with('$')) {
        std::vector<std::string> known;
        for (const auto& [name, value] : level.params) {
            if (v.text.compare(1, std::string::npos, name) == 0) {
                const ValueSize size = measure_value(value);
                if (depth + size.depth > kMaxNesting) {
                    e.errors.push_back(
                        make_error(v, "objects", "params are nested too deeply", "at most 200 levels"));
                    return {};
                }
                return spend_values(e, size.cost, v) ? value : Value{};
            }
            known.push_back('$' + name);
        }
        e.errors.push_back(
            make_error(v, "", "there is no such param here", list_words(known), find_nearest(v.text, known)));
        return v;
    }
    Value out;
    out.kind = v.kind;
    out.boolean = v.boolean;
    out.number = v.number;
    out.text = v.text;
    out.place = v.place;
    for (const Value& item : v.items) out.items.push_back(substitute_below(e, level, item, depth + 1));
    for (const Member& m : v.members)
        out.members.push_back({m.key, substitute_below(e, level, m.value, depth + 1), m.place});
    return out;
}

Value substitute(Expander& e, const SceneLevel& level, const Value& v) {
    if (!spend_values(e, measure_value(v).cost, v)) return {};
    return level.params.empty() ? v : substitute_below(e, level, v, 1);
}

static bool is_pattern(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

static void merge_override(Expander& e, const Override& o, const Member& change, Value& part) {
    const std::string path = join_path(o.path + ".override", change.key);
    for (const Member& m : change.value.members) {
        std::vector<std::string> parts(1);
        for (const char c : m.key) {
            if (c == '.')
                parts.emplace_back();
            else
                parts.back() += c;
        }
        std::string problem;
        if (!spend_values(e, measure_value(m.value).cost, m.value)) return;
        if (!set_path(part, parts, m.value, problem))
            e.errors.push_back(make_error(m.value, join_path(path, m.key), problem));
    }
}

void apply_overrides(Expander& e, const std::string& name, bool patterns, Value& part) {
    for (std::size_t k = e.overrides.size(); k-- > 0;) { // outer ones last, so that they win
        Override& o = e.overrides[k];
        const std::string_view below = std::string_view(name).substr(std::min(name.size(), o.prefix.size()));
        if (!name.starts_with(o.prefix) || below.empty()) continue;
        e.comparisons += (long long)o.members.members.size();
        if (e.comparisons > 32 * kMaxValues && !spend_values(e, kMaxValues, o.members)) return;
        for (std::size_t i = 0; i < o.members.members.size(); ++i) {
            const Member& change = o.members.members[i];
            const bool match = is_pattern(change.key) ? (patterns || o.of_joint) && match_name(change.key, below)
                                                      : change.key == below;
            if (!match) continue;
            o.used[i] = true;
            merge_override(e, o, change, part);
        }
    }
}

void push_override(Expander& e, const std::string& name, std::string_view path, Value members, bool of_joint) {
    Override o{name + '/', std::move(members), {}, std::string(path), of_joint};
    if (o.members.kind != Value::Kind::object)
        e.errors.push_back(
            make_error(o.members, o.path + ".override",
                       "an object { } is expected, not " + std::string(kind_name(o.members.kind)),
                       "{ \"part\": { \"parameter\": value } }"));
    for (const Member& m : o.members.members)
        if (m.value.kind != Value::Kind::object)
            e.errors.push_back(
                make_error(m.value, join_path(o.path + ".override", m.key),
                           "an object { } is expected, not " + std::string(kind_name(m.value.kind)),
                           "{ \"parameter\": value }"));
    o.used.resize(o.members.members.size());
    e.overrides.push_back(std::move(o));
}

void pop_override(Expander& e) {
    const Override o = std::move(e.overrides.back());
    e.overrides.pop_back();
    if (e.full) return;
    for (std::size_t i = 0; i < o.used.size(); ++i) {
        if (o.used[i] || has_too_many_errors(e)) continue;
        std::vector<std::string> known;
        for (const SceneObject& object : e.scene.objects)
            if (object.name.starts_with(o.prefix)) known.push_back(object.name.substr(o.prefix.size()));
        for (const SceneEntry& joint : e.scene.joints)
            if (joint.name.starts_with(o.prefix)) known.push_back(joint.name.substr(o.prefix.size()));
        const Member& m = o.members.members[i];
        if (matches_broken(e.scene.broken, o.prefix + m.key)) continue;
        e.errors.push_back(make_error(m, join_path(o.path + ".override", m.key), "there is no such part",
                                      list_words(known), find_nearest(m.key, known)));
    }
}

} // namespace sinew
