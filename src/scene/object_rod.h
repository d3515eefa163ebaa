// Parameters of the kind `rod`: discrete elastic rods (energy/rod_bend_twist.h).
#pragma once
#include "scene/deformable.h"

namespace sinew {

struct Rod {
    static constexpr std::string_view name = "rod", body = "elastic rods";
    static constexpr std::string_view doc = "elastic rod that stretches, bends and twists, along points, a line, a helix or a circle";
    struct Params {
        DeformableParams common;
        std::string curve = "line";
        std::vector<Real3> positions;
        Real3 from{0, 0, 0}, to{1, 0, 0};
        Real size = 0.1, pitch = 0.02, turns = 5;
        int count = 20;
        Real radius = 0.002, radius2 = 0;
        Real young = 1e7, shear = 0, density = 1000, viscosity = 0;
        std::string natural = "shape";
        Real curvature1 = 0, curvature2 = 0, natural_twist = 0;
        Real twist = 0, twist_rate = 0;
        Real3 director{0, 0, 0};
        std::string clamp = "none";
        Value maps;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("curve", p.curve, Field{.allowed = {"line", "points", "helix", "circle"}, .doc = "shape at the start; points: see positions, and the default where they are given"});
        v("positions", p.positions, Field{.unit = "m", .doc = "of curve points, one per point, at least three"});
        v("from", p.from, Field{.unit = "m", .doc = "first point of a line"});
        v("to", p.to, Field{.unit = "m", .doc = "last point of a line"});
        v("size", p.size, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "radius of a helix or circle, about the y axis"});
        v("pitch", p.pitch, Field{.unit = "m", .doc = "rise of a helix per turn, along y; negative = left-handed"});
        v("turns", p.turns, Field{.min = 0, .min_exclusive = true, .doc = "of a helix"});
        v("count", p.count, Field{.min = 2, .max = 1000000, .doc = "edges; of a circle at least 3"});
        v("radius", p.radius, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "half axis of the cross-section along the first director"});
        v("radius2", p.radius2, Field{.min = 0, .unit = "m", .doc = "half axis along the second director; default: a circle"});
        v("young", p.young, Field{.min = 0, .min_exclusive = true, .unit = "Pa", .doc = "Young's modulus"});
        v("shear", p.shear, Field{.min = 0, .unit = "Pa", .doc = "shear modulus; default: a third of young (Poisson's ratio 1/2)"});
        v("density", p.density, Field{.min = 0, .min_exclusive = true, .unit = "kg/m^3", .doc = "mass per volume"});
        v("viscosity", p.viscosity, Field{.min = 0, .unit = "Pa s", .doc = "of the material: damps stretching, bending and twisting"});
        v("natural", p.natural, Field{.allowed = {"shape", "straight", "curved"},
                                      .doc = "without forces: the shape at the start, straight, or curvature1, curvature2, natural_twist"});
        v("curvature1", p.curvature1, Field{.unit = "1/m", .doc = "natural curvature towards the first director (natural: curved)"});
        v("curvature2", p.curvature2, Field{.unit = "1/m", .doc = "natural curvature towards the second director (natural: curved)"});
        v("natural_twist", p.natural_twist, Field{.unit = "1/m", .doc = "natural twist in radians per length (natural: curved)"});
        v("twist", p.twist, Field{.unit = "rad", .doc = "angle of the last edge against the first at the start, spread evenly"});
        v("twist_rate", p.twist_rate, Field{.unit = "rad/s", .doc = "at which the last edge is turned, where it is clamped"});
        v("director", p.director, Field{.doc = "first director of the first edge; default: any perpendicular to it"});
        v("clamp", p.clamp, Field{.allowed = {"none", "first", "last", "both"}, .doc = "ends whose edge is held with its angle, or follows the object's motion"});
        v("maps", p.maps, Field{.doc = "factors per point: { stiffness, density, radius }, each a list or an expression of x, y, z"});
        deformable_fields(p.common, v);
    }
    static void build(const Params&, BuildContext&);
};

} // namespace sinew
