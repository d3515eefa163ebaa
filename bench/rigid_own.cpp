#include "rigid_own.h"
#include "constraint/joint_ball.h"
#include "constraint/list.h"
#include "core/math.h"
#include "energy/list.h"
#include "geometry/mass.h"
#include <fmt/format.h>

namespace sinew::bench {

static void add_ball_joint(ModelBuilder& b, const BenchJoint& j) {
    JointBall::Params p;
    for (int side = 0; side < 2; ++side) { // bodies and frames have the same numbers
        const int f = side == 0 ? j.a : j.b;
        p.anchor.local[side] = real3(quat(b.state.frame.q[f]).conjugate() * (vec(j.at) - vec(b.state.frame.p[f])));
        p.anchor.axes[side] = real4(quat(b.state.frame.q[f]).conjugate());
    }
    begin_object(b, fmt::format("j{}", b.model.objects.size()), "joint");
    add_constraint(b, *find_constraint("joint_ball"), &p, std::array<int, 2>{j.a, j.b});
}

OwnEngine::OwnEngine(const RigidScene& s, int threads, const std::string& precision) {
    const ElementRow& gravity = *find_energy("gravity_frame");
    for (std::size_t i = 0; i < s.bodies.size(); ++i) {
        const BenchBody& body = s.bodies[i];
        begin_object(b, fmt::format("b{}", i), body.is_box ? "box" : "sphere");
        b.model.objects.back().friction = s.friction;
        if (!s.collides) b.model.objects.back().touches = 0;
        MassProperties m;
        if (body.mass > 0)
            m = scale_mass(body.is_box ? box_mass({2 * body.half.x, 2 * body.half.y, 2 * body.half.z}, 1) : sphere_mass(body.half.x, 1), body.mass);
        const int frame = add_frame(b, body.pose, m.mass, m.inertia, body.mass > 0 ? kFree : kFixed);
        if (body.mass > 0) add_energy(b, gravity, gravity.make_params().get(), std::array<int, 1>{frame});
        Shape shape;
        shape.kind = body.is_box ? Shape::box : Shape::sphere;
        shape.size = body.half;
        add_collider(b, shape, frame);
    }
    for (const BenchJoint& j : s.joints) add_ball_joint(b, j);
    finish_model(b);
    now = b.state;
    VelocitySettings settings;
    settings.sleep = false;
    settings.precision = precision;
    Context context;
    context.threads = threads;
    solver = make_velocity(context, b.model, now, &settings);
    next = now;
}

void OwnEngine::step(double dt) {
    report = solver->step(b.model, {}, now, next, dt);
    for (int k = 0; k < report.stages.count; ++k) { // mostly the same ones as before
        const StageTime& t = report.stages.entries[k];
        if (k < stages.count && stages.entries[k].name == t.name) stages.entries[k].seconds += t.seconds;
        else add_time(stages, t.name, t.seconds);
    }
    std::swap(now, next);
}

std::string OwnEngine::note() const {
    std::string out = report.path;
    for (const StageTime& t : stages) out += fmt::format(", {} {:.3g}", t.name, 1e3 * t.seconds / double(now.step));
    return out;
}

} // namespace sinew::bench
