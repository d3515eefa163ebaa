#include "linalg/polar3.h"

namespace sinew {

PolarRates compute_polar_rates(const Svd3& s, const Mat3& dF) {
    const Mat3 A = s.U.transpose() * dF * s.V;
    const Real least = 1e-14 * s.sigma[0];
    Mat3 W = Mat3::Zero(), T = A.diagonal().asDiagonal();
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j) {
            const Real sum = s.sigma[i] + s.sigma[j];
            if (!(sum > least)) {
                T(i, j) = T(j, i) = 0.5 * (A(i, j) + A(j, i)); // what is left of dS when R stays
                continue;
            }
            W(i, j) = (A(i, j) - A(j, i)) / sum;
            W(j, i) = -W(i, j);
            T(i, j) = T(j, i) = (s.sigma[i] * A(i, j) + s.sigma[j] * A(j, i)) / sum;
        }
    return {s.U * W * s.V.transpose(), s.V * T * s.V.transpose(), A.diagonal()};
}

} // namespace sinew
