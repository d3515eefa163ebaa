#include "constraint/assemble.h"
#include <algorithm>
#include <cmath>

namespace sinew {

// tangent blocks of one element: one per point, two per frame, one per scalar
static void append_blocks(const ElementRow& row, const Dofs& dofs, const int* id, std::vector<int>& out) {
    for (int i = 0; i < row.points; ++i) out.push_back(id[i] < 0 ? -1 : dofs.point_block(id[i]));
    for (int i = 0; i < row.frames; ++i) {
        out.push_back(dofs.frame_block(id[row.points + i]));
        out.push_back(dofs.frame_block(id[row.points + i]) + 1);
    }
    for (int i = 0; i < row.scalars; ++i) out.push_back(dofs.scalar_block(id[row.points + row.frames + i]));
}

void build_rows(const std::vector<Table>& constraints, const Dofs& dofs, Rows& r) {
    r = Rows{};
    for (std::size_t k = 0; k < constraints.size(); ++k) {
        const Table& t = constraints[k];
        for (int e = 0; e < t.count(); ++e) {
            append_blocks(*t.row, dofs, t.stencil.data() + std::size_t(e) * t.row->stencil, r.block);
            r.row_begin.push_back(r.row_begin.back() + t.row->rows);
            r.block_begin.push_back(int(r.block.size()));
            r.value_begin.push_back(r.value_begin.back() + t.row->rows * t.row->dofs);
            r.bound.push_back(t.row->bound(t, e));
            r.level.push_back(t.row->level ? t.row->level(t, e) : Level::position);
            r.friction.push_back(t.row->limit ? t.row->limit(t, e) : 0);
            r.key.push_back(std::uint64_t(k) << 40 | std::uint64_t(e));
            r.compliance.insert(r.compliance.end(), t.row->rows, t.row->compliance(t, e));
            r.damping.insert(r.damping.end(), t.row->rows, t.row->damping ? t.row->damping(t, e) : 0);
        }
    }
    r.jacobian.assign(r.value_begin.back(), 0);
    for (auto* a : {&r.c, &r.rate, &r.lambda}) a->assign(r.row_count(), 0);
}

void refresh_rows(const std::vector<Table>& constraints, const Evaluation& ev, Rows& r) {
    int group = 0;
    for (const Table& t : constraints) {
        t.row->constraint(t, ev, 0, t.count(), r.c.data() + r.row_begin[group], r.jacobian.data() + r.value_begin[group]);
        if (t.row->rate) t.row->rate(t, ev, 0, t.count(), r.rate.data() + r.row_begin[group]);
        group += t.count();
    }
}

void refresh_rows(const Parallel& parallel, const std::vector<Table>& constraints, const Evaluation& ev, Rows& r) {
    constexpr int kElements = 64; // per task
    int group = 0;
    for (const Table& t : constraints) {
        parallel_for(parallel, t.count(), kElements, [&](int begin, int end) {
            const int first = group + begin;
            t.row->constraint(t, ev, begin, end, r.c.data() + r.row_begin[first], r.jacobian.data() + r.value_begin[first]);
            if (t.row->rate) t.row->rate(t, ev, begin, end, r.rate.data() + r.row_begin[first]);
        });
        group += t.count();
    }
}

Real constraint_error(const std::vector<Table>& constraints, const Evaluation& ev, Rows& scratch) {
    Real worst = 0;
    for (const Table& t : constraints) {
        if (!t.row->value) continue; // drives: a motor's way from its target is no error
        scratch.c.resize(std::max(scratch.c.size(), std::size_t(t.count()) * t.row->rows));
        t.row->constraint(t, ev, 0, t.count(), scratch.c.data(), nullptr);
        for (int e = 0; e < t.count(); ++e) {
            const bool one_sided = t.row->bound(t, e) == Bound::lower;
            for (int k = 0; k < t.row->rows; ++k) {
                const Real c = scratch.c[std::size_t(e) * t.row->rows + k];
                worst = std::max(worst, one_sided ? std::max(0.0, -c) : std::abs(c));
            }
        }
    }
    return worst;
}

} // namespace sinew
