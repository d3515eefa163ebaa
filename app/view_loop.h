// Plays a source to the clients of a hub: play, pause, single steps, restart, pace. One thread, the caller's.
#pragma once
#include "view_hub.h"
#include "view_source.h"

namespace sinew {

// Until the hub is over. Errors: the first frame cannot be shown.
Errors run_view(Hub&, ViewSource&, const ViewOptions&);

} // namespace sinew
