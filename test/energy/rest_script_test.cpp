// Scripted rest states of hinges (spec T 3.2): weight 0 is the plain hinge; weight 1 on a moving surface has no force where the cloth lies
// on it; angles are blended linearly and |e|^2/(A1 + A2) follows blended lengths; scripts of time give closed forms.
#include "core/autodiff.h"
#include "energy/hinge_bridson_animated.h"
#include "energy/hinge_tan_animated.h"
#include "energy/hinge_theta_animated.h"
#include "energy/hinge_willmore_animated.h"
#include "energy/list.h"
#include "energy/tri_stvk_animated.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

// two triangles of unequal shape, folded by `angle` about the x axis
std::array<Real3, 4> shape(Real angle) {
    return {Real3{0.4, 0.9, 0}, Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{0.3, -0.7 * std::cos(angle), -0.7 * std::sin(angle)}};
}
Stencil<4> stencil(const std::array<Real3, 4>& x) {
    Stencil<4> s;
    for (int i = 0; i < 4; ++i) s.x[i] = vec(x[i]);
    return s;
}

template <class E, class Plain> void check_law() {
    Rng rng{3, 7, 0};
    // without weight, or with a weight that nothing pulls at: the plain law
    for (int k = 0; k < 40; ++k) {
        const HingeSample made = sample_hinge(rng, k % 4);
        AnimatedHingeParams p;
        static_cast<HingeParams&>(p) = made.params;
        p.weight = {0.2, 0.9, 0.4, 1};
        const RestView view{made.rest, {}, {}, {}};
        const auto a = E::template eval<2>(E::prepare(p, view), {}, made.at);
        const auto b = Plain::template eval<2>(Plain::prepare(made.params, view), {}, made.at);
        EXPECT_NEAR(a.value, b.value, 1e-11 * std::max(1.0, b.value)) << E::name;
        EXPECT_LT((a.hessian - b.hessian).norm(), 1e-10 * b.hessian.norm()) << E::name;
    }
    // lying on the moving surface, whatever its shape
    AnimatedHingeParams p;
    p.weight = {1, 1, 1, 1};
    p.moving = {3, 1, 0, 2};
    p.rest_angle = 0.8; // of the true rest shape: the moving surface counts as it is
    const auto d = E::prepare(p, {shape(0), {}, {}, {}});
    const std::array<Real3, 4> moving{Real3{1.2, 0.1, 0.3}, Real3{-0.1, 0.2, 0}, Real3{0.3, -0.5, 0.6}, Real3{0.5, 1.1, 0.4}};
    StepContext c;
    c.animated = moving.data();
    EXPECT_LT(E::template eval<1>(d, c, stencil({moving[3], moving[1], moving[0], moving[2]})).gradient.norm(), 1e-18) << E::name; // k = 5e-7
    EXPECT_GT(E::template eval<1>(d, {}, stencil({moving[3], moving[1], moving[0], moving[2]})).gradient.norm(), 1e-8) << E::name;
}

} // namespace

TEST(scripted_rest, hinges_without_script_are_plain_and_follow_a_moving_surface_for_every_law) {
    check_law<HingeBridsonAnimated, HingeBridson>();
    check_law<HingeTanAnimated, HingeTan>();
    check_law<HingeThetaAnimated, HingeTheta>();
    check_law<HingeWillmoreAnimated, HingeWillmore>();
}

