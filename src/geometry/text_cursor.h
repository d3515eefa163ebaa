// Words and numbers of a text file with their line numbers, for the mesh readers. Lines end with \n, \r\n or
// \r.
#pragma once
#include "sinew/types.h"
#include <cmath>
#include <cstdint>

namespace sinew {

struct TextCursor {
    std::string_view text;
    std::size_t at = 0;
    std::int64_t line = 1;
    bool obj = false; // '#' begins a comment, a backslash at the end of a line continues it
};

// Next word before the end of the line (a view into the text); false if there is none, the line end is not
// passed.
bool next_word_on_line(TextCursor&, std::string_view& word);
// Next word on this or a later line; false at the end of the text.
bool next_word(TextCursor&, std::string_view& word);
// Passes the rest of the line and its end; false if the text had ended already.
bool next_line(TextCursor&);
// Rest of the line without blanks at both ends.
std::string_view rest_of_line(TextCursor&);

enum class NumberStatus { ok, not_a_number, not_finite };
NumberStatus parse_real(std::string_view word, double& value); // whole word; independent of the locale
bool parse_integer(std::string_view word, std::int64_t& value);

// The word as it may be printed in an error: at most 40 characters, control and invalid ones as '?'.
std::string printable(std::string_view word);

Error make_mesh_error(std::string_view file, std::int64_t line, std::string path, std::string value,
                      std::string message, std::string allowed = {});

} // namespace sinew
