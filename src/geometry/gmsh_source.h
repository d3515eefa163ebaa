// Numbers of a Gmsh file, the same calls for text and for binary sections; each failure is remembered with its place.
#pragma once
#include "geometry/text_cursor.h"

namespace sinew {

struct GmshSource {
    std::string_view file;
    TextCursor cursor; // also the place in binary sections
    bool binary = false;
    std::optional<Error> error;
};
bool fail(GmshSource&, std::string value, std::string message, std::string allowed = {}); // returns false
std::int64_t place_of(const GmshSource&);                                                // line or byte
bool fail_at(GmshSource&, std::int64_t place, std::string value, std::string message);

// "$Nodes" -> "Nodes"; false at the end of the file or on an error
bool next_section(GmshSource&, std::string_view& name);
bool end_section(GmshSource&, std::string_view name);  // expects "$EndNodes"
bool skip_section(GmshSource&, std::string_view name); // up to "$EndNodes"
bool begin_data(GmshSource&);                          // passes the line end before binary data
bool enough_left(GmshSource&, std::size_t items);      // the rest of the file may hold so many numbers

// in text even in binary files
bool read_word_integer(GmshSource&, std::int64_t&);
bool read_word_count(GmshSource&, std::int64_t&); // not negative, not more than the file can hold
bool read_word_real(GmshSource&, double&);
bool read_quoted(GmshSource&, std::string&);
// in text, or binary: 4 bytes, 8 bytes, 8 bytes
bool read_int(GmshSource&, int&);
bool read_size(GmshSource&, std::size_t&);
bool read_real(GmshSource&, double&); // finite

} // namespace sinew
