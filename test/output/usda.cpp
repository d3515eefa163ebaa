#include "output/usda.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>

namespace sinew {
namespace {

struct UsdaParser {
    const std::string& text;
    std::size_t at = 0;

    [[noreturn]] void fail(const std::string& what) const {
        const auto line =
            1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(std::min(at, text.size())), '\n');
        throw std::runtime_error("line " + std::to_string(line) + ": " + what);
    }
    void skip() {
        while (at < text.size() && (std::isspace(static_cast<unsigned char>(text[at])) || text[at] == '#')) {
            if (text[at] == '#')
                while (at < text.size() && text[at] != '\n') ++at;
            else
                ++at;
        }
    }
    bool peek(char c) {
        skip();
        return at < text.size() && text[at] == c;
    }
    bool take(char c) {
        if (!peek(c)) return false;
        ++at;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(std::string("expected ") + c);
    }
    // identifiers with namespaces, types with []
    std::string word() {
        skip();
        const std::size_t begin = at;
        while (at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == ':'))
            ++at;
        if (begin == at) fail("expected a word");
        if (std::isdigit(static_cast<unsigned char>(text[begin]))) fail("a name begins with a digit");
        if (text.compare(at, 2, "[]") == 0) at += 2;
        return text.substr(begin, at - begin);
    }
    std::string quoted() {
        expect('"');
        std::string out;
        for (; at < text.size() && text[at] != '"'; ++at) {
            if (text[at] == '\n') fail("a text is not closed");
            if (text[at] != '\\') {
                out += text[at];
            } else if (text[++at] == 'x') {
                out += char(std::stoi(text.substr(at + 1, 2), nullptr, 16));
                at += 2;
            } else {
                out += text[at];
            }
        }
        expect('"');
        return out;
    }
    double number() {
        skip();
        const std::size_t digit = at + (at < text.size() && text[at] == '-' ? 1 : 0);
        if (digit >= text.size() || !std::isdigit(static_cast<unsigned char>(text[digit])))
            fail("expected a number");
        char* end = nullptr;
        const double value = std::strtod(text.c_str() + at, &end);
        at = std::size_t(end - text.c_str());
        if (!std::isfinite(value)) fail("a number is not finite");
        return value;
    }
    void item(UsdaValue& out) {
        if (peek('"')) {
            out.texts.push_back(quoted());
        } else if (take('(')) {
            int count = 0;
            do {
                out.numbers.push_back(number());
                ++count;
            } while (take(','));
            expect(')');
            if (out.tuple != 0 && out.tuple != count) fail("tuples of different sizes");
            out.tuple = count;
        } else {
            out.numbers.push_back(number());
        }
    }
    UsdaValue value() {
        UsdaValue out;
        if (!take('[')) {
            item(out);
            return out;
        }
        out.array = true;
        while (!take(']')) {
            item(out);
            if (!peek(']')) expect(',');
        }
        return out;
    }
    // lines "key = value" or "type key = value", dictionaries in between
    void dictionary(const std::string& prefix, char end, UsdaMetadata& out) {
        while (!take(end)) {
            std::string key = word();
            if (!peek('=')) key = word();
            expect('=');
            if (take('{'))
                dictionary(prefix + key + ".", '}', out);
            else if (!out.emplace(prefix + key, value()).second)
                fail("said twice: " + key);
            take(';');
        }
    }
    void samples(UsdaAttribute& a) {
        expect('{');
        while (!take('}')) {
            const double time = number();
            expect(':');
            if (!a.samples.empty() && a.samples.rbegin()->first >= time) fail("times do not grow");
            skip();
            UsdaValue none;
            none.none = text.compare(at, 4, "None") == 0;
            if (none.none) at += 4;
            a.samples.emplace(time, none.none ? none : value());
            if (!peek('}')) expect(',');
        }
        if (a.samples.empty()) fail("no samples");
    }
    void attribute(std::string type, UsdaPrim& prim) {
        bool uniform = false, custom = false;
        while (type == "uniform" || type == "custom") {
            (type == "uniform" ? uniform : custom) = true;
            type = word();
        }
        const std::string name = word();
        UsdaAttribute& a = prim.attributes[name];
        if (!a.type.empty() && a.type != type) fail(name + " has two types");
        a.type = type;
        a.uniform = a.uniform || uniform;
        a.custom = a.custom || custom;
        if (take('.')) {
            if (word() != "timeSamples" || custom) fail("expected timeSamples, without custom");
            expect('=');
            samples(a);
            return;
        }
        if (take('=')) {
            if (a.has_value) fail(name + " has two values");
            a.has_value = true;
            a.value = value();
        }
        if (take('(')) dictionary("", ')', a.metadata);
    }
    void prims(UsdaPrim& parent, bool root) {
        for (;;) {
            skip();
            if (root && at == text.size()) return;
            if (!root && take('}')) return;
            const std::string first = word();
            if (first != "def") {
                if (root) fail("expected def");
                attribute(first, parent);
                continue;
            }
            UsdaPrim prim;
            prim.type = word();
            const std::string name = quoted();
            const bool valid = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                               std::all_of(name.begin(), name.end(), [](unsigned char c) {
                                   return c < 128 && (std::isalnum(c) || c == '_');
                               });
            if (!valid) fail("no identifier: " + name);
            if (take('(')) dictionary("", ')', prim.metadata);
            expect('{');
            prims(prim, false);
            parent.order.push_back(name);
            if (!parent.children.emplace(name, std::move(prim)).second)
                fail("two prims of one name: " + name);
        }
    }
};
} // namespace

