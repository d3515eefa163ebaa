// The kinds of objects of this version: parameters of each. Their `build` is in object_*.cpp, their rows in list.cpp.
#pragma once
#include "scene/deformable.h"
#include "scene/shell.h"

namespace sinew {

struct ClothGrid {
    static constexpr std::string_view name = "cloth_grid", body = "cloth of links";
    static constexpr std::string_view doc = "rectangular sheet: masses and links, or a shell of triangles and hinges";
    struct Params {
        DeformableParams common;
        SheetParams sheet;
        std::array<double, 2> size{1, 1};
        Real edge = 0;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("size", p.size, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "width along x and depth along z"});
        v("edge", p.edge, Field{.min = 0, .unit = "m", .doc = "length of a cell; default: a fortieth of the longer side"});
        sheet_fields(p.sheet, v);
        deformable_fields(p.common, v);
    }
    static void build(const Params&, BuildContext&);
};

struct ClothMesh {
    static constexpr std::string_view name = "cloth", body = "cloth of links";
    static constexpr std::string_view doc = "sheet from a mesh file: masses and links, or a shell of triangles and hinges";
    struct Params {
        DeformableParams common;
        SheetParams sheet;
        Value mesh, start, pressure;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("mesh", p.mesh, Field{.required = true, .doc = "file name, { file, unit, up }, or { shape: ball, blobs or lathe, ... }: the shape at rest"});
        v("start", p.start, Field{.doc = "mesh with the same vertices where the sheet is at the start; default: at rest"});
        v("pressure", p.pressure, Field{.doc = "of a closed sheet: inside less outside [Pa], { pressure, gas, outside }, or { bulk, fill }: a liquid that keeps "
                                               "its volume"});
        sheet_fields(p.sheet, v);
        deformable_fields(p.common, v);
    }
    static void build(const Params&, BuildContext&);
};

struct LineParams {
    DeformableParams common;
    Real3 from{0, 0, 0}, to{1, 0, 0};
    int count = 10;
    Real mass = 0;
    Real end_mass = 0;
    Real radius = 0.01;
    Real bend = 0;
    Value strain_limit;
};
template <class V> void line_fields(LineParams& p, V&& v) {
    v("from", p.from, Field{.unit = "m", .doc = "first point"});
    v("to", p.to, Field{.unit = "m", .doc = "last point"});
    v("count", p.count, Field{.min = 1, .max = 1000000, .doc = "links"});
    v("mass", p.mass, Field{.min = 0, .unit = "kg", .doc = "of all points but the first, in equal parts; the first has one such part more, "
                                                           "felt where it is free; default: line density of the material times length"});
    v("end_mass", p.end_mass, Field{.min = 0, .unit = "kg", .doc = "added to the last point"});
    v("radius", p.radius, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "drawn, and kept from obstacles"});
    v("strain_limit", p.strain_limit, Field{.doc = "largest stretch of links, or { stretch, compression, compliance }"});
    deformable_fields(p.common, v);
}
struct Chain {
    static constexpr std::string_view name = "chain", body = "chains and ropes of links";
    static constexpr std::string_view doc = "points in a row, joined by links";
    using Params = LineParams;
    template <class V> static void fields(Params& p, V&& v) { line_fields(p, v); }
    static void build(const Params&, BuildContext&);
};
struct Rope {
    static constexpr std::string_view name = "rope", body = "chains and ropes of links";
    static constexpr std::string_view doc = "a chain with links over two segments, which resist bending";
    using Params = LineParams;
    template <class V> static void fields(Params& p, V&& v) {
        line_fields(p, v);
        v("bend", p.bend, Field{.min = 0, .unit = "N", .doc = "stiffness of the bend links; default: a tenth of the rod's 100 N"});
    }
    static void build(const Params&, BuildContext&);
};

// Where particles are or are born, and what they are.
struct ParticleParams {
    DeformableParams common;
    std::string shape = "box";
    Real3 size{1, 1, 1};
    Real spacing = 0.1;
    Value mesh;
    Real mass = 1;
    Real radius = 0.01;
    bool passive = false;
    std::string field;
    int seed = 1;
};
template <class V> void particle_place_fields(ParticleParams& p, V&& v, std::string_view shape_doc, std::string_view mesh_doc) {
    v("shape", p.shape, Field{.allowed = {"box", "sphere", "grid", "mesh"}, .doc = shape_doc});
    v("size", p.size, Field{.min = 0, .unit = "m", .doc = "edges of the box or grid; radius of the sphere in x"});
    v("spacing", p.spacing, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the grid"});
    v("mesh", p.mesh, Field{.doc = mesh_doc});
}
template <class V> void particle_fields(ParticleParams& p, V&& v, std::string_view seed_doc) {
    v("mass", p.mass, Field{.min = 0, .min_exclusive = true, .unit = "kg", .doc = "of each particle"});
    v("radius", p.radius, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "drawn, and kept from obstacles"});
    v("passive", p.passive, Field{.doc = "massless, carried by a velocity field"});
    v("field", p.field, Field{.doc = "field that carries passive particles; default: the first one"});
    v("seed", p.seed, Field{.min = 0, .doc = seed_doc});
    deformable_fields(p.common, v);
}

