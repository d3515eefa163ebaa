#include "energy/gas.h"
#include "energy/pressure_volume.h"

namespace sinew {

namespace {

// A -= factor n n^T over the three points of a triangle
void subtract_outer(const int* id, const VecN<9>& n, Real factor, const Dofs& dofs, BlockSparse& A) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int row = dofs.point_block(id[i]), column = dofs.point_block(id[j]);
            if (row < column) continue;
            const int slot = find_slot(A.pattern, row, column);
            if (slot < 0) continue;
            Eigen::Map<Mat3> block(block_values(A, slot));
            block -= factor * n.segment<3>(3 * i) * n.segment<3>(3 * j).transpose();
        }
}

// elements [begin, end) of one object
void split_object(const Table& t, int begin, int end, const Dofs& dofs, const Evaluation& ev, FixedMask fixed, BlockSparse& A,
                  RankOne& out) {
    using Loops = ElementsOf<PressureVolume>;
    const Real volume = PressureVolume::total(t, ev, begin);
    out.factor = 0;
    out.vector.assign(dofs.size(), 0.0);
    StepContext c = Loops::context(ev);
    for (int e = begin; e < end; ++e) {
        const PressureVolume::Data& d = Loops::data_of(t, e);
        Stencil<3> s;
        if (!Loops::load(t, ev, e, false, s, c)) continue;
        // gradient of the volume: that of a constant pressure of -1
        PressureVolume::Data unit = d;
        unit.law = 0, unit.pressure = -1;
        const VecN<9> n = PressureVolume::eval<1>(unit, c, s).gradient;
        out.factor = PressureVolume::law(d, volume).second;
        const int* id = t.stencil.data() + 3 * std::size_t(e);
        subtract_outer(id, n, out.factor / d.weight, dofs, A);
        for (int i = 0; i < 3; ++i)
            if (fixed.empty() || !fixed[dofs.point_block(id[i])])
                for (int k = 0; k < 3; ++k) out.vector[dofs.point_offset(id[i]) + k] += n[3 * i + k];
    }
}

} // namespace

void split_gas(const ElementSet& set, const Dofs& dofs, const Evaluation& ev, FixedMask fixed, BlockSparse& A,
               std::vector<RankOne>& out) {
    std::size_t count = 0;
    for (const Table* t : set.tables) {
        if (t->row->name != PressureVolume::name) continue;
        for (int begin = 0, end = 0; begin < t->count(); begin = end) {
            while (end < t->count() && t->object[end] == t->object[begin]) ++end;
            if (!ElementsOf<PressureVolume>::data_of(*t, begin).law) continue;
            if (out.size() <= count) out.emplace_back();
            split_object(*t, begin, end, dofs, ev, fixed, A, out[count]);
            if (out[count].factor > 0) ++count;
        }
    }
    out.resize(count);
}

} // namespace sinew
