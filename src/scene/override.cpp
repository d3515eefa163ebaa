// "$name" and "override": changes of a definition on its way to a part.
#include "core/error.h"
#include "core/nearest.h"
#include "scene/expander.h"
#include "scene/names.h"
#include "scene/set.h"

namespace sinew {

static bool count_value(Expander& e, const Value& at) {
    if (e.full) return false;
    if (++e.values <= kMaxValues) return true;
    e.full = true;
    e.errors.push_back(make_error(at, "objects", "prefabs and replicas make the scene too large",
                                  "at most " + std::to_string(kMaxValues) + " values copied"));
    return false;
}

Value substitute(Expander& e, const Level& level, const Value& v) {
    if (!count_value(e, v)) return {};
    if (v.kind == Value::Kind::text && v.text.starts_with('$')) {
        std::vector<std::string> known;
        for (const auto& [name, value] : level.params) {
            if (v.text.compare(1, std::string::npos, name) == 0) {
                // what is put in has been substituted in its own place already; only its size counts
                std::vector<const Value*> open{&value};
                while (!open.empty()) {
                    const Value* x = open.back();
                    open.pop_back();
                    if (!count_value(e, v)) return {};
                    for (const Value& item : x->items) open.push_back(&item);
                    for (const Member& m : x->members) open.push_back(&m.value);
                }
                return value;
            }
            known.push_back('$' + name);
        }
        e.errors.push_back(
            make_error(v, "", "there is no such param here", list_words(known), find_nearest(v.text, known)));
        return v;
    }
    Value out = v;
    for (Value& item : out.items) item = substitute(e, level, item);
    for (Member& m : out.members) m.value = substitute(e, level, m.value);
    return out;
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
        if (!set_path(part, parts, m.value, problem))
            e.errors.push_back(make_error(m.value, join_path(path, m.key), problem));
    }
}

void apply_overrides(Expander& e, const std::string& name, bool patterns, Value& part) {
    for (std::size_t k = e.overrides.size(); k-- > 0;) { // outer ones last, so that they win
        Override& o = e.overrides[k];
        const std::string_view below = std::string_view(name).substr(std::min(name.size(), o.prefix.size()));
        if (!name.starts_with(o.prefix) || below.empty()) continue;
        for (std::size_t i = 0; i < o.members.members.size(); ++i) {
            const Member& change = o.members.members[i];
            const bool match =
                is_pattern(change.key) ? patterns && match_name(change.key, below) : change.key == below;
            if (!match) continue;
            o.used[i] = true;
            merge_override(e, o, change, part);
        }
    }
}

void push_override(Expander& e, const std::string& name, std::string_view path, Value members) {
    Override o{name + '/', std::move(members), {}, std::string(path)};
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
        if (o.used[i]) continue;
        std::vector<std::string> known;
        for (const SceneObject& object : e.scene.objects)
            if (object.name.starts_with(o.prefix)) known.push_back(object.name.substr(o.prefix.size()));
        for (const SceneEntry& joint : e.scene.joints)
            if (joint.name.starts_with(o.prefix)) known.push_back(joint.name.substr(o.prefix.size()));
        const Member& m = o.members.members[i];
        e.errors.push_back(make_error(m, join_path(o.path + ".override", m.key), "there is no such part",
                                      list_words(known), find_nearest(m.key, known)));
    }
}

} // namespace sinew
