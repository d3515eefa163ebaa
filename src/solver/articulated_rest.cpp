#include "solver/articulated_rest.h"
#include "model/visit.h"
#include "solver/field_loads.h"
#include "solver/rest.h"
#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::string_view kTouching = "articulated.touching", kPairs = "articulated.pairs";
constexpr double kPairBase = 67108864.0; // 2^26: two objects fit a double

void count_groups(const RowProblem& q, RestStage& s) {
    s.count.assign(q.body_count(), 0);
    s.driven.assign(q.body_count(), 0);
    for (const RowGroup& g : q.groups) {
        bool drives = false; // held bodies that move, motors that are wanted to
        for (int k = 0; k < g.rows; ++k) drives = drives || (g.set == RowSet::box && q.bias[g.row + k] != 0);
        for (int k = 0; k < g.sides; ++k) {
            const int b = q.body[g.side + k];
            s.count[b] += !(g.set == RowSet::box && g.limit == 0); // a motor that is switched off is gone
            drives = drives || (!(q.inverse_mass[b] > 0) && (q.v[b] != Vec3::Zero() || q.w[b] != Vec3::Zero()));
        }
        if (drives)
            for (int k = 0; k < g.sides; ++k) s.driven[q.body[g.side + k]] = 1;
    }
}

} // namespace

void register_rest(const Model& m, State& s) {
    memory_array(s, kRestLinks, frame_count(m));
    memory_array(s, kTouching, frame_count(m));
    memory_array(s, kPairs, 0);
}

void find_resting(const Model& m, const Input& input, const State& now, Real after, const RowProblem& q, RestStage& s) {
    count_groups(q, s);
    build_islands(q, s.islands);
    s.still.assign(q.body_count(), 0);
    const auto *rest = find_memory(now, kRestLinks), *touching = find_memory(now, kTouching);
    if (after >= 1e300 || !rest || !touching) return;
    mark_driven_by_fields(m, s.driven);
    const int points = point_count(m);
    const auto read = [&](const std::vector<double>& from, int body) {
        const int i = body - points;
        return i >= 0 && i < int(from.size()) ? from[i] : 0;
    };
    const Real slow = rest_speed(m, q.dt);
    const auto moves = [&](int b) { // a program may have given it a velocity
        return !(frame_speed(m, b - points, vec(now.frame.v[b - points]), vec(now.frame.w[b - points])) < slow);
    };
    for (int i = 0; i < s.islands.count(); ++i) {
        const auto bodies = s.islands.view(i).bodies;
        const bool rests = std::all_of(bodies.begin(), bodies.end(), [&](int b) {
            return !s.driven[b] && read(*rest, b) > 0 && read(*rest, b) >= after && read(*touching, b) == s.count[b] && !moves(b);
        });
        if (rests)
            for (int b : bodies) s.still[b] = 1;
    }
    // whoever is pushed wakes, with all of its island
    for (const BodyForce& f : input.body_forces) {
        const Object* o = object_of(m, f.object);
        if (!o) continue;
        const Range frames = o->frames;
        for (int k = frames.begin; k < frames.end; ++k) {
            if (!s.still[points + k]) continue;
            for (int other : s.islands.view(s.islands.number[points + k]).bodies) s.still[other] = 0;
        }
    }
}

void store_resting(const Model& m, Real dt, const RestStage& s, State& next) {
    auto& rest = memory_array(next, kRestLinks, frame_count(m));
    auto& touching = memory_array(next, kTouching, frame_count(m));
    const Real slow = rest_speed(m, dt);
    for (int f = 0; f < frame_count(m); ++f) {
        const int b = point_count(m) + f;
        if (!s.still[b]) touching[f] = s.count[b];
        const bool moves = !(m.frame.flags[f] & kFixed) && m.frame.mass[f] > 0;
        rest[f] = moves && frame_speed(m, f, vec(next.frame.v[f]), vec(next.frame.w[f])) < slow ? rest[f] + dt : 0;
    }
}

double pair_code(int object_a, int object_b) { return std::min(object_a, object_b) * kPairBase + std::max(object_a, object_b); }

void store_touching(RestStage& s, State& next, std::vector<TouchEvent>& events) {
    std::sort(s.pairs.begin(), s.pairs.end());
    auto last = s.pairs.begin(); // those of one pair become one, with their sum
    for (auto p = s.pairs.begin(); p != s.pairs.end(); ++p)
        if (p == s.pairs.begin()) continue;
        else if (p->first == last->first) last->second += p->second;
        else *++last = *p;
    if (!s.pairs.empty()) s.pairs.erase(last + 1, s.pairs.end());
    const auto* known = find_memory(next, kPairs);
    auto& before = memory_array(next, kPairs, known ? known->size() : 0);
    const auto add = [&](double code, bool began, Real impulse) {
        const double a = std::floor(code / kPairBase);
        events.push_back({int(a), int(code - a * kPairBase), began, impulse});
    };
    std::size_t i = 0, j = 0;
    while (i < before.size() || j < s.pairs.size()) {
        if (j == s.pairs.size() || (i < before.size() && before[i] < s.pairs[j].first)) add(before[i++], false, 0);
        else if (i == before.size() || s.pairs[j].first < before[i]) add(s.pairs[j].first, true, s.pairs[j].second), ++j;
        else ++i, ++j;
    }
    before.clear();
    for (const auto& [code, impulse] : s.pairs) before.push_back(code);
}

} // namespace sinew
