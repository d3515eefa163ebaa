// Settings of the velocity solver that no scene uses, run through the real step against closed forms: laws of impact, what takes errors
// back, gyroscopic torques, sets of friction; random impacts of free boxes; rest, stopping and the tension of a pendulum (spec P V18,
// V23, V24, V26). length: one suite per setting of one solver
#include "core/math.h"
#include "physics/simulation.h"
#include "core/random.h"
#include "model/stencil.h"
#include "sinew/sinew.h"
#include <cmath>
#include <fmt/format.h>

using namespace sinew;

namespace {

std::string settings_scene(const std::string& settings, double dt, int steps, const std::string& objects, const std::string& more = R"("gravity": 0)") {
    return fmt::format(R"({{ "sinew": 1, "solver": "velocity", "solvers": {{ "velocity": {{ "sleep": false, {} }} }}, {},
        "time": {{ "dt": {}, "fps": {}, "seconds": {} }}, "objects": {{ {} }} }})",
                       settings, more, dt, 1 / dt, steps * dt, objects);
}

int frame_of(const Simulation& s, std::string_view name) {
    const Model& m = s.compiled.model;
    return m.objects[find(m, name).index].frames.begin;
}

struct PlanarImpact { // m, I about z; r from the centre to the point; u and K at the point: x along the plane, y away from it
    double mass, inertia, rx, ry, ux, uy;
    double kxx() const { return 1 / mass + ry * ry / inertia; }
    double kyy() const { return 1 / mass + rx * rx / inertia; }
    double kxy() const { return -rx * ry / inertia; }
};
struct PlanarImpulse {
    double x, y;
};
// K P = -(a, b)
PlanarImpulse stop_rates(const PlanarImpact& q, double a, double b) {
    const double det = q.kxx() * q.kyy() - q.kxy() * q.kxy();
    return {-(q.kyy() * a - q.kxy() * b) / det, -(q.kxx() * b - q.kxy() * a) / det};
}
// the laws as impact.h writes them, in the plane; newton at one point is stick_slide without its guard
PlanarImpulse planar_law(const std::string& law, const PlanarImpact& q, double e, double mu) {
    const PlanarImpulse plastic{0, -q.uy / q.kyy()}, stick = stop_rates(q, q.ux, q.uy);
    if (law == "sticking") return stick;
    if (law == "frictionless") return {0, (1 + e) * plastic.y};
    if (law == "chatterjee_ruina") {
        const auto mix = [&](double kappa) { return PlanarImpulse{kappa * stick.x, (1 + e) * plastic.y + kappa * (stick.y - plastic.y)}; };
        if (std::abs(mix(1).x) <= mu * mix(1).y) return mix(1);
        return mix(mu * (1 + e) * plastic.y / (std::abs(stick.x) - mu * (stick.y - plastic.y)));
    }
    if (law == "poisson") { // compression without restitution, then e times its load with the friction that stops the slip, or all there is
        const PlanarImpulse c = planar_law("newton", q, 0, mu);
        const double load = e * c.y, slip = q.ux + q.kxx() * c.x + q.kxy() * (c.y + load);
        return {c.x + std::clamp(-slip / q.kxx(), -mu * load, mu * load), c.y + load};
    }
    const PlanarImpulse both = stop_rates(q, q.ux, (1 + e) * q.uy);
    if (both.y >= 0 && std::abs(both.x) <= mu * both.y) return both;
    const double way = q.ux > 0 ? -mu : mu, p = -(1 + e) * q.uy / (q.kyy() + way * q.kxy());
    return {way * p, p};
}

const std::vector<std::string> kImpactLaws{"newton", "sticking", "frictionless", "stick_slide", "poisson", "chatterjee_ruina"};

} // namespace

