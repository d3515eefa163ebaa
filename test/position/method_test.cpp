// The dual methods against dense algebra (spec U 3.6): on a line every link is linear in the unknowns, and contacts between points
// always are. So after k iterations a method is where its textbook says, and at the end where the dense system says.
#include "constraint/distance.h"
#include "core/random.h"
#include "dense.h"
#include "model/stencil.h"
#include "model/visit.h"
#include "position/position_fixture.h"
#include "solver/position_memory.h"
#include "solver/position_dual.h"
#include <cmath>

using namespace sinew;

namespace {

constexpr Real kTimeStep = 0.02;

// points along x with links between random pairs, the first one held, moved a little along x
struct Line {
    ModelBuilder b;
    MatX J, A;  // rows by points, A = h^2 J W J^T + alpha
    VecX c, w;  // at the start, from where a step at rest begins; inverse masses
    int rows = 0;
    Line(int points, int links, int ropes, std::uint64_t seed) : rows(links + ropes) {
        Rng rng{seed, 1, 0};
        b.model.gravity = {0, 0, 0};
        begin_object(b, "line", "chain");
        std::vector<Real3> x;
        std::vector<Real> mass;
        for (int i = 0; i < points; ++i) x.push_back({Real(i), 0, 0}), mass.push_back(draw_uniform(rng, 0.5, 3));
        add_points(b, x, mass);
        b.model.point.flags[0] = kFixed;
        J = MatX::Zero(rows, points);
        VecX alpha(rows);
        for (int k = 0; k < rows; ++k) {
            const int i = k < points - 1 ? k : int(draw_uniform(rng, 0, points - 2.001)); // a chain first
            const int j = k < points - 1 ? k + 1 : i + 2 + int(draw_uniform(rng, 0, points - i - 2.001));
            alpha[k] = draw_uniform(rng, 0.5, 2) * 1e-4; // as much as h^2 w
            const Distance::Params p{alpha[k], k >= links};
            add_constraint(b, *find_constraint("distance"), &p, std::array<int, 2>{i, j});
            const Real sign = k >= links ? -1 : 1;
            J(k, i) = -sign, J(k, j) = sign;
        }
        finish_model(b);
        w = VecX::Zero(points);
        VecX moved = VecX::Zero(points);
        for (int i = 1; i < points; ++i) {
            w[i] = 1 / mass[i];
            moved[i] = draw_uniform(rng, -0.2, 0.2);
            b.state.point.x[i].x += moved[i];
        }
        c = J * moved;
        A = kTimeStep * kTimeStep * J * w.asDiagonal() * J.transpose();
        A.diagonal() += alpha;
    }
    // where the points are with these multipliers
    VecX at(const VecX& lambda) const {
        VecX x(w.size());
        for (int i = 0; i < x.size(); ++i) x[i] = b.state.point.x[i].x;
        return x + kTimeStep * kTimeStep * w.cwiseProduct(J.transpose() * lambda);
    }
    VecX run(const PositionSettings& s, int steps = 1) const {
        PositionRun run(b, s);
        run.steps(steps, kTimeStep);
        VecX x(w.size());
        for (int i = 0; i < x.size(); ++i) x[i] = run.x(i).x();
        return x;
    }
};

PositionSettings settings_of(const std::string& method, int iterations, const char* step = "own") {
    PositionSettings s = plain_settings();
    s.method = method, s.iterations = iterations, s.step = step;
    return s;
}

Real largest_eigenvalue(const MatX& A) {
    const VecX d = A.diagonal().cwiseSqrt().cwiseInverse();
    return eigenvalues_of(d.asDiagonal() * A * d.asDiagonal()).maxCoeff();
}

// multipliers after n iterations by the book, on S A S with S = D^-1/2
VecX by_the_book(const Line& line, const std::string& method, int n, Real step = 0) {
    const VecX S = line.A.diagonal().cwiseSqrt().cwiseInverse();
    const MatX A = S.asDiagonal() * line.A * S.asDiagonal();
    VecX x = VecX::Zero(line.rows), r = -S.cwiseProduct(line.c), d = VecX::Zero(line.rows), last = d;
    Real theta = 1, before = 0;
    for (int k = 0; k < n; ++k) {
        r = -S.cwiseProduct(line.c) - A * x;
        const Real power = std::min(1.0, std::pow(Real(k) / n, 0.6));
        const bool jacobi = method.ends_with("jacobi");
        Real beta = 0;
        if (method == "improved_jacobi" || method == "power_residuals") beta = power;
        if (method == "accelerated_jacobi") {
            if (k > 0 && (r.dot(last) < 0 || (k > 1 && r.squaredNorm() > before))) theta = 1;
            before = r.squaredNorm();
            const Real next = 0.5 * (std::sqrt(std::pow(theta, 4) + 4 * theta * theta) - theta * theta);
            beta = theta * (1 - theta) / (theta * theta + next);
            theta = next;
        }
        if (method == "conjugate_gradients") beta = k ? r.squaredNorm() / before : 0, before = r.squaredNorm();
        if (method == "conjugate_residuals") beta = k ? std::min(1.0, r.dot(A * r) / before) : 0, before = r.dot(A * r);
        if (jacobi) {
            last = (step > 0 ? step : 0.5) * r + beta * last;
        } else {
            d = r + beta * d;
            const VecX Ad = A * d;
            const bool value = method == "steepest_descent" || method == "conjugate_gradients";
            last = (step > 0 ? step : value ? r.dot(d) / d.dot(Ad) : r.dot(Ad) / Ad.squaredNorm()) * d;
        }
        x += last;
    }
    return S.cwiseProduct(x);
}

const std::string kByTheBook[] = {"jacobi", "improved_jacobi", "accelerated_jacobi", "minres", "steepest_descent", "conjugate_gradients",
                                  "conjugate_residuals", "power_residuals"};

} // namespace

