// How an object takes part in collisions, whatever its kind: friction, groups.
//   "group": 3, "touches": [0, 1]    two objects meet if each touches the other's group
#pragma once
#include "scene/object.h"

namespace sinew {

struct TouchParams {
    int group = 0;
    std::vector<double> touches;
};
template <class V> void touch_fields(TouchParams& p, V&& v) {
    v("group", p.group, Field{.min = 0, .max = 31, .doc = "collision group it belongs to"});
    v("touches", p.touches, Field{.min = 0, .max = 31, .doc = "collision groups it touches; default: all"});
}
// of the object begun last
void set_touch(BuildContext&, const TouchParams&, Real friction, bool self_contact = false);

} // namespace sinew
