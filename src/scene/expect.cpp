#include "scene/expect.h"
#include "core/error.h"
#include "core/fields.h"
#include "core/nearest.h"
#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

const std::vector<std::string> kWhenKeys = {"at", "frame", "every", "after", "before"};
constexpr double kTimeTolerance = 1e-9; // [s] times that are written as decimals are not exact

bool read_when(const Value& v, const Scope& scope, const SceneTime& time, std::string_view path,
               Expectation& out, std::vector<Error>& errors) {
    const Value *at = find(v, "at"), *frame = find(v, "frame"), *every = find(v, "every"),
                *after = find(v, "after"), *before = find(v, "before");
    bool ok = true;
    out.before = INFINITY;
    const bool bounded = every || after || before;
    if (int(at != nullptr) + int(frame != nullptr) + int(bounded) > 1) {
        errors.push_back(make_error(v, path, "it is not clear when to look",
                                    "one of at, frame, every (with after and before)"));
        return false;
    }
    if (at && at->kind == Value::Kind::text && (at->text == "end" || at->text == "start")) {
        out.when = at->text == "end" ? Expectation::When::end : Expectation::When::at;
        return true;
    }
    if (at) {
        out.when = Expectation::When::at;
        ok &= read_number(*at, "s", scope, join_path(path, "at"), out.at, errors);
    }
    if (frame) {
        double f = 0;
        out.when = Expectation::When::at;
        ok &= read_number(*frame, "", scope, join_path(path, "frame"), f, errors);
        out.at = (f - time.first_frame) / time.fps;
    }
    if (at || frame) out.moment = at ? *at : *frame, out.moment_path = join_path(path, at ? "at" : "frame");
    if (ok && (at || frame) && std::isfinite(time.seconds) && (out.at < 0 || out.at > time.seconds + kTimeTolerance)) {
        errors.push_back(make_error(
            out.moment, out.moment_path, "this moment is outside the run",
            "0 to " + write_number(time.seconds) + " s, frames " + std::to_string(time.first_frame) + " to " +
                std::to_string(time.last_frame)));
        ok = false;
    }
    if (bounded) {
        std::string word = "frame";
        FieldRef field{"every", FieldType::text, &word, Field{.allowed = {"frame", "step"}}, false};
        if (every) ok &= read_field(field, *every, scope, join_path(path, "every"), errors);
        out.when = word == "step" ? Expectation::When::steps : Expectation::When::frames;
        if (after) ok &= read_number(*after, "s", scope, join_path(path, "after"), out.after, errors);
        if (before) ok &= read_number(*before, "s", scope, join_path(path, "before"), out.before, errors);
    }
    return ok;
}

bool read_what(const Value& v, const Scope& scope, std::string_view path, Expectation& out,
               std::vector<Error>& errors) {
    if (v.kind == Value::Kind::boolean) {
        out.has_equals = true;
        out.equals = make_signal(v.boolean);
        return true;
    }
    if (v.kind == Value::Kind::number || v.kind == Value::Kind::text) {
        out.has_equals = true;
        return read_signal(v, "*", scope, path, out.equals, errors);
    }
    Value equals;
    FieldList list = collect_fields([&](const FieldCollector& f) {
        f("about", out.about, Field{.unit = "*"});
        f("within", out.within, Field{.min = 0, .unit = "*"});
        f("min", out.min, Field{.unit = "*"});
        f("max", out.max, Field{.unit = "*"});
        f("equals", equals, Field{});
    });
    if (!read_fields(list, v, scope, path, errors)) return false;
    const auto given = [&](std::string_view name) { return find_field(list, name)->given; };
    out.has_about = given("about");
    out.has_min = given("min");
    out.has_max = given("max");
    out.has_equals = given("equals");
    if (out.has_about != given("within")) {
        errors.push_back(make_error(v, path, "about and within belong together",
                                    R"({ "about": 0.29, "within": "1 cm" })"));
        return false;
    }
    if (!out.has_about && !out.has_min && !out.has_max && !out.has_equals) {
        errors.push_back(
            make_error(v, path, "nothing is expected here", "about and within, min, max, equals"));
        return false;
    }
    if (out.has_min && out.has_max && is_constant(out.min) && is_constant(out.max) && out.min.constant > out.max.constant) {
        errors.push_back(make_error(v, path, "nothing can be met: min is greater than max", "min <= max"));
        return false;
    }
    if (out.has_about) {
        const Value& within = *find(v, "within");
        out.relative = within.kind == Value::Kind::text && within.text.ends_with('%');
    }
    if (!out.has_equals) return true;
    if (equals.kind == Value::Kind::boolean) {
        out.equals = make_signal(equals.boolean);
        return true;
    }
    return read_signal(equals, "*", scope, join_path(path, "equals"), out.equals, errors);
}

} // namespace

bool parse_expect(const Value& v, const Scope& scope, const SceneTime& time, std::string_view path,
                  std::vector<Expectation>& out, std::vector<Error>& errors) {
    if (v.kind != Value::Kind::object) {
        errors.push_back(
            make_error(v, path, "an object is expected, not " + std::string(kind_name(v.kind)),
                       R"({ "at": "1 s", "sheet.center.y": { "about": 0.29, "within": "1 cm" } })"));
        return false;
    }
    Expectation base;
    if (!read_when(v, scope, time, path, base, errors)) return false;
    bool ok = true, any = false;
    for (const Member& m : v.members) {
        if (std::find(kWhenKeys.begin(), kWhenKeys.end(), m.key) != kWhenKeys.end()) continue;
        any = true;
        Expectation e = base;
        e.measure = m.key;
        e.place = m.place;
        e.path = join_path(path, m.key);
        if (read_what(m.value, scope, e.path, e, errors))
            out.push_back(std::move(e));
        else
            ok = false;
    }
    if (!any) {
        errors.push_back(make_error(v, path, "nothing is measured here",
                                    R"("sheet.center.y": { "about": 0.29, "within": "1 cm" })"));
        return false;
    }
    return ok;
}

std::string check_expectation(const Expectation& e, double measured, double t, double frame) {
    const double slots[] = {t, frame};
    const std::string found = "= " + write_number(measured) + ", expected ";
    const auto number = [](double x) { return write_number(x); };
    if (!std::isfinite(measured)) return "is not a finite number";
    if (e.has_about) {
        const double about = evaluate(e.about, slots),
                     within = evaluate(e.within, slots) * (e.relative ? std::abs(about) : 1);
        if (!(std::abs(measured - about) <= within))
            return found + number(about) + " within " + number(within) + ", off by " +
                   number(std::abs(measured - about));
    }
    if (e.has_min && !(measured >= evaluate(e.min, slots)))
        return found + "at least " + number(evaluate(e.min, slots));
    if (e.has_max && !(measured <= evaluate(e.max, slots)))
        return found + "at most " + number(evaluate(e.max, slots));
    if (e.has_equals && !(measured == evaluate(e.equals, slots)))
        return found + number(evaluate(e.equals, slots));
    return {};
}

} // namespace sinew
