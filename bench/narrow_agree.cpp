// Answers of sinew-bench narrow: ours and the peers', each against the judge (narrow_judge.h), which brackets
// the true distance D of every pair to kJudge. What is claimed, and why no tolerance is tuned:
//   distance   ours is within kOurs of the bracket. A peer that differs from ours by more than its own rule
//   for
//              stopping promises is then either wrong by the bracket (counted and listed) or proves us wrong:
//              0 pairs.
//   normal     n separates by D up to kOurs. Apart, v the vector between the nearest points: n'.v >=
//   separation(n'),
//              so a peer's normal n' that loses e' is within acos(1 - e'/D) of v; ours likewise; their angle
//              is at most the sum.
//   points     ours are in the shapes. Apart, points of a and b at w' from each other: v.(w' - v) >= 0, hence
//              |w' - v|^2 <= |w'|^2 - D^2; points that are outside by q add 4 q D.
//   manifold   there is one exactly when D <= 0; its least gap is D, its normal loses nothing, its points are
//   in
//              both shapes to within their gap.
#include "collision/manifold.h"
#include "geometry/convex_distance.h"
#include "narrow_judge.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew::bench {

namespace {

constexpr double kJudge = 1e-9; // [m] width of the bracket
// [m] the expanding polytope stops at 1e-9 of the size of the difference of the shapes, which is below 4 m
// here
constexpr double kOurs = 4e-9;
// [m] the expanding polytope mostly ends at e = 1e-10 of that size; on a curve of radius r a direction that
// loses e touches sqrt(2 e r) beside the true point: r at most 0.6 m
constexpr double kPoints = 2e-5;
// [m] a contact of discs may leave out the deepest point by 1e-5 of the size of the contact
// (manifold_clip.cpp)
constexpr double kManifold = 2e-5;
constexpr int kListed = 5; // of each peer's worst pairs

struct Case {
    Placed a, b;
    Bracket truth;
    NarrowAnswer ours;
    Manifold manifold;
    bool touching;
};

bool is_flat(const Placed& s) { return s.shape->kind == Shape::box || s.shape->kind == Shape::hull; }

bool has_rim(const Placed& s) { return s.shape->kind == Shape::cylinder || s.shape->kind == Shape::cone; }
bool has_rim(const Case& c) { return has_rim(c.a) || has_rim(c.b); }

double off(const Bracket& t, double d) { return std::max({0.0, t.low - d, d - t.high}); }

double percentile(std::vector<double> x, double p) {
    if (x.empty()) return 0;
    std::sort(x.begin(), x.end());
    return x[std::size_t(p * double(x.size() - 1))];
}

std::vector<Case> judge_all(const ShapeStore& store, const std::vector<NarrowPair>& pairs) {
    std::vector<Case> cases;
    for (const NarrowPair& p : pairs) {
        Case c{place(store, p.a, p.pose_a), place(store, p.b, p.pose_b), {}, {}, {}, false};
        c.truth = judge_distance(c.a, c.b, kJudge);
        const Convex a = *make_convex(store, p.a), b = *make_convex(store, p.b);
        const Placement fa = make_placement(p.pose_a), fb = make_placement(p.pose_b);
        const ConvexDistance d = convex_distance(a, fa, b, fb);
        c.ours = {true, d.distance, d.normal, d.on_a, d.on_b};
        c.touching = collide_convex(a, fa, b, fb, 0, c.manifold);
        cases.push_back(c);
    }
    return cases;
}

// ours by itself: every quantity has a ceiling
void claim_ours(const std::string& test, const std::vector<Case>& cases, Results& out) {
    double wide = 0, distance = 0, normal = 0, points = 0, looked = 0;
    for (const Case& c : cases) {
        wide = std::max(wide, c.truth.high - c.truth.low);
        looked += c.truth.looked;
        distance = std::max(distance, off(c.truth, c.ours.distance));
        normal = std::max(normal, c.truth.low - separation(c.a, c.b, c.ours.normal));
        const double gap = c.ours.normal.dot(c.ours.on_b - c.ours.on_a);
        points = std::max({points, outside_by(c.a, c.ours.on_a), outside_by(c.b, c.ours.on_b),
                           std::abs(gap - c.ours.distance)});
    }
    add(out, test, 1, "directions judged per pair", "", exactly(looked / double(cases.size())));
    add_at_most(out, test, 1, "judge's bracket, widest", exactly(wide), 2 * kJudge, true);
    add_at_most(out, test, 1, "our distance off the judge", exactly(distance), kOurs, true);
    add_at_most(out, test, 1, "our normal loses", exactly(normal), kOurs, true);
    add_at_most(out, test, 1, "our points off the shapes", exactly(points),
                has_rim(cases[0]) ? kPoints : kOurs, true);
}

void claim_our_manifolds(const std::string& test, const std::vector<Case>& cases, Results& out) {
    double wrong = 0, deepest = 0, normal = 0, points = 0;
    for (const Case& c : cases) {
        const bool must = c.truth.high < -kOurs, may = c.truth.low <= kOurs;
        wrong += c.touching ? !may : must;
        if (!c.touching) continue;
        double least = c.manifold.point[0].gap;
        for (int k = 0; k < c.manifold.count; ++k) {
            const ManifoldPoint& p = c.manifold.point[k];
            least = std::min(least, p.gap);
            points = std::max({points, outside_by(c.a, p.on_a), outside_by(c.b, p.on_b),
                               std::abs(c.manifold.normal.dot(p.on_b - p.on_a) - p.gap)});
        }
        deepest = std::max(deepest, off(c.truth, least));
        normal = std::max(normal, c.truth.low - separation(c.a, c.b, c.manifold.normal));
    }
    add_at_most(out, test, 1, "manifolds missing or extra", exactly(wrong), 0, true);
    add_at_most(out, test, 1, "manifold: least gap off the judge", exactly(deepest),
                has_rim(cases[0]) ? kManifold : kOurs, true);
    add_at_most(out, test, 1, "manifold: normal loses", exactly(normal), kOurs, true);
    add_at_most(out, test, 1, "manifold: points off the shapes", exactly(points),
                has_rim(cases[0]) ? kPoints : kOurs, true);
}

struct Worst {
    double by;
    int pair;
};
void list_worst(const std::string& test, const std::string& who, const char* what, std::vector<Worst> wrong,
                Results& out) {
    std::stable_sort(wrong.begin(), wrong.end(), [](const Worst& x, const Worst& y) { return x.by > y.by; });
    for (int k = 0; k < std::min(kListed, int(wrong.size())); ++k)
        add(out, test, 1, fmt::format("{} {} wrong by, pair {}", who, what, wrong[k].pair), "m",
            exactly(wrong[k].by));
}

// angle of two unit vectors without loss of digits
double angle(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }
double widest_angle(double loss, double distance) {
    return std::acos(std::clamp(1 - std::max(0.0, loss) / distance, -1.0, 1.0));
}

void compare_peer(const std::string& test, const std::vector<Case>& cases, NarrowPeer& peer, Results& out) {
    const std::string who = peer.name();
    const double tolerance = peer.tolerance();
    std::vector<double> apart, inside;
    std::vector<Worst> wrong;
    double lost = 0, proves = 0, direction = -1, turned = 0, moved = 0, judged = 0;
    for (int i = 0; i < int(cases.size()); ++i) {
        const Case& c = cases[i];
        const NarrowAnswer p = peer.answer(i);
        if (!p.found) {
            ++lost;
            continue;
        }
        const double differs = std::abs(p.distance - c.ours.distance), is_off = off(c.truth, p.distance);
        (c.truth.low > 0 ? apart : inside).push_back(differs);
        if (is_off > tolerance) wrong.push_back({is_off, i});
        proves += differs > tolerance + kOurs && is_off <= tolerance;
        // its direction is a proof whatever it says: none may prove more than ours
        direction = std::max(direction, separation(c.a, c.b, p.normal) - c.ours.distance);
        // normals and points, where the theory binds them: well apart, and an answer that is not wrong
        const double d = c.truth.low;
        if (d < 1e-2 || is_off > tolerance) continue;
        ++judged;
        const double loss = c.truth.high - separation(c.a, c.b, p.normal),
                     our_loss = c.truth.high - separation(c.a, c.b, c.ours.normal);
        turned += angle(p.normal, c.ours.normal) > widest_angle(loss, d) + widest_angle(our_loss, d) + 1e-12;
        const Vec3 theirs = p.on_b - p.on_a, mine = c.ours.on_b - c.ours.on_a;
        const double q = std::max(outside_by(c.a, p.on_a), outside_by(c.b, p.on_b));
        const double reach = std::max(0.0, theirs.squaredNorm() - d * d) + 4 * q * d,
                     our_reach = std::max(0.0, mine.squaredNorm() - d * d) + 4 * kOurs * d;
        moved += (theirs - mine).norm() > std::sqrt(reach) + std::sqrt(our_reach) + 1e-12;
    }
    const double n = double(cases.size()), agree = (n - lost - double(wrong.size()) - proves) / n;
    // on curves both peers stop early more often than not; the rest is what the comparison rests on
    const double least = is_flat(cases[0].a) && is_flat(cases[0].b) ? 0.99 : 0.4;
    add(out, test, 1, who + " differs apart, median", "m", exactly(percentile(apart, 0.5)));
    add(out, test, 1, who + " differs apart, 99 %", "m", exactly(percentile(apart, 0.99)));
    add(out, test, 1, who + " differs inside, median", "m", exactly(percentile(inside, 0.5)));
    add(out, test, 1, who + " differs inside, 99 %", "m", exactly(percentile(inside, 0.99)));
    add(out, test, 1, who + " gives up", "pairs", exactly(lost));
    add(out, test, 1, who + " is wrong", "pairs", exactly(double(wrong.size())));
    add_at_least(out, test, 1, who + " agrees", exactly(agree), least, true);
    add_at_most(out, test, 1, who + " proves us wrong", exactly(proves), 0, true);
    add_at_most(out, test, 1, who + "'s direction proves more", exactly(direction), kOurs, true);
    add(out, test, 1, who + " normals and points compared", "pairs", exactly(judged));
    add_at_most(out, test, 1, who + " normal outside of theory", exactly(turned), 0, true);
    add_at_most(out, test, 1, who + " points outside of theory", exactly(moved), 0, true);
    list_worst(test, who, "distance", std::move(wrong), out);
}

// area spanned by the points seen along the normal: half the sum over the sorted angles about their mean
double area_of(const std::vector<Vec3>& x, const Vec3& normal) {
    if (x.size() < 3) return 0;
    Vec3 s, t, mean = Vec3::Zero();
    contact_frame(normal, s, t);
    for (const Vec3& p : x) mean += p / double(x.size());
    std::vector<std::array<double, 3>> around;
    for (const Vec3& p : x) {
        const double u = s.dot(p - mean), v = t.dot(p - mean);
        around.push_back({std::atan2(v, u), u, v});
    }
    std::sort(around.begin(), around.end());
    double twice = 0;
    for (std::size_t i = 0; i < around.size(); ++i) {
        const auto &p = around[i], &q = around[(i + 1) % around.size()];
        twice += p[1] * q[2] - p[2] * q[1];
    }
    return 0.5 * std::abs(twice);
}

void compare_manifolds(const std::string& test, const std::vector<Case>& cases, NarrowPeer& peer,
                       Results& out) {
    const std::string who = peer.name();
    std::vector<double> differs, area;
    std::vector<Worst> wrong;
    double proves = 0, both = 0, points[2] = {0, 0};
    for (int i = 0; i < int(cases.size()); ++i) {
        const Case& c = cases[i];
        const NarrowManifold p = peer.manifold(i);
        if (!c.touching || p.points.empty()) continue;
        ++both;
        points[0] += c.manifold.count, points[1] += double(p.points.size());
        double least = p.points[0].gap, our_least = c.manifold.point[0].gap;
        std::vector<Vec3> theirs, ours;
        for (const NarrowPoint& x : p.points) least = std::min(least, x.gap), theirs.push_back(x.x);
        for (int k = 0; k < c.manifold.count; ++k) {
            const ManifoldPoint& x = c.manifold.point[k];
            our_least = std::min(our_least, x.gap), ours.push_back(0.5 * (x.on_a + x.on_b));
        }
        differs.push_back(std::abs(least - our_least));
        const double is_off = off(c.truth, least);
        if (is_off > peer.tolerance()) wrong.push_back({is_off, i});
        proves += std::abs(least - our_least) > peer.tolerance() + kManifold && is_off <= peer.tolerance();
        const double spanned = area_of(theirs, c.manifold.normal);
        if (angle(p.normal, c.manifold.normal) < 1e-3 && spanned > 1e-3)
            area.push_back(area_of(ours, c.manifold.normal) / spanned);
    }
    add(out, test, 1, who + " manifolds compared", "pairs", exactly(both));
    add(out, test, 1, "manifold: " + who + " differs, median", "m", exactly(percentile(differs, 0.5)));
    add(out, test, 1, "manifold: " + who + " is wrong", "pairs", exactly(double(wrong.size())));
    add_at_most(out, test, 1, "manifold: " + who + " proves us wrong", exactly(proves), 0, true);
    add(out, test, 1, "points per contact, ours", "", exactly(points[0] / std::max(1.0, both)));
    add(out, test, 1, "points per contact, " + who, "", exactly(points[1] / std::max(1.0, both)));
    if (!area.empty()) {
        add(out, test, 1, "areas compared with " + who, "pairs", exactly(double(area.size())));
        // two points furthest apart span at least half of the length in every direction, the next two the
        // width on both sides: never less than a quarter of the whole overlap
        add_at_least(out, test, 1, "area: ours / " + who + ", least", exactly(percentile(area, 0)), 0.25,
                     true);
        add(out, test, 1, "area: ours / " + who + ", median", "", exactly(percentile(area, 0.5)));
    }
    list_worst(test, who, "manifold", std::move(wrong), out);
}

} // namespace

void compare_answers(const std::string& test, const ShapeStore& store, const std::vector<NarrowPair>& pairs,
                     const std::vector<std::unique_ptr<NarrowPeer>>& peers, Results& out) {
    const std::vector<Case> cases = judge_all(store, pairs);
    claim_ours(test, cases, out);
    claim_our_manifolds(test, cases, out);
    for (const auto& peer : peers) {
        compare_peer(test, cases, *peer, out);
        compare_manifolds(test, cases, *peer, out);
    }
}

} // namespace sinew::bench
