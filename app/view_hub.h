// Where the thread of the network and the thread of the simulation meet: clients with what is to be sent to them, and what they
// asked for. One lock guards all of it and is held for moments only; neither side waits for the other's work.
#pragma once
#include "view_message.h"
#include "view_outbox.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace sinew {

struct ViewClient {
    int id = 0;
    std::string field;          // that it shows in colours
    Outbox outbox;
    bool woken = false;         // the network has been told that something waits
    std::function<void()> wake; // tells it
};
struct ViewCommand {
    int client = 0;
    ViewMessage message;
};
struct Hub {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<ViewCommand> commands;
    std::vector<std::shared_ptr<ViewClient>> clients;
    int last_client = 0;
    bool over = false; // the program is to end
};
inline constexpr std::size_t kMostViewClients = 16, kMostWaitingCommands = 256;

// Of the network's thread.
std::shared_ptr<ViewClient> join_hub(Hub&, std::function<void()> wake); // null = too many are there
void leave_hub(Hub&, int client);
void receive(Hub&, ViewClient&, std::string_view text);                 // a message; what is wrong is answered
std::optional<Outgoing> next_to_send(Hub&, ViewClient&);
bool is_given_up(Hub&, ViewClient&);
void end_hub(Hub&);

// Of the simulation's thread.
using HubTime = std::chrono::steady_clock::time_point;
// Waits until something was asked for, or the time has come, or it is over (then false).
bool wait_for_commands(Hub&, HubTime until, std::vector<ViewCommand>& out);
void tell(Hub&, int client, const std::string& text); // one client; 0 = all
void tell_state(Hub&, const std::string& text);       // the newest counts
void send_layout(Hub&, int client, const SharedBytes&);
std::vector<std::string> shown_fields(Hub&);          // of all clients, each once
// to clients that show `field`; client 0 = all of them
void send_frame(Hub&, int client, const std::string& field, const SharedBytes&, std::uint32_t serial);
void choose_field(Hub&, int client, const std::string& field);

} // namespace sinew
