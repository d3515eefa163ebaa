// The JSON Schema of scene files, for editors: as strict as the loader where a section knows all its names, open where names
// are the user's.
#include "scene/choose.h"
#include "scene/language.h"
#include "scene/topics.h"

namespace sinew {

namespace {

Value of_type(const char* type) { return make_object({{"type", make_text(type), {}}}); }
Value of_types(std::initializer_list<const char*> types) {
    Value list = make_array();
    for (const char* t : types) list.items.push_back(make_text(t));
    return make_object({{"type", std::move(list), {}}});
}
Value map_of(Value each) { return make_object({{"type", make_text("object"), {}}, {"additionalProperties", std::move(each), {}}}); }
Value list_of(Value each) { return make_object({{"type", make_text("array"), {}}, {"items", std::move(each), {}}}); }
// { "name": each } or [ each ]
Value map_or_list_of(const Value& each) {
    Value v = of_types({"object", "array"});
    set(v, "additionalProperties", each);
    set(v, "items", each);
    return v;
}

struct Writer {
    std::vector<Topic> topics = all_topics();

    Value section(std::string_view name, std::span<const std::string_view> other_keys = {}) const {
        return one("sections", name, other_keys);
    }
    Value one(std::string_view section, std::string_view name, std::span<const std::string_view> other_keys) const {
        for (const Topic& t : topics)
            if (t.section == section && t.name == name) return schema_fields(t.list, other_keys);
        return make_object();
    }
    // one schema per kind of a section, told apart by "kind"
    std::vector<Value> kinds(std::string_view section, std::span<const std::string_view> common) const {
        std::vector<Value> out;
        for (const Topic& t : topics) {
            if (t.section != section) continue;
            Value schema = schema_fields(t.list, common);
            set(*find(schema, "properties"), "kind", make_object({{"const", make_text(t.name), {}}}));
            set(schema, "title", make_text(t.name));
            set(schema, "description", make_text(t.doc));
            out.push_back(std::move(schema));
        }
        return out;
    }
};

Value any_of(std::vector<Value> choices) { return make_object({{"anyOf", make_array(std::move(choices)), {}}}); }

Value objects_schema(const Writer& w) {
    static constexpr std::string_view keys[] = {"kind", "at", "rotate", "scale", "velocity", "angular_velocity", "motion", "parent",
                                                "replicate", "vars", "override"};
    std::vector<Value> choices = w.kinds("objects", keys);
    // an instance of a prefab takes whatever parameters that has
    Value instance = of_type("object");
    set(instance, "required", make_array({make_text("use")}));
    set(instance, "title", make_text("use"));
    choices.push_back(std::move(instance));
    return map_of(any_of(std::move(choices)));
}

Value solvers_schema(const Writer& w) {
    Value properties = make_object();
    for (const Topic& t : w.topics)
        if (t.section == "solvers") set(properties, t.name, schema_fields(t.list));
    for (std::string_view name : future_solvers())
        if (is_future_solver(name)) set(properties, name, of_type("object"));
    Value v = of_type("object");
    set(v, "properties", std::move(properties));
    set(v, "additionalProperties", make_boolean(false));
    return v;
}

Value outputs_schema(const Writer& w) {
    static constexpr std::string_view keys[] = {"kind"};
    std::vector<Value> choices = w.kinds("outputs", keys);
    Value words = make_array();
    for (const Topic& t : w.topics)
        if (t.section == "outputs") words.items.push_back(make_text(t.name));
    choices.push_back(make_object({{"enum", std::move(words), {}}}));
    return list_of(any_of(std::move(choices)));
}

Value expect_schema(const Writer& w) {
    Value each = w.section("expect");
    set(each, "additionalProperties", of_types({"number", "string", "boolean", "object"})); // measurements
    return list_of(std::move(each));
}

} // namespace

Value language_schema() {
    const Writer w;
    static constexpr std::string_view joint_keys[] = {"kind", "between", "vars", "replicate", "override"}, field_keys[] = {"kind"},
                                      material_keys[] = {"like"}, rule_keys[] = {"between", "vars", "replicate"},
                                      attach_keys[] = {"vars", "replicate"};
    Value properties = make_object();
    set(properties, "sinew", make_object({{"const", make_number(1), {}}}));
    for (const char* key : {"$schema", "name", "solver", "description"}) set(properties, key, of_type("string"));
    Value up = make_array();
    for (const char* word : {"x", "y", "z", "-x", "-y", "-z"}) up.items.push_back(make_text(word));
    set(properties, "up", make_object({{"enum", std::move(up), {}}}));
    set(properties, "gravity", of_types({"number", "string", "array"}));
    set(properties, "seed", of_types({"integer", "string"}));
    set(properties, "include", list_of(of_type("string")));
    set(properties, "vars", of_type("object"));
    set(properties, "prefabs", map_of(of_type("object")));
    set(properties, "time", w.section("time"));
    set(properties, "materials", map_of(w.one("materials", "material", material_keys)));
    set(properties, "fields", map_of(any_of(w.kinds("fields", field_keys))));
    set(properties, "objects", objects_schema(w));
    set(properties, "joints", map_or_list_of(any_of(w.kinds("joints", joint_keys))));
    set(properties, "attach", map_or_list_of(w.section("attach", attach_keys)));
    set(properties, "contact", list_of(w.section("contact", rule_keys)));
    set(properties, "events", list_of(w.section("events")));
    set(properties, "expect", expect_schema(w));
    set(properties, "solvers", solvers_schema(w));
    set(properties, "outputs", outputs_schema(w));
    for (const char* key : {"camera", "light", "background"}) set(properties, key, w.section(key));
    Value root = make_object();
    set(root, "$schema", make_text("https://json-schema.org/draft/2020-12/schema"));
    set(root, "title", make_text("Sinew scene"));
    set(root, "type", make_text("object"));
    set(root, "properties", std::move(properties));
    set(root, "additionalProperties", make_boolean(false));
    return root;
}

} // namespace sinew
