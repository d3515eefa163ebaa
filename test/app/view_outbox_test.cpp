// What waits for a client: the newest of each kind, and never more.
#include "view_hub.h"
#include "view_protocol.h"
#include <gtest/gtest.h>

using namespace sinew;

namespace {

SharedBytes bytes_with(int n) { return std::make_shared<const Bytes>(Bytes{std::uint8_t(n)}); }
int value_of(const std::optional<Outgoing>& o) { return o ? (*o->bytes)[0] : -1; }

std::string text_of(const std::optional<Outgoing>& o) { return o ? std::string(o->bytes->begin(), o->bytes->end()) : std::string(); }

} // namespace

TEST(view_outbox, only_the_newest_frame_waits) {
    Outbox o;
    for (int i = 1; i <= 100; ++i) put_frame(o, bytes_with(i), std::uint32_t(i));
    EXPECT_EQ(value_of(take(o)), 100);
    EXPECT_FALSE(take(o));
}

TEST(view_outbox, a_layout_goes_before_the_frames_that_need_it) {
    Outbox o;
    put_frame(o, bytes_with(1), 1);
    put_layout(o, bytes_with(2)); // the frame before it cannot be understood any more
    put_frame(o, bytes_with(3), 2);
    put_state(o, bytes_with(4));
    add_text(o, bytes_with(5));
    for (int expected : {5, 2, 3, 4, -1}) EXPECT_EQ(value_of(take(o)), expected);
}

TEST(view_outbox, texts_do_not_pile_up) {
    Outbox o;
    for (std::size_t i = 0; i < kMostWaitingTexts; ++i) add_text(o, bytes_with(1));
    EXPECT_FALSE(o.overflown);
    add_text(o, bytes_with(1));
    EXPECT_TRUE(o.overflown);
    EXPECT_EQ(o.texts.size(), kMostWaitingTexts);
}

TEST(view_outbox, a_window_holds_frames_back_until_they_are_confirmed) {
    Outbox o;
    o.window = 2;
    for (std::uint32_t i = 1; i <= 2; ++i) {
        put_frame(o, bytes_with(int(i)), i);
        EXPECT_EQ(value_of(take(o)), int(i));
    }
    put_frame(o, bytes_with(3), 3);
    EXPECT_FALSE(take(o));
    put_frame(o, bytes_with(9), 9);
    confirm(o, 1);
    EXPECT_EQ(value_of(take(o)), 9) << "the newest";
    put_frame(o, bytes_with(10), 10);
    EXPECT_FALSE(take(o)) << "2 and 9 are under way";
    confirm(o, 9);
    EXPECT_EQ(value_of(take(o)), 10);
    put_frame(o, bytes_with(11), 11);
    o.window = 0;
    EXPECT_EQ(value_of(take(o)), 11) << "without a window";
}

TEST(view_hub, commands_are_bounded_and_refusals_are_told) {
    Hub hub;
    int woken = 0;
    const auto client = join_hub(hub, [&] { ++woken; });
    ASSERT_TRUE(client);
    for (std::size_t i = 0; i < kMostWaitingCommands + 10; ++i) receive(hub, *client, R"({"do": "step"})");
    EXPECT_EQ(hub.commands.size(), kMostWaitingCommands);
    EXPECT_EQ(woken, 1) << "the network is told once until it looks";
    EXPECT_NE(text_of(next_to_send(hub, *client)).find("too much"), std::string::npos);
    receive(hub, *client, "nonsense");
    EXPECT_EQ(woken, 2);
}

TEST(view_hub, a_hand_that_moves_is_one_command) {
    Hub hub;
    const auto client = join_hub(hub, [] {});
    for (int i = 0; i < 1000; ++i) receive(hub, *client, R"({"do": "drag", "to": [1, 2, 3]})");
    EXPECT_EQ(hub.commands.size(), 2u) << "the client came, and its last place";
}

TEST(view_hub, frames_go_to_those_that_show_their_field) {
    Hub hub;
    const auto a = join_hub(hub, [] {}), b = join_hub(hub, [] {});
    choose_field(hub, b->id, "strain");
    EXPECT_EQ(shown_fields(hub), (std::vector<std::string>{"", "strain"}));
    send_frame(hub, 0, "", bytes_with(1), 1);
    send_frame(hub, 0, "strain", bytes_with(2), 1);
    EXPECT_EQ(value_of(next_to_send(hub, *a)), 1);
    EXPECT_EQ(value_of(next_to_send(hub, *b)), 2);
    leave_hub(hub, b->id);
    EXPECT_EQ(shown_fields(hub), std::vector<std::string>{""});
}

TEST(view_hub, too_many_clients_are_sent_away) {
    Hub hub;
    std::vector<std::shared_ptr<ViewClient>> clients;
    for (std::size_t i = 0; i < kMostViewClients; ++i) clients.push_back(join_hub(hub, [] {}));
    EXPECT_TRUE(clients.back());
    EXPECT_FALSE(join_hub(hub, [] {}));
    leave_hub(hub, clients[3]->id);
    EXPECT_TRUE(join_hub(hub, [] {}));
}

TEST(view_hub, waiting_ends_when_it_is_over) {
    Hub hub;
    end_hub(hub);
    std::vector<ViewCommand> commands;
    EXPECT_FALSE(wait_for_commands(hub, std::chrono::steady_clock::now() + std::chrono::hours(1), commands));
    EXPECT_FALSE(join_hub(hub, [] {}));
}