TEST(position_method, iterates_are_those_of_the_book) {
    for (std::uint64_t seed : {1, 2, 3}) {
        const Line line(12, 20, 0, seed);
        for (const std::string& method : kByTheBook)
            for (int n : {1, 2, 3, 7, 15}) {
                const VecX expected = line.at(by_the_book(line, method, n));
                // rounding, which grows where directions are to be conjugate to all before: near the end of the 20 rows
                const bool conjugate = method.starts_with("conjugate") && n > 7;
                EXPECT_LT((line.run(settings_of(method, n)) - expected).norm(), conjugate ? 1e-6 : 1e-10) << method << ' ' << n;
            }
    }
}

TEST(position_method, conjugate_residuals_go_no_further_than_their_largest_step) {
    // U077: a limit so short that it holds in every iteration, and beta at most 1, which short steps reach at once
    const Line line(12, 20, 0, 1);
    const Real rho = largest_eigenvalue(line.A), part = 0.05;
    PositionSettings s = settings_of("conjugate_residuals", 1);
    s.largest_step = part;
    const VecX start = line.at(VecX::Zero(line.rows)), unit = line.at(by_the_book(line, "minres", 1, 1)) - start;
    const Real step = (line.run(s) - start).dot(unit) / unit.squaredNorm();
    EXPECT_NEAR(step * rho, part, 0.03 * part); // as below
    for (int n : {2, 5, 9}) {
        s.iterations = n;
        EXPECT_LT((line.run(s) - line.at(by_the_book(line, "conjugate_residuals", n, step))).norm(), 1e-11) << n;
    }
    // a limit that is never reached changes nothing
    s.largest_step = 1e6;
    EXPECT_EQ((line.run(s) - line.run(settings_of("conjugate_residuals", 9))).norm(), 0);
}

TEST(position_method, every_method_ends_at_the_solution_of_the_dense_system) {
    for (std::uint64_t seed : {1, 2, 3}) {
        const Line line(12, 20, 0, seed);
        const VecX expected = line.at(solve_dense(line.A, -line.c));
        for (const std::string& method : kDualMethods) {
            // the slowest halves its error about every condition number of rounds: 30 here
            EXPECT_LT((line.run(settings_of(method, 3000)) - expected).norm(), 1e-10) << method;
        }
        // directions that are conjugate: as many as there are rows are all there are (U074); MINRES too, after two projected steps and the
        // one that is lost at their end
        EXPECT_LT((line.run(settings_of("conjugate_gradients", 20)) - expected).norm(), 1e-8);
        EXPECT_LT((line.run(settings_of("gpminres", 23)) - expected).norm(), 1e-8);
        // and those of the gradient are not
        EXPECT_GT((line.run(settings_of("steepest_descent", 20)) - expected).norm(), 1e-7);
    }
}

