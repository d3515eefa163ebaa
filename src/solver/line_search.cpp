#include "solver/line_search.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static constexpr int kMostLengths = 40; // lengths down to at most 1e-12

SearchResult search_line(const MeritFunction& phi, const Merit& start, Real slope) {
    SearchResult r;
    if (!(slope < 0)) return r;
    Real a = 1;
    for (int k = 0; k < kMostLengths; ++k) {
        r.merit = phi.at(phi.data, a);
        ++r.evaluations;
        const Real rise = r.merit.value - start.value;
        if (!std::isfinite(r.merit.value)) {
            a *= 0.1;
            continue;
        }
        if (rise <= kSufficientDecrease * a * slope + kMeritRounding * std::max(start.size, r.merit.size)) {
            r.found = true;
            r.length = a;
            return r;
        }
        const Real parabola = -0.5 * slope * a * a / (rise - slope * a);
        a = std::clamp(parabola, 0.1 * a, 0.5 * a);
    }
    return r;
}

} // namespace sinew
