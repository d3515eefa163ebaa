#include "solver/chain_plan.h"
#include "solver/position_batch.h"
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sinew {

namespace {

constexpr Real kStraight = 0.7;     // cosine of the bend at rest
constexpr Real kAlike = 10;         // compliances
constexpr Real kHeavy = 100;        // times the lightest mass of the chain
constexpr int kMostLinks = 64;      // at a point: beyond it nothing goes on there
constexpr int kShortest = 2;
constexpr int kColours = 64;
constexpr int kBatchesPerTask = 128;

struct Chain {
    std::vector<int> links;
    std::vector<unsigned char> flipped; // goes from its second point to its first
    std::vector<int> points;            // one more than links
};

struct Finder {
    const ChainLinks& l;
    std::vector<int> begin, at;         // links at each point
    std::vector<std::array<int, 2>> next; // per element and end: the link that goes on there, -1 = none
    std::vector<int> stamp;             // per point: the chain that has it

    int point(int e, int end) const { return l.stencil[2 * std::size_t(e) + end]; }
    Vec3 from(int e, int id) const { // away from the point
        const int end = point(e, 0) == id ? 0 : 1;
        return vec(l.rest[point(e, 1 - end)]) - vec(l.rest[id]);
    }
    void list_links(std::span<const int> elements) {
        begin.assign(l.rest.size() + 1, 0);
        for (int e : elements)
            for (int k = 0; k < 2; ++k) ++begin[point(e, k) + 1];
        for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        at.resize(begin.back());
        std::vector<int> to(begin.begin(), begin.end() - 1);
        for (int e : elements)
            for (int k = 0; k < 2; ++k) at[to[point(e, k)]++] = e;
    }
    bool alike(int a, int b) const {
        const Real x = l.compliance[a], y = l.compliance[b];
        return x <= kAlike * y && y <= kAlike * x;
    }
    // the straightest pairs of links at a point, those of like length first
    void pair_links(int id) {
        struct Pair {
            Real worth;
            int a, b;
        };
        const std::span<const int> here = std::span(at).subspan(begin[id], begin[id + 1] - begin[id]);
        if (!(l.inverse[id] > 0) || int(here.size()) > kMostLinks) return;
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < here.size(); ++i)
            for (std::size_t j = i + 1; j < here.size(); ++j) {
                const Vec3 a = from(here[i], id), b = from(here[j], id);
                const Real la = a.norm(), lb = b.norm(), straight = -a.dot(b);
                if (!(straight > kStraight * la * lb) || !alike(here[i], here[j])) continue;
                pairs.push_back({straight / (la * lb) - 0.1 * std::abs(std::log(la / lb)), here[i], here[j]});
            }
        std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.worth > b.worth; });
        const auto side = [&](int e) -> int& { return next[e][point(e, 0) == id ? 0 : 1]; };
        for (const Pair& p : pairs)
            if (side(p.a) < 0 && side(p.b) < 0) side(p.a) = p.b, side(p.b) = p.a;
    }
    // from the end `end` of a link on, as long as no point comes twice
    Chain walk(int e, int end, int number, std::vector<unsigned char>& done) {
        Chain c;
        c.points.push_back(point(e, end));
        stamp[point(e, end)] = number;
        while (e >= 0 && !done[e]) {
            const bool flipped = point(e, 0) != c.points.back();
            const int to = point(e, flipped ? 0 : 1);
            if (stamp[to] == number) break;
            stamp[to] = number;
            done[e] = 1;
            c.links.push_back(e), c.flipped.push_back(flipped), c.points.push_back(to);
            e = next[e][flipped ? 0 : 1];
        }
        return c;
    }
    // parts that are short enough and have a free end
    void cut(const Chain& c, std::vector<Chain>& out) const {
        const int n = int(c.links.size());
        Real lightest = 0;
        for (int id : c.points) lightest = std::max(lightest, l.inverse[id]);
        const auto heavy = [&](int id) { return kHeavy * l.inverse[id] < lightest; };
        const int parts = std::max((n + kLongestChain - 1) / kLongestChain, heavy(c.points.front()) && heavy(c.points.back()) ? 2 : 1);
        for (int k = 0; k < parts; ++k) {
            const int from = n * k / parts, to = n * (k + 1) / parts;
            if (from == to) continue;
            out.push_back({{c.links.begin() + from, c.links.begin() + to}, {c.flipped.begin() + from, c.flipped.begin() + to},
                           {c.points.begin() + from, c.points.begin() + to + 1}});
        }
    }
    std::vector<Chain> find(std::span<const int> elements) {
        list_links(elements);
        next.assign(l.stencil.size() / 2, {-1, -1});
        for (int id = 0; id < int(l.rest.size()); ++id) pair_links(id);
        stamp.assign(l.rest.size(), -1);
        std::vector<unsigned char> done(l.stencil.size() / 2, 0);
        std::vector<Chain> out;
        int number = 0;
        for (bool ends : {true, false}) // what has no end is closed
            for (int e : elements)
                for (int end = 0; end < 2; ++end)
                    if (!done[e] && (!ends || next[e][end] < 0)) cut(walk(e, end, number++, done), out);
        for (int e : elements)
            if (!done[e]) out.push_back({{e}, {0}, {point(e, 0), point(e, 1)}}); // from a point to itself
        return out;
    }
};

