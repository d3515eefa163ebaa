#include "scene/material.h"
#include "constraint/distance.h"
#include "constraint/list.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/list.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include <fmt/format.h>

namespace sinew {

// Cloths and solids. Starting values for mass-spring cloth: Densities are common fabric weights; stretch and bend links are chosen soft
// enough for video-rate implicit steps (woven cotton measures 5-20 kN/m) and keep the ratio between the fabrics.
// Solids have the density and dry friction of handbooks and default links.
std::span<const Material> material_presets() {
    static const std::vector<Material> presets = [] {
        std::vector<Material> out;
        const auto add = [&](const char* name, Real density, Real membrane, Real shear, Real bend, Real thickness) {
            Material m;
            m.name = name;
            m.note = "mass-spring starting values: fabric weight as sold, stretch softened for video rate";
            m.density = density;
            m.membrane.stiffness = membrane;
            m.shear.stiffness = shear;
            m.bend.stiffness = bend;
            m.thickness = thickness;
            out.push_back(m);
        };
        add("cotton", 0.15, 2000, 400, 20, 0.001);
        add("denim", 0.4, 6000, 2000, 200, 0.0015);
        add("silk", 0.07, 1500, 150, 4, 0.0005);
        add("wool", 0.3, 1200, 300, 40, 0.002);
        const auto add_solid = [&](const char* name, Real density, Real friction, Real young, Real poisson, const char* note) {
            Material m;
            m.name = name;
            m.note = note;
            m.solid_density = density;
            m.friction = friction;
            set(m.solid.params, "young", make_number(young));
            set(m.solid.params, "poisson", make_number(poisson));
            out.push_back(m);
        };
        add_solid("flesh", 1000, 0.5, 2e4, 0.45, "solid: density of the human body, near that of water; relaxed muscle");
        add_solid("rubber", 1100, 0.8, 2e6, 0.48, "solid: natural rubber, filled");
        add_solid("steel", 7850, 0.4, 2.1e11, 0.29, "solid: carbon steel");
        add_solid("wood", 700, 0.4, 1.1e10, 0.35, "solid: oak or beech, dry; stiffness along the grain in all directions");
        return out;
    }();
    return presets;
}

static bool read_role(const Value& value, const Scope& scope, std::string_view path, LinkRole& role, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    FieldList list = collect_fields([&](auto v) { LinkRole::fields(role, v); });
    return read_fields(list, value, scope, path, errors);
}

static bool read_rod(const Value& value, std::string_view path, RodRole& rod, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    if (value.kind != Value::Kind::object) {
        errors.push_back(make_error(value, path, "must be an object with a model and its parameters"));
        return false;
    }
    rod.params = value;
    if (const Value* model = find(value, "model")) {
        if (!read_text(*model, std::string(path) + ".model", rod.model, errors)) return false;
        erase(rod.params, "model");
    }
    return true;
}

bool read_material(const Value& value, const Scope& scope, std::string_view path, Material& m, std::vector<Error>& errors) {
    FieldList list = collect_fields([&](auto v) { Material::fields(m, v); });
    bool ok = read_fields(list, value, scope, path, errors);
    const std::string base(path);
    ok &= read_role(m.membrane_value, scope, base + ".membrane", m.membrane, errors);
    ok &= read_role(m.shear_value, scope, base + ".shear", m.shear, errors);
    ok &= read_role(m.bend_value, scope, base + ".bend", m.bend, errors);
    ok &= read_rod(m.rod_value, base + ".rod", m.rod, errors);
    ok &= read_solid_role(m.solid_value, base + ".solid", m.solid, errors);
    if (ok && m.solid_value.kind != Value::Kind::null)
        ok = make_solid_model(m.solid, scope, base + ".solid", errors).elastic != nullptr;
    // also where no chain uses it
    if (ok && m.rod_value.kind != Value::Kind::null) ok = read_link_model(m.rod, scope, base + ".rod", errors).row != nullptr;
    return ok;
}

bool find_material(const Value& value, const Scope& scope, std::string_view path, const std::vector<NamedMaterial>& named,
                   Material& out, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    if (value.kind == Value::Kind::object) return read_material(value, scope, path, out, errors);
    std::string name;
    if (!read_text(value, path, name, errors)) return false;
    for (const NamedMaterial& m : named)
        if (m.name == name) return out = m.material, true;
    for (const Material& m : material_presets())
        if (m.name == name) return out = m, true;
    std::vector<std::string> known;
    for (const NamedMaterial& m : named) known.push_back(m.name);
    for (const Material& m : material_presets()) known.push_back(m.name);
    errors.push_back(make_error(value, path, "no material of this name", fmt::format("{}", fmt::join(known, ", ")),
                                find_nearest(name, known)));
    return false;
}

LinkModel read_link_model(const RodRole& rod, const Scope& scope, std::string_view path, std::vector<Error>& errors) {
    LinkModel link;
    link.row = find_energy(rod.model);
    if (!link.row && (link.row = find_constraint(rod.model))) link.constraint = true;
    if (!link.row || link.row->points != 2 || link.row->frames || link.row->scalars) {
        std::vector<std::string> known;
        for (auto rows : {energy_rows(), constraint_rows()})
            for (const ElementRow& r : rows)
                if (r.points == 2 && !r.frames && !r.scalars) known.emplace_back(r.name);
        errors.push_back(make_error(text_at(rod.model, rod.params.place), join_path(path, "model"), "no link model of this name",
                                    fmt::format("{}", fmt::join(known, ", ")), find_nearest(rod.model, known)));
        link.row = nullptr;
        return link;
    }
    link.params = link.row->make_params();
    FieldList list;
    link.row->describe(link.params.get(), list);
    if (!read_fields(list, rod.params, scope, path, errors)) link.row = nullptr;
    return link;
}

LinkModel make_link_model(const LinkRole& role, Real width, Real length) {
    LinkModel link;
    const Real force = role.stiffness * width; // [N] at strain 1
    if (role.model == "distance") {
        link.row = find_constraint("distance");
        link.constraint = true;
        link.params = std::make_shared<Distance::Params>(Distance::Params{std::max(1e-9, length / force), false});
    } else if (role.model == "spring") {
        link.row = find_energy("spring");
        link.params = std::make_shared<Spring::Params>(Spring::Params{role.stiffness, role.stiffness * role.damping});
    } else {
        link.row = find_energy("spring_strain");
        link.params = std::make_shared<SpringStrain::Params>(SpringStrain::Params{force, force * role.damping});
    }
    return link;
}

} // namespace sinew
