#include "study/column.h"
#include "core/error.h"
#include "study/expression_errors.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

struct OwnWord {
    std::string_view word;
    ColumnReading::Kind kind;
};
constexpr OwnWord kOwn[] = {{"constraint_error.sum", ColumnReading::constraint_sum},
                            {"length.sum", ColumnReading::length_sum},
                            {"penetration.sum", ColumnReading::penetration_sum},
                            {"cpu", ColumnReading::cpu}};
constexpr std::string_view kTraceWords[] = {"iteration", "residual", "residual_sum", "residual_norm",
                                            "rate_sum",  "momentum", "objective"};

double trace_number(const TraceEntry& e, int index) {
    switch (index) {
    case 0: return e.iteration;
    case 1: return e.residual;
    case 2: return e.residual_sum;
    case 3: return e.residual_norm;
    case 4: return e.rate_sum;
    case 5: return e.momentum;
    default: return e.objective;
    }
}

// the one thing that a name measures; false: none
bool find_reading(const Model& m, std::string_view name, bool per_iteration, ColumnReading& out) {
    if (per_iteration) {
        const auto at = std::find(std::begin(kTraceWords), std::end(kTraceWords), name);
        out.kind = ColumnReading::trace;
        out.trace_index = int(at - std::begin(kTraceWords));
        return at != std::end(kTraceWords);
    }
    for (const OwnWord& w : kOwn)
        if (w.word == name) return out.kind = w.kind, true;
    constexpr std::string_view kRepose = ".repose";
    if (name.ends_with(kRepose)) {
        for (std::size_t i = 0; i < m.objects.size(); ++i)
            if (m.objects[i].name == name.substr(0, name.size() - kRepose.size()) && m.objects[i].points.count() > 0)
                return out.kind = ColumnReading::repose, out.object = int(i), true;
        return false;
    }
    MeasurementResult found = find_measurements(m, name);
    if (found.found.size() != 1) return false;
    out.kind = ColumnReading::measurement;
    out.measured = std::move(found.found[0]);
    return true;
}

std::vector<std::string> known_column_names(const Model& m, bool per_iteration) {
    if (per_iteration) return {std::begin(kTraceWords), std::end(kTraceWords)};
    std::vector<std::string> out;
    for (const OwnWord& w : kOwn) out.emplace_back(w.word);
    for (std::string& name : measurement_names(m)) out.push_back(std::move(name));
    for (const Object& o : m.objects) {
        for (const char* place : {".x", ".y", ".z"}) out.push_back(o.name + place);
        if (o.points.count() > 0) out.push_back(o.name + ".repose");
    }
    return out;
}

// of the tables of constraints: sum of |C|, as constraint_error takes the largest
Real constraint_sum(const Model& m, const State& s, Rows& scratch) {
    Real sum = 0;
    const Evaluation ev = evaluation_of(m, s, 0);
    for (const Table& t : m.elements->constraints) {
        if (!t.row->value) continue; // drives
        scratch.c.resize(std::max(scratch.c.size(), std::size_t(t.count()) * t.row->rows));
        t.row->constraint(t, ev, 0, t.count(), scratch.c.data(), nullptr);
        for (int e = 0; e < t.count(); ++e) {
            const bool one_sided = t.row->bound(t, e) == Bound::lower;
            for (int k = 0; k < t.row->rows; ++k) {
                const Real c = scratch.c[std::size_t(e) * t.row->rows + k];
                sum += one_sided ? std::max(0.0, -c) : std::abs(c);
            }
        }
    }
    return sum;
}

Real length_sum(const Model& m) {
    Real sum = 0;
    for (const Table& t : m.elements->constraints) {
        if (t.row->points != 2 || t.row->frames || t.row->scalars) continue;
        for (int e = 0; e < t.count(); ++e)
            sum += (vec(m.point.rest[t.stencil[2 * e + 1]]) - vec(m.point.rest[t.stencil[2 * e]])).norm();
    }
    return sum;
}

