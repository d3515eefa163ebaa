#include "solver/velocity_islands.h"
#include <algorithm>

namespace sinew {

static int find_root(std::vector<int>& root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

void build_islands(const RowProblem& q, Islands& out) {
    const int n = q.body_count();
    out.root.resize(n);
    for (int b = 0; b < n; ++b) out.root[b] = b;
    out.number.assign(n, -1);
    for (const RowGroup& g : q.groups) {
        int first = -1;
        for (int s = 0; s < g.sides; ++s) {
            const int b = q.body[g.side + s];
            if (!(q.inverse_mass[b] > 0)) continue;
            out.number[b] = 0; // touched
            const int r = find_root(out.root, b);
            if (first < 0) first = r;
            else if (r != first) {
                const int low = std::min(r, first); // the first body of an island is its root
                out.root[std::max(r, first)] = low;
                first = low;
            }
        }
    }
    // number the roots in order, count, fill
    int count = 0;
    for (int b = 0; b < n; ++b)
        if (out.number[b] == 0) {
            const int r = find_root(out.root, b);
            out.number[b] = r == b ? count++ : out.number[r];
        }
    out.body_begin.assign(count + 1, 0);
    out.group_begin.assign(count + 1, 0);
    const auto island_of = [&](const RowGroup& g) {
        for (int s = 0; s < g.sides; ++s)
            if (const int i = out.number[q.body[g.side + s]]; i >= 0) return i;
        return -1;
    };
    for (int b = 0; b < n; ++b)
        if (out.number[b] >= 0) ++out.body_begin[out.number[b] + 1];
    for (const RowGroup& g : q.groups)
        if (const int i = island_of(g); i >= 0) ++out.group_begin[i + 1];
    for (int i = 0; i < count; ++i) {
        out.body_begin[i + 1] += out.body_begin[i];
        out.group_begin[i + 1] += out.group_begin[i];
    }
    out.body.resize(out.body_begin[count]);
    out.group.resize(out.group_begin[count]);
    std::vector<int>& at = out.root; // free again
    at.assign(out.body_begin.begin(), out.body_begin.end());
    for (int b = 0; b < n; ++b)
        if (out.number[b] >= 0) out.body[at[out.number[b]]++] = b;
    at.assign(out.group_begin.begin(), out.group_begin.end());
    for (std::size_t g = 0; g < q.groups.size(); ++g)
        if (const int i = island_of(q.groups[g]); i >= 0) out.group[at[i]++] = int(g);
}

Real mass_ratio(const RowProblem& q, const IslandView& island) {
    Real worst = 1;
    for (int i : island.groups) {
        const RowGroup& g = q.groups[i];
        Real least = 1e300, most = 0;
        for (int s = 0; s < g.sides; ++s) {
            const Real w = q.inverse_mass[q.body[g.side + s]];
            if (w > 0) least = std::min(least, w), most = std::max(most, w);
        }
        if (most > 0) worst = std::max(worst, most / least);
    }
    return worst;
}

} // namespace sinew
