#include "solver/newton_fixture.h"
#include "energy/attach.h"
#include "energy/spring_zero.h"

namespace sinew {

NewtonRun::NewtonRun(const ModelBuilder& model, const NewtonSettings& s, int threads) : b(model), now(model.state) {
    solver = make_newton({.threads = threads}, b.model, now, &s);
}
void NewtonRun::step(Real dt, Trace* trace) {
    if (drop) solver->drop_caches();
    report = solver->step(b.model, input, now, spare, dt, trace);
    ASSERT_EQ(report.status, Status::ok) << report.message;
    std::swap(now, spare);
}
void NewtonRun::steps(int count, Real dt) {
    for (int i = 0; i < count; ++i) step(dt);
}

NewtonSettings exact_settings(const char* scheme) {
    NewtonSettings s;
    s.scheme = scheme;
    s.tolerance = 1e-12;
    s.force_tolerance = 1e-14;
    return s;
}
ModelBuilder one_point(Real mass, Vec3 x, Vec3 v) {
    ModelBuilder b;
    begin_object(b, "one", "particles");
    add_points(b, std::vector<Real3>{real3(x)}, std::vector<Real>{mass}, kFree, real3(v));
    return b;
}
ModelBuilder make_oscillator(Real mass, Real omega, Vec3 x, Vec3 v, Real damping) {
    ModelBuilder b = one_point(mass, x, v);
    Attach::Params pin;
    pin.stiffness = mass * omega * omega, pin.damping = damping, pin.to = Real3{};
    add_energy(b, *find_energy("attach"), &pin, std::array<int, 1>{0});
    finish_model(b);
    return b;
}
ModelBuilder make_pendulum(Real damping) {
    ModelBuilder b;
    begin_object(b, "pendulum", "chain");
    add_points(b, std::vector<Real3>{{0, 0, 0}, {0.4, 0.1, 0}, {0.7, 0.3, 0.1}, {1.1, 0.2, 0}},
               std::vector<Real>{1, 0.5, 0.3, 0.4});
    b.model.point.flags[0] = kFixed;
    for (int i = 0; i < 3; ++i) add_spring(b, i, i + 1, 60 + 20 * i, damping);
    add_gravity(b, 1, 4);
    b.state.point.v[3] = {0, 1, 0.5};
    finish_model(b);
    return b;
}
ModelBuilder make_linear_net() {
    ModelBuilder b;
    begin_object(b, "net", "particles");
    Rng rng{4, 0, 0};
    std::vector<Real3> x(12);
    for (Real3& a : x) a = real3(draw_vec(rng, -1, 1));
    add_points(b, x, std::vector<Real>(12, 0.7));
    b.model.point.flags[0] = kFixed;
    const SpringZero::Params p{150, 2};
    for (int i = 0; i < 12; ++i)
        for (int j : {(i + 1) % 12, (i + 5) % 12})
            add_energy(b, *find_energy("spring_zero"), &p, std::array<int, 2>{i, j});
    add_gravity(b, 1, 12);
    for (int i = 1; i < 12; ++i) b.state.point.v[i] = real3(draw_vec(rng, -1, 1));
    finish_model(b);
    return b;
}
ModelBuilder falling_on_floor(Real damping, Obstacle::Shape shape) {
    ModelBuilder b = one_point(2, {0.1, 0.3, 0}, {0, -1, 0});
    add_gravity(b, 0, 1);
    begin_object(b, "floor", "obstacle");
    const Real radius = 0.5;
    const int frame = add_frame(b, {{0.1, shape == Obstacle::plane ? 0.0 : -radius, 0}, {}}, 1, {}, kFixed);
    Obstacle o;
    o.shape = shape, o.size = {radius, 0, 0}, o.frame = frame, o.object = 1, o.stiffness = 5000,
    o.damping = damping;
    b.model.obstacles.push_back(o);
    add_surface_points(b, {0, 1}, 0.02);
    finish_model(b);
    return b;
}
State reference_state(const ModelBuilder& b, Real time, int steps) {
    State now = b.state, next;
    ExplicitSettings s;
    s.scheme = "rk4";
    const auto solver = make_explicit({.threads = 1}, b.model, now, &s);
    for (int i = 0; i < steps; ++i) {
        solver->step(b.model, {}, now, next, time / steps);
        std::swap(now, next);
    }
    return now;
}
Real distance_between(const State& a, const State& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.point.x.size(); ++i)
        sum += (vec(a.point.x[i]) - vec(b.point.x[i])).squaredNorm();
    return std::sqrt(sum);
}
Real velocity_distance(const State& a, const State& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.point.v.size(); ++i)
        sum += (vec(a.point.v[i]) - vec(b.point.v[i])).squaredNorm();
    return std::sqrt(sum);
}

} // namespace sinew
