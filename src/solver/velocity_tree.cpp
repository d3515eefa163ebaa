#include "solver/velocity_tree_body.h"
#include "core/small_turn.h"
#include "solver/free_rotation.h"
#include "solver/measure.h"

namespace sinew {

namespace {

template <int N> using Levers = Eigen::Map<Eigen::Matrix<Real, N, 6, Eigen::RowMajor>>;
template <int N> using Square = Eigen::Map<Eigen::Matrix<Real, N, N, Eigen::RowMajor>>;
template <int N> using Part = Eigen::Map<VecN<N>>;

Vec3 speed(const TreeBody& b) { return b.u.head<3>(); }
Vec3 spin(const TreeBody& b) { return b.u.tail<3>(); }

// J (what = 0) and J W (1) of one side of a link
template <int N> Levers<N> levers(JointTree& t, int link, int what, int side) {
    return Levers<N>(t.lever.data() + std::size_t(4 * link + 2 * what + side) * N * 6);
}

// ---- products of small blocks, written out: as expressions they cost three times as much ----

// c += a b^T, a and b N x 6
template <int N> void add_product(const Real* a, const Real* b, Real* c) {
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            Real even = a[6 * i] * b[6 * j], odd = a[6 * i + 1] * b[6 * j + 1];
            for (int k = 2; k < 6; k += 2) even += a[6 * i + k] * b[6 * j + k], odd += a[6 * i + k + 1] * b[6 * j + k + 1];
            c[N * i + j] += even + odd;
        }
}
// p = j diag(m, W), W symmetric
template <int N> void weigh(const Real* j, Real m, const Real* W, Real* p) {
    for (int i = 0; i < N; ++i, j += 6, p += 6)
        for (int k = 0; k < 3; ++k) {
            p[k] = m * j[k];
            p[3 + k] = j[3] * W[k] + j[4] * W[3 + k] + j[5] * W[6 + k];
        }
}
// r += j u
template <int N> void add_rate(const Real* j, const Vec6& u, Real* r) {
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < 6; ++k) r[i] += j[6 * i + k] * u[k];
}
// u += p^T x
template <int N> void add_push(const Real* p, const Real* x, Vec6& u) {
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < 6; ++k) u[k] += p[6 * i + k] * x[i];
}

// ---- rows where the bodies are ----

// C, and J with `levers`
void evaluate(TreeWalker& d, bool levers) {
    const Evaluation ev = evaluation_of(d.from.m, d.s, d.o.dt);
    Rows& rows = d.from.rows;
    for (const auto& run : d.t.runs) {
        const Table& table = d.from.constraints[rows.key[run[0]] >> 40];
        const int e = int(rows.key[run[0]] & ((std::uint64_t(1) << 40) - 1));
        table.row->constraint(table, ev, e, e + run[1], rows.c.data() + rows.row_begin[run[0]],
                              levers ? rows.jacobian.data() + rows.value_begin[run[0]] : nullptr);
    }
}

void evaluate_rates(TreeWalker& d) {
    const Evaluation ev = evaluation_of(d.from.m, d.s, d.o.dt);
    Rows& rows = d.from.rows;
    for (const auto& run : d.t.runs) {
        const Table& table = d.from.constraints[rows.key[run[0]] >> 40];
        const int e = int(rows.key[run[0]] & ((std::uint64_t(1) << 40) - 1));
        if (table.row->rate) table.row->rate(table, ev, e, e + run[1], rows.rate.data() + rows.row_begin[run[0]]);
    }
}

template <int N> void read_levers(TreeWalker& d) {
    const Rows& rows = d.from.rows;
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        const TreeLink& l = d.t.links[k];
        for (int side = 0; side < 2 && l.body[side] >= 0; ++side) {
            Real* to = levers<N>(d.t, k, 0, side).data();
            const Real* j = rows.jacobian.data() + rows.value_begin[l.source] + l.column[side];
            if (d.t.bodies[l.body[side]].frame < 0)
                for (int i = 0; i < l.rows; ++i) std::copy_n(j + i * l.columns, 3, to + 6 * i);
            else
                for (int i = 0; i < l.rows; ++i) std::copy_n(j + i * l.columns, 6, to + 6 * i);
        }
    }
}

// arm of the first three rows on one side, which hold a point along the axes of the world; the sign of the rows is in it
template <int N> Vec3 arm(const Levers<N>& j) {
    return lever_arm(j.template block<1, 3>(0, 3).transpose(), j.template block<1, 3>(1, 3).transpose(),
                     j.template block<1, 3>(2, 3).transpose());
}

