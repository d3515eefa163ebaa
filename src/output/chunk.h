// Chunks: the pieces a recording and a checkpoint are made of. A header of 48 bytes with its own checksum (so
// that a scan after an interrupted run can trust the sizes), then the payload with its checksum, compressed
// by zstd or stored. Byte layout: docs/recording.md.
//
// A reader must not be made to allocate by a few bytes that lie: raw_size <= 256 * stored_size + 64 KiB holds
// for every chunk, because the writer pads payloads that compress better (zeros after the zstd frame).
#pragma once
#include "output/bytes.h"
#include <memory>

namespace sinew {

constexpr std::uint32_t chunk_tag(const char (&t)[5]) {
    return std::uint32_t(t[0]) | std::uint32_t(t[1]) << 8 | std::uint32_t(t[2]) << 16 |
           std::uint32_t(t[3]) << 24;
}
inline constexpr std::uint32_t kLayoutTag = chunk_tag("LAYO"), kFrameTag = chunk_tag("FRAM"),
                               kIndexTag = chunk_tag("INDX"), kCheckpointTag = chunk_tag("CHKP");
inline constexpr std::uint64_t kChunkHeaderSize = 48;
inline constexpr std::uint64_t kMaxChunkBytes = std::uint64_t(16) << 30; // raw size refused beyond this

enum class Codec : std::uint32_t { stored = 0, zstd = 1 };
bool have_zstd();

struct ChunkHeader {
    std::uint32_t tag = 0;
    Codec codec = Codec::stored;
    std::uint64_t stored_size = 0, raw_size = 0; // [bytes] in the file, after decompression
    std::int32_t frame = 0;                      // frame chunks
    std::uint32_t layout = 0;                    // number of the layout, of frame and layout chunks
    double time = 0;                             // [s], frame chunks
    std::uint32_t payload_checksum = 0;          // CRC-32 of the stored payload
};

// The whole chunk as bytes. Takes tag, frame, layout and time from `header`, fills the rest of it.
Bytes make_chunk(ChunkHeader& header, ByteSpan raw, int level);
// False if the checksum or the sizes cannot be right; `check` off only where a fuzzer wants to get past
// checksums.
bool parse_chunk_header(ByteSpan bytes, bool check, ChunkHeader& header);

struct RawBytes { // like Bytes, without filling with zeros what is overwritten anyway
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t size = 0;
    ByteSpan span() const { return {data.get(), size}; }
};
RawBytes make_raw_bytes(std::uint64_t size);
Errors unpack_chunk(const ChunkHeader& header, ByteSpan stored, bool check, RawBytes& raw);

} // namespace sinew
