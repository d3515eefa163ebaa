#include "core/hash.h"
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace sinew;

TEST(hash, every_flipped_bit_and_every_length_gives_another_value) {
    for (int size = 0; size <= 40; ++size) {
        std::vector<unsigned char> bytes(size, 0);
        std::set<std::uint64_t> seen{hash_bytes(bytes.data(), bytes.size())};
        for (int bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= 1 << bit % 8;
            EXPECT_TRUE(seen.insert(hash_bytes(bytes.data(), bytes.size())).second) << size << " " << bit;
            bytes[bit / 8] ^= 1 << bit % 8;
        }
        bytes.push_back(0); // a zero more is not the same as padding
        EXPECT_TRUE(seen.insert(hash_bytes(bytes.data(), bytes.size())).second) << size;
    }
}

TEST(hash, values_are_the_same_on_every_machine) {
    // from an independent version in Python; a change breaks golden hashes of states and files
    EXPECT_EQ(hash_text(""), 0xc4355e77cea8a35bull);
    EXPECT_EQ(hash_text("sinew"), 0x3b6a9d76330c8b53ull);
}

TEST(hash, order_of_items_matters_and_minus_zero_is_seen) {
    const std::vector<double> a{1, 2}, b{2, 1}, z{0.0}, m{-0.0};
    auto of = [](const std::vector<double>& v) {
        Hash h;
        add(h, std::span<const double>(v));
        return h.value;
    };
    EXPECT_NE(of(a), of(b));
    EXPECT_NE(of(z), of(m));
}
