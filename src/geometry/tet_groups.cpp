#include "geometry/tet_groups.h"
#include "geometry/tet_measure.h"
#include <algorithm>
#include <charconv>

namespace sinew {

void add_member(GroupCollector& groups, const char* prefix, double number, int member) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number);
    groups[prefix + std::string(digits, end.ptr)].push_back(member);
}

std::vector<TetGroup> collect_groups(GroupCollector& collected) {
    std::vector<TetGroup> groups;
    for (auto& [name, members] : collected) {
        std::sort(members.begin(), members.end());
        members.erase(std::unique(members.begin(), members.end()), members.end());
        groups.push_back({name, std::move(members)});
    }
    return groups;
}

void finish_tets(TetMesh& m) {
    const std::size_t turned = orient_tets(m).size();
    if (turned > 0) m.notes.push_back(std::to_string(turned) + " tetrahedra turned over");
}

} // namespace sinew
