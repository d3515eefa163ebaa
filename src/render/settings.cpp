#include "render/settings.h"
#include <algorithm>
#include <cmath>

namespace sinew {

static const std::vector<std::string_view> kGroundNames = {"grid", "checker", "plain",
                                                           "none"};                     // as GroundStyle
static const std::vector<std::string_view> kMapNames = {"viridis", "coolwarm", "gray"}; // as ColorMap

static void list_picture(RenderSettings& s, const FieldCollector& v) {
    v("width", s.width, Field{.min = 1, .max = 16384, .doc = "pixels across"});
    v("height", s.height, Field{.min = 1, .max = 16384, .doc = "pixels down"});
    v("samples", s.samples,
      Field{.min = 1, .max = 1024, .doc = "rays per pixel at edges and shadow borders; elsewhere a quarter"});
    v("exposure", s.exposure,
      Field{.min = 0, .max = 1e6, .min_exclusive = true, .doc = "factor on all light"});
    v("thinnest", s.thinnest,
      Field{.min = 0, .max = 100, .doc = "least diameter of drawn points and segments, in pixels"});
    v("azimuth", s.azimuth,
      Field{.unit = "rad",
            .doc = "of the eye around up, for a camera fitted to the scene; 0 looks along -z"});
    v("elevation", s.elevation,
      Field{.min = -1.5, .max = 1.5, .unit = "rad", .doc = "of the eye above the horizon, likewise"});
    v("fov", s.fov, Field{.min = 1e-3, .max = 3, .unit = "rad", .doc = "vertical opening angle, likewise"});
}

static void list_surroundings(RenderSettings& s, const FieldCollector& v) {
    v("up", s.up, Field{.doc = "direction against gravity, any length"});
    v("ground", s.ground, Field{.allowed = kGroundNames, .doc = "pattern of the ground"});
    v("ground_color", s.ground_color, Field{.min = 0, .max = 1, .doc = "linear RGB"});
    v("ground_spacing", s.ground_spacing,
      Field{.min = 0, .unit = "m", .doc = "between grid lines; 0 = a round number that suits the scene"});
    v("sky_top", s.sky_top, Field{.min = 0, .doc = "linear RGB of the background overhead"});
    v("sky_horizon", s.sky_horizon, Field{.min = 0, .doc = "linear RGB of the background at the horizon"});
    v("sun_azimuth", s.sun_azimuth, Field{.unit = "rad", .doc = "around up, counted as azimuth"});
    v("sun_elevation", s.sun_elevation,
      Field{.min = 0.05, .max = 1.571, .unit = "rad", .doc = "above the horizon"});
    v("sun_size", s.sun_size,
      Field{.min = 0, .max = 0.5, .unit = "rad", .doc = "angular radius: the softness of shadows"});
    v("sun_light", s.sun_light, Field{.min = 0, .doc = "what the sun adds to a white surface facing it"});
    v("sky_light", s.sky_light, Field{.min = 0, .doc = "what an open sky adds to a white surface"});
}

static void list_bodies(RenderSettings& s, const FieldCollector& v) {
    v("crease", s.crease,
      Field{.min = 0,
            .max = 3.15,
            .unit = "rad",
            .doc = "angle between faces at rest above which an edge is sharp"});
    v("color_by", s.color_by,
      Field{.doc = "field shown by colour, vectors by their length; speed also from velocity; empty = none"});
    v("color_range", s.color_range,
      Field{.doc = "values at the ends of the colours; equal = those of the film"});
    v("color_map", s.color_map, Field{.allowed = kMapNames, .doc = "colours of the field"});
    v("legend", s.legend, Field{.doc = "colour bar when color_by is set"});
    v("legend_title", s.legend_title, Field{.doc = "above the bar; empty = the field's name"});
    v("show_time", s.show_time, Field{.doc = "frame and time in the upper left corner"});
    v("caption", s.caption, Field{.doc = "text in the lower left corner"});
}

FieldList render_fields(RenderSettings& s) {
    return collect_fields([&](const FieldCollector& v) {
        list_picture(s, v);
        list_surroundings(s, v);
        list_bodies(s, v);
    });
}

static bool is_inside(double x, const Field& f) {
    if (!std::isfinite(x)) return false;
    if (f.min && (x < *f.min || (f.min_exclusive && x == *f.min))) return false;
    return !(f.max && (x > *f.max || (f.max_exclusive && x == *f.max)));
}

std::vector<Error> check_settings(const RenderSettings& settings) {
    RenderSettings s = settings;
    std::vector<Error> errors;
    const auto refuse = [&](const FieldRef& f, std::string value) {
        Error e;
        e.path = std::string(f.name);
        e.value = std::move(value);
        e.message = "not allowed here";
        e.allowed = describe_range(f.info);
        errors.push_back(std::move(e));
    };
    for (const FieldRef& f : render_fields(s).fields) {
        std::vector<double> numbers;
        if (f.type == FieldType::real) numbers = {*static_cast<double*>(f.member)};
        if (f.type == FieldType::integer) numbers = {double(*static_cast<int*>(f.member))};
        if (f.type == FieldType::real3)
            for (int k = 0; k < 3; ++k) numbers.push_back((*static_cast<Real3*>(f.member))[k]);
        if (f.type == FieldType::real2)
            for (const double x : *static_cast<std::array<double, 2>*>(f.member)) numbers.push_back(x);
        for (const double x : numbers)
            if (!is_inside(x, f.info)) refuse(f, std::to_string(x));
        if (f.type != FieldType::text || f.info.allowed.empty()) continue;
        const std::string& word = *static_cast<std::string*>(f.member);
        if (std::find(f.info.allowed.begin(), f.info.allowed.end(), word) == f.info.allowed.end())
            refuse(f, word);
    }
    return errors;
}

static int find_word(const std::vector<std::string_view>& words, const std::string& word) {
    const auto at = std::find(words.begin(), words.end(), word);
    return at == words.end() ? 0 : int(at - words.begin());
}
GroundStyle ground_style(const RenderSettings& s) { return GroundStyle(find_word(kGroundNames, s.ground)); }
ColorMap color_map(const RenderSettings& s) { return ColorMap(find_word(kMapNames, s.color_map)); }

} // namespace sinew
