#include "scene/material.h"
#include "constraint/distance.h"
#include "constraint/list.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/list.h"
#include "energy/spring.h"
#include "energy/spring_strain.h"
#include "scene/names.h"
#include "scene/shell_material.h"
#include "scene/special_solid.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

static bool read_role(const Value& value, const Scope& scope, std::string_view path, LinkRole& role, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    FieldList list = collect_fields([&](auto v) { LinkRole::fields(role, v); });
    return read_fields(list, value, scope, path, errors);
}

// links, where the role does not name a model of triangles (3 points) or hinges (4)
static bool read_link_role(const Value& value, int points, const Scope& scope, const std::string& path, LinkRole& role,
                           std::vector<Error>& errors) {
    const Value* model = value.kind == Value::Kind::object ? find(value, "model") : nullptr;
    std::vector<std::string> known{"spring_strain", "spring", "distance"};
    if (!model || model->kind != Value::Kind::text || std::find(known.begin(), known.end(), model->text) != known.end())
        return read_role(value, scope, path, role, errors);
    for (std::string& name : shell_models(points)) known.push_back(std::move(name));
    errors.push_back(wrong_model(*model, join_path(path, "model"), model->text, points, known));
    return false;
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

// a shell role over that of a preset: what the new one does not say stays, unless the model changes
static void merge_role(const Value& role, Value& base) {
    const Value *now = find(role, "model"), *was = base.kind == Value::Kind::object ? find(base, "model") : nullptr;
    if (!was || was->text != now->text) {
        base = role;
        return;
    }
    const Place place = role.place;
    for (const Member& m : role.members) set(base, m.key, m.value);
    base.place = place;
}

bool read_material(const Value& value, const Scope& scope, std::string_view path, Material& m, std::vector<Error>& errors) {
    FieldList list = collect_fields([&](auto v) { Material::fields(m, v); });
    bool ok = read_fields(list, value, scope, path, errors);
    const std::string base(path);
    const bool triangles = is_shell_role(m.membrane_value, 3), hinges = is_shell_role(m.bend_value, 4);
    if (triangles) merge_role(m.membrane_value, m.shell_membrane), m.has_shell = true;
    else ok &= read_link_role(m.membrane_value, 3, scope, base + ".membrane", m.membrane, errors);
    ok &= read_role(m.shear_value, scope, base + ".shear", m.shear, errors);
    if (hinges) merge_role(m.bend_value, m.shell_bend);
    else ok &= read_link_role(m.bend_value, 4, scope, base + ".bend", m.bend, errors);
    ShellModel shell;
    if (ok && (triangles || hinges)) ok = read_shell_model(m, scope, base, shell, errors);
    ok &= read_rod(m.rod_value, base + ".rod", m.rod, errors);
    ok &= read_solid_role(m.solid_value, base + ".solid", m.solid, errors);
    if (ok && m.solid_value.kind != Value::Kind::null) {
        SpecialSolid special;
        ok = is_special_solid(m.solid) ? read_special_solid(m.solid, scope, base + ".solid", special, errors)
                                       : make_solid_model(m.solid, scope, base + ".solid", errors).elastic != nullptr;
    }
    // also where no chain uses it
    if (ok && m.rod_value.kind != Value::Kind::null) ok = read_link_model(m.rod, scope, base + ".rod", errors).row != nullptr;
    return ok;
}

bool find_material(const Value& value, const Scope& scope, std::string_view path, const std::vector<NamedMaterial>& named,
                   Material& out, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    if (value.kind == Value::Kind::object) { // "like": start from a preset or from a material of the scene
        Value params = value;
        const Value* like = find(value, "like");
        if (like && !find_material(*like, scope, join_path(path, "like"), named, out, errors)) return false;
        erase(params, "like");
        return read_material(params, scope, path, out, errors);
    }
    std::string name;
    if (!read_text(value, path, name, errors)) return false;
    for (const NamedMaterial& m : named)
        if (m.name == name) return out = m.material, true;
    for (const Material& m : material_presets())
        if (m.name == name) return out = m, true;
    std::vector<std::string> known;
    for (const NamedMaterial& m : named)
        if (m.name == kAnything) return out = m.material, true;
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
        errors.push_back(wrong_model(text_at(rod.model, rod.params.place), join_path(path, "model"), rod.model, 2, known));
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
    if (role.stiffness == 0) return link; // no links at all
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
