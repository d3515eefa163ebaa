// How an object takes part in collisions, whatever its kind: friction, groups.
//   "group": 3, "touches": [0, 1]    two objects meet if each touches the other's group
#pragma once
#include "scene/object.h"

namespace sinew {

struct TouchParams {
    int group = 0;
    std::vector<double> touches;
    Real restitution = 0, rolling_friction = 0, torsional_friction = 0;
};
template <class V> void touch_fields(TouchParams& p, V&& v) {
    v("group", p.group, Field{.min = 0, .max = 31, .doc = "collision group it belongs to"});
    v("touches", p.touches, Field{.min = 0, .max = 31, .doc = "collision groups it touches; default: all"});
    v("restitution", p.restitution, Field{.min = 0, .max = 1, .doc = "part of the approach speed that comes back; a pair takes "
                                                                      "the larger (solver velocity)"});
    v("rolling_friction", p.rolling_friction, Field{.min = 0, .unit = "m", .doc = "torque against rolling per normal force; "
                                                                                  "a pair takes the larger (solver velocity)"});
    v("torsional_friction", p.torsional_friction,
      Field{.min = 0, .unit = "m", .doc = "torque against spinning about the normal per normal force; likewise"});
}
// of the object begun last
void set_touch(BuildContext&, const TouchParams&, Real friction, bool self_contact = false);

} // namespace sinew
