#include "ccd_queries.h"
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

namespace sinew::bench {

bool find_fcl_impacts(const std::vector<Query>& queries, bool newton, std::vector<char>& hit) {
    using Kernel = fcl::detail::Intersect<double>;
    hit.resize(queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
        double time;
        fcl::Vector3d where;
        const CcdPoints &x = queries[i].x0, &y = queries[i].x1;
        hit[i] = queries[i].edges ? Kernel::intersect_EE_filtered(x[0], x[1], x[2], x[3], y[0], y[1], y[2],
                                                                  y[3], &time, &where, newton)
                                  : Kernel::intersect_VF_filtered(x[1], x[2], x[3], x[0], y[1], y[2], y[3],
                                                                  y[0], &time, &where, newton);
    }
    return true;
}

} // namespace sinew::bench
