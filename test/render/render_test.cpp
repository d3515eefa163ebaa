#include "render/render.h"
#include "render/sample_scene.h"
#include "render/trace.h"
#include <gtest/gtest.h>
#include <limits>

namespace sinew {
namespace {

#ifdef SINEW_HAVE_EMBREE

RenderSettings small_settings(int width = 320, int height = 180) {
    RenderSettings s;
    s.width = width;
    s.height = height;
    return s;
}

Result<RenderedFrame> try_render(const SampleScene& s, const RenderSettings& settings,
                                 const std::optional<Camera>& camera = {}, int threads = 2) {
    const auto parallel = make_parallel({.threads = threads});
    auto painter = make_painter(s.layout, settings);
    if (!painter) return {{}, painter.errors};
    FilmView view;
    add_to_view(s.layout, s.snapshot, settings, view);
    finish_view(s.layout, s.snapshot, settings, camera, view);
    return render_frame(*parallel, *painter.value, s.snapshot, view);
}

Picture draw(const SampleScene& s, const RenderSettings& settings, const std::optional<Camera>& camera = {}) {
    auto r = try_render(s, settings, camera);
    EXPECT_TRUE(r) << (r.errors.empty() ? "" : r.errors[0].message);
    return r ? r.value->picture : Picture{};
}

const std::uint8_t* at(const Picture& p, int x, int y) { return &p.rgba[4 * (std::size_t(y) * p.width + x)]; }
int brightness(const Picture& p, int x, int y) { return at(p, x, y)[0] + at(p, x, y)[1] + at(p, x, y)[2]; }

// Pixels whose centre ray meets the ball, by the quadratic formula
int analytic_pixels(const Camera& c, int width, int height, const Vec3& centre, double radius) {
    const CameraAxes a = camera_axes(c);
    const double t = std::tan(c.fov / 2);
    int count = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const double px = (2 * (x + 0.5) / width - 1) * t * width / height,
                         py = (1 - 2 * (y + 0.5) / height) * t;
            const Vec3 d = (vec(a.forward) + px * vec(a.right) + py * vec(a.up)).normalized();
            const Vec3 o = centre - vec(c.eye);
            count += o.squaredNorm() - std::pow(o.dot(d), 2) < radius * radius && o.dot(d) > 0;
        }
    return count;
}

// Pixels that differ from the picture without the ball by at least half the ball's contrast
int drawn_pixels(const Picture& with, const Picture& without) {
    int count = 0;
    for (int y = 0; y < with.height; ++y)
        for (int x = 0; x < with.width; ++x) count += at(without, x, y)[2] - at(with, x, y)[2] > 60;
    return count;
}

TEST(render, a_balls_silhouette_has_the_analytic_area) {
    RenderSettings settings = small_settings(480, 360);
    settings.ground = "none";
    const Camera camera{{4, 1, 3}, {0.5, 0.2, 0}};
    for (const Vec3& centre : {Vec3(0.5, 0.2, 0), Vec3(0.9, -0.3, -0.6)}) { // in the middle, and off the axis
        SampleScene empty, ball, mesh;
        SnapshotObject o = ball_object(0.7), m = sphere_object(0.7, 96, 48);
        o.color = m.color = {0.5, 0.1, 0}; // no blue: stands out against the sky
        add_object(ball, "ball", o, real3(centre));
        add_object(mesh, "mesh", m, real3(centre));
        const Picture without = draw(empty, settings, camera);
        const double exact = analytic_pixels(camera, 480, 360, centre, 0.7);
        ASSERT_GT(exact, 5000);
        // edge pixels: the threshold is at about half coverage, a bias of 0.1 pixels on a radius of 80 is 0.3
        // %
        EXPECT_NEAR(drawn_pixels(draw(ball, settings, camera), without) / exact, 1, 0.01);
        // 96 x 48 facets lose another 1 - (sin a / a)... of the disc: 0.1 %
        EXPECT_NEAR(drawn_pixels(draw(mesh, settings, camera), without) / exact, 1, 0.01);
    }
}

TEST(render, a_ball_casts_a_shadow_whose_border_is_softer_under_a_larger_sun) {
    SampleScene s;
    SnapshotObject floor;
    floor.kind = "plane"; // the ground at height 0
    floor.rigid = true;
    add_object(s, "floor", floor);
    SampleScene bare = s;
    add_object(s, "ball", ball_object(0.25), {0, 1, 0});
    RenderSettings settings = small_settings();
    settings.ground = "plain";
    settings.sun_elevation = kPi / 2; // straight above: the shadow's middle is at the origin
    const Camera camera{{0, 1.2, 3}, {0, 0.3, 0}, {0, 1, 0}, 0.8};
    int soft[2] = {0, 0};
    for (const double size : {0.01, 0.2}) {
        settings.sun_size = size;
        const Picture p = draw(s, settings, camera);
        // where the origin is in the picture
        const CameraAxes a = camera_axes(camera);
        const Vec3 d = -vec(camera.eye);
        const double z = d.dot(vec(a.forward)), t = std::tan(0.4) * z;
        const int x = int((d.dot(vec(a.right)) / (t * 320 / 180) + 1) * 160),
                  y = int((1 - d.dot(vec(a.up)) / t) * 90);
        EXPECT_LT(brightness(p, x, y), 0.75 * brightness(p, x + 100, y)) << size;
        EXPECT_NEAR(brightness(p, x + 100, y), brightness(p, x - 100, y), 8) << "lit on both sides";
        int low = 999, high = 0;
        for (int i = 0; i < 320; ++i)
            low = std::min(low, brightness(p, i, y)), high = std::max(high, brightness(p, i, y));
        for (int i = 0; i < 320; ++i) {
            const double part = double(brightness(p, i, y) - low) / (high - low);
            soft[size > 0.1] += part > 0.2 && part < 0.8;
        }
    }
    EXPECT_GT(soft[1], 2 * soft[0]);
}

TEST(render, pixels_are_the_same_for_any_thread_count) {
    const SampleScene s = mixed_scene();
    const Picture first = try_render(s, small_settings(), {}, 1).value->picture;
    for (const int threads : {2, 3, 8}) {
        const auto r = try_render(s, small_settings(), {}, threads);
        ASSERT_TRUE(r);
        EXPECT_EQ(r.value->picture.rgba, first.rgba) << threads;
    }
    // and for pieces of work done in any order
    Context backwards;
    backwards.parallel_for = [](int count, const std::function<void(int)>& task) {
        for (int i = count - 1; i >= 0; --i) task(i);
    };
    const auto parallel = make_parallel(backwards);
    FilmView view;
    add_to_view(s.layout, s.snapshot, small_settings(), view);
    finish_view(s.layout, s.snapshot, small_settings(), {}, view);
    const auto r = render_frame(*parallel, *make_painter(s.layout, small_settings()).value, s.snapshot, view);
    EXPECT_EQ(r.value->picture.rgba, first.rgba);
}

// bands of rows are an implementation detail: a picture of one band must be the upper part of a taller one's
// geometry
TEST(render, borders_between_bands_do_not_show) {
    SampleScene s;
    add_object(s, "ball", ball_object(1), {0, 1, 0});
    RenderSettings settings = small_settings(64, 300); // bands end at rows 128 and 256
    settings.ground = "none";
    const Picture p = draw(s, settings, Camera{{0, 1, 3}, {0, 1, 0}, {0, 1, 0}, 1.2});
    for (int y = 100; y < 200; ++y)
        for (int k = 0; k < 3; ++k) EXPECT_LE(std::abs(at(p, 32, y)[k] - at(p, 32, y - 1)[k]), 8) << y;
}

TEST(render, an_empty_scene_gives_sky_and_ground) {
    const Picture p = draw({}, small_settings());
    ASSERT_EQ(p.rgba.size(), 4u * 320 * 180);
    EXPECT_NE(brightness(p, 160, 2), brightness(p, 160, 170));
    for (std::size_t i = 3; i < p.rgba.size(); i += 4) ASSERT_EQ(p.rgba[i], 255);
}

TEST(render, positions_that_are_not_finite_are_left_out_with_a_warning) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    SampleScene whole = mixed_scene(), broken = whole;
    auto& cloth = broken.snapshot.objects[2].position;
    cloth[17] = {nan, 0, 0};
    cloth[30].y = inf;
    broken.snapshot.objects[3].position[5].z = -inf;
    broken.snapshot.objects[0].pose.position.x = nan;
    broken.snapshot.objects[4].position[9] = {1e200, 0, 0};
    const auto r = try_render(broken, small_settings(), Camera{{3, 2, 3}, {0, 0.5, 0}});
    ASSERT_TRUE(r);
    ASSERT_EQ(r.value->warnings.size(), 4u);
    EXPECT_NE(r.value->warnings[0].find("box: 8 points"), std::string::npos) << r.value->warnings[0];
    EXPECT_NE(r.value->warnings[1].find("cloth: 2 points"), std::string::npos) << r.value->warnings[1];
    EXPECT_NE(r.value->warnings[1].find("first is 17"), std::string::npos) << r.value->warnings[1];
    EXPECT_TRUE(try_render(whole, small_settings()).value->warnings.empty());
}

