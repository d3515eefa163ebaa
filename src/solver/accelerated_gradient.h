// Nesterov's momentum and the accelerated projected gradient method (Mazhar et al. 2015; spec U081, U082), for the duals of
// `velocity` and of `position`:
//   min over z in K of  1/2 z.Az + b.z
//   z' = P(y - g(y)/L),   L doubled until (z' - y).A(z' - y) <= L |z' - y|^2, and a little smaller after each iteration
//   y  = z' + beta (z' - z),   from the beginning again where g(y).(z' - z) > 0
#pragma once
#include "core/math.h"
#include <cmath>
#include <vector>

namespace sinew {

struct Nesterov {
    Real theta = 1;
    Real next() {
        const Real after = 0.5 * (-theta * theta + theta * std::sqrt(theta * theta + 4));
        const Real beta = theta * (1 - theta) / (theta * theta + after);
        theta = after;
        return beta;
    }
};

// Momentum of rows that are renewed in every iteration begins again where it goes uphill, r.dl < 0, and where the residual grows: a link that
// overshoots its own length has turned round, the multiplier that pulled it together pulls it through itself once more, and the slope is
// downhill all the time. Without the second a cloth of 50 x 50 was gone after 30 iterations, with a half or an eighth of the step alike.
struct MomentumRestart {
    Real before = -1; // size of the residual one iteration ago
    void look(Real slope, Real size, Nesterov& momentum) {
        if (slope < 0 || (before >= 0 && size > before)) momentum = {};
        before = size;
    }
};

struct AcceleratedGradient {
    Nesterov momentum;
    Real lipschitz = 1; // L
    Real beta = 0;      // of the last iteration
    // One iteration from y, where the gradient is known. True: momentum went uphill and begins anew. `p` has
    //   project(z)                      into K
    //   curvature(trial, y, square)     (trial - y).A(trial - y), and |trial - y|^2 into `square`
    //   slope(gradient, trial, z)       gradient.(trial - z)
    // all in the scale in which y - gradient/L is a step
    template <class P>
    bool advance(P&& p, const std::vector<Real>& gradient, std::vector<Real>& z, std::vector<Real>& y, std::vector<Real>& trial) {
        const int n = int(y.size());
        for (int tries = 0; tries < 40; ++tries) {
            for (int i = 0; i < n; ++i) trial[i] = y[i] - gradient[i] / lipschitz;
            p.project(trial);
            Real square = 0;
            const Real curve = p.curvature(trial, y, square);
            if (curve <= lipschitz * square * (1 + 1e-12)) break;
            lipschitz *= 2;
        }
        const bool uphill = p.slope(gradient, trial, z) > 0;
        if (uphill) momentum = {};
        beta = uphill ? 0 : momentum.next();
        for (int i = 0; i < n; ++i) y[i] = trial[i] + beta * (trial[i] - z[i]);
        z = trial;
        lipschitz *= 0.95;
        return uphill;
    }
};

} // namespace sinew
