#include "model/contact_rows.h"

namespace sinew {

ContactStencil stencil_of(const Model& m, const SurfaceContact& c) {
    ContactStencil s;
    for (int k = 0; k < 4 && c.vertex[k] >= 0; ++k) {
        s.vertex[k] = m.surface.vertices[c.vertex[k]];
        s.weight[k] = c.weight[k];
        s.count = k + 1;
    }
    return s;
}

ContactStencil stencil_of(const Model& m, const PointContact& c) {
    if (c.stencil[1] < 0) return {2, {c.a, c.b, {}, {}}, {1, -1, 0, 0}};
    ContactStencil s;
    for (int k = 0; k < 3 && c.stencil[k] >= 0; ++k, ++s.count) {
        s.vertex[s.count] = m.surface.vertices[c.stencil[k]];
        s.weight[s.count] = c.weight[k];
    }
    s.vertex[s.count] = c.b;
    s.weight[s.count++] = -1;
    return s;
}

void build_direction(const Model& m, const FrameState& frames, const Dofs& dofs, const ContactStencil& s, const Vec3& direction,
                     PushedBack& out) {
    VecN<12> g;
    for (int k = 0; k < s.count; ++k) g.segment<3>(3 * k) = s.weight[k] * direction;
    push_back(m, frames, dofs, std::span(s.vertex.data(), s.count), std::span<const Real>(g.data(), 3 * s.count), {},
              RotationTerm::drop, out);
}

Real stencil_distance(const Model& m, const SurfaceState& at, const ContactStencil& s, const Vec3& normal) {
    Vec3 g = Vec3::Zero();
    for (int k = 0; k < s.count; ++k) g += s.weight[k] * vertex_position(m, at, s.vertex[k]);
    return normal.dot(g);
}

} // namespace sinew