// chains of one colour share no point that moves; -1: none is left
std::vector<int> colour_chains(const ChainLinks& l, const std::vector<Chain>& chains) {
    std::vector<std::uint64_t> taken(l.rest.size(), 0);
    std::vector<int> out;
    for (const Chain& c : chains) {
        std::uint64_t used = 0;
        for (int id : c.points)
            if (l.inverse[id] > 0) used |= taken[id];
        int colour = 0;
        while (colour < kColours && (used >> colour & 1)) ++colour;
        out.push_back(colour < kColours ? colour : -1);
        for (int id : c.points)
            if (colour < kColours) taken[id] |= std::uint64_t(1) << colour;
    }
    return out;
}

// four chains side by side, the longest first
void add_run(std::span<const Chain* const> four, BatchPlan& plan) {
    for (std::size_t k = 0; k < four[0]->links.size(); ++k)
        for (int lane = 0; lane < kLanes; ++lane) {
            const bool some = lane < int(four.size()) && k < four[lane]->links.size();
            plan.lane.push_back(some ? four[lane]->links[k] : -1);
            plan.flipped.push_back(some ? four[lane]->flipped[k] : 0);
        }
    plan.run_begin.push_back(int(plan.lane.size()) / kLanes);
}

} // namespace

void build_chain_plan(const ChainLinks& l, std::span<const int> elements, BatchPlan& plan, std::vector<int>& loose) {
    loose.clear();
    std::vector<Chain> chains = Finder{l, {}, {}, {}, {}}.find(elements);
    std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) {
        if (a.links.size() != b.links.size()) return a.links.size() > b.links.size();
        return a.points[0] < b.points[0];
    });
    const auto too_short = std::find_if(chains.begin(), chains.end(), [](const Chain& c) { return int(c.links.size()) < kShortest; });
    for (auto c = too_short; c != chains.end(); ++c) loose.insert(loose.end(), c->links.begin(), c->links.end());
    chains.erase(too_short, chains.end());
    const std::vector<int> colour = colour_chains(l, chains);
    for (int wanted = 0; wanted < kColours; ++wanted) {
        std::vector<const Chain*> of;
        for (std::size_t i = 0; i < chains.size(); ++i)
            if (colour[i] == wanted) of.push_back(&chains[i]);
        if (of.empty()) break;
        for (std::size_t i = 0; i < of.size(); i += kLanes) {
            add_run(std::span(of).subspan(i, std::min(of.size() - i, std::size_t(kLanes))), plan);
            const int end = plan.run_begin.back();
            if (end - plan.task_begin.back() >= kBatchesPerTask || i + kLanes >= of.size()) plan.task_begin.push_back(end);
        }
        plan.phase_begin.push_back(int(plan.task_begin.size()) - 1);
    }
    for (std::size_t i = 0; i < chains.size(); ++i)
        if (colour[i] < 0) loose.insert(loose.end(), chains[i].links.begin(), chains[i].links.end());
    std::sort(loose.begin(), loose.end());
}

} // namespace sinew
