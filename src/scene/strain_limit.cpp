#include "scene/strain_limit.h"
#include "constraint/list.h"
#include "constraint/tri_strain_limit.h"
#include "core/error.h"

namespace sinew {

bool read_strain_limit(BuildContext& c, const Value& value, StrainLimit::Params& p) {
    if (value.kind == Value::Kind::null) return false;
    if (value.kind == Value::Kind::object) {
        FieldList list = list_fields<StrainLimit>(p);
        return read_fields(list, value, c.scope, c.path("strain_limit"), c.errors);
    }
    if (!read_number(value, "", c.scope, c.path("strain_limit"), p.stretch, c.errors)) return false;
    if (p.stretch >= 0) return true;
    add_error(c, "strain_limit", value, "must not be negative", "the largest stretch, such as 0.05, or { stretch, compression, compliance }");
    return false;
}

void add_link_limit(BuildContext& c, const StrainLimit::Params& p, int a, int b) {
    add_constraint(c.builder, *find_constraint("strain_limit"), &p, std::array<int, 2>{a, b});
}

void add_triangle_limit(BuildContext& c, const StrainLimit::Params& p, const std::array<int, 3>& points) {
    const TriStrainLimit::Params of_triangle{p.stretch, p.compression, p.compliance};
    add_constraint(c.builder, *find_constraint("tri_strain_limit"), &of_triangle, points);
}

} // namespace sinew
