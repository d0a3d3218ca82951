#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sau/core/spec.hpp"

namespace sau {

enum class Separator { kAuto, kComma, kSemicolon, kTab, kBar, kBlank };
constexpr std::array<std::string_view, 6> enum_names(Separator) {
  return {"auto", "comma", "semicolon", "tab", "bar", "blank"};
}

enum class Header { kAuto, kYes, kNo };
constexpr std::array<std::string_view, 3> enum_names(Header) { return {"auto", "yes", "no"}; }

enum class Missing { kCategory, kDrop, kRefuse };
constexpr std::array<std::string_view, 3> enum_names(Missing) {
  return {"category", "drop", "refuse"};
}

enum class Scale { kStandard, kNone };
constexpr std::array<std::string_view, 2> enum_names(Scale) { return {"standard", "none"}; }

// How a file of rows and columns is to be read. Columns are given by name, by number counted from
// 1, or as ranges, and joined by commas: "age,3,5-8,x1..x9".
struct TextFormat {
  std::string categorical{};
  std::string ignore{};
  Missing missing = Missing::kCategory;
  Scale scale = Scale::kStandard;
  Header header = Header::kAuto;
  Separator separator = Separator::kAuto;
  void fields(auto&& field) {
    field("categorical", categorical,
          "columns that are categories though they look like numbers; * for all. Columns of words "
          "are detected");
    field("ignore", ignore, "columns to leave out");
    field("missing", missing,
          "what an empty field, ?, NA, N/A, NaN, null or none means: category: a category of its "
          "own, for a number its mean and a 1 that says so; drop: leave the row out; refuse: an "
          "error");
    field("scale", scale, "standard: subtract the mean, divide by the deviation; none: as read");
    field("header", header, "whether the first line has the columns' names");
    field("separator", separator, "what stands between fields; blank: any number of blanks");
  }
};

}  // namespace sau
