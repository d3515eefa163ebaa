// HTTP and WebSocket on this machine only (127.0.0.1), in a thread of its own: the page's files at /, the hub at /live.
#pragma once
#include "view_hub.h"
#include <string>

namespace sinew {

struct ViewServer {
    virtual ~ViewServer() = default; // ends all connections and its thread
    int port = 0;
};
// port 0 = any that is free. SIGINT and SIGTERM end the hub; a second one ends the program at once.
Result<std::unique_ptr<ViewServer>> start_view_server(Hub&, const std::string& page, int port);

} // namespace sinew
