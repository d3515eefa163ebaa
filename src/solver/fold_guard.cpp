#include "solver/fold_guard.h"
#include "energy/hinge_mesh.h"
#include "solver/measure.h"
#include <fmt/format.h>

namespace sinew {

void refuse_closed_folds(const Parallel& p, const Model& m, const State& now, const State& next, std::vector<Real>& partial, Report& report) {
    if (!m.elements || report.status == Status::failed) return;
    Evaluation ev = evaluation_of(m, next, 0);
    ev.x_now = now.point.x.data();
    for (const Table& t : m.elements->energies) {
        if (!has_fold_barrier(*t.row)) continue;
        const auto value = [&](int begin, int end) { return t.row->value(t, ev, begin, end); };
        if (ordered_sum(p, t.count(), kGrain, partial, value) < std::numeric_limits<Real>::infinity()) continue;
        // not a number is another matter, which the main loop names
        for (int e = 0; e < t.count(); ++e) {
            if (value(e, e + 1) != std::numeric_limits<Real>::infinity()) continue;
            const Object& owner = m.objects[t.object[e]];
            const int* hinge = t.stencil.data() + 4 * std::size_t(e);
            report.status = Status::failed;
            report.failed_object = owner.name;
            report.failed_index = hinge[1] - owner.points.begin;
            report.message = fmt::format("a fold has closed and would pass through itself (object '{}', the edge of points {} and {}): "
                                         "shorter steps, or an implicit solver, whose search stops before",
                                         owner.name, report.failed_index, hinge[2] - owner.points.begin);
            return;
        }
    }
}

} // namespace sinew