template <int N> bool is_place(TreeWalker& d, int k) {
    const TreeLink& l = d.t.links[k];
    if (l.rows < 3 || !l.position) return false;
    const int last = l.body[1] >= 0 ? 1 : 0;
    const Mat3 n = levers<N>(d.t, k, 0, last).template block<3, 3>(0, 0);
    if (n != Mat3::Identity() && n != Mat3(-Mat3::Identity())) return false;
    return last == 0 || levers<N>(d.t, k, 0, 0).template block<3, 3>(0, 0) == Mat3(-n);
}

// what a turn of each body is resisted with, by the forces of the sub-step before
template <int N> void add_stiffness(TreeWalker& d) {
    for (TreeBody& b : d.t.bodies) b.K.setZero();
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        if (!d.t.links[k].bends) continue;
        const Vec3 force = Eigen::Map<const Vec3>(d.t.impulse.data() + std::size_t(k) * N) / d.h;
        for (int side = 0; side < 2 && d.t.links[k].body[side] >= 0; ++side) {
            TreeBody& b = d.t.bodies[d.t.links[k].body[side]];
            if (!b.moves || b.frame < 0) continue;
            const Levers<N> j = levers<N>(d.t, k, 0, side);
            const Vec3 r = j(0, 0) * arm<N>(j), f = j(0, 0) * force;
            add_turn_stiffness(r, f, b.K);
        }
    }
}

// ---- the matrix ----

template <int N> void build_responses(TreeWalker& d) {
    for (int k = 0; k < int(d.t.links.size()); ++k)
        for (int side = 0; side < 2 && d.t.links[k].body[side] >= 0; ++side) {
            const TreeBody& b = d.t.bodies[d.t.links[k].body[side]];
            if (!b.moves) continue;
            weigh<N>(levers<N>(d.t, k, 0, side).data(), b.inverse_mass, b.W.data(), levers<N>(d.t, k, 1, side).data());
        }
}

template <int N> bool factor(TreeWalker& d, Real trace) {
    JointTree& t = d.t;
    std::fill(t.matrix.value.begin(), t.matrix.value.end(), 0.0);
    for (int k = 0; k < int(t.links.size()); ++k) {
        const TreeLink& l = t.links[k];
        Square<N> a(t.matrix.block(k));
        for (int side = 0; side < 2 && l.body[side] >= 0; ++side)
            if (t.bodies[l.body[side]].moves)
                add_product<N>(levers<N>(t, k, 1, side).data(), levers<N>(t, k, 0, side).data(), a.data());
        for (int i = 0; i < N; ++i) {
            const Real soft = t.softness[std::size_t(k) * N + i];
            if (i < l.rows) a(i, i) += soft > 0 ? soft : trace * a(i, i);
            if (!(a(i, i) > 0)) a(i, i) = 1; // no row, or nothing that it could act on
        }
    }
    for (const TreeCoupling& c : t.couplings)
        add_product<N>(levers<N>(t, c.k, 1, c.side_k).data(), levers<N>(t, c.l, 0, c.side_l).data(), t.matrix.block(c.block));
    return factor_block_chain(t.matrix);
}

// rows that say the same as others may round to an indefinite matrix: softer, then
template <int N> bool factor(TreeWalker& d) {
    for (Real trace = kTreeTrace; trace < 1; trace *= 1e3)
        if (factor<N>(d, trace)) return true;
    return false;
}

// ---- velocities ----

// bias and softness of all rows
template <int N> void set_bias(TreeWalker& d) {
    const Rows& rows = d.from.rows;
    const Real h = d.h;
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        const TreeLink& l = d.t.links[k];
        Real *bias = d.t.bias.data() + std::size_t(k) * N, *softness = d.t.softness.data() + std::size_t(k) * N;
        for (int i = 0; i < l.rows; ++i) {
            const int row = rows.row_begin[l.source] + i;
            const RowSpring spring = find_row_spring(rows, row, l.position, h);
            softness[i] = spring.softness;
            bias[i] = spring.gain * rows.c[row] - spring.rate;
        }
        if (!l.bends) continue;
        for (int side = 0; side < 2 && l.body[side] >= 0; ++side) {
            const Vec3 w = spin(d.t.bodies[l.body[side]]);
            Eigen::Map<Vec3>(bias) += 0.5 * h * w.cross(w.cross(arm<N>(levers<N>(d.t, k, 0, side))));
        }
    }
}

template <int N> VecN<N> rate(TreeWalker& d, int k) {
    VecN<N> out = VecN<N>::Zero();
    for (int side = 0; side < 2 && d.t.links[k].body[side] >= 0; ++side)
        add_rate<N>(levers<N>(d.t, k, 0, side).data(), d.t.bodies[d.t.links[k].body[side]].u, out.data());
    return out;
}

// u += W J^T p over all links
template <int N> void push(TreeWalker& d, const std::vector<Real>& p) {
    for (int k = 0; k < int(d.t.links.size()); ++k)
        for (int side = 0; side < 2 && d.t.links[k].body[side] >= 0; ++side) {
            TreeBody& b = d.t.bodies[d.t.links[k].body[side]];
            if (b.moves) add_push<N>(levers<N>(d.t, k, 1, side).data(), p.data() + std::size_t(k) * N, b.u);
        }
}

