#include "solver/position_memory.h"
#include "model/visit.h"
#include <algorithm>

namespace sinew {

namespace {

constexpr std::size_t kPointNumbers = 9;

bool is_as_left(const double* kept, const Real3& x, const Real3& v) {
    return x.x == kept[3] && x.y == kept[4] && x.z == kept[5] && v.x == kept[6] && v.y == kept[7] && v.z == kept[8];
}

} // namespace

std::size_t kept_numbers(const Model& m) { return kPointNumbers * std::size_t(point_count(m)) + 1; }

Real recall_numbers(const Model& m, const State& now, const char* name, const std::vector<Real>& point_inverse,
                    std::vector<Real3>& out, std::vector<unsigned char>& strangers) {
    const int n = point_count(m);
    const auto* memory = find_memory(now, name);
    const bool usable = memory && memory->size() == kept_numbers(m) && memory->back() > 0;
    out.assign(n, {});
    strangers.assign(n, 0);
    for (int i = 0; i < n; ++i) {
        if (!(point_inverse[i] > 0)) continue;
        const double* kept = usable ? memory->data() + kPointNumbers * std::size_t(i) : nullptr;
        strangers[i] = !kept || !is_as_left(kept, now.point.x[i], now.point.v[i]);
        if (!strangers[i]) out[i] = {kept[0], kept[1], kept[2]};
    }
    if (std::find(strangers.begin(), strangers.end(), 1) == strangers.end()) strangers.clear();
    return usable ? memory->back() : 0;
}

void keep_numbers(const Model& m, const char* name, const std::vector<Real3>& numbers, Real h, State& s) {
    auto& memory = memory_array(s, name, kept_numbers(m));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        double* kept = memory.data() + kPointNumbers * i;
        for (const Real3& a : {numbers[i], s.point.x[i], s.point.v[i]}) *kept++ = a.x, *kept++ = a.y, *kept++ = a.z;
    }
    memory.back() = h;
}

void recall_mode(const State& now, std::vector<Real>& mode, Real& rows) {
    const auto* memory = find_memory(now, kMode);
    mode.clear();
    rows = 0;
    if (!memory || memory->size() < 2) return;
    mode.assign(memory->begin(), memory->end() - 1);
    rows = memory->back();
}

void keep_mode(const std::vector<Real>& mode, Real rows, State& s) {
    auto& memory = memory_array(s, kMode, mode.size() + 1);
    std::copy(mode.begin(), mode.end(), memory.begin());
    memory.back() = rows;
}

} // namespace sinew
