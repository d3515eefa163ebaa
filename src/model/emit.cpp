#include "model/emit.h"
#include "core/math.h"
#include "core/random.h"
#include "model/way.h"
#include <algorithm>
#include <array>
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

// x: seen by the sink as if it rested
bool inside(const Sink& k, const Vec3& x) {
    const Vec3 d = x - vec(k.center);
    if (k.is_sphere) return d.norm() <= k.size.x;
    return ((quat(k.rotation).conjugate() * d).cwiseAbs().array() <= vec(k.size).array()).all();
}

// whether the way from a to b meets it
bool meets(const Sink& k, const Vec3& a, const Vec3& b) {
    const Quat back = k.is_sphere ? Quat::Identity() : quat(k.rotation).conjugate();
    const Vec3 from = back * (a - vec(k.center)), way = back * (b - a);
    if (k.is_sphere) {
        const Real length = way.squaredNorm(), nearest = length > 0 ? std::clamp(-from.dot(way) / length, Real(0), Real(1)) : 0;
        return (from + nearest * way).norm() <= k.size.x;
    }
    Real enter = 0, leave = 1; // parts of the way: between the two planes of each side
    for (int i = 0; i < 3; ++i) {
        if (way[i] == 0) {
            if (std::abs(from[i]) > k.size[i]) return false;
            continue;
        }
        const Real first = (-k.size[i] - from[i]) / way[i], second = (k.size[i] - from[i]) / way[i];
        enter = std::max(enter, std::min(first, second));
        leave = std::min(leave, std::max(first, second));
    }
    return enter <= leave;
}

// What a sink does between two moments. Seen from one that turns or goes round, who flies straight does not: the time is cut into parts.
constexpr Real kTurnOfPart = 0.2; // [rad]: a chord is off by 0.5 % of its distance from the axis
constexpr Real kBendOfPart = 0.04; // how far the way of its middle is from a chord, in parts of its size
constexpr int kMaxParts = 64;
struct SinkWay {
    const Sink& sink;
    bool moves = false;
    int parts = 1;
    std::array<Moved, kMaxParts + 1> at{}; // its beginning, and the end of each part
    const Moved& end() const { return at[std::size_t(parts)]; }
};
// Parts whose chords are near the way of its middle. The bend of a way, of its middle to that of its chord, is cut into a quarter where the way is halved;
// both halves are looked at too: one that has gone round once is where it was, and its whole way bends by less than four times as much.
Real parts_of_bend(const Model& m, const Sink& k, Real from, Real to, const Moved& first, const Moved& last, const WayStep& step) {
    std::array<Vec3, 5> at{first.place(vec(k.center)), {}, {}, {}, last.place(vec(k.center))};
    for (int i = 1; i < 4; ++i) at[std::size_t(i)] = moved_at(m, k.way, from + (to - from) * i / 4, step, false).place(vec(k.center));
    const auto bend = [&](int a, int b) { return (at[std::size_t((a + b) / 2)] - 0.5 * (at[std::size_t(a)] + at[std::size_t(b)])).norm(); };
    const Real most = std::max({bend(0, 4), 4 * bend(0, 2), 4 * bend(2, 4)}), size = k.is_sphere ? k.size.x : vec(k.size).minCoeff();
    return size > 0 ? std::sqrt(most / (kBendOfPart * size)) : most > 0 ? kMaxParts : 1;
}

SinkWay sink_way(const Model& m, const Sink& k, Real from, Real to, const WayStep& step) {
    SinkWay w{k};
    if (jumps_between(m, k.way, from, to)) {
        w.at[1] = moved_at(m, k.way, to, step, false);
        return w;
    }
    const Moved first = moved_at(m, k.way, from, step), last = moved_at(m, k.way, to, step);
    const auto goes = [](const Moved& a) { return !a.spin.isZero(0) || !a.velocity.isZero(0); };
    w.moves = first.shift != last.shift || first.turn.coeffs() != last.turn.coeffs() || goes(first) || goes(last);
    const Real rate = std::max(first.spin.norm(), last.spin.norm());
    const Real angle = std::max(log_rotation(last.turn * first.turn.conjugate()).norm(), rate * (to - from));
    const Real parts = std::ceil(std::max(angle / kTurnOfPart, parts_of_bend(m, k, from, to, first, last, step)));
    w.parts = parts > 1 ? int(std::min(parts, Real(kMaxParts))) : 1; // what is not a number has one
    for (int i = 1; i < w.parts; ++i) w.at[std::size_t(i)] = moved_at(m, k.way, from + (to - from) * i / w.parts, step, false);
    w.at[0] = first, w.at[std::size_t(w.parts)] = last;
    return w;
}

