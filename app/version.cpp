// sinew --version: the program, its libraries and their licences.
#include "command.h"
#include <fmt/format.h>

namespace sinew {

int command_version() {
    fmt::print("sinew {}\n\nlinked libraries:\n", version());
    const auto row = [](const char* name, const char* licence, bool linked) {
        fmt::print("  {:14} {:44} {}\n", name, licence, linked ? "linked" : "not in this build");
    };
    row("Eigen", "MPL-2.0", true);
    row("fmt", "MIT", true);
    row("CLI11", "BSD-3-Clause", true);
    row("zlib", "Zlib", true);
#ifdef SINEW_HAVE_TBB
    row("oneTBB", "Apache-2.0", true);
#else
    row("oneTBB", "Apache-2.0", false);
#endif
#ifdef SINEW_HAVE_CHOLMOD
    row("CHOLMOD", "LGPL-2.1+, supernodal module GPL-2.0+", true);
    row("OpenBLAS", "BSD-3-Clause", true); // these two come with CHOLMOD
    row("METIS", "Apache-2.0", true);
#else
    row("CHOLMOD", "LGPL-2.1+, supernodal module GPL-2.0+", false);
#endif
#ifdef SINEW_HAVE_EMBREE
    row("Embree", "Apache-2.0", true);
#else
    row("Embree", "Apache-2.0", false);
#endif
#ifdef SINEW_HAVE_BEAST
    row("Boost.Beast", "BSL-1.0", true);
#else
    row("Boost.Beast", "BSL-1.0", false);
#endif
#ifdef SINEW_HAVE_ZSTD
    row("zstd", "BSD-3-Clause or GPL-2.0", true);
#else
    row("zstd", "BSD-3-Clause or GPL-2.0", false);
#endif
#ifdef SINEW_HAVE_CHOLMOD
    fmt::print("\nThis binary links CHOLMOD's GPL module: passing it on follows the GPL. -DSINEW_CHOLMOD=OFF avoids it.\n");
#endif
    return kOk;
}

} // namespace sinew
