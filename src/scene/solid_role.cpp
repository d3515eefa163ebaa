#include "scene/solid_role.h"
#include "core/error.h"
#include "core/nearest.h"
#include "energy/list.h"
#include "energy/tet_ogden.h"
#include "energy/tet_stable_neohookean.h"
#include "energy/tet_viscous.h"
#include "linalg/psd.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

namespace {

struct Damping {
    Real mass = 0, stiffness = 0;
    template <class V> static void fields(Damping& p, V&& v) {
        v("mass", p.mass, Field{.min = 0, .unit = "1/s", .doc = "b of D = a K + b M"});
        v("stiffness", p.stiffness, Field{.min = 0, .unit = "s", .doc = "a of D = a K + b M"});
    }
};

bool is_solid(const ElementRow& r) { return r.inverted && r.points == 4; }

// two directions that span a plane: otherwise there is no frame, and parts of the stiffness would be lost
bool check_axes(const TetAnisotropic::Params& p, const Value& at, std::string_view path, std::vector<Error>& errors) {
    const auto fail = [&](const char* key, const char* message, const char* allowed) {
        const Value* written = find(at, key);
        errors.push_back(make_error(written ? *written : at, join_path(path, key), message, allowed));
        return false;
    };
    const Vec3 first = vec(p.axis), second = vec(p.second_axis);
    if (!(first.norm() > 0)) return fail("axis", "is no direction", "a vector that is not zero");
    if (!(second.norm() > 0)) return fail("second_axis", "is no direction", "a vector that is not zero");
    if (!(first.cross(second).norm() > 1e-6 * first.norm() * second.norm()))
        return fail("second_axis", "is parallel to axis: the two span no plane", "any direction across axis");
    return true;
}

// what the model is for small strains; false and an error if that is no stable material
bool make_stiffness(const std::string& model, void* params, FieldList& list, const Value& at, std::string_view path,
                    std::vector<double>& out, std::vector<Error>& errors) {
    MatN<6> C;
    if (model == "anisotropic") {
        const auto& p = *static_cast<TetAnisotropic::Params*>(params);
        if (!p.stiffness.empty() && p.stiffness.size() != 21 && p.stiffness.size() != 36) {
            errors.push_back(make_error(at, path, "stiffness has 21 or 36 numbers"));
            return false;
        }
        if (!check_axes(p, at, path, errors)) return false;
        C = TetAnisotropic::stiffness_of(p);
    } else if (model == "ogden") {
        const auto& p = *static_cast<TetOgden::Params*>(params);
        const auto zero = [](const std::vector<Real>& a) { return std::find(a.begin(), a.end(), 0.0) != a.end(); };
        if (p.moduli.size() != p.exponents.size() || p.area_moduli.size() != p.area_exponents.size() || zero(p.exponents) || zero(p.area_exponents)) {
            errors.push_back(make_error(at, path, "each modulus needs an exponent that is not zero"));
            return false;
        }
        C = isotropic_stiffness(TetOgden::small_strain(TetOgden::member(p)));
    } else {
        const FieldRef* young = find_field(list, "young");
        if (!young || young->type != FieldType::real) return true; // of a model that says it in other words
        const FieldRef* poisson = find_field(list, "poisson");
        Lame l = make_lame(*static_cast<Real*>(young->member), poisson ? *static_cast<Real*>(poisson->member) : 0);
        if (model == "arap" || model == "strain") l.lambda = 0;
        const FieldRef* raw = find_field(list, "raw");
        if (raw && *static_cast<bool*>(raw->member)) l.lambda -= l.mu;
        C = isotropic_stiffness(l);
    }
    // definite, not just semi-definite: a strain that costs nothing has no force against it
    const MatN<6> less = C - 1e-13 * C.cwiseAbs().maxCoeff() * MatN<6>::Identity();
    if (!C.allFinite() || !(C.cwiseAbs().maxCoeff() > 0) || !is_psd(less.data(), 6)) {
        errors.push_back(make_error(at, path, "these moduli are of no stable material: the stiffness is not positive"));
        return false;
    }
    out.assign(C.data(), C.data() + 36);
    return true;
}

} // namespace

std::vector<std::string> solid_models() {
    std::vector<std::string> out;
    for (const ElementRow& r : energy_rows())
        if (is_solid(r) && r.name.substr(0, 4) == "tet_" && !r.name.ends_with("_plastic")) out.emplace_back(r.name.substr(4));
    return out;
}

