#include "view_hub.h"
#include "view_protocol.h"
#include <algorithm>

namespace sinew {

namespace {

SharedBytes bytes_of(std::string_view text) { return std::make_shared<const Bytes>(text.begin(), text.end()); }

// with the lock held: the network is told once, however much waits
void wake_client(ViewClient& c) {
    if (std::exchange(c.woken, true)) return;
    c.wake();
}

template <class F> void for_clients(Hub& hub, int client, F&& f) {
    const std::lock_guard lock(hub.mutex);
    for (const auto& c : hub.clients) {
        if (client != 0 && c->id != client) continue;
        f(*c);
        wake_client(*c);
    }
}

// what the network does by itself: the simulation may be in the middle of a long step
bool handle_at_once(ViewClient& c, const ViewMessage& m) {
    if (m.what == ViewMessage::Do::window) c.outbox.window = m.count;
    else if (m.what == ViewMessage::Do::got) confirm(c.outbox, std::uint32_t(m.count));
    else return false;
    wake_client(c);
    return true;
}

void add_command(Hub& hub, int client, ViewMessage message) {
    // a hand that moves asks often: the newest place is enough
    if (message.what == ViewMessage::Do::drag && !hub.commands.empty() && hub.commands.back().client == client &&
        hub.commands.back().message.what == ViewMessage::Do::drag)
        hub.commands.pop_back();
    hub.commands.push_back({client, std::move(message)});
    hub.changed.notify_one();
}

} // namespace

std::shared_ptr<ViewClient> join_hub(Hub& hub, std::function<void()> wake) {
    const std::lock_guard lock(hub.mutex);
    if (hub.clients.size() >= kMostViewClients || hub.over) return nullptr;
    auto c = std::make_shared<ViewClient>();
    c->id = ++hub.last_client;
    c->wake = std::move(wake);
    hub.clients.push_back(c);
    ViewMessage message;
    message.what = ViewMessage::Do::join;
    add_command(hub, c->id, message);
    return c;
}

void leave_hub(Hub& hub, int client) {
    const std::lock_guard lock(hub.mutex);
    std::erase_if(hub.clients, [&](const auto& c) { return c->id == client; });
    std::erase_if(hub.commands, [&](const ViewCommand& c) { return c.client == client; });
    ViewMessage message;
    message.what = ViewMessage::Do::leave;
    add_command(hub, client, message);
}

void receive(Hub& hub, ViewClient& c, std::string_view text) {
    Result<ViewMessage> m = parse_view_message(text);
    const std::lock_guard lock(hub.mutex);
    const auto refuse = [&](const std::string& why) {
        add_text(c.outbox, bytes_of(view_error(m ? m.value->word : "", why)));
        wake_client(c);
    };
    if (!m) return refuse(to_string(m.errors[0]));
    if (handle_at_once(c, *m.value)) return;
    if (hub.commands.size() >= kMostWaitingCommands) return refuse("too much is asked for at once; this was left out");
    add_command(hub, c.id, std::move(*m.value));
}

std::optional<Outgoing> next_to_send(Hub& hub, ViewClient& c) {
    const std::lock_guard lock(hub.mutex);
    c.woken = false;
    return take(c.outbox);
}

bool is_given_up(Hub& hub, ViewClient& c) {
    const std::lock_guard lock(hub.mutex);
    c.woken = false; // while a write is stuck nothing else asks
    return c.outbox.overflown;
}

void end_hub(Hub& hub) {
    const std::lock_guard lock(hub.mutex);
    hub.over = true;
    hub.changed.notify_all();
}

bool wait_for_commands(Hub& hub, HubTime until, std::vector<ViewCommand>& out) {
    std::unique_lock lock(hub.mutex);
    hub.changed.wait_until(lock, until, [&] { return hub.over || !hub.commands.empty(); });
    out.assign(std::make_move_iterator(hub.commands.begin()), std::make_move_iterator(hub.commands.end()));
    hub.commands.clear();
    return !hub.over;
}

void tell(Hub& hub, int client, const std::string& text) {
    const SharedBytes bytes = bytes_of(text);
    for_clients(hub, client, [&](ViewClient& c) { add_text(c.outbox, bytes); });
}

void tell_state(Hub& hub, const std::string& text) {
    const SharedBytes bytes = bytes_of(text);
    for_clients(hub, 0, [&](ViewClient& c) { put_state(c.outbox, bytes); });
}

void send_layout(Hub& hub, int client, const SharedBytes& layout) {
    for_clients(hub, client, [&](ViewClient& c) { put_layout(c.outbox, layout); });
}

std::vector<std::string> shown_fields(Hub& hub) {
    const std::lock_guard lock(hub.mutex);
    std::vector<std::string> fields;
    for (const auto& c : hub.clients)
        if (std::find(fields.begin(), fields.end(), c->field) == fields.end()) fields.push_back(c->field);
    return fields;
}

void send_frame(Hub& hub, int client, const std::string& field, const SharedBytes& frame, std::uint32_t serial) {
    for_clients(hub, client, [&](ViewClient& c) {
        if (c.field == field) put_frame(c.outbox, frame, serial);
    });
}

void choose_field(Hub& hub, int client, const std::string& field) {
    for_clients(hub, client, [&](ViewClient& c) { c.field = field; });
}

} // namespace sinew
