#include "output/arrays.h"
#include "output/bytes.h"

namespace sinew {
namespace {
constexpr std::size_t kMaxRank = 8, kMaxName = 65535;

std::uint64_t columns_of(const ArrayShape& shape) { return shape.size() == 2 && shape[1] > 0 ? shape[1] : 1; }

// plane b of the output holds byte b of every difference; values go component by component
template <class U>
void shuffle(const std::uint8_t* in, std::uint64_t n, std::uint64_t columns, std::uint8_t* out) {
    const std::uint64_t rows = n / columns;
    for (std::uint64_t c = 0, k = 0; c < columns; ++c) {
        U before = 0;
        for (std::uint64_t r = 0; r < rows; ++r, ++k) {
            U value;
            std::memcpy(&value, in + (r * columns + c) * sizeof(U), sizeof(U));
            const U d = U(value - before);
            before = value;
            for (std::size_t b = 0; b < sizeof(U); ++b) out[b * n + k] = std::uint8_t(d >> (8 * b));
        }
    }
}
template <class U>
void unshuffle(const std::uint8_t* in, std::uint64_t n, std::uint64_t columns, std::uint8_t* out) {
    const std::uint64_t rows = n / columns;
    for (std::uint64_t c = 0, k = 0; c < columns; ++c) {
        U value = 0;
        for (std::uint64_t r = 0; r < rows; ++r, ++k) {
            U d = 0;
            for (std::size_t b = 0; b < sizeof(U); ++b) d = U(d | U(in[b * n + k]) << (8 * b));
            value = U(value + d);
            std::memcpy(out + (r * columns + c) * sizeof(U), &value, sizeof(U));
        }
    }
}

// number of bytes of a shape; false if it cannot be right for `available` bytes
bool shape_bytes(const ArrayShape& shape, std::uint64_t item, std::uint64_t available, std::uint64_t& bytes) {
    bytes = item;
    for (std::uint64_t d : shape)
        if (d == 0) return bytes = 0, true;
    for (std::uint64_t d : shape) {
        if (d > available / bytes) return false;
        bytes *= d;
    }
    return bytes <= available;
}
} // namespace

int type_size(ArrayType type) {
    switch (type) {
    case ArrayType::f64:
    case ArrayType::i64:
    case ArrayType::u64:
        return 8;
    case ArrayType::f32:
    case ArrayType::i32:
    case ArrayType::u32:
        return 4;
    case ArrayType::u8:
    case ArrayType::text:
        return 1;
    }
    return 0;
}

void ArrayWriter::add_raw(std::string_view name, ArrayType type, const ArrayShape& shape, const void* data,
                          ArrayFilter filter) {
    name = name.substr(0, kMaxName);
    append(bytes, std::uint16_t(name.size()));
    append_bytes(bytes, name.data(), name.size());
    append(bytes, std::uint8_t(type));
    append(bytes, std::uint8_t(filter));
    append(bytes, std::uint16_t(shape.size()));
    std::uint64_t n = 1;
    for (std::uint64_t d : shape) {
        append(bytes, d);
        n *= d;
    }
    const std::size_t item = std::size_t(type_size(type)), at = bytes.size();
    bytes.resize(at + std::size_t(n) * item);
    const std::uint8_t* in = static_cast<const std::uint8_t*>(data);
    if (filter == ArrayFilter::none && n > 0) std::memcpy(bytes.data() + at, in, std::size_t(n) * item);
    if (filter == ArrayFilter::delta_shuffle && item == 4)
        shuffle<std::uint32_t>(in, n, columns_of(shape), bytes.data() + at);
    if (filter == ArrayFilter::delta_shuffle && item == 8)
        shuffle<std::uint64_t>(in, n, columns_of(shape), bytes.data() + at);
    ++count;
    std::memcpy(bytes.data(), &count, sizeof count);
}

void ArrayWriter::add_texts(std::string_view name, std::span<const std::string> texts) {
    std::string joined;
    for (const std::string& t : texts) joined.append(t).push_back('\0');
    add_text(name, joined);
}

std::uint64_t value_count(const ArrayView& array) {
    return array.data.size() / std::uint64_t(type_size(array.type));
}

void decode(const ArrayView& array, void* out) {
    std::uint8_t* to = static_cast<std::uint8_t*>(out);
    const std::uint64_t n = value_count(array), columns = columns_of(array.shape);
    if (n == 0) return;
    if (array.filter == ArrayFilter::none)
        std::memcpy(to, array.data.data(), array.data.size());
    else if (type_size(array.type) == 4)
        unshuffle<std::uint32_t>(array.data.data(), n, columns, to);
    else
        unshuffle<std::uint64_t>(array.data.data(), n, columns, to);
}

Errors parse_arrays(ByteSpan bytes, ArrayList& list) {
    list.arrays.clear();
    list.by_name.clear();
    ByteReader reader{bytes};
    const std::uint32_t count = reader.number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
        ArrayView a;
        const ByteSpan name = reader.bytes(reader.number<std::uint16_t>());
        a.name = std::string_view(reinterpret_cast<const char*>(name.data()), name.size());
        a.type = ArrayType(reader.number<std::uint8_t>());
        a.filter = ArrayFilter(reader.number<std::uint8_t>());
        const std::size_t rank = reader.number<std::uint16_t>();
        if (reader.failed) return {data_error("", "a list of arrays ends too early")};
        const int item = type_size(a.type);
        if (item == 0) return {data_error(a.name, "an array has an unknown type")};
        const bool filtered = a.filter == ArrayFilter::delta_shuffle && item >= 4;
        if (!filtered && a.filter != ArrayFilter::none)
            return {data_error(a.name, "an array has an unknown filter")};
        if (rank > kMaxRank) return {data_error(a.name, "an array has too many dimensions")};
        a.shape.resize(rank);
        for (std::uint64_t& d : a.shape) d = reader.number<std::uint64_t>();
        std::uint64_t size = 0;
        if (reader.failed || !shape_bytes(a.shape, std::uint64_t(item), reader.rest.size(), size))
            return {data_error(a.name, "an array is longer than its list")};
        a.data = reader.bytes(size);
        list.by_name.emplace(a.name, list.arrays.size());
        list.arrays.push_back(std::move(a));
    }
    if (reader.failed || !reader.rest.empty()) return {data_error("", "a list of arrays has the wrong length")};
    return {};
}

