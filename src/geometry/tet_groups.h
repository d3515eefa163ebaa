// Groups of a tetrahedral mesh while a file is read, and what all readers do at the end.
#pragma once
#include "geometry/tet_mesh.h"
#include <map>

namespace sinew {

using GroupCollector = std::map<std::string, std::vector<int>>; // name -> members in any order, perhaps repeated
void add_member(GroupCollector&, const char* prefix, double number, int member); // "marker_" and 3: "marker_3"
std::vector<TetGroup> collect_groups(GroupCollector&);                           // by name; members ascending, each once

// Turns tetrahedra that are negative and says so in the notes.
void finish_tets(TetMesh&);

} // namespace sinew
