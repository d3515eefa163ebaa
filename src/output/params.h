// What a scene may say of an output, whatever its kind.
#pragma once
#include "core/fields.h"

namespace sinew {

struct OutputParams {
    std::vector<std::string> objects{"*"}, fields{"*"};
    std::string file, precision = "auto";
    int every = 1;
    template <class V> static void visit(OutputParams& p, V&& v) {
        v("objects", p.objects, Field{.doc = "names or patterns; default: all"});
        v("fields", p.fields, Field{.doc = "fields of vertices; default: all"});
        v("file", p.file, Field{.doc = "name without folder; default: the scene's name"});
        v("precision", p.precision, Field{.allowed = {"auto", "float32", "float64"}, .doc = "of positions"});
        v("every", p.every, Field{.min = 1, .doc = "every n-th frame"});
    }
};

} // namespace sinew
