// The files of the viewer's page, and who may ask for them.
#pragma once
#include "core/file.h"
#include <string>
#include <string_view>

namespace sinew {

// The folder with index.html: the given one, or web/ beside the program, or ../share/sinew/web; empty = there is none.
std::string find_page(const std::string& given);

struct PageFile {
    int status = 200; // HTTP
    std::string type; // Content-Type
    std::string body;
};
// target: as a browser asks for it, "/", "/assets/index.js?x". Nothing outside of the folder is ever read. Without a folder the
// answer tells how to build the page.
PageFile read_page(const std::string& folder, std::string_view target);

// "127.0.0.1:8017", "localhost", "[::1]:80": names of this machine that no other one can have. Pages of other places reach a
// server on this machine by names of their own (DNS rebinding) or send their origin.
bool is_loopback_host(std::string_view host);
bool is_loopback_origin(std::string_view origin); // "http://localhost:8017"

} // namespace sinew
