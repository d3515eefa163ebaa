// A file that appears under its name only when it is complete: bytes go to a temporary neighbour, which
// commit_file renames. A reader therefore never sees half a file, and a full disk leaves the old one in
// place.
#pragma once
#include "sinew/types.h"
#include <cstdio>
#include <span>

namespace sinew {

struct SafeFile {
    std::string path;      // the final name
    std::string temporary; // where the bytes go until commit_file; empty = nothing open
    std::FILE* file = nullptr;
    int failure = 0; // errno of the first failed operation, 0 = none so far

    SafeFile() = default;
    SafeFile(const SafeFile&) = delete;
    SafeFile& operator=(const SafeFile&) = delete;
    ~SafeFile(); // without commit_file: the temporary file is removed, the old file stays
};

std::optional<Error> open_file(const std::string& path, SafeFile&);

// After the first failure nothing more is written; the error is kept and told by commit_file, so that writers
// need not check every call. write_bytes returns false on failure for those who want to stop early.
bool write_bytes(SafeFile&, std::span<const std::uint8_t>);
bool seek_file(SafeFile&, long long position); // from the beginning; -1 = to the end
bool restart_file(SafeFile&);                  // empty again
long long file_position(const SafeFile&);      // -1 = unknown

std::optional<Error> find_failure(const SafeFile&); // the first failure so far
std::optional<Error> commit_file(SafeFile&);
void discard_file(SafeFile&);

// Open, write, commit.
std::optional<Error> write_file(const std::string& path, std::span<const std::uint8_t>);

} // namespace sinew
