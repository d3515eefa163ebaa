// Everything here runs in the server's one thread, so nothing but the hub needs a lock. Connections keep themselves alive: each
// operation under way holds a pointer to its connection, and the last one to end lets it go.
#include "view_server.h"
#include "view_page.h"
#include "view_protocol.h"
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

namespace sinew {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using Stream = beast::tcp_stream;
using Fault = beast::error_code;

constexpr auto kPatience = std::chrono::seconds(30); // for a request, and for an answer to be taken
constexpr auto kFarewell = std::chrono::milliseconds(500);
constexpr std::size_t kMostConnections = 64;
constexpr int kSendBuffer = 256 * 1024;              // [bytes] of the system: what it buffers is what a slow client is late by

struct Connection;
struct Connections { // what they share
    Hub& hub;
    std::string page;
    std::set<Connection*> open;       // so that they can be ended
    std::function<void()> when_empty; // once they are to end
};

struct Connection : std::enable_shared_from_this<Connection> {
    Connections& all;
    websocket::stream<Stream> ws; // plain HTTP goes through its next layer
    beast::flat_buffer buffer;
    std::optional<http::request_parser<http::string_body>> parser;
    std::shared_ptr<ViewClient> client;
    bool writing = false, closed = false;
    Outgoing sending;

    Connection(Connections& c, tcp::socket socket) : all(c), ws(std::move(socket)) { all.open.insert(this); }
    ~Connection() {
        all.open.erase(this);
        if (client) leave_hub(all.hub, client->id);
        if (all.open.empty() && all.when_empty) all.when_empty();
    }
    Stream& stream() { return ws.next_layer(); }

    void read_request() {
        parser.emplace();
        parser->header_limit(16 * 1024);
        parser->body_limit(16 * 1024);
        stream().expires_after(kPatience);
        http::async_read(stream(), buffer, *parser, [self = shared_from_this()](Fault failed, std::size_t) {
            if (!failed) self->answer();
        });
    }

    void answer() {
        const auto& request = parser->get();
        const auto plain = [](const auto& text) { return std::string(text.data(), text.size()); };
        const auto text = [&](http::field f) { return plain(request[f]); };
        const std::string target = plain(request.target());
        if (!is_loopback_host(text(http::field::host)))
            return reply({403, "text/plain; charset=utf-8", "this server answers to names of this machine only\n"});
        if (websocket::is_upgrade(request)) {
            if (request.count(http::field::origin) && !is_loopback_origin(text(http::field::origin)))
                return reply({403, "text/plain; charset=utf-8", "pages of other places may not connect\n"});
            if (target != "/live") return reply({404, "text/plain; charset=utf-8", "the socket is at /live\n"});
            return accept();
        }
        if (request.method() != http::verb::get && request.method() != http::verb::head)
            return reply({405, "text/plain; charset=utf-8", "GET and HEAD only\n"});
        reply(read_page(all.page, target));
    }

    void reply(PageFile file) {
        const auto& request = parser->get();
        auto response = std::make_shared<http::response<http::string_body>>(http::status(file.status), request.version());
        response->set(http::field::content_type, file.type);
        response->set(http::field::cache_control, "no-cache");
        response->set("X-Content-Type-Options", "nosniff");
        response->set("Content-Security-Policy", "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
                                                 "connect-src 'self' ws://127.0.0.1:* ws://localhost:*; frame-ancestors 'none'");
        const std::size_t size = file.body.size();
        if (request.method() != http::verb::head) response->body() = std::move(file.body);
        response->content_length(size);
        response->keep_alive(request.keep_alive() && file.status == 200);
        auto serializer = std::make_shared<http::response_serializer<http::string_body>>(*response);
        stream().expires_after(kPatience);
        const bool head = request.method() == http::verb::head;
        const auto done = [self = shared_from_this(), response, serializer](Fault failed, std::size_t) {
            if (failed) return;
            if (response->keep_alive()) return self->read_request();
            Fault ignored;
            self->stream().socket().shutdown(tcp::socket::shutdown_send, ignored);
        };
        if (head) http::async_write_header(stream(), *serializer, done);
        else http::async_write(stream(), *serializer, done);
    }

    void accept() {
        stream().expires_never(); // the socket has time limits of its own: pings, and an end when nothing answers
        ws.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
        ws.read_message_max(kLargestViewMessage);
        ws.async_accept(parser->get(), [self = shared_from_this()](Fault failed) {
            if (!failed) self->join();
        });
    }

    void join() {
        const std::weak_ptr<Connection> weak = weak_from_this();
        const auto executor = ws.get_executor();
        client = join_hub(all.hub, [weak, executor] {
            net::post(executor, [weak] {
                if (const auto self = weak.lock()) self->send();
            });
        });
        if (!client) return close(websocket::close_code::try_again_later);
        buffer.clear();
        read_message();
    }

