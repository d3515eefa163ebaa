#include "solver/soft_order.h"
#include <algorithm>
#include <bit>

namespace sinew {

int SoftOrder::find(int wanted, int column) const {
    for (int e = begin[column]; e < begin[column + 1]; ++e)
        if (row[e] == wanted) return e;
    return -1;
}

SoftOrder build_soft_order(std::span<const std::uint64_t> graph) {
    using Mask = std::uint64_t;
    const int n = int(graph.size());
    std::vector<Mask> near(graph.begin(), graph.end()), column(n);
    SoftOrder out;
    Mask left = n == 64 ? ~Mask(0) : (Mask(1) << n) - 1;
    for (int k = 0; k < n; ++k) { // neighbours of what is eliminated become neighbours
        int best = -1;
        for (int g = 0; g < n; ++g)
            if (left >> g & 1 && (best < 0 || std::popcount(near[g] & left) < std::popcount(near[best] & left))) best = g;
        left &= ~(Mask(1) << best);
        column[k] = near[best] & left;
        out.order.push_back(best);
        for (int g = 0; g < n; ++g)
            if (column[k] >> g & 1) near[g] |= column[k] & ~(Mask(1) << g);
    }
    std::vector<int> position(n);
    for (int k = 0; k < n; ++k) position[out.order[k]] = k;
    out.begin.assign(1, 0);
    for (int k = 0; k < n; ++k) {
        for (int g = 0; g < n; ++g)
            if (column[k] >> g & 1) out.row.push_back(position[g]);
        std::sort(out.row.begin() + out.begin[k], out.row.end());
        out.begin.push_back(int(out.row.size()));
    }
    for (int k = 0; k < n; ++k)
        for (int e = out.begin[k]; e < out.begin[k + 1]; ++e) {
            for (int f = out.begin[k]; f < e; ++f) out.update.push_back(n + out.find(out.row[e], out.row[f]));
            out.update.push_back(out.row[e]);
        }
    return out;
}

} // namespace sinew
