// A scene from text, compiled; errors fail the test.
#pragma once
#include "scene/compile.h"
#include "sinew/sinew.h"
#include <gtest/gtest.h>

namespace sinew {

Compiled compile(const std::string& text);

} // namespace sinew
