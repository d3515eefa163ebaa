#include "view_loop.h"
#include "core/nearest.h"
#include "view_protocol.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sinew {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kForever = std::chrono::hours(24);
constexpr auto kShortest = std::chrono::milliseconds(8); // between frames while it runs: no screen shows more
constexpr double kLate = 0.25;                           // [s] behind the clock: it cannot keep up and starts counting anew
constexpr std::size_t kMostNews = 20;                    // lines of the log per frame

// at most three years, so that nanoseconds fit
std::chrono::nanoseconds seconds_long(double s) { return std::chrono::nanoseconds(std::int64_t(std::clamp(s, -1e8, 1e8) * 1e9)); }

struct ViewLoop {
    Hub& hub;
    ViewSource& source;
    bool playing = false, looping = false;
    bool waiting = false;         // for the first client, to play to
    bool failed = false;
    std::string message;          // why it failed
    int steps = 0, frames = 0;    // still to go before it pauses; 0 = it plays on
    double speed = 1;
    HubTime since;                // pace: the time of the scene was `from` then
    double from = 0;
    HubTime shown;                // when the last frame was sent
    double cost = 0;              // [s] wall time since the frame before
    int holder = 0;               // client that holds something
    std::uint32_t serial = 0, layout_id = 0;
    int revision = -1;
    ViewNames names;
    SharedBytes layout;
    std::vector<std::string> news;
};

void start_clock(ViewLoop& l) {
    l.since = Clock::now();
    l.from = l.source.place().time;
}

std::string greeting(const ViewLoop& l, const ViewOptions& o) {
    Value v = l.source.describe();
    set(v, "type", make_text("hello"));
    set(v, "protocol", make_number(kViewProtocol));
    set(v, "version", make_text(version()));
    set(v, "file", make_text(o.file));
    return write_value(v, 0);
}

const char* state_word(const ViewLoop& l) {
    if (l.failed) return "failed";
    if (l.playing) return "playing";
    return l.source.at_end() ? "finished" : "paused";
}

void tell_state(ViewLoop& l) {
    const ViewPlace p = l.source.place();
    Value v = make_object();
    set(v, "type", make_text("state"));
    set(v, "state", make_text(state_word(l)));
    set(v, "message", make_text(l.message));
    set(v, "frame", make_number(p.frame));
    set(v, "first_frame", make_number(p.first_frame));
    set(v, "last_frame", make_number(p.last_frame));
    set(v, "time", make_number(p.time));
    set(v, "step", make_number(double(p.step)));
    set(v, "speed", make_number(l.speed));
    set(v, "loop", make_boolean(l.looping));
    sinew::tell_state(l.hub, write_value(v, 0));
}

// a new layout where something came or went, or where frames name other numbers
Errors refresh_layout(ViewLoop& l) {
    const Snapshot& now = l.source.look();
    ViewNames names = find_view_names(l.source.layout(), now);
    if (l.layout && l.revision == l.source.revision() && l.names == names) return {};
    Result<Bytes> bytes = encode_view_layout(l.source.layout(), now, names, l.layout_id + 1);
    if (!bytes) return bytes.errors;
    ++l.layout_id;
    l.revision = l.source.revision();
    l.names = std::move(names);
    l.layout = std::make_shared<const Bytes>(std::move(*bytes.value));
    send_layout(l.hub, 0, l.layout);
    return {};
}

// the state as it is now, to one client or to all (0)
void show(ViewLoop& l, int client) {
    if (const Errors e = refresh_layout(l); !e.empty()) {
        l.failed = true, l.playing = false, l.message = to_string(e[0]);
        return;
    }
    for (const std::string& line : l.news) tell(l.hub, 0, view_log(line));
    l.news.clear();
    ViewFrame frame{++l.serial, l.layout_id, l.source.place().frame, l.cost, {}, &l.source.look(), l.source.look_before()};
    for (const std::string& field : shown_fields(l.hub)) {
        frame.field = field;
        const auto bytes = std::make_shared<const Bytes>(encode_view_frame(l.source.layout(), l.names, frame));
        send_frame(l.hub, client, field, bytes, l.serial);
    }
    l.shown = Clock::now();
}

void stop(ViewLoop& l) {
    l.playing = false;
    l.steps = l.frames = 0;
    show(l, 0);
}

void restart(ViewLoop& l, int client) {
    if (const Errors e = l.source.restart(); !e.empty()) {
        for (const Error& x : e) tell(l.hub, client, view_error("restart", to_string(x)));
        l.playing = false;
        return;
    }
    l.failed = false;
    l.message.clear();
    l.cost = 0;
    l.holder = 0;
    start_clock(l);
    show(l, 0);
}

void play(ViewLoop& l, int client) {
    if (l.source.at_end()) restart(l, client);
    l.playing = !l.failed && !l.source.at_end();
    l.steps = l.frames = 0;
    start_clock(l);
}

void single_step(ViewLoop& l, const ViewMessage& m, int client) {
    if (l.failed || l.source.at_end()) {
        tell(l.hub, client, view_error(m.word, l.failed ? "it has failed; restart" : "this is the end; restart"));
        return;
    }
    l.playing = true;
    l.steps = m.steps ? m.count : 0;
    l.frames = m.steps ? 0 : m.count;
}

