// The contract of exporters: what turns the snapshots of a run into files. An exporter knows snapshots only,
// never the simulator; the same exporters run while simulating and when a recording is converted. One file
// per exporter, all of them in list.cpp.
//   make_exporter   what users of this folder call: adds the choice of objects, fields and frames and checks
//   every
//                   layout and snapshot, so that an exporter itself may trust what it is given
//   open / resume   begin, or continue an earlier output and keep its frames up to last_frame
//   change_layout   the topology changed between two frames; formats with a constant one refuse
//   write           one frame, with growing frame numbers
//   close           complete the files; without it (a killed run) recording and csv are still readable,
//   numbered
//                   files are complete, point caches are not there
// All functions return errors, empty = done. After an error nothing is promised but that close() may be
// called.
#pragma once
#include "model/snapshot.h"
#include "core/file.h"
#include <limits>
#include <memory>
#include <span>

namespace sinew {

enum class Precision { automatic, float32, float64 }; // automatic = the format's own default

struct ExporterSettings {
    std::vector<std::string> objects{"*"};            // names or wildcards: * any characters, ? one character
    std::vector<std::string> fields{"*"};             // fields of vertices, for csv its columns; empty = none
    Precision precision = Precision::automatic;       // of positions
    Precision field_precision = Precision::automatic; // of fields
    int every = 1;                               // every n-th frame, counted from the layout's first_frame
    int first = std::numeric_limits<int>::min(); // frames first ... last only
    int last = std::numeric_limits<int>::max();
    int level = 3; // compression level of zstd (recording) and zlib (vtk); 0 = store (recording)
};

struct Exporter {
    virtual ~Exporter() = default;
    virtual Errors open(const std::string& path, const SnapshotLayout&) = 0;
    virtual Errors resume(const std::string& path, const SnapshotLayout&, int last_frame) = 0;
    virtual Errors change_layout(const SnapshotLayout&) = 0;
    virtual Errors write(const Snapshot&) = 0;
    virtual Errors close() = 0;
};

struct ExporterEntry { // one row in list.cpp
    std::string_view name, extension, doc;
    bool float64; // can store doubles
    std::unique_ptr<Exporter> (*make)(const ExporterSettings&);
};
std::span<const ExporterEntry> exporters();
const ExporterEntry* find_exporter(std::string_view name); // null if there is none
Result<std::unique_ptr<Exporter>> make_exporter(std::string_view name, const ExporterSettings&);

// "out/drape.obj", 7 -> "out/drape.0007.obj"
std::string numbered_path(const std::string& path, int frame);
// "out/drape.pc2", "hero/chest" -> "out/drape.hero_chest.pc2"
std::string object_path(const std::string& path, const std::string& object);

} // namespace sinew
