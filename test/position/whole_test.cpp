// Rows of whole surfaces and regions: volume under a law, shape matching (spec U112, U113).
#include "energy/pressure_volume.h"
#include "energy/shape_match.h"
#include "geometry/generate.h"
#include "geometry/triangulate.h"
#include "model/stencil.h"
#include "position/position_fixture.h"
#include "solver/newton.h"
#include "solver/position_whole.h"
#include <cmath>

using namespace sinew;

namespace {

// a ball of springs along its edges that holds something, hung by one point
ModelBuilder make_ball(PressureVolume::Params inside, bool hung, Real stiffness = 400) {
    ModelBuilder b;
    const PolygonMesh mesh = make_icosphere(0.5, 1);
    const auto triangles = triangulate(mesh).triangles;
    begin_object(b, "ball", "cloth");
    std::vector<Real> mass;
    for (int i = 0; i < vertex_count(mesh); ++i) mass.push_back(0.01 * (1 + 0.3 * std::sin(i)));
    add_points(b, mesh.positions, mass);
    if (hung) b.model.point.flags[0] = kFixed;
    for (const auto& t : triangles)
        for (int k = 0; k < 3; ++k)
            if (t[k] < t[(k + 1) % 3]) add_spring(b, t[k], t[(k + 1) % 3], stiffness * (1 + 0.2 * std::cos(t[k])));
    Real area = 0;
    const auto corner = [&](int i) { return vec(mesh.positions[i]); };
    const auto area_of = [&](const std::array<int, 3>& t) { return (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).norm() / 2; };
    inside.volume = 0;
    for (const auto& t : triangles) {
        area += area_of(t);
        inside.volume += PressureVolume::triangle_volume(corner(t[0]), corner(t[1]), corner(t[2]));
    }
    inside.origin = 0;
    for (const auto& t : triangles) {
        inside.weight = area_of(t) / area;
        add_energy(b, *find_energy("pressure_volume"), &inside, t);
    }
    if (hung) add_gravity(b, 0, vertex_count(mesh));
    finish_model(b);
    return b;
}
Real volume_of(const ModelBuilder& b, const State& s) {
    Real sum = 0;
    for (const Table& t : b.model.elements->energies)
        if (t.row->name == "pressure_volume")
            for (int e = 0; e < t.count(); ++e) {
                const int* id = t.stencil.data() + 3 * e;
                sum += PressureVolume::triangle_volume(vec(s.point.x[id[0]]), vec(s.point.x[id[1]]), vec(s.point.x[id[2]]));
            }
    return sum;
}
PressureVolume::Params liquid(Real bulk, Real fill = 1) {
    PressureVolume::Params p;
    p.bulk = bulk, p.fill = fill;
    return p;
}

// a block of points whose shape is matched, whole or in two overlapping halves
ModelBuilder make_block(Real frequency, bool halves) {
    ModelBuilder b;
    begin_object(b, "block", "solid");
    std::vector<Real3> x;
    std::vector<Real> mass;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 2; ++k) {
                x.push_back({0.1 * i, 0.1 * j, 0.1 * k + 0.01 * i});
                mass.push_back(0.01 * (1 + 0.4 * std::sin(2.0 * i + j - k)));
            }
    add_points(b, x, mass);
    const int n = int(x.size());
    for (int region = 0; region < (halves ? 2 : 1); ++region) {
        const auto is_in = [&](int i) { return !halves || (region ? i >= n / 4 : i < 3 * n / 4); };
        const auto share = [&](int i) { return halves && i >= n / 4 && i < 3 * n / 4 ? 0.5 : 1.0; };
        Vec3 center = Vec3::Zero();
        Real total = 0;
        for (int i = 0; i < n; ++i)
            if (is_in(i)) center += share(i) * mass[i] * vec(x[i]), total += share(i) * mass[i];
        for (int i = 0; i < n; ++i) {
            if (!is_in(i)) continue;
            const ShapeMatch::Params p{frequency, real3(center / total), total, share(i), region};
            add_energy(b, *find_energy("shape_match"), &p, std::array<int, 1>{i});
        }
    }
    finish_model(b);
    return b;
}
void deform(State& s, Real size, Real turn) {
    Rng rng{5, 3, 0};
    const Quat q = exp_rotation(turn * Vec3(0.4, 0.8, -0.3));
    for (Real3& x : s.point.x) x = real3(q * (vec(x) + draw_vec(rng, -size, size)));
    for (Real3& v : s.point.v) v = real3(draw_vec(rng, -1, 1));
}
State newton_steps(const ModelBuilder& b, State now, int count, Real dt) {
    NewtonSettings exact;
    exact.tolerance = 1e-13, exact.force_tolerance = 1e-13, exact.max_iterations = 2000;
    State next;
    const auto newton = make_newton({.threads = 1}, b.model, now, &exact);
    for (int i = 0; i < count; ++i) {
        const Report r = newton->step(b.model, {}, now, next, dt);
        EXPECT_EQ(r.status, Status::ok) << r.message;
        std::swap(now, next);
    }
    return now;
}
Real distance_between(const State& a, const State& b) {
    Real worst = 0;
    for (std::size_t i = 0; i < a.point.x.size(); ++i) worst = std::max(worst, (vec(a.point.x[i]) - vec(b.point.x[i])).norm());
    return worst;
}

} // namespace