void join(ViewLoop& l, int client, const ViewOptions& o) {
    if (std::exchange(l.waiting, false)) l.playing = !l.source.at_end(), start_clock(l);
    tell(l.hub, client, greeting(l, o));
    send_layout(l.hub, client, l.layout);
    show(l, client);
}

void answer_hash(ViewLoop& l, const ViewMessage& m, int client) {
    const Result<std::string> hash = l.source.hash_text();
    if (!hash) return tell(l.hub, client, view_error(m.word, to_string(hash.errors[0])));
    Value v = make_object();
    set(v, "type", make_text("hash"));
    set(v, "hash", make_text(*hash.value));
    set(v, "step", make_number(double(l.source.place().step)));
    tell(l.hub, client, write_value(v, 0));
}

void show_field(ViewLoop& l, const ViewMessage& m, int client) {
    const std::vector<std::string>& known = l.names.fields;
    if (!m.path.empty() && std::find(known.begin(), known.end(), m.path) == known.end()) {
        const Error e{.path = "name", .value = m.path, .message = "no object has a field of this name", .allowed = list_words(known),
                      .nearest = find_nearest(m.path, known)};
        return tell(l.hub, client, view_error(m.word, to_string(e)));
    }
    choose_field(l.hub, client, m.path);
    show(l, client);
}

// what changes the source; true if there is something new to see
bool change(ViewLoop& l, const ViewCommand& c) {
    using Do = ViewMessage::Do;
    const ViewMessage& m = c.message;
    Errors errors;
    if (m.what == Do::seek) errors = l.source.seek(m.count), start_clock(l);
    if (m.what == Do::set) errors = l.source.set_live(m.path, m.value);
    if (m.what == Do::grab) {
        errors = l.source.grab(m.object, m.vertex, m.at);
        if (errors.empty()) l.holder = c.client;
    }
    if (m.what == Do::drag && l.holder == c.client) l.source.drag(m.at);
    if ((m.what == Do::release || m.what == Do::leave) && l.holder == c.client) l.source.release(), l.holder = 0;
    for (const Error& e : errors) tell(l.hub, c.client, view_error(m.word, to_string(e)));
    if (m.what != Do::seek || !errors.empty()) return false;
    l.failed = false;
    l.message.clear();
    return true;
}

void handle(ViewLoop& l, const ViewCommand& c, const ViewOptions& o) {
    const ViewMessage& m = c.message;
    switch (m.what) {
    case ViewMessage::Do::play: play(l, c.client); break;
    case ViewMessage::Do::pause: stop(l); break;
    case ViewMessage::Do::step: single_step(l, m, c.client); break;
    case ViewMessage::Do::restart: restart(l, c.client); break;
    case ViewMessage::Do::speed: l.speed = m.speed, start_clock(l); break;
    case ViewMessage::Do::loop: l.looping = m.on; break;
    case ViewMessage::Do::field: show_field(l, m, c.client); break;
    case ViewMessage::Do::hash: answer_hash(l, m, c.client); break;
    case ViewMessage::Do::join: join(l, c.client, o); break;
    default:
        if (change(l, c)) show(l, 0);
    }
}

// when the next step is due
HubTime due(const ViewLoop& l) {
    if (!l.playing) return Clock::now() + kForever;
    if (l.steps > 0 || l.frames > 0 || l.speed <= 0 || !l.source.at_frame()) return {}; // long since
    return l.since + seconds_long((l.source.place().time - l.from) / l.speed);
}

// after a step that ended a frame, or one that was asked for
void show_progress_of(ViewLoop& l) {
    const bool counts = l.steps > 0 ? --l.steps == 0 : l.frames > 0 && l.source.at_frame() && --l.frames == 0;
    const bool asked = counts || l.steps > 0 || l.frames > 0;
    const bool ends = l.source.at_end();
    if (ends && l.looping && !asked) {
        show(l, 0);
        return restart(l, 0);
    }
    if (ends || counts) return stop(l);
    if (!l.source.at_frame() && l.steps == 0) return;
    if (asked || Clock::now() - l.shown >= kShortest) show(l, 0);
    // behind the clock: the pace cannot be kept, so that it does not try to make up for it later
    if (l.speed > 0 && l.frames == 0 && l.steps == 0 && Clock::now() - due(l) > seconds_long(kLate)) start_clock(l);
}

void advance(ViewLoop& l) {
    const HubTime begin = Clock::now();
    if (l.source.at_frame()) l.cost = 0;
    const Errors e = l.source.advance();
    l.cost += std::chrono::duration<double>(Clock::now() - begin).count();
    for (std::string& line : l.source.news())
        if (l.news.size() < kMostNews) l.news.push_back(std::move(line));
    if (!e.empty()) {
        l.failed = true;
        l.message = to_string(e[0]);
        stop(l);
        return;
    }
    show_progress_of(l);
}

} // namespace

Errors run_view(Hub& hub, ViewSource& source, const ViewOptions& o) {
    ViewLoop l{.hub = hub, .source = source, .looping = o.loop, .speed = o.speed};
    if (Errors e = refresh_layout(l); !e.empty()) return e;
    l.waiting = !o.paused;
    std::vector<ViewCommand> commands;
    while (wait_for_commands(hub, due(l), commands)) {
        for (const ViewCommand& c : commands) handle(l, c, o);
        const bool was_playing = l.playing;
        if (l.playing && Clock::now() >= due(l)) advance(l);
        if (!commands.empty() || was_playing != l.playing) tell_state(l);
    }
    return {};
}

} // namespace sinew
