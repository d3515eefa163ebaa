#include "solver/rest.h"
#include "model/element.h"
#include <algorithm>
#include <cmath>

namespace sinew {

Real rest_speed(const Model& m, Real h) { return std::max(1e-4, 0.02 * vec(m.gravity).norm() * h); }

Real frame_speed(const Model& m, int frame, const Vec3& v, const Vec3& w) {
    const Real radius = std::sqrt(mat(m.frame.inertia[frame]).trace() / (3 * m.frame.mass[frame])); // of gyration
    return v.norm() + radius * w.norm();
}

void wake_all(State& s) {
    for (NamedValues& a : s.memory)
        if (a.name == kRestPoints || a.name == kRestFrames || a.name == kRestLinks) std::fill(a.values.begin(), a.values.end(), 0.0);
}

static void wake_one(std::string_view name, int i, State& s) {
    for (NamedValues& a : s.memory)
        if (a.name == name && i >= 0 && i < int(a.values.size())) a.values[i] = 0;
}

static void wake_element(const Table& t, int e, State& s) {
    const int* at = t.stencil.data() + std::ptrdiff_t(e) * t.row->stencil;
    for (int k = 0; k < t.row->points; ++k) wake_one(kRestPoints, at[k], s);
    for (int k = t.row->points; k < t.row->points + t.row->frames; ++k)
        for (std::string_view name : {kRestFrames, kRestLinks}) wake_one(name, at[k], s);
}

void wake_joined(const Model& m, int joint, State& s) {
    for (const Table& t : m.elements->constraints)
        for (int e = 0; e < t.count(); ++e)
            if (t.object[e] == joint) wake_element(t, e, s);
}

void wake_neighbours(const Model& m, int object, State& s) {
    if (!m.elements) return;
    const Range frames = m.objects[std::size_t(object)].frames;
    const auto meets = [&](const Table& t, int e) {
        const int* at = t.stencil.data() + std::ptrdiff_t(e) * t.row->stencil;
        const auto is_own = [&](int f) { return f >= frames.begin && f < frames.end; };
        return t.object[e] == object || std::any_of(at + t.row->points, at + t.row->points + t.row->frames, is_own);
    };
    for (const auto* kind : {&m.elements->energies, &m.elements->constraints})
        for (const Table& t : *kind)
            for (int e = 0; e < t.count(); ++e)
                if (t.row->frames > 0 && meets(t, e)) wake_element(t, e, s);
}

} // namespace sinew
