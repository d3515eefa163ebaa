#include "scene/select.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include "scene/placement.h"
#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace sinew {
namespace {

using SelectKind = Select::Kind;

constexpr const char* kForms = "\"all\", \"boundary\", a vertex group, { \"box\": [[..], [..]] }, { \"index\": [..] }, ...";

const std::vector<std::string> kKeys = {"group",     "box",   "sphere", "half_space", "index",    "range",
                                        "attribute", "min",   "max",    "equals",     "boundary", "all",
                                        "any",       "every", "not",    "of"};

Select simple(SelectKind kind, const Value& at) {
    Select s;
    s.kind = kind;
    s.place = at.place;
    return s;
}

bool parse_box(const Value& v, const Scope& scope, std::string_view path, Select& s,
               std::vector<Error>& errors) {
    Real3 a, b;
    if (!check_array(v, 2, path, "corners", errors)) return false;
    const bool ok = read_real3(v.items[0], "m", scope, join_path(path, 0), a, errors);
    if (!read_real3(v.items[1], "m", scope, join_path(path, 1), b, errors) || !ok) return false;
    for (int k = 0; k < 3; ++k) {
        s.a[k] = std::min(a[k], b[k]);
        s.b[k] = std::max(a[k], b[k]);
    }
    return true;
}

bool parse_sphere(const Value& v, const Scope& scope, std::string_view path, Select& s,
                  std::vector<Error>& errors) {
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("center", s.a, Field{.unit = "m"});
        f("radius", s.radius, Field{.min = 0, .unit = "m", .required = true});
    });
    return read_fields(list, v, scope, path, errors);
}

bool parse_half_space(const Value& v, const Scope& scope, std::string_view path, Select& s,
                      std::vector<Error>& errors) {
    Value normal;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("point", s.a, Field{.unit = "m"});
        f("normal", normal, Field{.required = true});
    });
    return read_fields(list, v, scope, path, errors) &&
           read_direction(normal, scope, join_path(path, "normal"), s.b, errors);
}

bool parse_indices(const Value& v, const Scope& scope, std::string_view path, Select& s,
                   std::vector<Error>& errors) {
    if (v.kind != Value::Kind::array) return read_integer(v, scope, path, s.indices.emplace_back(), errors);
    bool ok = true;
    for (std::size_t i = 0; i < v.items.size(); ++i)
        ok &= read_integer(v.items[i], scope, join_path(path, int(i)), s.indices.emplace_back(), errors);
    return ok;
}

bool parse_select_parts(const Value& v, const Scope& scope, std::string_view path, Select& s,
                        std::vector<Error>& errors) {
    if (!check_array(v, -1, path, "selections", errors)) return false;
    bool ok = true;
    for (std::size_t i = 0; i < v.items.size(); ++i)
        ok &= parse_select(v.items[i], scope, join_path(path, int(i)), s.parts.emplace_back(), errors);
    return ok;
}

// min, max, equals stand next to "attribute"
bool parse_attribute(const Value& object, const Scope& scope, std::string_view path, Select& s,
                     std::vector<Error>& errors) {
    s.min = -INFINITY;
    s.max = INFINITY;
    bool ok = read_text(*find(object, "attribute"), join_path(path, "attribute"), s.name, errors);
    if (const Value* v = find(object, "min"))
        ok &= read_number(*v, "*", scope, join_path(path, "min"), s.min, errors);
    if (const Value* v = find(object, "max"))
        ok &= read_number(*v, "*", scope, join_path(path, "max"), s.max, errors);
    if (const Value* v = find(object, "equals")) {
        ok &= read_number(*v, "*", scope, join_path(path, "equals"), s.min, errors);
        s.max = s.min;
    }
    return ok;
}

// no condition at all would be met by every point, which "all" says
bool refuse_nothing(const Value& v, std::string_view path, std::vector<Error>& errors) {
    errors.push_back(make_error(v, path, "nothing is said of which points", kForms));
    return false;
}

