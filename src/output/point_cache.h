// Point caches: the positions of one object's vertices over time, float32, nothing else. PC2 (little endian,
// samples at equal distances in frames) and MDD (big endian, a time for each sample) are read by Blender's
// Mesh Cache modifier and most other programs. One file per object ("drape.sheet.pc2"; "drape.pc2" if only
// one object is chosen) with world coordinates, y up as in the scene: the reading program's up axis must be
// set to y. The number of points must stay the same over the run; slots of dead particles stay where they
// were.
#pragma once
#include "core/atomic_file.h"
#include "output/output.h"

namespace sinew {

struct PointCache {                       // reader with random access; also for animated obstacles
    Errors open(const std::string& path); // PC2 by its magic, otherwise MDD
    Errors read(int sample, std::vector<Real3>& out) const;

    bool is_pc2 = false;
    int point_count = 0, sample_count = 0;
    double start_frame = 0, frame_step = 1; // PC2: frame of the first sample, frames between samples
    std::vector<double> times;              // [s] MDD: time of each sample

    File file;
    std::uint64_t data_offset = 0; // [bytes]
};
// of pc2.cpp and mdd.cpp: the header, once the file is open and its size known
Errors open_pc2(std::uint64_t size, PointCache& cache);
Errors open_mdd(std::uint64_t size, PointCache& cache);
bool has_pc2_magic(const File& file);

// What the two exporters share: samples gathered per object in a temporary file, finished by close().
struct PointCacheExporter : Exporter {
    struct Part { // one object
        std::string name, path;
        std::size_t object = 0; // in the layout
        int point_count = 0;
        AtomicFile file;
    };
    Errors open(const std::string& path, const SnapshotLayout&) override;
    Errors resume(const std::string& path, const SnapshotLayout&, int last_frame) override;
    Errors change_layout(const SnapshotLayout&) override;
    Errors write(const Snapshot&) override;
    Errors close() override;

    virtual std::string_view format() const = 0;                 // "PC2"
    virtual Errors begin_file(Part& part) = 0;                   // opens part.file, room for the header
    virtual Bytes encode(const std::vector<Real3>& x) const = 0; // one sample
    virtual Errors finish_file(Part& part) = 0;                  // header, commit
    virtual int frame_of(const PointCache& cache, int sample) const = 0; // of an earlier file to be continued

    ExporterSettings settings;
    SnapshotLayout layout;
    std::vector<Part> parts;
    std::vector<int> frames;   // numbers written
    std::vector<double> times; // [s]
};

} // namespace sinew
