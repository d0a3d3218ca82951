#include "core/text_grid.hpp"

#include <gtest/gtest.h>

namespace sau::detail {
namespace {

TEST(TextGrid, AColumnIsAsWideAsItsCharactersAndNotItsBytes) {
  EXPECT_EQ(align({{"action", "n"}, {"\u00fcberm\u00e4\u00dfig", "12"}, {"b", "3"}}, 1, 2),
            "  action      n\n"
            "  \u00fcberm\u00e4\u00dfig  12\n"
            "  b           3\n");
}

TEST(TextGrid, AnEmptyColumnAndBlanksAtTheEndAreLeftOut) {
  EXPECT_EQ(align({{"a", "", "b", "note"}, {"c", "", "d", ""}}, 4, 2), "  a  b  note\n  c  d\n");
}

}  // namespace
}  // namespace sau::detail
