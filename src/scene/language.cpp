#include "scene/language.h"
#include "constraint/list.h"
#include "core/describe.h"
#include "core/nearest.h"
#include "energy/list.h"
#include "scene/deformable.h"
#include "scene/field_kinds.h"
#include "scene/joint.h"
#include "scene/object.h"
#include "solver/solver.h"
#include <fmt/format.h>

namespace sinew {

namespace {

// everything that has parameters
struct Topic {
    std::string section, name, doc;
    std::shared_ptr<void> params; // keeps the fields' members alive
    FieldList list;
};

template <class Entry> Topic topic(const char* section, const Entry& e, std::shared_ptr<void> params) {
    Topic t{section, std::string(e.name), std::string(e.doc), std::move(params), {}};
    e.describe(t.params.get(), t.list);
    return t;
}

std::vector<Topic> all_topics() {
    std::vector<Topic> out;
    for (const ObjectKind& k : object_kinds()) out.push_back(topic("objects", k, k.make_params()));
    for (const JointKind& k : joint_kinds()) out.push_back(topic("joints", k, k.make_params()));
    for (const FieldKind& k : field_kinds()) out.push_back(topic("fields", k, k.make_params()));
    for (const SolverEntry& s : solver_entries()) out.push_back(topic("solvers", s, s.make_settings()));
    for (const ElementRow& r : energy_rows()) out.push_back(topic("energies", r, r.make_params()));
    for (const ElementRow& r : constraint_rows()) out.push_back(topic("constraints", r, r.make_params()));
    auto air = std::make_shared<AirParams>();
    Topic a{"parameters", "air", "of cloth, chains, ropes and particles: how air acts on them", air, {}};
    a.list = collect_fields([&](auto v) { AirParams::fields(*air, v); });
    out.push_back(std::move(a));
    auto material = std::make_shared<Material>();
    Topic m{"materials", "material", "what cloth, chains and ropes are made of", material, {}};
    m.list = collect_fields([&](auto v) { Material::fields(*material, v); });
    out.push_back(std::move(m));
    auto role = std::make_shared<LinkRole>();
    Topic l{"materials", "membrane", "role of a material (shear and bend have the same parameters)", role, {}};
    l.list = collect_fields([&](auto v) { LinkRole::fields(*role, v); });
    out.push_back(std::move(l));
    return out;
}

constexpr std::string_view kCommon =
    "Every object may also have: `at` [m], `rotate`, `scale`, `velocity` [m/s], `angular_velocity` [rad/s], `motion`, `parent`, "
    "`replicate`, `vars`; these are the same for all kinds.\n";

constexpr std::string_view kJoint =
    "Every joint has `between`: two rigid bodies, or one and \"world\". Bodies that share a joint do not touch each other. "
    "`spring` is { stiffness, damping, rest }, `motor` { speed, position, stiffness, damping, limit, on }: along the axis of "
    "sliders, about that of hinges, against all rotation in ball and cone_twist joints.\n";

} // namespace

Explanation explain(std::string_view name) {
    Explanation out;
    std::vector<std::string> known;
    for (const Topic& t : all_topics()) {
        known.push_back(t.name);
        if (t.name != name) continue;
        out.text += fmt::format("{} ({}): {}\n", t.name, t.section, t.doc);
        for (const FieldRef& f : t.list.fields) {
            const std::string range = describe_range(f.info);
            out.text += fmt::format("  {:16} {:10} default {:20} {}{}\n", f.name, f.info.unit, describe_default(f), f.info.doc,
                                    range.empty() ? "" : fmt::format("  [{}]", range));
        }
        if (t.section == "objects") out.text += std::string(kCommon);
        if (t.section == "joints") out.text += std::string(kJoint);
    }
    out.allowed = fmt::format("{}", fmt::join(known, ", "));
    out.nearest = find_nearest(name, known);
    return out;
}

std::string language_page() {
    std::string page, section;
    static const std::vector<std::pair<std::string_view, std::string_view>> titles{
        {"objects", "Kinds of objects"}, {"joints", "Joints"}, {"fields", "Named fields"}, {"solvers", "Solvers"},
        {"energies", "Energies"}, {"constraints", "Constraints"}, {"parameters", "Groups of parameters"}, {"materials", "Materials"}};
    for (const Topic& t : all_topics()) {
        if (t.section != section) {
            section = t.section;
            for (const auto& [key, title] : titles)
                if (key == section) page += fmt::format("\n## {}\n\n", title);
            if (section == "objects") page += std::string(kCommon);
            if (section == "joints") page += std::string(kJoint);
        }
        page += fmt::format("\n### `{}`\n\n{}.\n\n", t.name, t.doc);
        if (!t.list.fields.empty()) page += std::string(kFieldTableHead) + document_fields(t.list);
    }
    return page;
}

// one schema per kind of a section, told apart by "kind"
static Value kinds_schema(std::string_view section, std::span<const std::string_view> common) {
    Value kinds = make_array();
    for (const Topic& t : all_topics()) {
        if (t.section != section) continue;
        Value schema = schema_fields(t.list, common);
        Value* properties = find(schema, "properties");
        if (properties) {
            Value constant = make_object();
            set(constant, "const", make_text(t.name));
            set(*properties, "kind", constant);
        }
        set(schema, "title", make_text(t.name));
        set(schema, "description", make_text(t.doc));
        kinds.items.push_back(std::move(schema));
    }
    return make_object({{"anyOf", std::move(kinds), {}}});
}

Value language_schema() {
    static constexpr std::string_view object_keys[] = {"kind", "at", "rotate", "scale", "velocity", "angular_velocity", "motion", "parent",
                                                       "replicate", "vars", "use", "override"};
    static constexpr std::string_view joint_keys[] = {"kind", "between", "vars", "replicate"};
    const auto free_form = [] { return make_object({{"type", make_text("object"), {}}}); };
    Value root = make_object();
    set(root, "$schema", make_text("https://json-schema.org/draft/2020-12/schema"));
    set(root, "title", make_text("Sinew scene"));
    set(root, "type", make_text("object"));
    Value properties = make_object();
    for (const char* key : {"time", "vars", "fields", "materials", "solvers", "camera", "light", "prefabs"}) set(properties, key, free_form());
    set(properties, "sinew", make_object({{"const", make_number(1), {}}}));
    for (const char* key : {"name", "up", "solver", "description"}) set(properties, key, make_object({{"type", make_text("string"), {}}}));
    for (const char* key : {"include", "outputs", "expect", "events", "contact", "attach"}) set(properties, key, make_object({{"type", make_text("array"), {}}}));
    Value objects = free_form();
    set(objects, "additionalProperties", kinds_schema("objects", object_keys));
    set(properties, "objects", std::move(objects));
    Value joints = free_form();
    set(joints, "additionalProperties", kinds_schema("joints", joint_keys));
    set(properties, "joints", std::move(joints));
    set(root, "properties", std::move(properties));
    return root;
}

} // namespace sinew
