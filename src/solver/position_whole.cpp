#include "solver/position_whole.h"
#include "energy/pressure_volume.h"
#include "energy/shape_match.h"
#include <algorithm>
#include <cmath>

namespace sinew {

bool is_whole_table(const Table& t) { return t.row->name == PressureVolume::name || t.row->name == ShapeMatch::name; }

void clear_whole_rows(WholeRows& w) {
    w.volumes.clear();
    w.shapes.clear();
}

static void add_volume(const Table& t, int begin, int end, WholeRows& out) {
    VolumeRow v;
    v.table = &t, v.begin = begin, v.end = end;
    v.points.assign(t.stencil.begin() + 3 * begin, t.stencil.begin() + 3 * end);
    std::sort(v.points.begin(), v.points.end());
    v.points.erase(std::unique(v.points.begin(), v.points.end()), v.points.end());
    for (int i = 3 * begin; i < 3 * end; ++i)
        v.corner.push_back(int(std::lower_bound(v.points.begin(), v.points.end(), t.stencil[i]) - v.points.begin()));
    v.gradient.assign(v.points.size(), Vec3::Zero());
    out.volumes.push_back(std::move(v));
}

void add_whole_rows(const Table& t, WholeRows& out) {
    if (t.row->name == PressureVolume::name) {
        for (int begin = 0, end = 0; begin < t.count(); begin = end) {
            while (end < t.count() && t.object[end] == t.object[begin]) ++end;
            add_volume(t, begin, end, out);
        }
        return;
    }
    for (int begin = 0, end = 0; begin < t.count(); begin = end) {
        end = ShapeMatch::range(t, begin).second;
        ShapeRow s;
        s.table = &t, s.begin = begin, s.end = end;
        s.lambda.assign(end - begin, Vec3::Zero());
        s.force = s.lambda;
        out.shapes.push_back(std::move(s));
    }
}

void colour_whole_rows(int points, std::span<const unsigned char> held, WholeRows& w) {
    std::vector<int> begin{0}, unknowns;
    for (const ShapeRow& s : w.shapes) {
        unknowns.insert(unknowns.end(), s.table->stencil.begin() + s.begin, s.table->stencil.begin() + s.end);
        begin.push_back(int(unknowns.size()));
    }
    colour_elements(begin, unknowns, points, held, w.colours);
}

void clear_multipliers(WholeRows& w) {
    for (VolumeRow& v : w.volumes) v.lambda = 0;
    for (ShapeRow& s : w.shapes) std::fill(s.lambda.begin(), s.lambda.end(), Vec3::Zero());
}

namespace {

// V, and its gradient into the row
Real measure_volume(const Real3* x, VolumeRow& v) {
    std::fill(v.gradient.begin(), v.gradient.end(), Vec3::Zero());
    const Vec3 origin = vec(x[v.points.front()]);
    Real volume = 0;
    for (std::size_t i = 0; i < v.corner.size(); i += 3) {
        const Vec3 a = vec(x[v.points[v.corner[i]]]), b = vec(x[v.points[v.corner[i + 1]]]), c = vec(x[v.points[v.corner[i + 2]]]);
        const Vec3 third = (b - a).cross(c - a) / 6;
        volume += (a - origin).dot(third);
        for (int k = 0; k < 3; ++k) v.gradient[v.corner[i + k]] += third;
    }
    return volume;
}

struct VolumeState {
    Real c = 0;     // [m^3] E'/E''
    Real alpha = 0; // 1/E''
};
VolumeState volume_state(const Real3* x, VolumeRow& v) {
    const auto& d = *reinterpret_cast<const PressureVolume::Data*>(v.table->data.data() + std::size_t(v.begin) * sizeof(PressureVolume::Data));
    Real volume = measure_volume(x, v);
    if (d.law == 1) volume = std::max(volume, 1e-3 * d.volume); // a gas crushed to nothing pushes as at a thousandth
    const PressureVolume::Law law = PressureVolume::law(d, volume);
    if (!(law.second > 0)) return {law.first, 0};
    return {law.first / law.second, 1 / law.second};
}

// multiplier and unknowns by a change of it, along the gradient that is there
void push_volume(const Sweep& w, Real change, VolumeRow& v) {
    v.lambda += change;
    for (std::size_t i = 0; i < v.points.size(); ++i) {
        const int p = v.points[i];
        if (!(w.to.point_inverse[p] > 0)) continue;
        const Vec3 d = w.to.point_inverse[p] * change * v.gradient[i];
        vec(w.to.x[p]) += w.reach * d;
        vec(w.to.v[p]) += w.kick * d;
    }
}

// of a point, less what it is compared with
Vec3 velocity_of(const Sweep& w, const Real3* less, int point) {
    return less ? Vec3(vec(w.to.v[point]) - vec(less[point])) : Vec3(vec(w.to.v[point]));
}

// less: of the second half of a step, where C counts no more
void project_volume(const Sweep& w, const Real3* less, VolumeRow& v) {
    VolumeState s = volume_state(w.to.x, v);
    Real response = 0, rate = 0;
    for (std::size_t i = 0; i < v.points.size(); ++i) {
        response += w.to.point_inverse[v.points[i]] * v.gradient[i].squaredNorm();
        rate += v.gradient[i].dot(velocity_of(w, less, v.points[i]));
    }
    if (less) s.c = 0;
    Real change = 0;
    if (s.alpha == 0) { // constant pressure
        change = -s.c - v.lambda;
    } else if (w.softness == Softness::factor) {
        if (response > 0) change = -w.relaxation * w.stiffness * s.c / (w.reach * response);
    } else {
        const Real rho = w.damping_time, feedback = w.softness == Softness::feedback ? s.alpha * v.lambda : 0;
        change = -w.relaxation * (s.c + rho * rate + feedback) / ((w.reach + rho * w.kick) * response + s.alpha);
    }
    push_volume(w, change, v);
}

// a region at the unknowns: its fit, and what all of its rows need
struct Region {
    ShapeMatch::Fit fit;
    Vec3 velocity = Vec3::Zero(); // of the centre
    Vec3 turning = Vec3::Zero();  // of R, in its axes
};
Vec3 rest_arm(const ShapeMatch::Data& d) { return {d.q[0], d.q[1], d.q[2]}; }

Region region_at(const Sweep& w, const Real3* less, const ShapeRow& s, bool rates) {
    Region r;
    r.fit = ShapeMatch::fit(*s.table, w.to.x, s.begin, s.end);
    if (!rates || !(r.fit.mass > 0)) return r;
    Vec3 spin = Vec3::Zero();
    for (int e = s.begin; e < s.end; ++e) {
        const ShapeMatch::Data& d = ShapeMatch::data(*s.table, e);
        const Vec3 v = velocity_of(w, less, s.table->stencil[e]);
        r.velocity += d.mass / r.fit.mass * v;
        spin += d.mass * rest_arm(d).cross(r.fit.R.transpose() * v);
    }
    r.turning = r.fit.K_inverse * spin;
    return r;
}

// Takes net force and torque out of `force`, along the gradients of c and R; then by the points' inertia where R has none.
void balance(const Sweep& w, const Region& region, ShapeRow& s) {
    const ShapeMatch::Fit& f = region.fit;
    const auto arm = [&](int e) { return Vec3(vec(w.to.x[s.table->stencil[e]]) - f.c); };
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (int e = s.begin; e < s.end; ++e) sum += s.force[e - s.begin];
    for (int e = s.begin; e < s.end; ++e) {
        s.force[e - s.begin] -= ShapeMatch::data(*s.table, e).mass / f.mass * sum;
        torque += arm(e).cross(s.force[e - s.begin]);
    }
    if (f.K_inverse.trace() > 0) {
        const Vec3 u = f.K_inverse * (f.R.transpose() * torque);
        for (int e = s.begin; e < s.end; ++e) {
            const ShapeMatch::Data& d = ShapeMatch::data(*s.table, e);
            s.force[e - s.begin] -= d.mass * (f.R * u.cross(rest_arm(d)));
        }
        return;
    }
    Mat3 inertia = Mat3::Zero();
    for (int e = s.begin; e < s.end; ++e) {
        const Vec3 r = arm(e);
        inertia += ShapeMatch::data(*s.table, e).mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const Real size = inertia.trace();
    if (!(inertia.determinant() > 1e-12 * size * size * size)) return; // on a line: there is nothing to turn about
    const Vec3 u = inertia.inverse() * torque;
    for (int e = s.begin; e < s.end; ++e) s.force[e - s.begin] -= ShapeMatch::data(*s.table, e).mass * u.cross(arm(e));
}

// unknowns by the forces that are there, without their net force and torque
void push_shape(const Sweep& w, const Region& region, ShapeRow& s) {
    balance(w, region, s);
    for (int e = s.begin; e < s.end; ++e) {
        const int p = s.table->stencil[e];
        const Real inverse = w.to.point_inverse[p];
        if (!(inverse > 0)) continue;
        vec(w.to.x[p]) += w.reach * inverse * s.force[e - s.begin];
        vec(w.to.v[p]) += w.kick * inverse * s.force[e - s.begin];
    }
}

void project_shape(const Sweep& w, const Real3* less, ShapeRow& s) {
    const Real rho = w.softness == Softness::factor ? 0 : w.damping_time;
    const Region region = region_at(w, less, s, rho > 0);
    const ShapeMatch::Fit& f = region.fit;
    if (!(f.mass > 0)) return;
    for (int e = s.begin; e < s.end; ++e) {
        const ShapeMatch::Data& d = ShapeMatch::data(*s.table, e);
        const int p = s.table->stencil[e];
        const Real root = std::sqrt(d.stiffness * d.mass), response = d.stiffness * d.mass * w.to.point_inverse[p];
        const Vec3 arm = f.R.transpose() * (vec(w.to.x[p]) - f.c);
        Vec3 error = less ? Vec3(Vec3::Zero()) : Vec3(root * (arm - rest_arm(d)));
        if (rho > 0) error += rho * root * (f.R.transpose() * (velocity_of(w, less, p) - region.velocity) - region.turning.cross(arm));
        Vec3& lambda = s.lambda[e - s.begin];
        Vec3 change = Vec3::Zero();
        if (w.softness == Softness::factor) {
            if (response > 0) change = -w.relaxation * w.stiffness / (w.reach * response) * error;
        } else {
            if (w.softness == Softness::feedback) error += lambda;
            change = -w.relaxation / ((w.reach + rho * w.kick) * response + 1) * error;
        }
        lambda += change;
        s.force[e - s.begin] = root * (f.R * change);
    }
    push_shape(w, region, s);
}

void project_all(const Parallel& parallel, const Sweep& w, const Real3* less, WholeRows& rows) {
    const Colours& c = rows.colours;
    for (int k = 0; k < c.count(); ++k) {
        const std::span<const int> all = std::span(c.order).subspan(c.begin[k], c.begin[k + 1] - c.begin[k]);
        if (c.last_is_serial && k + 1 == c.count()) {
            for (int i : all) project_shape(w, less, rows.shapes[i]);
            continue;
        }
        parallel_for(parallel, int(all.size()), 1, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) project_shape(w, less, rows.shapes[all[i]]);
        });
    }
    for (VolumeRow& v : rows.volumes) project_volume(w, less, v);
}

} // namespace

