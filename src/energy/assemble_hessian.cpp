#include "energy/assemble_hessian.h"
#include "core/assert.h"
#include "energy/hinge_mesh.h"
#include "linalg/psd.h"
#include <algorithm>
#include <climits>

namespace sinew {

namespace {

constexpr int kMatrixGrain = 256; // elements per chunk
constexpr int kBatchReals =
    2304; // force derivatives on the stack at a time: four solids of 24 unknowns, 256 pairs

// rows of a stored element matrix
int stored_rows(const ElementRow& row) { return row.pair ? 3 : row.dofs; }

bool takes_part(const Table& t) { return t.row->views & (kHessian | kForce); }

bool is_mesh(const HessianPlan& plan, std::size_t table) { return table < plan.hinges.size() && plan.hinges[table].mesh; }

// the meshes of tables of hinges, kept where the stencils are the same
void build_hinge_parts(const ElementSet& set, HessianPlan& plan) {
    plan.hinges.resize(set.tables.size());
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        const Table& t = *set.tables[k];
        HingePart& part = plan.hinges[k];
        if (!find_hinge_terms(t.row->name)) {
            part.stencil.clear();
            part.mesh = nullptr;
            continue;
        }
        if (part.stencil == t.stencil && !t.stencil.empty()) continue;
        part.stencil = t.stencil;
        part.mesh = std::make_shared<HingeMesh>();
        const bool absent = std::any_of(t.stencil.begin(), t.stencil.end(), [](int i) { return i < 0; });
        if (absent || !build_hinge_mesh(t.stencil, *part.mesh)) part.mesh = nullptr;
    }
}

// Contributions of `more`, whose reals begin at `offset`, behind those that each slot has. Both ascend in slots.
void merge_plans(const GatherPlan& more, int offset, GatherPlan& plan) {
    GatherPlan out;
    out.slot.reserve(plan.slot.size() + more.slot.size());
    out.offset.reserve(plan.offset.size() + more.offset.size());
    out.stride.reserve(out.offset.capacity());
    std::size_t a = 0, b = 0;
    const auto take = [&](const GatherPlan& from, std::size_t k, int shift) {
        for (int c = from.begin[k]; c < from.begin[k + 1]; ++c) {
            out.offset.push_back(from.offset[c] < 0 ? from.offset[c] : from.offset[c] + shift);
            out.stride.push_back(from.stride[c]);
        }
    };
    while (a < plan.slot.size() || b < more.slot.size()) {
        const int sa = a < plan.slot.size() ? plan.slot[a] : INT_MAX, sb = b < more.slot.size() ? more.slot[b] : INT_MAX;
        out.slot.push_back(std::min(sa, sb));
        if (sa <= sb) take(plan, a++, 0);
        if (sb <= sa) take(more, b++, offset);
        out.begin.push_back(int(out.offset.size()));
    }
    std::swap(out.scratch_contribution, plan.scratch_contribution);
    std::swap(out.scratch_slot, plan.scratch_slot);
    plan = std::move(out);
}

// stencils of a set as blocks, with the place of each element in `local`; those of meshes have a place only
void list_elements(const ElementSet& set, const Dofs& dofs, HessianPlan& plan) {
    std::array<int, 32> blocks;
    plan.first.clear();
    plan.blocks.clear();
    plan.elements.clear();
    int size = 0;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        const Table* t = set.tables[k];
        plan.first.push_back(takes_part(*t) ? size : -1);
        if (!takes_part(*t)) continue;
        if (is_mesh(plan, k)) {
            size += plan.hinges[k].mesh->value_count;
            continue;
        }
        for (int e = 0; e < t->count(); ++e) {
            const int n = element_blocks(*t, e, dofs, blocks.data());
            plan.blocks.insert(plan.blocks.end(), blocks.begin(), blocks.begin() + n);
            plan.elements.push_back({{}, size, t->row->dofs, t->row->pair});
            size += t->row->matrix_size;
        }
    }
    // spans last: the array of blocks has stopped moving
    const int* at = plan.blocks.data();
    std::size_t element = 0;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        const Table* t = set.tables[k];
        if (!takes_part(*t) || is_mesh(plan, k)) continue;
        const int n = t->row->points + 2 * t->row->frames + t->row->scalars;
        for (int e = 0; e < t->count(); ++e, at += n) plan.elements[element++].blocks = {at, std::size_t(n)};
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
    const bool by_eigenvalues = terms.eigen && terms.projection == Projection::clamp;
    if (terms.potentials && row.hessian) {
        row.hessian(t, ev, begin, end, by_eigenvalues ? Projection::none : terms.projection, out);
        // of a pair [K -K; -K K] the eigenvalues are twice those of K, and zeros
        for (int e = 0; by_eigenvalues && e < end - begin; ++e)
            project_psd(out + std::size_t(e) * size, stored_rows(row), PsdMode::clamp);
    } else
        std::fill(out, out + std::size_t(end - begin) * size, 0.0);
    if (!has_force(t, ev) || (terms.force_x == 0 && terms.force_v == 0)) return;
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

void evaluate_mesh(const Parallel& p, const Table& t, const Evaluation& ev, const HessianTerms& terms, HingeMesh& mesh, Real* out) {
    if (!terms.potentials) {
        std::fill(out, out + mesh.value_count, 0.0);
        return;
    }
    if (terms.projection == Projection::absolute || (terms.eigen && terms.projection == Projection::clamp)) {
        HessianTerms own = terms;
        own.force_x = own.force_v = 0; // in implicit steps hinges have no other than the potential
        std::fill(out, out + mesh.value_count, 0.0);
        parallel_for(p, int(mesh.triangles.size()), kMatrixGrain, [&](int begin, int end) {
            MatN<12> hessian;
            for (int k = begin; k < end; ++k)
                for (int i = 0; i < 3; ++i) {
                    if (!mesh.triangles[k].owns[i]) continue;
                    const int hinge = mesh.triangles[k].hinge[i];
                    evaluate_range(t, ev, own, hinge, hinge + 1, hessian.data());
                    add_hinge_element(mesh, hinge, hessian, out);
                }
        });
        return;
    }
    find_hinge_terms(t.row->name)(p, t, ev, mesh);
    compute_hinge_blocks(p, terms.projection, mesh, out);
}

void evaluate_elements(const Parallel& p, const ElementSet& set, const Evaluation& ev,
                       const HessianTerms& terms, HessianPlan& plan) {
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (plan.first[k] < 0) continue;
        const Table& t = *set.tables[k];
        Real* out = plan.local.data() + plan.first[k];
        if (is_mesh(plan, k)) {
            evaluate_mesh(p, t, ev, terms, *plan.hinges[k].mesh, out);
            continue;
        }
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
                        HessianPlan& plan, HingeSums sums) {
    if (sums == HingeSums::per_triangle) build_hinge_parts(set, plan);
    else plan.hinges.clear();
    list_elements(set, dofs, plan);
    if (!build_plan(pattern, plan.elements, plan.gather)) return false;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (!is_mesh(plan, k)) continue;
        if (!build_hinge_plan(*plan.hinges[k].mesh, pattern, plan.hinges[k].plan)) return false;
        merge_plans(plan.hinges[k].plan, plan.first[k], plan.gather);
    }
    return true;
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
    Real total = 0;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (plan.first[k] < 0) continue;
        const Table& t = *set.tables[k];
        const int n = t.row->dofs, rows = stored_rows(*t.row);
        if (!terms.potentials && !has_force(t, ev)) continue;
        Real* stored = plan.local.data() + plan.first[k];
        if (!is_mesh(plan, k))
            parallel_for(p, t.count(), kMatrixGrain, [&](int begin, int end) {
                evaluate_range(t, ev, terms, begin, end, stored + std::size_t(begin) * t.row->matrix_size);
            });
        total += ordered_sum(p, t.count(), kMatrixGrain, partial, [&](int begin, int end) {
            std::array<int, 32> blocks;
            std::array<Real, 96> local;
            std::array<Real, 144> matrix; // of one hinge
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
                if (is_mesh(plan, k)) evaluate_range(t, ev, terms, e, e + 1, matrix.data());
                const Real* h = is_mesh(plan, k) ? matrix.data() : stored + std::size_t(e) * t.row->matrix_size;
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
