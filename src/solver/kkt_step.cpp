#include "solver/kkt_step.h"
#include "constraint/assemble.h"
#include "model/visit.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr const char* kLambda = "newton.lambda";

// dense groups -> plain sparse rows over the tangent layout
void build_jacobian(const Dofs& dofs, const Rows& r, SparseRows& out) {
    out.begin.assign(1, 0);
    out.column.clear();
    out.value.clear();
    for (int g = 0; g < r.group_count(); ++g) {
        const int rows = r.row_begin[g + 1] - r.row_begin[g];
        const int width = rows > 0 ? (r.value_begin[g + 1] - r.value_begin[g]) / rows : 0;
        for (int k = 0; k < rows; ++k) {
            int at = r.value_begin[g] + k * width;
            for (int b = r.block_begin[g]; b < r.block_begin[g + 1]; ++b) {
                const int block = r.block[b], size = block < 0 ? 3 : dofs.block_size(block);
                for (int i = 0; i < size; ++i, ++at) {
                    if (block < 0) continue;
                    out.column.push_back(dofs.block_offset(block) + i);
                    out.value.push_back(r.jacobian[at]);
                }
            }
            out.begin.push_back(int(out.column.size()));
        }
    }
}

// sigma [N/m] of row r of group g: 1/(J (M scale)^-1 J^T) over what is free, 0 without inertia
Real row_inertia(const StepProblem& p, const Objective& o, const Rows& rows, int g, int r) {
    if (!(o.stage.scale > 0)) return 0;
    const Dofs dofs = dofs_of(p.model);
    const int count = rows.row_begin[g + 1] - rows.row_begin[g], width = (rows.value_begin[g + 1] - rows.value_begin[g]) / count;
    int at = rows.value_begin[g] + (r - rows.row_begin[g]) * width;
    Real response = 0;
    for (int b = rows.block_begin[g]; b < rows.block_begin[g + 1]; ++b) {
        const int block = rows.block[b], size = block < 0 ? 3 : dofs.block_size(block);
        for (int i = 0; i < size; ++i, ++at) {
            if (block < 0 || o.fixed[block]) continue;
            const Real mass = o.mass[dofs.block_offset(block) + i];
            if (mass > 0) response += rows.jacobian[at] * rows.jacobian[at] / mass;
        }
    }
    return response > 0 ? 1 / response : 0;
}

void choose_active(const StepProblem& p, const Objective& o, KktStep& k) {
    k.active.assign(k.rows.row_count(), 1);
    for (int g = 0; g < k.rows.group_count(); ++g) {
        if (k.rows.bound[g] != Bound::lower) continue;
        for (int r = k.rows.row_begin[g]; r < k.rows.row_begin[g + 1]; ++r) {
            const Real c = k.rows.c[r], lambda = k.lambda[r];
            bool active = c < 0 || lambda > 0;
            if (k.form != ConstraintForm::hard_velocity && lambda != 0)
                active = lambda - row_inertia(p, o, k.rows, g, r) * (c + k.compliance[r] * lambda) > 0;
            if (active) continue;
            k.active[r] = 0;
            k.lambda[r] = 0;
        }
    }
}

// one-sided rows that the solution makes push are let go; false: there are none
bool release_pushing(KktStep& k) {
    bool any = false;
    for (int g = 0; g < k.rows.group_count(); ++g)
        if (k.rows.bound[g] == Bound::lower)
            for (int r = k.rows.row_begin[g]; r < k.rows.row_begin[g + 1]; ++r)
                if (k.active[r] && k.lambda[r] < 0) k.active[r] = 0, any = true;
    return any;
}

// matrix -= sum lambda Hess C
void add_geometric_stiffness(const StepProblem& p, Objective& o, const KktStep& k) {
    const Evaluation ev = evaluation_at(p, o);
    std::vector<Real>& local = o.constraint_plan.local;
    int row = 0;
    for (std::size_t t = 0; t < o.constraints.tables.size(); ++t) {
        const Table& table = *o.constraints.tables[t];
        Real* out = local.data() + o.constraint_plan.first[t];
        table.row->constraint_hessian(table, ev, 0, table.count(), k.lambda.data() + row, out);
        row += table.count() * table.row->rows;
        const std::size_t size = std::size_t(table.count()) * table.row->matrix_size;
        for (std::size_t i = 0; i < size; ++i) out[i] = -out[i];
    }
    add_elements(p.parallel, o.constraint_plan.gather, local, o.matrix);
}

} // namespace

void begin_kkt(const StepProblem& p, KktStep& k) {
    build_rows(p.model.elements->constraints, dofs_of(p.model), k.rows);
    const std::vector<double>* remembered = find_memory(p.now, kLambda);
    k.lambda.assign(k.rows.row_count(), 0.0);
    if (remembered && remembered->size() == k.lambda.size())
        std::copy(remembered->begin(), remembered->end(), k.lambda.begin());
    k.compliance.assign(k.rows.row_count(), 0.0);
    if (k.form == ConstraintForm::compliant) k.compliance = k.rows.compliance;
}

void add_constraint_forces(const StepProblem& p, Objective& o, KktStep& k) {
    const Dofs dofs = dofs_of(p.model);
    refresh_rows(p.model.elements->constraints, evaluation_at(p, o), k.rows);
    choose_active(p, o, k);
    k.push.assign(dofs.size(), 0.0);
    add_jacobian_transposed(k.rows, dofs, k.lambda, k.push);
    k.violation = 0;
    for (int r = 0; r < k.rows.row_count(); ++r)
        if (k.active[r]) k.violation = std::max(k.violation, std::abs(k.rows.c[r] + k.compliance[r] * k.lambda[r]));
    take_constraint_forces(p, k.push, o);
}

LinearOutcome solve_kkt(const StepProblem& p, Objective& o, std::span<const Real> b, KktStep& k, std::span<Real> x,
                        Report& report) {
    const Dofs dofs = dofs_of(p.model);
    add_diagonal(p.parallel, o.mass, o.matrix);
    if (k.geometric_stiffness) add_geometric_stiffness(p, o, k);
    build_jacobian(dofs, k.rows, k.jacobian);
    // the right-hand side has J^T lambda in it already: ask for the whole multiplier, not its change
    std::vector<Real>& f = k.push;
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = b[i] - f[i];
    // velocities alone: J (d + p) = 0
    k.right = k.rows.c;
    if (k.form == ConstraintForm::hard_velocity) apply_jacobian(k.rows, dofs, o.at, k.right);
    for (Real& c : k.right) c = -c;
    LinearInfo info;
    // a single solve cannot mend its choice in the next iteration; every round lets at least one row go
    do {
        info = solve_saddle({o.matrix, o.fixed, k.jacobian, k.compliance, k.active}, f, k.right, k.solver, x, k.lambda);
    } while (info.ok && k.single_solve && release_pushing(k));
    if (info.ok) return LinearOutcome::solved;
    report.status = Status::failed;
    report.message = "constraints: " + info.message;
    return LinearOutcome::failed;
}

void remember_multipliers(const KktStep& k, State& next) { memory_array(next, kLambda, k.lambda.size()) = k.lambda; }

} // namespace sinew
