#include "solver/integrate.h"
#include "model/visit.h"
#include "solver/measure.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::string_view kPreviousX = "newton.x_previous", kPreviousV = "newton.v_previous",
                           kPointAcceleration = "newton.acceleration", kPreviousS = "newton.s_previous",
                           kPreviousDs = "newton.ds_previous", kScalarAcceleration = "newton.scalar_acceleration",
                           kHistory =
                               "newton.history"; // length of the step that wrote the others, its end [s]

// length of the step before; 0 if there was none, if another solver made it, or if the memory is of another
// model. Steps are told apart by their end and not by their number: the parts of a shortened step count as one. The
// main loop sets times to multiples of dt, a rounding away from the sum.
Real previous_dt(const Model& m, const State& now, std::string_view companion) {
    const auto *history = find_memory(now, kHistory), *array = find_memory(now, companion);
    if (!history || history->size() != 2 || !array || array->size() != 3 * std::size_t(point_count(m)))
        return 0;
    const Real dt = (*history)[0], end = (*history)[1];
    return dt > 0 && std::abs(end - now.time) <= 1e-6 * dt ? dt : 0;
}

// particles without a step behind them
bool is_new(const Model& m, const State& now, int i, Real dt_previous) {
    return (m.point.flags[i] & kPooled) && !now.point.age.empty() && now.point.age[i] < dt_previous;
}

struct Bdf2 {
    Real a0 = 1, a1 = 1, a2 = 0; // implicit Euler
};
Bdf2 bdf2_coefficients(Real dt, Real dt_previous) {
    if (dt_previous <= 0) return {};
    const Real r = dt / dt_previous;
    return {(1 + 2 * r) / (1 + r), 1 + r, r * r / (1 + r)};
}

template <class F> void for_each_unknown(const StepProblem& p, F&& f) {
    parallel_for(p.parallel, point_count(p.model), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (is_unknown(p.model, p.now, i)) f(i);
    });
}

template <class F> void for_each_unknown_scalar(const StepProblem& p, F&& f) {
    parallel_for(p.parallel, scalar_count(p.model), kGrain, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (is_unknown_scalar(p.model, i)) f(i);
    });
}
// memory of the scalars that belongs to the points' memory; null if it is of another model
const std::vector<Real>* scalar_memory(const StepProblem& p, std::string_view name) {
    const std::vector<Real>* a = find_memory(p.now, name);
    return a && a->size() == std::size_t(scalar_count(p.model)) ? a : nullptr;
}

void build_bdf2(const StepProblem& p, Stage& s) {
    const Real h = p.dt, h_previous = previous_dt(p.model, p.now, kPreviousX);
    const auto [a0, a1, a2] = bdf2_coefficients(h, h_previous);
    s.scale = a0 * a0 / (h * h);
    s.rate = a0 / h;
    s.is_euler = h_previous <= 0;
    if (h_previous <= 0) {
        for_each_unknown(p, [&](int i) { s.travel[i] = real3(h * vec(p.now.point.v[i])); });
        for_each_unknown_scalar(p, [&](int i) { s.scalar_travel[i] = h * p.now.scalar.ds[i]; });
        return;
    }
    const std::vector<Real>&x_previous = *find_memory(p.now, kPreviousX),
          &v_previous = *find_memory(p.now, kPreviousV);
    const Real c0 = a0, c1 = a1, c2 = a2;
    for_each_unknown(p, [&](int i) {
        const Vec3 v = vec(p.now.point.v[i]);
        if (is_new(p.model, p.now, i, h_previous)) {
            s.travel[i] = real3(h * v);
            s.drift[i] = real3((1 - c0) * v);
            return;
        }
        const Vec3 moved = vec(p.now.point.x[i]) - vec_at(x_previous, i);
        s.travel[i] = real3(c2 / c0 * moved + h / (c0 * c0) * (c1 * v - c2 * vec_at(v_previous, i)));
        s.drift[i] = real3(-c2 / h * moved);
    });
    const std::vector<Real>*s_previous = scalar_memory(p, kPreviousS), *ds_previous = scalar_memory(p, kPreviousDs);
    for_each_unknown_scalar(p, [&](int i) {
        const Real rate = p.now.scalar.ds[i];
        const Real moved = s_previous ? p.now.scalar.s[i] - (*s_previous)[i] : h_previous * rate;
        s.scalar_travel[i] = c2 / c0 * moved + h / (c0 * c0) * (c1 * rate - c2 * (ds_previous ? (*ds_previous)[i] : rate));
        s.scalar_drift[i] = -c2 / h * moved;
    });
}

