// How often operator new was called in this executable. Executables that use it compile
// allocation_counter.cpp. What libraries written in C and oneTBB take inside goes through malloc and is not
// counted.
#pragma once

namespace sinew {
long allocation_count();
}