// v' by e and momentum, common velocity for sticking, which has no restitution (spec P V23); the spheres meet 5 mm on, within the step.
TEST(velocity_impact_laws, two_spheres_head_on_part_with_the_restitution_of_every_law) {
    for (const char* method : {"direct", "sequential_impulses", "block", "jacobi", "apgd", "bb", "mlcp", "soft_step", "auto"})
        for (const std::string& law : kImpactLaws)
            for (const double mass : {1.0, 3.0})
                for (const double e : {0.5, 1.0}) {
                    const Simulation s = run_to_end(settings_scene(
                        fmt::format(R"("method": "{}", "impact": "{}", "precision": "double", "iterations": 1000)", method, law), 0.01, 1,
                        fmt::format(R"("a": {{ "kind": "sphere", "radius": 0.1, "mass": {}, "at": [-0.1025, 0, 0], "velocity": [1, 0, 0], "friction": 0.3, "restitution": {} }},
                            "b": {{ "kind": "sphere", "radius": 0.1, "mass": 1, "at": [0.1025, 0, 0], "velocity": [-1, 0, 0], "friction": 0.3 }})", mass, e)));
                    const double back = law == "sticking" ? 0 : e, common = (mass - 1) / (mass + 1);
                    const double a = measure(s, "a.velocity.x"), b = measure(s, "b.velocity.x");
                    const std::string where = fmt::format("{} {} {} {}", method, law, mass, e);
                    EXPECT_NEAR(b - a, 2 * back, 1e-8) << where; // the solver's tolerance [m/s]
                    EXPECT_NEAR(a, common - 2 * back / (mass + 1), 1e-8) << where;
                    EXPECT_NEAR(mass * a + b, mass - 1, 4e-15) << where; // round-off of 4 kg m/s
                }
}

// A box tilted by 0.4 rad touches the plane with its lower edge, whose two corners are one impact at its middle; K couples sliding
// and approach there. Once it sticks, once it slides.
TEST(velocity_impact_laws, a_tilted_box_leaves_a_plane_as_every_law_says) {
    const double mass = 2, tilt = 0.4, inertia = mass / 12 * (0.6 * 0.6 + 0.2 * 0.2);
    const double rx = -0.3 * std::cos(tilt) + 0.1 * std::sin(tilt), ry = -0.3 * std::sin(tilt) - 0.1 * std::cos(tilt);
    int sticking = 0, sliding = 0, differs = 0;
    for (const std::string& law : kImpactLaws)
        for (const char* method : {"direct", "sequential_impulses", "block", "mlcp"})
            for (const double mu : {0.1, 2.0})
                for (const double vx : {-1.5, 1.0})
                    for (const double e : {0.3, 0.8}) {
                        const double vy = -1, w = 0.5;
                        const PlanarImpact q{mass, inertia, rx, ry, vx - w * ry, vy + w * rx};
                        const PlanarImpulse P = planar_law(law, q, e, mu);
                        const double ux = q.ux + q.kxx() * P.x + q.kxy() * P.y, uy = q.uy + q.kxy() * P.x + q.kyy() * P.y;
                        const std::string where = fmt::format("{} {} mu {} vx {} e {}", law, method, mu, vx, e);
                        // no energy gained, where the guard of stick_slide would act; no slip turned round, after which newton's friction is another
                        ASSERT_LE(P.x * (q.ux + ux) + P.y * (q.uy + uy), 0) << where;
                        ASSERT_TRUE(law != "newton" || std::abs(ux) < 1e-14 || ux * q.ux > 0) << where;
                        (std::abs(ux) < 1e-14 ? sticking : sliding)++;
                        const Simulation s = run_to_end(settings_scene(
                            fmt::format(R"("method": "{}", "impact": "{}", "stabilisation": "none", "iterations": 5000, "tolerance": 1e-12, "facets": 4)", method, law), 0.001, 1,
                            fmt::format(R"("floor": {{ "kind": "plane", "friction": {0} }}, "box": {{ "kind": "box", "size": [0.6, 0.2, 0.3], "mass": 2, "friction": {0}, "restitution": {1},
                                "at": [0, {2}, 0], "rotate": {{ "axis": [0, 0, 1], "angle": {3} }}, "velocity": [{4}, {5}, 0], "angular_velocity": [0, 0, {6}] }})", mu, e, -ry, tilt, vx, vy, w)));
                        // ten times the solver's tolerance; laws other than newton are exact
                        const double near = law == "newton" ? 1e-11 : 1e-13;
                        EXPECT_NEAR(measure(s, "box.velocity.x"), vx + P.x / mass, near) << where;
                        EXPECT_NEAR(measure(s, "box.velocity.y"), vy + P.y / mass, near) << where;
                        EXPECT_NEAR(measure(s, "box.spin.z"), w + (rx * P.y - ry * P.x) / inertia, 10 * near) << where;
                        EXPECT_NEAR(measure(s, "box.velocity.z"), 0, near) << where;
                        // what e means: all laws but sticking return that part of the approach, poisson's of the impulse
                        if (law == "poisson") EXPECT_NEAR(P.y, (1 + e) * planar_law("newton", q, 0, mu).y, 1e-14) << where;
                        else EXPECT_NEAR(uy, law == "sticking" ? 0 : -e * q.uy, 1e-14) << where;
                        differs += law == "poisson" && std::abs(uy + e * q.uy) > 0.01;
                    }
    EXPECT_GT(sticking, 20);
    EXPECT_GT(sliding, 20);
    EXPECT_GT(differs, 3); // poisson's law from newton's
}

// A slender rod without restitution, tilted by 45 degrees: friction mu P lifts the tip by mu |K_xy| > K_yy, more than the load itself does. Sliding
// to the end, P = -u_y/(K_yy + mu |K_xy|). The direct method once gave up on it, as De Saxce's correction gains only a fifth per round
// here, and sweeps, which took over, go to and fro between load without friction and friction without load: they have no part in this test.
TEST(velocity_impact_laws, friction_that_lifts_more_than_its_load_stays_within_the_cone) {
    const double mass = 2, tilt = kPi / 4, inertia = mass / 12 * (1 + 0.05 * 0.05);
    const double rx = -0.5 * std::cos(tilt) + 0.025 * std::sin(tilt), ry = -0.5 * std::sin(tilt) - 0.025 * std::cos(tilt);
    for (const char* method : {"direct", "auto", "apgd", "bb", "mlcp"})
        for (const double mu : {1.0, 2.0, 3.0}) {
            const PlanarImpact q{mass, inertia, rx, ry, 4, -1};
            const PlanarImpulse P = planar_law("newton", q, 0, mu);
            ASSERT_GT(q.ux + q.kxx() * P.x + q.kxy() * P.y, 0); // it slides on
            if (mu > 1) { ASSERT_GT(mu * std::abs(q.kxy()), q.kyy()); }
            const Simulation s = run_to_end(settings_scene(
                fmt::format(R"("method": "{}", "stabilisation": "none", "iterations": 5000, "facets": 4)", method), 0.001, 1,
                fmt::format(R"("floor": {{ "kind": "plane", "friction": {0} }}, "rod": {{ "kind": "box", "size": [1, 0.05, 0.3], "mass": 2, "friction": {0},
                    "at": [0, {1}, 0], "rotate": {{ "axis": [0, 0, 1], "angle": {2} }}, "velocity": [4, -1, 0] }})", mu, -ry, tilt)));
            const std::string where = fmt::format("{} mu {}", method, mu);
            EXPECT_NEAR(measure(s, "rod.velocity.x"), 4 + P.x / mass, 1e-7) << where; // ten times the tolerance: the tip's, not the rod's
            EXPECT_NEAR(measure(s, "rod.velocity.y"), -1 + P.y / mass, 1e-7) << where;
            EXPECT_NEAR(measure(s, "rod.spin.z"), (rx * P.y - ry * P.x) / inertia, 1e-6) << where;
        }
}

// ---- what takes errors back ----

// A ball of 2 kg 1 cm deep, slop 1 mm, no gravity, one step. x: part of d - slop that is left; v: what stays of the push.
//   none            1                      0
//   baumgarte       1 - erp                erp (d - slop)/h
//   soft            1 - erp/(1 + m cfm)    erp (d - slop)/(h (1 + m cfm))
//   split_impulse   1/2                    0        half of it once, whatever erp is (kPostErp)
//   post            1/4                    0        half of it twice
TEST(velocity_stabilisations, leave_the_penetration_and_the_speed_of_their_formulas) {
    struct Row {
        const char* kind;
        double left, speed; // [(d - slop)], [(d - slop)/h]
    };
    const double erp = 0.3, cfm = 0.25, soft = erp / (1 + 2 * cfm);
    for (const char* method : {"direct", "sequential_impulses", "block", "jacobi", "apgd", "bb", "mlcp"})
        for (const Row& r : {Row{"none", 1, 0}, {"baumgarte", 1 - erp, erp}, {"soft", 1 - soft, soft}, {"split_impulse", 0.5, 0}, {"post", 0.25, 0}}) {
            const Simulation s = run_to_end(settings_scene(
                fmt::format(R"("method": "{}", "stabilisation": "{}", "erp": {}, "cfm": {}, "slop": 0.001, "push_speed": 100, "iterations": 1000)", method, r.kind, erp, cfm), 0.01, 1,
                R"("floor": { "kind": "plane" }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 2, "at": [0, 0.09, 0] })"));
            EXPECT_NEAR(measure(s, "ball.y"), 0.1 - 0.001 - r.left * 0.009, 1e-9) << method << " " << r.kind; // tolerance of 1e-8 m/s times h
            EXPECT_NEAR(measure(s, "ball.velocity.y"), r.speed * 0.9, r.speed > 0 ? 1e-7 : 0) << method << " " << r.kind;
        }
}

// Many steps later: nothing of the push is left of split_impulse and post, whose penetration halves and quarters with each step (post takes
// no second round below 1e-5 m), while
// baumgarte and soft have thrown the ball off with the largest speed they have asked for.
TEST(velocity_stabilisations, only_baumgarte_and_soft_throw_off_what_was_too_deep) {
    const double h = 0.01, mass = 2, erp = 0.2;
    const int steps = 20;
    for (const char* method : {"direct", "sequential_impulses"})
        for (const std::string kind : {"baumgarte", "soft", "split_impulse", "post"}) {
            const Simulation s = run_to_end(settings_scene(
                fmt::format(R"("method": "{}", "stabilisation": "{}", "erp": {}, "cfm": 0.25, "slop": 0, "push_speed": 100)", method, kind, erp), h, steps,
                R"("floor": { "kind": "plane" }, "ball": { "kind": "sphere", "radius": 0.1, "mass": 2, "at": [0, 0.09, 0] })"));
            double depth = 0.01, v = 0;
            for (int k = 0; k < steps; ++k) {
                const double cfm = kind == "soft" ? 0.25 : 0;
                if (kind == "split_impulse") depth *= 0.5;
                else if (kind == "post") depth *= 0.5 * depth < 1e-5 ? 0.5 : 0.25;
                else v += std::max(0.0, (erp * std::max(0.0, depth) / h - v) / (1 + mass * cfm)), depth -= h * v; // v' + cfm p = erp d/h, m (v' - v) = p >= 0
            }
            const bool pushes = kind == "baumgarte" || kind == "soft";
            EXPECT_GE(v, pushes ? 0.15 : 0);
            EXPECT_NEAR(measure(s, "ball.velocity.y"), v, pushes ? 1e-8 : 0) << method << " " << kind; // the solver's tolerance
            EXPECT_NEAR(measure(s, "ball.y"), 0.1 - depth, pushes ? 2e-9 : 2e-11) << method << " " << kind; // times 0.2 s; post ends at 1e-12 m
        }
}

// A ball joint at the centre of a body that is 1 cm away from it: C = c, J = 1. Joints have no slop, and positions take them back in full.
TEST(velocity_stabilisations, leave_the_error_of_a_joint_and_the_speed_of_their_formulas) {
    struct Row {
        const char* kind;
        double left, speed; // [c], [c/h]
    };
    const double erp = 0.3, cfm = 0.25, soft = erp / (1 + 2 * cfm);
    for (const char* method : {"direct", "sequential_impulses", "block", "jacobi", "apgd", "bb", "mlcp"})
        for (const Row& r : {Row{"none", 1, 0}, {"baumgarte", 1 - erp, erp}, {"soft", 1 - soft, soft}, {"split_impulse", 0, 0}, {"post", 0, 0}}) {
            auto s = start(settings_scene(fmt::format(R"("method": "{}", "stabilisation": "{}", "erp": {}, "cfm": {}, "iterations": 1000)", method, r.kind, erp, cfm), 0.01, 1,
                                          R"("ball": { "kind": "sphere", "radius": 0.1, "mass": 2, "at": [0, 0, 0], "contact": false })",
                                          R"("gravity": 0, "joints": { "pivot": { "kind": "ball", "between": ["world", "ball"], "at": [0, 0, 0] } })"));
            ASSERT_TRUE(s);
            s->now.frame.p[frame_of(*s, "ball")] = {0.01, 0, 0};
            run_to_end(*s);
            EXPECT_NEAR(measure(*s, "ball.x"), r.left * 0.01, 1e-10) << method << " " << r.kind; // tolerance of 1e-8 m/s times h
            EXPECT_NEAR(measure(*s, "ball.velocity.x"), -r.speed, r.speed > 0 ? 1e-7 : 1e-15) << method << " " << r.kind;
        }
}

// ---- gyroscopic torques ----

namespace {

// what a free box of 0.4 x 0.2 x 0.1 m and 3 kg does in 5 s, about its middle axis
struct Tumble {
    double energy_first, energy_last, energy_most, energy_least;
    double gained = 0; // [J] in the worst step
    Vec3 momentum_first, momentum_last, spin_first, spin_last;
    double momentum_change = 0; // largest, relative
    double spin_change = 0;
    double lowest = 1; // cosine of the middle axis with where it was
};
Tumble tumble_box(const std::string& kind, double dt) {
    auto s = start(settings_scene(fmt::format(R"("gyroscopic": "{}")", kind), dt, int(std::lround(5 / dt)),
                                  R"("box": { "kind": "box", "size": [0.4, 0.2, 0.1], "mass": 3, "angular_velocity": [0.2, 6, 0.1] })"));
    Tumble t{};
    if (!s) return t;
    t.energy_first = t.energy_most = t.energy_least = s->report.energy_kinetic;
    t.momentum_first = vec(s->report.angular_momentum);
    t.spin_first = vec(s->now.frame.w[0]);
    double energy = t.energy_first;
    while (!is_finished(*s) && simulate_step(*s) != Status::failed) {
        const double now = s->report.energy_kinetic;
        t.gained = std::max(t.gained, now - energy), energy = now;
        t.energy_most = std::max(t.energy_most, now), t.energy_least = std::min(t.energy_least, now);
        t.momentum_last = vec(s->report.angular_momentum), t.spin_last = vec(s->now.frame.w[0]);
        t.momentum_change = std::max(t.momentum_change, (t.momentum_last - t.momentum_first).norm() / t.momentum_first.norm());
        t.spin_change = std::max(t.spin_change, (t.spin_last - t.spin_first).norm());
        t.lowest = std::min(t.lowest, Vec3(quat(s->now.frame.q[0]) * Vec3::UnitY()).y());
    }
    t.energy_last = energy;
    return t;
}

} // namespace

// The default keeps the angular momentum, and the energy to second order; without the torque the spin stays what it is, and with it the
// energy of the axes it started with is lost or gained as the body turns about it; implicit steps lose energy in every step, of first order.
TEST(velocity_gyroscopic, a_tumbling_box_keeps_its_momentum_its_spin_or_loses_energy) {
    const Tumble kept = tumble_box("momentum", 1e-3), finer = tumble_box("momentum", 5e-4);
    EXPECT_LT(kept.momentum_change, 1e-12); // round-off of 5000 steps
    EXPECT_LT(kept.lowest, -0.9); // it does turn over
    const double drift = kept.energy_most - kept.energy_least, fine = finer.energy_most - finer.energy_least;
    EXPECT_LT(drift, 1e-4 * kept.energy_first); // (h w)^2 = 4e-5
    EXPECT_NEAR(drift / fine, 4, 0.4);          // second order

    const Tumble none = tumble_box("none", 1e-3);
    EXPECT_EQ(none.spin_change, 0);
    EXPECT_GT(none.momentum_change, 0.01); // the box turns on under a spin that does not care

    const Tumble implicit = tumble_box("implicit", 1e-3), half = tumble_box("implicit", 5e-4);
    EXPECT_LE(implicit.gained, 1e-14 * implicit.energy_first); // round-off of a sum of three squares
    const double lost = implicit.energy_first - implicit.energy_last, less = half.energy_first - half.energy_last;
    EXPECT_GT(lost, 1e-4 * implicit.energy_first);
    EXPECT_NEAR(lost / less, 2, 0.3); // first order
    RecordProperty("energy_drift_momentum_implicit", fmt::format("{:.3g} {:.3g}", drift, lost));
}

// A body that is round about z: w_z stays, and across it implicit Euler turns by the rate s = (I3 - I1) w_z/I1, which is linear there, so
// that one Newton step is exact: |w_xy| falls by 1/sqrt(1 + h^2 s^2) per step.
TEST(velocity_gyroscopic, implicit_steps_bring_a_round_plate_to_its_axis_by_a_known_factor) {
    const double dt = 0.01, i1 = 2.0 / 12 * (0.09 + 0.01), i3 = 2.0 / 6 * 0.09, rate = (i3 - i1) * 8 / i1;
    for (const char* method : {"auto", "direct", "sequential_impulses", "soft_step"}) {
        const Simulation s = run_to_end(settings_scene(fmt::format(R"("method": "{}", "gyroscopic": "implicit")", method), dt, 200,
                                                       R"("plate": { "kind": "box", "size": [0.3, 0.3, 0.1], "mass": 2, "angular_velocity": [3, 0, 8] })"));
        const int f = frame_of(s, "plate");
        const Vec3 w = quat(s.now.frame.q[f]).conjugate() * vec(s.now.frame.w[f]);
        EXPECT_NEAR(w.z(), 8, 1e-12) << method; // round-off of 200 steps
        EXPECT_NEAR(std::hypot(w.x(), w.y()), 3 * std::pow(1 + dt * dt * rate * rate, -100), 1e-12) << method;
    }
}

// ---- sets of friction ----

namespace {

// x = h sum of max(0, v - k h a): velocities after friction move the body
double sliding_sum(double speed, double deceleration, double dt) {
    double x = 0;
    for (double v = speed - dt * deceleration; v > 0; v -= dt * deceleration) x += dt * v;
    return x;
}
// how far a flat box of 1 m/s gets at `angle` from the first tangent of the floor's contacts, mu = 0.5; and how far across
constexpr double kSlideStep = 0.0025;
std::pair<double, double> slide_box(const std::string& settings, double angle) {
    const Vec3 t0 = vec(contact_frame(Real3{0, 1, 0}).t0), t1 = Vec3::UnitY().cross(t0), along = std::cos(angle) * t0 + std::sin(angle) * t1;
    const double turn = std::atan2(-along.z(), along.x()); // the box looks where it goes
    const Simulation s = run_to_end(settings_scene(settings, kSlideStep, 140,
        fmt::format(R"("floor": {{ "kind": "plane", "friction": 0.5 }}, "box": {{ "kind": "box", "size": [1, 0.1, 1], "mass": 2, "friction": 0.5, "at": [0, 0.05, 0],
            "rotate": {{ "axis": [0, 1, 0], "angle": {} }}, "velocity": [{}, 0, {}] }})", turn, along.x(), along.z()), R"("gravity": [0, -9.81, 0])"));
    const Vec3 x(measure(s, "box.x"), 0, measure(s, "box.z"));
    EXPECT_LT(measure(s, "box.speed"), 1e-8) << settings << " " << angle; // the solver's tolerance
    return {x.dot(along), (x - x.dot(along) * along).norm()};
}

} // namespace

// The deceleration is mu g times the width of the set along the way: 1 for discs in any direction; of the square 1 along its sides and
// sqrt 2 along the diagonal; of a polygon with a corner on the first tangent 1 at a corner and cos(pi/n) between two;
// friction points backwards, which makes a difference where n is odd.
TEST(velocity_friction_sets, a_box_stops_where_the_width_of_the_set_says) {
    struct Row {
        std::string set;
        double angle, width;
    };
    const double pi = kPi;
    const std::string four = R"("polyhedral", "facets": 4)", eight = R"("polyhedral", "facets": 8)", five = R"("polyhedral", "facets": 5)";
    for (const std::string method : {"direct", "auto", "sequential_impulses", "block", "bb", "mlcp"})
        for (const Row& r : {Row{R"("cone")", 0, 1}, {R"("cone")", pi / 4, 1}, {R"("cylinder")", 0, 1}, {R"("cylinder")", pi / 4, 1}, {R"("single_tangent")", pi / 4, 1},
                             {R"("box")", 0, 1}, {R"("box")", pi / 2, 1}, {R"("box")", pi / 4, std::sqrt(2.0)}, {R"("box")", -pi / 4, std::sqrt(2.0)},
                             {four, 0, 1}, {four, pi / 4, std::sqrt(0.5)}, {eight, pi / 4, 1}, {eight, pi / 8, std::cos(pi / 8)}, {five, pi, 1}, {five, 0, std::cos(pi / 5)}}) {
            if (method == "mlcp" && r.set.find("polyhedral") == std::string::npos) continue; // it has no other
            const auto [along, across] = slide_box(fmt::format(R"("method": "{}", "friction": {}, "iterations": 200)", method, r.set), r.angle);
            // four times the tolerance of 1e-8 m/s for the third of a second
            EXPECT_NEAR(along, sliding_sum(1, r.width * 0.5 * 9.81, kSlideStep), 1.5e-8) << method << " " << r.set << " " << r.angle;
            EXPECT_LT(across, 1.5e-8) << method << " " << r.set << " " << r.angle;
        }
}

// A high stack of equal boxes goes by soft steps, which know the disc alone: under other sets it does not.
TEST(velocity_friction_sets, auto_has_no_soft_steps_where_the_set_is_no_disc) {
    for (const auto& [set, soft] : {std::pair{"cone", true}, {"cylinder", true}, {"box", false}, {"polyhedral", false}}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 0.1 }}, "solver": "velocity", "solvers": {{ "velocity": {{ "friction": "{}" }} }},
            "objects": {{ "floor": {{ "kind": "plane" }}, "box": {{ "kind": "box", "mass": 1, "replicate": {{ "count": 14, "index": "k", "at": [0, "0.5 + k", 0] }} }} }} }})", set));
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_EQ(std::string_view(s->report.path).find("soft_step") != std::string_view::npos, soft) << set;
        EXPECT_NEAR(measure(*s, "box/5.y"), 5.5, 0.02) << set;
    }
}