// a = f/m at the start for every point that has no acceleration yet
void find_acceleration(const StepProblem& p, Stage& s) {
    const int n = point_count(p.model);
    const Real h_previous = previous_dt(p.model, p.now, kPointAcceleration);
    bool missing = h_previous <= 0;
    for (int i = 0; i < n && !missing; ++i)
        missing = is_unknown(p.model, p.now, i) && is_new(p.model, p.now, i, h_previous);
    if (missing) {
        s.f.resize(dofs_of(p.model).size());
        const Evaluation ev = evaluation_of(p.model, p.now, p.dt);
        compute_forces(p.parallel, p.model, p.input, ev, surface_state(p.now), s.forces, s.f);
    }
    const std::vector<Real>* known = h_previous > 0 ? find_memory(p.now, kPointAcceleration) : nullptr;
    s.acceleration.assign(n, {});
    for_each_unknown(p, [&](int i) {
        if (known && !is_new(p.model, p.now, i, h_previous))
            s.acceleration[i] = real3(vec_at(*known, i));
        else if (p.model.point.mass[i] > 0)
            s.acceleration[i] = real3(vec_at(s.f, i) / p.model.point.mass[i]);
    });
    const std::vector<Real>* known_scalars = h_previous > 0 ? scalar_memory(p, kScalarAcceleration) : nullptr;
    const int offset = dofs_of(p.model).scalar_offset(0);
    s.scalar_acceleration.assign(scalar_count(p.model), 0);
    for_each_unknown_scalar(p, [&](int i) {
        if (known_scalars) s.scalar_acceleration[i] = (*known_scalars)[i];
        else if (missing && p.model.scalar.mass[i] > 0) s.scalar_acceleration[i] = s.f[offset + i] / p.model.scalar.mass[i];
    });
}

void build_newmark(const StepProblem& p, const SchemeSettings& c, Stage& s) {
    const Real h = p.dt;
    find_acceleration(p, s);
    s.scale = 1 / (c.beta * h * h);
    s.rate = c.gamma / (c.beta * h);
    for_each_unknown(p, [&](int i) {
        const Vec3 v = vec(p.now.point.v[i]), a = vec(s.acceleration[i]);
        const Vec3 travel = h * v + h * h * (0.5 - c.beta) * a;
        s.travel[i] = real3(travel);
        s.drift[i] = real3(v + h * (1 - c.gamma) * a - s.rate * travel);
    });
    for_each_unknown_scalar(p, [&](int i) {
        const Real v = p.now.scalar.ds[i], a = s.scalar_acceleration[i];
        s.scalar_travel[i] = h * v + h * h * (0.5 - c.beta) * a;
        s.scalar_drift[i] = v + h * (1 - c.gamma) * a - s.rate * s.scalar_travel[i];
    });
}

} // namespace

Scheme find_scheme(std::string_view name) {
    for (std::size_t i = 0; i < kSchemeNames.size(); ++i)
        if (kSchemeNames[i] == name) return Scheme(i);
    return Scheme::implicit_euler;
}

void register_memory(const SchemeSettings& c, const Model& m, State& state) {
    const std::size_t n = 3 * std::size_t(point_count(m));
    if (c.scheme == Scheme::bdf2) {
        memory_array(state, kPreviousX, n);
        memory_array(state, kPreviousV, n);
    }
    if (c.scheme == Scheme::newmark) memory_array(state, kPointAcceleration, n);
    if (const std::size_t scalars = std::size_t(scalar_count(m)); scalars > 0) {
        if (c.scheme == Scheme::bdf2) memory_array(state, kPreviousS, scalars), memory_array(state, kPreviousDs, scalars);
        if (c.scheme == Scheme::newmark) memory_array(state, kScalarAcceleration, scalars);
    }
    if (c.scheme == Scheme::bdf2 || c.scheme == Scheme::newmark) memory_array(state, kHistory, 2);
}