TEST(position_method, steps_by_the_radius_have_its_length) {
    for (std::uint64_t seed : {1, 2, 3}) {
        const Line line(12, 20, 0, seed);
        const Real rho = largest_eigenvalue(line.A), here = 1 / rho;
        for (const std::string& method : kByTheBook) {
            if (method == "conjugate_gradients") continue;
            // one iteration is the step times a vector that is known: its length
            const VecX start = line.at(VecX::Zero(line.rows)), unit = line.at(by_the_book(line, method, 1, 1)) - start;
            const VecX way = line.run(settings_of(method, 1, "radius")) - start;
            const Real step = way.dot(unit) / unit.squaredNorm();
            EXPECT_LT((way - step * unit).norm(), 1e-12) << method;
            // the quotient of Rayleigh is at most rho; 20 rounds leave (l2/l1)^40 of the distance to the second eigenvalue
            EXPECT_GT(step, here * (1 - 1e-12)) << method;
            EXPECT_LT(step, here * 1.03) << method;
            // the same step in all iterations
            const VecX expected = line.at(by_the_book(line, method, 9, step));
            EXPECT_LT((line.run(settings_of(method, 9, "radius")) - expected).norm(), 1e-11) << method;
            const VecX end = line.at(solve_dense(line.A, -line.c));
            EXPECT_LT((line.run(settings_of(method, 3000, "radius")) - end).norm(), 1e-10) << method;
        }
    }
}

TEST(position_method, the_radius_is_found_further_on_from_where_it_was) {
    // few rounds in each sub-step, but from the mode of the one before: after ten the step is that of the radius
    const Line line(12, 20, 0, 4);
    const Real rho = largest_eigenvalue(line.A);
    PositionRun run(line.b, settings_of("jacobi", 1, "radius"));
    for (int k = 0; k < 12; ++k) {
        const State before = run.now;
        run.step(kTimeStep);
        if (k != 0 && k != 11) continue;
        // c where the step is predicted to end
        VecX there(line.w.size()), rest(line.w.size()), got(line.w.size());
        for (int i = 0; i < there.size(); ++i) {
            there[i] = before.point.x[i].x + (i ? kTimeStep * before.point.v[i].x : 0), rest[i] = i;
            got[i] = run.x(i).x();
        }
        const VecX unit = kTimeStep * kTimeStep *
                          line.w.cwiseProduct(line.J.transpose() * VecX(-(line.J * (there - rest)).cwiseQuotient(line.A.diagonal())));
        const Real step = (got - there).dot(unit) / unit.squaredNorm();
        EXPECT_NEAR(step * rho, 1, k == 0 ? 0.03 : 1e-4) << k; // see above; then 42 rounds
    }
}

TEST(position_method, a_mode_of_other_rows_is_not_taken_for_the_radius) {
    // as many rows as before, but others: the remembered mode has nothing of the right one but for a thousandth
    const Line line(12, 20, 0, 4);
    const Real rho = largest_eigenvalue(line.A);
    PositionRun run(line.b, settings_of("jacobi", 1, "radius"));
    run.steps(3, kTimeStep);
    auto* mode = &memory_array(run.now, kMode, find_memory(run.now, kMode)->size());
    for (std::size_t i = 0; i + 1 < mode->size(); ++i) (*mode)[i] = (i % 3 == 0 ? Real(i) : 0) + 1e-3 * (*mode)[i]; // near a shift
    const State before = run.now;
    run.step(kTimeStep);
    VecX there(line.w.size()), rest(line.w.size()), got(line.w.size());
    for (int i = 0; i < there.size(); ++i) {
        there[i] = before.point.x[i].x + (i ? kTimeStep * before.point.v[i].x : 0), rest[i] = i;
        got[i] = run.x(i).x();
    }
    const VecX unit = kTimeStep * kTimeStep * line.w.cwiseProduct(line.J.transpose() * VecX(-(line.J * (there - rest)).cwiseQuotient(line.A.diagonal())));
    EXPECT_NEAR((got - there).dot(unit) / unit.squaredNorm() * rho, 1, 0.06);
}

TEST(position_method, only_methods_that_ask_for_the_radius_remember_its_mode) {
    const Line line(4, 3, 0, 1);
    for (const std::string& method : kDualMethods) {
        PositionSettings s = settings_of(method, 1);
        s.largest_step = 1;
        State now = line.b.state;
        const auto solver = make_position({.threads = 1}, line.b.model, now, &s);
        const bool asks = method == "gpminres" || method.ends_with("residuals") || method == "minres" || method == "steepest_descent" || method == "conjugate_gradients";
        EXPECT_EQ(find_memory(now, kMode) != nullptr, asks) << method;
    }
}

