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

void choose_active(KktStep& k) {
    k.active.assign(k.rows.row_count(), 1);
    for (int g = 0; g < k.rows.group_count(); ++g)
        if (k.rows.bound[g] == Bound::lower)
            for (int r = k.rows.row_begin[g]; r < k.rows.row_begin[g + 1]; ++r)
                if (!(k.rows.c[r] < 0 || k.lambda[r] > 0)) {
                    k.active[r] = 0;
                    k.lambda[r] = 0;
                }
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
    choose_active(k);
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
    const LinearInfo info =
        solve_saddle({o.matrix, o.fixed, k.jacobian, k.compliance, k.active}, f, k.right, k.solver, x, k.lambda);
    if (info.ok) return LinearOutcome::solved;
    report.status = Status::failed;
    report.message = "constraints: " + info.message;
    return LinearOutcome::failed;
}

void remember_multipliers(const KktStep& k, State& next) { memory_array(next, kLambda, k.lambda.size()) = k.lambda; }

} // namespace sinew
