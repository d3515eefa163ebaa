// sinew check: everything that can be said of a scene without running it.
#include "command.h"
#include "defects.h"
#include "model/snapshot_of.h"
#include <algorithm>
#include <fmt/format.h>

namespace sinew {

int command_check(const CheckOptions& o) {
    const Result<Compiled> compiled = load_compiled(o.scene, o.solver, o.set, true);
    if (!compiled) return print_errors(compiled.errors), kBadInput;
    const Compiled& c = *compiled.value;
    const std::vector<Finding> findings = find_defects(*make_parallel(make_context(0, true)), c.model, c.state);
    fmt::print("{}: {}\n", o.scene, findings.empty() ? "ok" : fmt::format("{} to look at", findings.size()));
    fmt::print("  solver {}, dt {:.4g} s, {} steps a frame, {} frames\n", c.solver, c.dt, c.substeps,
               c.script.time.last_frame - c.script.time.first_frame + 1);
    fmt::print("  {} objects, {} points, {} bodies, {} obstacles, {} emitters, {} expectations\n", c.model.objects.size(),
               point_count(c.model), frame_count(c.model), c.model.obstacles.size(), c.model.emitters.size(),
               c.script.expectations.size());
    for (const std::string& n : c.notes) fmt::print("  {}\n", n);
    for (const Error& f : c.future) fmt::print("  not yet: {}: {}\n", f.path, f.message);
    for (const Finding& f : findings) fmt::print("  found: objects.{}: {}\n", f.object, f.message);
    if (!o.pictures.empty() && !findings.empty()) {
        std::vector<std::string> files;
        const std::vector<Error> errors = draw_findings(*c.model.layout, snapshot_of(c.model, c.state), findings, o.pictures, o.overwrite, files);
        for (const std::string& f : files) fmt::print("  picture: {}\n", f);
        if (!errors.empty()) return print_errors(errors), kBadInput;
    }
    return std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.serious; }) ? kFailed : kOk;
}

} // namespace sinew