bool read_solid_role(const Value& value, std::string_view path, SolidRole& role, std::vector<Error>& errors) {
    if (value.kind == Value::Kind::null) return true;
    if (value.kind != Value::Kind::object) {
        errors.push_back(make_error(value, path, "must be an object with a model and its parameters"));
        return false;
    }
    // what the value does not mention stays, unless the model is another one
    const Value* model = find(value, "model");
    std::string name = role.model;
    if (model && !read_text(*model, join_path(path, "model"), name, errors)) return false;
    if (name.substr(0, 4) == "tet_") name.erase(0, 4);
    role.model = name;
    role.params.place = value.place;
    for (const Member& m : value.members) {
        if (m.key == "model") continue;
        if (m.key == "damping") role.damping = m.value;
        else if (m.key == "plasticity") role.plasticity = m.value;
        else set(role.params, m.key, m.value);
    }
    return true;
}

Moduli find_moduli(const ElementRow& row, void* params) {
    Moduli out;
    FieldList list;
    row.describe(params, list);
    const auto add = [&](Real* at, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) out.numbers.emplace_back(at + i, at[i]);
    };
    for (const FieldRef& f : list.fields) {
        if (f.info.unit != "Pa" || f.name == "yield" || f.name == "hardening") continue;
        if (f.type == FieldType::real) add(static_cast<Real*>(f.member), 1);
        if (f.type == FieldType::real3) add(&static_cast<Real3*>(f.member)->x, 3);
        if (f.type == FieldType::reals) add(static_cast<std::vector<double>*>(f.member)->data(), static_cast<std::vector<double>*>(f.member)->size());
    }
    return out;
}
void scale_moduli(const Moduli& m, Real factor) {
    for (const auto& [at, value] : m.numbers) *at = factor * value;
}

SolidModel make_solid_model(const SolidRole& role, const Scope& scope, std::string_view path, std::vector<Error>& errors) {
    SolidModel out;
    const bool plastic = role.plasticity.kind != Value::Kind::null;
    const ElementRow* base = find_energy("tet_" + role.model);
    if (!base || !is_solid(*base) || base->name.ends_with("_plastic")) {
        std::vector<std::string> known = solid_models();
        known.insert(known.end(), {"hooke", "shape_match"}); // special_solid.h
        errors.push_back(make_error(text_at(role.model, role.params.place), join_path(path, "model"),
                                    "no solid model of this name", fmt::format("{}", fmt::join(known, ", ")),
                                    find_nearest(role.model, known)));
        return out;
    }
    const ElementRow* row = plastic ? find_energy("tet_" + role.model + "_plastic") : base;
    if (!row) {
        std::vector<std::string> known;
        for (const std::string& m : solid_models())
            if (find_energy("tet_" + m + "_plastic")) known.push_back(m);
        errors.push_back(make_error(text_at(role.model, role.params.place), join_path(path, "model"),
                                    "this model has no plasticity", fmt::format("{}", fmt::join(known, ", "))));
        return out;
    }

    Value params = role.params;
    if (plastic) {
        if (role.plasticity.kind != Value::Kind::object) {
            errors.push_back(make_error(role.plasticity, join_path(path, "plasticity"), "must be an object"));
            return out;
        }
        for (const Member& m : role.plasticity.members) set(params, m.key, m.value);
    }
    out.params = row->make_params();
    FieldList list;
    row->describe(out.params.get(), list);
    if (!read_fields(list, params, scope, path, errors)) return out;

    Damping damping;
    if (role.damping.kind != Value::Kind::null) {
        FieldList fields = collect_fields([&](auto v) { Damping::fields(damping, v); });
        if (!read_fields(fields, role.damping, scope, join_path(path, "damping"), errors)) return out;
    }
    out.damping_mass = damping.mass;
    auto viscous = std::make_shared<TetViscous::Params>();
    if (!make_stiffness(role.model, out.params.get(), list, role.params, path, viscous->stiffness, errors)) return out;
    if (damping.stiffness > 0 && viscous->stiffness.empty()) {
        errors.push_back(make_error(role.damping, join_path(path, "damping.stiffness"), "is by Young's modulus, which this model has not", "damping.mass"));
        return out;
    }
    if (damping.stiffness > 0) {
        viscous->time = damping.stiffness;
        viscous->linear = role.model == "linear";
        out.viscous = find_energy("tet_viscous");
        out.viscous_params = std::move(viscous);
    }
    out.elastic = row;
    return out;
}

} // namespace sinew
