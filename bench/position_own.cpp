// Ours: edges are springs of 1e6 N/m (compliance 1e-6 m/N), bending is springs of 100 N/m across the edges (1e-2 m/N) or
// hinges of 1e-4 N m; bars are St. Venant-Kirchhoff tetrahedra of 1e6 Pa, Poisson's ratio 0.3.
#include "energy/gravity.h"
#include "energy/hinge_theta.h"
#include "energy/list.h"
#include "energy/spring.h"
#include "energy/tet_stvk.h"
#include "model/builder.h"
#include "position_scenes.h"
#include "solver/newton.h"
#include "solver/position.h"
#include <fmt/format.h>

namespace sinew::bench {

namespace {

ModelBuilder make_model(const SoftScene& s, Bend bend) {
    ModelBuilder b;
    begin_object(b, s.name, "cloth");
    add_points(b, s.x, s.mass);
    for (std::size_t i = 0; i < s.x.size(); ++i)
        if (s.fixed[i]) b.model.point.flags[i] = kFixed;
    const Spring::Params stiff{1e6, 0}, soft{100, 0};
    const ElementRow &spring = *find_energy("spring"), &hinge = *find_energy("hinge_theta"), &tet = *find_energy("tet_stvk");
    if (s.tets.empty())
        for (const auto& e : s.edges) add_energy(b, spring, &stiff, e);
    for (const auto& h : s.hinges) {
        if (bend == Bend::springs) {
            add_energy(b, spring, &soft, std::array<int, 2>{h[0], h[3]});
        } else {
            HingeParams p;
            p.stiffness = 1e-4;
            add_energy(b, hinge, &p, h);
        }
    }
    const TetParams solid{1e6, 0.3};
    for (const auto& t : s.tets) add_energy(b, tet, &solid, t);
    const Gravity::Params gravity;
    for (int i = 0; i < int(s.x.size()); ++i)
        if (!s.fixed[i]) add_energy(b, *find_energy("gravity"), &gravity, std::array<int, 1>{i});
    finish_model(b);
    return b;
}

struct Own final : SoftEngine {
    ModelBuilder b;
    State now, next;
    std::unique_ptr<Solver> solver;
    Report report;
    StageTimes stages;
    int parts = 1; // of a step, for newton

    explicit Own(ModelBuilder model) : b(std::move(model)), now(b.state), next(b.state) {}
    void step(double dt) override {
        for (int k = 0; k < parts; ++k) {
            report = solver->step(b.model, {}, now, next, dt / parts);
            if (report.status != Status::ok) fmt::print("{}\n", report.message);
            for (const StageTime& t : report.stages) add_time(stages, t.name, t.seconds);
            std::swap(now, next);
        }
    }
    void positions(std::vector<Real3>& x) const override { x = now.point.x; }
    std::string note() const override {
        std::string out = fmt::format("{} {} iterations", report.path, report.iterations);
        for (const StageTime& t : stages) out += fmt::format(", {} {:.3g}", t.name, 1e3 * t.seconds / double(now.step));
        return out + " ms per step";
    }
};

} // namespace

std::unique_ptr<SoftEngine> make_own_soft(const SoftScene& s, const OwnSettings& o) {
    auto out = std::make_unique<Own>(make_model(s, o.bend));
    PositionSettings settings;
    settings.substeps = o.substeps, settings.iterations = o.iterations, settings.relaxation = o.relaxation, settings.tolerance = o.tolerance;
    settings.method = o.method, settings.directions = o.directions, settings.chains = o.chains;
    out->solver = make_position({.threads = o.threads}, out->b.model, out->now, &settings);
    return out;
}

std::unique_ptr<SoftEngine> make_newton_soft(const SoftScene& s, int parts, double tolerance) {
    auto out = std::make_unique<Own>(make_model(s, Bend::springs));
    NewtonSettings settings;
    settings.max_iterations = 200, settings.tolerance = tolerance, settings.force_tolerance = 0;
    out->parts = parts;
    out->solver = make_newton({.threads = 2}, out->b.model, out->now, &settings);
    return out;
}

} // namespace sinew::bench
