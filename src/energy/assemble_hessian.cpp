#include "energy/assemble_hessian.h"
#include "core/assert.h"
#include "linalg/psd.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr int kMatrixGrain = 256; // elements per chunk
constexpr int kBatchReals =
    2304; // force derivatives on the stack at a time: four solids of 24 unknowns, 256 pairs

// rows of a stored element matrix
int stored_rows(const ElementRow& row) { return row.pair ? 3 : row.dofs; }

bool takes_part(const Table& t) { return t.row->views & (kHessian | kForce); }

// stencils of a set as blocks, with the place of each element in `local`
void list_elements(const ElementSet& set, const Dofs& dofs, HessianPlan& plan) {
    std::array<int, 32> blocks;
    plan.first.clear();
    plan.blocks.clear();
    plan.elements.clear();
    int size = 0;
    for (const Table* t : set.tables) {
        plan.first.push_back(takes_part(*t) ? size : -1);
        if (!takes_part(*t)) continue;
        for (int e = 0; e < t->count(); ++e) {
            const int n = element_blocks(*t, e, dofs, blocks.data());
            plan.blocks.insert(plan.blocks.end(), blocks.begin(), blocks.begin() + n);
            plan.elements.push_back({{}, size, t->row->dofs, t->row->pair});
            size += t->row->matrix_size;
        }
    }
    // spans last: the array of blocks has stopped moving
    const int* at = plan.blocks.data();
    std::size_t k = 0;
    for (const Table* t : set.tables) {
        if (!takes_part(*t)) continue;
        const int n = t->row->points + 2 * t->row->frames + t->row->scalars;
        for (int e = 0; e < t->count(); ++e, at += n) plan.elements[k++].blocks = {at, std::size_t(n)};
    }
    plan.local.resize(size);
}

// out += PSD(sym(-x dfdx - v dfdv)) for one element of n rows; `work` is dfdx and is overwritten
void add_force_part(const HessianTerms& terms, int n, const Real* dfdv, Real* work, Real* out) {
    bool any = false;
    for (int k = 0; k < n * n; ++k) {
        work[k] = -(terms.force_x * work[k] + terms.force_v * dfdv[k]);
        any = any || work[k] != 0;
    }
    if (!any) return;
    for (int j = 0; j < n; ++j)
        for (int i = j + 1; i < n; ++i)
            work[j * n + i] = work[i * n + j] = 0.5 * (work[j * n + i] + work[i * n + j]);
    if (terms.projection != Projection::none)
        project_psd(work, n, terms.projection == Projection::absolute ? PsdMode::absolute : PsdMode::clamp);
    for (int k = 0; k < n * n; ++k) out[k] += work[k];
}

void evaluate_range(const Table& t, const Evaluation& ev, const HessianTerms& terms, int begin, int end,
                    Real* out) {
    const ElementRow& row = *t.row;
    const int size = row.matrix_size;
    if (terms.potentials && row.hessian)
        row.hessian(t, ev, begin, end, terms.projection, out);
    else
        std::fill(out, out + std::size_t(end - begin) * size, 0.0);
    if (!row.force_derivatives || (terms.force_x == 0 && terms.force_v == 0)) return;
    // force derivatives in small batches, so that they stay in the cache
    Real dfdx[kBatchReals], dfdv[kBatchReals];
    SINEW_ASSERT(size <= kBatchReals);
    const int batch = kBatchReals / size;
    for (int first = begin; first < end; first += batch) {
        const int last = std::min(first + batch, end);
        row.force_derivatives(t, ev, first, last, dfdx, dfdv);
        for (int e = first; e < last; ++e) {
            const int k = (e - first) * size;
            add_force_part(terms, stored_rows(row), dfdv + k, dfdx + k, out + std::size_t(e - begin) * size);
        }
    }
}

void evaluate_elements(const Parallel& p, const ElementSet& set, const Evaluation& ev,
                       const HessianTerms& terms, HessianPlan& plan) {
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (plan.first[k] < 0) continue;
        const Table& t = *set.tables[k];
        Real* out = plan.local.data() + plan.first[k];
        parallel_for(p, t.count(), kMatrixGrain, [&, out](int begin, int end) {
            evaluate_range(t, ev, terms, begin, end, out + std::size_t(begin) * t.row->matrix_size);
        });
    }
}

} // namespace

BlockLayout block_layout_of(const Dofs& dofs) {
    return make_block_layout(dofs.points, dofs.frames, dofs.scalars);
}

bool build_hessian_pattern(const ElementSet& set, const ElementSet& more, const Dofs& dofs,
                           BlockPattern& out) {
    HessianPlan fixed, extra;
    list_elements(set, dofs, fixed);
    list_elements(more, dofs, extra);
    return build_pattern(block_layout_of(dofs), fixed.elements, extra.elements, out);
}

bool build_hessian_plan(const ElementSet& set, const Dofs& dofs, const BlockPattern& pattern,
                        HessianPlan& plan) {
    list_elements(set, dofs, plan);
    return build_plan(pattern, plan.elements, plan.gather);
}

void compute_hessian(const Parallel& p, const ElementSet& set, const Evaluation& ev,
                     const HessianTerms& terms, HessianPlan& plan, BlockSparse& A) {
    evaluate_elements(p, set, ev, terms, plan);
    gather_elements(p, plan.gather, plan.local, A);
}

void add_hessian(const Parallel& p, const ElementSet& set, const Evaluation& ev, const HessianTerms& terms,
                 HessianPlan& plan, BlockSparse& A) {
    evaluate_elements(p, set, ev, terms, plan);
    add_elements(p, plan.gather, plan.local, A);
}

Real hessian_form(const Parallel& p, const ElementSet& set, const Dofs& dofs, const Evaluation& ev,
                  const HessianTerms& terms, std::span<const Real> s, HessianPlan& plan,
                  std::vector<Real>& partial) {
    evaluate_elements(p, set, ev, terms, plan);
    Real total = 0;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (plan.first[k] < 0) continue;
        const Table& t = *set.tables[k];
        const int n = t.row->dofs, rows = stored_rows(*t.row);
        total += ordered_sum(p, t.count(), kMatrixGrain, partial, [&](int begin, int end) {
            std::array<int, 32> blocks;
            std::array<Real, 96> local;
            Real sum = 0;
            for (int e = begin; e < end; ++e) {
                const int count = element_blocks(t, e, dofs, blocks.data());
                int at = 0;
                for (int b = 0; b < count; ++b) {
                    const int size = blocks[b] < 0 ? 3 : dofs.block_size(blocks[b]);
                    for (int i = 0; i < size; ++i)
                        local[at++] = blocks[b] < 0 ? 0 : s[dofs.block_offset(blocks[b]) + i];
                }
                if (t.row->pair)
                    for (int i = 0; i < 3; ++i) local[i] -= local[3 + i];
                const Real* h = plan.local.data() + plan.first[k] + std::size_t(e) * t.row->matrix_size;
                for (int j = 0; j < rows; ++j)
                    for (int i = 0; i < rows; ++i) sum += local[i] * h[j * rows + i] * local[j];
            }
            return sum;
        });
        SINEW_ASSERT(n <= 96);
    }
    return total;
}

} // namespace sinew
