#include "core/fields.h"
#include "core/error.h"
#include "core/nearest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

FieldRef* find_field(FieldList& list, std::string_view name) {
    for (FieldRef& f : list.fields)
        if (f.name == name) return &f;
    return nullptr;
}

std::string describe_range(const Field& f) {
    const std::string unit = f.unit.empty() || f.unit == "*" ? "" : " " + std::string(f.unit); // * = any
    const auto number = [&](double x) { return write_number(x); };
    if (f.min && f.max)
        return number(*f.min) + (f.min_exclusive ? " < value " : " <= value ") +
               (f.max_exclusive ? "< " : "<= ") + number(*f.max) + unit;
    if (f.min) return (f.min_exclusive ? "> " : ">= ") + number(*f.min) + unit;
    if (f.max) return (f.max_exclusive ? "< " : "<= ") + number(*f.max) + unit;
    return {};
}

static bool check_range(double x, const Field& f, const Value& v, std::string_view path,
                        std::vector<Error>& errors) {
    const bool low = f.min && (f.min_exclusive ? x <= *f.min : x < *f.min);
    const bool high = f.max && (f.max_exclusive ? x >= *f.max : x > *f.max);
    if (!low && !high) return true;
    std::string message = "out of range";
    if (v.kind == Value::Kind::text)
        message += ": this is " + write_number(x) + (f.unit.empty() ? "" : " " + std::string(f.unit));
    errors.push_back(make_error(v, path, std::move(message), describe_range(f)));
    return false;
}

static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path,
                        double& out, std::vector<Error>& errors) {
    double x = 0;
    if (!read_number(v, f.unit, scope, path, x, errors) || !check_range(x, f, v, path, errors)) return false;
    out = x;
    return true;
}
static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path, int& out,
                        std::vector<Error>& errors) {
    int x = 0;
    if (!read_integer(v, scope, path, x, errors) || !check_range(x, f, v, path, errors)) return false;
    out = x;
    return true;
}
static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path,
                        Signal& out, std::vector<Error>& errors) {
    Signal s;
    if (!read_signal(v, f.unit, scope, path, s, errors)) return false;
    if (is_constant(s) && !check_range(s.constant, f, v, path, errors)) return false;
    out = std::move(s);
    return true;
}
static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path, Real3& out,
                        std::vector<Error>& errors) {
    if (!check_array(v, 3, path, "numbers", errors)) return false;
    Real3 r;
    bool ok = true;
    for (int i = 0; i < 3; ++i)
        ok &= read_ranged(v.items[std::size_t(i)], f, scope, join_path(path, i), r[i], errors);
    if (ok) out = r;
    return ok;
}
static bool read_ranged(const Value& v, const Field& f, const Scope&, std::string_view path, std::string& out,
                        std::vector<Error>& errors) {
    if (!f.allowed.empty() && v.kind != Value::Kind::text) {
        const std::vector<std::string> words(f.allowed.begin(), f.allowed.end());
        errors.push_back(make_error(v, path, "a word is expected, not " + std::string(kind_name(v.kind)),
                                    list_words(words)));
        return false;
    }
    std::string text;
    if (!read_text(v, path, text, errors)) return false;
    if (!f.allowed.empty() && std::find(f.allowed.begin(), f.allowed.end(), text) == f.allowed.end()) {
        const std::vector<std::string> words(f.allowed.begin(), f.allowed.end());
        errors.push_back(make_error(v, path, "unknown word", list_words(words), find_nearest(text, words)));
        return false;
    }
    out = std::move(text);
    return true;
}

template <class T, std::size_t N>
static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path,
                        std::array<T, N>& out, std::vector<Error>& errors) {
    if (!check_array(v, int(N), path, "numbers", errors)) return false;
    std::array<T, N> r{};
    bool ok = true;
    for (std::size_t i = 0; i < N; ++i)
        ok &= read_ranged(v.items[i], f, scope, join_path(path, int(i)), r[i], errors);
    if (ok) out = r;
    return ok;
}

