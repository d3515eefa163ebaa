#include "energy/contact_pair.h"
#include "geometry/distance_derivatives.h"
#include <cmath>

namespace sinew {

// 1/2 k min(0, d - t)^2 and its derivatives; false where the pair is apart
static bool compute_depth_energy(Real k, Real t, const Closest& near, const std::array<Vec3, 4>& x, int order, PairPenalty& out) {
    const Real depth = std::sqrt(near.squared) - t;
    out.value = 0;
    if (order >= 1) out.gradient.setZero();
    if (order >= 2) out.hessian.setZero();
    if (!(depth < 0)) return false;
    out.value = 0.5 * k * depth * depth;
    if (order == 0) return true;
    Gradient12 g = Gradient12::Zero();
    if (order == 1) {
        distance_gradient(near.feature, x, g);
    } else {
        Hessian12 h = Hessian12::Zero();
        distance_hessian(near.feature, x, g, h);
        out.hessian = k * (g * g.transpose() + depth * h);
    }
    out.gradient = k * depth * g;
    return true;
}

void compute_edge_edge_penalty(Real k, Real t, Real threshold, const std::array<Vec3, 4>& x, int order, PairPenalty& out) {
    const Closest near = closest_edge_edge(x[0], x[1], x[2], x[3]);
    if (!compute_depth_energy(k, t, near, x, order, out)) return;
    if (order == 0) {
        out.value *= edge_edge_mollifier(x, threshold);
        return;
    }
    Gradient12 gm = Gradient12::Zero();
    Hessian12 hm = Hessian12::Zero();
    const Real m = edge_edge_mollifier_hessian(x, threshold, gm, hm);
    if (order >= 2)
        out.hessian = m * out.hessian + gm * out.gradient.transpose() + out.gradient * gm.transpose() + out.value * hm;
    out.gradient = m * out.gradient + out.value * gm;
    out.value *= m;
}

void compute_vertex_edge_penalty(Real k, Real t, const std::array<Vec3, 3>& x, int order, PairPenalty& out) {
    compute_depth_energy(k, t, closest_vertex_edge(x[0], x[1], x[2]), {x[0], x[1], x[2], Vec3(Vec3::Zero())}, order, out);
}

Real edge_mollifier_threshold(Real rest_a, Real rest_b) { return mollifier_threshold(rest_a, rest_b); }

} // namespace sinew
