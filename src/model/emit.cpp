#include "model/emit.h"
#include "core/math.h"
#include "core/random.h"
#include "model/visit.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

namespace {

// memory of one emitter: born so far (also the next identity), next slot to look at, births lost because the pool was full
enum Counter { kBorn, kSlot, kLost, kCounters };

std::vector<double>& counters(State& s, int emitter) {
    // looked up without building a string: names are registered in emitter order at the start
    int found = 0;
    for (NamedValues& a : s.memory)
        if (a.name.starts_with("emitter.") && found++ == emitter) return a.values;
    return memory_array(s, fmt::format("emitter.{}", emitter), kCounters);
}

Vec3 birth_place(const Emitter& e, std::uint64_t j) {
    Rng rng{e.seed, 1, 16 * j};
    if (!e.sites.empty()) return vec(e.sites[j % e.sites.size()]);
    if (e.shape == Emitter::sphere) {
        Rng ball{e.seed, 2 + j, 0}; // rejection takes a variable number of draws: a stream of its own
        return vec(e.pose.position) + e.size.x * vec(draw_in_ball(ball));
    }
    const Real a = draw_uniform(rng) - 0.5, b = draw_uniform(rng) - 0.5, c = draw_uniform(rng) - 0.5;
    return vec(e.pose.position) + quat(e.pose.rotation) * Vec3(a * e.size.x, b * e.size.y, c * e.size.z);
}

bool inside(const Sink& k, const Vec3& x) {
    const Vec3 d = x - vec(k.center);
    const bool in = k.is_sphere ? d.norm() <= k.size.x : (d.cwiseAbs().array() <= vec(k.size).array()).all();
    return in != k.outside;
}

bool is_over(const Model& m, const Emitter& e, Real age, const Vec3& x) {
    if (age > e.lifetime) return true;
    for (const Sink& k : m.sinks)
        if (inside(k, x)) return true;
    return false;
}

// Who has died before the step's end takes no place: what is alive at a time does not depend on the steps to it.
void give_birth(const Model& m, const Emitter& e, Real flown, State& s, std::vector<double>& count) {
    const std::uint64_t j = std::uint64_t(count[kBorn]);
    count[kBorn] += 1;
    Rng rng{e.seed ^ 0x76656cull, j, 0};
    const Vec3 v = vec(e.velocity) + e.spread * vec(draw_in_ball(rng));
    const Vec3 x = birth_place(e, j) + flown * v;
    if (is_over(m, e, flown, x)) return;
    const int n = e.points.count();
    for (int tried = 0; tried < n; ++tried) {
        const int slot = (int(count[kSlot]) + tried) % n, i = e.points.begin + slot;
        if (s.point.alive[i]) continue;
        s.point.alive[i] = 1;
        s.point.age[i] = flown;
        s.point.id[i] = std::uint32_t(j + 1);
        s.point.v[i] = real3(v);
        s.point.x[i] = real3(x);
        count[kSlot] = (slot + 1) % n;
        return;
    }
    count[kLost] += 1;
}

void kill_old(const Model& m, const Emitter& e, Real dt, State& s) {
    for (int i = e.points.begin; i < e.points.end; ++i) {
        if (!s.point.alive[i]) continue;
        s.point.age[i] += dt;
        if (!is_over(m, e, s.point.age[i], vec(s.point.x[i]))) continue;
        s.point.alive[i] = 0;
        s.point.v[i] = {};
    }
}

} // namespace

void register_emitters(const Model& m, State& s) {
    for (int k = 0; k < int(m.emitters.size()); ++k) {
        const Emitter& e = m.emitters[k];
        auto& count = memory_array(s, fmt::format("emitter.{}", k), kCounters);
        for (int j = 0; j < int(e.initial_count); ++j) give_birth(m, e, 0, s, count);
    }
}

void remove_emitter(Model& m, State& s, int emitter) {
    int found = 0;
    std::erase_if(s.memory, [&](const NamedValues& a) { return a.name.starts_with("emitter.") && found++ == emitter; });
    // names follow the order of the emitters
    found = 0;
    for (NamedValues& a : s.memory)
        if (a.name.starts_with("emitter.")) a.name = fmt::format("emitter.{}", found++);
    m.emitters.erase(m.emitters.begin() + emitter);
}

void emit(const Model& m, Real dt, State& s) {
    for (int k = 0; k < int(m.emitters.size()); ++k) {
        const Emitter& e = m.emitters[k];
        kill_old(m, e, dt, s);
        auto& count = counters(s, k);
        // particle j (beyond the initial ones) is born at from + j/rate
        const Real t = std::min(s.time, e.until);
        while (e.rate > 0) {
            const Real birth = e.from + (count[kBorn] - std::floor(e.initial_count)) / e.rate;
            if (birth > t) break;
            give_birth(m, e, s.time - birth, s, count);
        }
    }
}

} // namespace sinew
