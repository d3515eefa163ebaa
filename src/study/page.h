// A page of many studies: a table of all claims with their verdicts, then each study with its plot and numbers, made from what
// write_study left in a folder.
#pragma once
#include "study/study.h"

namespace sinew {

struct PageOptions {
    std::string title, text;  // head of the page
    std::string files;        // folder of the results as the page links to it
    std::string studies;      // folder of the study files as the page names it; empty = not named
};
// Title and text from README.md of the folder of studies, if there is one; links as seen from the page.
PageOptions make_page_options(const std::string& studies, const std::string& folder, const std::string& page);
// `names` in the order of the page; what has no result yet is an error. `out`: Markdown.
std::vector<Error> write_page(const PageOptions&, const std::string& folder, const std::vector<std::string>& names, std::string& out);

} // namespace sinew
