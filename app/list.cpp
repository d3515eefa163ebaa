// sinew list: what there is, and which solver takes which bodies.
#include "command.h"
#include "constraint/list.h"
#include "energy/list.h"
#include "linalg/linear_solver.h"
#include "output/output.h"
#include "scene/field_kinds.h"
#include "scene/joint.h"
#include "scene/object.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sinew {

namespace {

struct Row {
    std::string name, doc;
};
using Lists = std::vector<std::pair<std::string, std::vector<Row>>>;

template <class Range> std::vector<Row> rows(const Range& entries) {
    std::vector<Row> out;
    for (const auto& e : entries) out.push_back({std::string(e.name), std::string(e.doc)});
    return out;
}

Lists all_lists() {
    Lists out;
    out.push_back({"kinds", rows(object_kinds())});
    out.push_back({"joints", rows(joint_kinds())});
    out.push_back({"solvers", rows(solver_entries())});
    out.push_back({"energies", rows(energy_rows())});
    out.push_back({"constraints", rows(constraint_rows())});
    out.push_back({"fields", rows(field_kinds())});
    out.push_back({"outputs", rows(exporters())});
    out.push_back({"linear_solvers", rows(linear_solvers())});
    std::vector<Row> materials;
    for (const Material& m : material_presets()) materials.push_back({m.name, m.note});
    out.push_back({"materials", materials});
    return out;
}

// A minimal scene of each family of bodies, compiled and checked against every solver: the table cannot lie.
const std::map<std::string, std::string>& body_scenes() {
    static const std::map<std::string, std::string> scenes{
        {"particles", R"({"objects": {"a": {"kind": "particles", "positions": [[0,0,0]]}}})"},
        {"passive particles", R"({"fields": {"u": {"kind": "velocity", "velocity": [1,0,0]}},
                                  "objects": {"a": {"kind": "particles", "positions": [[0,0,0]], "passive": true}}})"},
        {"particles with drag", R"({"fields": {"w": {"kind": "wind", "velocity": [1,0,0]}},
                                    "objects": {"a": {"kind": "particles", "positions": [[0,0,0]]}}})"},
        {"emitters", R"({"objects": {"a": {"kind": "emitter"}}})"},
        {"chains and ropes of links", R"({"objects": {"a": {"kind": "rope"}}})"},
        {"distance constraints", R"({"objects": {"a": {"kind": "chain", "material": {"rod": {"model": "distance"}}}}})"},
        {"cloth of links", R"({"objects": {"a": {"kind": "cloth_grid", "edge": 0.5}}})"},
        {"shells of triangles and hinges", R"({"objects": {"a": {"kind": "cloth_grid", "edge": 0.5, "model": "shell"}}})"},
        {"elastic rods", R"({"objects": {"a": {"kind": "rod", "count": 3}}})"},
        {"plastic solids", R"({"objects": {"a": {"kind": "solid", "cells": [1,1,1],
                               "material": {"solid": {"model": "corotated", "plasticity": {"yield": 1000}}}}}})"},
        {"solids of tetrahedra", R"({"objects": {"a": {"kind": "solid", "cells": [1,1,1]}}})"},
        {"points against obstacles", R"({"objects": {"a": {"kind": "particles", "positions": [[0,0,0]]}, "b": {"kind": "sphere"}}})"},
        {"rigid bodies", R"({"objects": {"a": {"kind": "box", "density": 1000}}})"},
        {"joints", R"({"objects": {"a": {"kind": "box", "density": 1000}}, "joints": {"j": {"kind": "ball", "between": ["world", "a"]}}})"},
        {"joints with motors", R"({"objects": {"a": {"kind": "box", "density": 1000}},
                                   "joints": {"j": {"kind": "hinge", "between": ["world", "a"], "axis": [0,0,1], "motor": {"limit": 1}}}})"},
        {"rigid bodies against obstacles", R"({"objects": {"a": {"kind": "box", "density": 1000}, "b": {"kind": "plane"}}})"},
    };
    return scenes;
}

int print_support(bool markdown) {
    std::vector<std::string_view> names;
    for (const SolverEntry& s : solver_entries())
        if (s.base.empty()) names.push_back(s.name);
    const auto width = [](std::string_view name) { return std::max<std::size_t>(10, name.size()) + 2; };
    fmt::print("{}", markdown ? "| body |" : fmt::format("{:34}", ""));
    for (std::string_view n : names) fmt::print("{}", markdown ? fmt::format(" `{}` |", n) : fmt::format("{:{}}", n, width(n)));
    fmt::print("\n");
    if (markdown) {
        fmt::print("|---|");
        for (std::size_t i = 0; i < names.size(); ++i) fmt::print("---|");
        fmt::print("\n");
    }
    for (const auto& [body, text] : body_scenes()) {
        const Result<Scene> scene = parse_scene(text, body);
        if (!scene) return print_errors(scene.errors), kFailed;
        fmt::print("{}", markdown ? fmt::format("| {} |", body) : fmt::format("{:34}", body));
        for (std::string_view n : names) {
            const bool ok = bool(compile_scene(*scene.value, n));
            fmt::print("{}", markdown ? (ok ? " yes |" : " – |") : fmt::format("{:{}}", ok ? "yes" : "-", width(n)));
        }
        fmt::print("\n");
    }
    return kOk;
}

} // namespace

int command_list(const ListOptions& o) {
    if (o.support) return print_support(o.markdown);
    bool found = o.what.empty();
    std::string known;
    for (const auto& [title, entries] : all_lists()) {
        known += (known.empty() ? "" : ", ") + title;
        if (!o.what.empty() && o.what != title) continue;
        found = true;
        fmt::print("{}\n", title);
        for (const Row& r : entries) fmt::print("  {:24} {}\n", r.name, r.doc);
    }
    if (!found) return print_errors({Error{.path = "list", .value = o.what, .message = "no list of this name", .allowed = known}}), kBadInput;
    return kOk;
}

} // namespace sinew