struct Particles {
    static constexpr std::string_view name = "particles", body = "particles";
    static constexpr std::string_view doc = "points by a list, or filling a box, a sphere, a grid or a mesh's vertices";
    struct Params : ParticleParams {
        std::vector<Real3> positions, velocities;
        std::vector<double> masses;
        int count = 0;
        Value links, anchors, attributes;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("positions", p.positions, Field{.unit = "m", .doc = "one per particle, instead of a shape"});
        v("velocities", p.velocities, Field{.unit = "m/s", .doc = "one per particle, added to the object's velocity"});
        v("masses", p.masses, Field{.min = 0, .min_exclusive = true, .unit = "kg", .doc = "one per particle, instead of mass"});
        v("count", p.count, Field{.min = 0, .max = 5e7, .doc = "particles of a box or sphere"});
        particle_place_fields(p, v, "where particles are", "shape mesh: one particle per vertex");
        v("links", p.links, Field{.doc = "pairs of particles joined by the material's rod: [[0, 1], ...]"});
        v("anchors", p.anchors, Field{.doc = "soft pins: [{ point, to, stiffness, damping, length }, ...]"});
        v("attributes", p.attributes, Field{.doc = "named numbers per particle: a list of numbers or of vectors, or an expression of index"});
        particle_fields(p, v, "of random places");
    }
    static void build(const Params&, BuildContext&);
};

struct EmitterKind {
    static constexpr std::string_view name = "emitter", body = "particles";
    static constexpr std::string_view doc = "particles born at a rate, with a lifetime, where the emitter is then: by its motion, or with its parent";
    struct Params : ParticleParams {
        Params() { size = {0.1, 0.1, 0.1}, mass = 0.01; }
        Real rate = 100;
        Real lifetime = 0;
        int capacity = 0;
        int initial = 0;
        Real3 speed{0, 0, 0};
        Real spread = 0;
        Real inherit_velocity = 1;
        Real from = 0, until = 1e300;
        Value attributes;
    };
    template <class V> static void fields(Params& p, V&& v) {
        particle_place_fields(p, v, "where particles are born", "shape mesh: born at its vertices in turn");
        v("rate", p.rate, Field{.min = 0, .unit = "1/s", .doc = "births per second"});
        v("lifetime", p.lifetime, Field{.min = 0, .unit = "s", .doc = "0 = for ever"});
        v("capacity", p.capacity, Field{.min = 0, .max = 5e7, .doc = "most particles alive; default: rate times the shorter of "
                                                                       "lifetime and duration, plus initial"});
        v("initial", p.initial, Field{.min = 0, .doc = "particles at the start"});
        v("speed", p.speed, Field{.unit = "m/s", .doc = "velocity of the newly born in the emitter's axes, added to the object's velocity"});
        v("spread", p.spread, Field{.min = 0, .unit = "m/s", .doc = "random part of it"});
        v("inherit_velocity", p.inherit_velocity, Field{.doc = "of an emitter that moves, by its motion or with its parent: part of its own velocity at "
                                                               "the place of birth, spin and all, that the newly born get besides"});
        v("from", p.from, Field{.min = 0, .unit = "s", .doc = "start"});
        v("until", p.until, Field{.unit = "s", .doc = "end"});
        v("attributes", p.attributes, Field{.doc = "named numbers per particle of the pool: a list, or an expression of index, the place in the pool"});
        particle_fields(p, v, "of random places and velocities");
    }
    static void build(const Params&, BuildContext&);
};

struct SinkKind {
    static constexpr std::string_view name = "sink", body = "particles";
    static constexpr std::string_view doc = "region in which emitted particles disappear; one that moves takes all that it passes over";
    struct Params {
        std::string shape = "box";
        Real3 size{1, 1, 1};
        bool outside = false;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("shape", p.shape, Field{.allowed = {"box", "sphere"}, .doc = "of the region"});
        v("size", p.size, Field{.min = 0, .unit = "m", .doc = "edges of the box along its axes; radius in x"});
        v("outside", p.outside, Field{.doc = "particles outside the region disappear instead"});
    }
    static void build(const Params&, BuildContext&);
};

