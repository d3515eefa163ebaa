#include "output/arrays.h"
#include "output/check.h"
#include "output/recording.h"
#include <algorithm>
#include <exception>

namespace sinew {
namespace {

Errors located(Errors errors, const std::string& path) {
    for (Error& e : errors)
        if (e.file.empty()) e.file = path;
    return errors;
}

// a chunk is in the file completely or not at all
Errors append_chunk(RecordingWriter& w, ChunkHeader header, ByteSpan raw) {
    const Bytes chunk = make_chunk(header, raw, w.settings.level);
    if (Errors e = write_at(w.file, w.end, chunk); !e.empty()) {
        truncate(w.file, w.end);
        return e;
    }
    w.end += chunk.size();
    return {};
}

Errors append_layout(RecordingWriter& w) {
    ChunkHeader header;
    header.tag = kLayoutTag;
    header.layout = std::uint32_t(w.layout_offsets.size());
    const std::uint64_t offset = w.end;
    if (Errors e = append_chunk(w, header, encode_layout(w.layout)); !e.empty()) return e;
    w.layout_offsets.push_back(offset);
    return {};
}

Errors write_header(RecordingWriter& w) {
    Bytes header;
    append_bytes(header, kRecordingMagic, sizeof kRecordingMagic);
    append(header, kRecordingVersion);
    append(header, std::uint32_t(0));
    w.end = header.size();
    return write_at(w.file, 0, header);
}

// everything the index needs to know about the frames that stay; `same` = the last one has this layout
Errors keep_frames(RecordingWriter& w, int last_frame, bool& same) {
    RecordingReader reader;
    if (Errors e = reader.open(w.file.path); !e.empty()) return e;
    for (const RecordingFrame& f : reader.frames)
        if (f.frame <= last_frame) w.frames.push_back(f);
    w.end = kRecordingHeaderSize;
    if (w.frames.empty()) return {};
    const RecordingFrame& last = w.frames.back();
    Bytes head(kChunkHeaderSize);
    ChunkHeader header;
    if (Errors e = read_at(w.file, last.offset, head); !e.empty()) return e;
    if (!parse_chunk_header(head, true, header))
        return {file_error(w.file.path, "the last frame to keep is damaged")};
    w.end = last.offset + kChunkHeaderSize + header.stored_size;
    for (std::uint64_t offset : reader.layout_offsets)
        if (offset < w.end) w.layout_offsets.push_back(offset);
    if (Errors e = reader.read_layout(last.layout); !e.empty()) return e;
    same = std::size_t(last.layout) + 1 == w.layout_offsets.size() &&
           encode_layout(reader.layout) == encode_layout(w.layout);
    return {};
}

Bytes encode_index(const RecordingWriter& w) {
    std::vector<std::uint64_t> offsets;
    std::vector<int> numbers;
    std::vector<std::uint32_t> layouts;
    std::vector<double> times;
    for (const RecordingFrame& f : w.frames) {
        offsets.push_back(f.offset);
        numbers.push_back(f.frame);
        layouts.push_back(std::uint32_t(f.layout));
        times.push_back(f.time);
    }
    ArrayWriter out;
    out.add<std::uint64_t>("frame_offset", offsets);
    out.add<int>("frame_number", numbers);
    out.add<std::uint32_t>("frame_layout", layouts);
    out.add<double>("frame_time", times);
    out.add<std::uint64_t>("layout_offset", w.layout_offsets);
    return std::move(out.bytes);
}

template <class F> Errors guard_writing(const std::string& path, F&& f) {
    try {
        return located(f(), path);
    } catch (const std::exception& e) {
        return {file_error(path, std::string("cannot write: ") + e.what())};
    }
}
} // namespace

RecordingWriter::~RecordingWriter() { close(); }

Errors RecordingWriter::open(const std::string& path, const SnapshotLayout& first,
                             const ExporterSettings& how) {
    return guard_writing(path, [&]() -> Errors {
        if (Errors e = check_layout(first); !e.empty()) return e;
        settings = how;
        layout = first;
        frames.clear();
        layout_offsets.clear();
        if (Errors e = open_to_create(path, file); !e.empty()) return e;
        if (Errors e = write_header(*this); !e.empty()) return e;
        return append_layout(*this);
    });
}

Errors RecordingWriter::append(const std::string& path, const SnapshotLayout& next, int last_frame,
                               const ExporterSettings& how) {
    return guard_writing(path, [&]() -> Errors {
        if (Errors e = check_layout(next); !e.empty()) return e;
        settings = how;
        layout = next;
        frames.clear();
        layout_offsets.clear();
        bool same = false;
        if (Errors e = open_to_update(path, file); !e.empty()) return e;
        Errors errors = keep_frames(*this, last_frame, same);
        if (errors.empty()) errors = truncate(file, end);
        if (errors.empty() && !same) errors = append_layout(*this);
        if (!errors.empty()) file = File(); // leave it as it is: no index over what could not be read
        return errors;
    });
}

Errors RecordingWriter::change_layout(const SnapshotLayout& next) {
    return guard_writing(file.path, [&]() -> Errors {
        if (Errors e = check_layout(next); !e.empty()) return e;
        layout = next;
        return append_layout(*this);
    });
}

Errors RecordingWriter::write(const Snapshot& snapshot) {
    return guard_writing(file.path, [&]() -> Errors {
        if (!is_open(file)) return {file_error(file.path, "the recording is not open")};
        if (Errors e = check_snapshot(layout, snapshot); !e.empty()) return e;
        if (!frames.empty() && snapshot.frame <= frames.back().frame) {
            Error error = file_error(file.path, "frames must be written with growing numbers");
            error.value = std::to_string(snapshot.frame);
            return {error};
        }
        ChunkHeader header;
        header.tag = kFrameTag;
        header.frame = snapshot.frame;
        header.time = snapshot.time;
        header.layout = std::uint32_t(layout_offsets.size() - 1);
        const std::uint64_t offset = end;
        if (Errors e = append_chunk(*this, header, encode_frame(layout, snapshot, settings)); !e.empty())
            return e;
        frames.push_back({snapshot.frame, snapshot.time, int(header.layout), offset});
        return {};
    });
}

Errors RecordingWriter::close() {
    if (!is_open(file)) return {};
    return guard_writing(file.path, [&]() -> Errors {
        const std::uint64_t index_offset = end;
        ChunkHeader header;
        header.tag = kIndexTag;
        Errors errors = append_chunk(*this, header, encode_index(*this));
        Bytes trailer;
        sinew::append(trailer, index_offset);
        append_bytes(trailer, kRecordingEnd, sizeof kRecordingEnd);
        if (errors.empty()) errors = write_at(file, end, trailer);
        if (errors.empty()) errors = sync(file);
        add_errors(errors, sinew::close(file));
        return errors;
    });
}

} // namespace sinew
