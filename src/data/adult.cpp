#include "data/loaders.hpp"
#include "data/text_table.hpp"

namespace sau::detail {
namespace {

TableBuilder read_adult(std::string_view text, const std::string& file, const char* label) {
  return read_text_table(text, {.file = file,
                                .label = label,
                                .format = {.missing = Missing::kDrop,
                                           .header = Header::kNo,
                                           .separator = Separator::kComma}});
}

}  // namespace

// 32561 rows, 30162 without the incomplete ones. The label is the occupation; the context has six
// numbers and the 7 + 16 + 7 + 6 + 5 + 2 + 41 + 2 words of the other eight columns.
TableBuilder prepare_adult(std::string_view text, const std::string& file) {
  return read_adult(text, file, "7");
}

// The same rows with the income as the label: two classes, and the occupation's 14 words in the
// context instead of the income's two.
TableBuilder prepare_adult_income(std::string_view text, const std::string& file) {
  return read_adult(text, file, "15");
}

}  // namespace sau::detail