TEST(position_whole, a_liquid_keeps_its_volume_to_one_part_in_a_million) {
    for (const char* method : {"gauss_seidel", "accelerated_jacobi", "fast_projection"}) {
        const ModelBuilder b = make_ball(liquid(2.2e9), true);
        PositionSettings s = plain_settings();
        s.method = method;
        PositionRun run(b, s);
        const Real rest = volume_of(b, run.now);
        Real worst = 0, sag = 0;
        for (int i = 0; i < 30; ++i) {
            run.step(1.0 / 60);
            worst = std::max(worst, std::abs(volume_of(b, run.now) / rest - 1));
        }
        for (int i = 0; i < point_count(b.model); ++i) sag = std::max(sag, (run.x(i) - vec(b.model.point.rest[i])).norm());
        // p/K of some kPa over 2 GPa, and what one linearisation of V leaves
        EXPECT_LT(worst, 1e-6) << method;
        EXPECT_GT(sag, 0.05) << method; // it did deform
    }
}

TEST(position_whole, a_ball_that_is_overfilled_takes_the_volume_of_the_liquid) {
    const ModelBuilder b = make_ball(liquid(1e8, 1.05), false);
    PositionSettings s = plain_settings();
    PositionRun run(b, s);
    const Real rest = volume_of(b, run.now);
    run.steps(60, 1.0 / 60);
    // pressure of the skin, some 2 T/r with T of the order of 400 N/m, over K; and what one linearisation of V leaves
    EXPECT_NEAR(volume_of(b, run.now) / rest, 1.05, 1e-4);
}

TEST(position_whole, gas_and_liquid_move_as_newton_moves_them) {
    PressureVolume::Params gas;
    gas.gas = true, gas.pressure = 400, gas.outside = 3000;
    for (const PressureVolume::Params& inside : {gas, liquid(5e4, 1.05)}) {
        ModelBuilder b = make_ball(inside, true);
        shake(b.model, b.state, 0.01);
        const State exact = newton_steps(b, b.state, 5, 0.01);
        for (const char* method : {"gauss_seidel", "fast_projection", "newton"}) {
            PositionSettings s = plain_settings();
            s.method = method, s.iterations = std::string_view(method) == "gauss_seidel" ? 800 : 40, s.tolerance = 1e-13;
            PositionRun run(b, s);
            run.steps(5, 0.01);
            const Real way = distance_between(b.state, exact);
            EXPECT_GT(way, 0.005);
            // newton: tolerances; others: what earlier directions pushed stays, and rows turn by tenths in a step
            EXPECT_LT(distance_between(run.now, exact), (std::string_view(method) == "newton" ? 0.02 : 0.1) * way) << method << ' ' << inside.gas;
        }
    }
}

TEST(position_whole, every_change_keeps_momentum_and_angular_momentum) {
    PressureVolume::Params gas;
    gas.gas = true, gas.pressure = 1000;
    ModelBuilder models[] = {make_ball(gas, false), make_ball(liquid(1e6), false), make_block(8, false), make_block(8, true)};
    const auto parallel = make_parallel({.threads = 1});
    for (ModelBuilder& b : models) {
        State s = b.state;
        deform(s, 0.05, 1.1);
        WholeRows rows;
        for (const Table& t : b.model.elements->energies)
            if (is_whole_table(t)) add_whole_rows(t, rows);
        const int n = point_count(b.model);
        colour_whole_rows(n, std::vector<unsigned char>(n, 0), rows);
        ASSERT_FALSE(rows.empty());
        std::vector<Real> inverse;
        for (Real m : b.model.point.mass) inverse.push_back(1 / m);
        Sweep w;
        w.to.x = s.point.x.data(), w.to.v = s.point.v.data(), w.to.point_inverse = inverse.data();
        w.h = 0.01, w.reach = 1e-4, w.kick = 0.01;
        for (int k = 0; k < 6; ++k) { // later changes see multipliers of earlier places and rotations
            w.damping_time = k % 2 ? 0.005 : 0;
            const State before = s;
            // one row after another, as torque is about the place before the change
            project_whole_rows(*parallel, w, rows);
            Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
            Real size = 0;
            for (int i = 0; i < n; ++i) {
                const Vec3 dv = b.model.point.mass[i] * (vec(s.point.v[i]) - vec(before.point.v[i]));
                // x changes along dv alone, in one region: torques about the old and the new place are the same
                momentum += dv, spin += vec(s.point.x[i]).cross(dv), size += dv.norm();
            }
            EXPECT_GT(size, 1e-6);
            EXPECT_LT(momentum.norm(), 1e-13 * (1 + size)); // round-off of some forty terms
            if (rows.shapes.size() < 2) {
                EXPECT_LT(spin.norm(), 1e-13 * (1 + size));
            }
        }
    }
}

