#include "linalg/envelope.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {

void build_envelope(std::span<const int> first, Envelope& a) {
    a.first.assign(first.begin(), first.end());
    a.begin.resize(first.size() + 1);
    a.begin[0] = 0;
    for (std::size_t i = 0; i < first.size(); ++i) a.begin[i + 1] = a.begin[i] + (i - std::size_t(first[i]) + 1);
    a.value.assign(a.begin.back(), 0.0);
}

// four sums at once: the compiler keeps them in vector registers, and their order is fixed
static Real row_dot(const Real* a, const Real* b, int n) {
    Real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    Real sum = (s0 + s1) + (s2 + s3);
    for (; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

bool factor_envelope(Envelope& a) {
    for (int i = 0; i < a.size(); ++i) {
        Real* row = a.value.data() + a.begin[i] - a.first[i]; // row[j] is entry (i, j)
        for (int j = a.first[i]; j < i; ++j) {
            const Real* other = a.value.data() + a.begin[j] - a.first[j];
            const int from = std::max(a.first[i], a.first[j]);
            row[j] = (row[j] - row_dot(row + from, other + from, j - from)) / other[j];
        }
        const Real pivot = row[i] - row_dot(row + a.first[i], row + a.first[i], i - a.first[i]);
        if (!(pivot > 0)) return false;
        row[i] = std::sqrt(pivot);
    }
    return true;
}

void solve_envelope(const Envelope& a, std::span<Real> x) {
    for (int i = 0; i < a.size(); ++i) {
        const Real* row = a.value.data() + a.begin[i] - a.first[i];
        x[i] = (x[i] - row_dot(row + a.first[i], x.data() + a.first[i], i - a.first[i])) / row[i];
    }
    for (int i = a.size() - 1; i >= 0; --i) {
        const Real* row = a.value.data() + a.begin[i] - a.first[i];
        x[i] /= row[i];
        for (int j = a.first[i]; j < i; ++j) x[j] -= row[j] * x[i];
    }
}

void order_breadth_first(std::span<const int> begin, std::span<const int> neighbor, std::vector<int>& order) {
    const int n = int(begin.size()) - 1;
    // memory of the walk behind the result: steps that order the same graph again allocate nothing
    order.assign(3 * std::size_t(n), 0);
    int *out = order.data(), *starts = out + n, *found = starts + n; // found: 0, or the place in the walk, from 1
    const auto degree = [&](int i) { return begin[i + 1] - begin[i]; };
    std::iota(starts, starts + n, 0);
    std::sort(starts, starts + n, [&](int a, int b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a < b; });
    int count = 0;
    const auto add = [&](int i) {
        out[count++] = i;
        found[i] = count;
    };
    for (int k = 0; k < n; ++k) {
        if (found[starts[k]]) continue;
        const int first = count;
        add(starts[k]);
        for (int at = first; at < count; ++at) {
            const int from = count, i = out[at];
            for (int j = begin[i]; j < begin[i + 1]; ++j)
                if (!found[neighbor[j]]) add(neighbor[j]);
            std::sort(out + from, out + count, [&](int a, int b) { return degree(a) != degree(b) ? degree(a) < degree(b) : found[a] < found[b]; });
        }
    }
    std::reverse(out, out + n);
    order.resize(n);
}

} // namespace sinew