TEST(render, dead_particles_are_not_drawn) {
    SampleScene s, without;
    SnapshotObject o = ball_object(0.2);
    o.rest.resize(2);
    o.point_count = 2;
    add_object(s, "spray", o);
    add_object(without, "spray", o);
    s.snapshot.objects[0].position = {{0, 0, 0}, {1, 0, 0}};
    s.snapshot.objects[0].alive = {1, 0};
    without.snapshot.objects[0].position = {{0, 0, 0}, {1e9, 0, 0}};
    without.snapshot.objects[0].alive = {1, 1};
    const Camera camera{{0.5, 1, 4}, {0.5, 0, 0}};
    RenderSettings settings = small_settings();
    settings.ground = "none";
    const auto parallel = make_parallel({});
    FilmView view;
    view.camera = camera;
    view.bounds = {{0, 0, 0}, {1, 0, 0}};
    const auto a = render_frame(*parallel, *make_painter(s.layout, settings).value, s.snapshot, view);
    const auto b = render_frame(*parallel, *make_painter(s.layout, settings).value, without.snapshot, view);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a.value->picture.rgba, b.value->picture.rgba);
    s.snapshot.objects[0].alive = {1, 1};
    const auto both = render_frame(*parallel, *make_painter(s.layout, settings).value, s.snapshot, view);
    EXPECT_NE(both.value->picture.rgba, a.value->picture.rgba);
    EXPECT_TRUE(a.value->warnings.empty());
}