TEST(position_whole, shape_matching_has_the_gradient_of_its_energy_and_no_resultant) {
    const ModelBuilder b = make_block(3, true);
    State s = b.state;
    deform(s, 0.05, 2);
    const Table& t = b.model.elements->energies[0];
    Evaluation ev;
    ev.x = s.point.x.data();
    const auto gradient = [&] {
        std::vector<Real> local(3 * t.count());
        t.row->gradient(t, ev, 0, t.count(), local.data());
        VecX g = VecX::Zero(3 * point_count(b.model));
        for (int e = 0; e < t.count(); ++e) g.segment<3>(3 * t.stencil[e]) += Vec3::Map(local.data() + 3 * e);
        return g;
    };
    const VecX g = gradient();
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (int i = 0; i < point_count(b.model); ++i) {
        force += g.segment<3>(3 * i), torque += vec(s.point.x[i]).cross(Vec3(g.segment<3>(3 * i)));
        for (int k = 0; k < 3; ++k) {
            const Real step = 1e-6, was = vec(s.point.x[i])[k];
            vec(s.point.x[i])[k] = was + step;
            const Real up = t.row->value(t, ev, 0, t.count());
            vec(s.point.x[i])[k] = was - step;
            const Real down = t.row->value(t, ev, 0, t.count());
            vec(s.point.x[i])[k] = was;
            EXPECT_NEAR((up - down) / (2 * step), g[3 * i + k], 1e-8 * (1 + g.norm())); // step^2, and 1e-16/step
        }
    }
    EXPECT_LT(force.norm(), 1e-14 * (1 + g.norm()));
    EXPECT_LT(torque.norm(), 1e-14 * (1 + g.norm()));
}

TEST(position_whole, a_deformation_shrinks_by_the_factor_of_implicit_euler) {
    // one region, pure stretch: R does not turn, and every deformation is multiplied by 1/(1 + h^2 k) (V1 of a whole body)
    const Real frequency = 5, h = 0.01, k = 4 * kPi * kPi * frequency * frequency;
    const ModelBuilder b = make_block(frequency, false);
    for (const char* method : {"gauss_seidel", "jacobi", "conjugate_residuals", "newton"}) {
        PositionSettings s = plain_settings();
        s.method = method, s.iterations = 3;
        PositionRun run(b, s);
        Vec3 center = Vec3::Zero();
        Real mass = 0;
        for (int i = 0; i < point_count(b.model); ++i) center += b.model.point.mass[i] * run.x(i), mass += b.model.point.mass[i];
        center /= mass;
        for (int i = 0; i < point_count(b.model); ++i) vec(run.now.point.x[i]) += 0.2 * (run.x(i) - center);
        run.step(h);
        for (int i = 0; i < point_count(b.model); ++i) {
            const Vec3 rest = vec(b.model.point.rest[i]) - center;
            EXPECT_LT((run.x(i) - center - (1 + 0.2 / (1 + h * h * k)) * rest).norm(), 1e-13) << method;
        }
    }
}

TEST(position_whole, shape_matching_moves_as_newton_moves_it) {
    for (const bool halves : {false, true}) {
        ModelBuilder b = make_block(6, halves);
        deform(b.state, 0.02, 0.3);
        const State exact = newton_steps(b, b.state, 5, 0.01);
        PositionSettings s = plain_settings();
        s.iterations = 400, s.tolerance = 1e-12;
        PositionRun run(b, s);
        run.steps(5, 0.01);
        const Real way = distance_between(b.state, exact);
        EXPECT_GT(way, 0.01);
        EXPECT_LT(distance_between(run.now, exact), 0.02 * way) << halves; // the regions turn by some hundredths in a step
    }
}

TEST(position_whole, a_thrown_block_spins_on_with_its_momentum_and_shape) {
    const ModelBuilder b = make_block(30, true);
    PositionSettings s = plain_settings();
    s.iterations = 5;
    PositionRun run(b, s);
    for (int i = 0; i < point_count(b.model); ++i) run.now.point.v[i] = real3(Vec3(1, 2, 0) + Vec3(0, 3, 1).cross(run.x(i)));
    const auto momenta = [&] {
        Vec3 p = Vec3::Zero();
        for (int i = 0; i < point_count(b.model); ++i) p += b.model.point.mass[i] * run.v(i);
        return p;
    };
    const Vec3 before = momenta();
    run.steps(200, 0.005);
    EXPECT_LT((momenta() - before).norm(), 1e-13); // round-off of 200 steps
    // distances within a half are those at rest, but for the centrifugal stretch w^2/k
    const Real stretch = (run.x(0) - run.x(5)).norm() / (vec(b.model.point.rest[0]) - vec(b.model.point.rest[5])).norm();
    EXPECT_NEAR(stretch, 1, 0.01);
}
