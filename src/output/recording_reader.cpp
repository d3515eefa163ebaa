#include "output/arrays.h"
#include "output/recording.h"
#include <algorithm>
#include <cstring>
#include <exception>

namespace sinew {
namespace {

Errors read_bytes(const RecordingReader& r, std::uint64_t offset, std::span<std::uint8_t> out) {
    if (offset > r.size || out.size() > r.size - offset)
        return {file_error(r.file.path, "the recording ends too early")};
    if (is_open(r.file)) return read_at(r.file, offset, out);
    std::copy_n(r.memory.begin() + std::ptrdiff_t(offset), out.size(), out.begin());
    return {};
}

// a header that is right and whose payload is inside the file
bool read_chunk_header(const RecordingReader& r, std::uint64_t offset, ChunkHeader& header) {
    std::uint8_t bytes[kChunkHeaderSize];
    if (!read_bytes(r, offset, bytes).empty() || !parse_chunk_header(bytes, r.options.check, header))
        return false;
    return header.stored_size <= r.size - offset - kChunkHeaderSize;
}

Errors read_payload(const RecordingReader& r, std::uint64_t offset, const ChunkHeader& header,
                    RawBytes& raw) {
    RawBytes stored = make_raw_bytes(header.stored_size);
    if (Errors e = read_bytes(r, offset + kChunkHeaderSize, {stored.data.get(), stored.size}); !e.empty())
        return e;
    return unpack_chunk(header, stored.span(), r.options.check, raw);
}

Errors read_header(RecordingReader& r) {
    std::uint8_t bytes[kRecordingHeaderSize];
    if (r.size < sizeof bytes || !read_bytes(r, 0, bytes).empty() ||
        std::memcmp(bytes, kRecordingMagic, sizeof kRecordingMagic) != 0)
        return {file_error(r.file.path, "this is no Sinew recording")};
    std::uint32_t version = 0;
    std::memcpy(&version, bytes + 8, sizeof version);
    if (version == kRecordingVersion) return {};
    Error error = file_error(r.file.path, "the recording has a version this program does not know");
    error.value = std::to_string(version);
    error.allowed = std::to_string(kRecordingVersion);
    return {error};
}

// index chunk and trailer; false if they are missing or wrong
bool read_index(RecordingReader& r) {
    std::uint8_t trailer[kRecordingTrailerSize];
    if (r.size < kRecordingHeaderSize + kChunkHeaderSize + kRecordingTrailerSize) return false;
    if (!read_bytes(r, r.size - sizeof trailer, trailer).empty()) return false;
    if (std::memcmp(trailer + 8, kRecordingEnd, sizeof kRecordingEnd) != 0) return false;
    std::uint64_t offset = 0;
    std::memcpy(&offset, trailer, sizeof offset);
    ChunkHeader header;
    if (offset > r.size || !read_chunk_header(r, offset, header) || header.tag != kIndexTag) return false;
    RawBytes raw;
    ArrayList list;
    if (!read_payload(r, offset, header, raw).empty() || !parse_arrays(raw.span(), list).empty())
        return false;
    Errors errors;
    std::vector<std::uint64_t> offsets;
    std::vector<int> numbers;
    std::vector<std::uint32_t> layouts;
    std::vector<double> times;
    read_array(list, "frame_offset", 0, offsets, errors);
    read_array(list, "frame_number", 0, numbers, errors);
    read_array(list, "frame_layout", 0, layouts, errors);
    read_array(list, "frame_time", 0, times, errors);
    read_array(list, "layout_offset", 0, r.layout_offsets, errors);
    const std::size_t n = offsets.size();
    if (!errors.empty() || numbers.size() != n || layouts.size() != n || times.size() != n) return false;
    for (std::size_t i = 0; i < n; ++i) {
        if (layouts[i] >= r.layout_offsets.size() || (i > 0 && numbers[i] <= numbers[i - 1])) return false;
        r.frames.push_back({numbers[i], times[i], int(layouts[i]), offsets[i]});
    }
    return !r.layout_offsets.empty();
}

// Where the next intact chunk begins, searching byte by byte after a damaged one; the file's size if there is
// none.
std::uint64_t find_chunk(const RecordingReader& r, std::uint64_t from) {
    constexpr std::uint64_t kBlock = 65536;
    Bytes block;
    for (std::uint64_t begin = from; begin + kChunkHeaderSize <= r.size; begin += kBlock) {
        block.resize(std::size_t(std::min(kBlock + 3, r.size - begin)));
        if (!read_bytes(r, begin, block).empty()) return r.size;
        for (std::size_t i = 0; i + 4 <= block.size() && i < kBlock; ++i) {
            std::uint32_t tag = 0;
            std::memcpy(&tag, block.data() + i, sizeof tag);
            if (tag != kFrameTag && tag != kLayoutTag && tag != kIndexTag) continue;
            ChunkHeader header;
            if (read_chunk_header(r, begin + i, header)) return begin + i;
        }
    }
    return r.size;
}

// No index: walk from chunk to chunk, skipping what is damaged.
void search_chunks(RecordingReader& r) {
    r.frames.clear();
    r.layout_offsets.clear();
    ChunkHeader header, last;
    for (std::uint64_t offset = kRecordingHeaderSize; offset + kChunkHeaderSize <= r.size;) {
        if (!read_chunk_header(r, offset, header)) {
            offset = find_chunk(r, offset + 1);
            continue;
        }
        // layouts are numbered in the order of their chunks; one number far ahead is no reason for a large
        // array
        if (header.tag == kLayoutTag && header.layout <= r.layout_offsets.size() + 1000) {
            if (header.layout >= r.layout_offsets.size()) r.layout_offsets.resize(header.layout + 1, 0);
            r.layout_offsets[header.layout] = offset;
        }
        const bool grows = r.frames.empty() || header.frame > r.frames.back().frame;
        if (header.tag == kFrameTag && grows && header.layout < r.layout_offsets.size()) {
            r.frames.push_back({header.frame, header.time, int(header.layout), offset});
            last = header;
        }
        offset += kChunkHeaderSize + header.stored_size;
    }
    // a power cut may leave the last chunk with its header but without its data
    RawBytes raw;
    if (!r.frames.empty() && !read_payload(r, r.frames.back().offset, last, raw).empty()) r.frames.pop_back();
}

Errors start(RecordingReader& r) {
    r.frames.clear();
    r.layout_offsets.clear();
    r.layout_number = -1;
    if (Errors e = read_header(r); !e.empty()) return e;
    r.complete = read_index(r);
    if (!r.complete) search_chunks(r);
    if (r.layout_offsets.empty()) return {file_error(r.file.path, "the recording has no readable layout")};
    // one damaged layout takes its own frames with it, not the others
    const Errors errors = r.read_layout(r.frames.empty() ? 0 : r.frames.front().layout);
    if (errors.empty()) return {};
    for (std::size_t i = 0; i < r.layout_offsets.size() && r.layout_number < 0; ++i) r.read_layout(int(i));
    return r.layout_number < 0 ? errors : Errors{};
}

template <class F> Errors guard_reading(const RecordingReader& r, F&& f) {
    Errors errors;
    try {
        errors = f();
    } catch (const std::exception& e) {
        errors = {file_error(r.file.path, std::string("cannot read: ") + e.what())};
    }
    for (Error& e : errors) e.file = r.file.path;
    return errors;
}
} // namespace

Errors RecordingReader::open(const std::string& path, Options how) {
    options = how;
    memory = {};
    file = File();
    file.path = path;
    return guard_reading(*this, [&]() -> Errors {
        if (Errors e = open_to_read(path, file); !e.empty()) return e;
        if (Errors e = file_size(file, size); !e.empty()) return e;
        return start(*this);
    });
}

Errors RecordingReader::open_memory(ByteSpan bytes, Options how) {
    options = how;
    memory = bytes;
    file = File();
    size = bytes.size();
    return guard_reading(*this, [&] { return start(*this); });
}

int RecordingReader::find_frame(int frame) const {
    const auto found = std::lower_bound(frames.begin(), frames.end(), frame,
                                        [](const RecordingFrame& f, int number) { return f.frame < number; });
    return found != frames.end() && found->frame == frame ? int(found - frames.begin()) : -1;
}

Errors RecordingReader::read_layout(int number) {
    return guard_reading(*this, [&]() -> Errors {
        if (number == layout_number) return {};
        ChunkHeader header;
        if (number < 0 || std::size_t(number) >= layout_offsets.size() ||
            !read_chunk_header(*this, layout_offsets[std::size_t(number)], header) ||
            header.tag != kLayoutTag)
            return {file_error(file.path, "layout " + std::to_string(number) + " is damaged")};
        layout_number = -1;
        RawBytes raw;
        if (Errors e = read_payload(*this, layout_offsets[std::size_t(number)], header, raw); !e.empty())
            return e;
        if (Errors e = decode_layout(raw.span(), layout); !e.empty()) return e;
        layout_number = number;
        return {};
    });
}

Errors RecordingReader::read(int index, Snapshot& out) {
    return guard_reading(*this, [&]() -> Errors {
        if (index < 0 || index >= frame_count())
            return {file_error(file.path, "the recording has no frame of index " + std::to_string(index))};
        const RecordingFrame& f = frames[std::size_t(index)];
        ChunkHeader header;
        RawBytes raw;
        Errors errors = read_layout(f.layout);
        if (!errors.empty()) return errors;
        if (!read_chunk_header(*this, f.offset, header) || header.tag != kFrameTag || header.frame != f.frame)
            errors = {file_error(file.path, "its chunk is damaged")};
        if (errors.empty()) errors = read_payload(*this, f.offset, header, raw);
        if (errors.empty()) errors = decode_frame(raw.span(), layout, out);
        for (Error& e : errors) e.message = "frame " + std::to_string(f.frame) + ": " + e.message;
        out.frame = f.frame;
        out.time = f.time;
        return errors;
    });
}

} // namespace sinew
