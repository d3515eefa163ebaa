// Threads inside libraries, kept to one so that results do not depend on their number.
#pragma once

namespace sinew {

// BLAS splits its sums differently for each number of threads. OpenBLAS offers no setting per call, so the
// whole process is set to one thread, again before each factorisation in case the host program has changed
// it. Setting it back afterwards would race with another solver's factorisation. Other BLAS libraries are
// left alone: give them one thread by their environment variables if they are not serial.
void pin_blas_threads();

// While one lives, OpenMP regions entered by this thread run on one thread. CHOLMOD's regions only move
// numbers, so this changes no bits; they are too short to gain from threads, and waking four of them for each
// supernode costs more than the factorisation (100 x 100 cloth: 217 ms with them, 130 ms without, on a
// machine of 2 cores).
struct SerialOpenmp {
    SerialOpenmp();
    ~SerialOpenmp();
    SerialOpenmp(const SerialOpenmp&) = delete;
    SerialOpenmp& operator=(const SerialOpenmp&) = delete;
    int levels_before = -1;
};

} // namespace sinew
