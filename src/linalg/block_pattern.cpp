// Patterns and gather plans of block_sparse.h: counting sorts over the pairs of blocks of each element.
#include "linalg/block_sparse.h"
#include <algorithm>
#include <cstddef>
#include <limits>

namespace sinew {

BlockLayout make_block_layout(int point_count, int frame_count, int scalar_count) {
    const int threes = point_count + 2 * frame_count;
    BlockLayout l;
    l.begin.resize(threes + scalar_count + 1);
    for (int b = 0; b <= threes; ++b) l.begin[b] = 3 * b;
    for (int s = 1; s <= scalar_count; ++s) l.begin[threes + s] = 3 * threes + s;
    return l;
}

BlockLayout make_block_layout(std::span<const int> sizes) {
    BlockLayout l;
    for (const int size : sizes) l.begin.push_back(l.begin.back() + size);
    return l;
}

int find_slot(const BlockPattern& p, int row, int column) {
    const auto begin = p.column.begin() + p.row_begin[row], end = p.column.begin() + p.row_begin[row + 1];
    const auto found = std::lower_bound(begin, end, column);
    return found != end && *found == column ? int(found - p.column.begin()) : -1;
}

static int local_size(const BlockLayout& l, int block) {
    return block >= 0 ? block_size(l, block) : block == kAbsentScalar ? 1 : 3;
}

static bool well_formed(const BlockLayout& l, const ElementBlocks& e) {
    int size = 0;
    for (const int b : e.blocks) {
        if (b < kAbsentScalar || b >= block_count(l)) return false;
        if (e.pair && local_size(l, b) != 3) return false;
        size += local_size(l, b);
    }
    if (e.pair && e.blocks.size() != 2) return false;
    return size == e.size && size <= std::numeric_limits<std::uint16_t>::max() && e.first_value >= 0;
}

// f(row, column, place) for the pairs of blocks of the lower triangle, column-major in the element; place as in
// GatherPlan::offset, counted from the element's first value. Both orders of a block that occurs twice land on its
// diagonal.
template <class F> static void for_each_pair(const BlockLayout& l, const ElementBlocks& e, F&& f) {
    if (e.pair) {
        for (int c = 0; c < 2; ++c)
            for (int r = 0; r < 2; ++r)
                if (e.blocks[c] >= 0 && e.blocks[r] >= e.blocks[c]) f(e.blocks[r], e.blocks[c], r == c ? 0 : ~0);
        return;
    }
    int column_first = 0;
    for (const int column : e.blocks) {
        int row_first = 0;
        for (const int row : e.blocks) {
            if (column >= 0 && row >= column) f(row, column, column_first * e.size + row_first);
            row_first += local_size(l, row);
        }
        column_first += local_size(l, column);
    }
}

static void build_mirror(BlockPattern& p) {
    const int n = block_count(p.layout);
    p.mirror_begin.assign(n + 1, 0);
    for (int s = 0; s < slot_count(p); ++s)
        if (p.row[s] != p.column[s]) p.mirror_begin[p.column[s] + 1]++;
    for (int b = 0; b < n; ++b) p.mirror_begin[b + 1] += p.mirror_begin[b];
    p.mirror_slot.resize(p.mirror_begin[n]);
    std::vector<int> next(p.mirror_begin.begin(), p.mirror_begin.end() - 1);
    for (int s = 0; s < slot_count(p); ++s)
        if (p.row[s] != p.column[s]) p.mirror_slot[next[p.column[s]]++] = s;
}

bool build_pattern(const BlockLayout& layout, std::span<const ElementBlocks> elements,
                   std::span<const ElementBlocks> more, BlockPattern& out) {
    const int n = block_count(layout);
    out = {};
    for (int b = 0; b < n; ++b)
        if (block_size(layout, b) != 1 && block_size(layout, b) != 3) return false;
    for (const auto list : {elements, more})
        for (const ElementBlocks& e : list)
            if (!well_formed(layout, e)) return false;

    // columns of each row with repetitions, the diagonal always among them
    std::vector<std::size_t> begin(n + 1, 0);
    for (int b = 0; b < n; ++b) begin[b + 1] = 1;
    for (const auto list : {elements, more})
        for (const ElementBlocks& e : list)
            for_each_pair(layout, e, [&](int row, int, int) { begin[row + 1]++; });
    for (int b = 0; b < n; ++b) begin[b + 1] += begin[b];
    std::vector<int> columns(begin[n]);
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (int b = 0; b < n; ++b) columns[next[b]++] = b;
    for (const auto list : {elements, more})
        for (const ElementBlocks& e : list)
            for_each_pair(layout, e, [&](int row, int column, int) { columns[next[row]++] = column; });

    // sort, drop repetitions, number the values
    out.layout = layout;
    out.row_begin.reserve(n + 1);
    std::size_t values = 0;
    for (int row = 0; row < n; ++row) {
        const auto first = columns.begin() + std::ptrdiff_t(begin[row]);
        auto last = columns.begin() + std::ptrdiff_t(begin[row + 1]);
        std::sort(first, last);
        last = std::unique(first, last);
        const int rows = block_size(layout, row);
        out.all_three = out.all_three && rows == 3;
        for (auto c = first; c != last; ++c) {
            values += std::size_t(rows) * block_size(layout, *c);
            if (values > std::size_t(std::numeric_limits<int>::max())) return false;
            out.row.push_back(row);
            out.column.push_back(*c);
            out.value_begin.push_back(int(values));
        }
        out.row_begin.push_back(slot_count(out));
    }
    build_mirror(out);
    return true;
}

bool build_plan(const BlockPattern& p, std::span<const ElementBlocks> elements, GatherPlan& out) {
    // slot of every contribution, and how many each slot gets
    std::vector<int>&slot_of = out.scratch_contribution, &next = out.scratch_slot;
    slot_of.clear();
    next.assign(slot_count(p), 0);
    out.slot.clear();
    out.begin.assign(1, 0);
    for (const ElementBlocks& e : elements) {
        if (!well_formed(p.layout, e)) return false;
        bool found = true;
        for_each_pair(p.layout, e, [&](int row, int column, int) {
            const int s = find_slot(p, row, column);
            found = found && s >= 0;
            slot_of.push_back(s);
            if (s >= 0) next[s]++;
        });
        if (!found) return false;
    }

    // ranges of the slots that receive something; next[s] becomes the first place of slot s
    for (int s = 0; s < slot_count(p); ++s) {
        if (next[s] == 0) continue;
        const int first = out.begin.back();
        out.slot.push_back(s);
        out.begin.push_back(first + next[s]);
        next[s] = first;
    }

    // contributions in element order
    out.offset.resize(slot_of.size());
    out.stride.resize(slot_of.size());
    std::size_t contribution = 0;
    for (const ElementBlocks& e : elements)
        for_each_pair(p.layout, e, [&](int, int, int offset) {
            const int place = next[slot_of[contribution++]]++;
            out.offset[place] = offset < 0 ? ~(e.first_value + ~offset) : e.first_value + offset;
            out.stride[place] = std::uint16_t(e.pair ? 3 : e.size);
        });
    return true;
}

BlockSparse make_block_sparse(BlockPattern pattern) {
    BlockSparse A;
    A.pattern = std::move(pattern);
    A.values.assign(A.pattern.value_begin.back(), 0.0);
    return A;
}

} // namespace sinew