TEST(scripted_rest, angles_are_blended_by_the_weight_of_the_edge_and_lengths_by_those_of_their_own) {
    AnimatedHingeParams p;
    p.stiffness = 3;
    p.weight = {1, 0.2, 0.6, 0};
    p.moving = {0, 1, 2, 3};
    const auto d = HingeThetaAnimated::prepare(p, {shape(0.3), {}, {}, {}});
    std::array<Real3, 4> moving = shape(1.1);
    for (Real3& x : moving) x = {1.5 * x.x, 1.5 * x.y, 1.5 * x.z};
    StepContext c;
    c.animated = moving.data();
    const HingeTheta::Data now = HingeThetaAnimated::resolve(d, c);
    EXPECT_NEAR(now.rest, 0.6 * 0.3 + 0.4 * 1.1, 1e-14);
    // five lengths, each 1 + w/2 times as long, and areas by Heron from them
    const auto length = [&](int a, int b) {
        return (1 + 0.25 * (p.weight[a] + p.weight[b])) * (vec(shape(0.3)[a]) - vec(shape(0.3)[b])).norm();
    };
    const auto area = [](Real a, Real b, Real e) {
        const Real s = 0.5 * (a + b + e);
        return std::sqrt(s * (s - a) * (s - b) * (s - e));
    };
    const Real e = length(1, 2), areas = area(e, length(0, 1), length(0, 2)) + area(e, length(3, 1), length(3, 2));
    EXPECT_NEAR(now.stiffness, 1.5 * e * e / areas, 1e-12 * now.stiffness); // D/2 |e|^2/(A1 + A2)
    // lengths that make no triangle: the true ones stay
    const std::array<Real3, 4> line{Real3{0, 0, 0}, Real3{1, 0, 0}, Real3{2, 0, 0}, Real3{3, 0, 0}};
    AnimatedHingeParams all = p;
    all.weight = {1, 1, 1, 1};
    c.animated = line.data();
    const HingeTheta::Data kept = HingeThetaAnimated::resolve(HingeThetaAnimated::prepare(all, {shape(0.3), {}, {}, {}}), c);
    EXPECT_NEAR(kept.stiffness, HingeTheta::prepare(p, {shape(0.3), {}, {}, {}}).stiffness, 1e-12 * kept.stiffness);
    EXPECT_NEAR(kept.rest, 0.3, 1e-14); // and so does the angle: a line has none
}

TEST(scripted_rest, angles_of_time_and_place_have_the_energy_of_their_law) {
    FieldSet fields;
    fields.scalars.push_back({"factor", make_expression(0.5)});
    fields.scalars.push_back({"added", make_expression(0.25)});
    AnimatedHingeParams p;
    p.stiffness = 3;
    p.weight = {1, 1, 1, 1};
    p.factor = 0, p.added = 1;
    const auto d = HingeTanAnimated::prepare(p, {shape(0.6), {}, {}, {}});
    StepContext c;
    c.fields = &fields;
    // rest angle 0.5 0.6 + 0.25;  E = k a (2 tan(theta/2) - 2 tan(rest/2))^2, a = |e|^2/(A1 + A2) = 1/(0.45 + 0.35)
    const Real rest = 0.55, u = 2 * std::tan(0.2) - 2 * std::tan(rest / 2);
    EXPECT_NEAR(HingeTanAnimated::eval<0>(d, c, stencil(shape(0.4))).value, 1.5 / 0.8 * u * u, 1e-14);
    EXPECT_LT(HingeTanAnimated::eval<1>(d, c, stencil(shape(rest))).gradient.norm(), 1e-13);
    // closed folds are cut as those of the shape are
    fields.scalars[1].value = make_expression(9.0);
    EXPECT_EQ(HingeTanAnimated::resolve(d, c).rest_angle, kMostRestAngle);
}

TEST(scripted_rest, a_shared_edge_has_one_length_whichever_triangle_asks) {
    // lengths grow with x: the middle of the edge decides, not that of a triangle
    FieldSet fields;
    TriStvkAnimated::Params p;
    p.weight = {1, 1, 1};
    p.scale = 0;
    const std::array<Real3, 4> x = shape(0);
    const std::array<Real3, 3> upper{x[0], x[1], x[2]}, lower{x[3], x[2], x[1]};
    Symbols symbols;
    add_slot(symbols, "x", 2); // after t and frame
    fields.scalars.push_back({"grow", *compile_expression("1 + x", symbols).value});
    StepContext c;
    c.fields = &fields;
    const auto a = TriStvkAnimated::lengths2(TriStvkAnimated::prepare(p, {upper, {}, {}, {}}), c);
    const auto b = TriStvkAnimated::lengths2(TriStvkAnimated::prepare(p, {lower, {}, {}, {}}), c);
    EXPECT_NEAR(a[0], 1.5 * 1.5, 1e-14); // from (0, 0, 0) to (1, 0, 0)
    EXPECT_EQ(a[0], b[0]);
}