struct Solid {
    static constexpr std::string_view name = "solid", body = "solids of tetrahedra";
    static constexpr std::string_view doc = "elastic solid of tetrahedra: a box, a hollow ball, from a mesh file, or given as arrays";
    struct Params {
        DeformableParams common;
        std::string shape = "box", split = "five";
        Real3 size{1, 1, 1};
        std::vector<int> cells;
        Real radius = 0.5, wall = 0.05;
        int levels = 3, layers = 1;
        Real cell = 0, offset = 0;
        std::vector<Real3> points;
        Value mesh, tets, pressure, skin, maps;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("shape", p.shape, Field{.allowed = {"box", "shell"}, .doc = "box, or hollow ball"});
        v("size", p.size, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the box along x, y, z"});
        v("cells", p.cells, Field{.min = 1, .max = 100000, .least_count = 3, .most_count = 3,
                                  .doc = "of the box along x, y, z; default: ten along the longest side"});
        v("split", p.split, Field{.allowed = {"five", "six"}, .doc = "tetrahedra per cell: five alternating, or six alike"});
        v("radius", p.radius, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "of the hollow ball, outside"});
        v("wall", p.wall, Field{.min = 0, .min_exclusive = true, .unit = "m", .doc = "thickness of the hollow ball"});
        v("levels", p.levels, Field{.min = 0, .max = 7, .doc = "refinements of the hollow ball: 10 4^levels + 2 points outside"});
        v("layers", p.layers, Field{.min = 1, .max = 100, .doc = "of tetrahedra through the wall"});
        v("mesh", p.mesh, Field{.doc = "instead of a shape: file name, or { file, unit, up }: tetrahedra of Gmsh (.msh) or TetGen "
                                       "(.node, .ele), or a closed surface that is filled; or { shape: ball, blobs or lathe, ... }, which is filled"});
        v("cell", p.cell, Field{.min = 0, .unit = "m", .doc = "of the lattice that fills a surface; default: a twentieth of its "
                                                               "longest side"});
        v("offset", p.offset, Field{.min = 0, .max = 1, .doc = "cells by which a filled surface grows first: at 0.56 no sheet or spike is thin "
                                                               "enough to be lost, and clefts narrower than that close"});
        v("skin", p.skin, Field{.doc = "surface mesh that follows the tetrahedra and is shown and exported in place of their boundary: "
                                       "file name, or { file, unit, up }; default: the surface that was filled, false = none"});
        v("points", p.points, Field{.unit = "m", .doc = "instead of a shape: points of the tetrahedra"});
        v("tets", p.tets, Field{.doc = "four indices into points each: [[0, 1, 2, 3], ...]"});
        v("pressure", p.pressure, Field{.doc = "inside less outside [Pa], { pressure, gas, outside }, or { bulk, fill }: a liquid that keeps its "
                                               "volume; in hollows, or, without any, in the whole body"});
        v("maps", p.maps, Field{.doc = "factors per point: { stiffness, density }, each a list, an expression of x, y, z, or an attribute of the surface "
                                       "that is filled"});
        deformable_fields(p.common, v);
    }
    static void build(const Params&, BuildContext&);
};

// Obstacle whose vertices are moved by files.
struct AnimatedMesh {
    static constexpr std::string_view name = "animated", body = "animated obstacles";
    static constexpr std::string_view doc = "mesh whose vertices are moved by files: PC2, MDD, recordings, mesh sequences";
    struct Params {
        Value animation, mesh, material;
        Real thickness = 0;
        Real friction = -1;
        Real stiffness = 1e4, damping = 0;
        Real3 color{-1, -1, -1};
        bool contact = true;
        TouchParams touch;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("animation", p.animation, Field{.required = true, .doc = "file name, or { file, object, fps, first_frame, unit, up, "
                                                                   "from, repeat }"});
        v("mesh", p.mesh, Field{.doc = "file name, or { file, unit, up }: the faces, where the animation has none"});
        v("material", p.material, Field{.doc = "name of a material or preset, or inline: its friction"});
        v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "of the surface"});
        v("friction", p.friction, Field{.min = 0, .doc = "coefficient; a pair takes the geometric mean; default of the material"});
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "of the penalty per touching vertex"});
        v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of the penalty while approaching"});
        v("color", p.color, Field{.min = 0, .max = 1, .doc = "linear RGB of pictures"});
        v("contact", p.contact, Field{.doc = "whether others touch it"});
        touch_fields(p.touch, v);
    }
    static void build(const Params&, BuildContext&);
};

