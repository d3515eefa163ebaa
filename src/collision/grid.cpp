// Grids of cubic cells, by sorting (cell, box) entries instead of a hash table: no collisions to resolve, and
// any number of threads gives the same. Cells have power-of-two sides, which makes x / side exact and
// monotone.
//
// One grid: all boxes at one level. A pair may share several cells; only the cell of the larger of the two
// lower corners reports it. Hierarchical: a box lies in the cells of its own level, and of the coarser levels
// in use, where it only meets boxes that live there; the pair is found at the coarser of the two levels.
#include "collision/broad_phase.h"
#include "core/hash.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kNoLevel = std::numeric_limits<int>::max();
constexpr Real kLargeCells = 512;                  // more cells than this: tested against all others
constexpr Real kLargestIndex = 9007199254740992.0; // 2^53: beyond it cell numbers are not exact

struct Cells {
    std::array<std::int64_t, 3> lo, hi;
};
// false where the box covers too many cells or its cells have no exact number
bool find_cells(const Aabb& b, int level, Cells& out) {
    Real total = 1;
    for (int k = 0; k < 3; ++k) {
        const Real lo = std::floor(std::ldexp(b.lo[k], -level)), hi = std::floor(std::ldexp(b.hi[k], -level));
        if (!(std::abs(lo) < kLargestIndex && std::abs(hi) < kLargestIndex)) return false;
        total *= hi - lo + 1;
        out.lo[k] = std::int64_t(lo), out.hi[k] = std::int64_t(hi);
    }
    return total <= kLargeCells;
}
std::uint64_t cell_key(int level, std::int64_t x, std::int64_t y, std::int64_t z) {
    std::uint64_t h = mix64(std::uint64_t(level) + 0x9e3779b97f4a7c15ull);
    for (std::int64_t c : {x, y, z}) h = mix64(h ^ std::uint64_t(c)) + 0x9e3779b97f4a7c15ull;
    return h;
}

constexpr int kLowest = -1022;
// the cell side 2^level that a length fits into
int level_of(Real side) {
    if (!(side > 0)) return kLowest;
    int e;
    std::frexp(side, &e);
    return std::max(e, kLowest);
}
Real longest_side(const Aabb& b) { return (b.hi - b.lo).maxCoeff(); }

// Smaller cells than this do not separate more boxes: the extent of the middle three quarters of a sample of
// the lower corners, over the square root of the count (of a surface; finer than needed in a volume, which
// costs nothing).
int finest_level(std::span<const Aabb> boxes) {
    constexpr std::size_t kSamples = 64;
    const std::size_t n = std::min(boxes.size(), kSamples);
    Real extent = 0;
    for (int k = 0; k < 3; ++k) {
        std::array<Real, kSamples> x;
        std::size_t count = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Real lo = boxes[i * boxes.size() / n].lo[k];
            if (std::isfinite(lo)) x[count++] = lo;
        }
        std::sort(x.begin(), x.begin() + std::ptrdiff_t(count));
        if (count) extent = std::max(extent, x[count - 1 - count / 8] - x[count / 8]);
    }
    return std::isfinite(extent) ? level_of(extent / std::sqrt(Real(boxes.size()))) : kLowest;
}

// one level for all: of the usual box, the third quartile
int common_level(std::span<const Aabb> boxes, std::vector<int>& level) {
    level.clear();
    for (const Aabb& b : boxes)
        if (!is_empty(b) && std::isfinite(longest_side(b))) level.push_back(level_of(longest_side(b)));
    if (level.empty()) return 0;
    const auto at = level.begin() + std::ptrdiff_t(level.size() * 3 / 4);
    std::nth_element(level.begin(), at, level.end());
    return *at;
}

void choose_levels(std::span<const Aabb> boxes, bool hierarchical, BroadPhaseScratch& s) {
    const int finest = finest_level(boxes);
    const int common = hierarchical ? finest : std::max(finest, common_level(boxes, s.level));
    s.level.resize(boxes.size());
    s.large.clear();
    Cells cells;
    for (int i = 0; i < int(boxes.size()); ++i) {
        s.level[i] = kNoLevel;
        if (is_empty(boxes[i])) continue;
        const bool finite = std::isfinite(longest_side(boxes[i]));
        const int level =
            hierarchical && finite ? std::max(finest, level_of(longest_side(boxes[i]))) : common;
        if (finite && find_cells(boxes[i], level, cells))
            s.level[i] = level;
        else
            s.large.push_back(i);
    }
}

