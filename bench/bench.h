// The contract of a benchmark: one row in main.cpp, one function that fills Results.
#pragma once
#include "machine.h"
#include <string>
#include <vector>

namespace sinew::bench {

struct Options {
    int size = 0;   // of the problem, 0 = the benchmark's own
    int pairs = 15; // of every measured ratio, at least 9; 0 = no times, only what needs none (Entry.answers)
};

enum class Verdict { none, pass, fail, not_counted }; // not_counted: the machine was busy

// One measured quantity. A limit makes it a claim.
struct Row {
    std::string test; // what was measured: "springs 1000x1000"
    int threads = 1;
    std::string quantity;
    std::string unit;
    Spread value;
    std::string limit; // ">= 0.4", empty = no claim
    Verdict verdict = Verdict::none;
};
struct Results {
    std::vector<Row> rows;
    bool busy = false; // the machine was doing something else: the run is void
    std::string path;  // Report.path of the last step
    std::string hash;  // of the final state, hexadecimal: accuracy beside speed
};

void add(Results&, std::string test, int threads, std::string quantity, std::string unit, const Spread&);
void add_at_least(Results&, std::string test, int threads, std::string quantity, const Spread&, double limit,
                  bool counts);
void add_at_most(Results&, std::string test, int threads, std::string quantity, const Spread&, double limit,
                 bool counts);

void add_ceilings(Results&, const char* when, const Ceilings&);

struct Entry {
    const char *name, *doc;
    void (*run)(const Options&, Results&);
    bool answers = false; // also has claims that need no time
};

void run_ccd(const Options&, Results&);
void run_collision(const Options&, Results&);
void run_hinge(const Options&, Results&);
void run_implicit(const Options&, Results&);
void run_narrow(const Options&, Results&);
void run_picture(const Options&, Results&);
void run_position(const Options&, Results&);
void run_rigid(const Options&, Results&);
void run_spawn(const Options&, Results&);
void run_springs(const Options&, Results&);

} // namespace sinew::bench
