// What is wrong with an expression of a study file, in the manner of all messages about files.
#pragma once
#include "core/expression.h"
#include "sinew/value.h"

namespace sinew {

// `known`: names it could have used
void add_expression_errors(const Value& text, std::string_view path, const ExpressionResult&, const std::vector<std::string>& known,
                           std::vector<Error>&);

} // namespace sinew