void build_stage(const StepProblem& p, const SchemeSettings& c, Stage& s) {
    const Real h = p.dt;
    s.elapsed = c.scheme == Scheme::implicit_midpoint ? 0.5 * h : h;
    s.is_euler = c.scheme == Scheme::implicit_euler;
    s.travel.assign(point_count(p.model), {});
    s.drift.assign(point_count(p.model), {});
    s.scalar_travel.assign(scalar_count(p.model), 0);
    s.scalar_drift.assign(scalar_count(p.model), 0);
    if (c.scheme == Scheme::bdf2) return build_bdf2(p, s);
    if (c.scheme == Scheme::newmark) return build_newmark(p, c, s);
    s.rate = c.scheme == Scheme::quasi_static ? 0 : 1 / s.elapsed;
    s.scale = s.rate * s.rate;
    if (c.scheme == Scheme::quasi_static) return;
    for_each_unknown(p, [&](int i) { s.travel[i] = real3(s.elapsed * vec(p.now.point.v[i])); });
    for_each_unknown_scalar(p, [&](int i) { s.scalar_travel[i] = s.elapsed * p.now.scalar.ds[i]; });
}

static void finish_scalars(const StepProblem& p, const SchemeSettings& c, const Stage& s, std::span<const Real> d, State& next) {
    const int n = scalar_count(p.model), offset = dofs_of(p.model).scalar_offset(0);
    if (n == 0) return;
    const bool midpoint = c.scheme == Scheme::implicit_midpoint;
    Real* acceleration = c.scheme == Scheme::newmark ? memory_array(next, kScalarAcceleration, n).data() : nullptr;
    for (int i = 0; i < n; ++i) {
        if (acceleration) acceleration[i] = 0;
        if (!is_unknown_scalar(p.model, i)) continue; // kinematics.h
        const Real move = d[offset + i], rate = s.scalar_drift[i] + s.rate * move;
        next.scalar.s[i] = p.now.scalar.s[i] + (midpoint ? 2 : 1) * move;
        next.scalar.ds[i] = midpoint ? 2 * rate - p.now.scalar.ds[i] : rate;
        if (acceleration) acceleration[i] = s.scale * (move - s.scalar_travel[i]);
    }
    if (c.scheme == Scheme::bdf2) {
        memory_array(next, kPreviousS, n) = p.now.scalar.s;
        memory_array(next, kPreviousDs, n) = p.now.scalar.ds;
    }
}

void finish_stage(const StepProblem& p, const SchemeSettings& c, const Stage& s, std::span<const Real> d,
                  State& next) {
    const std::size_t n = 3 * std::size_t(point_count(p.model));
    const bool midpoint = c.scheme == Scheme::implicit_midpoint;
    const Real h_previous = c.scheme == Scheme::bdf2 ? previous_dt(p.model, p.now, kPreviousX) : 0;
    Real* acceleration = c.scheme == Scheme::newmark ? memory_array(next, kPointAcceleration, n).data() : nullptr;
    if (acceleration) std::fill(acceleration, acceleration + n, 0.0);
    for_each_unknown(p, [&](int i) {
        const Vec3 x = vec(p.now.point.x[i]), v = vec(p.now.point.v[i]), move = vec_at(d, i);
        const Vec3 w = vec(s.drift[i]) + s.rate * move, a = s.scale * (move - vec(s.travel[i]));
        next.point.x[i] = real3(x + (midpoint ? 2 : 1) * move);
        next.point.v[i] = real3(midpoint ? Vec3(2 * w - v) : w);
        if (h_previous > 0 && is_new(p.model, p.now, i, h_previous)) next.point.v[i] = real3(v + p.dt * a);
        if (acceleration) Eigen::Map<Vec3>(acceleration + 3 * i) = a;
    });
    finish_scalars(p, c, s, d, next);
    if (c.scheme == Scheme::bdf2 && n > 0) {
        std::copy_n(&p.now.point.x.data()->x, n, memory_array(next, kPreviousX, n).data());
        std::copy_n(&p.now.point.v.data()->x, n, memory_array(next, kPreviousV, n).data());
    }
    if (c.scheme == Scheme::bdf2 || c.scheme == Scheme::newmark) {
        std::vector<Real>& history = memory_array(next, kHistory, 2);
        history[0] = p.dt;
        history[1] = p.now.time + p.dt;
    }
}

} // namespace sinew
