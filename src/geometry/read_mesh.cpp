#include "geometry/read_mesh.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>

namespace sinew {

namespace {
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t(8) << 30; // more than 32-bit indices can use

Result<PolygonMesh> fail_reading(const std::string& path, std::string message, std::string allowed = {}) {
    Error e;
    e.file = path;
    e.message = std::move(message);
    e.allowed = std::move(allowed);
    Result<PolygonMesh> r;
    r.errors.push_back(std::move(e));
    return r;
}

// The whole file; the error text on failure. Devices and pipes are refused, as they may never end.
std::string read_bytes(const std::string& path, std::string& bytes) {
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (code || !std::filesystem::exists(status)) return "the mesh file does not exist or may not be read";
    if (!std::filesystem::is_regular_file(status)) return "this is not a file";
    const std::uintmax_t size = std::filesystem::file_size(path, code);
    if (code) return "the size of the mesh file cannot be found: " + code.message();
    if (size > kMaxFileBytes) return "the mesh file is larger than 8 GiB";
    std::ifstream in(path, std::ios::binary);
    if (!in) return "the mesh file cannot be opened for reading";
    bytes.resize(size);
    in.read(bytes.data(), std::streamsize(size));
    if (in.bad() || std::uintmax_t(in.gcount()) != size) return "the mesh file cannot be read to its end";
    return {};
}
} // namespace

Result<PolygonMesh> read_mesh(const std::string& path) {
    try {
        std::string extension = std::filesystem::path(path).extension().string();
        std::transform(extension.begin(), extension.end(), extension.begin(),
                       [](unsigned char c) { return char(std::tolower(c)); });
        const auto parse = extension == ".obj"   ? parse_obj
                           : extension == ".ply" ? parse_ply
                           : extension == ".stl" ? parse_stl
                                                 : nullptr;
        if (!parse) return fail_reading(path, "unknown kind of mesh file \"" + extension + "\"", ".obj, .ply, .stl");
        std::string bytes;
        std::string problem = read_bytes(path, bytes);
        if (!problem.empty()) return fail_reading(path, std::move(problem));
        return parse(bytes, path);
    } catch (const std::bad_alloc&) {
        return fail_reading(path, "not enough memory for this mesh");
    } catch (const std::exception& e) { // path conversion and the like
        return fail_reading(path, std::string("the mesh file cannot be read: ") + e.what());
    }
}

} // namespace sinew
