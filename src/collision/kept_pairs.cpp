#include "collision/kept_pairs.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr int kPieceGrain = 2048, kQueryGrain = 32;

// a twentieth of the mean size
Real choose_margin(std::span<const Aabb> boxes) {
    Real size = 0;
    for (const Aabb& b : boxes) {
        const Real side = (b.hi - b.lo).maxCoeff();
        if (side > 0 && std::isfinite(side)) size += side / Real(boxes.size());
    }
    return size / 20;
}

void search_all(const Parallel& parallel, std::span<const Aabb> boxes, KeptPairs& k, PairScratch& s) {
    k.margin = choose_margin(boxes);
    k.grown.resize(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) k.grown[i] = is_empty(boxes[i]) ? boxes[i] : grow(boxes[i], k.margin);
    update_tree(parallel, k.grown, k.scratch, k.tree);
    find_self_pairs(parallel, k.tree, {}, s, k.pairs);
    k.state.assign(boxes.size(), 0);
    k.left.clear();
}

// boxes that left their grown ones; false if too many have
bool find_left(std::span<const Aabb> boxes, KeptPairs& k) {
    const std::size_t n = boxes.size(), before = k.grown.size(), most = std::max<std::size_t>(16, n / 8);
    if (n < before || before == 0 || n - before > most) return false;
    k.grown.resize(n);
    k.state.resize(n, 0);
    k.now.clear();
    for (std::size_t i = 0; i < n; ++i) {
        if (encloses(k.grown[i], boxes[i])) continue;
        if (k.state[i] == 0) k.left.push_back(int(i));
        k.state[i] = 2;
        k.now.push_back(int(i));
        if (k.left.size() > most) return false;
    }
    return true;
}

void add_pairs_of(const KeptPairs& k, int i, std::vector<int>& near, PairBuffer& out) {
    const Aabb& box = k.grown[i];
    if (is_empty(box)) return;
    const auto add = [&](int j) {
        if (k.state[j] == 2 && j <= i) return; // the other one reports it, or it is itself
        add_pair(out, std::min(i, j), std::max(i, j));
    };
    find_in_box(k.tree, box, near);
    for (int j : near)
        if (k.state[j] == 0) add(j);
    for (int j : k.left)
        if (!is_empty(k.grown[j]) && overlap(k.grown[j], box)) add(j);
}

// pairs of those that left now, in place of their old ones
void search_left(const Parallel& parallel, std::span<const Aabb> boxes, KeptPairs& k, PairScratch& s) {
    if (k.now.empty()) return;
    for (int i : k.now) k.grown[i] = is_empty(boxes[i]) ? boxes[i] : grow(boxes[i], k.margin);
    const int count = int(k.now.size()), pieces = chunk_count(count, kQueryGrain);
    start_pieces(s, pieces);
    if (int(k.near.size()) < pieces) k.near.resize(pieces);
    parallel_for(parallel, count, kQueryGrain, [&](int begin, int end) {
        const int piece = begin / kQueryGrain;
        for (int i = begin; i < end; ++i) add_pairs_of(k, k.now[i], k.near[piece], s.pieces[piece]);
    });
    k.found.clear();
    for (int p = 0; p < pieces; ++p)
        k.found.insert(k.found.end(), s.pieces[p].pair.begin(), s.pieces[p].pair.begin() + std::ptrdiff_t(s.pieces[p].count));
    std::sort(k.found.begin(), k.found.end());
    // merged with what is still good
    k.next.clear();
    if (k.next.capacity() < k.pairs.size() + k.found.size()) k.next.reserve(2 * (k.pairs.size() + k.found.size()));
    std::size_t at = 0;
    for (const Pair& p : k.pairs) {
        if (k.state[p[0]] == 2 || k.state[p[1]] == 2) continue;
        while (at < k.found.size() && k.found[at] < p) k.next.push_back(k.found[at++]);
        k.next.push_back(p);
    }
    k.next.insert(k.next.end(), k.found.begin() + std::ptrdiff_t(at), k.found.end());
    std::swap(k.pairs, k.next);
    for (int i : k.now) k.state[i] = 1;
}

} // namespace

void find_kept_pairs(const Parallel& parallel, std::span<const Aabb> boxes, const PairFilter& filter, KeptPairs& k, PairScratch& s,
                     std::vector<Pair>& out) {
    if (find_left(boxes, k)) search_left(parallel, boxes, k, s);
    else search_all(parallel, boxes, k, s);
    // those whose boxes overlap, in order
    const int count = int(k.pairs.size()), pieces = chunk_count(count, kPieceGrain);
    start_pieces(s, pieces);
    parallel_for(parallel, count, kPieceGrain, [&](int begin, int end) {
        PairBuffer& piece = s.pieces[begin / kPieceGrain];
        reserve_pairs(piece, kPieceGrain);
        for (int i = begin; i < end; ++i) {
            const Aabb &a = boxes[k.pairs[i][0]], &b = boxes[k.pairs[i][1]];
            if (overlap(a, b) && !is_empty(a) && !is_empty(b)) piece.pair[piece.count++] = k.pairs[i];
        }
        if (filter.keep) piece.count = filter.keep(filter.data, piece.pair.data(), piece.count);
    });
    out.clear();
    for (int p = 0; p < pieces; ++p)
        out.insert(out.end(), s.pieces[p].pair.begin(), s.pieces[p].pair.begin() + std::ptrdiff_t(s.pieces[p].count));
}

} // namespace sinew
