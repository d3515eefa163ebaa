#include "study/expression_errors.h"
#include "core/error.h"
#include "core/nearest.h"
#include <algorithm>

namespace sinew {

void add_expression_errors(const Value& text, std::string_view path, const ExpressionResult& r, const std::vector<std::string>& known,
                           std::vector<Error>& errors) {
    for (const ExpressionError& e : r.errors) {
        if (!e.message.starts_with("unknown name")) {
            errors.push_back(make_error(text, path, e.message, e.allowed, e.nearest));
            continue;
        }
        const std::size_t open = e.message.find('"'), close = e.message.rfind('"');
        const std::string word = close > open ? e.message.substr(open + 1, close - open - 1) : std::string();
        errors.push_back(make_error(text, path, e.message, list_words(known, 60), find_nearest(word, known)));
    }
}

} // namespace sinew
