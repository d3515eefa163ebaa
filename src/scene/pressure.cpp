#include "scene/pressure.h"
#include "core/error.h"
#include "energy/list.h"
#include "energy/pressure_volume.h"
#include <fmt/format.h>

namespace sinew {

void add_pressure(BuildContext& c, const Value& value, Range points, const std::vector<std::array<int, 3>>& faces) {
    if (value.kind == Value::Kind::null || faces.empty()) return;
    PressureVolume::Params p;
    if (value.kind == Value::Kind::object) {
        FieldList list = list_fields<PressureVolume>(p);
        if (!read_fields(list, value, c.scope, c.path("pressure"), c.errors)) return;
        const auto given = [&](const char* name) { return find(value, name) != nullptr; };
        if (p.bulk > 0 && (given("pressure") || p.gas || given("outside"))) {
            add_error(c, "pressure", value, "a liquid has no pressure of its own: it is what keeps the volume", "bulk and fill alone");
            return;
        }
        if (p.bulk == 0 && given("fill")) {
            add_error(c, "pressure.fill", *find(value, "fill"), "is of a liquid, and there is none", "with bulk above 0");
            return;
        }
    } else if (!read_number(value, "Pa", c.scope, c.path("pressure"), p.pressure, c.errors)) {
        return;
    }
    const std::span<const Real3> x(c.builder.model.point.rest.data() + points.begin, std::size_t(points.count()));
    Real area = 0;
    p.volume = 0;
    const auto area_of = [&](const std::array<int, 3>& t) {
        return 0.5 * (vec(x[t[1]]) - vec(x[t[0]])).cross(vec(x[t[2]]) - vec(x[t[0]])).norm();
    };
    for (const auto& t : faces) {
        area += area_of(t);
        p.volume += PressureVolume::triangle_volume(vec(x[t[0]]), vec(x[t[1]]), vec(x[t[2]]));
    }
    if (!(p.volume > 0)) {
        add_error(c, "pressure", value, fmt::format("the surface holds a volume of {:.3g} m^3 at rest", p.volume), "a closed surface seen from outside");
        return;
    }
    p.origin = points.begin + faces.front()[0];
    const ElementRow& row = *find_energy("pressure_volume");
    for (const auto& t : faces) {
        p.weight = area_of(t) / area;
        add_energy(c.builder, row, &p, std::array<int, 3>{points.begin + t[0], points.begin + t[1], points.begin + t[2]});
    }
}

} // namespace sinew