void project_whole_rows(const Parallel& parallel, const Sweep& w, WholeRows& rows) { project_all(parallel, w, nullptr, rows); }

void push_whole_rows(const Sweep& loop, WholeRows& rows) {
    Sweep w = loop;
    w.reach = 0;
    for (ShapeRow& s : rows.shapes) {
        const Region region = region_at(w, nullptr, s, false);
        if (!(region.fit.mass > 0)) continue;
        for (int e = s.begin; e < s.end; ++e) {
            const ShapeMatch::Data& d = ShapeMatch::data(*s.table, e);
            s.force[e - s.begin] = std::sqrt(d.stiffness * d.mass) * (region.fit.R * s.lambda[e - s.begin]);
        }
        push_shape(w, region, s);
    }
    for (VolumeRow& v : rows.volumes) {
        measure_volume(w.to.x, v);
        push_volume(w, v.lambda, v);
    }
    clear_multipliers(rows);
}

void project_whole_velocities(const Parallel& parallel, const Sweep& loop, std::span<const Real3> v_half, WholeRows& rows) {
    Sweep w = loop;
    w.reach = 0;
    w.relaxation = 1;
    w.softness = Softness::feedback;
    w.damping_time = std::max(loop.h, loop.damping_time);
    project_all(parallel, w, v_half.data(), rows);
}

