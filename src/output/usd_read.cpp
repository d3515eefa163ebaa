// An earlier file of the USD exporter, for resume: its samples up to a frame go into the spool again. No
// reader of USD: it knows the lines that usd_stage.cpp writes and refuses all others, with the number of the
// line.
#include "output/usd.h"
#include <algorithm>
#include <charconv>

namespace sinew {
namespace {
constexpr std::size_t kUsdRead = std::size_t(1) << 20; // [bytes] read at once
constexpr int kUsdDeepest = 100;                       // levels of prims; the exporter makes fewer

struct UsdLoader {
    UsdStage& stage;
    int last_frame;
    File file;
    std::uint64_t size = 0, at = 0;
    std::string buffer; // read, not yet given out
    std::size_t begin = 0;
    std::string line; // without the spaces around it
    int number = 0;
    Errors errors;

    bool fail(const std::string& message) {
        if (errors.empty()) {
            errors.push_back(file_error(file.path, "cannot continue: " + message));
            errors.back().line = number;
        }
        return false;
    }
    bool unknown() { return fail("this is no line of a USD file by Sinew"); }

    // the next line that is not empty
    bool next() {
        for (;;) {
            std::size_t end = buffer.find('\n', begin);
            while (end == buffer.npos) {
                if (at == size) return fail("the file is cut off");
                buffer.erase(0, begin);
                begin = 0;
                const std::size_t old = buffer.size(),
                                  more = std::size_t(std::min<std::uint64_t>(kUsdRead, size - at));
                buffer.resize(old + more);
                errors = read_at(file, at, {reinterpret_cast<std::uint8_t*>(buffer.data()) + old, more});
                if (!errors.empty()) return false;
                at += more;
                end = buffer.find('\n', old);
            }
            ++number;
            std::size_t first = begin;
            while (first < end && buffer[first] == ' ') ++first;
            line.assign(buffer, first, end - first);
            begin = end + 1;
            if (!line.empty()) return true;
        }
    }
    bool expect(std::string_view text) { return next() && (line == text || unknown()); }

    // lines up to the closing parenthesis, those in between to `f`
    template <class F> bool metadata(F&& f) {
        while (next()) {
            if (line == ")") return true;
            if (line == "customData = {" || line == "}") continue;
            const std::size_t equals = line.find(" = ");
            if (equals == line.npos || !f(line.substr(0, equals), line.substr(equals + 3))) return unknown();
        }
        return false;
    }

    // the times of /World come first and say which frames there are
    bool add(UsdPrim& prim, UsdAttribute& a, int frame, std::string value) {
        if (frame > last_frame) return true;
        const bool counts = a.name == kUsdTime;
        if (counts && !stage.frames.empty() && frame <= stage.frames.back()) return unknown();
        if (counts) stage.frames.push_back(frame);
        if (!std::binary_search(stage.frames.begin(), stage.frames.end(), frame)) return unknown();
        add_usd_sample(stage, prim, a, frame, std::move(value));
        return true;
    }
    bool samples(UsdPrim& prim, UsdAttribute& a) {
        while (next()) {
            if (line == "}") return true;
            int frame = 0;
            const auto parsed = std::from_chars(line.data(), line.data() + line.size(), frame);
            const std::size_t digits = std::size_t(parsed.ptr - line.data());
            if (parsed.ec != std::errc() || line.back() != ',' || line.compare(digits, 2, ": ") != 0)
                return unknown();
            if (!add(prim, a, frame, line.substr(digits + 2, line.size() - digits - 3))) return false;
        }
        return false;
    }
    static bool detail(UsdAttribute& a, std::string_view key, std::string_view value) {
        if (key == "displayName") return usd_unquoted(value, a.source);
        if (key == "interpolation") return usd_unquoted(value, a.interpolation);
        if (key != "elementSize") return false;
        return std::from_chars(value.data(), value.data() + value.size(), a.element_size).ec == std::errc();
    }
    bool details_below(UsdAttribute& a) {
        return metadata(
            [&](const std::string& key, const std::string& value) { return detail(a, key, value); });
    }
    // "elementSize = 6; interpolation = "vertex"; displayName = "a; b"": only the last may hold a semicolon
    bool details_inside(UsdAttribute& a, std::string_view text) {
        while (!text.empty()) {
            const std::size_t equals = std::min(text.find(" = "), text.size());
            const std::string_view key = text.substr(0, equals);
            const std::size_t end =
                key == "displayName" ? text.size() : std::min(text.find("; "), text.size());
            if (end < equals + 3 || !detail(a, key, text.substr(equals + 3, end - equals - 3)))
                return unknown();
            text.remove_prefix(std::min(end + 2, text.size()));
        }
        return true;
    }
    bool attribute(int index) {
        const std::size_t space = line.find(' ');
        const std::size_t end = space == line.npos ? space : line.find_first_of(" .", space + 1);
        if (end == line.npos) return unknown();
        UsdPrim& prim = stage.prims[std::size_t(index)];
        UsdAttribute& a = usd_attribute(prim, line.substr(0, space), line.substr(space + 1, end - space - 1));
        if (a.source.empty() && a.name.starts_with(kUsdField))
            a.source = a.name.substr(a.name.rfind(':') + 1);
        std::string rest = line.substr(end);
        if (rest.starts_with(" (") && rest.ends_with(')'))
            return details_inside(a, std::string_view(rest).substr(2, rest.size() - 3));
        if (rest == ".timeSamples = {") return samples(prim, a);
        if (!rest.starts_with(" = ")) return unknown();
        const bool details = rest.ends_with(" (");
        if (details) rest.resize(rest.size() - 2);
        // one value from the first frame on
        if (!stage.frames.empty() && !add(prim, a, stage.frames.front(), rest.substr(3))) return false;
        return !details || details_below(a);
    }

