// Linear solver `banded`: A = L L^T within a band, for chains of unknowns (rods: half bandwidth 10 in the order
// x0 angle0 x1 angle1 ...; spec T60, erratum E17). It is the LU factorisation of a symmetric matrix without pivoting,
// at half its cost; a pivot <= 0 is reported as not positive definite. Work n w^2, memory n (w + 1) for half bandwidth w.
//   parts    connected parts of the graph (one per rod) are factored independently, in parallel
//   order    per part the better of two: by block index, where a scalar stands between the points it is joined with (the
//            natural order of a rod), and reverse Cuthill-McKee (1969; rings, and meshes that are given to it anyway)
//
// Linear solver `banded_lu`: P A = L U within the band, kl = ku = w and 2 w of fill above by row exchanges (Golub and Van Loan 4.3.5),
// in the same order and by the same parts. It takes indefinite matrices: root finding (newton with "merit": "residual") goes to
// saddles, where LL^T does not exist. A column whose largest entry is below n eps of the largest of the part is reported as
// singular. Work up to 4 n w^2, memory n (3 w + 1).
#include "linalg/banded_lu.h"
#include "linalg/direct.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew {

namespace {

struct Part {
    int begin, end; // scalars of the ordered matrix
    int width;      // half bandwidth
    std::size_t first; // of its band in the array: rows of width + 1, the diagonal last
};

struct Banded final : LinearSolver {
    explicit Banded(bool exchanges) : pivots(exchanges) {}
    const bool pivots; // banded_lu
    LinearInfo analyse(const BlockPattern& pattern, FixedMask fixed) override;
    LinearInfo factor(const Parallel&, const BlockSparse& A, std::span<const BlockProjector>) override;
    LinearInfo solve(const Parallel&, std::span<const Real> b, std::span<Real> x) override;

    DirectSystem system;
    std::vector<Part> parts;
    std::vector<Real> band;
    std::vector<unsigned char> good; // per part: positive definite, or regular
    std::vector<int> exchanged;      // banded_lu: row that each row was exchanged with
    std::vector<Real> solution;
};

// neighbours of each free block, by number among the free ones
struct Graph {
    std::vector<int> begin, neighbor;
};
Graph full_graph(const BlockGraph& g) {
    const int n = int(g.free_blocks.size());
    Graph out;
    out.begin.assign(n + 1, 0);
    for (int pass = 0; pass < 2; ++pass) {
        std::vector<int> next(out.begin.begin(), out.begin.end());
        for (int j = 0; j < n; ++j)
            for (int k = g.column_begin[j]; k < g.column_begin[j + 1]; ++k) {
                const int i = g.row[k];
                if (i == j) continue;
                if (pass == 0) ++out.begin[i + 1], ++out.begin[j + 1];
                else out.neighbor[next[i]++] = j, out.neighbor[next[j]++] = i;
            }
        if (pass == 0) {
            for (int i = 0; i < n; ++i) out.begin[i + 1] += out.begin[i];
            out.neighbor.resize(out.begin[n]);
        }
    }
    return out;
}
int degree(const Graph& g, int i) { return g.begin[i + 1] - g.begin[i]; }

// breadth first from `start`, neighbours by degree; returns the part
std::vector<int> walk(const Graph& g, int start, std::vector<int>& seen, int mark) {
    std::vector<int> order{start}, fresh;
    seen[start] = mark;
    for (std::size_t k = 0; k < order.size(); ++k) {
        fresh.clear();
        for (int e = g.begin[order[k]]; e < g.begin[order[k] + 1]; ++e)
            if (seen[g.neighbor[e]] != mark) {
                seen[g.neighbor[e]] = mark;
                fresh.push_back(g.neighbor[e]);
            }
        std::sort(fresh.begin(), fresh.end(), [&](int a, int b) { return degree(g, a) != degree(g, b) ? degree(g, a) < degree(g, b) : a < b; });
        order.insert(order.end(), fresh.begin(), fresh.end());
    }
    return order;
}

// half bandwidth in scalars of an order of one part's blocks
int bandwidth(const Graph& g, const std::vector<int>& size, const std::vector<int>& order, std::vector<int>& place) {
    int at = 0, width = 0;
    for (int b : order) {
        place[b] = at;
        at += size[b];
    }
    for (int b : order) {
        width = std::max(width, size[b] - 1);
        for (int e = g.begin[b]; e < g.begin[b + 1]; ++e)
            if (place[g.neighbor[e]] < place[b]) width = std::max(width, place[b] + size[b] - 1 - place[g.neighbor[e]]);
    }
    return width;
}

// by index; a block of one scalar stands where the points it is joined with have their middle
std::vector<int> natural_order(const Graph& g, const std::vector<int>& size, std::vector<int> part) {
    std::vector<std::pair<Real, int>> keyed;
    for (int b : part) {
        Real sum = 0;
        int count = 0;
        for (int e = g.begin[b]; size[b] == 1 && e < g.begin[b + 1]; ++e)
            if (size[g.neighbor[e]] == 3) sum += g.neighbor[e], ++count;
        // before a point at the same place
        keyed.push_back({count > 0 ? sum / count - 0.25 : Real(b), b});
    }
    std::sort(keyed.begin(), keyed.end());
    for (std::size_t i = 0; i < keyed.size(); ++i) part[i] = keyed[i].second;
    return part;
}

} // namespace

