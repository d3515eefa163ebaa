#include "scene/shell_material.h"
#include "constraint/list.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/list.h"
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

bool fits(const ElementRow& row, int points) {
    // volumes and pressures have as many points
    const bool volume = row.name.substr(0, 4) == "tet_" || row.name.substr(0, 9) == "pressure_", limit = row.name.ends_with("_limit");
    const bool animated = row.name.ends_with("_animated"); // chosen by `rest` of the sheet
    const bool contact = row.share == Share::contact;
    return row.points == points && !row.frames && !row.scalars && (row.views & (kValue | kConstraint)) && !volume && !limit && !animated &&
           !contact;
}
const ElementRow* find_row(std::string_view name) {
    const ElementRow* row = find_energy(name);
    return row ? row : find_constraint(name);
}

bool read_shell_part(const Value& role, std::string_view fallback, int points, const Scope& scope, const std::string& path,
                     ShellPart& out, std::vector<Error>& errors) {
    std::string model(fallback);
    Value params = role.kind == Value::Kind::object ? role : make_object();
    if (const Value* named = find(params, "model")) {
        if (!read_text(*named, join_path(path, "model"), model, errors)) return false;
        erase(params, "model");
    }
    out.row = find_row(model);
    out.constraint = out.row && (out.row->views & kConstraint);
    if (!out.row || !fits(*out.row, points)) {
        errors.push_back(wrong_model(text_at(model, role.place), join_path(path, "model"), model, points, shell_models(points)));
        return false;
    }
    out.params = out.row->make_params();
    out.fields = {};
    out.row->describe(out.params.get(), out.fields);
    return read_fields(out.fields, params, scope, path, errors);
}

Real* number(ShellPart& p, std::string_view name) {
    const FieldRef* f = find_field(p.fields, name);
    return f && f->type == FieldType::real ? static_cast<Real*>(f->member) : nullptr;
}
bool is_param_given(ShellPart& p, std::string_view name) {
    const FieldRef* f = find_field(p.fields, name);
    return f && f->given;
}

void find_numbers(ShellPart& p) {
    p.stiffness.clear();
    for (std::string_view name : {"young", "young_weft", "shear", "stiffness", "stiffness_weft", "twist"})
        if (Real* at = number(p, name); at && *at > 0) p.stiffness.emplace_back(at, *at);
    p.thickness = number(p, "thickness");
    if (p.thickness) p.thickness_value = *p.thickness;
    const FieldRef* warp = find_field(p.fields, "warp");
    p.warp = warp && warp->type == FieldType::real3 && !warp->given ? static_cast<Real3*>(warp->member) : nullptr;
}

} // namespace

std::vector<std::string> shell_models(int points) {
    std::vector<std::string> known;
    for (auto rows : {energy_rows(), constraint_rows()})
        for (const ElementRow& r : rows)
            if (fits(r, points)) known.emplace_back(r.name);
    return known;
}

Error wrong_model(const Value& at, std::string_view path, std::string_view model, int points, const std::vector<std::string>& known) {
    const ElementRow* row = find_row(model);
    std::string message = "no model of this name";
    if (row && (row->frames || row->scalars || row->points != points)) {
        const char* rest = row->frames ? " and bodies" : row->scalars ? " and angles" : "";
        message = fmt::format("{} acts on {} points{}, this role needs an energy of {} points", model, row->points, rest, points);
        std::vector<std::string_view> links; // of the meshes' edges
        for (const std::string& name : known)
            if (const ElementRow* other = find_row(name); other && other->points != points) links.push_back(name);
        if (!links.empty()) message += fmt::format(", or links by {}", fmt::join(links, ", "));
    } else if (row) {
        message = fmt::format("{} has another use", model);
    }
    return make_error(at, path, message, fmt::format("{}", fmt::join(known, ", ")), find_nearest(model, known));
}

bool is_shell_role(const Value& role, int points) {
    const Value* model = role.kind == Value::Kind::object ? find(role, "model") : nullptr;
    if (!model || model->kind != Value::Kind::text) return false;
    const ElementRow* row = find_row(model->text);
    return row && fits(*row, points);
}

bool read_shell_model(const Material& m, const Scope& scope, std::string_view path, ShellModel& out, std::vector<Error>& errors) {
    const std::string base(path);
    if (!read_shell_part(m.shell_membrane, "tri_stvk", 3, scope, base + ".membrane", out.membrane, errors)) return false;
    if (!read_shell_part(m.shell_bend, "hinge_tan", 4, scope, base + ".bend", out.bend, errors)) return false;
    // what was left open
    Real *young = number(out.membrane, "young"), *thickness = number(out.membrane, "thickness"),
         *poisson = number(out.membrane, "poisson"), *weft = number(out.membrane, "young_weft"),
         *shear = number(out.membrane, "shear");
    if (thickness && !is_param_given(out.membrane, "thickness")) *thickness = m.thickness > 0 ? m.thickness : 1e-3;
    if (young && thickness && !is_param_given(out.membrane, "young")) *young = m.membrane.stiffness / *thickness;
    if (young && poisson && weft && shear) {
        const Real eta = *weft > 0 && *young > 0 ? *weft / *young : 1;
        if (!(*young > 0) || *weft == 0 || *shear == 0 || !(eta * *poisson * *poisson < 1)) {
            errors.push_back(make_error(m.shell_membrane, base + ".membrane", "moduli do not resist every strain",
                                        "young, young_weft and shear above 0, young_weft/young poisson^2 below 1"));
            return false;
        }
    }
    Real* rigidity = number(out.bend, "stiffness");
    if (rigidity && young && thickness && !is_param_given(out.bend, "stiffness")) {
        const Real nu = poisson ? *poisson : 0, cube = *thickness * *thickness * *thickness / (12 * (1 - nu * nu));
        *rigidity = *young * cube;
        Real* across = number(out.bend, "stiffness_weft");
        if (across && weft && *weft > 0 && !is_param_given(out.bend, "stiffness_weft")) *across = *weft * cube;
    }
    find_numbers(out.membrane);
    find_numbers(out.bend);
    return true;
}

bool is_plate_part(ShellPart& p) {
    const FieldRef* f = find_field(p.fields, "coefficient");
    return !f || f->type != FieldType::real || *static_cast<const Real*>(f->member) == 1;
}

const void* shell_params(ShellPart& p, Real stiffness, Real thickness, const Real3& warp) {
    for (auto& [at, value] : p.stiffness) *at = stiffness * value;
    if (p.thickness) *p.thickness = thickness * p.thickness_value;
    if (p.warp) *p.warp = warp;
    return p.params.get();
}

} // namespace sinew