TEST(render, faces_and_segments_of_dead_vertices_are_not_drawn) {
    SampleScene s;
    add_object(s, "cloth", cloth_object(3));
    s.snapshot.objects[0].alive.assign(9, 1);
    s.snapshot.objects[0].alive[4] = 0; // the middle: every face has it
    RenderSettings settings = small_settings(64, 36);
    const Camera camera{{0, 2, 2}, {0, 0, 0}};
    const Picture p = draw(s, settings, camera);
    SampleScene nothing = s;
    nothing.snapshot.objects[0].alive.assign(9, 0);
    // the scene's size and with it the grid depend on the bounds, so compare with the same bounds
    FilmView view;
    view.camera = camera;
    view.bounds = {{-0.5, 0, -0.5}, {0.5, 0, 0.5}};
    const auto parallel = make_parallel({});
    const auto painter = make_painter(s.layout, settings);
    EXPECT_EQ(render_frame(*parallel, *painter.value, s.snapshot, view).value->picture.rgba,
              render_frame(*parallel, *painter.value, nothing.snapshot, view).value->picture.rgba);
}

TEST(render, a_field_colours_its_object_and_greys_the_others) {
    SampleScene s;
    SnapshotObject o = ball_object(0.5);
    o.rest = {{-0.6, 0, 0}, {0.6, 0, 0}};
    o.point_count = 2;
    add_object(s, "balls", o);
    add_object(s, "box", box_object(0.4), {2, 0, 0});
    s.snapshot.objects[0].fields = {{"velocity", 3, {0, 0, 0, 0, 3, 4}}};
    RenderSettings settings = small_settings();
    settings.color_by = "speed"; // is not there: taken from the velocity
    settings.legend = false;
    settings.ground = "none";
    const Camera camera{{0.7, 1, 5}, {0.7, 0, 0}};
    const Picture p = draw(s, settings, camera);
    const auto pixel = [&](double wx) {
        return at(p, int(160 + wx / (5.1 * std::tan(camera.fov / 2)) * 90), 90);
    };
    const auto *slow = pixel(-1.3), *fast = pixel(-0.1), *box = pixel(1.3);
    // viridis: purple (68, 1, 84) to yellow (253, 231, 37)
    EXPECT_GT(slow[2], slow[1] + 20);
    EXPECT_GT(fast[0], fast[2] + 80);
    EXPECT_GT(fast[1], fast[2] + 80);
    EXPECT_LT(std::abs(box[0] - box[2]), 25);
}

