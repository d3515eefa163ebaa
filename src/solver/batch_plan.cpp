#include "solver/batch_plan.h"
#include "solver/colour.h"
#include "solver/position_batch.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace sinew {

namespace {

constexpr int kBlocks = 8;             // wanted at least, so that threads have something to share
constexpr int kSmallestBlock = 256;
constexpr int kLargestBlock = 4096;     // points: 100 KB of positions stay in the second-level cache
constexpr int kOpen = 32;               // batches that are being filled

// an element, the blocks of its points that move, and the smallest of these points
struct Placed {
    std::array<int, 4> block;
    int first, element;
};
bool same_task(const Placed& a, const Placed& b) { return a.block == b.block; }

struct Plan {
    std::span<const int> stencil;
    int width;
    std::span<const unsigned char> held;
    BatchPlan& out;
    std::vector<std::uint32_t> taken; // per point: which open batches have it, as bits

    Placed place(int element, int block_points) const {
        Placed p{{-1, -1, -1, -1}, std::numeric_limits<int>::max(), element};
        int count = 0;
        for (int k = 0; k < width; ++k) {
            const int id = stencil[std::size_t(element) * width + k];
            if (id < 0 || held[id]) continue;
            p.first = std::min(p.first, id);
            const int block = id / block_points;
            if (std::find(p.block.begin(), p.block.begin() + count, block) != p.block.begin() + count) continue;
            int at = count++; // ascending
            for (; at > 0 && p.block[at - 1] > block; --at) p.block[at] = p.block[at - 1];
            p.block[at] = block;
        }
        return p;
    }
    template <class F> void for_each_point(int element, F&& f) {
        for (int k = 0; k < width; ++k) {
            const int id = stencil[std::size_t(element) * width + k];
            if (id >= 0 && !held[id]) f(id);
        }
    }
    void emit(const std::vector<int>& elements) {
        out.lane.insert(out.lane.end(), elements.begin(), elements.end());
        while (out.lane.size() % kLanes) out.lane.push_back(-1);
    }
    // batches of `together`; what is left over goes to `rest`, or is written in any case where that is null
    void fill(std::span<const int> elements, int together, std::vector<int>* rest) {
        std::array<std::vector<int>, kOpen> open;
        std::vector<int> order; // slots by when they were opened
        std::uint32_t used = 0;
        const auto close = [&](int slot, bool write) {
            for (int e : open[slot]) for_each_point(e, [&](int id) { taken[id] &= ~(std::uint32_t(1) << slot); });
            if (write) emit(open[slot]);
            else rest->insert(rest->end(), open[slot].begin(), open[slot].end());
            open[slot].clear();
            used &= ~(std::uint32_t(1) << slot);
            order.erase(std::find(order.begin(), order.end(), slot));
        };
        for (int e : elements) {
            std::uint32_t bits = 0;
            for_each_point(e, [&](int id) { bits |= taken[id]; });
            int slot = -1;
            for (int s : order)
                if (!(bits >> s & 1)) {
                    slot = s;
                    break;
                }
            if (slot < 0) {
                if (~used == 0) close(order.front(), true);
                slot = std::countr_one(used);
                used |= std::uint32_t(1) << slot;
                order.push_back(slot);
            }
            open[slot].push_back(e);
            for_each_point(e, [&](int id) { taken[id] |= std::uint32_t(1) << slot; });
            if (int(open[slot].size()) == together) close(slot, true);
        }
        while (!order.empty()) close(order.front(), rest == nullptr);
    }
    void add_task(std::span<const int> elements, int together) {
        std::vector<int> rest;
        fill(elements, together, &rest);
        fill(rest, kLanes, nullptr);
        out.task_begin.push_back(int(out.lane.size()) / kLanes);
    }
};

} // namespace

void build_batch_plan(std::span<const int> stencil, int width, std::span<const int> elements, std::span<const unsigned char> held,
                      int points, int together, BatchPlan& out) {
    Plan plan{stencil, width, held, out, std::vector<std::uint32_t>(points, 0)};
    const int block_points = std::clamp(points / kBlocks, kSmallestBlock, kLargestBlock), blocks = points / block_points + 1;
    std::vector<Placed> placed;
    placed.reserve(elements.size());
    for (int e : elements) placed.push_back(plan.place(e, block_points));
    // inside of blocks first, then by blocks; in a task by the smallest point
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        const bool seam_a = a.block[1] >= 0, seam_b = b.block[1] >= 0;
        if (seam_a != seam_b) return seam_b;
        if (a.block != b.block) return a.block < b.block;
        return a.first != b.first ? a.first < b.first : a.element < b.element;
    });
    std::vector<int> begin, unknowns;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (i > 0 && same_task(placed[i], placed[i - 1])) continue;
        begin.push_back(int(i));
        unknowns.insert(unknowns.end(), placed[i].block.begin(), placed[i].block.end());
    }
    begin.push_back(int(placed.size()));
    Colours phases;
    colour_elements(unknowns, 4, blocks, std::vector<unsigned char>(blocks, 0), phases);
    std::vector<int> task;
    for (int c = 0; c < phases.count(); ++c) {
        const bool serial = phases.last_is_serial && c + 1 == phases.count(); // all of them one task
        task.clear();
        for (int i = phases.begin[c]; i < phases.begin[c + 1]; ++i) {
            const int g = phases.order[i];
            for (int k = begin[g]; k < begin[g + 1]; ++k) task.push_back(placed[k].element);
            if (serial && i + 1 < phases.begin[c + 1]) continue;
            plan.add_task(task, together);
            task.clear();
        }
        out.phase_begin.push_back(int(out.task_begin.size()) - 1);
    }
}

} // namespace sinew
