// Parameters of the kind `height_field`: ground given by its height over a rectangle, solid below (geometry/height_field.h).
#pragma once
#include "scene/object.h"
#include "scene/touch.h"

namespace sinew {

struct HeightField {
    static constexpr std::string_view name = "height_field", body = "rigid bodies";
    static constexpr std::string_view doc = "ground by its height over a rectangle, solid below; held, or moved by its motion";
    struct Params {
        std::array<double, 2> size{10, 10};
        Value heights, height, file;
        std::array<int, 2> nodes{0, 0};
        Real low = 0, high = 1;
        Value material;
        Real friction = -1;
        Real stiffness = 1e4, damping = 0;
        Real3 color{-1, -1, -1};
        bool contact = true;
        Real thickness = 0;
        TouchParams touch;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("size", p.size, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the rectangle along x and z, its middle at the object's place"});
        v("heights", p.heights, Field{.doc = "rows of heights along x [m], the first row at the smallest z: [[0, 0.1, ...], ...]; or height, or file"});
        v("height", p.height, Field{.doc = "expression of x and z [m] in the object's axes, from the middle: \"0.2*sin(3*x)*cos(2*z)\""});
        v("file", p.file, Field{.doc = "PGM picture, 8 or 16 bits, or text with rows of numbers [m]; first row at the smallest z"});
        v("nodes", p.nodes, Field{.min = 0, .max = 8193, .doc = "along x and z, of a height by expression; default: 65 along the longer side"});
        v("low", p.low, Field{.unit = "m", .doc = "height of black in a picture"});
        v("high", p.high, Field{.unit = "m", .doc = "height of white in a picture"});
        v("material", p.material, Field{.doc = "name of a material or preset, or inline: its friction"});
        v("friction", p.friction, Field{.min = 0, .doc = "coefficient; a pair takes the geometric mean; default of the material"});
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "of the penalty per touching vertex"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of the penalty while approaching"});
        v("color", p.color, Field{.min = 0, .max = 1, .doc = "linear RGB of pictures"});
        v("contact", p.contact, Field{.doc = "whether others touch it"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "kept above the surface"});
        touch_fields(p.touch, v);
    }
    static void build(const Params&, BuildContext&);
};

} // namespace sinew