    void read_message() {
        ws.async_read(buffer, [self = shared_from_this()](Fault failed, std::size_t) {
            if (failed) return self->end();
            const auto data = self->buffer.cdata();
            receive(self->all.hub, *self->client, {static_cast<const char*>(data.data()), data.size()});
            self->buffer.clear();
            self->read_message();
        });
    }

    void send() {
        if (closed) return;
        if (is_given_up(all.hub, *client)) return abandon();
        if (writing) return;
        std::optional<Outgoing> next = next_to_send(all.hub, *client);
        if (!next) return;
        writing = true;
        sending = std::move(*next);
        ws.text(sending.is_text);
        ws.async_write(net::buffer(*sending.bytes), [self = shared_from_this()](Fault failed, std::size_t) {
            self->writing = false;
            self->sending = {};
            if (!failed) self->send();
        });
    }

    void close(websocket::close_code why) {
        closed = true;
        ws.async_close(why, [self = shared_from_this()](Fault) {});
    }

    // without a word: the other side does not listen
    void abandon() {
        closed = true;
        stream().close();
    }

    void end() {
        closed = true;
        if (client) leave_hub(all.hub, std::exchange(client, nullptr)->id);
    }
};

struct BeastServer : ViewServer {
    Hub& hub;
    Connections connections; // outlives what is under way in `io`
    net::io_context io{1};
    tcp::acceptor acceptor{io};
    net::signal_set signals{io};
    net::steady_timer farewell{io};
    std::thread thread;

    BeastServer(Hub& h, const std::string& page) : hub(h), connections{h, page, {}, {}} {}
    ~BeastServer() override {
        net::post(io, [this] { end(); });
        if (thread.joinable()) thread.join();
        connections.when_empty = nullptr; // what is still open goes with `io`
    }

    Fault listen(int wanted) {
        Fault failed;
        const tcp::endpoint here(net::ip::address_v4::loopback(), std::uint16_t(wanted));
        acceptor.open(here.protocol(), failed);
        if (!failed) acceptor.set_option(net::socket_base::reuse_address(true), failed);
        if (!failed) acceptor.bind(here, failed);
        if (!failed) acceptor.listen(net::socket_base::max_listen_connections, failed);
        if (!failed) port = acceptor.local_endpoint(failed).port();
        return failed;
    }

    void start() {
        signals.add(SIGINT);
        signals.add(SIGTERM);
        signals.async_wait([this](Fault failed, int) {
            if (failed) return;
            Fault ignored;
            signals.clear(ignored); // the next one ends the program as it would without us
            end_hub(hub);
        });
        accept_next();
        thread = std::thread([this] { io.run(); });
    }

    void accept_next() {
        acceptor.async_accept([this](Fault failed, tcp::socket socket) {
            if (failed == net::error::operation_aborted) return;
            if (!failed && connections.open.size() < kMostConnections) {
                Fault ignored;
                socket.set_option(tcp::no_delay(true), ignored);
                socket.set_option(net::socket_base::send_buffer_size(kSendBuffer), ignored);
                std::make_shared<Connection>(connections, std::move(socket))->read_request();
            }
            if (!failed) return accept_next();
            // no sockets are left, for example: trying at once again would only burn the processor
            auto timer = std::make_shared<net::steady_timer>(io, std::chrono::milliseconds(100));
            timer->async_wait([this, timer](Fault stopped) {
                if (!stopped && acceptor.is_open()) accept_next();
            });
        });
    }

    // clients are told, and have a moment to answer
    void end() {
        Fault ignored;
        acceptor.close(ignored);
        signals.cancel(ignored);
        if (connections.open.empty()) return io.stop();
        connections.when_empty = [this] { io.stop(); };
        farewell.expires_after(kFarewell);
        farewell.async_wait([this](Fault) { io.stop(); });
        for (Connection* c : connections.open)
            if (c->client && !c->closed) c->close(websocket::close_code::going_away);
            else c->abandon();
    }
};

} // namespace

Result<std::unique_ptr<ViewServer>> start_view_server(Hub& hub, const std::string& page, int port) {
    auto server = std::make_unique<BeastServer>(hub, page);
    if (const Fault failed = server->listen(port))
        return {std::nullopt, {Error{.path = "--port", .value = std::to_string(port), .message = "cannot listen there: " + failed.message(),
                                     .allowed = "another --port; 0 takes any that is free"}}};
    server->start();
    return {std::unique_ptr<ViewServer>(std::move(server)), {}};
}

} // namespace sinew
