// Motion in vibration modes (spec P57, V34): the model linearised about its rest shape, stepped exactly in modal coordinates.
#pragma once
#include "core/fields.h"
#include "solver/solver.h"

namespace sinew {

struct ModalSettings {
    int modes = 20;

    template <class V> static void fields(ModalSettings& s, V&& v) {
        v("modes", s.modes, Field{.min = 1, .max = 100000, .doc = "lowest vibration modes that move; those above are left out"});
    }
};

Needs modal_needs();
std::unique_ptr<Solver> make_modal(const Context&, const Model&, State&, const void* settings);

} // namespace sinew
