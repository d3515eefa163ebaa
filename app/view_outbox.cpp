#include "view_outbox.h"
#include <utility>

namespace sinew {

void add_text(Outbox& o, SharedBytes text) {
    if (o.texts.size() >= kMostWaitingTexts) o.overflown = true;
    else o.texts.push_back(std::move(text));
}

void put_state(Outbox& o, SharedBytes state) { o.state = std::move(state); }

void put_layout(Outbox& o, SharedBytes layout) {
    o.layout = std::move(layout);
    o.frame = {};
}

void put_frame(Outbox& o, SharedBytes frame, std::uint32_t serial) { o.frame = {std::move(frame), false, serial}; }

void confirm(Outbox& o, std::uint32_t serial) {
    while (!o.under_way.empty() && o.under_way.front() <= serial) o.under_way.pop_front();
}

std::optional<Outgoing> take(Outbox& o) {
    if (!o.texts.empty()) {
        Outgoing next{std::move(o.texts.front()), true, 0};
        o.texts.pop_front();
        return next;
    }
    if (o.layout) return Outgoing{std::exchange(o.layout, nullptr), false, 0};
    if (o.window <= 0) o.under_way.clear();
    // the frame first: a state tells of it
    if (o.frame.bytes && (o.window <= 0 || o.under_way.size() < std::size_t(o.window))) {
        if (o.window > 0) o.under_way.push_back(o.frame.serial);
        return std::exchange(o.frame, {});
    }
    if (o.state) return Outgoing{std::exchange(o.state, nullptr), true, 0};
    return std::nullopt;
}

} // namespace sinew
