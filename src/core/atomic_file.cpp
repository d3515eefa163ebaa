#include "core/atomic_file.h"
#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sinew {
namespace {
constexpr std::size_t kBuffer = std::size_t(1) << 20; // bytes gathered before a system call

Errors flush(AtomicFile& a) {
    if (a.buffer.empty()) return {};
    if (!is_open(a.file))
        if (Errors e = open_to_update(a.temporary, a.file); !e.empty()) return e;
    if (Errors e = write_at(a.file, a.size, a.buffer); !e.empty()) return e;
    a.size += a.buffer.size();
    a.buffer.clear();
    return {};
}

// a user knows the final name, not the temporary one
Errors renamed(Errors errors, const AtomicFile& a) {
    for (Error& e : errors) e.file = a.path;
    return errors;
}
} // namespace

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
    std::swap(path, other.path);
    std::swap(temporary, other.temporary);
    std::swap(file, other.file);
    std::swap(size, other.size);
    std::swap(buffer, other.buffer);
    return *this;
}
AtomicFile::~AtomicFile() { discard(); }

Errors AtomicFile::open(const std::string& final_path) {
    discard();
    // a folder of that name would only be noticed by the rename, after all the work
    struct stat info {};
    if (::stat(final_path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        return {file_error(final_path, "cannot create", EISDIR)};
    Errors errors;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name =
            final_path + "." + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
        errors = open_new(name, file);
        if (errors.empty()) {
            path = final_path;
            temporary = name;
            return {};
        }
        if (errno != EEXIST) break;
    }
    for (Error& e : errors) e.file = final_path;
    return errors;
}

Errors AtomicFile::write(ByteSpan bytes) {
    if (path.empty()) return {file_error("", "written before it was opened")};
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
    if (buffer.size() < kBuffer) return {};
    return renamed(flush(*this), *this);
}

// everything written is in the file, and its descriptor is open
static Errors settle(AtomicFile& a) {
    if (a.path.empty()) return {file_error("", "used before it was opened")};
    if (Errors e = flush(a); !e.empty()) return renamed(e, a);
    return is_open(a.file) ? Errors{} : renamed(open_to_update(a.temporary, a.file), a);
}

Errors AtomicFile::patch(std::uint64_t offset, ByteSpan bytes) {
    if (Errors e = settle(*this); !e.empty()) return e;
    return renamed(write_at(file, offset, bytes), *this);
}

Errors AtomicFile::read_back(std::uint64_t offset, std::span<std::uint8_t> bytes) {
    if (Errors e = settle(*this); !e.empty()) return e;
    return renamed(read_at(file, offset, bytes), *this);
}

Errors AtomicFile::restart() {
    buffer.clear();
    if (Errors e = settle(*this); !e.empty()) return e;
    size = 0;
    return renamed(truncate(file, 0), *this);
}

Errors AtomicFile::release() {
    Errors errors = flush(*this);
    add_errors(errors, close(file));
    return renamed(errors, *this);
}

Errors AtomicFile::commit() {
    if (path.empty()) return {};
    Errors errors = flush(*this);
    if (errors.empty() && !is_open(file)) errors = open_to_update(temporary, file);
    if (errors.empty()) errors = sync(file);
    if (errors.empty()) errors = close(file);
    if (errors.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
        errors = {file_error(path, "cannot rename the temporary file", errno)};
    if (!errors.empty()) {
        errors = renamed(errors, *this);
        discard();
        return errors;
    }
    path.clear();
    temporary.clear();
    size = 0;
    return {};
}

void AtomicFile::discard() {
    file = File();
    if (!temporary.empty()) ::unlink(temporary.c_str());
    path.clear();
    temporary.clear();
    size = 0;
    buffer.clear();
}

Errors write_atomically(const std::string& path, ByteSpan bytes) {
    AtomicFile file;
    if (Errors e = file.open(path); !e.empty()) return e;
    if (Errors e = file.write(bytes); !e.empty()) return e;
    return file.commit();
}

} // namespace sinew