template <class T>
static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path,
                        std::vector<T>& out, std::vector<Error>& errors) {
    if (!check_array(v, -1, path, "values", errors)) return false;
    const int count = int(v.items.size());
    if (count < f.least_count || (f.most_count >= 0 && count > f.most_count)) {
        std::string allowed = "at least " + std::to_string(f.least_count);
        if (f.most_count >= 0) allowed += ", at most " + std::to_string(f.most_count);
        errors.push_back(make_error(v, path, "wrong number of items: " + std::to_string(count), allowed));
        return false;
    }
    std::vector<T> r(v.items.size());
    bool ok = true;
    for (std::size_t i = 0; i < r.size(); ++i)
        ok &= read_ranged(v.items[i], f, scope, join_path(path, int(i)), r[i], errors);
    if (ok) out = std::move(r);
    return ok;
}

static bool read_ranged(const Value& v, const Field& f, const Scope& scope, std::string_view path,
                        Signal3& out, std::vector<Error>& errors) {
    if (!check_array(v, 3, path, "numbers", errors)) return false;
    Signal3 s;
    bool ok = true;
    Signal* parts[3] = {&s.x, &s.y, &s.z};
    for (int i = 0; i < 3; ++i)
        ok &= read_ranged(v.items[std::size_t(i)], f, scope, join_path(path, i), *parts[i], errors);
    if (ok) out = std::move(s);
    return ok;
}

bool read_field(FieldRef& f, const Value& v, const Scope& scope, std::string_view path,
                std::vector<Error>& errors) {
    f.given = true;
    const auto read = [&](auto& m) { return read_ranged(v, f.info, scope, path, m, errors); };
    switch (f.type) {
    case FieldType::real:
        return read(member_of<double>(f));
    case FieldType::integer:
        return read(member_of<int>(f));
    case FieldType::boolean:
        return read_boolean(v, scope, path, member_of<bool>(f), errors);
    case FieldType::text:
        return read(member_of<std::string>(f));
    case FieldType::real3:
        return read(member_of<Real3>(f));
    case FieldType::real2:
        return read(member_of<std::array<double, 2>>(f));
    case FieldType::integer2:
        return read(member_of<std::array<int, 2>>(f));
    case FieldType::reals:
        return read(member_of<std::vector<double>>(f));
    case FieldType::integers:
        return read(member_of<std::vector<int>>(f));
    case FieldType::texts:
        return read(member_of<std::vector<std::string>>(f));
    case FieldType::real3s:
        return read(member_of<std::vector<Real3>>(f));
    case FieldType::signal:
        return read(member_of<Signal>(f));
    case FieldType::signal3:
        return read(member_of<Signal3>(f));
    case FieldType::value:
        member_of<Value>(f) = v;
        return true;
    }
    return false;
}

bool read_fields(FieldList& list, const Value& object, const Scope& scope, std::string_view path,
                 std::vector<Error>& errors, std::span<const std::string_view> other_keys) {
    const std::size_t before = errors.size();
    std::vector<std::string> names;
    for (const FieldRef& f : list.fields) names.emplace_back(f.name);
    for (std::string_view k : other_keys) names.emplace_back(k);
    if (object.kind != Value::Kind::object) {
        errors.push_back(make_error(object, path,
                                    "an object { } is expected, not " + std::string(kind_name(object.kind)),
                                    list_words(names)));
        return false;
    }
    for (const Member& m : object.members) {
        if (FieldRef* f = find_field(list, m.key))
            read_field(*f, m.value, scope, join_path(path, m.key), errors);
        else if (std::find(other_keys.begin(), other_keys.end(), m.key) == other_keys.end())
            errors.push_back(make_error(m, join_path(path, m.key), "unknown name", list_words(names),
                                        find_nearest(m.key, names)));
    }
    for (const FieldRef& f : list.fields)
        if (f.info.required && !f.given) {
            Error e = make_error(object, join_path(path, f.name),
                                 "missing: \"" + std::string(f.name) + "\" must be given");
            e.value.clear();
            errors.push_back(std::move(e));
        }
    return errors.size() == before;
}

} // namespace sinew
