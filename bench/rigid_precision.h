// The packed single precision of the default against the scalar double oracle, in rows of the results.
#pragma once
#include "bench.h"
#include "rigid_scenes.h"

namespace sinew::bench {

void compare_precision(Results&, const RigidScene&);

} // namespace sinew::bench