// Stacks of up to twelve that touch the floor with one box go directly, higher ones and a row that lies on it by soft steps.
TEST(velocity_way, auto_solves_stacks_directly_and_rows_on_a_floor_by_soft_steps) {
    struct Row {
        int count;
        const char *at, *path;
    };
    for (const Row& r : {Row{5, R"([0, "0.5 + k", 0])", "direct"}, {12, R"([0, "0.5 + k", 0])", "direct"}, {13, R"([0, "0.5 + k", 0])", "soft_step"}, {6, R"(["k", 0.5, 0])", "soft_step"}}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 0.05 }}, "solver": "velocity",
            "objects": {{ "floor": {{ "kind": "plane" }}, "box": {{ "kind": "box", "mass": 1, "replicate": {{ "count": {}, "index": "k", "at": {} }} }} }} }})", r.count, r.at));
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_EQ(s->report.path, std::string(r.path)) << r.count;
    }
}

// Islands too large for the direct method go by plain sweeps then, and the report names them.
TEST(velocity_friction_sets, auto_names_the_sweeps_it_falls_back_on) {
    for (const auto& [bodies, path] : {std::pair{"1000", "direct"}, {"5", "sweeps"}}) {
        auto s = start(fmt::format(R"({{ "sinew": 1, "time": {{ "fps": 60, "seconds": 0.05 }}, "solver": "velocity",
            "solvers": {{ "velocity": {{ "friction": "polyhedral", "direct_bodies": {} }} }},
            "objects": {{ "floor": {{ "kind": "plane" }}, "box": {{ "kind": "box", "mass": 1, "replicate": {{ "count": 6, "index": "k", "at": [0, "0.5 + k", 0] }} }} }} }})", bodies));
        ASSERT_TRUE(s);
        run_to_end(*s);
        EXPECT_EQ(s->report.path, std::string(path));
    }
}

