#include "position/position_fixture.h"
#include "constraint/distance.h"
#include "core/fields.h"
#include "energy/gravity.h"

namespace sinew {

PositionRun::PositionRun(const ModelBuilder& model, const PositionSettings& s, int threads) : b(model), now(model.state) {
    solver = make_position({.threads = threads}, b.model, now, &s);
}
void PositionRun::step(Real dt, Trace* trace) {
    report = solver->step(b.model, input, now, spare, dt, trace);
    ASSERT_EQ(report.status, Status::ok) << report.message;
    std::swap(now, spare);
}
void PositionRun::steps(int count, Real dt) {
    for (int i = 0; i < count; ++i) step(dt);
}

PositionSettings plain_settings() {
    PositionSettings s;
    s.iterations = 20, s.substeps = 1;
    return s;
}
void add_link(ModelBuilder& b, int from, int to, Real compliance) {
    const Distance::Params p{compliance, false};
    add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{from, to});
}
ModelBuilder make_chain(const Vec3& along, int links, Real length, Real mass, Real compliance, Real gravity) {
    ModelBuilder b;
    b.model.gravity = {0, -gravity, 0};
    begin_object(b, "chain", "chain");
    std::vector<Real3> x;
    for (int i = 0; i <= links; ++i) x.push_back(real3(i * length * along));
    add_points(b, x, std::vector<Real>(links + 1, mass));
    b.model.point.flags[0] = kFixed;
    for (int i = 0; i < links; ++i) {
        if (compliance < 0) add_spring(b, i, i + 1, -1 / compliance);
        else add_link(b, i, i + 1, compliance);
    }
    const Gravity::Params g{Real3{0, -gravity, 0}};
    for (int i = 1; i <= links; ++i) add_energy(b, *find_energy("gravity"), &g, std::array<int, 1>{i});
    finish_model(b);
    return b;
}

const std::vector<std::string> kDualMethods = [] {
    PositionSettings s;
    std::vector<std::string> out;
    for (const FieldRef& f : collect_fields([&](auto&& v) { PositionSettings::fields(s, v); }).fields)
        if (f.name == "method") out.assign(f.info.allowed.begin(), f.info.allowed.end());
    return out;
}();

} // namespace sinew
