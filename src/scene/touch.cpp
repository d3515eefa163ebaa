#include "scene/touch.h"
#include <cmath>

namespace sinew {

void set_touch(BuildContext& c, const TouchParams& p, Real friction, bool self_contact) {
    Object& o = c.builder.model.objects.back();
    o.friction = friction;
    o.self_contact = self_contact;
    o.restitution = p.restitution;
    o.rolling_friction = p.rolling_friction;
    o.torsional_friction = p.torsional_friction;
    o.groups = 1u << p.group;
    if (!p.touches.empty()) o.touches = 0;
    for (double g : p.touches) {
        if (g != std::floor(g)) add_error(c, "touches", make_number(g), "groups are whole numbers", "0 to 31");
        else o.touches |= 1u << int(g);
    }
}

} // namespace sinew
