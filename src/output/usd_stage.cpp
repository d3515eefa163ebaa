// Prims, samples in the spool, and the file made of them.
#include "output/bytes.h"
#include "output/usd.h"
#include <algorithm>

namespace sinew {
namespace {
constexpr std::size_t kUsdPending = 4096;               // [bytes] of lines that an attribute gathers
constexpr std::size_t kUsdPiece = std::size_t(1) << 20; // [bytes] copied at once

std::string usd_indent(int depth) { return std::string(4 * std::size_t(depth), ' '); }

// values between whose samples a reading program interpolates
bool usd_interpolates(const UsdAttribute& a) {
    return a.name == "points" || a.name == "velocities" || a.name == "extent" ||
           a.name.starts_with("xformOp:") || (a.name.starts_with(kUsdField) && a.type.starts_with("float"));
}

std::string usd_key(const UsdPrim& p) {
    return std::to_string(p.parent) + "/" + p.type + "/" + p.part + (p.rigid ? "/rigid/" : "/") + p.name;
}
std::string usd_place(int parent, const std::string& identifier) {
    return std::to_string(parent) + "/" + identifier;
}

// the frame before this one, the frame itself if there is none
int frame_before(const std::vector<int>& frames, int frame) {
    const auto at = std::lower_bound(frames.begin(), frames.end(), frame);
    return at == frames.begin() ? frame : *(at - 1);
}

void append_sample(const UsdPrim& prim, UsdAttribute& a, int frame, const std::string& value) {
    a.pending += usd_indent(prim.depth + 2);
    a.pending += std::to_string(frame);
    a.pending += ": ";
    a.pending += value;
    a.pending += ",\n";
}

void spool_pending(UsdStage& stage, UsdAttribute& a) {
    const std::uint64_t at = stage.spool.position();
    Bytes head;
    append(head, a.block);
    append(head, std::uint64_t(a.pending.size()));
    Errors errors = stage.spool.write(head);
    if (errors.empty()) errors = stage.spool.write(a.pending);
    add_errors(stage.errors, errors);
    a.block = at;
    a.pending = {};
}

// the lines of all samples, oldest first
Errors copy_samples(UsdStage& stage, const UsdAttribute& a, AtomicFile& out) {
    struct Block {
        std::uint64_t at, size;
    };
    std::vector<Block> blocks;
    for (std::uint64_t at = a.block; at != kNoUsdBlock;) {
        std::uint8_t head[16];
        if (Errors e = stage.spool.read_back(at, head); !e.empty()) return e;
        ByteReader reader{head};
        const std::uint64_t before = reader.number<std::uint64_t>();
        blocks.push_back({at + sizeof head, reader.number<std::uint64_t>()});
        at = before;
    }
    Bytes piece;
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b)
        for (std::uint64_t done = 0; done < b->size; done += piece.size()) {
            piece.resize(std::size_t(std::min<std::uint64_t>(kUsdPiece, b->size - done)));
            if (Errors e = stage.spool.read_back(b->at + done, piece); !e.empty()) return e;
            if (Errors e = out.write(piece); !e.empty()) return e;
        }
    return out.write(a.pending);
}

// What stands in parentheses behind an attribute, with them; empty if there is nothing to say. With a value
// on lines of their own, else on one line: three.js counts its parentheses so.
std::string attribute_metadata(const UsdAttribute& a, int depth, bool has_value) {
    std::vector<std::string> items;
    if (a.element_size > 1) items.push_back("elementSize = " + std::to_string(a.element_size));
    if (!a.interpolation.empty()) items.push_back("interpolation = \"" + a.interpolation + "\"");
    if (!a.source.empty() && a.source != a.name.substr(a.name.rfind(':') + 1))
        items.push_back("displayName = " + usd_quoted(a.source));
    std::string text;
    for (const std::string& item : items)
        text += has_value ? usd_indent(depth + 1) + item + "\n" : (text.empty() ? "" : "; ") + item;
    if (text.empty()) return text;
    return has_value ? " (\n" + text + usd_indent(depth) + ")" : " (" + text + ")";
}

Errors write_attribute(UsdStage& stage, const UsdAttribute& a, int depth, AtomicFile& out) {
    const std::string head = usd_indent(depth) + a.type + " " + a.name;
    if (a.count == 1 && a.first_frame == stage.frames.front() && a.name != kUsdTime) {
        if (a.name == "visibility" && a.last == "\"inherited\"") return {};
        return out.write(head + " = " + a.last + attribute_metadata(a, depth, true) + "\n");
    }
    const std::string metadata = attribute_metadata(a, depth, false);
    std::string text;
    if (a.name == kUsdTime) text += usd_indent(depth) + "custom " + a.type + " " + a.name + "\n";
    if (!metadata.empty()) text += head + metadata + "\n";
    text += head + ".timeSamples = {\n";
    if (Errors e = out.write(text); !e.empty()) return e;
    if (Errors e = copy_samples(stage, a, out); !e.empty()) return e;
    return out.write(usd_indent(depth) + "}\n");
}

// what a type of prim has at all times
std::string fixed_attributes(const UsdPrim& p, const std::string& in) {
    if (p.type == "Mesh") return in + "uniform token subdivisionScheme = \"none\"\n";
    if (p.type == "BasisCurves")
        return in + "uniform token type = \"linear\"\n" + in + "uniform token wrap = \"nonperiodic\"\n";
    if (p.type != "GeomSubset") return "";
    return in + "uniform token elementType = \"face\"\n" + in + "uniform token familyName = \"" +
           (p.part == "material" ? "materialBind" : p.part) + "\"\n";
}

std::string prim_head(const UsdPrim& p) {
    const std::string in = usd_indent(p.depth), deeper = usd_indent(p.depth + 2);
    std::string text = "\n" + in + "def " + p.type + " \"" + p.identifier + "\"";
    if (p.name.empty()) return text + "\n" + in + "{\n";
    text += " (\n" + usd_indent(p.depth + 1) + "customData = {\n";
    for (const auto& [key, value] : {std::pair{"kind", &p.kind}, std::pair{"material", &p.material},
                                     std::pair{"name", &p.name}, std::pair{"part", &p.part}})
        if (!value->empty()) text += deeper + "string " + key + " = " + usd_quoted(*value) + "\n";
    if (p.rigid) text += deeper + "bool rigid = 1\n";
    return text + usd_indent(p.depth + 1) + "}\n" + in + ")\n" + in + "{\n";
}

Errors write_prim(UsdStage& stage, int index, AtomicFile& out) {
    const UsdPrim& p = stage.prims[std::size_t(index)];
    const std::string in = usd_indent(p.depth + 1);
    if (Errors e = out.write(prim_head(p) + fixed_attributes(p, in)); !e.empty()) return e;
    std::string order;
    for (const UsdAttribute& a : p.attributes) {
        if (a.count == 0) continue;
        if (Errors e = write_attribute(stage, a, p.depth + 1, out); !e.empty()) return e;
        if (a.name.starts_with("xformOp:")) order += (order.empty() ? "\"" : ", \"") + a.name + "\"";
    }
    if (!order.empty())
        if (Errors e = out.write(in + "uniform token[] xformOpOrder = [" + order + "]\n"); !e.empty())
            return e;
    for (int child : p.children)
        if (Errors e = write_prim(stage, child, out); !e.empty()) return e;
    return out.write(usd_indent(p.depth) + "}\n");
}
} // namespace

