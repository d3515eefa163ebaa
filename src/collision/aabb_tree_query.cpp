// Lists of what a box or a ray meets.
//   slab test   t_in = max (lo_k - s_k)/d_k, t_out = min (hi_k - s_k)/d_k, ends swapped where d_k < 0
// Every operation is monotone in lo and hi, so that the computed interval of a larger box contains that of a
// smaller one in spite of rounding: a node never hides its leaves.
#include "collision/aabb_tree_visit.h"

namespace sinew {

RayInterval intersect(const Ray& ray, const Aabb& b) {
    RayInterval t{0, ray.t_end};
    for (int k = 0; k < 3; ++k) {
        const Real s = ray.start[k], d = ray.direction[k];
        if (d == 0) {
            if (b.lo[k] <= s && s <= b.hi[k]) continue;
            return {1, 0};
        }
        const Real first = ((d > 0 ? b.lo[k] : b.hi[k]) - s) / d,
                   last = ((d > 0 ? b.hi[k] : b.lo[k]) - s) / d;
        t.t_in = std::max(t.t_in, first);
        t.t_out = std::min(t.t_out, last);
    }
    return t;
}

void find_in_box(const AabbTree& tree, const Aabb& q, std::vector<int>& out) {
    out.clear();
    visit_box(tree, q, [&](int id) { out.push_back(id); });
    std::sort(out.begin(), out.end());
}

void find_on_ray(const AabbTree& tree, const Ray& ray, std::vector<int>& out) {
    out.clear();
    visit_ray(tree, ray, [&](int id, Real) {
        out.push_back(id);
        return ray.t_end;
    });
    std::sort(out.begin(), out.end());
}

} // namespace sinew
