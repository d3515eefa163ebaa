#include "output/checkpoint.h"
#include "output/samples.h"
#include "output/state_file.h"
#include <cmath>
#include <random>

namespace sinew {
namespace {
Checkpoint make_sample() {
    Checkpoint c;
    c.program_version = "0.1.0";
    c.scene_hash = 0x0123456789abcdefull;
    std::vector<double> x;
    std::vector<std::int32_t> i;
    std::vector<std::int64_t> step = {1'000'000'000'000};
    std::vector<std::uint8_t> alive;
    for (int k = 0; k < 300; ++k) {
        x.push_back(std::sin(k) / 3);
        i.push_back(k * k - 1000);
        alive.push_back(k % 3 == 0);
    }
    x[7] = -0.0;
    add_array<double>(c, "point.x", x, 3);
    add_array<std::int32_t>(c, "i", i);
    add_array<std::int64_t>(c, "step", step);
    add_array<std::uint8_t>(c, "alive", alive);
    add_array<double>(c, "empty", std::vector<double>{}, 3);
    add_text(c, "scene", "{ \"sinew\": 1 }");
    return c;
}
void expect_same(const Checkpoint& a, const Checkpoint& b) {
    EXPECT_EQ(a.program_version, b.program_version);
    EXPECT_EQ(a.scene_hash, b.scene_hash);
    ASSERT_EQ(a.arrays.size(), b.arrays.size());
    for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        EXPECT_EQ(a.arrays[i].name, b.arrays[i].name);
        EXPECT_EQ(a.arrays[i].type, b.arrays[i].type);
        EXPECT_EQ(a.arrays[i].shape, b.arrays[i].shape);
        EXPECT_EQ(a.arrays[i].bytes, b.arrays[i].bytes);
    }
}
} // namespace

TEST(Checkpoint, comes_back_bit_for_bit_and_in_order) {
    TemporaryFolder folder;
    const Checkpoint c = make_sample();
    ASSERT_NO_ERRORS(write_checkpoint(folder.path("a.checkpoint"), c));
    Checkpoint back;
    ASSERT_NO_ERRORS(read_checkpoint(folder.path("a.checkpoint"), back));
    expect_same(c, back);
    EXPECT_EQ(folder.files().size(), 1u);
    std::vector<double> x;
    ASSERT_NO_ERRORS(read_array(back, "point.x", x));
    EXPECT_EQ(x.size(), 300u);
    EXPECT_TRUE(std::signbit(x[7]));
    EXPECT_EQ(find_array(back, "point.x")->shape, (ArrayShape{100, 3}));
    std::string text;
    ASSERT_NO_ERRORS(read_text(back, "scene", text));
    EXPECT_EQ(text, "{ \"sinew\": 1 }");
}

TEST(Checkpoint, an_empty_one_is_fine) {
    Checkpoint back;
    ASSERT_NO_ERRORS(parse_checkpoint(make_checkpoint({}), true, back));
    EXPECT_TRUE(back.arrays.empty());
}

TEST(Checkpoint, missing_arrays_other_types_and_sizes_are_named) {
    const Checkpoint c = make_sample();
    std::vector<double> x(299);
    std::vector<float> f;
    Errors errors = read_array(c, "nothing", x);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].path, "nothing");
    x.resize(299);
    errors = read_array(c, "point.x", std::span<double>(x));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].value, "300 values");
    EXPECT_EQ(errors[0].allowed, "299 values");
    EXPECT_EQ(read_array(c, "point.x", f).size(), 1u);
}

TEST(Checkpoint, an_array_whose_shape_and_bytes_disagree_is_not_written) {
    TemporaryFolder folder;
    Checkpoint c = make_sample();
    c.arrays[1].shape = {1000};
    const Errors errors = write_checkpoint(folder.path("a"), c);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].path, "i");
    EXPECT_TRUE(folder.files().empty());
}

TEST(Checkpoint, every_truncation_and_every_wrong_byte_is_an_error) {
    const Bytes bytes = make_checkpoint(make_sample());
    Checkpoint back;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        EXPECT_EQ(parse_checkpoint(ByteSpan(bytes).first(n), true, back).size(), 1u) << n;
        Bytes damaged = bytes;
        damaged[n] ^= 0x10;
        const bool reserved = n >= 12 && n < 16;
        EXPECT_EQ(parse_checkpoint(damaged, true, back).size(), reserved ? 0u : 1u) << n;
    }
    Bytes longer = bytes;
    longer.push_back(0);
    EXPECT_EQ(parse_checkpoint(longer, true, back).size(), 1u);
}

TEST(Checkpoint, foreign_files_are_named_as_such) {
    TemporaryFolder folder;
    Checkpoint back;
    write_text_file(folder.path("a"), "PNG or so");
    Errors errors = read_checkpoint(folder.path("a"), back);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].file, folder.path("a"));
    EXPECT_EQ(errors[0].message, "this is no Sinew checkpoint");
    Bytes bytes = make_checkpoint(make_sample());
    bytes[8] = 9;
    errors = parse_checkpoint(bytes, true, back);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].value, "9");
    EXPECT_EQ(parse_checkpoint(ByteSpan(bytes).first(40), true, back).size(), 1u);
}

TEST(Checkpoint, a_full_disk_keeps_the_old_one) {
    TemporaryFolder folder;
    ASSERT_NO_ERRORS(write_checkpoint(folder.path("a"), make_sample()));
    Checkpoint large = make_sample(), back;
    large.arrays[0].bytes.resize(24000);
    large.arrays[0].shape = {1000, 3};
    Errors errors;
    {
        SmallDisk disk(500);
        errors = write_checkpoint(folder.path("a"), large);
    }
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot write: File too large");
    ASSERT_NO_ERRORS(read_checkpoint(folder.path("a"), back));
    expect_same(make_sample(), back);
}

TEST(Checkpoint, random_damage_never_crashes_even_without_checksums) {
    std::mt19937 random(7);
    const Bytes bytes = make_checkpoint(make_sample());
    Checkpoint back;
    for (int round = 0; round < 20000; ++round) {
        Bytes damaged = bytes;
        for (int c = 0; c < 1 + round % 5; ++c) damaged[random() % damaged.size()] = std::uint8_t(random());
        parse_checkpoint(damaged, round % 2 == 0, back);
    }
}

TEST(Checkpoint, states_keep_alarms_and_origins_and_older_ones_without_them_are_read) {
    StateFile state;
    state.alarms = {"t = 1 s: the run has blown up"};
    state.origins = {"3  /a/scene.json", "1  /b/prefab one.json"};
    Checkpoint file = state_checkpoint(state);
    StateFile read;
    ASSERT_NO_ERRORS(read_state(file, read));
    EXPECT_EQ(read.alarms, state.alarms);
    EXPECT_EQ(read.origins, state.origins);
    EXPECT_EQ(std::erase_if(file.arrays, [](const NamedArray& a) { return a.name == "alarms" || a.name == "origins"; }), 2u);
    ASSERT_NO_ERRORS(read_state(file, read));
    EXPECT_TRUE(read.alarms.empty() && read.origins.empty());
}

} // namespace sinew
