// The schema for editors.
#include "scene/joint.h"
#include "scene/language.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace sinew;

static const Value* descend(const Value* v, std::initializer_list<const char*> keys) {
    for (const char* key : keys) v = v ? find(*v, key) : nullptr;
    return v;
}

// every kind of joint that the compiler knows, with the two bodies and its own parameters
TEST(language, schema_has_every_kind_of_joint_with_its_parameters) {
    const Value schema = language_schema();
    const Value* kinds = descend(&schema, {"properties", "joints", "additionalProperties", "anyOf"});
    ASSERT_TRUE(kinds);
    EXPECT_EQ(kinds->items.size(), joint_kinds().size());
    for (const JointKind& kind : joint_kinds()) {
        const auto found = std::find_if(kinds->items.begin(), kinds->items.end(), [&](const Value& k) {
            const Value* name = descend(&k, {"properties", "kind", "const"});
            return name && name->text == kind.name;
        });
        ASSERT_NE(found, kinds->items.end()) << kind.name;
        EXPECT_TRUE(descend(&*found, {"properties", "between"})) << kind.name;
        EXPECT_TRUE(descend(&*found, {"properties", "at"})) << kind.name;
        const bool limited = descend(&*found, {"properties", "limits"}) != nullptr;
        if (kind.name == "hinge" || kind.name == "distance") {
            EXPECT_TRUE(limited) << kind.name;
        }
        if (kind.name == "weld" || kind.name == "ball") {
            EXPECT_FALSE(limited) << kind.name;
        }
    }
}
