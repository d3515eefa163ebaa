// Fields to values, to documentation and to a JSON Schema.
#include "core/describe.h"
#include <cmath>

namespace sinew {

static Value value_of(double x) { return make_number(x); }
static Value value_of(int x) { return make_number(x); }
static Value value_of(const std::string& x) { return make_text(x); }
static Value value_of(const Real3& x) { return to_value(x); }
template <class List> static Value value_of_list(const List& list) {
    Value v = make_array();
    for (const auto& x : list) v.items.push_back(value_of(x));
    return v;
}

Value write_field(const FieldRef& f) {
    switch (f.type) {
    case FieldType::real:
        return make_number(member_of<double>(f));
    case FieldType::integer:
        return make_number(member_of<int>(f));
    case FieldType::boolean:
        return make_boolean(member_of<bool>(f));
    case FieldType::text:
        return make_text(member_of<std::string>(f));
    case FieldType::real3:
        return to_value(member_of<Real3>(f));
    case FieldType::real2:
        return value_of_list(member_of<std::array<double, 2>>(f));
    case FieldType::integer2:
        return value_of_list(member_of<std::array<int, 2>>(f));
    case FieldType::reals:
        return value_of_list(member_of<std::vector<double>>(f));
    case FieldType::integers:
        return value_of_list(member_of<std::vector<int>>(f));
    case FieldType::texts:
        return value_of_list(member_of<std::vector<std::string>>(f));
    case FieldType::real3s:
        return value_of_list(member_of<std::vector<Real3>>(f));
    case FieldType::signal:
        return to_value(member_of<Signal>(f));
    case FieldType::signal3:
        return to_value(member_of<Signal3>(f));
    case FieldType::value:
        return member_of<Value>(f);
    }
    return {};
}

// infinite numbers stand for "no limit" and cannot be written; an empty raw value was never given; an empty
// text whose words are listed is no word
static bool has_text_form(const FieldRef& f, const Value& v) {
    if (v.kind == Value::Kind::null) return false;
    if (v.kind == Value::Kind::number && !std::isfinite(v.number)) return false;
    for (const Value& item : v.items)
        if (item.kind == Value::Kind::number && !std::isfinite(item.number)) return false;
    return !(f.type == FieldType::text && v.text.empty() && !f.info.allowed.empty());
}

Value write_fields(const FieldList& list) {
    Value object = make_object();
    for (const FieldRef& f : list.fields) {
        Value v = write_field(f);
        if (has_text_form(f, v)) object.members.push_back({std::string(f.name), std::move(v), {}});
    }
    return object;
}

static std::string_view type_words(const FieldRef& f) {
    switch (f.type) {
    case FieldType::real:
        return "number";
    case FieldType::integer:
        return "whole number";
    case FieldType::boolean:
        return "true or false";
    case FieldType::text:
        return f.info.allowed.empty() ? "text" : "word";
    case FieldType::real3:
        return "3 numbers";
    case FieldType::real2:
        return "2 numbers";
    case FieldType::integer2:
        return "2 whole numbers";
    case FieldType::reals:
        return "list of numbers";
    case FieldType::integers:
        return "list of whole numbers";
    case FieldType::texts:
        return f.info.allowed.empty() ? "list of texts" : "list of words";
    case FieldType::real3s:
        return "list of 3 numbers each";
    case FieldType::signal:
        return "number or expression";
    case FieldType::signal3:
        return "3 numbers or expressions";
    case FieldType::value:
        return "see text";
    }
    return "";
}

static std::string cell(std::string_view text) { // a | would end the cell
    std::string s;
    for (const char c : text) s += c == '|' ? std::string("\\|") : std::string(1, c);
    return s;
}

static bool is_outside(const Value& v, const Field& f) {
    for (const Value& item : v.items)
        if (is_outside(item, f)) return true;
    return v.kind == Value::Kind::number && ((f.min && v.number < *f.min) || (f.max && v.number > *f.max));
}

std::string describe_default(const FieldRef& f) {
    if (f.info.required) return "required";
    const Value v = write_field(f);
    if (v.kind == Value::Kind::number && (!std::isfinite(v.number) || v.number >= 1e300)) return "no limit";
    if (is_outside(v, f.info)) return "computed";
    return has_text_form(f, v) ? summarise(v) : "";
}

std::string document_fields(const FieldList& list) {
    std::string s;
    for (const FieldRef& f : list.fields) {
        std::string allowed = describe_range(f.info);
        for (std::string_view w : f.info.allowed)
            allowed += (allowed.empty() ? "`" : ", `") + std::string(w) + '`';
        std::string standard = describe_default(f);
        const bool word = standard.empty() || standard == "required" || standard == "no limit" || standard == "computed";
        if (!word) standard = "`" + standard + "`";
        s += "| `" + std::string(f.name) + "` | " + std::string(type_words(f)) + " | " + cell(f.info.unit) +
             " | " + cell(standard) + " | " + cell(allowed) + " | " + cell(f.info.doc) + " |\n";
    }
    return s;
}

// number, or text with unit or expression
static Value number_schema(const Field& f, bool whole) {
    Value number = make_object({{"type", make_text(whole ? "integer" : "number"), {}}});
    if (f.min) set(number, f.min_exclusive ? "exclusiveMinimum" : "minimum", make_number(*f.min));
    if (f.max) set(number, f.max_exclusive ? "exclusiveMaximum" : "maximum", make_number(*f.max));
    return make_object(
        {{"anyOf", make_array({number, make_object({{"type", make_text("string"), {}}})}), {}}});
}
static Value text_schema(const Field& f) {
    Value v = make_object({{"type", make_text("string"), {}}});
    if (!f.allowed.empty()) {
        Value words = make_array();
        for (std::string_view w : f.allowed) words.items.push_back(make_text(w));
        set(v, "enum", std::move(words));
    }
    return v;
}
static Value array_schema(Value items, int least, int most) {
    Value v = make_object({{"type", make_text("array"), {}}, {"items", std::move(items), {}}});
    if (least > 0) set(v, "minItems", make_number(least));
    if (most >= 0) set(v, "maxItems", make_number(most));
    return v;
}

static Value type_schema(const FieldRef& f) {
    const Field& i = f.info;
    switch (f.type) {
    case FieldType::real:
    case FieldType::signal:
        return number_schema(i, false);
    case FieldType::integer:
        return number_schema(i, true);
    case FieldType::boolean:
        return make_object({{"anyOf",
                             make_array({make_object({{"type", make_text("boolean"), {}}}),
                                         make_object({{"type", make_text("string"), {}}})}),
                             {}}});
    case FieldType::text:
        return text_schema(i);
    case FieldType::real3:
    case FieldType::signal3:
        return array_schema(number_schema(i, false), 3, 3);
    case FieldType::real2:
        return array_schema(number_schema(i, false), 2, 2);
    case FieldType::integer2:
        return array_schema(number_schema(i, true), 2, 2);
    case FieldType::reals:
        return array_schema(number_schema(i, false), i.least_count, i.most_count);
    case FieldType::integers:
        return array_schema(number_schema(i, true), i.least_count, i.most_count);
    case FieldType::texts:
        return array_schema(text_schema(i), i.least_count, i.most_count);
    case FieldType::real3s:
        return array_schema(array_schema(number_schema(i, false), 3, 3), i.least_count, i.most_count);
    case FieldType::value:
        return make_object();
    }
    return {};
}

Value schema_field(const FieldRef& f) {
    Value v = type_schema(f);
    std::string doc(f.info.doc);
    if (!f.info.unit.empty()) doc += " [" + std::string(f.info.unit) + "]";
    if (!doc.empty()) set(v, "description", make_text(doc));
    if (Value standard = write_field(f); has_text_form(f, standard)) set(v, "default", std::move(standard));
    return v;
}

Value schema_fields(const FieldList& list, std::span<const std::string_view> other_keys) {
    Value properties = make_object(), required = make_array();
    for (const FieldRef& f : list.fields) {
        properties.members.push_back({std::string(f.name), schema_field(f), {}});
        if (f.info.required) required.items.push_back(make_text(f.name));
    }
    for (std::string_view k : other_keys)
        properties.members.push_back({std::string(k), make_boolean(true), {}});
    Value v = make_object({{"type", make_text("object"), {}},
                           {"properties", std::move(properties), {}},
                           {"additionalProperties", make_boolean(false), {}}});
    if (!required.items.empty()) set(v, "required", std::move(required));
    return v;
}

} // namespace sinew