// one member of the { } form
bool parse_member(const Member& m, const Value& object, const Scope& scope, std::string_view path,
                  Select& out, std::vector<Error>& errors) {
    const std::string here = join_path(path, m.key);
    const Value& v = m.value;
    const auto part = [&](SelectKind kind) -> Select& { return out.parts.emplace_back(simple(kind, v)); };
    if (m.key == "of") return read_text(v, here, out.of, errors);
    if (m.key == "group") return read_text(v, here, part(SelectKind::group).name, errors);
    if (m.key == "box") return parse_box(v, scope, here, part(SelectKind::box), errors);
    if (m.key == "sphere") return parse_sphere(v, scope, here, part(SelectKind::sphere), errors);
    if (m.key == "half_space") return parse_half_space(v, scope, here, part(SelectKind::half_space), errors);
    if (m.key == "index") return parse_indices(v, scope, here, part(SelectKind::indices), errors);
    if (m.key == "range")
        return check_array(v, 2, here, "indices", errors) &&
               parse_indices(v, scope, here, part(SelectKind::range), errors);
    if (m.key == "attribute") return parse_attribute(object, scope, path, part(SelectKind::attribute), errors);
    if (m.key == "any") return parse_select_parts(v, scope, here, part(SelectKind::any), errors);
    if (m.key == "every") {
        if (v.kind == Value::Kind::array && v.items.empty()) return refuse_nothing(v, here, errors);
        return parse_select_parts(v, scope, here, part(SelectKind::every), errors);
    }
    if (m.key == "not")
        return parse_select(v, scope, here, part(SelectKind::complement).parts.emplace_back(), errors);
    if (m.key == "boundary" || m.key == "all") {
        bool on = true;
        const bool ok = read_boolean(v, scope, here, on, errors);
        const SelectKind kind = m.key == "all" ? SelectKind::all : SelectKind::boundary;
        if (on)
            part(kind);
        else
            part(SelectKind::complement).parts.push_back(simple(kind, v));
        return ok;
    }
    if ((m.key == "min" || m.key == "max" || m.key == "equals") && find(object, "attribute"))
        return true; // read with it
    errors.push_back(
        make_error(m, here, "unknown name in a selection", list_words(kKeys), find_nearest(m.key, kKeys)));
    return false;
}

} // namespace

bool parse_select(const Value& v, const Scope& scope, std::string_view path, Select& out,
                  std::vector<Error>& errors) {
    out = simple(SelectKind::every, v);
    if (v.kind == Value::Kind::text) {
        if (v.text == "all" || v.text == "none" || v.text == "boundary")
            out.kind = v.text == "all" ? SelectKind::all : v.text == "none" ? SelectKind::none : SelectKind::boundary;
        else {
            out.kind = SelectKind::group;
            out.name = v.text;
        }
        return true;
    }
    if (v.kind == Value::Kind::array) {
        out.kind = SelectKind::any;
        return parse_select_parts(v, scope, path, out, errors);
    }
    if (v.kind != Value::Kind::object) {
        errors.push_back(make_error(
            v, path, "a selection of points is expected, not " + std::string(kind_name(v.kind)),
            kForms));
        return false;
    }
    if (v.members.empty()) return refuse_nothing(v, path, errors);
    bool ok = true;
    for (const Member& m : v.members) ok &= parse_member(m, v, scope, path, out, errors);
    if (ok && out.parts.size() == 1) { // the usual case needs no intersection
        Select only = std::move(out.parts[0]);
        only.of = out.of;
        out = std::move(only);
    }
    return ok;
}

