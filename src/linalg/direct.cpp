#include "linalg/direct.h"
#include <algorithm>
#include <cmath>

namespace sinew {

LinearInfo begin_analyse(const BlockPattern& pattern, FixedMask fixed, DirectSystem& s) {
    s.analysed = s.factored = false;
    if (LinearInfo info = check_analyse_input(pattern, fixed); !info.ok) return info;
    s.filtered = make_block_sparse(pattern);
    s.fixed.assign(fixed.begin(), fixed.end());
    return {};
}

void order_matrix(const BlockPattern& pattern, std::span<const int> order, Triangle triangle, DirectSystem& s) {
    build_scalar_matrix(pattern, order, triangle, s.matrix);
    for (auto* a : {&s.rhs, &s.residual}) a->assign(free_count(s.matrix), 0.0);
    s.rhs_filtered.assign(scalar_count(pattern.layout), 0.0);
}

LinearInfo take_matrix(const Parallel& parallel, const BlockSparse& A, std::span<const BlockProjector> given, DirectSystem& s) {
    s.factored = false;
    if (!s.analysed) return linear_failure("factor was called before analyse");
    if (LinearInfo info = check_factor_input(s.filtered.pattern, A, given); !info.ok) return info;
    s.projectors.assign(given.begin(), given.end());
    if (!s.projectors.empty()) filter_matrix(parallel, A, s.fixed, s.projectors, s.filtered);
    if (!copy_values(parallel, s.projectors.empty() ? A : s.filtered, s.matrix))
        return linear_failure("the matrix has an entry that is not finite");
    return {};
}

LinearInfo take_right_side(std::span<const Real> b, std::span<Real> x, DirectSystem& s) {
    std::fill(x.begin(), x.end(), 0.0);
    if (!s.factored) return linear_failure("solve was called without a factorisation");
    const BlockLayout& layout = s.filtered.pattern.layout;
    std::copy(b.begin(), b.end(), s.rhs_filtered.begin());
    apply_filter(layout, {}, s.projectors, s.rhs_filtered);
    to_order(s.matrix, layout, s.rhs_filtered, s.rhs);
    return {};
}

LinearInfo give_solution(std::span<const Real> solution, std::span<Real> x, DirectSystem& s) {
    LinearInfo info;
    info.residual = relative_residual(s.matrix, solution, s.rhs, s.residual);
    if (!std::isfinite(info.residual)) return linear_failure("the solution is not finite");
    from_order(s.matrix, s.filtered.pattern.layout, solution, x);
    apply_filter(s.filtered.pattern.layout, {}, s.projectors, x);
    return info;
}

LinearInfo not_positive_definite() {
    LinearInfo info = linear_failure("the matrix is not positive definite");
    info.not_positive_definite = true;
    return info;
}

} // namespace sinew
