#include "model/element.h"
#include "core/assert.h"

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

} // namespace sinew