Real whole_violation(const Sweep& w, WholeRows& rows) {
    Real worst = 0;
    const bool feedback = w.softness == Softness::feedback;
    const Real rho = w.softness == Softness::factor ? 0 : w.damping_time;
    for (VolumeRow& v : rows.volumes) {
        const VolumeState s = volume_state(w.to.x, v);
        Real rate = 0;
        for (std::size_t i = 0; i < v.points.size() && rho > 0; ++i) rate += v.gradient[i].dot(vec(w.to.v[v.points[i]]));
        if (s.alpha > 0) worst = std::max(worst, std::abs(s.c + rho * rate + (feedback ? s.alpha * v.lambda : 0)));
    }
    for (const ShapeRow& s : rows.shapes) {
        const Region region = region_at(w, nullptr, s, rho > 0);
        const Mat3 to_axes = region.fit.R.transpose();
        for (int e = s.begin; e < s.end; ++e) {
            const ShapeMatch::Data& d = ShapeMatch::data(*s.table, e);
            const int p = s.table->stencil[e];
            const Vec3 arm = to_axes * (vec(w.to.x[p]) - region.fit.c);
            Vec3 way = arm - rest_arm(d);
            if (rho > 0) way += rho * (to_axes * (vec(w.to.v[p]) - region.velocity) - region.turning.cross(arm));
            Vec3 error = std::sqrt(d.stiffness * d.mass) * way;
            if (feedback) error += s.lambda[e - s.begin];
            worst = std::max(worst, error.norm());
        }
    }
    return worst;
}

} // namespace sinew
