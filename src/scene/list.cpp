// All kinds of objects, one row each.
#include "scene/kinds.h"
#include "scene/object_compound.h"
#include "scene/object_height_field.h"
#include "scene/object_rod.h"

namespace sinew {

std::span<const ObjectKind> object_kinds() {
    static const std::vector<ObjectKind> kinds{
        make_object_kind<AnimatedMesh>(),
        make_object_kind<Body<BodyShape::box>>(),
        make_object_kind<Body<BodyShape::capsule>>(),
        make_object_kind<Chain>(),
        make_object_kind<ClothMesh>(),
        make_object_kind<ClothGrid>(),
        make_object_kind<Compound>(),
        make_object_kind<Body<BodyShape::cone>>(),
        make_object_kind<Body<BodyShape::cylinder>>(),
        make_object_kind<EmitterKind>(),
        make_object_kind<HeightField>(),
        make_object_kind<Body<BodyShape::mesh>>(),
        make_object_kind<Particles>(),
        make_object_kind<Body<BodyShape::plane>>(),
        make_object_kind<Rod>(),
        make_object_kind<Rope>(),
        make_object_kind<SinkKind>(),
        make_object_kind<Solid>(),
        make_object_kind<Body<BodyShape::sphere>>(),
    };
    return kinds;
}

const ObjectKind* find_object_kind(std::string_view name) {
    for (const ObjectKind& k : object_kinds())
        if (k.name == name) return &k;
    return nullptr;
}

std::span<const std::string_view> future_kinds() {
    static constexpr std::string_view kinds[] = {"hair", "shell", "fluid", "grains", "garment",
                                                 "groom", "pile", "tank", "smoke", "snow", "sand"};
    return kinds;
}

} // namespace sinew
