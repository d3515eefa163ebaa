// A checkpoint: named arrays in a file, with the version of the program and the hash of the scene they belong
// to. What the arrays mean is the business of whoever fills them. One compressed and checksummed chunk
// (chunk.h), written atomically; a damaged, foreign or truncated file is an error, never a crash. Byte
// layout: docs/recording.md.
#pragma once
#include "output/arrays.h"
#include "output/chunk.h"

namespace sinew {

struct NamedArray {
    std::string name;
    ArrayType type = ArrayType::f64;
    ArrayShape shape;
    Bytes bytes; // plain values, product of shape * type_size
};

struct Checkpoint {
    std::string program_version;
    std::uint64_t scene_hash = 0;
    std::vector<NamedArray> arrays;
};

// T: double, float, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, std::uint8_t, char (text);
// columns 0 = one dimension
template <class T>
void add_array(Checkpoint&, std::string_view name, std::span<const T> values, std::uint64_t columns = 0);
void add_text(Checkpoint&, std::string_view name, std::string_view text);

const NamedArray* find_array(const Checkpoint&, std::string_view name); // null if there is none
// Copies an array of this type; otherwise an error that names the array. `out` is resized.
template <class T> Errors read_array(const Checkpoint&, std::string_view name, std::vector<T>& out);
// The same with a given number of values, where the caller's array must keep its size.
template <class T> Errors read_array(const Checkpoint&, std::string_view name, std::span<T> out);
Errors read_text(const Checkpoint&, std::string_view name, std::string& out);

Bytes make_checkpoint(const Checkpoint&, int level = 1); // the file as bytes; level of zstd, 0 = stored
Errors parse_checkpoint(ByteSpan file, bool check, Checkpoint&); // check: verify checksums
Errors write_checkpoint(const std::string& path, const Checkpoint&);
Errors read_checkpoint(const std::string& path, Checkpoint&);

} // namespace sinew
