#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// 32561 rows, 30162 without the incomplete ones. The label is the occupation; the context has six
// numbers and the 7 + 16 + 7 + 6 + 5 + 2 + 41 + 2 words of the other eight columns.
TableBuilder prepare_adult(std::string_view text, const std::string& file) {
  return read_text_table(text, {.file = file,
                                .label = "7",
                                .format = {.missing = Missing::kDrop,
                                           .header = Header::kNo,
                                           .separator = Separator::kComma}});
}

}  // namespace sau::detail