// Rigid bodies and obstacles.
struct BodyParams {
    Real3 size{1, 1, 1};
    Real radius = 0.5;
    Real height = 1;
    Value material;
    Real density = 0, mass = 0;
    Real friction = -1;
    Real stiffness = 1e4, damping = 0;
    Real3 color{-1, -1, -1};
    bool gravity = true;
    bool contact = true;
    Real thickness = 0;
    TouchParams touch;
    Value mesh;
    std::string shape = "auto";
    int cells = 48;
    Real concavity = 0.02;
    int hulls = 64;
};
template <class V> void body_fields(BodyParams& p, V&& v) {
    v("material", p.material, Field{.doc = "name of a material or preset, or inline: its solid density and friction"});
    v("density", p.density, Field{.min = 0, .unit = "kg/m^3", .doc = "makes the body free to move, unless a motion holds "
                                                                       "it; default of the material"});
    v("mass", p.mass, Field{.min = 0, .unit = "kg", .doc = "instead of density; without effect where a motion holds the body"});
    v("friction", p.friction, Field{.min = 0, .doc = "coefficient; a pair takes the geometric mean; default of the material"});
    v("stiffness", p.stiffness, Field{.min = 0, .unit = "N/m", .doc = "of the penalty per touching vertex"});
    v("damping", p.damping, Field{.min = 0, .unit = "N s/m", .doc = "of the penalty while approaching"});
    v("color", p.color, Field{.min = 0, .max = 1, .doc = "linear RGB of pictures"});
    v("gravity", p.gravity, Field{.doc = "whether gravity acts on the free body"});
    v("contact", p.contact, Field{.doc = "whether others touch it"});
    v("thickness", p.thickness, Field{.min = 0, .unit = "m", .doc = "kept around the body"});
    touch_fields(p.touch, v);
}
enum class BodyShape { box, capsule, cone, cylinder, mesh, plane, sphere };
struct BodyWords {
    std::string_view name, doc;
};
constexpr BodyWords words_of(BodyShape s) {
    switch (s) {
    case BodyShape::box: return {"box", "rigid box"};
    case BodyShape::capsule: return {"capsule", "rigid cylinder with round ends, along y"};
    case BodyShape::cone: return {"cone", "rigid cone, apex up"};
    case BodyShape::cylinder: return {"cylinder", "rigid cylinder along y"};
    case BodyShape::mesh: return {"mesh", "rigid body from a mesh file; mass and inertia of the closed surface"};
    case BodyShape::plane: return {"plane", "infinite floor through its place, normal +y of its axes"};
    default: return {"sphere", "rigid ball"};
    }
}

// what the shape alone needs
template <class V> void body_shape_fields(BodyShape s, BodyParams& p, V&& v) {
    const Field length{.min = 0, .min_exclusive = true, .unit = "m"};
    const auto with_doc = [&](std::string_view doc) {
        Field f = length;
        f.doc = doc;
        return f;
    };
    if (s == BodyShape::box) v("size", p.size, with_doc("edges along x, y, z"));
    if (s == BodyShape::mesh) {
        v("mesh", p.mesh, Field{.required = true, .doc = "file name, { file, unit, up }, or { shape: ball, blobs or lathe, ... }"});
        v("shape", p.shape, Field{.allowed = {"auto", "decomposition", "hull", "mesh", "solid"},
                                  .doc = "what bodies touch: a few convex hulls that are close to it, one convex hull, its "
                                         "triangles, or its signed distance; auto: solid if it is free and closed, "
                                         "otherwise mesh"});
        v("cells", p.cells, Field{.min = 1, .max = 1024, .doc = "of the signed distance, along the longest side"});
        v("concavity", p.concavity, Field{.min = 0.001, .max = 1, .doc = "of the decomposition: how far its hulls may be from the "
                                                                          "solid, share of the bounding box diagonal"});
        v("hulls", p.hulls, Field{.min = 1, .max = 1024, .doc = "most hulls of the decomposition"});
    }
    if (s == BodyShape::capsule || s == BodyShape::cone || s == BodyShape::cylinder || s == BodyShape::sphere)
        v("radius", p.radius, with_doc("radius"));
    if (s == BodyShape::capsule) v("height", p.height, with_doc("between the centres of the round ends"));
    if (s == BodyShape::cone || s == BodyShape::cylinder) v("height", p.height, with_doc("along y"));
}
void build_body(BodyShape, const BodyParams&, BuildContext&); // object_body.cpp

template <BodyShape S> struct Body {
    static constexpr std::string_view name = words_of(S).name, doc = words_of(S).doc, body = "rigid bodies";
    using Params = BodyParams;
    template <class V> static void fields(Params& p, V&& v) {
        body_shape_fields(S, p, v);
        body_fields(p, v);
    }
    static void build(const Params& p, BuildContext& c) { build_body(S, p, c); }
};
} // namespace sinew
