// Top-level "attach" and "contact" of a scene, after the objects are built.
//   attach   points of a deformable follow a held body or the world (they become fixed), or are pinned, softly or rigidly, to
//            a free body or to places of another deformable one
//   contact  rules for pairs of objects: friction, thickness, off
#pragma once
#include "scene/object.h"

namespace sinew {

void add_attachments(const Scene&, const Scope& scene_scope, bool check_only, const std::vector<std::string>& wrong, const PointAttributes&, ModelBuilder&,
                     std::vector<Handle>&, std::vector<Error>& future, std::vector<Error>&);
struct RulePattern { // a contact rule before it is known who it is about
    std::string a, b;
    ContactRule rule;
};
std::vector<RulePattern> read_contact_rules(const Scene&, const Scope& scene_scope, std::vector<Error>&);
void add_contact_rules(const Scene&, const Scope& scene_scope, ModelBuilder&, std::vector<Error>&);
// their parameters in words; `owner` keeps them alive
FieldList describe_attach(std::shared_ptr<void>& owner);
FieldList describe_contact(std::shared_ptr<void>& owner);

} // namespace sinew
