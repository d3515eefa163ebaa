#include "output/arrays.h"
#include "output/chunk.h"
#include "output/samples.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace sinew {
namespace {
template <class T> std::vector<T> round_trip(const std::vector<T>& values, std::uint64_t columns) {
    ArrayWriter writer;
    writer.add<T>("a", values, columns);
    ArrayList list;
    EXPECT_NO_ERRORS(parse_arrays(writer.bytes, list));
    Errors errors;
    std::vector<T> out;
    read_array(list, "a", columns, out, errors);
    EXPECT_NO_ERRORS(errors);
    return out;
}
} // namespace

TEST(Arrays, every_type_comes_back_bit_for_bit) {
    std::vector<double> f64;
    std::vector<float> f32;
    std::vector<std::int64_t> i64;
    std::vector<std::int32_t> i32;
    std::vector<std::uint64_t> u64;
    std::vector<std::uint32_t> u32;
    std::vector<std::uint8_t> u8;
    for (int i = 0; i < 300; ++i) {
        f64.push_back(std::sin(i) * std::pow(10.0, i - 150));
        f32.push_back(std::sin(float(i)));
        i64.push_back((std::int64_t(1) << 62) - i * 12345678901);
        i32.push_back(i % 2 ? -i * 7123456 : i);
        u64.push_back(~std::uint64_t(i));
        u32.push_back(~std::uint32_t(i));
        u8.push_back(std::uint8_t(i));
    }
    f64[5] = -0.0;
    f64[6] = std::numeric_limits<double>::infinity();
    for (std::uint64_t columns : {0, 1, 2, 3}) {
        const std::vector<double> back = round_trip(f64, columns);
        ASSERT_EQ(back.size(), f64.size());
        EXPECT_EQ(std::memcmp(back.data(), f64.data(), 8 * back.size()), 0);
        EXPECT_EQ(round_trip(f32, columns), f32);
        EXPECT_EQ(round_trip(i64, columns), i64);
        EXPECT_EQ(round_trip(i32, columns), i32);
        EXPECT_EQ(round_trip(u64, columns), u64);
        EXPECT_EQ(round_trip(u32, columns), u32);
        EXPECT_EQ(round_trip(u8, columns), u8);
    }
    EXPECT_TRUE(round_trip(std::vector<double>{}, 3).empty());
}

TEST(Arrays, not_a_number_keeps_its_bits) {
    std::vector<double> values(8, 1.0);
    const std::uint64_t bits = 0x7ff8dead0000beefull;
    std::memcpy(&values[3], &bits, 8);
    const std::vector<double> back = round_trip(values, 0);
    EXPECT_EQ(std::memcmp(&back[3], &bits, 8), 0);
}

TEST(Arrays, texts_come_back_with_empty_ones) {
    ArrayWriter writer;
    const std::vector<std::string> texts = {"", "sheet", "", "größe"};
    writer.add_texts("t", texts);
    writer.add_texts("none", {});
    ArrayList list;
    ASSERT_NO_ERRORS(parse_arrays(writer.bytes, list));
    Errors errors;
    std::vector<std::string> back;
    read_texts(list, "t", back, errors);
    EXPECT_EQ(back, texts);
    read_texts(list, "none", back, errors);
    EXPECT_TRUE(back.empty());
    EXPECT_NO_ERRORS(errors);
}

TEST(Arrays, wrong_type_or_shape_is_an_error_and_absence_is_not) {
    ArrayWriter writer;
    writer.add<double>("x", std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    ArrayList list;
    ASSERT_NO_ERRORS(parse_arrays(writer.bytes, list));
    Errors errors;
    std::vector<double> reals;
    std::vector<int> ints;
    read_array(list, "y", 3, reals, errors);
    EXPECT_TRUE(errors.empty() && reals.empty());
    read_array(list, "x", 2, reals, errors);
    EXPECT_EQ(errors.size(), 1u);
    read_array(list, "x", 3, ints, errors);
    EXPECT_EQ(errors.size(), 2u);
}

TEST(Arrays, every_cut_of_a_list_is_refused) {
    ArrayWriter writer;
    writer.add<double>("x", std::vector<double>{1, 2, 3, 4, 5, 6}, 3);
    writer.add_text("t", "abc");
    ArrayList list;
    for (std::size_t n = 0; n < writer.bytes.size(); ++n)
        EXPECT_FALSE(parse_arrays(ByteSpan(writer.bytes).first(n), list).empty()) << n;
    EXPECT_NO_ERRORS(parse_arrays(writer.bytes, list));
}

TEST(Arrays, shapes_that_overflow_are_refused) {
    for (const ArrayShape& shape :
         {ArrayShape{~0ull}, ArrayShape{1ull << 32, 1ull << 32}, ArrayShape{1ull << 61, 8}}) {
        ArrayWriter writer;
        writer.add_raw("x", ArrayType::f64, ArrayShape{0}, nullptr, ArrayFilter::none);
        // replace the shape by hand: rank and dimensions are the last bytes
        writer.bytes.resize(writer.bytes.size() - 10);
        append(writer.bytes, std::uint16_t(shape.size()));
        for (std::uint64_t d : shape) append(writer.bytes, d);
        ArrayList list;
        EXPECT_FALSE(parse_arrays(writer.bytes, list).empty());
    }
}

TEST(Chunk, data_that_compresses_too_well_is_padded_to_the_allowed_ratio) {
    const Bytes zeros(50'000'000, 0);
    ChunkHeader header;
    header.tag = kFrameTag;
    const Bytes chunk = make_chunk(header, zeros, 3);
    ChunkHeader back;
    ASSERT_TRUE(parse_chunk_header(chunk, true, back));
    EXPECT_EQ(back.raw_size, zeros.size());
    EXPECT_LT(chunk.size(), have_zstd() ? 300'000u : 60'000'000u);
    RawBytes raw;
    ASSERT_NO_ERRORS(unpack_chunk(back, ByteSpan(chunk).subspan(kChunkHeaderSize), true, raw));
    EXPECT_TRUE(std::equal(zeros.begin(), zeros.end(), raw.span().begin()));
}

TEST(Chunk, a_size_that_no_writer_makes_is_refused) {
    ChunkHeader header;
    header.tag = kFrameTag;
    Bytes chunk = make_chunk(header, Bytes(1000, 7), 3);
    const std::uint64_t huge = std::uint64_t(1) << 40;
    std::memcpy(chunk.data() + 16, &huge, 8);
    EXPECT_FALSE(parse_chunk_header(chunk, false, header));
}

} // namespace sinew
