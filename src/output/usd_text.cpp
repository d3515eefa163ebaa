// Names, texts and values as USDA writes them.
#include "core/utf8.h"
#include "output/text.h"
#include "output/usd.h"
#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

bool is_usd_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_usd_digit(char c) { return c >= '0' && c <= '9'; }

double usd_clamped(double value) {
    constexpr double largest = std::numeric_limits<float>::max();
    return std::isnan(value) ? 0.0 : std::clamp(value, -largest, largest);
}
int usd_hex(char c) { return is_usd_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }
} // namespace

std::string usd_identifier(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); i += std::size_t(std::max(1, utf8_length(name, i))))
        out += is_usd_letter(name[i]) || is_usd_digit(name[i]) ? name[i] : '_';
    if (out.empty() || is_usd_digit(out[0])) out.insert(0, "_");
    return out;
}

std::string usd_quoted(std::string_view text) {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = std::size_t(utf8_length(text, i));
        const unsigned char c = static_cast<unsigned char>(text[i]);
        if (length == 0 || c < 32) { // USD files are UTF-8
            constexpr const char* digits = "0123456789abcdef";
            out += {'\\', 'x', digits[c >> 4], digits[c & 15]};
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += text.substr(i, length);
        }
        i += std::max<std::size_t>(1, length);
    }
    return out + "\"";
}

bool usd_unquoted(std::string_view quoted, std::string& text) {
    text.clear();
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return false;
    quoted = quoted.substr(1, quoted.size() - 2);
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        if (quoted[i] != '\\') {
            text += quoted[i];
        } else if (i + 3 < quoted.size() && quoted[i + 1] == 'x') {
            const int high = usd_hex(quoted[i + 2]), low = usd_hex(quoted[i + 3]);
            if (high < 0 || low < 0) return false;
            text += char(16 * high + low);
            i += 3;
        } else if (++i < quoted.size()) {
            text += quoted[i];
        }
    }
    return true;
}

std::string usd_number(double value) {
    std::string out;
    append_number(out, usd_clamped(value), true);
    return out;
}
std::string usd_double(double value) {
    std::string out;
    append_number(out, std::isfinite(value) ? value : 0.0, false);
    return out;
}

std::string usd_tuple(std::span<const double> values, bool single) {
    std::string out = "(";
    for (double v : values) out += (out.size() > 1 ? "," : "") + (single ? usd_number(v) : usd_double(v));
    return out + ")";
}

std::string usd_array(const double* values, int components, std::span<const int> rows) {
    const bool grouped = components >= 2 && components <= 4;
    std::string out = "[";
    for (int row : rows) {
        if (out.size() > 1) out += ',';
        if (grouped) out += '(';
        const double* v = values + std::size_t(row) * std::size_t(components);
        for (int c = 0; c < components; ++c) {
            if (c > 0) out += ',';
            append_number(out, usd_clamped(v[c]), true);
        }
        if (grouped) out += ')';
    }
    return out + "]";
}

std::string usd_integers(std::span<const int> values) {
    std::string out = "[";
    for (int v : values) {
        if (out.size() > 1) out += ',';
        append_integer(out, v);
    }
    return out + "]";
}

std::string usd_extent(const std::vector<Real3>& x, std::span<const int> vertices, double margin) {
    Real3 low, high;
    for (std::size_t i = 0; i < vertices.size(); ++i)
        for (int c = 0; c < 3; ++c) {
            const double v = double(float(x[std::size_t(vertices[i])][c]));
            low[c] = i == 0 ? v : std::min(low[c], v);
            high[c] = i == 0 ? v : std::max(high[c], v);
        }
    for (int c = 0; c < 3 && !vertices.empty(); ++c) {
        low[c] -= margin;
        high[c] += margin;
    }
    const Real3 corners[2] = {low, high};
    constexpr int both[2] = {0, 1};
    return usd_array(&corners[0].x, 3, both);
}

} // namespace sinew
