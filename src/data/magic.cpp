#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// 19020 rows of ten numbers and the class, g (gamma) or h (hadron).
TableBuilder prepare_magic(std::string_view text, const std::string& file) {
  return read_text_table(text, {.file = file,
                                .label = "11",
                                .format = {.missing = Missing::kRefuse,
                                           .header = Header::kNo,
                                           .separator = Separator::kComma}});
}

}  // namespace sau::detail
