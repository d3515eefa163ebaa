// The readers on damaged files: truncated at every byte, and changed at random places. Nothing may crash,
// hang, or be accepted in a broken state. (test/fuzz/mesh_fuzz.cpp searches further.)
#include "mesh_bytes.h"
#include "read_one.h"
#include <gtest/gtest.h>
#include <random>

using namespace sinew;

struct Seed {
    int format;
    std::string bytes;
};
static std::vector<Seed> seeds() {
    return {{0, tet_obj()},           {1, tet_ply(false, false)}, {1, tet_ply(true, false)},
            {1, tet_ply(true, true)}, {2, tet_stl(false)},        {2, tet_stl(true)}};
}

TEST(read_mutated, a_file_cut_anywhere_is_refused_or_still_valid) {
    for (const Seed& s : seeds())
        for (std::size_t n = 0; n <= s.bytes.size(); ++n)
            EXPECT_EQ(read_one(s.format, std::string_view(s.bytes).substr(0, n)), "")
                << s.format << " cut at " << n;
}

TEST(read_mutated, a_file_cut_inside_its_data_is_refused_when_counts_are_declared) {
    for (const Seed& s : seeds()) {
        if (s.format == 0) continue;
        const std::string_view half = std::string_view(s.bytes).substr(0, s.bytes.size() - 22);
        EXPECT_FALSE(s.format == 1 ? parse_ply(half, "input") : parse_stl(half, "input"));
    }
}

TEST(read_mutated, random_damage_never_breaks_a_promise) {
    std::mt19937 random(11);
    const std::string_view interesting[] = {
        "-1", "999999999999999999999", "nan",        "inf",       "1e999", "\\\n",  "/", "list",
        "f ", "\nf 1 2 3 4 5\n",       "4294967295", "g a b c\n", "\r",    "1e-400"};
    for (const Seed& s : seeds())
        for (int round = 0; round < 3000; ++round) {
            std::string bytes = s.bytes;
            for (int edits = 1 + int(random() % 4); edits > 0; --edits) {
                const std::size_t at = random() % bytes.size();
                switch (random() % 4) {
                case 0:
                    bytes[at] = char(random());
                    break;
                case 1:
                    bytes.erase(at, 1 + random() % 8);
                    break;
                case 2:
                    bytes.insert(at, interesting[random() % std::size(interesting)]);
                    break;
                default:
                    bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64));
                    break;
                }
                if (bytes.empty()) bytes = "x";
            }
            ASSERT_EQ(read_one(s.format, bytes), "") << "format " << s.format << " round " << round << "\n"
                                                     << bytes;
        }
}

TEST(read_mutated, random_bytes_are_refused) {
    std::mt19937 random(12);
    for (int round = 0; round < 1000; ++round) {
        std::string bytes(random() % 400, '\0');
        for (char& c : bytes) c = char(random());
        for (int format = 0; format < 3; ++format) ASSERT_EQ(read_one(format, bytes), "");
    }
}