// [m] of the grains of an object: the largest
Real grain_radius(const Model& m, const Range& points) {
    Real r = 0;
    for (std::size_t i = 0; i < m.surface.vertices.size(); ++i) {
        const SurfaceVertex& v = m.surface.vertices[i];
        if (v.kind == SurfaceVertex::point && v.index >= points.begin && v.index < points.end) r = std::max(r, m.surface.thickness[i]);
    }
    return r;
}

} // namespace

double repose_angle(const Model& m, const State& s, int object) {
    const Range points = m.objects[object].points;
    const Real r = grain_radius(m, points);
    const Vec3 g = vec(m.gravity);
    const Vec3 up = g.norm() > 0 ? Vec3(-g.normalized()) : Vec3(0, 1, 0);
    if (!(r > 0) || points.count() == 0) return 0;
    Vec3 axis = Vec3::Zero();
    Real floor = 1e300;
    for (int i = points.begin; i < points.end; ++i) {
        axis += vec(s.point.x[i]) / Real(points.count());
        floor = std::min(floor, up.dot(vec(s.point.x[i])) - r);
    }
    // highest top per ring; rings beyond the pile are never asked for
    std::vector<Real> top;
    for (int i = points.begin; i < points.end; ++i) {
        const Vec3 d = vec(s.point.x[i]) - axis;
        const Real away = (d - up.dot(d) * up).norm() / (2 * r);
        if (!(away < 1e5)) continue;
        if (top.size() <= std::size_t(away)) top.resize(std::size_t(away) + 1, 0.0);
        top[std::size_t(away)] = std::max(top[std::size_t(away)], up.dot(vec(s.point.x[i])) + r - floor);
    }
    std::size_t rings = 0;
    while (rings < top.size() && top[rings] > 2.2 * r) ++rings; // more than one layer
    if (rings < 2) return 0;
    Real sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t k = 0; k < rings; ++k) {
        const Real x = (Real(k) + 0.5) * 2 * r;
        sx += x, sy += top[k], sxx += x * x, sxy += x * top[k];
    }
    const Real n = Real(rings);
    return std::max(0.0, std::atan(-(n * sxy - sx * sy) / (n * sxx - sx * sx)));
}

bool add_column(const Model& m, const Value& text, std::string_view path, bool per_iteration, ColumnSet& set, std::vector<Error>& errors) {
    if (text.kind != Value::Kind::text) {
        errors.push_back(make_error(text, path, "must be a text", "an expression of measurements"));
        return false;
    }
    Symbols symbols;
    symbols.resolve = [&](std::string_view name) -> std::optional<Symbol> {
        ColumnReading reading;
        if (!find_reading(m, name, per_iteration, reading)) return std::nullopt;
        set.slots.push_back(std::move(reading));
        return Symbol{int(set.slots.size()) - 1, 0};
    };
    ExpressionResult r = compile_expression(text.text, symbols);
    if (r.value) return set.expressions.push_back(std::move(*r.value)), true;
    add_expression_errors(text, path, r, known_column_names(m, per_iteration), errors);
    return false;
}

void read_columns(const ColumnSet& set, const Simulation& s, double cpu, const TraceEntry* trace, ColumnScratch& scratch,
                  std::vector<double>& out) {
    const Model& m = s.compiled.model;
    scratch.slots.clear();
    for (const ColumnReading& r : set.slots) {
        double x = 0;
        switch (r.kind) {
        case ColumnReading::measurement: x = evaluate(r.measured, m, s.now, s.report); break;
        case ColumnReading::constraint_sum: x = constraint_sum(m, s.now, scratch.rows); break;
        case ColumnReading::length_sum: x = length_sum(m); break;
        case ColumnReading::penetration_sum: x = total_penetration(*s.parallel, m, s.now, scratch.penetration); break;
        case ColumnReading::cpu: x = cpu; break;
        case ColumnReading::repose: x = repose_angle(m, s.now, r.object); break;
        case ColumnReading::trace: x = trace ? trace_number(*trace, r.trace_index) : 0; break;
        }
        scratch.slots.push_back(x);
    }
    out.clear();
    for (const Expression& e : set.expressions) out.push_back(evaluate(e, scratch.slots));
}

} // namespace sinew