namespace {

struct Finder {
    const SelectSource& source;
    std::string_view path;
    std::vector<Error>& errors;
};

void fail_selecting(Finder& f, const Select& s, std::string message, std::vector<std::string> known,
                    std::string_view word) {
    Value at;
    at.place = s.place;
    Error e = make_error(at, f.path, std::move(message), list_words(known), find_nearest(word, known));
    e.value.clear();
    f.errors.push_back(std::move(e));
}

void mark_group(Finder& f, const Select& s, std::vector<std::uint8_t>& marks) {
    std::vector<std::string> known;
    for (const auto& [name, members] : f.source.groups) {
        known.push_back(name);
        if (name != s.name) continue;
        for (const int i : members)
            if (i >= 0 && i < int(marks.size())) marks[std::size_t(i)] = 1;
        return;
    }
    fail_selecting(f, s, fmt::format("there is no vertex group \"{}\"", s.name), known, s.name);
}

void mark_attribute(Finder& f, const Select& s, std::vector<std::uint8_t>& marks) {
    std::vector<std::string> known;
    for (const VertexAttribute& a : f.source.attributes) {
        known.push_back(a.name);
        if (a.name != s.name) continue;
        const std::size_t stride = std::size_t(a.components);
        for (std::size_t i = 0; i < marks.size() && i * stride < a.values.size(); ++i)
            marks[i] = a.values[i * stride] >= s.min && a.values[i * stride] <= s.max;
        return;
    }
    fail_selecting(f, s, fmt::format("there is no attribute \"{}\"", s.name), known, s.name);
}

bool inside(const Select& s, const Real3& x) {
    double sum = 0;
    switch (s.kind) {
    case SelectKind::box:
        for (int k = 0; k < 3; ++k)
            if (x[k] < s.a[k] || x[k] > s.b[k]) return false;
        return true;
    case SelectKind::sphere:
        for (int k = 0; k < 3; ++k) sum += (x[k] - s.a[k]) * (x[k] - s.a[k]);
        return sum <= s.radius * s.radius;
    default: // half space
        for (int k = 0; k < 3; ++k) sum += (x[k] - s.a[k]) * s.b[k];
        return sum >= 0;
    }
}

void mark(Finder& f, const Select& s, std::vector<std::uint8_t>& marks);

void mark_indices(Finder& f, const Select& s, std::vector<std::uint8_t>& marks) {
    const int count = int(marks.size());
    std::vector<int> list = s.indices;
    for (int& i : list) {
        if (i < 0) i += count;
        if (i >= 0 && i < count) continue;
        fail_selecting(f, s, "index out of range: the object has " + std::to_string(count) + " points", {}, {});
        return;
    }
    if (s.kind == SelectKind::range)
        for (int i = list[0]; i <= list[1]; ++i) marks[std::size_t(i)] = 1;
    else
        for (const int i : list) marks[std::size_t(i)] = 1;
}

void mark_parts(Finder& f, const Select& s, std::vector<std::uint8_t>& marks) {
    const bool every = s.kind == SelectKind::every;
    if (every) std::fill(marks.begin(), marks.end(), 1);
    for (const Select& p : s.parts) {
        std::vector<std::uint8_t> part(marks.size(), 0);
        mark(f, p, part);
        for (std::size_t i = 0; i < marks.size(); ++i)
            marks[i] = every ? marks[i] & part[i] : marks[i] | part[i];
    }
    if (s.kind == SelectKind::complement)
        for (auto& m : marks) m = !m;
}

void mark(Finder& f, const Select& s, std::vector<std::uint8_t>& marks) {
    switch (s.kind) {
    case SelectKind::all:
        std::fill(marks.begin(), marks.end(), 1);
        break;
    case SelectKind::none:
        break;
    case SelectKind::boundary:
        for (std::size_t i = 0; i < marks.size() && i < f.source.boundary.size(); ++i)
            marks[i] = f.source.boundary[i];
        break;
    case SelectKind::group:
        mark_group(f, s, marks);
        break;
    case SelectKind::attribute:
        mark_attribute(f, s, marks);
        break;
    case SelectKind::box:
    case SelectKind::sphere:
    case SelectKind::half_space:
        for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = inside(s, f.source.positions[i]);
        break;
    case SelectKind::indices:
    case SelectKind::range:
        mark_indices(f, s, marks);
        break;
    case SelectKind::any:
    case SelectKind::every:
    case SelectKind::complement:
        mark_parts(f, s, marks);
        break;
    }
}

} // namespace

std::vector<int> find_selected(const Select& s, const SelectSource& source, std::string_view path,
                               std::vector<Error>& errors) {
    Finder f{source, path, errors};
    std::vector<std::uint8_t> marks(source.positions.size(), 0);
    mark(f, s, marks);
    std::vector<int> found;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i]) found.push_back(int(i));
    return found;
}

} // namespace sinew