LinearInfo Banded::analyse(const BlockPattern& pattern, FixedMask mask) {
    if (LinearInfo info = begin_analyse(pattern, mask, system); !info.ok) return info;
    const BlockGraph blocks = make_block_graph(pattern, mask);
    const Graph g = full_graph(blocks);
    const int n = int(blocks.free_blocks.size());
    std::vector<int> size(n), seen(n, -1), place(n), order;
    for (int b = 0; b < n; ++b) size[b] = block_size(pattern.layout, blocks.free_blocks[b]);
    parts.clear();
    std::size_t values = 0;
    int scalars = 0;
    std::vector<unsigned char> done(n, 0);
    for (int b = 0, mark = 0; b < n; ++b) {
        if (done[b]) continue;
        const std::vector<int> first = walk(g, b, seen, mark++);
        for (int i : first) done[i] = 1;
        // from the far end, which is a better start
        std::vector<int> cuthill = walk(g, first.back(), seen, mark++);
        std::reverse(cuthill.begin(), cuthill.end());
        std::vector<int> best = natural_order(g, size, first);
        int width = bandwidth(g, size, best, place);
        if (const int other = bandwidth(g, size, cuthill, place); other < width) best = std::move(cuthill), width = other;
        Part part{scalars, scalars, width, values};
        for (int i : best) {
            order.push_back(blocks.free_blocks[i]);
            part.end += size[i];
        }
        scalars = part.end;
        values += std::size_t(part.end - part.begin) * ((pivots ? 3 : 1) * width + 1);
        parts.push_back(part);
    }
    if (values > std::size_t(std::numeric_limits<int>::max())) return linear_failure("the band has more than 2^31 - 1 entries; use another linear solver");
    order_matrix(pattern, order, Triangle::lower, system);
    solution.assign(scalars, 0.0);
    band.assign(values, 0.0);
    good.assign(parts.size(), 0);
    exchanged.assign(pivots ? scalars : 0, 0);
    system.analysed = true;
    return {};
}

// rows from top to bottom: L(i, j) = (A(i, j) - sum_k L(i, k) L(j, k)) / L(j, j)
static bool factor_part(const ScalarMatrix& m, const Part& p, Real* band) {
    const int n = p.end - p.begin, w = p.width;
    std::fill(band, band + std::size_t(n) * (w + 1), 0.0);
    for (int j = 0; j < n; ++j)
        for (int k = m.column_begin[p.begin + j]; k < m.column_begin[p.begin + j + 1]; ++k) {
            const int i = m.row[k] - p.begin;
            band[std::size_t(i) * (w + 1) + (j - i + w)] = m.values[k];
        }
    for (int i = 0; i < n; ++i) {
        Real* row = band + std::size_t(i) * (w + 1) + w - i; // row[j] = L(i, j)
        for (int j = std::max(0, i - w); j <= i; ++j) {
            const Real* other = band + std::size_t(j) * (w + 1) + w - j;
            Real sum = row[j];
            for (int k = std::max(0, i - w); k < j; ++k) sum -= row[k] * other[k];
            if (j < i) row[j] = sum / other[j];
            else {
                if (!(sum > 0)) return false;
                row[i] = std::sqrt(sum);
            }
        }
    }
    return true;
}

