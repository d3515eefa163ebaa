// Damaged, foreign and hostile recordings: a clear error or the frames that are intact; never a crash, a hang
// or a large allocation. The same loop as the fuzzer, with a fixed seed, so that it runs in every build.
#include "output/recording.h"
#include "output/samples.h"
#include <cstring>
#include <random>

namespace sinew {
namespace {
Bytes make_recording(int level) {
    TemporaryFolder folder;
    SnapshotLayout layout = make_sample_layout();
    ExporterSettings settings;
    settings.level = level;
    RecordingWriter writer;
    EXPECT_NO_ERRORS(writer.open(folder.path("a.sinew"), layout, settings));
    for (int f = 1001; f <= 1003; ++f) EXPECT_NO_ERRORS(writer.write(make_sample_snapshot(layout, f)));
    layout.objects.resize(2);
    EXPECT_NO_ERRORS(writer.change_layout(layout));
    for (int f = 1004; f <= 1005; ++f) EXPECT_NO_ERRORS(writer.write(make_sample_snapshot(layout, f)));
    EXPECT_NO_ERRORS(writer.close());
    Bytes bytes;
    EXPECT_NO_ERRORS(read_file(folder.path("a.sinew"), 1 << 20, bytes));
    return bytes;
}

// number of frames that can be read
int count_readable_frames(ByteSpan bytes, bool check) {
    RecordingReader reader;
    if (!reader.open_memory(bytes, {check}).empty()) return -1;
    int readable = 0;
    Snapshot s;
    for (int i = 0; i < reader.frame_count(); ++i) readable += reader.read(i, s).empty();
    return readable;
}
} // namespace

TEST(RecordingDamage, wrong_magic_foreign_version_and_missing_file_are_clear_errors) {
    TemporaryFolder folder;
    RecordingReader reader;
    Errors errors = reader.open(folder.path("none.sinew"));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "cannot open: No such file or directory");
    EXPECT_EQ(errors[0].file, folder.path("none.sinew"));

    write_text_file(folder.path("empty.sinew"), "");
    errors = reader.open(folder.path("empty.sinew"));
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "this is no Sinew recording");

    Bytes bytes = make_recording(3);
    bytes[8] = 2;
    errors = reader.open_memory(bytes, {});
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].value, "2");
    EXPECT_EQ(errors[0].allowed, "1");
    bytes[1] = 'X';
    EXPECT_EQ(reader.open_memory(bytes, {}).size(), 1u);
}

TEST(RecordingDamage, every_truncation_gives_the_frames_before_it) {
    const Bytes bytes = make_recording(3);
    RecordingReader whole;
    ASSERT_NO_ERRORS(whole.open_memory(bytes, {}));
    ASSERT_EQ(whole.frame_count(), 5);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        const int readable = count_readable_frames(ByteSpan(bytes).first(n), true);
        int expected = 0;
        for (int i = 0; i < 5; ++i) {
            ChunkHeader header;
            ASSERT_TRUE(parse_chunk_header(ByteSpan(bytes).subspan(whole.frames[std::size_t(i)].offset), true,
                                           header));
            expected += whole.frames[std::size_t(i)].offset + kChunkHeaderSize + header.stored_size <= n;
        }
        EXPECT_EQ(std::max(readable, 0), expected) << n; // -1: not even the layout
    }
}

TEST(RecordingDamage, one_wrong_byte_anywhere_loses_at_most_what_its_chunk_holds) {
    const Bytes bytes = make_recording(3);
    RecordingReader whole;
    ASSERT_NO_ERRORS(whole.open_memory(bytes, {}));
    const std::uint64_t second_layout = whole.layout_offsets[1];
    for (std::size_t i = kRecordingHeaderSize; i < bytes.size(); ++i) {
        Bytes damaged = bytes;
        damaged[i] ^= 0x41;
        const int readable = count_readable_frames(damaged, true);
        if (i < whole.frames[0].offset) { // the first layout
            EXPECT_EQ(readable, 2) << i;
        } else if (i >= second_layout && i < whole.frames[3].offset) {
            EXPECT_EQ(readable, 3) << i;
        } else {
            EXPECT_GE(readable, 4) << i;
        }
    }
}

TEST(RecordingDamage, a_damaged_frame_is_named) {
    Bytes bytes = make_recording(3);
    RecordingReader reader;
    ASSERT_NO_ERRORS(reader.open_memory(bytes, {}));
    bytes[reader.frames[1].offset + kChunkHeaderSize + 20] ^= 1;
    Snapshot s;
    const Errors errors = reader.read(1, s);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].message, "frame 1002: a chunk is damaged (wrong checksum)");
    EXPECT_NO_ERRORS(reader.read(2, s));
}

TEST(RecordingDamage, random_damage_never_crashes_even_without_checksums) {
    std::mt19937 random(20240607);
    for (int level : {0, 3}) {
        const Bytes bytes = make_recording(level);
        for (int round = 0; round < 4000; ++round) {
            Bytes damaged = bytes;
            const int changes = 1 + int(random() % 8);
            for (int c = 0; c < changes; ++c) {
                const std::size_t at = random() % damaged.size();
                switch (random() % 4) {
                case 0:
                    damaged[at] = std::uint8_t(random());
                    break;
                case 1:
                    damaged[at] ^= std::uint8_t(1u << random() % 8);
                    break;
                case 2:
                    std::fill_n(damaged.begin() + std::ptrdiff_t(at),
                                std::min<std::size_t>(8, damaged.size() - at), 0xff);
                    break;
                case 3:
                    damaged.resize(std::max<std::size_t>(at, 1));
                    break;
                }
            }
            count_readable_frames(damaged, round % 2 == 0);
        }
    }
}

TEST(RecordingDamage, compressed_files_need_zstd) {
    if (have_zstd()) GTEST_SKIP() << "built with zstd";
    ChunkHeader header;
    header.codec = Codec::zstd;
    RawBytes raw;
    const Errors errors = unpack_chunk(header, {}, false, raw);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].message.find("built without zstd"), std::string::npos);
}

} // namespace sinew
