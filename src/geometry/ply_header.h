// Header of a PLY file (Turk 1994): elements in order, each with scalar and list properties.
#pragma once
#include "sinew/types.h"

namespace sinew {

enum class PlyFormat { ascii, little, big };
enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

inline constexpr int ply_size(PlyType t) {
    constexpr int size[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return size[int(t)];
}
inline constexpr bool is_integer(PlyType t) { return t < PlyType::f32; }

struct PlyProperty {
    std::string name;
    PlyType type = PlyType::f32;
    bool is_list = false;
    PlyType count_type = PlyType::u8; // lists only
};
struct PlyElement {
    std::string name;
    std::int64_t count =
        0; // as declared; nothing is allocated from it before it is compared with the file's size
    std::vector<PlyProperty> properties;
};
struct PlyHeader {
    PlyFormat format = PlyFormat::ascii;
    std::vector<PlyElement> elements;
    std::size_t body = 0;       // byte at which the data begin
    std::int64_t body_line = 0; // and their line in an ascii file
};
Result<PlyHeader> parse_ply_header(std::string_view bytes, std::string_view file);

// Index of the property with one of these names, -1 if there is none.
int find_property(const PlyElement&, std::initializer_list<std::string_view> names);

} // namespace sinew