const UsdaValue& UsdaAttribute::at(double frame) const {
    if (samples.empty()) {
        if (!has_value) throw std::runtime_error("an attribute without value");
        return value;
    }
    auto found = samples.upper_bound(frame);
    return found == samples.begin() ? found->second : std::prev(found)->second;
}
const UsdaPrim& UsdaPrim::child(const std::string& path) const {
    const std::size_t slash = path.find('/');
    const auto found = children.find(path.substr(0, slash));
    if (found == children.end()) throw std::runtime_error("there is no prim " + path);
    return slash == path.npos ? found->second : found->second.child(path.substr(slash + 1));
}
const UsdaAttribute& UsdaPrim::attribute(const std::string& name) const {
    const auto found = attributes.find(name);
    if (found == attributes.end()) throw std::runtime_error("there is no attribute " + name);
    return found->second;
}
std::string UsdaPrim::text(const std::string& key) const {
    const auto found = metadata.find(key);
    return found == metadata.end() || found->second.texts.empty() ? "" : found->second.texts[0];
}

UsdaPrim parse_usda(const std::string& text) {
    UsdaParser parser{text};
    if (!text.starts_with("#usda 1.0\n")) parser.fail("no USD text");
    UsdaPrim root;
    if (parser.take('(')) parser.dictionary("", ')', root.metadata);
    parser.prims(root, true);
    return root;
}

void expect_floats(const UsdaValue& value, const std::vector<double>& wanted) {
    ASSERT_EQ(value.numbers.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(float(value.numbers[i]), float(wanted[i])) << i;
}
std::vector<double> flat_numbers(const std::vector<Real3>& x) {
    std::vector<double> out;
    for (const Real3& p : x) out.insert(out.end(), {p.x, p.y, p.z});
    return out;
}
std::vector<double> as_numbers(const std::vector<int>& v) { return {v.begin(), v.end()}; }

SnapshotObject make_usd_square(const std::string& name) {
    SnapshotObject o;
    o.name = name;
    o.point_count = 4;
    o.rest = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    o.polygon_begin = {0, 4};
    o.polygon_vertex = {0, 3, 2, 1};
    return o;
}
SnapshotObject make_usd_cloud(const std::string& name, int count) {
    SnapshotObject o;
    o.name = name;
    o.point_count = count;
    o.draw_points = true;
    o.radius = 0.125;
    return o;
}
Snapshot make_usd_rise(const SnapshotLayout& layout, int frame) {
    Snapshot s;
    s.frame = frame;
    s.time = frame / layout.fps;
    for (const SnapshotObject& o : layout.objects) {
        SnapshotObjectFrame f;
        for (int i = 0; i < o.point_count && !o.rigid; ++i) {
            const Real3 x = o.rest.empty() ? Real3{double(i), 0, 0} : o.rest[std::size_t(i)];
            f.position.push_back({x.x, x.y + s.time, x.z});
        }
        s.objects.push_back(f);
    }
    return s;
}

} // namespace sinew
