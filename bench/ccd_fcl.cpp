#include "ccd_queries.h"
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

namespace sinew::bench {

long count_fcl_impacts(const std::vector<Query>& queries, bool newton) {
    using Kernel = fcl::detail::Intersect<double>;
    long hits = 0;
    for (const Query& q : queries) {
        double time;
        fcl::Vector3d where;
        const CcdPoints &x = q.x0, &y = q.x1;
        hits += q.edges ? Kernel::intersect_EE_filtered(x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], &time,
                                                        &where, newton)
                        : Kernel::intersect_VF_filtered(x[1], x[2], x[3], x[0], y[1], y[2], y[3], y[0], &time,
                                                        &where, newton);
    }
    return hits;
}

} // namespace sinew::bench
