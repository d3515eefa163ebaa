// Shared by the files of expand.h.
#pragma once
#include "scene/expand.h"
#include "scene/placement.h"

namespace sinew {

// Where names are local: the scene itself, or one prefab instance.
struct SceneLevel {
    std::string prefix;                                // "" or "hero/"
    Vars vars;                                         // besides the scene's
    std::vector<std::pair<std::string, Value>> params; // for "$name"
    InitialPlacement base;     // relative to the parent's initial pose, or to the world
    std::string parent; // full name, empty if none
};

struct Override {
    std::string prefix; // of the names it speaks about
    Value members;      // pattern -> { parameter: value }
    std::vector<bool> used;
    std::string path;
    bool of_joint = false; // of replicas of one joint: its patterns mean them
};

struct PendingObject { // what is needed once all objects are known; same order as scene.objects
    InitialPlacement container, own;
    Value parent_text; // for messages
};
struct PendingEntry { // same order as the section
    std::string parent;
    Pose base;
    Value original; // for messages
};

struct Expander {
    const Value& document;
    const Scope& globals;
    Scene& scene;
    std::vector<Error>& errors;
    std::vector<PendingObject> objects;
    std::vector<PendingEntry> joints, attach, contact;
    std::vector<Override> overrides;  // innermost last
    std::vector<std::string> prefabs; // being expanded now
    long long values = 0;             // cost of what was copied so far
    long long comparisons = 0;        // of names with overrides
    int parts = 0;                    // objects and instances so far
    bool full = false;                // a limit was reached; nothing more is made
};

// Size of a tree: one per value, one more per 16 bytes of text; depth: of nesting.
struct ValueSize {
    long long cost = 0;
    int depth = 0;
};
ValueSize measure_value(const Value&);
// false once the limits of expand.h are reached, and an error says so
bool spend_values(Expander&, long long cost, const Value& at);
bool has_too_many_errors(Expander&); // then nothing more is made

// the value with "$name" replaced
Value substitute(Expander&, const SceneLevel&, const Value&);
// overrides for the part called `name`; patterns: also those with wildcards
void apply_overrides(Expander&, const std::string& name, bool patterns, Value& part);
void push_override(Expander&, const std::string& name, std::string_view path, Value members, bool of_joint = false);
void pop_override(Expander&); // errors for parts that do not exist

void expand_level(Expander&, const SceneLevel&, const Value& definition);
void expand_entries(Expander&, const SceneLevel&, const Value& definition); // joints, attach, contact
void resolve_parents(Expander&);                                       // poses and velocities in the world
void check_entries(Expander&); // references and frames of joints, attach, contact

} // namespace sinew
