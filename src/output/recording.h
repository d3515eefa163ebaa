// Sinew's own recording, "name.sinew": every snapshot of a run with its layout, compressed, with random
// access by frame. Chunks are appended as the run goes, so an interrupted run is readable up to its last
// frame and can be continued; the index at the end is only a shortcut. Byte layout: docs/recording.md; NumPy
// reader: tools/sinew_recording.py.
//
// Positions and fields are float32 unless asked otherwise: measured on cloth, float64 takes 2.8 times the
// space (5.73 against 2.07 bytes per number) for digits no picture shows. Poses, times and report numbers are
// always float64. A value that float32 cannot hold makes its array float64.
#pragma once
#include "output/chunk.h"
#include "output/output.h"

namespace sinew {

struct RecordingFrame {
    int frame = 0;            // number as the scene counts
    double time = 0;          // [s]
    int layout = 0;           // number of its layout
    std::uint64_t offset = 0; // [bytes] of its chunk
};

struct RecordingWriter {
    ~RecordingWriter(); // closes

    Errors open(const std::string& path, const SnapshotLayout& layout, const ExporterSettings& settings = {});
    // continues a recording: frames after last_frame are cut off; the layout may differ from the recorded one
    Errors append(const std::string& path, const SnapshotLayout& layout, int last_frame,
                  const ExporterSettings& settings = {});
    Errors change_layout(const SnapshotLayout& layout);
    Errors write(const Snapshot& snapshot); // frame numbers must grow
    Errors close();                         // writes the index

    // private to recording_writer.cpp
    File file;
    ExporterSettings settings;
    SnapshotLayout layout;
    std::uint64_t end = 0; // [bytes] where the next chunk goes
    std::vector<RecordingFrame> frames;
    std::vector<std::uint64_t> layout_offsets;
};

// Not for two threads at once; open one reader per thread.
struct RecordingReader {
    struct Options {
        bool check = true; // verify checksums
    };
    Errors open(const std::string& path) { return open(path, Options{}); }
    Errors open(const std::string& path, Options options);
    Errors open_memory(ByteSpan bytes, Options options); // `bytes` must outlive the reader

    int frame_count() const { return int(frames.size()); }
    int find_frame(int frame) const;       // index of a frame number, -1 if it is not recorded
    Errors read(int index, Snapshot& out); // 0 <= index < frame_count; also makes `layout` the frame's layout
    Errors read_layout(int number);        // into `layout`

    std::vector<RecordingFrame> frames; // growing numbers
    SnapshotLayout layout;              // of the frame read last; after open of the first frame
    int layout_number = -1;             // of `layout`, -1 = none yet
    bool complete = false; // the index was there; otherwise the run was interrupted and chunks were searched

    // private to recording_reader.cpp
    File file;
    ByteSpan memory;
    Options options;
    std::uint64_t size = 0;                    // [bytes]
    std::vector<std::uint64_t> layout_offsets; // by number, 0 = lost
};

// payloads of layout and frame chunks, lists of named arrays
Bytes encode_layout(const SnapshotLayout& layout);
Errors decode_layout(ByteSpan payload, SnapshotLayout& layout);
Bytes encode_frame(const SnapshotLayout& layout, const Snapshot& snapshot, const ExporterSettings& settings);
Errors decode_frame(ByteSpan payload, const SnapshotLayout& layout, Snapshot& snapshot);

inline constexpr std::uint8_t kRecordingMagic[8] = {0x89, 'S', 'I', 'N', 'E', 'W', '\r', '\n'};
inline constexpr std::uint8_t kRecordingEnd[8] = {'S', 'I', 'N', 'E', 'W', 'E', 'N', 'D'};
inline constexpr std::uint32_t kRecordingVersion = 1;
inline constexpr std::uint64_t kRecordingHeaderSize = 16, kRecordingTrailerSize = 16;

} // namespace sinew