    // what came after the last frame to keep is not there yet; who never was hidden does not say so
    bool is_kept(UsdPrim& p) {
        std::erase_if(p.attributes, [](const UsdAttribute& a) {
            return a.count == 0 || (a.count == 1 && a.last == kUsdNone);
        });
        if (p.type == "Xform") return !p.children.empty();
        if (p.type == "Camera") return !p.attributes.empty();
        if (p.type == "GeomSubset")
            return !p.attributes.empty() && (p.attributes[0].count > 1 || p.attributes[0].last != "[]");
        const auto seen = std::find_if(p.attributes.begin(), p.attributes.end(),
                                       [](const UsdAttribute& a) { return a.name == "visibility"; });
        if (p.attributes.size() == (seen != p.attributes.end() ? 1u : 0u)) return false;
        if (seen == p.attributes.end()) {
            UsdAttribute visibility;
            visibility.type = "token";
            visibility.name = "visibility";
            add_usd_sample(stage, p, visibility, stage.frames.front(), "\"inherited\"");
            p.attributes.insert(p.attributes.begin(), std::move(visibility));
        }
        return true;
    }
    bool prim(int parent) {
        UsdPrim p;
        const std::size_t space = line.find(' ', 4), open = line.find('"'), close = line.rfind('"');
        if (space == line.npos || open != space + 1 || close <= open) return unknown();
        p.type = line.substr(4, space - 4);
        p.identifier = line.substr(open + 1, close - open - 1);
        p.parent = parent;
        p.depth = stage.prims[std::size_t(parent)].depth + 1;
        if (p.depth > kUsdDeepest) return unknown();
        const bool broken =
            line.ends_with(" (") && !metadata([&](const std::string& key, const std::string& value) {
                if (key == "bool rigid") return p.rigid = true;
                for (const auto& [name, to] : {std::pair{"kind", &p.kind}, std::pair{"material", &p.material},
                                               std::pair{"name", &p.name}, std::pair{"part", &p.part}})
                    if (key == std::string("string ") + name) return usd_unquoted(value, *to);
                return false;
            });
        if (broken || !expect("{")) return false;
        const int index = int(stage.prims.size());
        stage.prims.push_back(std::move(p));
        if (!body(index)) return false;
        if (is_kept(stage.prims[std::size_t(index)]))
            stage.prims[std::size_t(parent)].children.push_back(index);
        else
            stage.prims.resize(std::size_t(index)); // those below it have gone already
        return true;
    }
    bool body(int index) {
        while (next()) {
            if (line == "}") return true;
            if (line.starts_with("uniform ") || line.starts_with("custom "))
                continue; // said by type and name
            if (line.starts_with("def ") ? !prim(index) : !attribute(index)) return false;
        }
        return false;
    }
    bool load() {
        if (!next()) return false;
        if (line != "#usda 1.0") return fail("this is no USD file as text");
        if (!expect("(") || !next()) return false;
        if (!line.starts_with("doc = \"Sinew ")) return fail("another program wrote the file");
        while (line != ")")
            if (!next()) return false;
        return expect("def Xform \"World\"") && expect("{") && body(0);
    }
};
} // namespace

Errors read_usd(const std::string& path, int last_frame, UsdStage& stage) {
    UsdLoader loader{stage, last_frame, {}, 0, 0, {}, 0, {}, 0, {}};
    if (Errors e = open_to_read(path, loader.file); !e.empty()) return e;
    if (Errors e = file_size(loader.file, loader.size); !e.empty()) return e;
    if (!loader.load()) return loader.errors;
    std::erase_if(stage.prims[0].attributes, [](const UsdAttribute& a) { return a.count == 0; });
    index_usd(stage);
    return stage.errors;
}

} // namespace sinew
