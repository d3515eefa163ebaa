#include "core/file.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sinew {

Error file_error(const std::string& path, std::string_view action, int code) {
    return file_error(path, std::string(action) + ": " + std::generic_category().message(code));
}
Error file_error(const std::string& path, std::string message) {
    Error error;
    error.file = path;
    error.message = std::move(message);
    return error;
}
Error data_error(std::string_view path, std::string message) {
    Error error;
    error.path = std::string(path);
    error.message = std::move(message);
    return error;
}

File::File(File&& other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), path(std::move(other.path)) {}
File& File::operator=(File&& other) noexcept {
    std::swap(descriptor, other.descriptor);
    std::swap(path, other.path);
    return *this;
}
File::~File() {
    if (descriptor >= 0) ::close(descriptor);
}

namespace {
Errors open_with(const std::string& path, int flags, std::string_view action, File& file) {
    File opened;
    opened.path = path;
    do opened.descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (opened.descriptor < 0 && errno == EINTR);
    if (opened.descriptor < 0) {
        const int code = errno;
        Errors errors{file_error(path, action, code)};
        errno = code; // callers may ask for the reason
        return errors;
    }
    file = std::move(opened);
    return {};
}
} // namespace

Errors open_to_read(const std::string& path, File& file) {
    // O_NONBLOCK: a pipe without a writer must not hang before it is refused
    if (Errors e = open_with(path, O_RDONLY | O_NONBLOCK, "cannot open", file); !e.empty()) return e;
    struct stat info {};
    if (::fstat(file.descriptor, &info) != 0) return {file_error(path, "cannot open", errno)};
    if (S_ISDIR(info.st_mode)) return {file_error(path, "cannot open", EISDIR)};
    if (!S_ISREG(info.st_mode)) return {file_error(path, "cannot open: not an ordinary file")};
    return {};
}
Errors open_to_create(const std::string& path, File& file) {
    return open_with(path, O_RDWR | O_CREAT | O_TRUNC, "cannot create", file);
}
Errors open_new(const std::string& path, File& file) {
    return open_with(path, O_RDWR | O_CREAT | O_EXCL, "cannot create", file);
}
Errors open_to_update(const std::string& path, File& file) {
    return open_with(path, O_RDWR, "cannot open for writing", file);
}

Errors file_size(const File& file, std::uint64_t& size) {
    struct stat info {};
    if (::fstat(file.descriptor, &info) != 0) return {file_error(file.path, "cannot find the size", errno)};
    size = std::uint64_t(info.st_size);
    return {};
}

Errors read_at(const File& file, std::uint64_t offset, std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t part = std::min<std::size_t>(bytes.size(), std::size_t(1) << 30);
        const ssize_t n = ::pread(file.descriptor, bytes.data(), part, off_t(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return {file_error(file.path, "cannot read", errno)};
        if (n == 0) return {file_error(file.path, "cannot read: the file ends too early")};
        bytes = bytes.subspan(std::size_t(n));
        offset += std::uint64_t(n);
    }
    return {};
}

Errors write_at(const File& file, std::uint64_t offset, ByteSpan bytes) {
    while (!bytes.empty()) {
        const std::size_t part = std::min<std::size_t>(bytes.size(), std::size_t(1) << 30);
        const ssize_t n = ::pwrite(file.descriptor, bytes.data(), part, off_t(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return {file_error(file.path, "cannot write", n < 0 ? errno : ENOSPC)};
        bytes = bytes.subspan(std::size_t(n));
        offset += std::uint64_t(n);
    }
    return {};
}

Errors truncate(const File& file, std::uint64_t size) {
    int result = 0;
    do result = ::ftruncate(file.descriptor, off_t(size));
    while (result != 0 && errno == EINTR);
    if (result != 0) return {file_error(file.path, "cannot shorten", errno)};
    return {};
}

Errors sync(const File& file) {
    // pipes and devices have nothing to sync and say so by EINVAL
    if (::fsync(file.descriptor) != 0 && errno != EINVAL && errno != EROFS)
        return {file_error(file.path, "cannot write", errno)};
    return {};
}

Errors close(File& file) {
    if (file.descriptor < 0) return {};
    const int result = ::close(std::exchange(file.descriptor, -1));
    // after EINTR the descriptor is closed all the same
    if (result != 0 && errno != EINTR) return {file_error(file.path, "cannot write", errno)};
    return {};
}

Errors read_file(const std::string& path, std::uint64_t max_bytes, Bytes& bytes) {
    File file;
    if (Errors e = open_to_read(path, file); !e.empty()) return e;
    std::uint64_t size = 0;
    if (Errors e = file_size(file, size); !e.empty()) return e;
    if (size > max_bytes) {
        Error error = file_error(path, "the file is too large");
        error.value = std::to_string(size) + " bytes";
        error.allowed = "at most " + std::to_string(max_bytes) + " bytes";
        return {error};
    }
    bytes.resize(std::size_t(size));
    return read_at(file, 0, bytes);
}

} // namespace sinew
