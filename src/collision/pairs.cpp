// Sorting by counting: pairs are counted per first index, scattered into rows, and each row, short in any
// sensible scene, is sorted by itself. Far fewer pairs than rows are sorted directly.
#include "collision/pairs.h"
#include <algorithm>

namespace sinew {

void start_pieces(PairScratch& s, int count) {
    if (int(s.pieces.size()) < count) s.pieces.resize(count);
    for (int i = 0; i < count; ++i) s.pieces[i].count = 0;
    s.piece_count = count;
}

static void sort_row(Pair* begin, Pair* end) {
    if (end - begin > 32) {
        std::sort(begin, end);
        return;
    }
    for (Pair* p = begin; p < end; ++p) {
        const Pair moved = *p;
        Pair* q = p;
        for (; q > begin && moved[1] < q[-1][1]; --q) *q = q[-1];
        *q = moved;
    }
}

static void sort_few(PairScratch& s, std::vector<Pair>& out) {
    std::size_t n = 0;
    for (int c = 0; c < s.piece_count; ++c)
        n = std::copy_n(s.pieces[c].pair.begin(), s.pieces[c].count, out.begin() + std::ptrdiff_t(n)) -
            out.begin();
    std::sort(out.begin(), out.end());
}

void join_pieces(const Parallel& parallel, int row_count, const PairFilter& filter, PairScratch& s,
                 std::vector<Pair>& out) {
    if (filter.keep)
        parallel_for(parallel, s.piece_count, 1, [&](int c, int) {
            s.pieces[c].count = filter.keep(filter.data, s.pieces[c].pair.data(), s.pieces[c].count);
        });
    std::size_t total = 0;
    for (int c = 0; c < s.piece_count; ++c) total += s.pieces[c].count;
    out.resize(total);
    if (total < std::size_t(row_count) / 16) return sort_few(s, out);

    // how many pairs each group of pieces has in each row; one group per thread, the result does not depend
    // on it
    const int groups = std::max(1, std::min(thread_count(parallel), s.piece_count));
    const auto rows = std::size_t(row_count);
    s.row.assign(rows * groups + 1, 0);
    const auto first = [&](int g) { return int(long(s.piece_count) * g / groups); };
    parallel_for(parallel, groups, 1, [&](int g, int) {
        std::size_t* count = s.row.data() + rows * g;
        for (int c = first(g); c < first(g + 1); ++c)
            for (std::size_t k = 0; k < s.pieces[c].count; ++k) ++count[s.pieces[c].pair[k][0]];
    });
    // where they go
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for (int g = 0; g < groups; ++g) {
            std::size_t& r = s.row[rows * g + i];
            const std::size_t count = r;
            r = at;
            at += count;
        }
    parallel_for(parallel, groups, 1, [&](int g, int) {
        std::size_t* to = s.row.data() + rows * g;
        for (int c = first(g); c < first(g + 1); ++c)
            for (std::size_t k = 0; k < s.pieces[c].count; ++k) {
                const Pair p = s.pieces[c].pair[k];
                out[to[p[0]]++] = p;
            }
    });
    // the last group's places now are the ends of the rows
    const std::size_t* end = s.row.data() + rows * (groups - 1);
    parallel_for(parallel, row_count, 4 * kGrain, [&](int b, int e) {
        for (int i = b; i < e; ++i) sort_row(out.data() + (i ? end[i - 1] : 0), out.data() + end[i]);
    });
}

} // namespace sinew