// Off the symmetry lines a square or polygon pulls sideways too, and the way is curved: all methods take the same one. The direct method
// once had no derivative along the sides of a polygon, stopped at errors of 1e-3 m/s, and was 3e-5 m off.
TEST(velocity_friction_sets, all_methods_take_the_same_curved_way_off_the_lines_of_symmetry) {
    for (const char* set : {R"("box")", R"("polyhedral", "facets": 8)", R"("polyhedral", "facets": 4)"})
        for (const double angle : {0.2, 0.5}) {
            const auto sweeps = slide_box(fmt::format(R"("method": "sequential_impulses", "friction": {}, "iterations": 200, "tolerance": 1e-10)", set), angle);
            EXPECT_GT(sweeps.second, 1e-3);
            for (const char* method : {"direct", "block", "apgd"}) {
                const auto way = slide_box(fmt::format(R"("method": "{}", "friction": {}, "iterations": 200)", method, set), angle);
                // the tolerance for a third of a second, times four
                EXPECT_NEAR(way.first, sweeps.first, 1.5e-8) << method << " " << set << " " << angle;
                EXPECT_NEAR(way.second, sweeps.second, 1.5e-8) << method << " " << set << " " << angle;
            }
        }
}

// ---- the two forms of equalities ----

// A chain that swings, a free tree that tumbles and a ring of four, a loop: the same way by the Schur complement and by the saddle-point matrix.
TEST(velocity_equalities, both_forms_take_joints_the_same_way) {
    const std::string bodies = R"json("link": { "kind": "box", "size": [0.1, 0.4, 0.2], "mass": 1, "contact": false, "replicate": { "count": 8, "index": "k", "at": ["0.5 + k", 0, 0] } },
        "star": { "kind": "box", "size": [0.3, 0.4, 0.2], "mass": "1 + k", "contact": false, "angular_velocity": [1, "k", 2], "replicate": { "count": 4, "index": "k", "at": ["cos(2*k)", 3, "sin(2*k)"] } },
        "ring": { "kind": "box", "size": [0.3, 0.4, 0.2], "mass": "1 + k", "contact": false, "velocity": ["k", 1, 0], "replicate": { "count": 4, "index": "k", "at": ["cos(k*pi/2)", 6, "sin(k*pi/2)"] } })json";
    const std::string joints = R"json("joints": { "top": { "kind": "hinge", "axis": [0, 0, 1], "between": ["world", "link/0"], "at": [0, 0, 0] },
        "next": { "kind": "ball", "between": ["link/{k}", "link/{k + 1}"], "at": ["1 + k", 0, 0], "replicate": { "count": 7, "index": "k" } },
        "arm": { "kind": "universal", "axis": [1, 0, 0], "second_axis": [0, 1, 0], "between": ["star/0", "star/{k + 1}"], "at": [0.5, 3, 0], "replicate": { "count": 3, "index": "k" } },
        "round": { "kind": "ball", "between": ["ring/{k}", "ring/{mod(k + 1, 4)}"], "at": ["cos((k + 0.5)*pi/2)", 6, "sin((k + 0.5)*pi/2)"], "replicate": { "count": 4, "index": "k" } } })json";
    std::vector<Simulation> runs;
    for (const char* form : {"schur", "kkt"})
        runs.push_back(run_to_end(settings_scene(fmt::format(R"("method": "direct", "equalities": "{}")", form), 0.002, 250, bodies, joints)));
    // half a second of a chaotic swing lets round-off of 1e-14 per step grow by less than 1e4
    for (std::size_t f = 0; f < runs[0].now.frame.p.size(); ++f) {
        EXPECT_LT((vec(runs[0].now.frame.p[f]) - vec(runs[1].now.frame.p[f])).norm(), 1e-9) << f;
        EXPECT_LT((vec(runs[0].now.frame.v[f]) - vec(runs[1].now.frame.v[f])).norm(), 1e-8) << f;
    }
    EXPECT_GT((vec(runs[0].now.frame.p[7]) - Vec3(7.5, 0, 0)).norm(), 0.5); // it moves
}

