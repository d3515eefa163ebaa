// Sweep and prune along one axis, see broad_phase.h. The axis is that of the largest variance of the centres
// and is kept until another one's is twice as large, so that the order of the last call stays of use.
#include "collision/broad_phase.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

namespace {

constexpr int kGrainSweep = 256;
constexpr int kMendSteps = 8; // moves per box after which the order is sorted anew instead

int choose_axis(std::span<const Aabb> boxes, int last) {
    Vec3 sum = Vec3::Zero(), square = Vec3::Zero();
    Real count = 0;
    for (const Aabb& b : boxes) {
        const Vec3 c = 0.5 * b.lo + 0.5 * b.hi;
        if (!(c.cwiseAbs().maxCoeff() < 1e150)) continue; // infinite ones say nothing
        sum += c;
        square += c.cwiseProduct(c);
        count += 1;
    }
    if (count == 0) return std::max(last, 0);
    const Vec3 variance = square / count - (sum / count).cwiseProduct(sum / count);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (variance[k] > variance[axis]) axis = k;
    return last >= 0 && variance[axis] < 2 * variance[last] ? last : axis;
}

// by lo, equal ones by number: one order only, whatever it was before
bool is_before(std::span<const Aabb> boxes, int axis, int i, int j) {
    const Real a = boxes[i].lo[axis], b = boxes[j].lo[axis];
    return a != b ? a < b : i < j;
}

// insertion; false where the order had changed too much for it to pay
bool mend_order(std::span<const Aabb> boxes, int axis, std::vector<int>& order) {
    long steps = long(kMendSteps) * long(order.size());
    for (std::size_t k = 1; k < order.size(); ++k) {
        const int moved = order[k];
        std::size_t at = k;
        for (; at > 0 && is_before(boxes, axis, moved, order[at - 1]); --at) order[at] = order[at - 1];
        order[at] = moved;
        steps -= long(k - at);
        if (steps < 0) return false;
    }
    return true;
}

} // namespace

void sweep_pairs(const Parallel& parallel, std::span<const Aabb> boxes, BroadPhaseScratch& s) {
    const int n = int(boxes.size());
    const int axis = choose_axis(boxes, s.axis);
    const bool keeps = axis == s.axis && int(s.order.size()) == n;
    s.axis = axis;
    if (!keeps) {
        s.order.resize(n);
        std::iota(s.order.begin(), s.order.end(), 0);
    }
    if (!keeps || !mend_order(boxes, axis, s.order))
        std::sort(s.order.begin(), s.order.end(), [&](int i, int j) { return is_before(boxes, axis, i, j); });
    s.sorted.resize(n);
    for (int k = 0; k < n; ++k) s.sorted[k] = boxes[s.order[k]];
    start_pieces(s.pairs, chunk_count(n, kGrainSweep));
    parallel_for(parallel, n, kGrainSweep, [&](int b, int e) {
        PairBuffer& out = s.pairs.pieces[b / kGrainSweep];
        for (int k = b; k < e; ++k) {
            const Aabb& box = s.sorted[k];
            if (is_empty(box)) continue;
            for (int l = k + 1; l < n && s.sorted[l].lo[axis] <= box.hi[axis]; ++l)
                if (overlap(box, s.sorted[l]) && !is_empty(s.sorted[l]))
                    add_pair(out, std::min(s.order[k], s.order[l]), std::max(s.order[k], s.order[l]));
        }
    });
}

} // namespace sinew
