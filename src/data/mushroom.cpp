#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// 8124 rows; the class, e or p, then 22 attributes of letters. A missing stalk root, ?, is a letter
// like any other, so that there are 117 of them.
TableBuilder prepare_mushroom(std::string_view text, const std::string& file) {
  return read_text_table(
      text,
      {.file = file,
       .label = "1",
       .format = {.categorical = "*", .header = Header::kNo, .separator = Separator::kComma}});
}

}  // namespace sau::detail
