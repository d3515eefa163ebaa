#include "solver/explicit_rods.h"
#include "energy/rod_bend_twist.h"

namespace sinew {

static bool has_frames(const Table& t) { return t.row->name == RodBendTwist::name; }

void refresh_rod_edges(const Model& m, RodEdges& out) {
    if (out.topology == m.topology_revision && out.tables == m.elements.get()) return;
    out.topology = m.topology_revision;
    out.tables = m.elements.get();
    out.edges.clear();
    std::vector<char> seen(scalar_count(m), 0);
    for (const Table& t : m.elements->energies) {
        if (!has_frames(t)) continue;
        for (int e = 0; e < t.count(); ++e) {
            const int* id = t.stencil.data() + std::size_t(e) * t.row->stencil;
            for (int k = 0; k < 2; ++k) {
                const int scalar = id[3 + k];
                if (scalar < 0 || seen[scalar]) continue;
                seen[scalar] = 1;
                out.edges.push_back({scalar, id[k], id[k + 1], e, k, &t});
            }
        }
    }
}

void carry_rod_frames(const Parallel& parallel, const Model& m, const Evaluation& ev, State& stage) {
    for (const Table& t : m.elements->energies) {
        if (!has_frames(t)) continue;
        std::vector<double>& memory = element_memory(stage, *t.row);
        memory.resize(std::size_t(t.count()) * t.row->memory_size);
        parallel_for(parallel, t.count(), kGrain, [&](int begin, int end) {
            t.row->finish(t, ev, begin, end, memory.data() + std::size_t(begin) * t.row->memory_size);
        });
    }
}

void subtract_frame_turn(const Model& m, const Evaluation& ev, const RodEdges& edges, std::span<Real> rate) {
    const std::vector<double>* memory = find_element_memory(*ev.memory, RodBendTwist::name);
    for (const RodEdges::Edge& at : edges.edges) {
        if (m.scalar.flags[at.scalar] & kFixed) continue;
        StepContext c;
        const std::size_t first = std::size_t(at.element) * RodBendTwist::memory_size;
        if (memory && memory->size() >= first + RodBendTwist::memory_size) c.memory = memory->data() + first;
        const Real* frame = RodBendTwist::frame_of(ElementsOf<RodBendTwist>::data_of(*at.table, at.element), c) + 6 * at.place;
        const Vec3 from(frame[0], frame[1], frame[2]), e = vec(ev.x[at.b]) - vec(ev.x[at.a]);
        const Real length = e.norm();
        if (!(length > 0)) continue;
        const Vec3 t = e / length, rate_of_edge = vec(ev.v[at.b]) - vec(ev.v[at.a]);
        rate[at.scalar] += from.cross(t).dot(rate_of_edge) / (length * (1 + from.dot(t)));
    }
}

} // namespace sinew