// ---- random impacts of two free boxes ----

namespace {

struct ThrownPair {
    Vec3 half[2]; // [m] of its boxes
    double restitution, friction;
    int kind = 0; // of its contact, see draw_touch
};
struct ImpactCount {
    int impacts = 0, bounced = 0;
    double gained = 0;   // [part of the kinetic energy] most
    double lost = 0;     // the same of pairs with e = 1 and mu = 0
    double momentum = 0; // [part of the sum of the bodies' amounts] largest change
    double spin = 0;     // the same of the angular momentum
    double returned = 0; // largest error of e at one point, in parts of what the rest of the step changes; mu up to 1
};

// energy, momentum and angular momentum about `centre` of frames 2 k and 2 k + 1, and the sums of their amounts
struct PairSums {
    double energy = 0, amount = 0, spin_amount = 0;
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
};
PairSums sum_pair(const Simulation& s, int k, const Vec3& centre) {
    PairSums out;
    for (int f = 2 * k; f < 2 * k + 2; ++f) {
        const double m = s.compiled.model.frame.mass[f];
        const Mat3 r = quat(s.now.frame.q[f]).toRotationMatrix();
        const Vec3 v = vec(s.now.frame.v[f]), w = vec(s.now.frame.w[f]), x = vec(s.now.frame.p[f]) - centre;
        const Vec3 own = r * mat(s.compiled.model.frame.inertia[f]) * r.transpose() * w, orbit = m * x.cross(v);
        out.energy += 0.5 * (m * v.squaredNorm() + w.dot(own));
        out.momentum += m * v, out.spin += own + orbit;
        out.amount += m * v.norm(), out.spin_amount += own.norm() + m * x.norm() * v.norm();
    }
    return out;
}

// where box 1 touches box 0 with its outward normal n, by kind: 0 a corner on a face, 1 two edges across each other, 2 two faces
struct BoxTouch {
    Quat q[2];
    Vec3 n, arm[2]; // from the centres to the place
};
// whether all edges of the place but those along `i` of box 0 and `j` of box 1 go away from it: their other ends could meet within the step too
bool touches_once(const BoxTouch& touch, const ThrownPair& t, int i, int j) {
    for (int b = t.kind == 0 ? 1 : 0; b < 2; ++b)
        for (int k = 0; k < 3; ++k)
            if (k != (b == 0 ? i : j) && !(2 * t.half[b][k] * std::abs(touch.n.dot(touch.q[b] * Vec3::Unit(k))) > 1e-4)) return false;
    return true;
}
BoxTouch draw_touch(Rng& rng, const ThrownPair& t) {
    BoxTouch out;
    for (Quat& q : out.q) q = quat(draw_rotation(rng));
    const auto axis = [&](int b, int k) { return Vec3(out.q[b] * Vec3::Unit(k)); };
    const auto corner = [&](int b, const Vec3& d, int free) { // the furthest one along d; anywhere on the edge along axis `free`
        Vec3 at = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
            at += t.half[b][k] * (k == free ? draw_uniform(rng, -0.9, 0.9) : d.dot(axis(b, k)) > 0 ? 1 : -1) * axis(b, k);
        return at;
    };
    const int i = draw_int(rng, 3), j = draw_int(rng, 3);
    const double side = draw_int(rng, 2) ? 1 : -1;
    if (t.kind == 1) {
        out.n = side * axis(0, i).cross(axis(1, j)).normalized();
        out.arm[0] = corner(0, out.n, i), out.arm[1] = corner(1, -out.n, j);
        return touches_once(out, t, i, j) ? out : draw_touch(rng, t);
    }
    out.n = side * axis(0, i);
    out.arm[0] = side * t.half[0][i] * axis(0, i);
    for (int k = 0; k < 3; ++k)
        if (k != i) out.arm[0] += draw_uniform(rng, -0.9, 0.9) * t.half[0][k] * axis(0, k);
    if (t.kind == 2) { // turned until a face looks at the other
        out.q[1] = rotation_between(axis(1, j), -out.n) * out.q[1];
        out.arm[1] = -t.half[1][j] * out.n;
        return out;
    }
    out.arm[1] = corner(1, -out.n, -1);
    return touches_once(out, t, -1, -1) ? out : draw_touch(rng, t);
}

constexpr double kImpactStep = 1e-6; // [s] free rotation changes the energy by (h w)^3 = 1e-15 of it
constexpr double kImpactDepth = 1e-7; // [m] deep enough for a clear normal
constexpr double kPairsApart = 4;     // [m]

struct ImpactField {
    std::vector<ThrownPair> pairs;
    std::optional<Simulation> s;
    bool sticks = false;
};
ImpactField make_impacts(Rng& rng, const std::string& law, const std::string& method, int count) {
    ImpactField out;
    out.sticks = law == "sticking";
    std::string objects;
    for (int k = 0; k < count; ++k) {
        ThrownPair t;
        const int of = draw_int(rng, 4);
        t.restitution = of == 0 ? 0 : of == 1 ? 1 : draw_uniform(rng, 0.05, 1);
        t.friction = draw_int(rng, 3) == 0 ? 0 : std::pow(10, draw_uniform(rng, -1.5, 0.5));
        for (int b = 0; b < 2; ++b) {
            for (int i = 0; i < 3; ++i) t.half[b][i] = 0.5 * draw_uniform(rng, 0.1, 1);
            objects += fmt::format(R"({}"b{}": {{ "kind": "box", "size": [{}, {}, {}], "mass": {}, "at": [{}, 0, 0], "friction": {}, "restitution": {} }})", objects.empty() ? "" : ", ", 2 * k + b,
                                   2 * t.half[b].x(), 2 * t.half[b].y(), 2 * t.half[b].z(), std::pow(10, draw_uniform(rng, -0.7, 0.7)), 8 * k + 4 * b, t.friction, t.restitution);
        }
        out.pairs.push_back(t);
    }
    out.s = start(settings_scene(R"("warm_start": false, "stabilisation": "none", "restitution_threshold": 0, "slop": 0, "iterations": 1000, "tolerance": 1e-12, )" +
                                     fmt::format(R"("impact": "{}", "method": "{}")", law, method), kImpactStep, 1000000, objects));
    return out;
}

// one impact of every pair
void throw_pairs(Rng& rng, ImpactField& field, ImpactCount& count) {
    Simulation& s = *field.s;
    std::vector<BoxTouch> touches;
    std::vector<PairSums> before;
    std::vector<double> approach;
    const auto centre = [](int k) { return Vec3(kPairsApart * Vec3(k % 8, k / 8 % 8, k / 64)); };
    const auto rate = [&](int k, const BoxTouch& t) {
        const auto at = [&](int b) { return Vec3(vec(s.now.frame.v[2 * k + b]) + vec(s.now.frame.w[2 * k + b]).cross(t.arm[b])); };
        return t.n.dot(at(1) - at(0));
    };
    const int pairs = int(field.pairs.size());
    for (int k = 0; k < pairs; ++k) {
        field.pairs[k].kind = draw_int(rng, 3);
        const BoxTouch t = draw_touch(rng, field.pairs[k]);
        for (int b = 0; b < 2; ++b) {
            const int f = 2 * k + b;
            s.now.frame.p[f] = real3(centre(k) - t.arm[b] - b * kImpactDepth * t.n);
            s.now.frame.q[f] = real4(t.q[b]);
            s.now.frame.v[f] = draw_in_ball(rng);
            s.now.frame.w[f] = real3(Vec3(5 * vec(draw_in_ball(rng))));
        }
        if (rate(k, t) > 0)
            for (int f = 2 * k; f < 2 * k + 2; ++f) s.now.frame.v[f] = real3(Vec3(-vec(s.now.frame.v[f]))), s.now.frame.w[f] = real3(Vec3(-vec(s.now.frame.w[f])));
        touches.push_back(t), before.push_back(sum_pair(s, k, centre(k))), approach.push_back(rate(k, t));
    }
    ASSERT_NE(simulate_step(s), Status::failed);
    for (int k = 0; k < pairs; ++k) {
        const PairSums a = before[k], b = sum_pair(s, k, centre(k));
        const ThrownPair& t = field.pairs[k];
        const double gain = b.energy / a.energy - 1;
        ++count.impacts;
        count.gained = std::max(count.gained, gain);
        if (t.restitution == 1 && t.friction == 0 && !field.sticks) count.lost = std::max(count.lost, -gain), ++count.bounced;
        count.momentum = std::max(count.momentum, (b.momentum - a.momentum).norm() / (a.amount + b.amount));
        count.spin = std::max(count.spin, (b.spin - a.spin).norm() / (a.spin_amount + b.spin_amount));
        // one point: rate' = -e rate, but that spins go on to change by up to h w^2 and places are known to the depth
        if (t.kind == 2) continue;
        double later = 1e-12;
        for (int f = 2 * k; f < 2 * k + 2; ++f) {
            const double w = vec(s.now.frame.w[f]).norm();
            later += kImpactStep * w * w * touches[k].arm[f % 2].norm() + kImpactDepth * w;
        }
        const double e = field.sticks ? 0 : t.restitution;
        if (t.friction <= 1) count.returned = std::max(count.returned, std::abs(rate(k, touches[k]) + e * approach[k]) / later);
    }
}

// Momentum: equal impulses in both directions. Angular momentum: at one place for both bodies, and the step that follows keeps it, as
// spins are found from it: also round-off, as long as nothing takes penetration back, and bodies turn by less than a radian per step;
// spins from momenta and back lose the ratio of the moments of inertia, up to 100, in each of up to 100 exchanges. Energy: no law adds any, and e = 1 without friction
// loses none, but for what the solve of pairs without restitution leaves within its tolerance.
struct ImpactBounds {
    double gained, lost, momentum, spin, returned;
};
constexpr ImpactBounds kDirectImpacts{
    .gained = 1e-11, // tolerance of 1e-12 m/s of velocities of 0.1 m/s
    .lost = 2e-12,   // the guard of stick_slide, which round-off may start, knows e to 2^-40
    .momentum = 1e-13,
    .spin = 1e-11,   // 100 x 100 times the some ten roundings of 1.1e-16 in R I^-1 R^T; mostly 1e-13
    .returned = 3};
// Velocities in single precision, 6e-8 of them rounded in each of twelve sweeps of six sub-steps: 7e-7 of the momenta, and of the angular ones as
// arms of up to 1 m are to distances of 4 m; of the energy, which changes at the first order in them, the same. The pairs of these steps have exchanged their
// impulses before, in double precision and by the same laws; what the soft contacts add pushes 1e-7 m apart, and e is not looked at.
constexpr ImpactBounds kSoftImpacts{.gained = 2e-6, .lost = 2e-6, .momentum = 2e-6, .spin = 2e-6, .returned = 1e300};
void expect_conservation(const ImpactBounds& b, const ImpactCount& c, const std::string& where) {
    EXPECT_LT(c.gained, b.gained) << where;
    EXPECT_LT(c.lost, b.lost) << where;
    EXPECT_LT(c.momentum, b.momentum) << where;
    EXPECT_LT(c.spin, b.spin) << where;
}

void run_impacts(const std::string& law, const std::string& method, int scenes, int pairs, int rounds, ImpactCount& count, const ImpactBounds& bounds = kDirectImpacts) {
    Rng rng{26, 0, 0};
    for (int n = 0; n < scenes; ++n) {
        ImpactField field = make_impacts(rng, law, method, pairs);
        ASSERT_TRUE(field.s);
        for (int k = 0; k < rounds; ++k) throw_pairs(rng, field, count);
    }
    expect_conservation(bounds, count, law + " " + method);
    // the guard of stick_slide lowers e, poisson's is of impulses
    if (law != "stick_slide" && law != "poisson") { EXPECT_LT(count.returned, bounds.returned) << law << " " << method; }
    testing::Test::RecordProperty(law + "_" + method, fmt::format("gained {:.3g} lost {:.3g} momentum {:.3g} angular {:.3g} returned {:.3g}", count.gained, count.lost, count.momentum, count.spin, count.returned));
}

} // namespace

