// What a page asks for: one JSON object per message, {"do": word, ...}; docs/viewer.md lists them.
#pragma once
#include "sinew/types.h"

namespace sinew {

struct ViewMessage {
    enum class Do { play, pause, step, restart, speed, loop, seek, field, set, grab, drag, release, hash, window, got, join, leave };
    Do what = Do::pause;      // join and leave: a client came or went; not to be sent
    std::string word;         // the same, as sent
    int count = 1;            // step: how many; seek: frame; window: frames under way; got: serial
    bool steps = false;       // step: of the solver, instead of whole frames
    bool on = true;           // loop
    double speed = 1;         // of time; 0 = as fast as it goes
    std::string path, value;  // set: as --set takes them; field: path
    int object = -1, vertex = -1; // grab: of the layout
    Real3 at;                 // [m] grab: where; drag: where to
};

inline constexpr std::size_t kLargestViewMessage = 64 * 1024; // [bytes]

// Errors say what is wrong with it; nothing in a message can do more than be refused.
Result<ViewMessage> parse_view_message(std::string_view text);

} // namespace sinew
