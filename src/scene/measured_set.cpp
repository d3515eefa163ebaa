#include "scene/measured_set.h"
#include "core/error.h"
#include "core/units.h"
#include "model/visit.h"
#include "scene/direct_set.h"
#include "scene/gauge.h"
#include "scene/live.h"
#include "scene/names.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr const char* kSetMemory = "script.sets";

Value* part_of(Value& v, const std::vector<int>& where) {
    Value* at = &v;
    for (int k : where) at = at->kind == Value::Kind::object ? &at->members[std::size_t(k)].value : &at->items[std::size_t(k)];
    return at;
}

// what the search goes through
struct SetSearch {
    const Model& model;
    const Scope& scope;
    const std::vector<std::string>& wrong;
    std::vector<MeasuredNumber>& found;
    std::vector<Error>& errors;
};

// true if the name is a measurement, good or bad
bool add_measurement(const SetSearch& c, std::string_view name, const Value& v, const std::string& path, Condition& out, bool& bad) {
    const std::size_t dot = name.find('.'), slash = name.rfind('/');
    if (slash != std::string_view::npos && (dot == std::string_view::npos || slash > dot)) return false;
    const MeasurementResult found = find_measurements(c.model, name);
    if (found.found.size() == 1) {
        bad = !check_gauge(found.found[0], v, path, c.errors) || bad;
        out.slots.push_back(found.found[0]);
        return true;
    }
    const std::string object(name.substr(0, dot));
    if (dot == std::string_view::npos || (!find(c.model, object) && found.found.empty() && !matches_broken(c.wrong, object))) return false;
    bad = true;
    if (!matches_broken(c.wrong, object))
        c.errors.push_back(make_error(v, path, fmt::format("\"{}\": {}", name, found.found.empty() ? found.problem : "means several"), found.allowed, found.nearest));
    return true;
}

void search_text(const SetSearch& c, const Value& v, const std::string& path, int set, const std::vector<int>& where) {
    if (parse_quantity(v.text, "*").status != QuantityResult::Status::not_quantity) return;
    MeasuredNumber number{set, where, {}};
    bool bad = false;
    Symbols symbols;
    symbols.outer = &c.scope.symbols;
    symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        for (const Symbols* s = &c.scope.symbols; s; s = s->outer)
            if (const auto it = s->names.find(name); it != s->names.end()) return it->second;
        if (!add_measurement(c, name, v, path, number.value, bad)) return std::nullopt;
        return Symbol{int(number.value.slots.size()) + 1, 0};
    };
    ExpressionResult compiled = compile_expression(v.text, symbols, c.scope.seed);
    if (number.value.slots.empty() || bad) return; // a word, or an expression as everywhere: read where it belongs
    for (const ExpressionError& e : compiled.errors) c.errors.push_back(make_error(v, path, e.message, e.allowed, e.nearest));
    if (number.value.slots.size() > kMostConditionSlots)
        c.errors.push_back(make_error(v, path, fmt::format("uses more than {} measurements", kMostConditionSlots)));
    if (!compiled.value) return;
    number.value.expression = std::move(*compiled.value);
    c.found.push_back(std::move(number));
}

void search_set(const SetSearch& c, const Value& v, const std::string& path, int set, std::vector<int>& where) {
    if (v.kind == Value::Kind::text) search_text(c, v, path, set, where);
    for (std::size_t k = 0; k < v.items.size() + v.members.size(); ++k) {
        const bool item = k < v.items.size();
        where.push_back(int(k));
        search_set(c, item ? v.items[k] : v.members[k].value, item ? join_path(path, int(k)) : join_path(path, v.members[k].key), set, where);
        where.pop_back();
    }
}

// what came out wrong of a set with these numbers: empty = nothing
std::string find_trouble(const Script& script, EventSet& set, const Model& m, bool finite) {
    if (!finite) return "the number is not finite, nothing is set";
    std::vector<Error> errors;
    const std::string key = set.parameter.empty() ? set.target : set.target + "." + set.parameter;
    if (is_direct_set(set, m)) check_direct_set(set, m, {}, Scope{}, key, errors);
    else if (is_touch_number(set.parameter) && !names_section(set.target)) check_touch_number(set, Scope{}, key, errors);
    else if (LiveScene trial = script.live; true) errors = change_live(trial, key, set.value, nullptr);
    return errors.empty() ? std::string() : errors[0].message + ", nothing is set";
}

std::size_t first_number(const Script& script, std::size_t event) {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < event; ++k) sum += script.events[k].measured.size();
    return sum;
}

} // namespace

std::vector<MeasuredNumber> find_measured(const Model& m, const Scope& scope, const std::vector<std::string>& wrong, const EventSet& set, int index,
                                          const std::string& path, std::vector<Error>& errors) {
    std::vector<MeasuredNumber> found;
    std::vector<int> where;
    search_set({m, scope, wrong, found, errors}, set.value, path, index, where);
    return found;
}

void put_number(EventSet& set, const MeasuredNumber& number, double value) {
    Value* to = part_of(set.value, number.where);
    const Place place = to->place;
    *to = make_number(value);
    to->place = place;
}

std::vector<EventSet> fill_sets(const Script& script, std::size_t event, const Model& m, State& s, bool again, std::vector<std::string>& happened) {
    const ScriptEvent& e = script.events[event];
    std::vector<EventSet> sets = e.event.sets;
    double* known = memory_array(s, kSetMemory, 2 * first_number(script, script.events.size())).data() + 2 * first_number(script, event);
    std::vector<double> numbers;
    std::vector<std::uint8_t> measured(sets.size(), 0), good(sets.size(), 1);
    const double frame = script.time.first_frame + s.time * script.time.fps;
    for (std::size_t i = 0; i < e.measured.size(); ++i) {
        const MeasuredNumber& q = e.measured[i];
        const std::size_t k = std::size_t(q.set);
        numbers.push_back(again ? known[2 * i] : measure_number(q.value, m, s, Report{}, frame));
        measured[k] = 1, good[k] = good[k] && std::isfinite(numbers[i]) && !(again && known[2 * i + 1] == 0);
        put_number(sets[k], q, numbers[i]);
    }
    for (std::size_t k = sets.size(); k-- > 0;) {
        const std::string trouble = measured[k] && !(again && good[k]) ? find_trouble(script, sets[k], m, good[k]) : std::string();
        good[k] = trouble.empty();
        if (good[k]) continue;
        happened.push_back(fmt::format("t = {:.4f} s: {}.set.{}.{}: {}", s.time, e.event.path, sets[k].target, sets[k].parameter, trouble));
        sets.erase(sets.begin() + std::ptrdiff_t(k));
    }
    // what is refused leaves what was set before in force, also after a restart
    for (std::size_t i = 0; i < e.measured.size() && !again; ++i)
        if (good[std::size_t(e.measured[i].set)]) known[2 * i] = numbers[i], known[2 * i + 1] = 1;
    return sets;
}

// per number what was set last, and 1 once something was
void register_sets(const Script& script, State& s) {
    if (const std::size_t numbers = first_number(script, script.events.size())) memory_array(s, kSetMemory, 2 * numbers);
}

} // namespace sinew
