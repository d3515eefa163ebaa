#include "model/element.h"
#include "core/assert.h"
#include "model/visit.h"

namespace sinew {

Table& table_of(std::vector<Table>& tables, const ElementRow& row) {
    for (Table& t : tables)
        if (t.row == &row) return t;
    tables.push_back({&row, {}, {}, {}});
    return tables.back();
}

void add_element(Table& t, const void* params, std::span<const int> stencil, const RestView& rest, int object) {
    SINEW_ASSERT(int(stencil.size()) == t.row->stencil);
    t.stencil.insert(t.stencil.end(), stencil.begin(), stencil.end());
    t.object.push_back(object);
    t.data.resize(t.data.size() + t.row->data_size);
    t.row->prepare(params, rest, t.data.data() + t.data.size() - t.row->data_size);
}

static constexpr std::string_view kElementMemory = "element.";

// compared in parts, so that loops look it up without building a name
static bool is_memory_of(const NamedValues& a, std::string_view row) {
    return a.name.starts_with(kElementMemory) && std::string_view(a.name).substr(kElementMemory.size()) == row;
}

const std::vector<double>* find_element_memory(const std::vector<NamedValues>& memory, std::string_view row) {
    for (const NamedValues& a : memory)
        if (is_memory_of(a, row)) return &a.values;
    return nullptr;
}

std::vector<double>& element_memory(State& s, const ElementRow& row) {
    for (NamedValues& a : s.memory)
        if (is_memory_of(a, row.name)) return a.values;
    return memory_array(s, std::string(kElementMemory) + std::string(row.name), 0);
}

void register_elements(const Tables& tables, State& s) {
    for (const auto* kind : {&tables.energies, &tables.constraints})
        for (const Table& t : *kind)
            if (t.row->memory_size) element_memory(s, *t.row).resize(std::size_t(t.count()) * t.row->memory_size, 0.0);
}

} // namespace sinew
