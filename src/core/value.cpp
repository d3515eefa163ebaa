#include "sinew/value.h"
#include "core/utf8.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace sinew {

Value make_null() { return {}; }
Value make_boolean(bool b) {
    Value v;
    v.kind = Value::Kind::boolean;
    v.boolean = b;
    return v;
}
Value make_number(double number) {
    Value v;
    v.kind = Value::Kind::number;
    v.number = number;
    return v;
}
Value make_text(std::string_view text) {
    Value v;
    v.kind = Value::Kind::text;
    v.text = text;
    return v;
}
Value make_array(std::vector<Value> items) {
    Value v;
    v.kind = Value::Kind::array;
    v.items = std::move(items);
    return v;
}
Value make_object(std::vector<Member> members) {
    Value v;
    v.kind = Value::Kind::object;
    v.members = std::move(members);
    return v;
}

bool Value::operator==(const Value& o) const {
    if (kind != o.kind) return false;
    switch (kind) {
    case Kind::null:
        return true;
    case Kind::boolean:
        return boolean == o.boolean;
    case Kind::number:
        return number == o.number;
    case Kind::text:
        return text == o.text;
    case Kind::array:
        return items == o.items;
    case Kind::object:
        return std::equal(
            members.begin(), members.end(), o.members.begin(), o.members.end(),
            [](const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; });
    }
    return false;
}

const Value* find(const Value& object, std::string_view key) {
    for (const Member& m : object.members)
        if (m.key == key) return &m.value;
    return nullptr;
}

Value* find(Value& object, std::string_view key) {
    return const_cast<Value*>(find(std::as_const(object), key));
}

Value& set(Value& object, std::string_view key, Value value) {
    if (Value* old = find(object, key)) return *old = std::move(value);
    object.kind = Value::Kind::object;
    object.members.push_back({std::string(key), std::move(value), {}});
    return object.members.back().value;
}

bool erase(Value& object, std::string_view key) {
    return std::erase_if(object.members, [&](const Member& m) { return m.key == key; }) > 0;
}

std::string_view kind_name(Value::Kind kind) {
    switch (kind) {
    case Value::Kind::null:
        return "null";
    case Value::Kind::boolean:
        return "boolean";
    case Value::Kind::number:
        return "number";
    case Value::Kind::text:
        return "text";
    case Value::Kind::array:
        return "array";
    case Value::Kind::object:
        return "object";
    }
    return "";
}

std::string write_number(double x) {
    if (!std::isfinite(x))
        return "null"; // JSON has no other word; a Value never holds one unless a program put it there
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
    return {buffer, end};
}

static void write_text(std::string_view text, std::string& out) {
    out += '"';
    for (const char c : text) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                const char* digits = "0123456789abcdef";
                out += "\\u00";
                out += digits[(c >> 4) & 15];
                out += digits[c & 15];
            } else
                out += c;
        }
    }
    out += '"';
}

// everything on one line; stops early once `out` is longer than `limit`
static void write_flat(const Value& v, std::size_t limit, std::string& out) {
    switch (v.kind) {
    case Value::Kind::null:
        out += "null";
        break;
    case Value::Kind::boolean:
        out += v.boolean ? "true" : "false";
        break;
    case Value::Kind::number:
        out += v.text.empty() ? write_number(v.number) : v.text;
        break;
    case Value::Kind::text:
        write_text(v.text, out);
        break;
    case Value::Kind::array:
        out += '[';
        for (std::size_t i = 0; i < v.items.size() && out.size() <= limit; ++i) {
            if (i) out += ", ";
            write_flat(v.items[i], limit, out);
        }
        out += ']';
        break;
    case Value::Kind::object:
        out += '{';
        for (std::size_t i = 0; i < v.members.size() && out.size() <= limit; ++i) {
            out += i ? ", " : " ";
            write_text(v.members[i].key, out);
            out += ": ";
            write_flat(v.members[i].value, limit, out);
        }
        out += v.members.empty() ? "}" : " }";
        break;
    }
}

static constexpr std::size_t kLineLength = 100; // arrays and objects that fit stay on one line

static void write_indented(const Value& v, int indent, int depth, std::string& out) {
    std::string flat;
    const std::size_t used = std::size_t(indent * depth), room = used < kLineLength ? kLineLength - used : 0;
    write_flat(v, room, flat);
    const bool object = v.kind == Value::Kind::object;
    const std::size_t count = object ? v.members.size() : v.items.size();
    if (flat.size() <= room || count == 0) {
        if (flat.size() > room) { // a long text or number: write_flat stops only inside arrays and objects
            flat.clear();
            write_flat(v, std::string::npos, flat);
        }
        out += flat;
        return;
    }
    out += object ? '{' : '[';
    for (std::size_t i = 0; i < count; ++i) {
        out += i ? ",\n" : "\n";
        out.append(std::size_t(indent * (depth + 1)), ' ');
        if (object) {
            write_text(v.members[i].key, out);
            out += ": ";
        }
        write_indented(object ? v.members[i].value : v.items[i], indent, depth + 1, out);
    }
    out += '\n';
    out.append(used, ' ');
    out += object ? '}' : ']';
}

std::string write_value(const Value& v, int indent) {
    std::string out;
    if (indent <= 0) {
        write_flat(v, std::string::npos, out);
        return out;
    }
    write_indented(v, indent, 0, out);
    out += '\n';
    return out;
}

std::string summarise(const Value& v, int limit) {
    std::string out;
    write_flat(v, std::size_t(limit) * 4, out); // up to four bytes per character
    return shorten_utf8(out, limit);
}

} // namespace sinew
