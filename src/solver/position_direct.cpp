#include "solver/position_direct.h"
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

// blocks and matrices of all elements, once per model
void build_structure(const Model& m, DualScratch& s, const PositionProblem& p) {
    const Dofs dofs = dofs_of(m);
    if (s.owner == p.owner && s.topology == p.topology && block_count(s.matrix.pattern.layout) == dofs.blocks()) return;
    s.owner = p.owner;
    s.topology = p.topology;
    s.element_blocks.clear();
    s.block_ids.clear();
    std::vector<int> first;
    std::array<int, 32> blocks;
    int values = 0;
    std::vector<ElementBlocks> elements;
    for (const DualTable& t : p.tables)
        for (int e = 0; e < t.table->count(); ++e) {
            const int n = element_blocks(*t.table, e, dofs, blocks.data());
            first.push_back(int(s.block_ids.size()));
            s.block_ids.insert(s.block_ids.end(), blocks.begin(), blocks.begin() + n);
            elements.push_back({{}, values, t.table->row->dofs, t.table->row->pair});
            values += t.table->row->matrix_size;
        }
    first.push_back(int(s.block_ids.size()));
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i].blocks = std::span<const int>(s.block_ids).subspan(first[i], first[i + 1] - first[i]);
    s.element_blocks = std::move(elements);
    s.local.assign(values, 0);
    const BlockLayout layout = make_block_layout(dofs.points, dofs.frames, dofs.scalars);
    BlockPattern pattern;
    build_pattern(layout, s.element_blocks, {}, pattern);
    s.matrix = make_block_sparse(std::move(pattern));
    build_plan(s.matrix.pattern, s.element_blocks, s.plan);
}

// curvature of the rows, element by element
void build_curvature(const Evaluation& ev, DualScratch& s, const PositionProblem& p) {
    int at = 0;
    for (std::size_t k = 0; k < p.tables.size(); ++k) {
        const Table& t = *p.tables[k].table;
        const ElementRow& row = *t.row;
        const int size = row.matrix_size, rows = p.tables[k].view->rows, n = row.pair ? 3 : row.dofs;
        Real* out = s.local.data() + at;
        if (p.tables[k].is_constraint) {
            row.constraint_hessian(t, ev, 0, t.count(), s.rows.lambda.data() + s.rows.row_begin[s.rows.table_group[k]], out);
            for (int i = 0; i < size * t.count(); ++i) out[i] = -out[i];
        } else if (!(row.views & kHessian) || (t.count() > 0 && p.tables[k].view->level(t, 0) == Level::velocity)) { // rows of rates
            std::fill(out, out + size * t.count(), 0.0);
        } else {
            row.hessian(t, ev, 0, t.count(), Projection::none, out);
            for (int e = 0; e < t.count(); ++e) {
                const Real* j = s.rows.jacobian.data() + s.rows.value_begin[s.rows.table_group[k] + e];
                for (int r = 0; r < rows; ++r)
                    for (int b = 0; b < n; ++b)
                        for (int a = 0; a < n; ++a) out[e * size + b * n + a] -= j[r * row.dofs + a] * j[r * row.dofs + b];
            }
        }
        at += size * t.count();
    }
}

// M/reach into the diagonal blocks; what is held is marked
void add_mass(const Dofs& dofs, Real reach, DualScratch& s, const PositionProblem& p) {
    s.fixed.assign(dofs.blocks(), 0);
    for (int b = 0; b < dofs.blocks(); ++b) {
        Real* out = block_values(s.matrix, diagonal_slot(s.matrix.pattern, b));
        if (b < dofs.points) {
            const Real w = p.point_inverse[b];
            s.fixed[b] = !(w > 0);
            for (int i = 0; i < 3; ++i) out[4 * i] += w > 0 ? 1 / (w * reach) : 1;
        } else if (b < dofs.points + 2 * dofs.frames) {
            const int f = (b - dofs.points) / 2;
            const bool turns = (b - dofs.points) % 2;
            s.fixed[b] = !(p.frame_inverse[f] > 0);
            Mat3 mass = Mat3::Identity();
            if (!s.fixed[b]) mass = turns ? Mat3(p.frame_inverse_inertia[f].inverse() / reach) : Mat3(mass / (p.frame_inverse[f] * reach));
            for (int i = 0; i < 9; ++i) out[i] += mass.data()[i];
        } else {
            const Real w = p.scalar_inverse[b - dofs.points - 2 * dofs.frames];
            s.fixed[b] = !(w > 0);
            out[0] += w > 0 ? 1 / (w * reach) : 1;
        }
    }
}

