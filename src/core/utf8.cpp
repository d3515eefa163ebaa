#include "core/utf8.h"

namespace sinew {

int utf8_length(std::string_view text, std::size_t i) {
    const auto byte = [&](std::size_t k) {
        return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
    };
    const unsigned a = byte(i);
    if (a < 0x80) return i < text.size() ? 1 : 0;
    // the second byte is bounded more tightly after these leads: overlong forms, surrogates, beyond U+10FFFF
    const unsigned low = a == 0xe0 ? 0xa0 : a == 0xf0 ? 0x90 : 0x80;
    const unsigned high = a == 0xed ? 0x9f : a == 0xf4 ? 0x8f : 0xbf;
    const int length = a >= 0xc2 && a <= 0xdf   ? 2
                       : a >= 0xe0 && a <= 0xef ? 3
                       : a >= 0xf0 && a <= 0xf4 ? 4
                                                : 0;
    if (length == 0 || byte(i + 1) < low || byte(i + 1) > high) return 0;
    for (int k = 2; k < length; ++k)
        if ((byte(i + k) & 0xc0) != 0x80) return 0;
    return length;
}

bool utf8_valid(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const int length = utf8_length(text, i);
        if (length == 0) return false;
        i += std::size_t(length);
    }
    return true;
}

void append_utf8(unsigned c, std::string& out) {
    if (c < 0x80) {
        out += char(c);
    } else if (c < 0x800) {
        out += char(0xc0 | c >> 6);
        out += char(0x80 | (c & 63));
    } else if (c < 0x10000) {
        out += char(0xe0 | c >> 12);
        out += char(0x80 | (c >> 6 & 63));
        out += char(0x80 | (c & 63));
    } else {
        out += char(0xf0 | c >> 18);
        out += char(0x80 | (c >> 12 & 63));
        out += char(0x80 | (c >> 6 & 63));
        out += char(0x80 | (c & 63));
    }
}

std::string shorten_utf8(std::string_view text, int limit) {
    std::size_t i = 0, cut = 0; // cut: where limit - 3 characters end
    for (int count = 0; i < text.size(); ++count) {
        if (count == limit - 3) cut = i;
        if (count == limit) return std::string(text.substr(0, cut)) + "...";
        const int n = utf8_length(text, i);
        i += std::size_t(n ? n : 1);
    }
    return std::string(text);
}

} // namespace sinew
