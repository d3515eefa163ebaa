#include "scene/gauge.h"
#include "core/error.h"
#include "model/field.h"
#include "model/visit.h"
#include "scene/names.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr const char* kGaugeWords = "measurements of objects and joints: x, y, z, center, min, max, velocity, momentum, angular_momentum, spin, body_spin, rotation "
                                    "(each with .x .y .z), speed, kinetic, mass, alive, stretch, writhe, point[i].x; force, torque, angle, slide, swing, length, "
                                    "second_angle, second_slide, joint_error, joint_angle_error";

bool is_report_name(std::string_view name) {
    bool found = name == "energy" || name == "intersections";
    visit_numbers(Report{}, [&](const char* known, const char*, double) { found = found || name == known; });
    return found;
}

// "ball" of "ball.y", "hero/hips" of "hero/hips.y"; empty if the name is no measurement of an object
std::string_view object_of_name(std::string_view name) {
    const std::size_t dot = name.find('.'), slash = name.rfind('/');
    if (dot == std::string_view::npos || (slash != std::string_view::npos && slash > dot)) return {};
    return name.substr(0, dot);
}

// the name as an object of the instance, of the one that this is in, ..., or of the scene
template <class Known> std::string find_within(std::string_view within, std::string_view name, Known&& known) {
    for (std::string_view prefix = within; !prefix.empty();) {
        std::string full = std::string(prefix) + std::string(name);
        if (known(full)) return full;
        const std::size_t slash = prefix.size() > 1 ? prefix.rfind('/', prefix.size() - 2) : std::string_view::npos;
        prefix = slash == std::string_view::npos ? std::string_view{} : prefix.substr(0, slash + 1);
    }
    return std::string(name);
}

void list_measured(GaugeRequests& r) {
    if (!r.scene || !r.names.empty()) return;
    const auto add = [&](const std::string& name) {
        for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) r.names.insert(name.substr(0, slash));
        r.names.insert(name);
    };
    for (const SceneObject& o : r.scene->objects) add(o.name);
    for (const SceneEntry& e : r.scene->joints) add(e.name);
}

bool is_asked(GaugeRequests& r, std::string_view within, std::string_view name) {
    if (is_report_name(name)) return true; // an error later, which says why
    if (name.find('.') == std::string_view::npos) return false;
    list_measured(r);
    std::string_view rest = name;
    if (rest.starts_with("objects.") && !r.names.contains("objects")) rest.remove_prefix(8);
    const std::string_view object = object_of_name(rest);
    if (object.empty()) return false;
    // a misspelt one is an error later, with its nearest; with a slash it may be a division
    if (object.find('/') == std::string_view::npos || !r.scene || matches_broken(r.scene->broken, object)) return true;
    const auto known = [&](const std::string& full) { return r.names.contains(full); };
    return known(find_within(within, object, known));
}

} // namespace

FindGauge find_gauge_for(GaugeRequests& r, std::string_view owner) {
    const std::size_t slash = owner.rfind('/');
    const std::string within(slash == std::string_view::npos ? std::string_view{} : owner.substr(0, slash + 1));
    return [&r, within](std::string_view name, const Value& at, std::string_view path) -> std::optional<int> {
        if (!is_asked(r, within, name)) return std::nullopt;
        for (std::size_t k = 0; k < r.asked.size(); ++k)
            if (r.asked[k].name == name && r.asked[k].within == within) return int(k);
        r.asked.push_back({std::string(name), within, at, std::string(path)});
        return int(r.asked.size()) - 1;
    };
}

bool check_gauge(const Measurement& q, const Value& at, std::string_view path, std::vector<Error>& errors) {
    if (q.quantity != Quantity::number && q.quantity != Quantity::intersections) return true;
    errors.push_back(make_error(at, path, fmt::format("\"{}\" is known after a step only, in expect and in conditions of events", q.name), kGaugeWords));
    return false;
}

std::vector<Gauge> resolve_gauges(const GaugeRequests& requests, const Model& m, const std::vector<std::string>& wrong, std::vector<Error>& errors) {
    std::vector<Gauge> out;
    const auto known = [&](const std::string& full) { return requests.names.contains(full.substr(0, full.find('.'))); };
    for (const GaugeRequest& r : requests.asked) {
        const std::string name = find_within(r.within, r.name, known);
        const MeasurementResult found = find_measurements(m, name);
        Gauge gauge;
        if (found.found.size() == 1) {
            gauge.measurement = found.found[0];
            check_gauge(gauge.measurement, r.at, r.path, errors);
            if (gauge.measurement.object >= 0) gauge.generation = m.objects[gauge.measurement.object].generation;
        } else if (found.found.size() > 1) {
            errors.push_back(make_error(r.at, r.path, fmt::format("\"{}\" means several: {}, {}{}", r.name, found.found[0].name, found.found[1].name,
                                                                  found.found.size() > 2 ? ", ..." : ""), "the measurement of one object"));
        } else if (!matches_broken(wrong, name.substr(0, name.find('.')))) {
            errors.push_back(make_error(r.at, r.path, fmt::format("\"{}\": {}", r.name, found.problem), kGaugeWords, found.nearest));
        }
        out.push_back(std::move(gauge));
    }
    return out;
}

void read_gauges(const std::vector<Gauge>& gauges, const Model& m, const State& s, std::vector<double>& out) {
    out.resize(gauges.size());
    if (gauges.empty()) return;
    static const Report none; // no gauge asks for its numbers
    const std::vector<double>* before = find_memory(s, kGaugeMemory);
    for (std::size_t k = 0; k < gauges.size(); ++k) {
        const Measurement& q = gauges[k].measurement;
        const bool there = q.object >= 0 && q.object < int(m.objects.size()) && m.objects[q.object].alive &&
                           m.objects[q.object].generation == gauges[k].generation;
        const double value = there ? evaluate(q, m, s, none) : NAN;
        out[k] = std::isfinite(value) ? value : before && k < before->size() ? (*before)[k] : 0;
    }
}

} // namespace sinew
