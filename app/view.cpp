// sinew view: a scene while it is simulated, or a recording, in the browser (docs/viewer.md).
#include "view_loop.h"
#include "view_page.h"
#include "view_server.h"
#include <cstdlib>
#include <fmt/format.h>

namespace sinew {

#ifdef SINEW_HAVE_BEAST

static void open_browser(const std::string& address) {
    // the address is ours: letters, digits and : / only
    if (std::system(("xdg-open " + address + " >/dev/null 2>&1 &").c_str()) != 0) fmt::print(stderr, "xdg-open does not work here\n");
}

int command_view(const ViewOptions& options) {
    auto source = is_recording_file(options.file) ? make_recording_source(options.file) : make_live_source(options);
    if (!source) return print_errors(source.errors), kBadInput;
    const std::string page = find_page(options.page);
    if (!options.page.empty() && page.empty()) {
        print_errors({Error{.path = "--page", .value = options.page, .message = "no index.html in this folder", .allowed = "the folder `npm run build` made"}});
        return kBadInput;
    }
    Hub hub;
    auto server = start_view_server(hub, page, options.port);
    if (!server) return print_errors(server.errors), kFailed;
    const std::string address = fmt::format("http://127.0.0.1:{}/", (*server.value)->port);
    fmt::print("{}  (Ctrl-C ends)\n", address);
    if (page.empty()) fmt::print("the page is not built: `cd web && npm ci && npm run build`, then --page web/dist\n");
    std::fflush(stdout);
    if (options.open) open_browser(address);
    const Errors failed = run_view(hub, **source.value, options);
    print_errors(failed);
    return failed.empty() ? kOk : kFailed;
}

#else

int command_view(const ViewOptions&) {
    print_errors({Error{.message = "this build has no viewer: Boost.Beast was not found when it was configured",
                        .allowed = "install libboost-dev, then cmake --preset release and build again"}});
    return kFailed;
}

#endif

} // namespace sinew
