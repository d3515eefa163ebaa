#include "scene/event.h"
#include "core/error.h"
#include "core/fields.h"
#include "scene/names.h"
#include <algorithm>
#include <cmath>

namespace sinew {

bool check_condition(std::string_view text, const Scope& scope, const Value& at, std::string_view path,
                     std::vector<Error>& errors) {
    Symbols symbols;
    symbols.outer = &scope.symbols;
    // a measurement is object.name with slashes in the object only, or a single name of the whole scene;
    // vars and slots come first, so that `rise/2` is a division
    symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        for (const Symbols* s = &scope.symbols; s; s = s->outer)
            if (const auto it = s->names.find(name); it != s->names.end()) return it->second;
        name = without_objects(name);
        const std::size_t dot = name.find('.'), slash = name.rfind('/');
        if (slash != std::string_view::npos && (dot == std::string_view::npos || slash > dot))
            return std::nullopt;
        if (name == "pi" || name == "e" || name == "true" || name == "false") return std::nullopt;
        return Symbol{1000, 0};
    };
    const ExpressionResult r = compile_expression(text, symbols, scope.seed);
    for (const ExpressionError& e : r.errors)
        errors.push_back(make_error(
            at, path, e.message + " (character " + std::to_string(e.column) + " of the expression)",
            e.allowed, e.nearest));
    return r.errors.empty();
}

bool names_section(std::string_view target) {
    const std::string_view head = target.substr(0, target.find('['));
    for (std::string_view section : {"gravity", "materials", "joints", "contact", "attach", "solvers"})
        if (head == section) return true;
    return false;
}

bool parse_sets(const Value& v, std::string_view path, Event& out, std::vector<Error>& errors) {
    if (v.kind != Value::Kind::object) {
        errors.push_back(make_error(v, path, "an object is expected, not " + std::string(kind_name(v.kind)),
                                    "{ \"object.parameter\": value }"));
        return false;
    }
    bool ok = true;
    for (const Member& m : v.members) {
        EventSet s;
        const std::string key(without_objects(m.key));
        std::size_t dot = key.find('.');
        if (key.starts_with("fields.")) dot = key.find('.', 7);
        if (key == "gravity") dot = key.size();
        if (dot == std::string::npos || dot == 0 || dot + 1 == key.size()) {
            errors.push_back(make_error(m, join_path(path, m.key), "what to set is not clear",
                                        "\"object.parameter\", \"hero/*.motor\", \"fields.gust.velocity\", \"gravity\""));
            ok = false;
            continue;
        }
        s.target = key.substr(0, dot);
        s.parameter = key.substr(std::min(dot + 1, key.size()));
        s.value = m.value;
        out.sets.push_back(std::move(s));
    }
    return ok;
}

static bool parse_release(const Value& v, std::string_view path, Event& out, std::vector<Error>& errors) {
    std::string text;
    if (!read_text(v, path, text, errors)) return false;
    const std::size_t dot = text.find('.');
    out.releases.push_back({text.substr(0, dot), dot == std::string::npos ? "" : text.substr(dot + 1)});
    return true;
}

static bool parse_spawn(const Value& v, std::string_view path, Event& out, std::vector<Error>& errors) {
    if (v.kind != Value::Kind::object || v.members.empty()) {
        const std::string what = v.kind == Value::Kind::object ? "nothing" : std::string(kind_name(v.kind));
        errors.push_back(make_error(v, path, "objects by name are expected, not " + what, "{ \"ball\": { \"kind\": \"sphere\", \"mass\": 1 } }"));
        return false;
    }
    out.spawn = v;
    return true;
}

static bool parse_remove(const Value& v, std::string_view path, Event& out, std::vector<Error>& errors) {
    std::string text;
    if (!read_text(v, path, text, errors)) return false;
    if (text.empty()) errors.push_back(make_error(v, path, "a name is expected", "\"ball\", \"hero/*\""));
    out.removes.push_back(text);
    return !text.empty();
}

bool parse_event(const Value& v, const Scope& scope, std::string_view path, Event& out,
                 std::vector<Error>& errors) {
    out = {};
    out.place = v.place;
    out.path = path;
    out.until = INFINITY;
    Value set, release, spawn, removed;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("at", out.at, Field{.min = 0, .unit = "s"});
        f("every", out.every, Field{.min = 0, .min_exclusive = true, .unit = "s"});
        f("until", out.until, Field{.min = 0, .unit = "s"});
        f("when", out.when, Field{});
        f("once", out.once, Field{});
        f("set", set, Field{});
        f("release", release, Field{});
        f("spawn", spawn, Field{});
        f("remove", removed, Field{});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const auto given = [&](std::string_view name) { return find_field(list, name)->given; };
    bool ok = true;
    const auto fail = [&](std::string message, std::string allowed) {
        errors.push_back(make_error(v, path, std::move(message), std::move(allowed)));
        ok = false;
    };
    if (given("at") == given("when")) fail("an event needs either a time or a condition", "at, when");
    if ((given("every") || given("until")) && !given("at"))
        fail("every and until belong to at", "at, every, until");
    if (given("until") && !given("every")) fail("until needs every", "at, every, until");
    if (given("once") && !given("when")) fail("once belongs to when", "when, once");
    if (!given("set") && !given("release") && !given("spawn") && !given("remove"))
        fail("nothing happens in this event", "set, release, spawn, remove");
    if (given("when"))
        ok &= check_condition(out.when, scope, *find(v, "when"), join_path(path, "when"), errors);
    if (given("set")) ok &= parse_sets(set, join_path(path, "set"), out, errors);
    // one, or a list of them
    const auto parse_each = [&](const Value& v, const char* key, auto parse) {
        const std::string here = join_path(path, key);
        if (v.kind != Value::Kind::array) return parse(v, here, out, errors);
        bool all = true;
        for (std::size_t i = 0; i < v.items.size(); ++i) all &= parse(v.items[i], join_path(here, int(i)), out, errors);
        return all;
    };
    if (given("release")) ok &= parse_each(release, "release", parse_release);
    if (given("spawn")) ok &= parse_spawn(spawn, join_path(path, "spawn"), out, errors);
    if (given("remove")) ok &= parse_each(removed, "remove", parse_remove);
    return ok;
}

} // namespace sinew