// levels in use, ascending
void collect_levels(std::span<const int> level, std::vector<int>& out) {
    out.assign(level.begin(), level.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (!out.empty() && out.back() == kNoLevel) out.pop_back();
}

void make_entries(std::span<const Aabb> boxes, std::span<const int> levels, BroadPhaseScratch& s) {
    s.entries.clear();
    Cells c;
    for (int i = 0; i < int(boxes.size()); ++i) {
        if (s.level[i] == kNoLevel) continue;
        for (int level : levels) {
            // coarser cells are no more and their numbers no larger: find_cells holds again
            if (level < s.level[i] || !find_cells(boxes[i], level, c)) continue;
            for (std::int64_t x = c.lo[0]; x <= c.hi[0]; ++x)
                for (std::int64_t y = c.lo[1]; y <= c.hi[1]; ++y)
                    for (std::int64_t z = c.lo[2]; z <= c.hi[2]; ++z)
                        s.entries.push_back({cell_key(level, x, y, z), level == s.level[i] ? i : ~i});
        }
    }
}

// least significant byte first; only the bytes that sort enough, the rest is decided inside a bucket
void sort_entries(std::vector<GridEntry>& entries, std::vector<GridEntry>& spare) {
    spare.resize(entries.size());
    for (int byte = 0; byte < 4; ++byte) {
        std::size_t begin[257] = {};
        for (const GridEntry& e : entries) ++begin[(e.key >> (8 * byte) & 255) + 1];
        for (int k = 0; k < 256; ++k) begin[k + 1] += begin[k];
        for (const GridEntry& e : entries) spare[begin[e.key >> (8 * byte) & 255]++] = e;
        std::swap(entries, spare);
    }
}

// the pair belongs to this cell, of all those the two share at their level
bool reports(const Aabb& a, const Aabb& b, int level, std::uint64_t key) {
    std::int64_t c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = std::int64_t(std::floor(std::ldexp(std::max(a.lo[k], b.lo[k]), -level)));
    return cell_key(level, c[0], c[1], c[2]) == key;
}

// a bucket of cells with the same low bits: those who live there against each other and against guests
void search_bucket(std::span<const Aabb> boxes, std::span<const int> level, std::span<const GridEntry> bucket,
                   PairBuffer& out) {
    for (const GridEntry& a : bucket) {
        if (a.id < 0) continue;
        for (const GridEntry& b : bucket) {
            const int other = b.id < 0 ? ~b.id : b.id;
            if (a.key != b.key || (b.id >= 0 && b.id <= a.id)) continue;
            if (overlap(boxes[a.id], boxes[other]) && reports(boxes[a.id], boxes[other], level[a.id], a.key))
                add_pair(out, std::min(a.id, other), std::max(a.id, other));
        }
    }
}

} // namespace

void grid_pairs(const Parallel& parallel, std::span<const Aabb> boxes, bool hierarchical,
                BroadPhaseScratch& s) {
    constexpr int grain = 4096, grain_large = 16;
    choose_levels(boxes, hierarchical, s);
    collect_levels(s.level, s.levels);
    make_entries(boxes, s.levels, s);
    sort_entries(s.entries, s.spare);
    const int n = int(s.entries.size()), larges = int(s.large.size());
    const int pieces = chunk_count(n, grain);
    start_pieces(s.pairs, pieces + chunk_count(larges, grain_large));
    const auto bucket = [&](int k) { return std::uint32_t(s.entries[k].key); };
    // a bucket belongs to the chunk in which it begins
    parallel_for(parallel, n, grain, [&](int b, int e) {
        int k = b;
        if (b > 0)
            while (k < e && bucket(k) == bucket(b - 1)) ++k;
        while (k < e) {
            int end = k + 1;
            while (end < n && bucket(end) == bucket(k)) ++end;
            search_bucket(boxes, s.level, std::span(s.entries).subspan(k, end - k),
                          s.pairs.pieces[b / grain]);
            k = end;
        }
    });
    parallel_for(parallel, larges, grain_large, [&](int b, int e) {
        PairBuffer& out = s.pairs.pieces[pieces + b / grain_large];
        for (int k = b; k < e; ++k)
            for (int i = 0, large = s.large[k]; i < int(boxes.size()); ++i) {
                // two large ones: once
                if (i == large || is_empty(boxes[i]) || (s.level[i] == kNoLevel && i < large)) continue;
                if (overlap(boxes[i], boxes[large])) add_pair(out, std::min(i, large), std::max(i, large));
            }
    });
}

} // namespace sinew
