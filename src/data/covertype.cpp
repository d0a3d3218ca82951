#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// 581012 rows of ten whole numbers, 44 zeros and ones, and the class, 1 to 7. All 54 are scaled.
TableBuilder prepare_covertype(std::string_view text, const std::string& file) {
  return read_text_table(text, {.file = file,
                                .label = "55",
                                .format = {.missing = Missing::kRefuse,
                                           .header = Header::kNo,
                                           .separator = Separator::kComma}});
}

}  // namespace sau::detail
