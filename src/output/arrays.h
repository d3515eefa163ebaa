// Named arrays: the one grammar of what is inside checkpoints and the chunks of a recording. Each array says
// its name, type and shape, so that a reader in any language needs no other description and may skip what it
// does not know. Byte layout: docs/recording.md.
//
// Filter of 4- and 8-byte numbers before compression: values are put component by component (all x, all y,
// all z), each replaced by the difference of its bits to the one before, and then the bytes of equal weight
// together. Measured with zstd level 3 on positions of a 128 x 128 cloth in bytes per value, plain / shuffle
// / components + shuffle / components + difference + shuffle: float64 7.59 / 6.56 / 6.02 / 5.73, float32 3.58
// / 2.97 / 2.42 / 2.07. Prediction from the frame before gives 5.89 and 2.27 there (2.32 instead of 3.51 for
// a particle cloud) but would cost random access, so it is not used.
#pragma once
#include "core/file.h"
#include <unordered_map>

namespace sinew {

enum class ArrayType : std::uint8_t {
    f64 = 1,
    f32 = 2,
    i64 = 3,
    i32 = 4,
    u64 = 5,
    u32 = 6,
    u8 = 7,
    text = 8
};
enum class ArrayFilter : std::uint8_t { none = 0, delta_shuffle = 1 };

int type_size(ArrayType type); // [bytes], 0 = no such type
template <class T> constexpr ArrayType array_type();
template <> constexpr ArrayType array_type<double>() { return ArrayType::f64; }
template <> constexpr ArrayType array_type<float>() { return ArrayType::f32; }
template <> constexpr ArrayType array_type<std::int64_t>() { return ArrayType::i64; }
template <> constexpr ArrayType array_type<std::int32_t>() { return ArrayType::i32; }
template <> constexpr ArrayType array_type<std::uint64_t>() { return ArrayType::u64; }
template <> constexpr ArrayType array_type<std::uint32_t>() { return ArrayType::u32; }
template <> constexpr ArrayType array_type<std::uint8_t>() { return ArrayType::u8; }
template <> constexpr ArrayType array_type<char>() { return ArrayType::text; }

using ArrayShape = std::vector<std::uint64_t>; // rows first; at most 8 dimensions

// Writes a list of arrays: u32 count, then the arrays.
struct ArrayWriter {
    Bytes bytes = Bytes(4, 0);
    std::uint32_t count = 0;

    void add_raw(std::string_view name, ArrayType, const ArrayShape&, const void* data, ArrayFilter);
    template <class T> void add(std::string_view name, std::span<const T> values, std::uint64_t columns = 0) {
        const ArrayShape shape =
            columns == 0 ? ArrayShape{values.size()} : ArrayShape{values.size() / columns, columns};
        const bool small = sizeof(T) < 4 || values.size() < 4;
        add_raw(name, array_type<T>(), shape, values.data(),
                small ? ArrayFilter::none : ArrayFilter::delta_shuffle);
    }
    template <class T> void add_one(std::string_view name, T value) {
        add(name, std::span<const T>(&value, 1));
    }
    void add_text(std::string_view name, std::string_view text) {
        add(name, std::span<const char>(text.data(), text.size()));
    }
    void add_texts(std::string_view name, std::span<const std::string> texts); // each ends with a zero byte
};

// One array inside a list that was read; points into the bytes given to parse_arrays.
struct ArrayView {
    std::string_view name;
    ArrayType type{};
    ArrayFilter filter{};
    ArrayShape shape;
    ByteSpan data; // still filtered
};
std::uint64_t value_count(const ArrayView& array);
void decode(const ArrayView& array, void* out); // data.size() bytes, filter undone

// Errors say what is wrong inside the list; the caller adds the file.
struct ArrayList {
    std::vector<ArrayView> arrays;
    std::unordered_map<std::string_view, std::size_t> by_name; // of equal names the first
};
Errors parse_arrays(ByteSpan bytes, ArrayList& list);
const ArrayView* find_array(const ArrayList& list, std::string_view name); // null if there is none

// Values of the array `name` if it has this type (double also takes f32) and this number of columns (0 = one
// dimension); otherwise an error is added. An absent array leaves `out` empty without an error.
template <class T>
void read_array(const ArrayList&, std::string_view name, std::uint64_t columns, std::vector<T>& out, Errors&);
void read_text(const ArrayList&, std::string_view name, std::string& out, Errors&);
void read_texts(const ArrayList&, std::string_view name, std::vector<std::string>& out, Errors&);

} // namespace sinew
