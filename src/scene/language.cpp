#include "scene/language.h"
#include "core/describe.h"
#include "core/nearest.h"
#include "scene/topics.h"
#include <fmt/format.h>

namespace sinew {

namespace {

constexpr std::string_view kCommon =
    "Every object may also have: `at` [m], `rotate`, `scale`, `velocity` [m/s], `angular_velocity` [rad/s], `motion`, `parent`, "
    "`replicate`, `vars`; these are the same for all kinds.\n";

constexpr std::string_view kJoint =
    "Every joint has `between`: two rigid bodies, or one and \"world\". Bodies that share a joint do not touch each other while it lasts. "
    "`spring` is { stiffness, damping, rest }, `motor` { speed, position, keys, stiffness, damping, limit, on }: along the axis of "
    "sliders, about that of hinges, of the length of distances; of all rotation in ball and cone_twist joints, whose motors have a "
    "`target`, a motion of rotations, instead of position and keys. `second_...` and `twist_...` are the same for other "
    "freedoms of a joint. Speeds and positions may be expressions of t, frame and measurements. `replicate` makes many, each `between` names with its index: "
    "`\"node/{i}\", \"node/{i + 1}\"`.\n";

} // namespace

Explanation explain(std::string_view name) {
    Explanation out;
    std::vector<std::string> known;
    for (const Topic& t : all_topics()) {
        known.push_back(t.name);
        if (t.name != name) continue;
        out.text += fmt::format("{} ({}): {}\n", t.name, t.section, t.doc);
        for (const FieldRef& f : t.list.fields) {
            std::string range = describe_range(f.info);
            if (!f.info.allowed.empty()) range = fmt::format("{}", fmt::join(f.info.allowed, ", "));
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
        {"energies", "Energies"}, {"constraints", "Constraints"}, {"parameters", "Groups of parameters"}, {"materials", "Materials"},
        {"sections", "Sections of a scene"}, {"outputs", "Outputs"}, {"linear_solvers", "Linear solvers"}};
    for (const Topic& t : all_topics()) {
        if (!t.on_page) continue;
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

} // namespace sinew
