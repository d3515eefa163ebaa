#include "render/color.h"
#include "render/settings.h"
#include <cmath>
#include <gtest/gtest.h>

namespace sinew {
namespace {

std::array<long, 3> bytes(const Real3& c) {
    return {std::lround(255 * c.x), std::lround(255 * c.y), std::lround(255 * c.z)};
}

TEST(color, maps_have_their_published_end_points_and_middle) {
    using A = std::array<long, 3>;
    EXPECT_EQ(bytes(map_color(ColorMap::viridis, 0)), (A{68, 1, 84}));
    EXPECT_EQ(bytes(map_color(ColorMap::viridis, 1)), (A{253, 231, 37}));
    EXPECT_EQ(bytes(map_color(ColorMap::viridis, 0.5)), (A{33, 145, 140}));
    EXPECT_EQ(bytes(map_color(ColorMap::coolwarm, 0)), (A{59, 76, 192}));
    EXPECT_EQ(bytes(map_color(ColorMap::coolwarm, 0.5)), (A{221, 221, 221}));
    EXPECT_EQ(bytes(map_color(ColorMap::coolwarm, 1)), (A{180, 4, 38}));
    EXPECT_EQ(bytes(map_color(ColorMap::gray, 1)), (A{255, 255, 255}));
}

TEST(color, maps_clamp_and_mark_missing_values) {
    EXPECT_EQ(map_color(ColorMap::viridis, -3), map_color(ColorMap::viridis, 0));
    EXPECT_EQ(map_color(ColorMap::viridis, 1e300), map_color(ColorMap::viridis, 1));
    EXPECT_EQ(bytes(map_color(ColorMap::viridis, std::nan(""))), (std::array<long, 3>{0x9a, 0x9a, 0x9a}));
}

TEST(color, viridis_brightens_steadily) {
    double before = -1;
    for (int i = 0; i <= 100; ++i) {
        const Real3 c = map_color(ColorMap::viridis, i / 100.0);
        const double y =
            0.2126 * linear_from_srgb(c.x) + 0.7152 * linear_from_srgb(c.y) + 0.0722 * linear_from_srgb(c.z);
        EXPECT_GT(y, before) << i;
        before = y;
    }
}

TEST(color, srgb_and_linear_are_inverse) {
    for (int i = 0; i <= 255; ++i)
        EXPECT_NEAR(srgb_from_linear(linear_from_srgb(i / 255.0)), i / 255.0,
                    1e-7); // the standard's own joint
    EXPECT_NEAR(linear_from_srgb(0.5), 0.2140411, 1e-6);
}

TEST(color, neighbouring_objects_have_distinct_colours) {
    for (int i = 0; i < 10; ++i)
        for (int k = 0; k < i; ++k) {
            const Real3 a = object_color(i), b = object_color(k);
            double d = 0;
            for (int c = 0; c < 3; ++c) d += std::pow(srgb_from_linear(a[c]) - srgb_from_linear(b[c]), 2);
            EXPECT_GT(std::sqrt(d), 0.2) << i << " " << k;
        }
    EXPECT_EQ(object_color(10), object_color(0));
    EXPECT_EQ(object_color(-1), object_color(9));
}

TEST(render_settings, every_member_out_of_range_is_named) {
    RenderSettings s;
    EXPECT_TRUE(check_settings(s).empty());
    s.width = 0;
    s.samples = 5000;
    s.exposure = 0;
    s.ground = "lawn";
    s.sun_size = std::nan("");
    s.ground_color = {0.5, 2, 0.5};
    std::vector<std::string> names;
    for (const Error& e : check_settings(s)) names.push_back(e.path);
    EXPECT_EQ(names, (std::vector<std::string>{"width", "samples", "exposure", "ground", "ground_color",
                                               "sun_size"}));
}

TEST(render_settings, words_select_styles_and_the_list_holds_every_member) {
    RenderSettings s;
    EXPECT_EQ(ground_style(s), GroundStyle::grid);
    EXPECT_EQ(color_map(s), ColorMap::viridis);
    s.ground = "none";
    s.color_map = "coolwarm";
    EXPECT_EQ(ground_style(s), GroundStyle::none);
    EXPECT_EQ(color_map(s), ColorMap::coolwarm);
    // bytes of the struct that no field covers are padding only: at most 7 per member
    std::size_t covered = 0;
    const FieldList list = render_fields(s);
    for (const FieldRef& f : list.fields) {
        if (f.type == FieldType::real) covered += sizeof(double);
        if (f.type == FieldType::integer) covered += sizeof(int);
        if (f.type == FieldType::boolean) covered += sizeof(bool);
        if (f.type == FieldType::text) covered += sizeof(std::string);
        if (f.type == FieldType::real3) covered += sizeof(Real3);
        if (f.type == FieldType::real2) covered += 2 * sizeof(double);
    }
    EXPECT_LT(sizeof(RenderSettings) - covered, 32u);
}

} // namespace
} // namespace sinew
