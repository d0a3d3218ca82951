#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {

// 43500 rows of nine whole numbers and the class, 1 to 7.
TableBuilder prepare_statlog(std::string_view text, const std::string& file) {
  return read_text_table(text, {.file = file,
                                .label = "10",
                                .format = {.missing = Missing::kRefuse,
                                           .header = Header::kNo,
                                           .separator = Separator::kBlank}});
}

}  // namespace sau::detail
