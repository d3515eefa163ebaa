// PC2 point cache, little endian: "POINTCACHE2\0", i32 version 1, i32 points, f32 start frame, f32 frames per
// sample, i32 samples, then x y z as f32 of every point, sample by sample. Frames must follow at equal
// distances.
#include "output/bytes.h"
#include "output/point_cache.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace sinew {
namespace {
constexpr char kPointCacheMagic[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
constexpr std::uint64_t kHeader = 32;

Bytes make_header(int points, float start, float step, int samples) {
    Bytes header;
    append_bytes(header, kPointCacheMagic, sizeof kPointCacheMagic);
    append(header, std::int32_t(1));
    append(header, std::int32_t(points));
    append(header, start);
    append(header, step);
    append(header, std::int32_t(samples));
    return header;
}

struct Pc2Exporter final : PointCacheExporter {
    std::string_view format() const override { return "PC2"; }
    Errors begin_file(Part& part) override {
        if (Errors e = part.file.open(part.path); !e.empty()) return e;
        return part.file.write(make_header(part.point_count, 0, 1, 0));
    }
    Bytes encode(const std::vector<Real3>& x) const override {
        Bytes out;
        out.reserve(12 * x.size());
        for (const Real3& p : x)
            for (int c = 0; c < 3; ++c) append(out, float(p[c]));
        return out;
    }
    Errors write(const Snapshot& s) override {
        if (!frames.empty() && s.frame != frames.front() + settings.every * int(frames.size())) {
            Error error =
                file_error(parts.empty() ? "" : parts[0].path, "PC2 needs frames at equal distances");
            error.value = std::to_string(s.frame);
            error.allowed = std::to_string(frames.front() + settings.every * int(frames.size()));
            return {error};
        }
        return PointCacheExporter::write(s);
    }
    Errors finish_file(Part& part) override {
        const float start = frames.empty() ? 0 : float(frames.front());
        const Bytes header = make_header(part.point_count, start, float(settings.every), int(frames.size()));
        if (Errors e = part.file.patch(0, header); !e.empty()) return e;
        return part.file.commit();
    }
    int frame_of(const PointCache& cache, int sample) const override {
        return int(std::lround(cache.start_frame + sample * cache.frame_step));
    }
};
} // namespace

bool has_pc2_magic(const File& file) {
    std::uint8_t magic[sizeof kPointCacheMagic];
    return read_at(file, 0, magic).empty() && std::memcmp(magic, kPointCacheMagic, sizeof kPointCacheMagic) == 0;
}

Errors open_pc2(std::uint64_t size, PointCache& cache) {
    std::uint8_t bytes[kHeader];
    if (size < kHeader) return {file_error(cache.file.path, "the PC2 file is cut off")};
    if (Errors e = read_at(cache.file, 0, bytes); !e.empty()) return e;
    ByteReader reader{ByteSpan(bytes).subspan(sizeof kPointCacheMagic)};
    const int version = reader.number<std::int32_t>();
    cache.point_count = reader.number<std::int32_t>();
    cache.start_frame = reader.number<float>();
    cache.frame_step = reader.number<float>();
    cache.sample_count = reader.number<std::int32_t>();
    cache.data_offset = kHeader;
    if (version != 1) return {file_error(cache.file.path, "the PC2 file has an unknown version")};
    constexpr double largest = 1e9; // frames are integers here
    if (cache.point_count < 0 || cache.sample_count < 0 || !(std::abs(cache.start_frame) < largest) ||
        !(cache.frame_step > 0 && cache.frame_step < largest))
        return {file_error(cache.file.path, "the PC2 file is damaged")};
    const std::uint64_t sample = 12 * std::uint64_t(cache.point_count);
    if (sample > 0 && std::uint64_t(cache.sample_count) > (size - kHeader) / sample)
        return {file_error(cache.file.path, "the PC2 file is cut off")};
    return {};
}

std::unique_ptr<Exporter> make_pc2_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<Pc2Exporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
