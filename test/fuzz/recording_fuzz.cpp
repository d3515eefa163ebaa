// Any bytes as a recording: errors are fine, crashes, hangs and large allocations are not. Checksums are
// skipped (a fuzzer would not get past them) and, when they would decide, tried as well. Seeds:
// recording_corpus/, made by make_recording_corpus.
#include "output/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (bool check : {false, true}) {
        sinew::RecordingReader reader;
        if (!reader.open_memory({data, size}, {check}).empty()) continue;
        sinew::Snapshot snapshot;
        // an index may name one chunk many times: bound the work, not the file
        for (int i = 0; i < reader.frame_count() && i < 64; ++i) reader.read(i, snapshot);
    }
    return 0;
}
