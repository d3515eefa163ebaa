// A file that appears under its name complete or not at all: written to a temporary name in the same folder
// ("drape.obj.4711-0.tmp"), synced, renamed over the old one. Whoever destroys it before commit() leaves the
// old file as it was and no temporary file behind. After a power cut the old or the new file is there (the
// folder is not synced: that would only decide which, and doubles the cost).
#pragma once
#include "core/file.h"
#include <utility>

namespace sinew {

struct AtomicFile {
    AtomicFile() = default;
    AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }
    AtomicFile& operator=(AtomicFile&& other) noexcept;
    ~AtomicFile();

    Errors open(const std::string& path);
    Errors write(ByteSpan bytes); // appended, buffered
    Errors write(std::string_view text) { return write(as_bytes(text)); }
    Errors patch(std::uint64_t offset, ByteSpan bytes);                   // overwrites what was written before
    Errors read_back(std::uint64_t offset, std::span<std::uint8_t> bytes); // what was written before
    Errors restart();                                                     // empty again
    std::uint64_t position() const { return size + buffer.size(); }       // bytes written so far
    Errors release(); // closes the descriptor until the next write: hundreds of files may be in progress
    Errors commit();  // sync, rename; nothing may follow
    void discard();   // removes the temporary file

    std::string path;      // final name, empty = not open
    std::string temporary; // name it is written under
    File file;
    std::uint64_t size = 0; // bytes in the file, without the buffer
    Bytes buffer;
};

Errors write_atomically(const std::string& path, ByteSpan bytes);

} // namespace sinew
