#include "output/chunk.h"
#include <zlib.h>
#if SINEW_HAVE_ZSTD
#include <zstd.h>
#endif

namespace sinew {
namespace {
constexpr std::uint64_t kMaxRatio = 256, kMaxRatioFree = 65536;

bool ratio_allowed(std::uint64_t raw, std::uint64_t stored) {
    return raw <= kMaxRatioFree || (raw - kMaxRatioFree) / kMaxRatio <= stored;
}

std::uint32_t checksum(ByteSpan bytes) {
    uLong crc = crc32(0, nullptr, 0);
    while (!bytes.empty()) {
        const std::size_t part = std::min<std::size_t>(bytes.size(), std::size_t(1) << 30);
        crc = crc32(crc, bytes.data(), uInt(part));
        bytes = bytes.subspan(part);
    }
    return std::uint32_t(crc);
}

Error damaged(std::string message) {
    Error error;
    error.message = std::move(message);
    return error;
}

// compressed payload behind the space for the header; stored where zstd is absent or does not help
void append_payload(ByteSpan raw, int level, ChunkHeader& header, Bytes& out) {
#if SINEW_HAVE_ZSTD
    if (level > 0 && raw.size() > 64) {
        out.resize(kChunkHeaderSize + ZSTD_compressBound(raw.size()));
        const std::size_t n = ZSTD_compress(out.data() + kChunkHeaderSize, out.size() - kChunkHeaderSize,
                                            raw.data(), raw.size(), level);
        if (!ZSTD_isError(n) && n < raw.size()) {
            header.codec = Codec::zstd;
            out.resize(kChunkHeaderSize + n);
            if (!ratio_allowed(raw.size(), n)) out.resize(kChunkHeaderSize + raw.size() / kMaxRatio + 1, 0);
            return;
        }
    }
#endif
    static_cast<void>(level);
    header.codec = Codec::stored;
    out.resize(kChunkHeaderSize);
    append_bytes(out, raw.data(), raw.size());
}

Errors unpack_zstd(const ChunkHeader& header, ByteSpan stored, RawBytes& raw) {
#if SINEW_HAVE_ZSTD
    // padding may follow the frame; this also fails for anything that is no zstd frame
    const std::size_t frame_size = ZSTD_findFrameCompressedSize(stored.data(), stored.size());
    if (ZSTD_isError(frame_size)) return {damaged("a chunk is damaged (no zstd frame)")};
    const std::size_t n = ZSTD_decompress(raw.data.get(), raw.size, stored.data(), frame_size);
    if (ZSTD_isError(n) || n != header.raw_size)
        return {damaged("a chunk is damaged (it does not decompress)")};
    return {};
#else
    static_cast<void>(header), static_cast<void>(stored), static_cast<void>(raw);
    return {damaged("the file is compressed by zstd, and this program was built without zstd")};
#endif
}
} // namespace

bool have_zstd() {
#if SINEW_HAVE_ZSTD
    return true;
#else
    return false;
#endif
}

Bytes make_chunk(ChunkHeader& header, ByteSpan raw, int level) {
    Bytes out(kChunkHeaderSize);
    append_payload(raw, level, header, out);
    header.raw_size = raw.size();
    header.stored_size = out.size() - kChunkHeaderSize;
    header.payload_checksum = checksum(ByteSpan(out).subspan(kChunkHeaderSize));
    Bytes head;
    append(head, header.tag);
    append(head, std::uint32_t(header.codec));
    append(head, header.stored_size);
    append(head, header.raw_size);
    append(head, header.frame);
    append(head, header.layout);
    append(head, header.time);
    append(head, header.payload_checksum);
    append(head, checksum(head));
    std::copy(head.begin(), head.end(), out.begin());
    return out;
}

bool parse_chunk_header(ByteSpan bytes, bool check, ChunkHeader& header) {
    if (bytes.size() < kChunkHeaderSize) return false;
    ByteReader reader{bytes};
    header.tag = reader.number<std::uint32_t>();
    header.codec = Codec(reader.number<std::uint32_t>());
    header.stored_size = reader.number<std::uint64_t>();
    header.raw_size = reader.number<std::uint64_t>();
    header.frame = reader.number<std::int32_t>();
    header.layout = reader.number<std::uint32_t>();
    header.time = reader.number<double>();
    header.payload_checksum = reader.number<std::uint32_t>();
    if (check && reader.number<std::uint32_t>() != checksum(bytes.first(kChunkHeaderSize - 4))) return false;
    if (header.raw_size > kMaxChunkBytes || !ratio_allowed(header.raw_size, header.stored_size)) return false;
    return header.codec != Codec::stored || header.stored_size == header.raw_size;
}

RawBytes make_raw_bytes(std::uint64_t size) {
    return {std::unique_ptr<std::uint8_t[]>(new std::uint8_t[std::size_t(size)]), std::size_t(size)};
}

Errors unpack_chunk(const ChunkHeader& header, ByteSpan stored, bool check, RawBytes& raw) {
    if (check && checksum(stored) != header.payload_checksum)
        return {damaged("a chunk is damaged (wrong checksum)")};
    raw = make_raw_bytes(header.raw_size);
    if (header.codec == Codec::zstd) return unpack_zstd(header, stored, raw);
    if (header.codec != Codec::stored) return {damaged("a chunk is compressed in an unknown way")};
    std::copy(stored.begin(), stored.end(), raw.data.get());
    return {};
}

} // namespace sinew
