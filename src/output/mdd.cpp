// MDD point cache (LightWave motion designer), big endian: i32 samples, i32 points, f32 time [s] of each
// sample, then x y z as f32 of every point, sample by sample. The times come first and are known last:
// samples go to a temporary file of their own, which close() copies behind the header.
#include "output/bytes.h"
#include "output/point_cache.h"
#include <algorithm>
#include <cmath>

namespace sinew {
namespace {
void append_big(Bytes& out, float value) { append(out, reverse_bytes(value)); }
void append_big(Bytes& out, std::int32_t value) { append(out, reverse_bytes(value)); }

struct MddExporter final : PointCacheExporter {
    std::string_view format() const override { return "MDD"; }
    // part.file holds the samples only and is never committed
    Errors begin_file(Part& part) override { return part.file.open(part.path); }
    Bytes encode(const std::vector<Real3>& x) const override {
        Bytes out;
        out.reserve(12 * x.size());
        for (const Real3& p : x)
            for (int c = 0; c < 3; ++c) append_big(out, float(p[c]));
        return out;
    }
    Errors finish_file(Part& part) override {
        AtomicFile out;
        if (Errors e = out.open(part.path); !e.empty()) return e;
        Bytes header;
        append_big(header, std::int32_t(times.size()));
        append_big(header, std::int32_t(part.point_count));
        for (double t : times) append_big(header, float(t));
        if (Errors e = out.write(header); !e.empty()) return e;
        if (Errors e = part.file.release(); !e.empty()) return e;
        File samples;
        if (Errors e = open_to_read(part.file.temporary, samples); !e.empty()) return e;
        Bytes block;
        for (std::uint64_t at = 0; at < part.file.size; at += block.size()) {
            block.resize(std::size_t(std::min<std::uint64_t>(1 << 20, part.file.size - at)));
            if (Errors e = read_at(samples, at, block); !e.empty()) return e;
            if (Errors e = out.write(block); !e.empty()) return e;
        }
        part.file.discard();
        return out.commit();
    }
    int frame_of(const PointCache& cache, int sample) const override {
        return layout.first_frame + int(std::lround(cache.times[std::size_t(sample)] * layout.fps));
    }
};
} // namespace

Errors open_mdd(std::uint64_t size, PointCache& cache) {
    const std::string& path = cache.file.path;
    std::uint8_t bytes[8];
    if (size < sizeof bytes) return {file_error(path, "this is neither a PC2 nor an MDD file")};
    if (Errors e = read_at(cache.file, 0, bytes); !e.empty()) return e;
    ByteReader reader{bytes};
    cache.sample_count = reverse_bytes(reader.number<std::int32_t>());
    cache.point_count = reverse_bytes(reader.number<std::int32_t>());
    // there is no magic: only a size that fits makes it an MDD file
    if (cache.sample_count < 0 || cache.point_count < 0)
        return {file_error(path, "this is neither a PC2 nor an MDD file")};
    const std::uint64_t samples = std::uint64_t(cache.sample_count),
                        points = std::uint64_t(cache.point_count);
    const std::uint64_t per_sample = 4 + 12 * points; // at most 2^35, times 2^31 still fits
    if (size - 8 != samples * per_sample)
        return {file_error(path, "the size of the file is not that of an MDD file with " +
                                     std::to_string(samples) + " samples of " + std::to_string(points) +
                                     " points")};
    Bytes times(static_cast<std::size_t>(4 * samples));
    if (Errors e = read_at(cache.file, 8, times); !e.empty()) return e;
    reader = ByteReader{times};
    for (std::uint64_t i = 0; i < samples; ++i) {
        cache.times.push_back(double(reverse_bytes(reader.number<float>())));
        if (!(std::abs(cache.times.back()) < 1e6))
            return {file_error(path, "the MDD file has an impossible time")};
    }
    cache.data_offset = 8 + 4 * samples;
    return {};
}

std::unique_ptr<Exporter> make_mdd_exporter(const ExporterSettings& settings) {
    auto exporter = std::make_unique<MddExporter>();
    exporter->settings = settings;
    return exporter;
}

} // namespace sinew
