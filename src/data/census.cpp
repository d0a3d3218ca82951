#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// A header, then 2458285 rows of a meaningless number and 68 codes. dOccup, 0 to 8, is the label;
// the other columns have 387 codes in all.
TableBuilder prepare_census(std::string_view text, const std::string& file) {
  return read_text_table(text, {.file = file,
                                .label = "dOccup",
                                .format = {.categorical = "*",
                                           .ignore = "caseid",
                                           .missing = Missing::kRefuse,
                                           .header = Header::kYes,
                                           .separator = Separator::kComma}});
}

}  // namespace sau::detail
