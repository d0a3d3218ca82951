#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace sau::detail {

// Writes features so that Vowpal Wabbit reads every one of them. Its reader of JSON refuses texts,
// booleans and arrays within an array, takes `false` for nothing, gives a meaning to names that
// begin with `_`, and fails on a namespace whose name does not begin with an ASCII character. So:
//  - a boolean becomes the text "true" or "false";
//  - of several values under one name, each goes into an object of its own. In a list of objects
//    that is the same: {"tags": ["a", "b"]} becomes {"tags": "a"}, {"tags": "b"};
//  - such names are escaped (src/store/dsjson_features.hpp).
// The service itself would read the same features from the result.
class VwFeatures {
 public:
  VwFeatures();
  ~VwFeatures();

  // Appends a list of feature objects, given as JSON without blanks that was read before. Most need
  // no change.
  void append(std::string& out, std::string_view list);
  // Whether a name was escaped since this was last asked.
  bool take_escaped() noexcept;

 private:
  struct Writer;  // keeps simdjson out of this header
  std::unique_ptr<Writer> writer_;
};

}  // namespace sau::detail
