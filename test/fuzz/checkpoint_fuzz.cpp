// Any bytes as a checkpoint, with and without its checksums. Seeds: checkpoint_corpus/.
#include "output/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (bool check : {false, true}) {
        sinew::Checkpoint checkpoint;
        sinew::parse_checkpoint({data, size}, check, checkpoint);
    }
    return 0;
}