// largest error of a rigid row
template <int N> Real residual(TreeWalker& d) {
    Real worst = 0;
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        const VecN<N> r = rate<N>(d, k);
        for (int i = 0; i < d.t.links[k].rows; ++i) {
            const std::size_t at = std::size_t(k) * N + i;
            worst = std::max(worst, std::abs(r[i] + d.t.bias[at] + d.t.softness[at] * d.t.impulse[at]));
        }
    }
    return worst;
}

template <int N> void solve_velocities(TreeWalker& d) {
    JointTree& t = d.t;
    for (int k = 0; k < int(t.links.size()); ++k) {
        Part<N> to(t.right.data() + std::size_t(k) * N);
        to = -rate<N>(d, k);
        for (int i = 0; i < N; ++i) to[i] -= t.bias[std::size_t(k) * N + i];
        for (int i = t.links[k].rows; i < N; ++i) to[i] = 0;
    }
    solve_block_chain(t.matrix, t.right);
    push<N>(d, t.right);
    t.impulse = t.right;
}

// ---- positions ----

// held bodies go on too, and are put back at the end: who holds them decides where they are
struct HeldPose {
    Real3 p;
    Real4 q;
};
HeldPose pose_of(const State& s, const TreeBody& b) {
    if (b.frame < 0) return {s.point.x[b.body], {}};
    return {s.frame.p[b.frame], s.frame.q[b.frame]};
}
void set_pose(const HeldPose& pose, const TreeBody& b, State& s) {
    if (b.frame < 0) s.point.x[b.body] = pose.p;
    else s.frame.p[b.frame] = pose.p, s.frame.q[b.frame] = pose.q;
}

// -C of rigid rows into the right-hand side; others are left alone. Returns the largest.
template <int N> Real read_errors(TreeWalker& d) {
    const Rows& rows = d.from.rows;
    Real worst = 0;
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        const TreeLink& l = d.t.links[k];
        for (int i = 0; i < l.rows; ++i) {
            const int row = rows.row_begin[l.source] + i;
            const bool keeps = l.position && rows.compliance[row] == 0;
            d.t.right[std::size_t(k) * N + i] = keeps ? -rows.c[row] : 0;
            d.t.softness[std::size_t(k) * N + i] = keeps ? 0 : 1e30;
            if (keeps) worst = std::max(worst, std::abs(rows.c[row]));
        }
        for (int i = l.rows; i < N; ++i) d.t.right[std::size_t(k) * N + i] = 0;
    }
    return worst;
}

// Newton's method for C = 0, a factor for as long as it brings the error down well. Returns the rounds; adds the work of the forces.
template <int N> int take_back(TreeWalker& d, Real& work) {
    JointTree& t = d.t;
    Real last = 0;
    for (int round = 0; round < kTreeRounds; ++round) {
        const bool levers = round == 0 && t.corrects; // they will be needed, as in the step before
        evaluate(d, levers);
        const Real worst = read_errors<N>(d);
        if (round == 0) t.corrects = worst > kTreeNoError;
        if (!(worst > kTreeNoError)) return round;
        if (!(worst < kTreeGain * last)) {
            if (!levers) evaluate(d, true);
            read_levers<N>(d);
            build_responses<N>(d);
            if (!factor<N>(d)) return round;
        }
        last = worst;
        const auto shift = [&] {
            solve_block_chain(t.matrix, t.right);
            for (TreeBody& b : t.bodies) b.u.setZero();
            push<N>(d, t.right);
        };
        shift();
        for (int k = 0; k < kTreeSlower && t.workless && slow_turns(d, 1); ++k) {
            read_errors<N>(d);
            build_responses<N>(d);
            if (!factor<N>(d)) return round;
            shift();
        }
        for (TreeBody& b : t.bodies) {
            if (!b.moves) continue;
            work += force_work(d, b, b.u);
            vec(b.frame < 0 ? d.s.point.x[b.body] : d.s.frame.p[b.frame]) += speed(b);
            if (b.frame >= 0) d.s.frame.q[b.frame] = real4((exp_rotation(spin(b)) * quat(d.s.frame.q[b.frame])).normalized());
        }
        if (worst < kTreeSmallError) return round + 1;
    }
    return kTreeRounds;
}

// ---- the step ----