// a particle's place for the sink as it rests; turns of balls do not count
Vec3 seen(const Sink& k, const Moved& moved, const Vec3& x) {
    return k.is_sphere ? Vec3(x - moved.place(vec(k.center)) + vec(k.center)) : moved.back(x);
}

// of a particle that was at a, and is at b
bool takes(const SinkWay& w, const Vec3& a, const Vec3& b) {
    if (!w.end().is_finite()) return false; // find_lost_region tells of it
    if (w.sink.outside || !w.moves) return inside(w.sink, w.end().back(b)) != w.sink.outside;
    Vec3 before = seen(w.sink, w.at[0], a);
    for (int i = 1; i <= w.parts; ++i) {
        const Vec3 here = seen(w.sink, w.at[std::size_t(i)], a + (b - a) * (Real(i) / w.parts));
        if (meets(w.sink, before, here)) return true;
        before = here;
    }
    return false;
}

// Who has died before the step's end takes no place: what is alive at a time does not depend on the steps to it.
void give_birth(const Model& m, const Emitter& e, Real birth, const WayStep& step, State& s, std::vector<double>& count) {
    const Real flown = s.time - birth;
    const std::uint64_t j = std::uint64_t(count[kBorn]);
    count[kBorn] += 1;
    Rng rng{e.seed ^ 0x76656cull, j, 0};
    const Moved moved = moved_at(m, e.way, birth, step);
    const Vec3 place = moved.place(birth_place(e, j));
    const Vec3 v = moved.turn * vec(e.velocity) + e.spread * vec(draw_in_ball(rng)) + e.inherit * moved.velocity_at(place);
    const Vec3 x = place + flown * v;
    if (flown > e.lifetime) return;
    for (const Sink& k : m.sinks)
        if (k.way < 0 ? inside(k, x) != k.outside : takes(sink_way(m, k, birth, s.time, step), place, x)) return;
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

void kill(int i, State& s) {
    s.point.alive[i] = 0;
    s.point.v[i] = {};
}

void kill_old(const Emitter& e, Real dt, State& s) {
    for (int i = e.points.begin; i < e.points.end; ++i) {
        if (!s.point.alive[i]) continue;
        s.point.age[i] += dt;
        if (s.point.age[i] > e.lifetime) kill(i, s);
    }
}

template <class F> void kill_if(const Model& m, State& s, const F& is_taken) {
    for (const Emitter& e : m.emitters)
        for (int i = e.points.begin; i < e.points.end; ++i)
            if (s.point.alive[i] && is_taken(i)) kill(i, s);
}

void kill_inside(const Model& m, const Sink& k, const WayStep& step, State& s) {
    if (k.way < 0) return kill_if(m, s, [&](int i) { return inside(k, vec(s.point.x[i])) != k.outside; });
    const SinkWay w = sink_way(m, k, step.before.time, s.time, step);
    kill_if(m, s, [&](int i) { return takes(w, vec(step.before.point.x[i]), vec(s.point.x[i])); });
}

} // namespace

void register_emitters(const Model& m, State& s) {
    remember_ways(m, s);
    for (int k = 0; k < int(m.emitters.size()); ++k) {
        const Emitter& e = m.emitters[k];
        auto& count = memory_array(s, fmt::format("emitter.{}", k), kCounters);
        for (int j = 0; j < int(e.initial_count); ++j) give_birth(m, e, s.time, {s, s}, s, count);
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

NotFinite find_lost_region(const Model& m, const State& before, const State& after) {
    const auto lost = [&](int way, int object) {
        return way >= 0 && m.objects[std::size_t(object)].alive && !moved_at(m, way, after.time, {before, after}, false).is_finite();
    };
    for (const Emitter& e : m.emitters)
        if (lost(e.way, e.object)) return {"motion", m.objects[std::size_t(e.object)].name, 0};
    for (const Sink& k : m.sinks)
        if (lost(k.way, k.object)) return {"motion", m.objects[std::size_t(k.object)].name, 0};
    return {};
}

void emit(const Model& m, Real dt, const State& before, State& s) {
    const WayStep step{before, s};
    for (const Emitter& e : m.emitters) kill_old(e, dt, s);
    for (const Sink& k : m.sinks) kill_inside(m, k, step, s);
    for (int k = 0; k < int(m.emitters.size()); ++k) {
        const Emitter& e = m.emitters[k];
        auto& count = counters(s, k);
        // particle j (beyond the initial ones) is born at from + j/rate
        const Real t = std::min(s.time, e.until);
        while (e.rate > 0) {
            const Real birth = e.from + (count[kBorn] - std::floor(e.initial_count)) / e.rate;
            if (birth > t) break;
            give_birth(m, e, birth, step, s, count);
        }
    }
    remember_ways(m, s);
}

} // namespace sinew
