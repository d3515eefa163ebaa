#include "energy/assemble.h"

namespace sinew {

inline constexpr int kElementGrain = 512; // elements per chunk: large against the cost of a task, small against a core

void collect_elements(const Tables& fixed, ElementSet& set) {
    set.tables.clear();
    for (const Table& t : fixed.energies) set.tables.push_back(&t);
    for (const Table& t : fixed.constraints) set.tables.push_back(&t);
}

void collect_elements(const Tables& fixed, const Tables& contacts, ElementSet& set) {
    collect_elements(fixed, set);
    for (const Table& t : contacts.energies) set.tables.push_back(&t);
}

int element_blocks(const Table& t, int element, const Dofs& dofs, int* blocks) {
    const ElementRow& row = *t.row;
    const int* id = t.stencil.data() + std::size_t(element) * row.stencil;
    int n = 0;
    for (int i = 0; i < row.points; ++i) blocks[n++] = id[i] < 0 ? -1 : dofs.point_block(id[i]);
    for (int i = 0; i < row.frames; ++i) {
        blocks[n++] = dofs.frame_block(id[row.points + i]);
        blocks[n++] = dofs.frame_block(id[row.points + i]) + 1;
    }
    for (int i = 0; i < row.scalars; ++i) blocks[n++] = dofs.scalar_block(id[row.points + row.frames + i]);
    return n;
}

// visits (block, offset into local) of every element that takes part, in table and element order
template <class F> static void for_each_contribution(const ElementSet& set, const Dofs& dofs, const Gather& g, F&& f) {
    std::array<int, 32> blocks;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        if (g.first[k] < 0) continue;
        const Table& t = *set.tables[k];
        for (int e = 0; e < t.count(); ++e) {
            const int n = element_blocks(t, e, dofs, blocks.data());
            int offset = g.first[k] + e * t.row->dofs;
            for (int b = 0; b < n; ++b) {
                if (blocks[b] >= 0) f(blocks[b], offset);
                offset += blocks[b] < 0 ? 3 : dofs.block_size(blocks[b]);
            }
        }
    }
}

void build_gather(const ElementSet& set, const Dofs& dofs, View view, Gather& g) {
    g.view = view;
    g.first.clear();
    int size = 0;
    for (const Table* t : set.tables) {
        const bool takes_part = t->row->views & view;
        g.first.push_back(takes_part ? size : -1);
        if (takes_part) size += t->count() * t->row->dofs;
    }
    g.local.resize(size);
    // count, then fill: contributions of a block keep table and element order
    g.begin.assign(dofs.blocks() + 1, 0);
    for_each_contribution(set, dofs, g, [&](int block, int) { ++g.begin[block + 1]; });
    for (int b = 0; b < dofs.blocks(); ++b) g.begin[b + 1] += g.begin[b];
    g.source.resize(g.begin.back());
    g.cursor.assign(g.begin.begin(), g.begin.end() - 1);
    for_each_contribution(set, dofs, g, [&](int block, int offset) { g.source[g.cursor[block]++] = offset; });
}

static Real table_energy(const Parallel& p, const Table& t, const Evaluation& ev, std::vector<Real>& partial) {
    if (!t.row->value) return 0;
    return ordered_sum(p, t.count(), kElementGrain, partial,
                       [&](int begin, int end) { return t.row->value(t, ev, begin, end); });
}

Real total_energy(const Parallel& p, const ElementSet& set, const Evaluation& ev, std::vector<Real>& partial) {
    Real sum = 0;
    for (const Table* t : set.tables) sum += table_energy(p, *t, ev, partial);
    return sum;
}

std::array<Real, 4> energy_by_share(const Parallel& p, const ElementSet& set, const Evaluation& ev,
                                    std::vector<Real>& partial) {
    std::array<Real, 4> sum{};
    for (const Table* t : set.tables) sum[int(t->row->share)] += table_energy(p, *t, ev, partial);
    return sum;
}

