// libFuzzer target: the mesh readers on arbitrary bytes; the first byte chooses the format.
#include "../geometry/read_one.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (!sinew::read_one(data[0] % 3, bytes).empty()) std::abort();
    return 0;
}
