// Operations that go through `visit`.
#include "model/visit.h"
#include <gtest/gtest.h>

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
