// Where the sources and the build lie. Functions, not macros: a test compiled in one folder is then the same in
// another, and ccache finds it.
#pragma once
#include <string>

namespace sinew {

std::string source_dir();
std::string binary_dir();

} // namespace sinew
