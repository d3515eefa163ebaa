// Named materials. Every preset has numbers for cloth of links and for shells, and its source in `note`, which
// `sinew list materials` prints.
//
// Fabrics by Wang, O'Brien and Ramamoorthi (2011), "Data-driven elastic models for cloth": area density, plane moduli
// c11, c12, c22, c33 [N/m] (medians over their six strain states; single ones scatter and some are negative) and bending
// stiffness [N m] along warp, bias and weft at the smallest curvature. From these
//   young = c11 - c12^2/c22, young_weft = c22 - c12^2/c11, poisson = c12/c22, shear = c33/2, over a nominal thickness of
//   0.5 mm, which cancels;  twist = (4 D_bias - D_warp - D_weft)/2.
// Fabrics by Penava, Simic Penava and Knezic (2014), "Determination of the elastic constants of plain woven fabrics by a
// tensile test in various directions": thickness, area density, Young's modulus and Poisson's ratio; bending of a plate of
// that thickness. Links (mass-spring cloth) are chosen soft enough for video-rate implicit steps, woven cotton measures
// 5-20 kN/m, and keep the ratio between the fabrics.
#include "scene/material.h"
#include <algorithm>

namespace sinew {

namespace {

struct WovenRow {
    const char *name, *sample;
    Real density;                        // [kg/m^2]
    Real young, weft, poisson, shear;    // [N/m]
    Real bend, bend_weft, twist;         // [1e-6 N m]
};
constexpr WovenRow kWang2011[] = {
    {"blanket", "pink-ribbon-brown, polyester", 0.228, 107.8, 181.8, 0.415, 15.15, 117, 59.8, 86.6},
    {"denim", "11oz-black-denim, 99% cotton 1% spandex", 0.324, 224.3, 1046, 0.039, 34.75, 64.2, 97, 66.2},
    {"interlock", "gray-interlock, 60% cotton 40% polyester", 0.187, 66.36, 240.1, 0.254, 13.75, 23.2, 14.3, 30.8},
    {"jacket", "tango-red-jet-set, polyester", 0.113, 66.62, 219.4, 0.286, 4.562, 14.3, 20.3, 26.6},
    {"ponte_roma", "camel-ponte-roma, 60% polyester 40% rayon", 0.284, 80.77, 150.3, 0.292, 14.91, 36.3, 37.2, 29.3},
    {"rib_knit", "ivory-rib-knit, 95% cotton 5% spandex", 0.276, 50.7, 137.4, 0.001, 4.135, 46.2, 32.2, 20.8},
    {"sweater", "navy-sparkle-sweat, 96% polyester 4% spandex", 0.224, 39.52, 133.2, 0.332, 5.931, 59.5, 45.6, 27.6},
    {"swimwear", "white-swim-solid, 87% nylon 13% spandex", 0.204, 47.73, 110, 0.131, 11.24, 60.2, 51, 62},
    {"tablecloth", "white-dots-on-blk, polyester", 0.128, 2106, 2141, 0.022, 15.52, 51.7, 31.3, 39.8},
    {"trousers", "royal-target, 65% cotton 35% polyester", 0.220, 2108, 2143, 0.023, 20.17, 125, 125, 90.6},
};

struct PlateRow {
    const char* name;
    Real density;                        // [kg/m^2]
    Real thickness;                      // [m]
    Real young, poisson;                 // [Pa]
};
constexpr PlateRow kPenava2014[] = {
    {"cotton", 0.1503, 0.318e-3, 0.821e6, 0.243},
    {"polyester", 0.1646, 0.252e-3, 0.478e6, 0.381},
    {"wool", 0.2348, 0.568e-3, 0.170e6, 0.277},
    {"wool_lycra", 0.1782, 0.328e-3, 0.076e6, 0.071},
};

Value numbers(const char* model, std::initializer_list<std::pair<const char*, Real>> values) {
    Value out = make_object();
    set(out, "model", make_text(model));
    for (const auto& [key, value] : values) set(out, key, make_number(value));
    return out;
}

// links of mass-spring cloth [N/m]
void set_links(Material& m, Real membrane, Real shear, Real bend, Real thickness) {
    m.membrane.stiffness = membrane;
    m.shear.stiffness = shear;
    m.bend.stiffness = bend;
    m.thickness = thickness;
}

Material woven(const WovenRow& r) {
    constexpr Real t = 0.5e-3, micro = 1e-6;
    Material m;
    m.name = r.name;
    m.note = std::string("fabric measured by Wang et al. 2011 (") + r.sample + ")";
    m.density = r.density;
    set_links(m, std::max(r.young, r.weft), 2 * r.shear, 20 * r.bend / 64.2, 1e-3);
    m.shell_membrane = numbers("tri_stvk", {{"young", r.young / t}, {"young_weft", r.weft / t}, {"poisson", r.poisson},
                                            {"shear", r.shear / t}, {"thickness", t}, {"damping", 0.002}});
    m.shell_bend = numbers("hinge_tan", {{"stiffness", r.bend * micro}, {"stiffness_weft", r.bend_weft * micro},
                                         {"twist", r.twist * micro}, {"damping", 0.002}});
    return m;
}

Material plate(const char* name, std::string note, Real density, Real thickness, Real young, Real poisson) {
    Material m;
    m.name = name;
    m.note = std::move(note);
    m.density = density;
    m.shell_membrane =
        numbers("tri_stvk", {{"young", young}, {"poisson", poisson}, {"thickness", thickness}, {"damping", 0.002}});
    m.shell_bend = numbers("hinge_tan", {{"stiffness", young * thickness * thickness * thickness / (12 * (1 - poisson * poisson))},
                                         {"damping", 0.002}});
    return m;
}

// solids, as rigid bodies and, where a sheet of them is usual, as a shell of that sheet: of the same moduli
Material solid(Material m, Real solid_density, Real friction) {
    m.solid_density = solid_density;
    m.friction = friction;
    for (const char* key : {"young", "poisson"}) set(m.solid.params, key, make_number(find(m.shell_membrane, key)->number));
    return m;
}

std::vector<Material> make_presets() {
    std::vector<Material> out;
    for (const WovenRow& r : kWang2011) out.push_back(woven(r));
    for (const PlateRow& r : kPenava2014) {
        Material m = plate(r.name, "fabric measured by Penava et al. 2014, plain weave", r.density, r.thickness, r.young, r.poisson);
        set_links(m, 2000, 400, 20, 1e-3);
        if (m.name == "wool") set_links(m, 1200, 300, 40, 2e-3);
        out.push_back(m);
    }
    Material silk = plate("silk", "not measured: weight of crepe de chine as sold, stiffness of the order of light silks", 0.07,
                          0.18e-3, 0.57e6, 0.3);
    set_links(silk, 1500, 150, 4, 0.5e-3);
    out.push_back(silk);
    for (Material& m : out)
        if (m.name == "denim") set_links(m, 6000, 2000, 200, 1.5e-3);

    out.push_back(plate("paper", "playing cards of Li, Kaufman and Jiang 2021: 800 kg/m^3, 0.3 mm, 3 GPa", 0.24, 0.3e-3, 3e9, 0.3));
    Material rubber = plate("rubber", "natural rubber: shear modulus 0.4 MPa, hardly compressible (Treloar 1944), 1100 kg/m^3; as a shell "
                                      "1 mm thick", 1.1, 1e-3, 1.2e6, 0.49);
    set(rubber.shell_membrane, "model", make_text("tri_rubber"));
    out.push_back(solid(rubber, 1100, 0.8));
    out.push_back(solid(plate("steel", "carbon steel: 7850 kg/m^3, 200 GPa, 0.3 (handbook); as a shell 1 mm thick", 7.85, 1e-3, 200e9, 0.3),
                        7850, 0.4));
    out.push_back(solid(plate("wood", "oak or beech, dry: 700 kg/m^3, 11 GPa along the grain (Wood Handbook 2010); as a shell "
                                      "1 mm thick", 0.7, 1e-3, 11e9, 0.35), 700, 0.4));
    out.push_back(solid(plate("flesh", "human muscle: 1000 kg/m^3, about 50 kPa (Krouskop 1987); as a shell 5 mm thick", 5, 5e-3,
                              50e3, 0.45), 1000, 0.5));
    out.push_back(solid(plate("foam", "soft polyurethane foam: 30 kg/m^3, about 100 kPa, 0.1 (Gibson and Ashby 1997); as a shell "
                                      "5 mm thick", 0.15, 5e-3, 100e3, 0.1), 30, 0.6));
    std::sort(out.begin(), out.end(), [](const Material& a, const Material& b) { return a.name < b.name; });
    return out;
}

} // namespace

std::span<const Material> material_presets() {
    static const std::vector<Material> presets = make_presets();
    return presets;
}

} // namespace sinew
