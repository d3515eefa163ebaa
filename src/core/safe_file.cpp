#include "core/safe_file.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sinew {

static Error file_error(const std::string& path, std::string_view what, int code) {
    Error error;
    error.file = path;
    error.message = std::string(what) + ": " + std::strerror(code);
    return error;
}

std::optional<Error> open_file(const std::string& path, SafeFile& f) {
    discard_file(f);
    f.path = path;
    f.failure = 0;
    // the first free name; O_EXCL so that two writers of one path never share a temporary file
    const std::string stem = path + ".part" + std::to_string(::getpid()) + "-";
    int descriptor = -1;
    for (int i = 0; i < 1000 && descriptor < 0; ++i) {
        f.temporary = stem + std::to_string(i);
        descriptor = ::open(f.temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor >= 0) f.file = ::fdopen(descriptor, "w+b");
    if (f.file) return {};
    const int code = errno;
    if (descriptor >= 0) {
        ::close(descriptor);
        ::unlink(f.temporary.c_str());
    }
    f.temporary.clear();
    return file_error(path, "cannot create the file", code);
}

static bool keep_failure(SafeFile& f, bool ok) {
    if (!ok && !f.failure) f.failure = errno ? errno : EIO;
    return !f.failure;
}

bool write_bytes(SafeFile& f, std::span<const std::uint8_t> bytes) {
    if (f.failure || !f.file) return keep_failure(f, false);
    errno = 0;
    return keep_failure(f,
                        bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), f.file) == bytes.size());
}

bool seek_file(SafeFile& f, long long position) {
    if (f.failure || !f.file) return keep_failure(f, false);
    errno = 0;
    return keep_failure(
        f, ::fseeko(f.file, position < 0 ? 0 : position, position < 0 ? SEEK_END : SEEK_SET) == 0);
}

bool restart_file(SafeFile& f) {
    if (f.failure || !f.file) return keep_failure(f, false);
    errno = 0;
    const bool ok = std::fflush(f.file) == 0 && ::ftruncate(::fileno(f.file), 0) == 0;
    return keep_failure(f, ok) && seek_file(f, 0);
}

long long file_position(const SafeFile& f) { return f.file ? (long long)::ftello(f.file) : -1; }

std::optional<Error> find_failure(const SafeFile& f) {
    if (!f.failure) return {};
    return file_error(f.path, "cannot write the file", f.failure);
}

std::optional<Error> commit_file(SafeFile& f) {
    if (!f.file) return file_error(f.path, "the file is not open", EBADF);
    errno = 0;
    keep_failure(f, std::fflush(f.file) == 0);
    errno = 0;
    keep_failure(f, std::fclose(f.file) == 0);
    f.file = nullptr;
    if (!f.failure) {
        errno = 0;
        keep_failure(f, std::rename(f.temporary.c_str(), f.path.c_str()) == 0);
    }
    std::optional<Error> error;
    if (f.failure) {
        ::unlink(f.temporary.c_str());
        error = find_failure(f);
    }
    f.temporary.clear();
    return error;
}

void discard_file(SafeFile& f) {
    if (f.file) std::fclose(f.file);
    f.file = nullptr;
    if (!f.temporary.empty()) ::unlink(f.temporary.c_str());
    f.temporary.clear();
}

SafeFile::~SafeFile() { discard_file(*this); }

std::optional<Error> write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
    SafeFile f;
    if (auto error = open_file(path, f)) return error;
    write_bytes(f, bytes);
    return commit_file(f);
}

} // namespace sinew
