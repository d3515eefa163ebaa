// Scene: what the user asked for, a pure description. Files are included, prefabs and replicas expanded,
// names resolved, placements composed; parameters of kinds stay values and are checked when the scene is
// compiled.
//
// Names: a member of a prefab instance is "hero/chest", a replica "step/3". Patterns may hold * (any
// characters) and ? (one character); a pattern also means everything below it ("hero" is "hero" and
// "hero/...").
#pragma once
#include "sinew/value.h"
#include <span>

namespace sinew {

using Vars = std::vector<std::pair<std::string, double>>; // SI

// time of frame f: (f - first_frame) / fps; the first frame shows the initial state
struct SceneTime {
    double fps = 24;      // [1/s]
    double dt = 0;        // [s] step, a whole fraction of a frame; 0 = chosen when compiled
    int substeps = 0;     // steps per frame; 0 = chosen when compiled
    int first_frame = 0;  // as the user counts
    int last_frame = 120; // last frame at or before the end
    double seconds = 5;   // [s] duration
};

// A joint, attachment, contact rule, named field, output ...
struct SceneEntry {
    std::string name; // full name: "hero/neck", "gust"; "joints[2]" if it has none
    std::string kind; // empty where there are no kinds (contact, attach)
    std::vector<std::string>
        names;        // joint: two objects or "world"; contact: two patterns; attach: points of, to
    Value params;     // the members left, names inside already resolved
    Vars vars;        // names its expressions may use besides the scene's vars
    Pose frame;       // of the prefab instance it belongs to, in the world; identity outside
    std::string path; // for messages: "joints.hero/neck"
};

struct SceneObject {
    std::string name; // full name: "sheet", "hero/chest", "step/3"
    std::string kind;
    Value params; // members without the ones below and without kind, replicate, override, vars
    Value motion; // null if none (scene/motion.h)
    Vars vars;    // names its expressions may use besides the scene's: params of its prefab, index, own vars
    std::string parent;    // full name, empty if none
    Pose pose;             // [m] initial, in the world: prefab, replicate, parent, at and rotate composed
    Pose container, local; // pose = container * local; local = its own at and rotate
    Real3 scale{1, 1, 1};
    Real3 velocity;         // [m/s] initial, world, with the share of prefab instance and parent
    Real3 angular_velocity; // [rad/s] initial, world
    std::string prefix;     // what local names begin with: "hero/", empty outside prefabs
    std::string path;       // for messages: "objects.hero/chest"
};

struct Scene {
    int version = 1;
    std::string name, description;
    std::string up = "y";
    Real3 gravity{0, -9.81, 0}; // [m/s^2]
    SceneTime time;
    std::uint64_t seed = 0;
    Vars vars; // of the whole scene
    std::vector<SceneObject> objects;
    std::vector<SceneEntry> fields, materials, joints, attach, contact, outputs;
    std::vector<Value> events, expect; // scene/event.h, scene/expect.h
    std::string solver = "auto";
    std::vector<SceneEntry> solvers; // one settings object per solver
    Value camera, light, background; // null if not given
    std::vector<std::string> notes;  // defaults chosen here, each with its reason
    std::vector<std::string> broken; // objects and joints that could not be read: what names them is not wrong for that reason
    std::vector<std::string> empty;  // replicas of which there are none: may be named too
    std::vector<std::string> files;  // the scene file and everything it includes
    Value document;                  // includes merged, sets applied: all that is needed besides meshes
    Value source;                    // the scene file as written
};

// Names every member once: comparing scenes goes through it.
template <class S, class F> void visit(S& s, F&& f)
    requires std::is_same_v<std::remove_const_t<S>, Scene>
{
    f("version", s.version);
    f("name", s.name);
    f("description", s.description);
    f("up", s.up);
    f("gravity", s.gravity);
    f("time", s.time);
    f("seed", s.seed);
    f("vars", s.vars);
    f("objects", s.objects);
    f("fields", s.fields);
    f("materials", s.materials);
    f("joints", s.joints);
    f("attach", s.attach);
    f("contact", s.contact);
    f("outputs", s.outputs);
    f("events", s.events);
    f("expect", s.expect);
    f("solver", s.solver);
    f("solvers", s.solvers);
    f("camera", s.camera);
    f("light", s.light);
    f("background", s.background);
    f("notes", s.notes);
    f("broken", s.broken);
    f("empty", s.empty);
    f("files", s.files);
    f("document", s.document);
    f("source", s.source);
}

// `sets`: assignments such as "sheet.edge=2 cm", see apply_set.
Result<Scene> load_scene(const std::string& file, std::span<const std::string> sets = {});
Result<Scene> parse_scene(std::string_view text, const std::string& file,
                          std::span<const std::string> sets = {});
// the scene file as written, numbers included (comments are lost); the merged document when sets changed it
std::string write_scene(const Scene&);

// The steps of load_scene one by one.
Result<Value> load_document(const std::string& file); // with includes merged
// path=value, for example objects.sheet.edge=2cm, sheet.edge=2cm, hero/*.friction=0.2, time.fps=60,
// vars.rise=0.2. The value is JSON, or a text where it is not. Objects by name or pattern; members of prefab
// instances and replicas too. Unknown objects, vars and sections are errors; false if there was one.
bool apply_set(Value& document, std::string_view assignment, std::vector<Error>&);
Result<Scene> make_scene(const Value& document);

bool match_name(std::string_view pattern, std::string_view name);
std::vector<int> match_names(std::string_view pattern,
                             std::span<const std::string> names); // indices, in order
std::string resolve_file(const Value& text); // a file name of the document, relative to the file that says it

} // namespace sinew
