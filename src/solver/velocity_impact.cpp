#include "solver/velocity_impact.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// restitution; and deformables under the law of sticking, whose rebound is their elastic energy (spec P152)
bool takes_part(const ImpactOptions& o, const RowProblem& q, const RowGroup& g) {
    if (g.set != RowSet::contact) return false;
    return g.restitution > 0 || (o.law == ImpactLaw::sticking && touches_point(q, g));
}

bool meets(const ImpactOptions& o, const RowProblem& q, const RowGroup& g, Real speed) {
    return speed < 0 && g.gap + q.dt * speed <= o.slop;
}

// mean of the three directions over the points that approach; count 0 if none does
int find_mean(const ImpactOptions& o, const RowProblem& q, const Meeting& m, Vec3& u, Mat3& K, std::array<int, 64>& points) {
    int count = 0;
    for (int i = m.begin; i < m.end && count < 64; ++i)
        if (meets(o, q, q.groups[i], row_rate(q, q.groups[i], 0))) points[count++] = i;
    u.setZero();
    K.setZero();
    if (count == 0) return 0;
    const RowGroup& first = q.groups[points[0]];
    std::array<Lever, 12> mean; // three directions, up to four sides
    if (first.sides > 4) return 0;
    for (Lever& l : mean) l = {Vec3::Zero(), Vec3::Zero()};
    for (int n = 0; n < count; ++n) {
        const RowGroup& g = q.groups[points[n]];
        for (int k = 0; k < 3; ++k) {
            u[k] += row_rate(q, g, k) / count;
            for (int s = 0; s < g.sides; ++s) {
                mean[k * 4 + s].linear += q.jacobian[g.lever + k * g.sides + s].linear / count;
                mean[k * 4 + s].angular += q.jacobian[g.lever + k * g.sides + s].angular / count;
            }
        }
    }
    for (int s = 0; s < first.sides; ++s) {
        const int b = q.body[first.side + s];
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                K(k, l) += q.inverse_mass[b] * mean[k * 4 + s].linear.dot(mean[l * 4 + s].linear) +
                           mean[k * 4 + s].angular.dot(q.inverse_inertia[b] * mean[l * 4 + s].angular);
    }
    return count;
}

} // namespace

ImpactLaw find_impact_law(std::string_view name) {
    return name == "sticking"       ? ImpactLaw::sticking
           : name == "frictionless" ? ImpactLaw::frictionless
           : name == "stick_slide"  ? ImpactLaw::stick_slide
           : name == "poisson"      ? ImpactLaw::poisson
                                    : ImpactLaw::chatterjee_ruina;
}

bool touches_point(const RowProblem& q, const RowGroup& g) {
    for (int s = 0; s < g.sides; ++s) {
        const int b = q.body[g.side + s];
        if (q.inverse_mass[b] > 0 && q.inverse_inertia[b] == Mat3::Zero()) return true;
    }
    return false;
}

int resolve_impacts(const ImpactOptions& o, TouchList& list, std::vector<Meeting>& meetings, RowProblem& q) {
    meetings.clear();
    const int count = int(q.groups.size());
    for (int i = 0; i < count;) {
        int end = i + 1;
        const RowGroup& g = q.groups[i];
        if (takes_part(o, q, g)) {
            const Touch& t = list.touches[g.source];
            const auto same = [&](const RowGroup& other) {
                if (other.set != RowSet::contact) return false;
                const Touch& o = list.touches[other.source];
                return o.kind == t.kind && o.key == t.key && o.n.dot(t.n) > 0.999;
            };
            while (end < count && same(q.groups[end])) ++end;
            meetings.push_back({i, end});
        }
        i = end;
    }
    int impacts = 0;
    Vec3 u;
    Mat3 K;
    std::array<int, 64> points;
    const Vec3 n = Vec3::UnitX(); // the frame of the contact
    for (int sweep = 0; sweep < o.most_sweeps; ++sweep) {
        bool any = false;
        for (const Meeting& m : meetings) {
            const int taking = find_mean(o, q, m, u, K, points);
            if (taking == 0 || u[0] > -o.threshold) continue;
            const RowGroup& g = q.groups[points[0]];
            const Vec3 P = compute_impact(o.law, K, n, u, g.restitution, g.friction);
            if (P == Vec3::Zero()) continue;
            for (int k = 0; k < taking; ++k) {
                const RowGroup& group = q.groups[points[k]];
                for (int r = 0; r < 3; ++r) add_impulse(q, group, r, P[r] / taking);
                Touch& t = list.touches[group.source];
                const ContactFrame frame = contact_frame(real3(t.n));
                t.bounce += (P[0] * t.n + P[1] * vec(frame.t0) + P[2] * vec(frame.t1)) / taking;
            }
            any = true;
            ++impacts;
        }
        if (!any) break;
    }
    return impacts;
}

void add_restitution_bias(const ImpactOptions& o, RowProblem& q) {
    for (const RowGroup& g : q.groups) {
        if (g.set != RowSet::contact || !(g.restitution > 0)) continue;
        const Real speed = row_rate(q, g, 0);
        if (speed < -o.threshold && meets(o, q, g, speed)) q.bias[g.row] = g.restitution * speed;
    }
}

} // namespace sinew
