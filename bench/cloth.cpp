#include "cloth.h"
#include "energy/gravity.h"
#include "energy/list.h"
#include "energy/spring.h"
#include <cmath>
#include <numeric>

namespace sinew::bench {

ModelBuilder make_cloth(int size, const Cloth& cloth) {
    ModelBuilder b;
    begin_object(b, "cloth", "cloth_grid");
    const Real edge = 1.0 / size;                      // [m]
    std::vector<int> number(std::size_t(size) * size); // of the point at row * size + column
    std::iota(number.begin(), number.end(), 0);
    Rng rng{3, 0, 0};
    if (cloth.shuffled)
        for (int i = int(number.size()) - 1; i > 0; --i) std::swap(number[i], number[draw_int(rng, i + 1)]);
    std::vector<Real3> rest(number.size());
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            rest[number[row * size + column]] = {edge * column, 0, edge * row};
    const std::vector<Real> mass(rest.size(), 0.2 * edge * edge); // 0.2 kg/m^2
    add_points(b, rest, mass);
    b.model.point.flags[number[0]] = b.model.point.flags[number[size - 1]] = kFixed;
    const ElementRow& spring = *find_energy("spring");
    const auto link = [&](int row, int column, int down, int right, Real k) {
        if (row + down >= size || column + right < 0 || column + right >= size) return;
        const Spring::Params params{k, cloth.damping};
        const int from = row * size + column;
        add_energy(b, spring, &params, std::array<int, 2>{number[from], number[from + down * size + right]});
    };
    const Real stiffness = cloth.stiffness;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            link(row, column, 0, 1, stiffness);
            link(row, column, 1, 0, stiffness);
            link(row, column, 1, 1, 0.3 * stiffness);
            link(row, column, 1, -1, 0.3 * stiffness);
            link(row, column, 0, 2, 0.01 * stiffness);
            link(row, column, 2, 0, 0.01 * stiffness);
        }
    const Gravity::Params gravity;
    for (int i = 0; i < size * size; ++i)
        add_energy(b, *find_energy("gravity"), &gravity, std::array<int, 1>{i});
    for (Real3& x : b.state.point.x) x.y = 0.02 * std::sin(12 * x.x) * std::cos(9 * x.z);
    finish_model(b);
    return b;
}

int spring_count(const ModelBuilder& b) {
    int count = 0;
    for (const Table& t : b.model.elements->energies)
        if (t.row->name == "spring") count += t.count();
    return count;
}

} // namespace sinew::bench
