#include "solver/articulated_force.h"
#include "linalg/block6.h"
#include "model/visit.h"
#include "solver/measure.h"

namespace sinew {

void prepare_forces(const Model& m, ForceMemory& f) {
    f.names.clear();
    for (const Table& t : m.elements->constraints) f.names.push_back("force." + std::string(t.row->name));
}
void register_forces(const Model& m, const ForceMemory& f, State& state) {
    const std::vector<Table>& tables = m.elements->constraints;
    for (std::size_t k = 0; k < tables.size(); ++k)
        memory_array(state, f.names[k], std::size_t(tables[k].count()) * tables[k].row->rows);
}

namespace {

// what each joint's parent does to its link, mean over the step
void compute_mean_joint_forces(const Forest& forest, ForestState& at, const SmoothStep& smooth, const ContactStage& stage,
                               std::span<const Real> qd, Real dt, ForceMemory& f) {
    f.qdd.resize(forest.v_count), f.tau.resize(forest.v_count);
    f.force.resize(forest.links.size()), f.joint.resize(forest.links.size());
    for (int i = 0; i < forest.v_count; ++i) f.qdd[i] = (qd[i] - at.qd[i]) / dt;
    for (std::size_t i = 0; i < forest.links.size(); ++i) f.force[i] = (smooth.impulse[i] + stage.impulse[i]) / dt;
    for (const Range links : forest.trees) {
        compute_velocities(forest, links, at.bases, at.q.data(), at.qd.data(), at.motion.data());
        compute_joint_forces(forest, links, at.bases, at.motion.data(), f.qdd.data(), f.force.data(), f.tau.data(),
                             f.joint.data());
    }
}

// least squares of J^T lambda = force over the six unknowns of one body
void fit_multipliers(const Table& t, const Evaluation& ev, int element, int side, const Vec6& force, Real* lambda) {
    std::array<Real, 6> c;
    std::array<Real, 72> jacobian;
    const int rows = t.row->rows;
    t.row->constraint(t, ev, element, element + 1, c.data(), jacobian.data());
    Mat6 j = Mat6::Zero();
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < 6; ++k) j(r, k) = jacobian[12 * r + 6 * side + k];
    Mat6 square = j * j.transpose();
    Vec6 out = j * force;
    if (!invert_positive(square, rows)) out.setZero();
    else out.head(rows) = (square.topLeftCorner(rows, rows) * out.head(rows)).eval();
    std::copy_n(out.data(), rows, lambda);
}

} // namespace

void remember_forces(const Model& m, const BuiltForest& built, ForestState& at, const SmoothStep& smooth,
                     const ContactStage& stage, std::span<const Real> qd, Real dt, ForceMemory& f, State& next) {
    const std::vector<Table>& tables = m.elements->constraints;
    if (tables.empty()) return;
    for (std::size_t k = 0; k < tables.size(); ++k) {
        auto& a = memory_array(next, f.names[k], std::size_t(tables[k].count()) * tables[k].row->rows);
        std::fill(a.begin(), a.end(), 0.0);
    }
    // rows that were solved: groups are in the order of tables and elements
    const auto write = [&](const RowProblem& q, const RowGroup& g) {
        int first = g.source;
        for (std::size_t k = 0; k < tables.size(); ++k) {
            if (first < tables[k].count()) {
                Real* to = memory_array(next, f.names[k], std::size_t(tables[k].count()) * tables[k].row->rows).data();
                for (int r = 0; r < g.rows; ++r) to[first * tables[k].row->rows + r] = q.impulse[g.row + r] / dt;
                return;
            }
            first -= tables[k].count();
        }
    };
    for (const RowGroup& g : stage.rows.plain.groups)
        if (g.set != RowSet::contact && !stage.rows.held[g.source]) write(stage.rows.plain, g);
    // joints that are coordinates
    compute_mean_joint_forces(built.forest, at, smooth, stage, qd, dt, f);
    const Evaluation ev = evaluation_of(m, next, dt);
    for (std::size_t i = 0; i < built.joints.size(); ++i) {
        const BuiltForest::LinkJoint& j = built.joints[i];
        if (j.table < 0) continue;
        const Table& t = tables[j.table];
        auto& a = memory_array(next, f.names[j.table], std::size_t(t.count()) * t.row->rows);
        fit_multipliers(t, ev, j.element, j.reversed ? 0 : 1, f.joint[i], a.data() + std::size_t(j.element) * t.row->rows);
    }
}

} // namespace sinew
