// A reader of USD text for tests, by the grammar and not by what the exporter writes: prims, attributes with
// a value or time samples, metadata. Values are flat lists of numbers or texts; a number must be finite. And
// small objects to write.
#pragma once
#include "model/snapshot.h"
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinew {

struct UsdaValue {
    bool array = false, none = false; // none: a sample "None", the attribute has no value from there on
    int tuple = 0; // numbers per tuple, 0 = none
    std::vector<double> numbers;
    std::vector<std::string> texts;
    bool operator==(const UsdaValue&) const = default;
};
using UsdaMetadata = std::map<std::string, UsdaValue>; // members of dictionaries as "customData.name"
struct UsdaAttribute {
    std::string type;
    bool uniform = false, custom = false, has_value = false;
    UsdaValue value;
    std::map<double, UsdaValue> samples;
    UsdaMetadata metadata;
    // at a frame: between samples as it was before, before the first as the first
    const UsdaValue& at(double frame) const;
};
struct UsdaPrim {
    std::string type;
    UsdaMetadata metadata;
    std::map<std::string, UsdaAttribute> attributes;
    std::map<std::string, UsdaPrim> children;
    std::vector<std::string> order;                       // of the children
    const UsdaPrim& child(const std::string& path) const; // "hero/box"
    const UsdaAttribute& attribute(const std::string& name) const;
    bool has(const std::string& name) const { return attributes.count(name) > 0; }
    std::string text(const std::string& key) const; // of its metadata, empty if there is none
};

UsdaPrim parse_usda(
    const std::string& text); // the root: metadata of the file, prims as children; throws std::runtime_error

// the numbers of a file are the float32 of the wanted ones, bit for bit
void expect_floats(const UsdaValue& value, const std::vector<double>& wanted);
std::vector<double> flat_numbers(const std::vector<Real3>& x);
std::vector<double> as_numbers(const std::vector<int>& v);

SnapshotObject make_usd_square(const std::string& name);           // one polygon of four corners
SnapshotObject make_usd_cloud(const std::string& name, int count); // particles
Snapshot make_usd_rise(const SnapshotLayout& layout,
                       int frame); // every deformable object as at rest, risen by the time

} // namespace sinew