TEST(velocity_random_impacts, of_a_thousand_pairs_of_free_boxes_keep_momentum_and_gain_no_energy) {
    for (const char* law : {"sticking", "frictionless", "stick_slide", "poisson", "chatterjee_ruina"}) {
        ImpactCount count;
        run_impacts(law, "direct", 1, 100, 10, count);
    }
    // the defaults solve pairs of up to 64 bodies in all directly, and more of them by soft steps
    for (const char* law : {"stick_slide", "poisson", "chatterjee_ruina"}) {
        ImpactCount few, many;
        run_impacts(law, "auto", 1, 32, 10, few);
        run_impacts(law, "auto", 1, 100, 10, many, kSoftImpacts);
    }
    ImpactCount swept;
    run_impacts("chatterjee_ruina", "sequential_impulses", 1, 100, 10, swept);
    EXPECT_GE(swept.bounced, 50);
}

// two minutes
TEST(soak_velocity_random_impacts, of_a_million_pairs_of_free_boxes_keep_momentum_and_gain_no_energy) {
    for (const char* law : {"sticking", "frictionless", "stick_slide", "poisson", "chatterjee_ruina"}) {
        ImpactCount count;
        run_impacts(law, "direct", 25, 400, 25, count);
        EXPECT_EQ(count.impacts, 250000);
    }
}
// few at a time, which are solved directly, and many
TEST(soak_velocity_random_impacts, at_the_defaults_keep_momentum_and_gain_no_energy_to_their_precision) {
    for (const char* law : {"stick_slide", "poisson", "chatterjee_ruina"}) {
        ImpactCount few, many;
        run_impacts(law, "auto", 100, 32, 25, few);
        run_impacts(law, "auto", 5, 400, 25, many, kSoftImpacts);
        EXPECT_EQ(few.impacts + many.impacts, 130000);
    }
}