const ArrayView* find_array(const ArrayList& list, std::string_view name) {
    const auto found = list.by_name.find(name);
    return found == list.by_name.end() ? nullptr : &list.arrays[found->second];
}

template <class T>
void read_array(const ArrayList& list, std::string_view name, std::uint64_t columns, std::vector<T>& out,
                Errors& errors) {
    out.clear();
    const ArrayView* a = find_array(list, name);
    if (!a) return;
    const bool shape_fits =
        columns == 0 ? a->shape.size() == 1 : a->shape.size() == 2 && a->shape[1] == columns;
    const bool widen = std::is_same_v<T, double> && a->type == ArrayType::f32;
    if (!shape_fits || (a->type != array_type<T>() && !widen)) {
        errors.push_back(data_error(name, "an array has the wrong type or shape"));
        return;
    }
    out.resize(std::size_t(value_count(*a)));
    if (!widen) return decode(*a, out.data());
    std::vector<float> narrow(out.size());
    decode(*a, narrow.data());
    std::copy(narrow.begin(), narrow.end(), out.begin());
}
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<double>&, Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<float>&, Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<std::int64_t>&,
                         Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<std::int32_t>&,
                         Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<std::uint64_t>&,
                         Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<std::uint32_t>&,
                         Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<std::uint8_t>&,
                         Errors&);
template void read_array(const ArrayList&, std::string_view, std::uint64_t, std::vector<char>&, Errors&);

void read_text(const ArrayList& list, std::string_view name, std::string& out, Errors& errors) {
    std::vector<char> text;
    read_array(list, name, 0, text, errors);
    out.assign(text.begin(), text.end());
}

void read_texts(const ArrayList& list, std::string_view name, std::vector<std::string>& out, Errors& errors) {
    out.clear();
    std::string joined;
    read_text(list, name, joined, errors);
    if (!joined.empty() && joined.back() != '\0') errors.push_back(data_error(name, "a list of texts has no end"));
    for (std::size_t begin = 0; begin < joined.size();) {
        std::size_t end = joined.find('\0', begin);
        if (end == std::string::npos) end = joined.size();
        out.push_back(joined.substr(begin, end - begin));
        begin = end + 1;
    }
}

} // namespace sinew