void start_usd(UsdStage& stage) {
    stage.prims.assign(1, UsdPrim());
    stage.prims[0].type = "Xform";
    stage.prims[0].identifier = "World";
    stage.frames.clear();
    stage.errors.clear();
    index_usd(stage);
}

void index_usd(UsdStage& stage) {
    stage.index.clear();
    stage.taken.clear();
    for (std::size_t i = 0; i < stage.prims.size(); ++i) {
        const UsdPrim& p = stage.prims[i];
        stage.index.emplace(usd_key(p), int(i));
        stage.taken.insert(usd_place(p.parent, p.identifier));
    }
}

int find_or_add_prim(UsdStage& stage, UsdPrim prim) {
    const std::string key = usd_key(prim);
    if (const auto found = stage.index.find(key); found != stage.index.end()) return found->second;
    // of "hero/chest" the groups have their own prims
    const std::size_t slash =
        prim.type == "Xform" || prim.type == "GeomSubset" ? prim.name.npos : prim.name.rfind('/');
    std::string wanted = usd_identifier(slash == prim.name.npos ? prim.name : prim.name.substr(slash + 1));
    if (prim.type == "Camera") wanted = prim.type;
    if (!prim.part.empty() && prim.type != "GeomSubset") wanted += "_" + prim.part;
    prim.identifier = wanted;
    for (int i = 1; !stage.taken.insert(usd_place(prim.parent, prim.identifier)).second; ++i)
        prim.identifier = wanted + "_" + std::to_string(i);
    const int index = int(stage.prims.size());
    prim.depth = stage.prims[std::size_t(prim.parent)].depth + 1;
    stage.prims[std::size_t(prim.parent)].children.push_back(index);
    stage.prims.push_back(std::move(prim));
    stage.index.emplace(key, index);
    return index;
}

