// What the USD exporter (usd.cpp) keeps while a run goes on: a tree of prims with attributes whose samples
// arrive frame by frame. USD wants all samples of an attribute together, so they wait in one temporary file
// beside the output, the spool: a chain of blocks per attribute, each
//   [u64 place of the attribute's block before, u64 bytes, lines "frame: value,"]
// What stays in memory is one frame as text and a few kB per attribute, whatever the number of frames.
//   add_usd_sample  leaves out values that repeat; before a change a value that moves is repeated, so that
//                   reading programs, which interpolate, see it hold until then
//   write_usd       the file; an attribute with one value from the first frame on is written without times
//   read_usd        such a file again, up to a frame, for resume
// The file depends on the samples and on the order in which names came, nothing else: a resumed run has the
// same bytes.
#pragma once
#include "core/atomic_file.h"
#include "model/snapshot.h"
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace sinew {

inline constexpr std::string_view kUsdTime = "sinew:time"; // of /World: time [s] of every frame
inline constexpr std::string_view kUsdField = "primvars:sinew:", kUsdGroup = "primvars:sinew:group:";
inline constexpr std::string_view kUsdNone = "None"; // from here on the attribute has no value
inline constexpr std::uint64_t kNoUsdBlock = std::numeric_limits<std::uint64_t>::max();

struct UsdAttribute {
    std::string type, name;                         // "point3f[]", "points"
    std::string interpolation;                      // of primvars and widths; empty = not said
    int element_size = 1;                           // numbers per vertex, where the type does not say it
    std::string source;                             // of fields and vertex groups: their name in the scene
    std::string last;                               // value of the last sample, as text
    int first_frame = 0, last_frame = 0, count = 0; // of its values; repetitions do not count
    std::string pending;                            // lines that are not in the spool yet
    std::uint64_t block = kNoUsdBlock;              // its last block in the spool
    bool present = false;                           // in the layout or frame that is being written
};

struct UsdPrim {
    std::string type;           // "Mesh", "BasisCurves", "Points", "GeomSubset", "Camera", "Xform"
    std::string name;           // of the object in the scene; of a group of them or of polygons its own
    std::string part;           // object: empty, "lines" or "points"; GeomSubset: kind of the group
    std::string kind, material; // of objects
    bool rigid = false;         // moved by xformOps
    std::string identifier;     // last part of its path, unique among its siblings
    int parent = -1, depth = 0; // 0: /World, -1: none; levels below the root
    std::vector<int> children;
    std::vector<UsdAttribute> attributes;
};

struct UsdStage {
    AtomicFile spool;
    std::vector<UsdPrim> prims;                 // parents before children; 0 = /World
    std::vector<int> frames;                    // numbers written, growing
    std::unordered_map<std::string, int> index; // prims by all that tells them apart
    std::unordered_set<std::string> taken;      // identifiers, with their parents
    Errors errors;                              // of the spool; once there is one nothing more is kept
};

// text of values: numbers as float32, shortest digits that read back; what float32 cannot hold becomes the
// nearest number that it can, not a number becomes 0
std::string usd_identifier(std::string_view name); // letters, digits and _ only, no digit first
std::string usd_quoted(std::string_view text);
bool usd_unquoted(std::string_view quoted, std::string& text);
std::string usd_number(double value);
std::string usd_double(double value);
// "[(x,y,z),...]" of the chosen rows; more than 4 components are not grouped
std::string usd_array(const double* values, int components, std::span<const int> rows);
std::string usd_tuple(std::span<const double> values, bool single);
std::string usd_integers(std::span<const int> values);
// box of the points as float32, `margin` [m] around it
std::string usd_extent(const std::vector<Real3>& x, std::span<const int> vertices, double margin);

void start_usd(UsdStage& stage);                     // /World and nothing else
int find_or_add_prim(UsdStage& stage, UsdPrim prim); // index; gives identifier and depth to a new one
UsdAttribute& usd_attribute(UsdPrim& prim, std::string_view type, std::string_view name,
                            std::string_view interpolation = "");
// a field or vertex group: `prefix` and an identifier made of `source`
UsdAttribute& usd_source_attribute(UsdPrim& prim, std::string_view type, std::string_view prefix,
                                   const std::string& source, int element_size);
void add_usd_sample(UsdStage& stage, const UsdPrim& prim, UsdAttribute& attribute, int frame,
                    std::string value);
void index_usd(UsdStage& stage); // index and taken from the prims

Errors write_usd(UsdStage& stage, const SnapshotLayout& layout, const std::string& path);
Errors read_usd(const std::string& path, int last_frame, UsdStage& stage);

} // namespace sinew
