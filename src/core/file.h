// One file on disk by its descriptor: reads and writes at given places, each failure an Error with the path
// and the system's reason. POSIX calls instead of streams, because streams lose the reason (disk full, no
// permission).
#pragma once
#include "sinew/types.h"
#include <cstddef>
#include <span>

namespace sinew {

using Errors = std::vector<Error>;
using Bytes = std::vector<std::uint8_t>;
using ByteSpan = std::span<const std::uint8_t>;

// "cannot write: No space left on device", file = path; `code` is errno
Error file_error(const std::string& path, std::string_view action, int code);
Error file_error(const std::string& path, std::string message);
// about the part `path` of what a file holds; the caller adds the file
Error data_error(std::string_view path, std::string message);

struct File { // closed by the destructor; moved, never copied
    File() = default;
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    ~File();
    int descriptor = -1;
    std::string path;
};
inline bool is_open(const File& file) { return file.descriptor >= 0; }

Errors open_to_read(const std::string& path, File& file); // an ordinary file only: no folder, device or pipe
Errors open_to_create(const std::string& path, File& file); // an existing file is emptied
Errors open_new(const std::string& path, File& file);       // fails if the file exists
Errors open_to_update(const std::string& path, File& file); // an existing file, read and written
Errors file_size(const File& file, std::uint64_t& size);
Errors read_at(const File& file, std::uint64_t offset, std::span<std::uint8_t> bytes); // short = error
Errors write_at(const File& file, std::uint64_t offset, ByteSpan bytes);
Errors truncate(const File& file, std::uint64_t size);
Errors sync(const File& file); // the data is on the disk when this returns
Errors close(File& file);

Errors read_file(const std::string& path, std::uint64_t max_bytes, Bytes& bytes); // the whole file

inline ByteSpan as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline void add_errors(Errors& to, const Errors& from) { to.insert(to.end(), from.begin(), from.end()); }

} // namespace sinew
