// Coulomb friction of a contact as a dissipative potential of one implicit step (Li et al. 2020, "Incremental potential contact",
// section 5; spec T53 smoothed).
//   u = (I - n n^T)(x - a)            [m] slip since the start of the step, relative to the obstacle
//   V(u) = f g(|u|),   g(y) = y^2/e - y^3/(3 e^2) for y < e,   y - e/3 beyond
//   force -f g'(|u|) u/|u|,   g' = 2 y/e - y^2/e^2 up to 1
//   f = mu N [N] with the normal force N of the last detection, which solvers repeat: at convergence that of the step itself
//   a = x_now + h v_obstacle [m],  e = h times the speed below which contact counts as sticking [m]
// V is convex (g is, and grows): the Hessian f (g'/y (I - n n^T) + (g'' - g'/y) u u^T/y^2) is positive semi-definite.
// Deviation: V(0) = 0 where the paper has e/3; the frame is the projector, not a basis.
#pragma once
#include "energy/energy.h"

namespace sinew {

struct ContactFriction {
    static constexpr std::string_view name = "contact_friction";
    static constexpr std::string_view doc = "friction of an obstacle in one implicit step";
    static constexpr Share share = Share::contact;
    static constexpr int points = 1;
    static constexpr int sample_kinds = 2; // sticking, sliding; at rest |u|^3 has no third derivative, which differences need
    struct Params {
        Real limit = 0;  // [N] coefficient times normal force
        Real slip = 1e-5;
        Real3 normal{0, 1, 0}, anchor{}, velocity{};
    };
    using Data = Params; // velocity: of the obstacle at the contact [m/s]

    template <class V> static void fields(Params& p, V&& v) {
        v("limit", p.limit, Field{.min = 0, .unit = "N", .doc = "coefficient times normal force"});
        v("slip", p.slip, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "distance below which the force grows"});
    }
    static Data prepare(const Params& p, const RestView&) { return p; }

    template <int Order> static Local<3, Order> eval(const Data& d, const StepContext&, const Stencil<1>& s) {
        Local<3, Order> out;
        const Vec3 n = vec(d.normal), moved = s.x[0] - vec(d.anchor), u = moved - n.dot(moved) * n;
        const Real y = u.norm(), e = d.slip;
        const bool sticks = y < e;
        out.value = d.limit * (sticks ? y * y / e - y * y * y / (3 * e * e) : y - e / 3);
        if constexpr (Order >= 1) {
            const Real by_y = sticks ? 2 / e - y / (e * e) : 1 / y; // g'/y
            out.gradient = d.limit * by_y * u;
            if constexpr (Order >= 2) {
                // (g'' - g'/y)/y^2 is -1/(e^2 y) and -1/y^3
                out.hessian = d.limit * by_y * (Mat3::Identity() - n * n.transpose());
                if (y > 0) out.hessian -= d.limit / (sticks ? e * e * y : y * y * y) * u * u.transpose();
            }
        }
        return out;
    }
    static MatN<3> hessian_psd(const Data& d, const StepContext& c, const Stencil<1>& s) { return eval<2>(d, c, s).hessian; }

    static Sample<ContactFriction> sample(Rng& rng, int which) {
        Sample<ContactFriction> out{{draw_uniform(rng, 0.5, 5), draw_uniform(rng, 0.2, 0.4), real3(draw_direction(rng)),
                                     real3(draw_vec(rng, -1, 1)), {}}, {}};
        const Vec3 n = vec(out.data.normal), side = n.cross(draw_direction(rng)).normalized();
        // away from the joint of the two branches, where the third derivative jumps
        const Real far = which == 0 ? draw_uniform(rng, 0.3, 0.9) : draw_uniform(rng, 1.2, 5);
        out.at.x[0] = vec(out.data.anchor) + draw_uniform(rng, -1, 1) * n + far * out.data.slip * side;
        return out;
    }
};

} // namespace sinew
