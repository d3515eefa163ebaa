// Plots are well-formed, with ticks at round numbers and every curve in the legend.
#include "study/plot.h"
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace sinew;

namespace {

// the tags of an XML text balance, attributes are quoted, no bare < or & in text; empty = well-formed
std::string find_defect(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t i = 0; i < xml.size(); ++i) {
        if (xml[i] == '&') {
            const std::size_t end = xml.find(';', i);
            if (end == std::string::npos || end > i + 6) return "bare &";
        }
        if (xml[i] != '<') continue;
        const std::size_t end = xml.find('>', i);
        if (end == std::string::npos) return "tag without end";
        const std::string tag = xml.substr(i + 1, end - i - 1);
        if (tag.find('<') != std::string::npos) return "< within a tag: " + tag;
        if (std::count(tag.begin(), tag.end(), '"') % 2) return "quotes of " + tag;
        const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" /", 1) - (tag[0] == '/'));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != tag.substr(1)) return "ends what is not open: " + tag;
            open.pop_back();
        } else if (tag.back() != '/') open.push_back(name);
        i = end;
    }
    return open.empty() ? "" : "never ends: " + open.back();
}

Plot make_plot() {
    Plot p{"Title with <signs> & \"quotes\"", "iterations", "error [m]", false, true, {}};
    p.curves.push_back({"a < b", {1, 2, 3, 4}, {1, 0.1, 1e-3, 1e-5}});
    p.curves.push_back({"other", {1, 2, 3, 4}, {2, 0, NAN, 1e-2}});
    return p;
}

} // namespace

TEST(study_plot, is_well_formed_and_names_axes_and_curves) {
    for (bool log_x : {false, true})
        for (bool log_y : {false, true}) {
            Plot p = make_plot();
            p.log_x = log_x, p.log_y = log_y;
            const std::string svg = write_svg(p);
            EXPECT_EQ(find_defect(svg), "");
            for (const char* text : {"Title with &lt;signs&gt; &amp; &quot;quotes&quot;", "iterations", "error [m]", "a &lt; b", "other"})
                EXPECT_NE(svg.find(text), std::string::npos) << text;
            EXPECT_EQ(svg.find("nan"), std::string::npos);
            EXPECT_EQ(svg.find("inf"), std::string::npos);
        }
    EXPECT_NE(find_defect("<svg><g></svg>"), ""); // the check itself can fail
}

// what is kept to rounding is a constant: ticks of an ulp would be endless
TEST(study_plot, rounding_is_no_range) {
    const double one = 1 + 2.220446049250313e-16;
    EXPECT_LE(find_ticks(1, one, 6).size(), 1u);
    Plot p{"kept", "time", "momentum", false, false, {}};
    p.curves.push_back({"a", {0, 1, 2}, {1, one, 1}});
    EXPECT_EQ(find_defect(write_svg(p)), "");
}

TEST(study_plot, empty_and_constant_curves_are_drawn_too) {
    Plot p{"empty", "x", "y", true, true, {}};
    EXPECT_EQ(find_defect(write_svg(p)), "");
    p.curves.push_back({"constant", {5, 5}, {3, 3}});
    const std::string svg = write_svg(p);
    EXPECT_EQ(find_defect(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(study_plot, what_cannot_be_shown_leaves_a_gap) {
    Plot p = make_plot();
    const std::string svg = write_svg(p);
    // second curve: 2, then zero and not a number, then one more: two moves, no line
    const std::size_t at = svg.find("#d55e00");
    const std::size_t start = svg.rfind("<path d=\"", at);
    const std::string path = svg.substr(start, at - start);
    EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << path;
    EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 0) << path;
}

TEST(study_plot, ticks_are_round_and_cover_the_range) {
    EXPECT_EQ(find_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(find_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
    EXPECT_EQ(find_log_ticks(1, 1000), (std::vector<double>{1, 10, 100, 1000}));
    EXPECT_EQ(find_log_ticks(1, 10), (std::vector<double>{1, 2, 5, 10}));
}
