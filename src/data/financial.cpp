#include <algorithm>

#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// A header with commas, then 3713 rows of 21 numbers between blanks, used as they are.
TableBuilder prepare_financial(std::string_view text, const std::string& file) {
  // An empty line in place of the header keeps the line numbers of messages right.
  text.remove_prefix(std::min(text.find('\n'), text.size()));
  return read_text_table(text, {.file = file,
                                .goal = TextPlan::Goal::kNumbers,
                                .format = {.missing = Missing::kRefuse,
                                           .scale = Scale::kNone,
                                           .header = Header::kNo,
                                           .separator = Separator::kBlank}});
}

}  // namespace sau::detail
