#include "view_page.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHowToBuild = "<!doctype html><meta charset=utf-8><title>Sinew</title><body style='font-family:sans-serif;margin:3em'>"
                                    "<h1>The viewer's page is not built</h1><p>The server runs, but there is no page to show. "
                                    "With Node 18 or later:</p><pre>cd web\nnpm ci\nnpm run build</pre>"
                                    "<p>puts it into <code>web/dist</code>; then <code>sinew view --page web/dist ...</code>, or <code>cmake "
                                    "--build build/release --target web</code> puts it beside the program.</p>";

// the path of a target as file names; false: something that no file of the page is called
bool parse_target(std::string_view target, fs::path& out) {
    target = target.substr(0, target.find_first_of("?#"));
    if (target.empty() || target[0] != '/') return false;
    target.remove_prefix(1);
    if (target.empty()) target = "index.html";
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '/';
    };
    if (!std::all_of(target.begin(), target.end(), plain) || fs::path(target).is_absolute()) return false;
    for (const fs::path& part : fs::path(target))
        if (part.empty() || part.string()[0] == '.') return false;
    out = fs::path(target);
    return true;
}

std::string type_of(const fs::path& file) {
    const std::string end = file.extension().string();
    const std::pair<const char*, const char*> types[] = {{".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
                                                         {".css", "text/css; charset=utf-8"},   {".svg", "image/svg+xml"},
                                                         {".png", "image/png"},                 {".json", "application/json"},
                                                         {".ico", "image/x-icon"}};
    for (const auto& [ending, type] : types)
        if (end == ending) return type;
    return "application/octet-stream";
}

std::string_view without_port(std::string_view host) {
    if (!host.empty() && host[0] == '[') return host.substr(0, host.find(']') + 1);
    return host.substr(0, host.find(':'));
}

} // namespace

std::string find_page(const std::string& given) {
    std::error_code failed;
    const auto has_page = [&](const fs::path& folder) { return fs::is_regular_file(folder / "index.html", failed); };
    if (!given.empty()) return has_page(given) ? given : std::string();
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    for (const fs::path& folder : {program.parent_path() / "web", program.parent_path().parent_path() / "share/sinew/web"})
        if (has_page(folder)) return folder.string();
    return {};
}

PageFile read_page(const std::string& folder, std::string_view target) {
    fs::path name;
    if (!parse_target(target, name)) return {400, "text/plain; charset=utf-8", "no file of the page is called so\n"};
    if (folder.empty()) return {name == "index.html" ? 200 : 404, "text/html; charset=utf-8", kHowToBuild};
    std::error_code failed;
    const fs::path file = fs::path(folder) / name;
    std::ifstream in;
    if (fs::is_regular_file(file, failed)) in.open(file, std::ios::binary);
    if (!in.is_open()) return {404, "text/plain; charset=utf-8", "no such file\n"};
    return {200, type_of(file), std::string(std::istreambuf_iterator<char>(in), {})};
}

bool is_loopback_host(std::string_view host) {
    const std::string_view name = without_port(host);
    const std::string_view port = host.substr(name.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!port.empty() && (port[0] != ':' || !std::all_of(port.begin() + 1, port.end(), is_digit))) return false;
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

bool is_loopback_origin(std::string_view origin) {
    for (std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme)) return is_loopback_host(origin.substr(scheme.size()));
    return false;
}

} // namespace sinew