TEST(render, the_legend_shows_both_ends_of_the_colours) {
    SampleScene s;
    add_object(s, "ball", ball_object(0.5));
    s.snapshot.objects[0].fields = {{"age", 1, {2}}};
    RenderSettings settings = small_settings(640, 360);
    settings.color_by = "age";
    settings.color_range = {0, 4};
    const Picture p = draw(s, settings);
    bool low = false, high = false;
    for (int y = 0; y < p.height; ++y)
        for (int x = 500; x < p.width; ++x) {
            const std::uint8_t* c = at(p, x, y);
            // the bar's first and last rows are within a hundredth of the ends: 3 of 255
            low |= std::abs(c[0] - 68) <= 3 && std::abs(c[1] - 1) <= 3 && std::abs(c[2] - 84) <= 3;
            high |= std::abs(c[0] - 253) <= 3 && std::abs(c[1] - 231) <= 3 && std::abs(c[2] - 37) <= 3;
        }
    EXPECT_TRUE(low && high);
    settings.legend = false;
    EXPECT_NE(draw(s, settings).rgba, p.rgba);
}

TEST(render, values_that_are_not_finite_are_grey_with_a_warning) {
    SampleScene s;
    add_object(s, "ball", ball_object(0.5));
    s.snapshot.objects[0].fields = {{"age", 1, {std::nan("")}}};
    RenderSettings settings = small_settings(64, 36);
    settings.color_by = "age";
    const auto r = try_render(s, settings);
    ASSERT_TRUE(r);
    ASSERT_EQ(r.value->warnings.size(), 1u);
    EXPECT_NE(r.value->warnings[0].find("age"), std::string::npos);
}

TEST(render, the_back_of_a_sheet_has_another_colour_and_a_box_has_none) {
    SampleScene s;
    add_object(s, "cloth", cloth_object(4));
    RenderSettings settings = small_settings(64, 64);
    settings.ground = "none";
    settings.sun_light = 0; // the sky alone: same light on both sides up to its gradient
    const Picture top = draw(s, settings, Camera{{0, 2, 0.01}, {0, 0, 0}, {0, 0, -1}});
    const Picture below = draw(s, settings, Camera{{0, -2, 0.01}, {0, 0, 0}, {0, 0, -1}});
    const auto saturation = [](const std::uint8_t* c) {
        return 1 - double(std::min({c[0], c[1], c[2]})) / c[0];
    };
    EXPECT_GT(saturation(at(top, 32, 32)), saturation(at(below, 32, 32)) + 0.05);
}

TEST(render, frame_and_time_are_written_when_asked) {
    SampleScene s = mixed_scene();
    RenderSettings settings = small_settings();
    const Picture plain = draw(s, settings);
    settings.show_time = true;
    settings.caption = "caption";
    const Picture written = draw(s, settings);
    bool top = false, bottom = false, middle = false;
    for (int y = 0; y < 180; ++y)
        for (int x = 0; x < 320; ++x) {
            const bool differs = std::memcmp(at(plain, x, y), at(written, x, y), 4) != 0;
            (y < 40 ? top : y > 140 ? bottom : middle) |= differs;
        }
    EXPECT_TRUE(top);
    EXPECT_TRUE(bottom);
    EXPECT_FALSE(middle);
}

TEST(render, thin_things_stay_visible_from_afar) {
    SampleScene s;
    SnapshotObject rope;
    rope.kind = "rope";
    rope.radius = 1e-5;
    rope.point_count = 2;
    rope.rest = {{-1, 0, 0}, {1, 0, 0}};
    rope.segments = {{0, 1}};
    rope.color = {0.3, 0, 0};
    add_object(s, "rope", rope);
    RenderSettings settings = small_settings();
    settings.ground = "none";
    const Camera camera{{0, 0, 20}, {0, 0, 0}, {0, 1, 0}, 0.2};
    const Picture with = draw(s, settings, camera);
    settings.thinnest = 0;
    const Picture thin = draw(s, settings, camera), none = draw({}, settings, camera);
    // a line one pixel thick covers more than a third of the pixels it runs through
    EXPECT_LT(brightness(with, 160, 90) + brightness(with, 160, 89), 0.8 * 2 * brightness(none, 160, 90));
    EXPECT_GT(brightness(thin, 160, 90) + brightness(thin, 160, 89), 0.97 * 2 * brightness(none, 160, 90));
}