TEST(position_method, settings_that_have_steps_of_their_own_refuse_the_radius) {
    const Line line(4, 3, 0, 1);
    for (const std::string method : {"gauss_seidel", "conjugate_gradients", "apgd", "gpminres", "fast_projection", "newton"}) {
        const PositionSettings s = settings_of(method, 1, "radius");
        State now = line.b.state, next;
        const auto solver = make_position({.threads = 1}, line.b.model, now, &s);
        const Report r = solver->step(line.b.model, {}, now, next, kTimeStep);
        EXPECT_EQ(r.status, Status::failed) << method;
        EXPECT_NE(r.message.find("solvers.position.step"), std::string::npos) << r.message;
    }
}

TEST(position_method, ropes_pull_as_the_complementarity_problem_says) {
    // links and eight ropes: of all 256 choices of ropes that pull, the one where these pull and the others are slack
    for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
        const Line line(12, 10, 8, seed);
        VecX expected = VecX::Zero(line.rows);
        int found = 0, pulling = 0;
        for (int choice = 0; choice < 256; ++choice) {
            std::vector<int> active;
            for (int k = 0; k < line.rows; ++k)
                if (k < 10 || choice >> (k - 10) & 1) active.push_back(k);
            MatX A(active.size(), active.size());
            VecX right(active.size());
            for (std::size_t i = 0; i < active.size(); ++i) {
                right[i] = -line.c[active[i]];
                for (std::size_t j = 0; j < active.size(); ++j) A(i, j) = line.A(active[i], active[j]);
            }
            const VecX some = solve_dense(A, right);
            VecX l = VecX::Zero(line.rows);
            for (std::size_t i = 0; i < active.size(); ++i) l[active[i]] = some[i];
            const VecX gap = line.A * l + line.c;
            bool fits = true;
            for (int k = 10; k < line.rows; ++k) fits = fits && l[k] >= 0 && gap[k] >= -1e-12;
            if (!fits) continue;
            ++found, expected = l;
            pulling = int(active.size()) - 10;
        }
        ASSERT_EQ(found, 1);
        ASSERT_GT(pulling, 0);
        ASSERT_LT(pulling, 8);
        for (const std::string& method : kDualMethods) {
            // steps of their own length know nothing of sets and may never settle; with that of the radius they do, see below
            if (method == "minres" || method == "steepest_descent" || method.starts_with("conjugate")) continue;
            EXPECT_LT((line.run(settings_of(method, 3000)) - line.at(expected)).norm(), 1e-9) << method << ' ' << seed;
        }
        EXPECT_LT((line.run(settings_of("gpminres", 60)) - line.at(expected)).norm(), 1e-9) << seed;
        for (const std::string method : {"jacobi", "accelerated_jacobi", "minres", "steepest_descent"})
            EXPECT_LT((line.run(settings_of(method, 3000, "radius")) - line.at(expected)).norm(), 1e-9) << method << ' ' << seed;
    }
}

