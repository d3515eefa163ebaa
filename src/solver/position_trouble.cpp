// Settings of position projection that do not go together, or with the model: refused by name when a scene is compiled.
#include "energy/tet_stable_neohookean_plastic.h"
#include "model/element.h"
#include "model/stencil.h"
#include "solver/position.h"
#include <algorithm>

namespace sinew {

namespace {

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), name) != list.end();
}
bool has_moving_frames(const Model& m) {
    for (int i = 0; i < frame_count(m); ++i)
        if (!(m.frame.flags[i] & kFixed) && m.frame.mass[i] > 0) return true;
    return false;
}
bool has_moving_scalars(const Model& m) {
    for (int i = 0; i < scalar_count(m); ++i)
        if (!(m.scalar.flags[i] & kFixed) && m.scalar.mass[i] > 0) return true;
    return false;
}

// the row sqrt(l) (J - 1 - mu/l) has no value where l is not positive
bool has_no_rows(const TetData& d) { return d.shape.volume != 0 && !(d.lambda > 0); }
bool has_solids_without_rows(const Model& m) {
    for (const Table& t : m.elements->energies)
        for (int e = 0; e < t.count(); ++e) {
            if (t.row->name == TetStableNeohookean::name && has_no_rows(ElementsOf<TetStableNeohookean>::data_of(t, e))) return true;
            if (t.row->name == TetStableNeohookeanPlastic::name && has_no_rows(ElementsOf<TetStableNeohookeanPlastic>::data_of(t, e).tet)) return true;
        }
    return false;
}

} // namespace

std::vector<SettingTrouble> find_position_trouble(const Model& m, const PositionSettings& s) {
    std::vector<SettingTrouble> out;
    // rows between points and bodies would have to move the two by different parts of the same force
    if (s.scheme == "newmark" && has_moving_frames(m))
        out.push_back({"scheme", "newmark is for points; the scene has bodies that move", "symplectic, verlet, rattle"});
    else if (s.scheme == "newmark" && has_moving_scalars(m))
        out.push_back({"scheme", "newmark is for points; the scene has rods that twist", "symplectic, verlet, rattle"});
    if (s.friction == "single" && !is_one_of(s.method, {"gauss_seidel", "fast_projection", "newton"}))
        out.push_back({"friction", "single only with methods that sweep contacts (gauss_seidel, fast_projection, newton), not " + s.method,
                       "cone, cylinder, box, post, none"});
    if (s.sequential && s.method != "gauss_seidel")
        out.push_back({"sequential", "only with method gauss_seidel, not " + s.method, "false"});
    if (s.mix != "none" && (s.method != "gauss_seidel" || s.scheme != "symplectic"))
        out.push_back({"mix", "only with method gauss_seidel and scheme symplectic", "none"});
    if (s.mix != "none" && s.directions == "start") out.push_back({"mix", "only with directions current, not start", "none"});
    if (s.incidence && s.method.find("jacobi") == std::string::npos)
        out.push_back({"incidence", "only with jacobi, improved_jacobi and accelerated_jacobi, not " + s.method, "false"});
    if (s.step == "radius" && is_one_of(s.method, {"gauss_seidel", "conjugate_gradients", "apgd", "gpminres", "fast_projection", "newton"}))
        out.push_back({"step",
                       "radius only with jacobi and its relatives, minres, steepest_descent, conjugate_residuals and power_residuals, not " +
                           s.method,
                       "own"});
    if (m.elements && has_solids_without_rows(m))
        out.push_back({"method", "rows are roots of the energy, and stable_neohookean with raw and a Poisson's ratio of zero or less has none",
                       "a ratio above zero, or raw: false"});
    if (s.softness != "factor" || !m.elements) return out;
    for (const Table& t : m.elements->energies)
        if (t.count() > 0 && t.row->name.starts_with("tet_stable_neohookean"))
            out.push_back({"softness",
                           "factor ignores compliance, and " + std::string(t.row->name) + " rests where its rows balance",
                           "feedback, printed; or another solid model"});
    return out;
}

} // namespace sinew
