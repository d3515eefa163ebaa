#include "output/checkpoint.h"
#include "core/atomic_file.h"
#include <algorithm>
#include <cstring>
#include <exception>

namespace sinew {
namespace {
constexpr std::uint8_t kCheckpointMagic[8] = {0x89, 'S', 'I', 'N', 'C', 'H', 'K', '\n'};
constexpr std::uint32_t kCheckpointVersion = 1;

bool shape_fits(const NamedArray& a) {
    std::uint64_t n = std::uint64_t(type_size(a.type));
    for (std::uint64_t d : a.shape) n *= d;
    return n == a.bytes.size() && a.shape.size() <= 8;
}

Errors unpack(ByteSpan file, bool check, RawBytes& raw) {
    ByteReader reader{file};
    const ByteSpan magic = reader.bytes(sizeof kCheckpointMagic);
    if (!std::equal(magic.begin(), magic.end(), std::begin(kCheckpointMagic), std::end(kCheckpointMagic)))
        return {data_error("", "this is no Sinew checkpoint")};
    const std::uint32_t version = reader.number<std::uint32_t>();
    reader.number<std::uint32_t>();
    if (!reader.failed && version != kCheckpointVersion) {
        Error error = data_error("", "the checkpoint has a version this program does not know");
        error.value = std::to_string(version);
        error.allowed = std::to_string(kCheckpointVersion);
        return {error};
    }
    ChunkHeader header;
    const ByteSpan head = reader.bytes(kChunkHeaderSize);
    if (reader.failed || reader.rest.empty()) return {data_error("", "the checkpoint is cut off")};
    if (!parse_chunk_header(head, check, header) || header.tag != kCheckpointTag)
        return {data_error("", "the checkpoint is damaged")};
    if (reader.rest.size() < header.stored_size) return {data_error("", "the checkpoint is cut off")};
    if (reader.rest.size() > header.stored_size)
        return {data_error("", "the checkpoint is damaged (bytes after its end)")};
    return unpack_chunk(header, reader.rest, check, raw);
}
} // namespace

template <class T>
void add_array(Checkpoint& c, std::string_view name, std::span<const T> values, std::uint64_t columns) {
    NamedArray a;
    a.name = std::string(name);
    a.type = array_type<T>();
    a.shape = columns == 0 ? ArrayShape{values.size()} : ArrayShape{values.size() / columns, columns};
    append_bytes(a.bytes, values.data(), values.size_bytes());
    c.arrays.push_back(std::move(a));
}
void add_text(Checkpoint& c, std::string_view name, std::string_view text) {
    add_array<char>(c, name, std::span<const char>(text.data(), text.size()));
}

const NamedArray* find_array(const Checkpoint& c, std::string_view name) {
    const auto found =
        std::find_if(c.arrays.begin(), c.arrays.end(), [&](const NamedArray& a) { return a.name == name; });
    return found == c.arrays.end() ? nullptr : &*found;
}

template <class T> Errors read_array(const Checkpoint& c, std::string_view name, std::vector<T>& out) {
    const NamedArray* a = find_array(c, name);
    if (!a) return {data_error(name, "the checkpoint has no array of this name")};
    out.resize(a->bytes.size() / std::size_t(type_size(a->type)));
    return read_array(c, name, std::span<T>(out));
}
template <class T> Errors read_array(const Checkpoint& c, std::string_view name, std::span<T> out) {
    const NamedArray* a = find_array(c, name);
    if (!a) return {data_error(name, "the checkpoint has no array of this name")};
    if (a->type != array_type<T>()) return {data_error(name, "the array of the checkpoint has another type")};
    if (a->bytes.size() != out.size_bytes()) {
        Error error = data_error(name, "the array of the checkpoint has another size");
        error.value = std::to_string(a->bytes.size() / sizeof(T)) + " values";
        error.allowed = std::to_string(out.size()) + " values";
        return {error};
    }
    if (!out.empty()) std::memcpy(out.data(), a->bytes.data(), a->bytes.size());
    return {};
}
Errors read_text(const Checkpoint& c, std::string_view name, std::string& out) {
    std::vector<char> text;
    Errors errors = read_array(c, name, text);
    if (errors.empty()) out.assign(text.begin(), text.end());
    return errors;
}

// Level 1 by default: states are noise in their last bits, higher levels cost time and save nothing.
Bytes make_checkpoint(const Checkpoint& c, int level) {
    ArrayWriter arrays;
    arrays.add_text("program_version", c.program_version);
    arrays.add_one("scene_hash", c.scene_hash);
    for (const NamedArray& a : c.arrays) {
        if (!shape_fits(a)) continue; // refused by write_checkpoint
        const ArrayFilter filter = type_size(a.type) < 4 ? ArrayFilter::none : ArrayFilter::delta_shuffle;
        arrays.add_raw("/" + a.name, a.type, a.shape, a.bytes.data(), filter);
    }
    Bytes file;
    append_bytes(file, kCheckpointMagic, sizeof kCheckpointMagic);
    append(file, kCheckpointVersion);
    append(file, std::uint32_t(0));
    ChunkHeader header;
    header.tag = kCheckpointTag;
    const Bytes chunk = make_chunk(header, arrays.bytes, level);
    file.insert(file.end(), chunk.begin(), chunk.end());
    return file;
}

Errors parse_checkpoint(ByteSpan file, bool check, Checkpoint& c) {
    c = Checkpoint();
    try {
        RawBytes raw;
        if (Errors e = unpack(file, check, raw); !e.empty()) return e;
        ArrayList list;
        if (Errors e = parse_arrays(raw.span(), list); !e.empty()) return e;
        Errors errors;
        std::vector<std::uint64_t> hash;
        read_text(list, "program_version", c.program_version, errors);
        read_array(list, "scene_hash", 0, hash, errors);
        if (!errors.empty() || hash.size() != 1) return {data_error("scene_hash", "the checkpoint is damaged")};
        c.scene_hash = hash[0];
        for (const ArrayView& view : list.arrays) {
            if (view.name.empty() || view.name[0] != '/') continue;
            NamedArray a{std::string(view.name.substr(1)), view.type, view.shape, Bytes(view.data.size())};
            decode(view, a.bytes.data());
            c.arrays.push_back(std::move(a));
        }
        return {};
    } catch (const std::exception& e) {
        return {data_error("", std::string("cannot read the checkpoint: ") + e.what())};
    }
}

Errors write_checkpoint(const std::string& path, const Checkpoint& c) {
    for (const NamedArray& a : c.arrays) {
        if (shape_fits(a)) continue;
        Error error = data_error(a.name, "shape and bytes of the array disagree");
        error.file = path;
        return {error};
    }
    try {
        return write_atomically(path, make_checkpoint(c));
    } catch (const std::exception& e) {
        return {file_error(path, std::string("cannot write the checkpoint: ") + e.what())};
    }
}

Errors read_checkpoint(const std::string& path, Checkpoint& c) {
    Errors errors;
    try {
        Bytes bytes;
        errors = read_file(path, kMaxChunkBytes, bytes);
        if (errors.empty()) errors = parse_checkpoint(bytes, true, c);
    } catch (const std::exception& e) {
        errors = {file_error(path, std::string("cannot read the checkpoint: ") + e.what())};
    }
    for (Error& e : errors) e.file = path;
    return errors;
}

// clang-format off
template void add_array(Checkpoint&, std::string_view, std::span<const double>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const float>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const std::int64_t>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const std::int32_t>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const std::uint64_t>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const std::uint32_t>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const std::uint8_t>, std::uint64_t);
template void add_array(Checkpoint&, std::string_view, std::span<const char>, std::uint64_t);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<double>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<float>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<std::int64_t>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<std::int32_t>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<std::uint64_t>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<std::uint32_t>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<std::uint8_t>&);
template Errors read_array(const Checkpoint&, std::string_view, std::vector<char>&);
template Errors read_array(const Checkpoint&, std::string_view, std::span<double>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<float>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<std::int64_t>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<std::int32_t>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<std::uint64_t>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<std::uint32_t>);
template Errors read_array(const Checkpoint&, std::string_view, std::span<std::uint8_t>);
// clang-format on

} // namespace sinew