void list_rows(const Dofs& dofs, DualScratch& s) {
    const DualRows& r = s.rows;
    s.jacobian.begin.assign(1, 0);
    s.jacobian.column.clear();
    s.jacobian.value.clear();
    s.active.assign(r.row_count(), 1);
    for (int g = 0; g < r.group_count(); ++g)
        for (int k = 0; k < r.rows_of(g); ++k) {
            const int row = r.row_begin[g] + k;
            int at = r.value_begin[g] + k * r.width_of(g);
            Real size = 0;
            for (int i = r.block_begin[g]; i < r.block_begin[g + 1]; ++i) {
                const int b = r.block[i], width = b < 0 ? 3 : dofs.block_size(b);
                for (int a = 0; a < width; ++a, ++at) {
                    if (b < 0) continue;
                    s.jacobian.column.push_back(dofs.block_offset(b) + a);
                    s.jacobian.value.push_back(r.jacobian[at]);
                    if (!s.fixed[b]) size = std::max(size, std::abs(r.jacobian[at]));
                }
            }
            s.jacobian.begin.push_back(int(s.jacobian.column.size()));
            s.active[row] = size > 0 && r.bound[g] == Bound::equality; // rows without effect stay as they are
        }
}

// -M/reach (x - x~), of bodies with the rotation vector from q~ to q; what rows with bounds pushed is in x~ already
void subtract_displacement(const Dofs& dofs, const Sweep& w, const PositionProblem& p, DualScratch& s) {
    for (int i = 0; i < dofs.points; ++i)
        if (p.point_inverse[i] > 0)
            Eigen::Map<Vec3>(s.f.data() + dofs.point_offset(i)) -= (vec(w.to.x[i]) - vec(s.x_predicted[i])) / (p.point_inverse[i] * w.reach);
    for (int f = 0; f < dofs.frames; ++f) {
        if (!(p.frame_inverse[f] > 0)) continue;
        Real* out = s.f.data() + dofs.frame_offset(f);
        Eigen::Map<Vec3>{out} -= (vec(w.to.p[f]) - vec(s.p_predicted[f])) / (p.frame_inverse[f] * w.reach);
        const Vec3 turn = log_rotation(quat(w.to.q[f]) * quat(s.q_predicted[f]).conjugate());
        Eigen::Map<Vec3>{out + 3} -= p.frame_inverse_inertia[f].inverse() * turn / w.reach;
    }
    for (int i = 0; i < dofs.scalars; ++i)
        if (p.scalar_inverse[i] > 0) s.f[dofs.scalar_offset(i)] -= (w.to.s[i] - s.s_predicted[i]) / (p.scalar_inverse[i] * w.reach);
}

} // namespace

std::string solve_directly(const Parallel& parallel, const Model& m, bool newton, const Sweep& w, const Evaluation& ev, DualScratch& s,
                    PositionProblem& p) {
    const Dofs dofs = dofs_of(m);
    DualRows& r = s.rows;
    build_structure(m, s, p);
    std::fill(s.matrix.values.begin(), s.matrix.values.end(), 0.0);
    if (newton) {
        build_curvature(ev, s, p);
        add_elements(parallel, s.plan, s.local, s.matrix);
    }
    add_mass(dofs, w.reach, s, p);
    list_rows(dofs, s);
    s.f.assign(dofs.size(), 0);
    if (newton) {
        s.wanted = r.lambda;
        for (int i = 0; i < r.row_count(); ++i)
            if (!s.active[i]) s.wanted[i] = 0;
        apply_transposed(parallel, dofs, r, s.wanted, s.f);
        subtract_displacement(dofs, w, p, s);
    }
    s.x.assign(dofs.size(), 0);
    s.right.assign(r.row_count(), 0);
    s.d.assign(r.row_count(), 0); // damping scales the rows' displacement: J (1 + rho kick/reach) dx; rows of velocities go with u
    for (int i = 0; i < r.row_count(); ++i) {
        const Real factor = RowReach{w.h, w.reach, w.kick}.of(r, i) / w.reach;
        s.d[i] = r.alpha[i] / factor;
        s.right[i] = s.r[i] / factor;
    }
    s.wanted.assign(r.row_count(), 0);
    const LinearInfo info = solve_saddle({s.matrix, s.fixed, s.jacobian, s.d, s.active}, s.f, s.right, s.saddle, s.x, s.wanted);
    if (!info.ok) return "constraints: " + info.message;
    for (int i = 0; i < r.row_count(); ++i) r.lambda[i] += s.wanted[i];
    for (Real& x : s.x) x /= w.reach;
    move_all(parallel, dofs, w.to, s.x, w.reach, w.kick);
    return {};
}

} // namespace sinew
