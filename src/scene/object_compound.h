// Parameters of the kind `compound`: one rigid body of several shapes.
#pragma once
#include "scene/kinds.h"

namespace sinew {

struct Compound {
    static constexpr std::string_view name = "compound", body = "rigid bodies";
    static constexpr std::string_view doc = "one rigid body of several shapes, each with its place and density";
    struct Params : BodyParams {
        Value parts;
    };
    template <class V> static void fields(Params& p, V&& v) {
        v("parts", p.parts, Field{.required = true, .doc = "list of { kind: box, capsule, cone, cylinder, mesh or sphere, what that kind "
                                                           "has for its shape, at, rotate, density or mass }; where parts overlap both have mass"});
        body_fields(p, v);
    }
    static void build(const Params&, BuildContext&);
};

} // namespace sinew