TEST(render, nonsense_is_refused_with_the_objects_name) {
    SampleScene s = mixed_scene();
    RenderSettings settings = small_settings();
    settings.samples = 0;
    auto r = try_render(s, settings);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.errors[0].path, "samples");
    s.layout.objects[2].polygon_vertex[7] = 123456;
    r = try_render(s, small_settings());
    ASSERT_FALSE(r);
    EXPECT_NE(r.errors[0].path.find("cloth"), std::string::npos);
    s = mixed_scene();
    s.snapshot.objects[2].position.pop_back();
    r = try_render(s, small_settings());
    ASSERT_FALSE(r);
    EXPECT_NE(r.errors[0].path.find("cloth"), std::string::npos);
    s.snapshot.objects.pop_back();
    EXPECT_FALSE(try_render(s, small_settings()));
}

TEST(render, a_camera_that_is_nowhere_is_refused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const SampleScene s = mixed_scene();
    const std::pair<Camera, const char*> cases[] = {
        {Camera{{nan, 0, 0}}, "camera.eye"},
        {Camera{{0, 0, 0}, {0, 1e30, 0}}, "camera.look_at"},
        {Camera{{0, 0, 0}, {1, 0, 0}, {nan, 0, 0}}, "camera.up"},
        {Camera{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 0}, "camera.fov"}};
    for (const auto& [camera, path] : cases) {
        const auto r = try_render(s, small_settings(), camera);
        ASSERT_FALSE(r) << path;
        EXPECT_EQ(r.errors[0].path, path);
    }
    // inside a body, or looking nowhere in particular: a picture, whatever it shows
    EXPECT_TRUE(try_render(s, small_settings(32, 18), Camera{{0, 0.3, 0}, {0, 0.3, 0}}));
    EXPECT_TRUE(try_render(s, small_settings(32, 18), Camera{{0, 5, 0}, {0, 0, 0}, {0, 1, 0}}));
}

TEST(render, a_scene_far_from_the_origin_looks_the_same) {
    SampleScene near = mixed_scene(), far = near;
    const Vec3 shift(1048576, 0, -2097152); // exact in the sums below
    for (auto& o : far.snapshot.objects) {
        o.pose.position = real3(vec(o.pose.position) + shift);
        for (Real3& p : o.position) p = real3(vec(p) + shift);
    }
    RenderSettings settings = small_settings();
    const Picture a = draw(near, settings), b = draw(far, settings);
    // positions lose 1e-10 m in double precision; a few samples at edges and shadow borders fall differently
    int differ = 0;
    for (std::size_t i = 0; i < a.rgba.size(); ++i) differ += std::abs(a.rgba[i] - b.rgba[i]) > 24;
    EXPECT_LT(differ, int(a.rgba.size() / 1000));
}

TEST(render, up_may_be_z) {
    SampleScene y = mixed_scene(), z = y;
    // (x, y, z) -> (z, x, y): a rotation that takes the y axis to the z axis; the fitted camera turns with it
    const auto turn = [](const Real3& p) { return Real3{p.z, p.x, p.y}; };
    Mat3 m;
    m << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    for (auto& o : z.snapshot.objects) {
        o.pose.position = turn(o.pose.position);
        o.pose.rotation = real4(Quat(m) * quat(o.pose.rotation));
        for (Real3& p : o.position) p = turn(p);
    }
    RenderSettings settings = small_settings();
    settings.ground = "plain";
    const Picture a = draw(y, settings);
    settings.up = {0, 0, 1};
    const Picture b = draw(z, settings);
    int differ = 0;
    for (std::size_t i = 0; i < a.rgba.size(); ++i) differ += std::abs(a.rgba[i] - b.rgba[i]) > 24;
    EXPECT_LT(differ, int(a.rgba.size() / 500));
}

#else

TEST(render, a_build_without_embree_says_so) {
    const auto r = make_painter({}, {});
    ASSERT_FALSE(r);
    EXPECT_NE(r.errors[0].message.find("Embree"), std::string::npos);
    EXPECT_FALSE(can_trace());
}

#endif

} // namespace
} // namespace sinew