static void solve_part(const Part& p, const Real* band, Real* x) {
    const int n = p.end - p.begin, w = p.width;
    for (int i = 0; i < n; ++i) {
        const Real* row = band + std::size_t(i) * (w + 1) + w - i;
        Real sum = x[i];
        for (int k = std::max(0, i - w); k < i; ++k) sum -= row[k] * x[k];
        x[i] = sum / row[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const Real* row = band + std::size_t(i) * (w + 1) + w - i;
        x[i] /= row[i];
        for (int k = std::max(0, i - w); k < i; ++k) x[k] -= row[k] * x[i];
    }
}

// Columns of 3 w + 1: A(i, j) at 2 w + i - j of column j. Multipliers stay where they were found, so that solve exchanges as it goes.
static Real& lu_at(Real* band, int w, int i, int j) { return band[std::size_t(j) * (3 * w + 1) + (2 * w + i - j)]; }

static bool factor_part_lu(const ScalarMatrix& m, const Part& p, Real* band, int* exchanged) {
    const int n = p.end - p.begin, w = p.width;
    std::fill(band, band + std::size_t(n) * (3 * w + 1), 0.0);
    Real size = 0;
    for (int j = 0; j < n; ++j)
        for (int k = m.column_begin[p.begin + j]; k < m.column_begin[p.begin + j + 1]; ++k) {
            const int i = m.row[k] - p.begin;
            lu_at(band, w, i, j) = lu_at(band, w, j, i) = m.values[k];
            size = std::max(size, std::abs(m.values[k]));
        }
    for (int j = 0; j < n; ++j) {
        const int below = std::min(n - 1, j + w), right = std::min(n - 1, j + 2 * w);
        int best = j;
        for (int i = j + 1; i <= below; ++i)
            if (std::abs(lu_at(band, w, i, j)) > std::abs(lu_at(band, w, best, j))) best = i;
        const Real pivot = lu_at(band, w, best, j);
        // the negated comparison also catches NaN
        if (!(std::abs(pivot) > n * std::numeric_limits<Real>::epsilon() * size)) return false;
        exchanged[j] = best;
        if (best != j)
            for (int c = j; c <= right; ++c) std::swap(lu_at(band, w, j, c), lu_at(band, w, best, c));
        for (int i = j + 1; i <= below; ++i) lu_at(band, w, i, j) /= pivot;
        for (int c = j + 1; c <= right; ++c) {
            const Real top = lu_at(band, w, j, c);
            if (top == 0) continue;
            for (int i = j + 1; i <= below; ++i) lu_at(band, w, i, c) -= lu_at(band, w, i, j) * top;
        }
    }
    return true;
}

static void solve_part_lu(const Part& p, Real* band, const int* exchanged, Real* x) {
    const int n = p.end - p.begin, w = p.width;
    for (int j = 0; j < n; ++j) {
        std::swap(x[j], x[exchanged[j]]);
        for (int i = j + 1; i <= std::min(n - 1, j + w); ++i) x[i] -= lu_at(band, w, i, j) * x[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        x[j] /= lu_at(band, w, j, j);
        for (int i = std::max(0, j - 2 * w); i < j; ++i) x[i] -= lu_at(band, w, i, j) * x[j];
    }
}

static LinearInfo singular() {
    LinearInfo info = linear_failure("the matrix is singular");
    info.not_positive_definite = true;
    return info;
}

LinearInfo Banded::factor(const Parallel& parallel, const BlockSparse& given_matrix, std::span<const BlockProjector> given) {
    if (LinearInfo info = take_matrix(parallel, given_matrix, given, system); !info.ok) return info;
    parallel_for(parallel, int(parts.size()), 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Real* own = band.data() + parts[i].first;
            good[i] = pivots ? factor_part_lu(system.matrix, parts[i], own, exchanged.data() + parts[i].begin)
                             : factor_part(system.matrix, parts[i], own);
        }
    });
    if (std::find(good.begin(), good.end(), 0) != good.end()) return pivots ? singular() : not_positive_definite();
    system.factored = true;
    return {};
}

LinearInfo Banded::solve(const Parallel& parallel, std::span<const Real> b, std::span<Real> x) {
    if (LinearInfo info = take_right_side(b, x, system); !info.ok || free_count(system.matrix) == 0) return info;
    std::copy(system.rhs.begin(), system.rhs.end(), solution.begin());
    parallel_for(parallel, int(parts.size()), 1, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Real *own = band.data() + parts[i].first, *at = solution.data() + parts[i].begin;
            if (pivots) solve_part_lu(parts[i], own, exchanged.data() + parts[i].begin, at);
            else solve_part(parts[i], own, at);
        }
    });
    return give_solution(solution, x, system);
}

std::unique_ptr<LinearSolver> make_banded(const LinearSettings&) { return std::make_unique<Banded>(false); }
std::unique_ptr<LinearSolver> make_banded_lu(const LinearSettings&) { return std::make_unique<Banded>(true); }

int half_bandwidth(const BlockPattern& pattern, FixedMask fixed) {
    Banded b(false);
    if (!b.analyse(pattern, fixed).ok) return -1;
    int width = 0;
    for (const Part& p : b.parts) width = std::max(width, p.width);
    return width;
}

} // namespace sinew
