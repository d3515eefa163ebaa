// Operations that go through `visit`.
#include "model/visit.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace sinew;

namespace {

// every array of the state gets values of its own
struct Fill {
    double next = 1;
    void operator()(const char*, double& a) { a = next++; }
    void operator()(const char*, std::int64_t& a) { a = std::int64_t(next++); }
    void operator()(const char*, std::vector<Real3>& a) { a.assign(3, {next++, 0, 0}); }
    void operator()(const char*, std::vector<Real4>& a) { a.assign(3, {next++, 0, 0, 0}); }
    template <class T> void operator()(const char*, std::vector<T>& a) { a.assign(3, T(next++)); }
    void operator()(const char* name, std::vector<NamedValues>& a) {
        a.assign(2, {name, 1, {next++, next++}});
    }
};

} // namespace

TEST(visit, copy_all_but_motion_leaves_only_positions_and_velocities_of_points_to_the_caller) {
    State from, to;
    visit(from, Fill{});
    copy_all_but_motion(from, to);
    EXPECT_TRUE(to.point.x.empty());
    EXPECT_TRUE(to.point.v.empty());
    to.point.x = from.point.x;
    to.point.v = from.point.v;
    EXPECT_TRUE(equal(from, to)); // an array added to State and forgotten in the copy shows here
}

// wherever it is and whatever kind of no number it is, and the first of them is named; numbers as large as
// there are are numbers
TEST(visit, what_is_not_a_number_is_found_at_every_place) {
    const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
        for (int n = 1; n < 11; ++n)
            for (int at = 0; at < n; ++at) {
                State s;
                s.memory.push_back({"values", 1, std::vector<double>(n, at % 2 ? most : -least)});
                s.frame.v.assign(n, {most, most, -most});
                EXPECT_TRUE(find_not_finite({}, s).array.empty());
                State memory = s, frames = s;
                memory.memory[0].values[at] = bad;
                memory.memory[0].values[n - 1] = bad;
                EXPECT_EQ(find_not_finite({}, memory).array, "memory.values");
                EXPECT_EQ(find_not_finite({}, memory).index, at);
                frames.frame.v[at].z = bad;
                EXPECT_EQ(find_not_finite({}, frames).array, "frame.v");
                EXPECT_EQ(find_not_finite({}, frames).index, at);
            }
}
