// `visit` names every member of the structs once, and operations that go through it.
#include "model/contacts.h"
#include "model/visit.h"
#include "sinew/input.h"
#include "sinew/report.h"
#include "sinew/scene.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>

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

// members of an aggregate: the most initialisers it takes
struct Anything {
    template <class T> operator T() const;
};
template <class T, class... A> constexpr int member_count() {
    if constexpr (requires { T{A{}..., Anything{}}; }) return member_count<T, A..., Anything>();
    else return int(sizeof...(A));
}

// names that visit gives: how often each, the parts before the dot, and how many below each part
struct Names {
    std::multiset<std::string> all;
    template <class T> void operator()(const char* name, const T&) { all.insert(name); }
    int top() const {
        std::set<std::string> parts;
        for (const std::string& n : all) parts.insert(n.substr(0, n.find('.')));
        return int(parts.size());
    }
    int below(const std::string& part) const {
        int count = 0;
        for (const std::string& n : all) count += n.starts_with(part + ".");
        return count;
    }
    bool unique() const { return std::set(all.begin(), all.end()).size() == all.size(); }
};
template <class T> Names names_of(const T& of) {
    Names n;
    visit(of, n);
    EXPECT_TRUE(n.unique());
    EXPECT_EQ(n.top(), (member_count<T>()));
    return n;
}

} // namespace

// a member added to a struct and forgotten in its visit shows here
TEST(visit, names_every_member_of_the_six_structs_once) {
    struct Three {
        std::vector<int> a;
        std::string b;
        std::array<double, 4> c;
    };
    ASSERT_EQ(member_count<Three>(), 3);
    const Names model = names_of(Model{}), state = names_of(State{});
    EXPECT_EQ(model.below("point"), member_count<PointModel>());
    EXPECT_EQ(model.below("frame"), member_count<FrameModel>());
    EXPECT_EQ(model.below("scalar"), member_count<ScalarModel>());
    EXPECT_EQ(model.below("animated"), member_count<AnimatedModel>());
    EXPECT_EQ(model.below("surface"), member_count<Surface>());
    EXPECT_EQ(state.below("point"), member_count<PointState>());
    EXPECT_EQ(state.below("frame"), member_count<FrameState>());
    EXPECT_EQ(state.below("scalar"), member_count<ScalarState>());
    EXPECT_EQ(state.below("animated"), member_count<AnimatedState>());
    names_of(Input{});
    names_of(Contacts{});
    names_of(Scene{});
    const Names report = names_of(Report{});
    // what visit_numbers calls by other names or takes apart
    const std::map<std::string, std::string> other = {{"contacts", "contact_count"}, {"islands.direct", "islands_direct"}};
    visit_numbers(Report{}, [&](const std::string& name, const char*, double) {
        std::string member = other.contains(name) ? other.at(name) : name;
        if (member.starts_with("energy.") || member.starts_with("work.")) member.replace(member.find('.'), 1, "_");
        member = member.substr(0, member.find('.'));
        EXPECT_TRUE(name == "energy.total" || report.all.contains(member)) << name;
    });
}

TEST(visit, sizes_that_do_not_fit_are_named) {
    Model m;
    State s;
    m.point.rest.resize(3), m.point.mass.resize(3), m.point.object.resize(3), m.point.flags.resize(3);
    s.point.x.resize(3), s.point.v.resize(3);
    m.objects.push_back({.name = "sheet", .points = {0, 3}});
    EXPECT_EQ(find_size_error(m, s), "");
    EXPECT_EQ(memory_bytes(m), memory_bytes(Model{}) + 3 * (24 + 8 + 4 + 1) + sizeof(Object));
    s.point.alive.resize(2);
    EXPECT_EQ(find_size_error(m, s), "point.alive has 2 entries, not 3");
    s.point.alive.clear();
    s.attributes.push_back({"colour", 3, std::vector<double>(8)});
    EXPECT_EQ(find_size_error(m, s), "attribute colour has 8 values, not 3 for each of 3 points");
    s.attributes.clear();
    m.frame.mass.resize(1);
    EXPECT_EQ(find_size_error(m, s), "frame.inertia has 0 entries, not 1");
    m.frame.mass.clear();
    m.objects[0].points.end = 4;
    EXPECT_EQ(find_size_error(m, s), "points of 'sheet' are 0 to 4 of 3");
}

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
