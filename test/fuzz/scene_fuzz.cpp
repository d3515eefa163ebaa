// libFuzzer target: the scene loader on arbitrary text. Lines that begin with "--set " in front of the scene
// are assignments. What loads must be written back without loss.
#include "sinew/scene.h"
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    std::vector<std::string> sets;
    while (text.starts_with("--set ")) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        sets.emplace_back(text.substr(6, end - 6));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto scene = sinew::parse_scene(text, "fuzz.json", sets);
    for (const sinew::Error& e : scene.errors) sinew::to_string(e);
    if (!scene) return scene.errors.empty() ? std::abort(), 0 : 0;
    if (!scene.errors.empty()) std::abort();
    const std::string written = sinew::write_scene(*scene.value);
    const auto again = sinew::parse_scene(written, "fuzz.json");
    if (!again || sinew::write_scene(*again.value) != written) std::abort();
    return 0;
}