// ---- rest, stopping, rolling (spec P V26) ----

// A body that lies from the start: the impulse of a step is its weight, and no speed is left: round-off where the tolerance asks for it, and
// never more than the tolerance. Soft steps first sink by slop and what their springs give, and then rest too.
TEST(velocity_rest, a_single_body_at_rest_keeps_a_velocity_of_zero) {
    for (const double tolerance : {1e-8, 1e-15})
        for (const std::string method : {"auto", "direct", "sequential_impulses", "block", "jacobi", "apgd", "bb", "mlcp", "soft_step"})
            for (const char* body : {R"("kind": "sphere", "radius": 0.1, "at": [0, 0.1, 0])", R"("kind": "box", "size": [0.4, 0.2, 0.3], "at": [0, 0.1, 0])"}) {
                auto s = start(settings_scene(fmt::format(R"("method": "{}", "iterations": 1000, "precision": "double", "tolerance": {})", method, tolerance), 0.01, 300,
                                              fmt::format(R"("floor": {{ "kind": "plane", "friction": 0.5 }}, "body": {{ {}, "mass": 2, "friction": 0.5 }})", body), R"("gravity": [0, -9.81, 0])"));
                ASSERT_TRUE(s);
                double fastest = 0;
                while (!is_finished(*s)) {
                    ASSERT_NE(simulate_step(*s), Status::failed);
                    if (method != "soft_step" || s->now.time > 2) fastest = std::max(fastest, measure(*s, "body.speed"));
                }
                EXPECT_LE(fastest, std::max(tolerance, 1e-14)) << method << " " << body; // round-off of 0.1 m/s, which the weight adds in a step and the floor takes
                if (method != "soft_step") { EXPECT_NEAR(measure(*s, "body.y"), 0.1, 3 * std::max(tolerance, 1e-14)) << method << " " << body; } // 3 s of it
            }
}

