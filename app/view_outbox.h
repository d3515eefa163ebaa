// What waits to be sent to one client. It never grows: of layouts, states and frames only the newest is kept, so a slow client
// misses frames; one that lets texts pile up is given up. A client may also ask for a window: then at most so many frames are
// under way that it has not confirmed, which keeps what it shows fresh however much the network would buffer.
#pragma once
#include "core/file.h"
#include <deque>
#include <memory>
#include <optional>

namespace sinew {

using SharedBytes = std::shared_ptr<const Bytes>;

struct Outgoing {
    SharedBytes bytes;
    bool is_text = false;
    std::uint32_t serial = 0; // of a frame, 0 = none
};
struct Outbox {
    std::deque<SharedBytes> texts; // answers, errors, lines of the log
    SharedBytes layout, state;     // the newest, null = sent
    Outgoing frame;
    bool overflown = false;        // texts were not taken: the client is to be closed
    int window = 0;                // frames under way at most, 0 = as many as the network takes
    std::deque<std::uint32_t> under_way; // serials of frames sent and not confirmed; with a window only
};
inline constexpr std::size_t kMostWaitingTexts = 256;

void add_text(Outbox&, SharedBytes);
void put_state(Outbox&, SharedBytes);
void put_layout(Outbox&, SharedBytes); // a frame that waits belongs to the one before and is dropped
void put_frame(Outbox&, SharedBytes, std::uint32_t serial);
void confirm(Outbox&, std::uint32_t serial);
std::optional<Outgoing> take(Outbox&); // the next to send, if there is one and it may go

} // namespace sinew