UsdAttribute& usd_attribute(UsdPrim& prim, std::string_view type, std::string_view name,
                            std::string_view interpolation) {
    for (UsdAttribute& a : prim.attributes)
        if (a.name == name) return a;
    UsdAttribute& a = prim.attributes.emplace_back();
    a.type = type;
    a.name = name;
    a.interpolation = interpolation;
    return a;
}

UsdAttribute& usd_source_attribute(UsdPrim& prim, std::string_view type, std::string_view prefix,
                                   const std::string& source, int element_size) {
    for (UsdAttribute& a : prim.attributes)
        if (a.source == source && a.type == type && a.element_size == element_size &&
            a.name.starts_with(prefix) && a.name.find(':', prefix.size()) == a.name.npos)
            return a;
    const auto is_taken = [&](const std::string& name) {
        return std::any_of(prim.attributes.begin(), prim.attributes.end(),
                           [&](const UsdAttribute& a) { return a.name == name; });
    };
    // a name that ends with ":indices" would belong to another primvar
    const std::string wanted =
        std::string(prefix) + usd_identifier(source) + (source == "indices" ? "_" : "");
    std::string name = wanted;
    for (int i = 1; is_taken(name); ++i) name = wanted + "_" + std::to_string(i);
    UsdAttribute& a = usd_attribute(prim, type, name, "vertex");
    a.source = source;
    a.element_size = element_size;
    return a;
}

void add_usd_sample(UsdStage& stage, const UsdPrim& prim, UsdAttribute& a, int frame, std::string value) {
    if (!stage.errors.empty() || (a.count > 0 && a.last == value && a.name != kUsdTime)) return;
    if (a.count == 0) a.first_frame = frame;
    if (const int before = frame_before(stage.frames, frame);
        a.count > 0 && before > a.last_frame && usd_interpolates(a) && a.last != kUsdNone)
        append_sample(prim, a, before, a.last);
    append_sample(prim, a, frame, value);
    a.last = std::move(value);
    a.last_frame = frame;
    ++a.count;
    if (a.pending.size() >= kUsdPending) spool_pending(stage, a);
}

Errors write_usd(UsdStage& stage, const SnapshotLayout& layout, const std::string& path) {
    const bool none = stage.frames.empty();
    std::string text =
        "#usda 1.0\n(\n    doc = " + usd_quoted("Sinew " SINEW_VERSION ", scene " + layout.scene_name);
    text += "\n    defaultPrim = \"World\"";
    text += "\n    endTimeCode = " + std::to_string(none ? layout.first_frame : stage.frames.back());
    text += "\n    framesPerSecond = " + usd_double(layout.fps);
    text += "\n    metersPerUnit = 1";
    text += "\n    startTimeCode = " + std::to_string(none ? layout.first_frame : stage.frames.front());
    text += "\n    timeCodesPerSecond = " + usd_double(layout.fps);
    text += layout.up.ends_with('z') ? "\n    upAxis = \"Z\"\n)\n" : "\n    upAxis = \"Y\"\n)\n";
    AtomicFile out;
    if (Errors e = out.open(path); !e.empty()) return e;
    if (Errors e = out.write(text); !e.empty()) return e;
    if (Errors e = write_prim(stage, 0, out); !e.empty()) return e;
    return out.commit();
}

} // namespace sinew