// v0/(mu g) = 0.20387 s for v0 = 1, mu = 0.5: velocities fall by h mu g, and are zero from the first step after that on.
// A ball slides with v - r w falling by 7/2 mu g h, and rolls from 2 v0/(7 mu g) = 0.05825 s on at 5/7 v0.
TEST(velocity_rest, sliding_ends_at_the_time_of_coulombs_law_and_rolling_begins_at_its_own) {
    const double h = 0.002, mu_g = 0.5 * 9.81;
    for (const std::string method : {"auto", "direct", "sequential_impulses", "block", "apgd", "bb", "mlcp", "soft_step"}) {
        auto s = start(settings_scene(fmt::format(R"("method": "{}", "iterations": 200, "precision": "double", "facets": 4)", method), h, 115,
                                      R"("floor": { "kind": "plane", "friction": 0.5 }, "box": { "kind": "box", "size": [1, 0.1, 1], "mass": 2, "friction": 0.5, "at": [0, 0.05, 0], "velocity": [1, 0, 0] },
                                         "ball": { "kind": "sphere", "radius": 0.1, "mass": 1, "friction": 0.5, "at": [0, 0.1, 3], "velocity": [1, 0, 0] })", R"("gravity": [0, -9.81, 0])"));
        ASSERT_TRUE(s);
        double box = 0, ball = 0, stopped = 0, rolling = 0;
        for (int k = 1; k <= 115; ++k) {
            ASSERT_NE(simulate_step(*s), Status::failed);
            const double v = std::max(0.0, 1 - k * h * mu_g), rolled = std::max(5.0 / 7, 1 - k * h * mu_g);
            const double v_box = measure(*s, "box.velocity.x"), v_ball = measure(*s, "ball.velocity.x"), w_ball = -0.1 * measure(*s, "ball.spin.z");
            box = std::max(box, std::abs(v_box - v));
            ball = std::max({ball, std::abs(v_ball - rolled), std::abs(w_ball - 2.5 * (1 - rolled))});
            if (stopped == 0 && v_box < 1e-4) stopped = k * h;
            if (rolling == 0 && v_ball - w_ball < 1e-4) rolling = k * h;
        }
        // the tolerance of 1e-8 m/s in each of 115 steps; soft steps: load that springs have not taken up yet while they are first pressed
        const double near = method == "soft_step" ? 5e-5 : 1.2e-6;
        EXPECT_LT(box, near) << method;
        EXPECT_LT(ball, near) << method;
        EXPECT_NEAR(stopped, h * std::ceil(1 / (mu_g * h)), 1e-12) << method;
        EXPECT_NEAR(rolling, h * std::ceil(2 / (7 * mu_g * h)), 1e-12) << method;
    }
}

// ---- tension of a pendulum (spec P V18) ----

namespace {

// largest error of the force at ten angles of a swing from `first`, relative to m g: ball of 2 kg, l = 1
double tension_error(const std::string& solver, double first, double dt) {
    const double mass = 2, radius = 0.1, g = 9.81, about = mass + 0.4 * mass * radius * radius; // I about the pivot
    auto s = start(fmt::format(R"({{ "sinew": 1, {}, "time": {{ "dt": {}, "fps": {}, "seconds": 3 }},
        "objects": {{ "bob": {{ "kind": "sphere", "radius": {}, "mass": {}, "contact": false, "at": [{}, {}, 0] }} }},
        "joints": {{ "pivot": {{ "kind": "hinge", "axis": [0, 0, 1], "between": ["world", "bob"], "at": [0, 0, 0] }} }} }})",
                               solver, dt, 1 / dt, radius, mass, std::sin(first), -std::cos(first)));
    if (!s) return 1e300;
    const auto angle = [&] { return std::atan2(measure(*s, "bob.x"), -measure(*s, "bob.y")); };
    double worst = 0, before = angle();
    int seen = 0; // of first (1 - 2 k/11), k = 1 to 10
    while (seen < 10 && !is_finished(*s)) {
        if (simulate_step(*s) == Status::failed) return 1e300;
        const double now = angle(), wanted = first * (1 - 2 * (seen + 1) / 11.0);
        if (now <= wanted) {
            // m g cos + m l w^2 along the string, m g sin (1 - m l^2/I) across it, in the middle of the step
            const double t = 0.5 * (before + now), w2 = 2 * mass * g * (std::cos(t) - std::cos(first)) / about;
            const double along = mass * g * std::cos(t) + mass * w2, across = mass * g * std::sin(t) * (1 - mass / about);
            const double fx = -along * std::sin(t) + across * std::cos(t), fy = along * std::cos(t) + across * std::sin(t);
            worst = std::max(worst, std::hypot(measure(*s, "pivot.force.x") - fx, measure(*s, "pivot.force.y") - fy) / (mass * g));
            ++seen;
        }
        before = now;
    }
    EXPECT_EQ(seen, 10) << solver;
    return worst;
}

} // namespace

// m g (3 cos - 2 cos first) for a bob that is a point; here a ball about its pivot. In one step the force changes by up to 3 m g w h, w the
// speed at the bottom, and its error is less and falls with h.
TEST(velocity_pendulum, its_pivot_carries_the_tension_of_the_closed_form_at_ten_angles) {
    for (const std::string solver : {R"("solver": "velocity")", R"("solver": "velocity", "solvers": { "velocity": { "method": "direct" } })", R"("solver": "articulated")"})
        for (const double degrees : {30.0, 90.0, 170.0}) {
            const double first = degrees * kPi / 180, w = std::sqrt(2 * 9.81 * (1 - std::cos(first)));
            const double coarse = tension_error(solver, first, 2e-3), fine = tension_error(solver, first, 1e-3);
            EXPECT_LT(fine, 3 * w * 1e-3) << solver << " " << degrees;
            EXPECT_NEAR(coarse / fine, 2, 0.2) << solver << " " << degrees; // first order
        }
}

// auto: a stray body is solved directly where it is all there is, and in soft steps beside a heap of more bodies.
TEST(velocity_way, stray_bodies_of_a_heap_take_soft_steps_with_it) {
    const std::string stray = R"("stray": { "kind": "box", "size": [1, 1, 1], "mass": 1, "at": [30, 0.5, 0] })";
    const std::string heap = R"("heap": { "kind": "box", "size": [1, 1, 1], "mass": 1, "at": ["i", "0.5 + j", "k"], "replicate": { "count": [3, 3, 3], "index": ["i", "j", "k"] } })";
    for (const bool beside : {false, true}) {
        std::optional<Simulation> s = start(R"({ "solver": "velocity", "time": { "dt": 0.01, "seconds": 1 }, "objects": { "floor": { "kind": "plane" }, )" + stray + (beside ? ", " + heap : "") + " } }");
        ASSERT_TRUE(s);
        ASSERT_EQ(simulate_step(*s), Status::ok) << s->report.message;
        EXPECT_EQ(s->report.islands, beside ? 2 : 1);
        EXPECT_EQ(s->report.islands_direct, beside ? 0 : 1);
    }
}