bool is_workless(const TreeWalker& d) {
    if (!d.t.held || is_driven_tree(d)) return false;
    const Rows& rows = d.from.rows;
    return std::all_of(d.t.links.begin(), d.t.links.end(), [&](const TreeLink& l) {
        bool rigid = l.position;
        for (int i = rows.row_begin[l.source]; i < rows.row_begin[l.source] + l.rows; ++i)
            rigid = rigid && rows.compliance[i] == 0 && rows.rate[i] == 0;
        return rigid;
    });
}
template <int N> bool moves_together(TreeWalker& d) {
    set_bias<N>(d);
    Real worst = 0, chord = 0;
    for (int k = 0; k < int(d.t.links.size()); ++k) {
        worst = std::max(worst, rate<N>(d, k).norm());
        chord = std::max(chord, Part<N>(d.t.bias.data() + std::size_t(k) * N).norm());
    }
    return moves_together(d, worst, chord);
}

template <int N> void begin(TreeWalker& d) {
    JointTree& t = d.t;
    load_bodies(d);
    for (int k = 0; k < int(t.links.size()); ++k)
        for (int i = 0; i < t.links[k].rows; ++i)
            t.impulse[std::size_t(k) * N + i] = d.q.impulse[d.q.groups[t.links[k].group].row + i];
    evaluate_rates(d);
    evaluate(d, true);
    read_levers<N>(d);
    for (int k = 0; k < int(t.links.size()); ++k) t.links[k].bends = is_place<N>(d, k);
    d.h = d.o.dt; // impulses are forces times it
    add_stiffness<N>(d);
    t.workless = is_workless(d);
    t.together = t.workless && moves_together<N>(d);
    t.substeps = find_substeps(d);
    d.h = d.o.dt / t.substeps;
}

template <int N> void finish(TreeWalker& d) {
    store_bodies(d);
    for (int k = 0; k < int(d.t.links.size()); ++k)
        for (int i = 0; i < d.t.links[k].rows; ++i)
            d.q.impulse[d.q.groups[d.t.links[k].group].row + i] = d.t.impulse[std::size_t(k) * N + i] * d.t.substeps;
}

template <int N> void run(TreeWalker& d) {
    begin<N>(d);
    JointTree& t = d.t;
    const auto look = [&] {
        evaluate(d, true);
        read_levers<N>(d);
        add_stiffness<N>(d);
    };
    const auto solve = [&] {
        build_responses<N>(d);
        if (factor<N>(d)) solve_velocities<N>(d);
        t.result.residual = residual<N>(d);
    };
    const int solves = walk_tree(d, look, [&] { set_bias<N>(d); }, solve);
    finish<N>(d);
    Real work = 0;
    t.result.iterations = solves + take_back<N>(d, work);
    pay_for_places(d, work);
}

} // namespace

// by its momentum, which need not keep the energy where the body turns far
static void turn_freely(const TreeWalker& d, const TreeBody& b, Quat& r, Vec3& w) {
    const Real had = w.dot(turn_momentum(d, b, w));
    rotate_freely(b.inertia, b.inverse, d.h, r, w);
    if (!d.t.workless) return;
    const Vec3 now = r.conjugate() * w;
    const Real has = now.dot(b.inertia * now);
    if (has > 0) w *= std::sqrt(had / has);
}

void move_tree_body(const TreeWalker& d, TreeBody& b) {
    if (b.frame < 0) {
        vec(d.s.point.x[b.body]) += d.h * speed(b);
        return;
    }
    vec(d.s.frame.p[b.frame]) += d.h * speed(b);
    Quat r = quat(d.s.frame.q[b.frame]);
    Vec3 w = spin(b);
    if (b.moves && !b.round && d.o.momentum) turn_freely(d, b, r, w);
    else if (w != Vec3::Zero()) r = turned(exp_turn(d.h * w), r);
    b.u.tail<3>() = w;
    d.s.frame.q[b.frame] = real4(r);
}

void step_trees(const Parallel& parallel, const TreeOptions& o, const TreeSource& from, JointTreeScratch& s, RowProblem& q, State& state) {
    const auto driven = [&](const JointTree& t) {
        return std::any_of(t.bodies.begin(), t.bodies.end(), [&](const TreeBody& b) { return is_driven(q, b); });
    };
    const auto step = [&](JointTree& t) {
        TreeWalker d{o, from, t, q, state};
        if (o.special && !t.balls.empty()) step_ball_tree(d);
        else if (t.matrix.width == 3) run<3>(d);
        else run<6>(d);
    };
    parallel_for(parallel, int(s.trees.size()), 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            if (!driven(s.trees[i])) step(s.trees[i]);
    });
    // trees may share what holds them: one after another where that moves
    std::array<HeldPose, 8> before;
    for (JointTree& t : s.trees) {
        if (!driven(t)) continue;
        std::size_t count = 0;
        for (const TreeBody& b : t.bodies)
            if (is_driven(q, b) && count < before.size()) before[count++] = pose_of(state, b);
        step(t);
        count = 0;
        for (const TreeBody& b : t.bodies)
            if (is_driven(q, b) && count < before.size()) set_pose(before[count++], b, state);
    }
}

} // namespace sinew
