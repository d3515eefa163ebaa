#include "scene/topics.h"
#include "constraint/list.h"
#include "energy/list.h"
#include "linalg/linear_solver.h"
#include "output/output.h"
#include "output/params.h"
#include "scene/attach.h"
#include "scene/deformable.h"
#include "scene/field_kinds.h"
#include "scene/joint.h"
#include "scene/look.h"
#include "scene/object.h"
#include "scene/time.h"
#include "solver/solver.h"
#include <fmt/format.h>

namespace sinew {

namespace {

template <class Entry> Topic topic(const char* section, const Entry& e, std::shared_ptr<void> params) {
    Topic t{section, std::string(e.name), std::string(e.doc), std::move(params), {}, true};
    e.describe(t.params.get(), t.list);
    return t;
}

template <class Params, class Visit> Topic described(const char* section, const char* name, const char* doc, Params params, Visit&& visit) {
    auto owner = std::make_shared<Params>(std::move(params));
    Topic t{section, name, doc, owner, {}, true};
    t.list = collect_fields([&](auto v) { visit(*owner, v); });
    return t;
}

// What an event and an expectation are read from by hand (event.cpp, expect.cpp); test/scene/language_test.cpp holds the
// names against these readers.
struct EventWords {
    double at = 0, every = 0, until = 0;
    std::string when;
    bool once = false;
    Value set, release, spawn, removed;
    template <class V> static void fields(EventWords& p, V&& v) {
        v("at", p.at, Field{.min = 0, .unit = "s", .doc = "when it happens"});
        v("every", p.every, Field{.min = 0, .min_exclusive = true, .unit = "s", .doc = "and again after each such time; at most once a step"});
        v("until", p.until, Field{.min = 0, .unit = "s", .doc = "a repeated event does not happen after this time; default: the end"});
        v("when", p.when, Field{.doc = "instead of at: a condition over measurements, t, frame and vars; it counts when it becomes true"});
        v("once", p.once, Field{.doc = "a condition counts the first time only"});
        v("set", p.set, Field{.doc = "{ \"object.parameter\": value }: live parameters by object, pattern, fields.name or section; measurements in a value are those of when it happens"});
        v("release", p.release, Field{.doc = "attachments to let go: an object, or object.group; also a list"});
        v("spawn", p.spawn, Field{.doc = "{ \"name\": { kind, ... } }: objects that come, as in objects, of prefabs too; those of a repeated event "
                                         "are name, name/2, ... They take gravity, fields, contact rules and solver of the scene and have no motion, emitter, "
                                         "attachment or sink whose parent is a body; expect and conditions cannot name them"});
        v("remove", p.removed, Field{.doc = "objects that go, by name or pattern (\"ball\" is ball and ball/2, ...); also a list"});
    }
};
struct ExpectWords {
    Value at, frame, after, before;
    std::string every = "frame";
    template <class V> static void fields(ExpectWords& p, V&& v) {
        v("at", p.at, Field{.unit = "s", .doc = "a time, \"start\" or \"end\"; default: the end"});
        v("frame", p.frame, Field{.doc = "instead: the number of a frame"});
        v("every", p.every, Field{.allowed = {"frame", "step"}, .doc = "instead: look again and again"});
        v("after", p.after, Field{.unit = "s", .doc = "of every: not before this time"});
        v("before", p.before, Field{.unit = "s", .doc = "of every: not after this time"});
    }
};

void add_sections(std::vector<Topic>& out) {
    const auto add = [&](const char* name, const char* doc, FieldList (*describe)(std::shared_ptr<void>&)) {
        Topic t{"sections", name, doc, nullptr, {}, true};
        t.list = describe(t.params);
        out.push_back(std::move(t));
    };
    add("time", "how long, how many frames and steps, in any combination that does not contradict itself", describe_time);
    add("attach", "a list, or a map of names: points that follow a held body or are pinned to a free one", describe_attach);
    add("contact", "a list of rules; each has `between`, two names or patterns, and", describe_contact);
    out.push_back(described("sections", "events", "a list of what happens during the run: when, and what", EventWords{},
                            [](EventWords& p, auto v) { EventWords::fields(p, v); }));
    out.push_back(described("sections", "expect",
                            "a list of what the run must show: when to look, and any number of \"measurement\": number or "
                            "{ about, within, min, max, equals }",
                            ExpectWords{}, [](ExpectWords& p, auto v) { ExpectWords::fields(p, v); }));
    add("camera", "where pictures are taken from", describe_camera);
    add("light", "how pictures look; `background` has the same parameters", describe_light);
    add("background", "how pictures look; the same parameters as `light`", describe_light);
    out.back().on_page = false;
    // those that hold a name, a number or things explained one by one
    static constexpr std::pair<const char*, const char*> others[] = {
        {"sinew", "version of the language: 1"},
        {"$schema", "for editors: where the schema is (sinew schema)"},
        {"name", "of the scene and of its outputs; default: the name of the file"},
        {"description", "for people"},
        {"include", "a list of files that are merged below this one"},
        {"up", "x, y, z, -x, -y or -z; default y"},
        {"gravity", "[m/s^2] a strength along -up or three components; default 9.81"},
        {"seed", "of everything random; default 0"},
        {"vars", "{ name: number or expression }, to be used in expressions"},
        {"materials", "{ name: material }; `like` starts from another one (sinew list materials, sinew explain material)"},
        {"fields", "{ name: { kind, ... } } (sinew list fields)"},
        {"prefabs", "{ name: { params, vars, objects, joints, attach, contact } }, made by an object with `use`"},
        {"objects", "{ name: { kind, ... } } (sinew list kinds)"},
        {"joints", "a list, or { name: { kind, between, ... } } (sinew list joints)"},
        {"solver", "a name, or auto (sinew list solvers)"},
        {"solvers", "{ solver: its settings }"},
        {"outputs", "a list of words or { kind, ... }; default: a recording (sinew list outputs)"}};
    for (const auto& [name, doc] : others) out.push_back({"sections", name, doc, nullptr, {}, false});
}

void add_outputs(std::vector<Topic>& out) {
    for (const ExporterEntry& e : exporters()) {
        Topic t = described("outputs", "", "", OutputParams{}, [](OutputParams& p, auto v) { OutputParams::visit(p, v); });
        t.name = e.name;
        t.doc = e.doc;
        out.push_back(std::move(t));
    }
    out.push_back({"outputs", "report", "report.csv, one row per step; always written, nothing to choose", nullptr, {}, true});
    out.push_back({"outputs", "checkpoint", "checkpoint.state, to continue from; always written, nothing to choose", nullptr, {}, true});
}

// what stands in a role as text: links by their numbers, unless the preset names a shell
Value role_value(const LinkRole& role, const Value& shell) {
    if (shell.kind != Value::Kind::null) return shell;
    LinkRole copy = role;
    return write_fields(collect_fields([&](auto v) { LinkRole::fields(copy, v); }));
}

void add_materials(std::vector<Topic>& out) {
    out.push_back(described("materials", "material", "what cloth, chains and ropes are made of", Material{},
                            [](Material& p, auto v) { Material::fields(p, v); }));
    out.push_back(described("materials", "membrane", "role of a material (shear and bend have the same parameters)", LinkRole{},
                            [](LinkRole& p, auto v) { LinkRole::fields(p, v); }));
    for (Material m : material_presets()) {
        const std::string name = m.name, doc = "preset: " + m.note;
        m.membrane_value = role_value(m.membrane, m.shell_membrane);
        m.shear_value = role_value(m.shear, {});
        m.bend_value = role_value(m.bend, m.shell_bend);
        Topic t = described("materials", "", "", std::move(m), [](Material& p, auto v) { Material::fields(p, v); });
        t.name = name;
        t.doc = doc;
        t.on_page = false;
        out.push_back(std::move(t));
    }
}

} // namespace

std::vector<Topic> all_topics() {
    std::vector<Topic> out;
    for (const ObjectKind& k : object_kinds()) out.push_back(topic("objects", k, k.make_params()));
    for (const JointKind& k : joint_kinds()) out.push_back(topic("joints", k, k.make_params()));
    for (const FieldKind& k : field_kinds()) out.push_back(topic("fields", k, k.make_params()));
    for (const SolverEntry& s : solver_entries()) out.push_back(topic("solvers", s, s.make_settings()));
    for (const ElementRow& r : energy_rows()) out.push_back(topic("energies", r, r.make_params()));
    for (const ElementRow& r : constraint_rows()) out.push_back(topic("constraints", r, r.make_params()));
    out.push_back(described("parameters", "air", "of cloth, solids, rods, chains, ropes and particles: how air acts on them", AirParams{},
                            [](AirParams& p, auto v) { AirParams::fields(p, v); }));
    add_materials(out);
    add_sections(out);
    add_outputs(out);
    for (const LinearSolverEntry& s : linear_solvers())
        out.push_back({"linear_solvers", std::string(s.name),
                       s.needs.empty() ? std::string(s.doc) : fmt::format("{}; needs {}", s.doc, s.needs), nullptr, {}, true});
    return out;
}

} // namespace sinew