static void gather(const Parallel& p, const Dofs& dofs, const Gather& g, std::span<Real> out) {
    parallel_for(p, dofs.blocks(), kGrain, [&](int begin, int end) {
        for (int b = begin; b < end; ++b) {
            Real* to = out.data() + dofs.block_offset(b);
            const int size = dofs.block_size(b);
            for (int k = g.begin[b]; k < g.begin[b + 1]; ++k) {
                const Real* from = g.local.data() + g.source[k];
                for (int i = 0; i < size; ++i) to[i] += from[i];
            }
        }
    });
}

void add_gradient(const Parallel& p, const ElementSet& set, const Dofs& dofs, const Evaluation& ev, Gather& g,
                  std::span<Real> out) {
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        const Table& t = *set.tables[k];
        if (g.first[k] < 0) continue;
        parallel_for(p, t.count(), kElementGrain, [&](int begin, int end) {
            t.row->gradient(t, ev, begin, end, g.local.data() + g.first[k] + std::size_t(begin) * t.row->dofs);
        });
    }
    gather(p, dofs, g, out);
}

void add_force(const Parallel& p, const ElementSet& set, const Dofs& dofs, const Evaluation& ev, Gather& g,
               std::span<Real> out) {
    bool any = false;
    for (std::size_t k = 0; k < set.tables.size(); ++k) any = any || (g.first[k] >= 0 && has_force(*set.tables[k], ev));
    if (!any) return;
    for (std::size_t k = 0; k < set.tables.size(); ++k) {
        const Table& t = *set.tables[k];
        if (g.first[k] < 0) continue;
        if (!has_force(t, ev)) {
            std::fill_n(g.local.begin() + g.first[k], std::size_t(t.count()) * t.row->dofs, 0.0);
            continue;
        }
        parallel_for(p, t.count(), kElementGrain, [&](int begin, int end) {
            t.row->force(t, ev, begin, end, g.local.data() + g.first[k] + std::size_t(begin) * t.row->dofs);
        });
    }
    gather(p, dofs, g, out);
}

// f . v of element e, whose forces are f
static Real element_power(const Table& t, const Evaluation& ev, int e, const Real* f) {
    const int* id = t.stencil.data() + std::size_t(e) * t.row->stencil;
    Real power = 0;
    const auto add = [&](const Real3& v) {
        power += f[0] * v.x + f[1] * v.y + f[2] * v.z;
        f += 3;
    };
    for (int k = 0; k < t.row->points; ++k, ++id) *id < 0 ? void(f += 3) : add(ev.v[*id]);
    for (int k = 0; k < t.row->frames; ++k, ++id) {
        if (*id < 0) {
            f += 6;
            continue;
        }
        add(ev.frame_v[*id]);
        add(ev.frame_w[*id]);
    }
    for (int k = 0; k < t.row->scalars; ++k, ++id, ++f)
        if (*id >= 0) power += *f * ev.ds[*id];
    return power;
}

Real force_power(const Parallel& p, const ElementSet& set, const Evaluation& ev, std::vector<Real>& local,
                 std::vector<Real>& partial) {
    Real power = 0;
    for (const Table* t : set.tables) {
        if (t->count() == 0 || !has_force(*t, ev)) continue;
        local.resize(std::max(local.size(), std::size_t(t->count()) * t->row->dofs));
        power += ordered_sum(p, t->count(), kElementGrain, partial, [&](int begin, int end) {
            Real* f = local.data() + std::size_t(begin) * t->row->dofs;
            t->row->force(*t, ev, begin, end, f);
            Real sum = 0;
            for (int e = begin; e < end; ++e, f += t->row->dofs) sum += element_power(*t, ev, e, f);
            return sum;
        });
    }
    return power;
}

void finish_elements(const Parallel& p, const Tables& tables, const Evaluation& ev, State& next) {
    for (const Table& t : tables.energies) {
        if (!t.row->finish) continue;
        std::vector<double>& memory = element_memory(next, *t.row);
        memory.resize(std::size_t(t.count()) * t.row->memory_size);
        parallel_for(p, t.count(), kElementGrain, [&](int begin, int end) {
            t.row->finish(t, ev, begin, end, memory.data() + std::size_t(begin) * t.row->memory_size);
        });
    }
}

} // namespace sinew
