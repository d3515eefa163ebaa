#include "solver/velocity_links.h"
#include "energy/spring.h"
#include "energy/spring_batch.h"
#include "model/contacts.h"
#include "model/element.h"
#include <algorithm>

namespace sinew {

void refresh_links(const Model& m, Links& out) {
    if (out.topology == m.topology_revision && out.values == m.values_revision && out.tables == m.elements.get()) return;
    out.topology = m.topology_revision, out.values = m.values_revision, out.tables = m.elements.get();
    out.links.clear();
    out.stiffness.assign(point_count(m), 0);
    out.damping.assign(point_count(m), 0);
    for (const Table& t : m.elements->energies) {
        if (!is_axial_spring(*t.row)) continue;
        for (int e = 0; e < t.count(); ++e) {
            const int a = t.stencil[2 * e], b = t.stencil[2 * e + 1];
            const Spring::Data& d = ElementsOf<Spring>::data_of(t, e); // both laws keep the same three numbers
            if (a < 0 || b < 0 || !(d.stiffness > 0 || d.damping > 0)) continue;
            out.links.push_back({a, b, d.stiffness, d.damping, d.rest_length, false});
            for (int i : {a, b}) out.stiffness[i] += d.stiffness, out.damping[i] += d.damping;
        }
    }
}

namespace {

Real direction_of(const State& s, const SpringLink& l, Vec3& n) {
    const Vec3 d = vec(s.point.x[l.b]) - vec(s.point.x[l.a]);
    const Real length = d.norm();
    n = length > 0 ? Vec3(d / length) : Vec3::UnitX();
    return length;
}

bool is_dead(const State& s, const SpringLink& l) {
    return !s.point.alive.empty() && !(s.point.alive[l.a] && s.point.alive[l.b]);
}

} // namespace

void add_soft_links(const State& s, const RowProblem& q, Real h, Links& list, std::span<Real> f) {
    const auto is_stiff = [&](int i) {
        const Real w = 2 * h * q.inverse_mass[i];
        return w * h * list.stiffness[i] > 1 || w * list.damping[i] > 0.5;
    };
    for (SpringLink& l : list.links) {
        l.stiff = is_stiff(l.a) || is_stiff(l.b);
        if (l.stiff || is_dead(s, l)) continue;
        Vec3 n;
        const Real length = direction_of(s, l, n);
        const Real pull = (length > 0 ? l.stiffness * (length - l.rest) : 0) + l.damping * n.dot(q.v[l.b] - q.v[l.a]);
        Eigen::Map<Vec3>(f.data() + 3 * l.a) += pull * n;
        Eigen::Map<Vec3>(f.data() + 3 * l.b) -= pull * n;
    }
}

void add_link_groups(const State& s, const Links& list, int first, RowProblem& q) {
    for (std::size_t i = 0; i < list.links.size(); ++i) {
        const SpringLink& l = list.links[i];
        if (!l.stiff || is_dead(s, l) || !(q.inverse_mass[l.a] + q.inverse_mass[l.b] > 0)) continue;
        Vec3 n;
        const Real length = direction_of(s, l, n), h = q.dt;
        const bool stretched = length > 1.0001 * l.rest && l.stiffness > 0;
        RowGroup& g = add_group(q, stretched ? 3 : 1, std::array<int, 2>{l.a, l.b});
        g.link = true;
        g.source = first + int(i);
        const ContactFrame frame = contact_frame(real3(n));
        const std::array<Vec3, 3> axis{n, vec(frame.t0), vec(frame.t1)};
        for (int k = 0; k < g.rows; ++k)
            q.jacobian[g.lever + 2 * k].linear = -axis[k], q.jacobian[g.lever + 2 * k + 1].linear = axis[k];
        const Real firm = h * l.stiffness + l.damping; // [N s/m]
        q.c[g.row] = length - l.rest;
        q.bias[g.row] = l.stiffness * (length - l.rest) / firm;
        q.softness[g.row] = 1 / (h * firm);
        for (int k = 1; k < g.rows; ++k) q.softness[g.row + k] = 1 / (h * h * l.stiffness * (1 - l.rest / length));
        build_response(q, g);
    }
}

} // namespace sinew
