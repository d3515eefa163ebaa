#include "solver/velocity_problem.h"
#include <algorithm>
#include <cmath>

namespace sinew {

void clear_rows(RowProblem& q) {
    q.groups.clear();
    q.body.clear();
    q.jacobian.clear();
    q.response.clear();
    for (auto* a : {&q.c, &q.drive, &q.bias, &q.softness, &q.impulse, &q.correction, &q.block}) a->clear();
}

RowGroup& add_group(RowProblem& q, int rows, std::span<const int> bodies) {
    RowGroup g;
    g.row = q.row_count();
    g.rows = rows;
    g.side = int(q.body.size());
    g.sides = int(bodies.size());
    g.lever = int(q.jacobian.size());
    g.block = int(q.block.size());
    q.body.insert(q.body.end(), bodies.begin(), bodies.end());
    const Lever none{Vec3::Zero(), Vec3::Zero()};
    q.jacobian.resize(q.jacobian.size() + std::size_t(rows) * bodies.size(), none);
    q.response.resize(q.jacobian.size(), none);
    for (auto* a : {&q.c, &q.drive, &q.bias, &q.softness, &q.impulse, &q.correction}) a->resize(a->size() + rows, 0.0);
    q.block.resize(q.block.size() + std::size_t(rows) * rows, 0.0);
    q.groups.push_back(g);
    return q.groups.back();
}

void build_response(RowProblem& q, const RowGroup& g) {
    const Lever* j = q.jacobian.data() + g.lever;
    Lever* d = q.response.data() + g.lever;
    for (int k = 0; k < g.rows; ++k)
        for (int s = 0; s < g.sides; ++s) {
            const int b = q.body[g.side + s], at = k * g.sides + s;
            d[at].linear = q.inverse_mass[b] * j[at].linear;
            d[at].angular = q.inverse_inertia[b] * j[at].angular;
        }
    Real* a = q.block.data() + g.block;
    for (int k = 0; k < g.rows; ++k)
        for (int l = 0; l < g.rows; ++l) {
            Real sum = 0;
            for (int s = 0; s < g.sides; ++s)
                sum += j[k * g.sides + s].linear.dot(d[l * g.sides + s].linear) +
                       j[k * g.sides + s].angular.dot(d[l * g.sides + s].angular);
            a[k * g.rows + l] = sum;
        }
}

bool holds_place(const RowProblem& q, const RowGroup& g) {
    if (g.rows < 3 || g.sides > 2) return false;
    for (int k = 0; k < 3; ++k) {
        const Lever* j = q.jacobian.data() + g.lever + k * g.sides;
        const Vec3& n = j[g.sides - 1].linear;
        if (n != Vec3::Unit(k) && n != -Vec3::Unit(k)) return false;
        if (g.sides > 1 && j[0].linear != -n) return false;
    }
    return true;
}

Vec3 place_bend(const RowProblem& q, const RowGroup& g) {
    const Lever* j = q.jacobian.data() + g.lever;
    Vec3 k = Vec3::Zero();
    for (int s = 0; s < g.sides; ++s) {
        const Vec3& w = q.w[q.body[g.side + s]];
        k += w.cross(w.cross(lever_arm(j[s].angular, j[g.sides + s].angular, j[2 * g.sides + s].angular)));
    }
    return k;
}

namespace {

void clamp_disc(Real radius, Real* p) {
    const Real length = std::hypot(p[0], p[1]);
    if (length <= radius) return;
    const Real f = length > 0 ? radius / length : 0;
    p[0] *= f, p[1] *= f;
}

// nearest point of the regular polygon with a corner on the first axis
void clamp_polygon(int facets, Real radius, Real* p) {
    if (!(radius > 0)) {
        p[0] = p[1] = 0;
        return;
    }
    const Real sector = 2 * kPi / facets;
    const Real angle = std::atan2(p[1], p[0]);
    const Real middle = (std::floor(angle / sector) + 0.5) * sector; // of the side seen from the centre
    const Vec2 n(std::cos(middle), std::sin(middle)), t(-n.y(), n.x()), x(p[0], p[1]);
    const Real inner = radius * std::cos(sector / 2), half = radius * std::sin(sector / 2);
    if (n.dot(x) <= inner) return;
    const Vec2 y = inner * n + std::clamp(t.dot(x), -half, half) * t;
    p[0] = y.x(), p[1] = y.y();
}

void clamp_spin(const RowGroup& g, Real* p) {
    if (g.rows < 6) return;
    p[3] = std::clamp(p[3], -g.torsion * p[0], g.torsion * p[0]);
    clamp_disc(g.rolling * p[0], p + 4);
}

// Euclidean projection on |t| <= mu n
void project_cone(Real mu, Real* p) {
    const Real t = std::hypot(p[1], p[2]), n = p[0];
    if (t <= mu * n) return;
    if (mu * t <= -n) {
        p[0] = p[1] = p[2] = 0;
        return;
    }
    const Real on = (n + mu * t) / (1 + mu * mu);
    p[0] = on, p[1] *= mu * on / t, p[2] *= mu * on / t;
}

} // namespace

void clamp_friction(const SetOptions& o, const RowGroup& g, Real* p) {
    const Real radius = g.friction * p[0];
    switch (o.friction) {
    case Friction::cone:
    case Friction::cylinder: clamp_disc(radius, p + 1); break;
    case Friction::box:
        for (int k = 1; k < 3; ++k) p[k] = std::clamp(p[k], -radius, radius);
        break;
    case Friction::polyhedral: clamp_polygon(o.facets, radius, p + 1); break;
    }
    clamp_spin(g, p);
}

Friction find_friction(std::string_view name) {
    return name == "cylinder" ? Friction::cylinder : name == "box" ? Friction::box : name == "polyhedral" ? Friction::polyhedral : Friction::cone;
}

void project_impulse(const SetOptions& o, const RowGroup& g, Real* p) {
    switch (g.set) {
    case RowSet::free: return;
    case RowSet::lower:
        for (int k = 0; k < g.rows; ++k) p[k] = std::max(0.0, p[k]);
        return;
    case RowSet::box:
        for (int k = 0; k < g.rows; ++k) p[k] = std::clamp(p[k], -g.limit, g.limit);
        return;
    case RowSet::contact: break;
    }
    if (o.friction == Friction::cone && g.rows >= 3) {
        project_cone(g.friction, p);
        clamp_spin(g, p);
        return;
    }
    p[0] = std::max(0.0, p[0]);
    if (g.rows >= 3) clamp_friction(o, g, p);
}

void set_correction(const SetOptions& o, std::span<const int> groups, RowProblem& q) {
    for (int i : groups) {
        const RowGroup& g = q.groups[i];
        if (g.set != RowSet::contact || g.rows < 3) continue;
        q.correction[g.row] = 0;
        if (o.friction == Friction::cone && o.de_saxce)
            q.correction[g.row] = g.friction * std::hypot(row_rate(q, g, 1), row_rate(q, g, 2));
    }
}

Real natural_residual(const SetOptions& o, std::span<const int> groups, const RowProblem& q) {
    Real worst = 0;
    std::array<Real, 6> p;
    for (int i : groups) {
        const RowGroup& g = q.groups[i];
        Real d = 0; // one scale per group: a cone is a cone in these units only
        for (int k = 0; k < g.rows; ++k) d = std::max(d, q.block[g.block + k * g.rows + k] + q.softness[g.row + k]);
        if (!(d > 0)) continue;
        for (int k = 0; k < g.rows; ++k) p[k] = q.impulse[g.row + k] - row_residual(q, g, k) / d;
        project_impulse(o, g, p.data());
        for (int k = 0; k < g.rows; ++k) worst = std::max(worst, std::abs(q.impulse[g.row + k] - p[k]) * d);
    }
    return worst;
}

} // namespace sinew