namespace {

// points with contacts between random pairs and with walls, by hand
struct Heap {
    ModelBuilder b;
    State s;
    PositionContacts all;
    PositionContactOptions o;
    VecX start; // velocities
    explicit Heap(std::uint64_t seed, FrictionSet friction) {
        constexpr int kPoints = 12, kContacts = 10;
        Rng rng{seed, 1, 0};
        begin_object(b, "heap", "particles");
        std::vector<Real3> x;
        std::vector<Real> mass;
        for (int i = 0; i < kPoints; ++i) x.push_back(real3(draw_vec(rng, -1, 1))), mass.push_back(draw_uniform(rng, 0.5, 3));
        add_points(b, x, mass);
        finish_model(b);
        s = b.state;
        o.h = kTimeStep, o.friction = friction, o.de_saxce = false;
        for (int i = 0; i < kPoints; ++i) s.point.v[i] = real3(draw_vec(rng, -0.15, 0.15));
        for (int k = 0; k < kContacts; ++k) {
            PositionContact c;
            const int i = int(draw_uniform(rng, 0, 11.999)), j = (i + 1 + int(draw_uniform(rng, 0, 10.999))) % kPoints;
            c.side = int(all.sides.size()), c.sides = k % 3 ? 2 : 1, c.friction = draw_uniform(rng, 0.05, 0.3);
            c.n = draw_direction(rng);
            const Vec3 apart = vec(x[i]) - (c.sides == 2 ? Vec3(vec(x[j])) : Vec3::Zero());
            c.offset = -c.n.dot(apart) + draw_uniform(rng, -0.02, 0.005);
            all.sides.push_back({i, 1, Vec3::Zero()});
            if (c.sides == 2) all.sides.push_back({j, -1, Vec3::Zero()});
            all.contacts.push_back(c);
        }
        all.body_begin.assign(1, 0);
        for (const PositionContact& c : all.contacts) {
            for (int k = 0; k < c.sides; ++k) all.bodies.push_back(all.sides[c.side + k].body);
            all.body_begin.push_back(int(all.bodies.size()));
        }
        colour_contacts(std::vector<unsigned char>(kPoints, 0), all);
    }
    // |l - P(l - g/d)| d of the worst contact [m]: 0 at the solution alone, g from the positions and velocities that the multipliers make
    Real solve(const std::string& method, int iterations, const char* step = "own") {
        const auto parallel = make_parallel({.threads = 1});
        PositionProblem p;
        refresh_masses(b.model, s, p);
        refresh_tables(b.model, p);
        DualOptions d;
        d.method = method, d.iterations = iterations, d.contact = o;
        d.by_radius = std::string_view(step) == "radius";
        if (d.by_radius) d.relaxation = 1;
        Sweep w;
        w.to = {s.point.x.data(), s.point.v.data()};
        w.to.point_inverse = p.point_inverse.data();
        w.h = kTimeStep, w.reach = kTimeStep * kTimeStep, w.kick = kTimeStep;
        Evaluation ev;
        ev.dt = kTimeStep, ev.x = ev.x_now = s.point.x.data(), ev.v = s.point.v.data();
        DualScratch scratch;
        if (method == "gauss_seidel")
            for (int k = 0; k < iterations; ++k) project_contacts(*parallel, o, w.to, 12, all);
        else solve_dual(*parallel, b.model, d, w, ev, s.frame, nullptr, scratch, p, all);
        return optimality(w.to);
    }
    Real optimality(const DualState& to) const {
        Real worst = 0;
        for (const PositionContact& c : all.contacts) {
            const ContactState at = contact_state(all, c, to, 12);
            const Real d = kTimeStep * kTimeStep * contact_response(all, c, to, 12, c.n);
            const Vec3 slip = at.velocity - c.n.dot(at.velocity) * c.n;
            Real normal = c.normal - at.gap / d;
            Vec3 tangential = c.tangential - kTimeStep * slip / d;
            if (o.friction == FrictionSet::box) {
                normal = std::max(0.0, normal);
                const ContactFrame f = contact_frame(real3(c.n));
                const Real limit = c.friction * normal;
                tangential = std::clamp(tangential.dot(vec(f.t0)), -limit, limit) * vec(f.t0) +
                             std::clamp(tangential.dot(vec(f.t1)), -limit, limit) * vec(f.t1);
            } else {
                tangential *= keep_in_friction_set(o.friction, c.friction, tangential.norm(), normal);
            }
            worst = std::max(worst, d * std::max(std::abs(normal - c.normal), (tangential - c.tangential).norm()));
        }
        return worst;
    }
};

} // namespace

TEST(position_method, gradients_on_sets_end_where_forces_and_gaps_complement_each_other) {
    int sliding = 0, open = 0, sticking = 0;
    for (const FrictionSet friction : {FrictionSet::none, FrictionSet::cylinder, FrictionSet::cone, FrictionSet::box})
        for (std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
            Heap sweeps(seed, friction);
            EXPECT_LT(sweeps.solve("gauss_seidel", 4000), 1e-12) << seed << " " << int(friction);
            for (const PositionContact& c : sweeps.all.contacts) {
                if (!(c.normal > 0)) ++open;
                else if (friction == FrictionSet::cone) ++(c.tangential.norm() > 0.9999 * c.friction * c.normal ? sliding : sticking);
            }
            const auto judge = [&](const std::string& method, int iterations, const char* step, Real tolerance) {
                Heap heap(seed, friction);
                EXPECT_LT(heap.solve(method, iterations, step), tolerance) << method << ' ' << step << ' ' << seed << ' ' << int(friction);
                for (int i = 0; i < 12; ++i) // one solution for all
                    EXPECT_LT((vec(heap.s.point.x[i]) - vec(sweeps.s.point.x[i])).norm(), 100 * tolerance) << method << ' ' << seed;
            };
            judge("apgd", 1000, "own", 1e-11);
            judge("gpminres", 1000, "own", 1e-11);
            judge("jacobi", 4000, "radius", 1e-11);
            judge("jacobi", 4000, "own", 1e-11);
            judge("accelerated_jacobi", 4000, "radius", 1e-11);
        }
    EXPECT_GT(open, 20);
    EXPECT_GT(sliding, 10);
    EXPECT_GT(sticking, 10);
}
