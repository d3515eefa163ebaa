// Checks a value against a JSON Schema: the keywords that language_schema uses, and no others.
#pragma once
#include "sinew/value.h"
#include <algorithm>
#include <string>

namespace sinew {

inline bool has_type(const Value& v, std::string_view type) {
    if (type == "integer") return v.kind == Value::Kind::number && v.number == double((long long)(v.number));
    return type == (v.kind == Value::Kind::number    ? "number"
                    : v.kind == Value::Kind::text    ? "string"
                    : v.kind == Value::Kind::boolean ? "boolean"
                    : v.kind == Value::Kind::array   ? "array"
                    : v.kind == Value::Kind::object  ? "object"
                                                     : "null");
}

std::string find_violation(const Value& schema, const Value& v, const std::string& path);

inline std::string check_number(const Value& schema, const Value& v, const std::string& path) {
    const auto limit = [&](const char* key) { return find(schema, key); };
    const bool ok = (!limit("minimum") || v.number >= limit("minimum")->number) && (!limit("maximum") || v.number <= limit("maximum")->number) &&
                    (!limit("exclusiveMinimum") || v.number > limit("exclusiveMinimum")->number) &&
                    (!limit("exclusiveMaximum") || v.number < limit("exclusiveMaximum")->number);
    return ok ? "" : path + ": out of range";
}

inline std::string check_object(const Value& schema, const Value& v, const std::string& path) {
    const Value *properties = find(schema, "properties"), *more = find(schema, "additionalProperties");
    if (const Value* required = find(schema, "required"))
        for (const Value& key : required->items)
            if (!find(v, key.text)) return path + ": " + key.text + " is missing";
    for (const Member& m : v.members) {
        const Value* known = properties ? find(*properties, m.key) : nullptr;
        const Value* rule = known ? known : more;
        if (!rule) continue;
        if (std::string problem = find_violation(*rule, m.value, path + "." + m.key); !problem.empty()) return problem;
    }
    return "";
}

inline std::string check_array(const Value& schema, const Value& v, const std::string& path) {
    const Value *least = find(schema, "minItems"), *most = find(schema, "maxItems"), *items = find(schema, "items");
    if ((least && double(v.items.size()) < least->number) || (most && double(v.items.size()) > most->number)) return path + ": wrong count";
    for (std::size_t i = 0; items && i < v.items.size(); ++i)
        if (std::string problem = find_violation(*items, v.items[i], path + "[" + std::to_string(i) + "]"); !problem.empty()) return problem;
    return "";
}

// the first place where v is not what the schema allows; empty if it is
inline std::string find_violation(const Value& schema, const Value& v, const std::string& path) {
    if (schema.kind == Value::Kind::boolean) return schema.boolean ? "" : path + ": not allowed";
    if (const Value* type = find(schema, "type")) {
        bool fits = type->kind == Value::Kind::text && has_type(v, type->text);
        for (const Value& t : type->items) fits = fits || has_type(v, t.text);
        if (!fits) return path + ": wrong type";
    }
    // a number that was read remembers how it was written
    const auto equals = [&](const Value& w) {
        return w.kind == v.kind && (v.kind == Value::Kind::number ? w.number == v.number : w.text == v.text);
    };
    if (const Value* constant = find(schema, "const"); constant && !equals(*constant)) return path + ": another value";
    if (const Value* words = find(schema, "enum"); words && std::none_of(words->items.begin(), words->items.end(), equals))
        return path + ": no such word";
    if (const Value* choices = find(schema, "anyOf")) {
        // of those that all fail, the one of the same kind says why
        std::string problem = path + ": fits nothing";
        bool fits = false;
        for (const Value& choice : choices->items) {
            const std::string p = find_violation(choice, v, path);
            fits = fits || p.empty();
            const Value *title = find(choice, "title"), *kind = find(v, "kind");
            if (title && kind && title->text == kind->text) problem = p;
        }
        if (!fits) return problem;
    }
    if (v.kind == Value::Kind::number) return check_number(schema, v, path);
    if (v.kind == Value::Kind::object) return check_object(schema, v, path);
    return v.kind == Value::Kind::array ? check_array(schema, v, path) : "";
}

} // namespace sinew
