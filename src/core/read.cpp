#include "core/read.h"
#include "core/error.h"
#include "core/units.h"
#include <cmath>

namespace sinew {

Scope make_scope(const Vars& vars, std::span<const std::string_view> slots, std::uint64_t seed) {
    Scope s;
    s.seed = seed;
    for (const auto& [name, value] : vars) add_constant(s.symbols, name, value);
    for (std::size_t i = 0; i < slots.size(); ++i) add_slot(s.symbols, slots[i], int(i));
    return s;
}

Scope make_scope(const Scope& outer, const Vars& vars) {
    Scope s = make_scope(vars, {}, outer.seed);
    s.symbols.outer = &outer.symbols;
    s.gauge = outer.gauge;
    return s;
}

static bool fail_reading(const Value& v, std::string_view path, std::string message, std::string allowed,
                         std::vector<Error>& errors) {
    errors.push_back(make_error(v, path, std::move(message), std::move(allowed)));
    return false;
}

// Names of vars have no dots, so that measurements do not hide them; of those without a dot vars come first.
static std::optional<Symbol> find_gauge(std::string_view name, const Scope& scope, const Value& v, std::string_view path) {
    for (const Symbols* s = &scope.symbols; s; s = s->outer)
        if (const auto it = s->names.find(name); it != s->names.end()) return it->second;
    const std::optional<int> gauge = scope.gauge(name, v, path);
    return gauge ? std::optional(Symbol{kFirstGauge + *gauge, 0}) : std::nullopt;
}

// a text as expression; quantities have been tried before
static bool read_expression(const Value& v, const Scope& scope, std::string_view path, Expression& out,
                            std::vector<Error>& errors) {
    Symbols symbols;
    symbols.outer = &scope.symbols;
    if (scope.gauge) symbols.resolve = [&](std::string_view name) { return find_gauge(name, scope, v, path); };
    ExpressionResult r = compile_expression(v.text, symbols, scope.seed);
    for (ExpressionError& e : r.errors) {
        std::string message = std::move(e.message);
        if (!scope.gauge && e.unknown.find('.') != std::string::npos) {
            message += ": measurements are not known here, what is read before the run is a constant";
            e.allowed += std::string("; measurements in ") + kGaugePlaces;
        }
        if (e.column > 1) message += " (character " + std::to_string(e.column) + " of the expression)";
        errors.push_back(make_error(v, path, std::move(message), std::move(e.allowed), std::move(e.nearest)));
    }
    if (!r.value) return false;
    out = std::move(*r.value);
    return true;
}

bool read_signal(const Value& v, std::string_view unit, const Scope& scope, std::string_view path,
                 Signal& out, std::vector<Error>& errors) {
    if (v.kind == Value::Kind::number) {
        out = make_signal(v.number);
        return true;
    }
    if (v.kind != Value::Kind::text)
        return fail_reading(v, path, "a number is expected, not " + std::string(kind_name(v.kind)),
                            "number, \"3 mm\", \"2*pi*t\"", errors);
    const QuantityResult q = parse_quantity(v.text, unit);
    if (q.status == QuantityResult::Status::ok) {
        out = make_signal(q.value);
        return true;
    }
    if (q.status == QuantityResult::Status::wrong) {
        errors.push_back(make_error(v, path, q.message, q.allowed, q.nearest));
        return false;
    }
    Signal s;
    if (!read_expression(v, scope, path, s.expression, errors)) return false;
    if (is_constant(s.expression)) {
        const double value = evaluate(s.expression, {});
        if (!std::isfinite(value)) return fail_reading(v, path, "this expression is not a finite number", {}, errors);
        s = make_signal(value);
    }
    out = std::move(s);
    return true;
}

bool read_number(const Value& v, std::string_view unit, const Scope& scope, std::string_view path,
                 double& out, std::vector<Error>& errors) {
    Signal s;
    if (!read_signal(v, unit, scope, path, s, errors)) return false;
    if (is_constant(s)) {
        out = s.constant;
        return true;
    }
    std::string used;
    for (const Symbols* k = &scope.symbols; k; k = k->outer)
        for (const auto& [name, symbol] : k->names)
            if (symbol.slot >= 0 && uses_slot(s.expression, symbol.slot))
                used += (used.empty() ? "" : ", ") + name;
    std::string allowed = "numbers, vars";
    if (uses_gauges(s.expression)) {
        used += used.empty() ? "measurements" : " and measurements";
        allowed += std::string("; measurements in ") + kGaugePlaces;
    }
    return fail_reading(v, path, "a constant is needed here; it cannot depend on " + used, allowed, errors);
}

bool read_integer(const Value& v, const Scope& scope, std::string_view path, int& out,
                  std::vector<Error>& errors) {
    double x = 0;
    if (!read_number(v, "", scope, path, x, errors)) return false;
    const double whole = std::round(x);
    // expressions of decimal vars may miss the whole number by a few roundings
    if (std::abs(x - whole) > 1e-9 * std::max(1.0, std::abs(x)))
        return fail_reading(v, path, "a whole number is expected", {}, errors);
    if (std::abs(whole) > 2147483647.0)
        return fail_reading(v, path, "whole number too large", "-2147483647 to 2147483647", errors);
    out = int(whole);
    return true;
}

bool read_boolean(const Value& v, const Scope& scope, std::string_view path, bool& out,
                  std::vector<Error>& errors) {
    if (v.kind == Value::Kind::boolean) {
        out = v.boolean;
        return true;
    }
    if (v.kind != Value::Kind::text)
        return fail_reading(v, path, "true or false is expected, not " + std::string(kind_name(v.kind)),
                            "true, false", errors);
    if (v.text == "on" || v.text == "off") {
        out = v.text == "on";
        return true;
    }
    double x = 0;
    if (!read_number(v, "", scope, path, x, errors)) return false;
    out = x != 0;
    return true;
}

bool read_text(const Value& v, std::string_view path, std::string& out, std::vector<Error>& errors) {
    if (v.kind != Value::Kind::text)
        return fail_reading(v, path, "a text is expected, not " + std::string(kind_name(v.kind)), "\"text\"", errors);
    out = v.text;
    return true;
}

bool check_array(const Value& v, int count, std::string_view path, std::string_view of_what,
                 std::vector<Error>& errors) {
    if (v.kind == Value::Kind::array && (count < 0 || int(v.items.size()) == count)) return true;
    const std::string what =
        "an array of " + (count < 0 ? std::string() : std::to_string(count) + ' ') + std::string(of_what);
    const std::string given = v.kind == Value::Kind::array ? std::to_string(v.items.size()) + " items"
                                                           : std::string(kind_name(v.kind));
    return fail_reading(v, path, what + " is expected, not " + given, {}, errors);
}

bool read_signal3(const Value& v, std::string_view unit, const Scope& scope, std::string_view path,
                  Signal3& out, std::vector<Error>& errors) {
    if (!check_array(v, 3, path, "numbers", errors)) return false;
    Signal3 s;
    bool ok = true;
    Signal* parts[3] = {&s.x, &s.y, &s.z};
    for (int i = 0; i < 3; ++i)
        ok &= read_signal(v.items[std::size_t(i)], unit, scope, join_path(path, i), *parts[i], errors);
    if (ok) out = std::move(s);
    return ok;
}

bool read_real3(const Value& v, std::string_view unit, const Scope& scope, std::string_view path, Real3& out,
                std::vector<Error>& errors) {
    if (!check_array(v, 3, path, "numbers", errors)) return false;
    Real3 r;
    bool ok = true;
    for (int i = 0; i < 3; ++i)
        ok &= read_number(v.items[std::size_t(i)], unit, scope, join_path(path, i), r[i], errors);
    if (ok) out = r;
    return ok;
}

Value to_value(const Signal& s) {
    return is_constant(s) ? make_number(s.constant) : make_text(s.expression.text);
}
Value to_value(const Signal3& s) { return make_array({to_value(s.x), to_value(s.y), to_value(s.z)}); }
Value to_value(const Real3& r) { return make_array({make_number(r.x), make_number(r.y), make_number(r.z)}); }

} // namespace sinew
