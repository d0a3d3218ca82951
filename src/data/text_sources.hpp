#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/delimited.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {

// A file of rows, read into memory.
struct TextSource {
  std::string file;  // for messages
  std::string_view text;
};

// A place in one of several files.
struct TextPlace {
  std::size_t file = 0, line = 0;

  bool operator==(const TextPlace&) const = default;
};

// The rows of one or more files with the same columns, one file after the other. The first file
// decides what separates fields and whether there is a header, which every file then must have.
class TextSources {
 public:
  // Throws Error for what cannot be rows of text.
  TextSources(std::span<const TextSource> sources, Separator separator);

  // For messages about all files: the name of the first, and how many more.
  const std::string& name() const noexcept { return name_; }
  // "train.csv:7"
  std::string at(const TextPlace& place) const;

  DelimitedReader reader(std::size_t file = 0) const;

  // Visits all rows with their place. `names` is the header, or empty; `count` is how many fields a
  // row has, as in `first`.
  template <class F>
  void for_rows(std::span<const std::string> names, std::size_t count, const TextPlace& first,
                F&& visit) const {
    for (std::size_t file = 0; file < sources_.size(); ++file) {
      DelimitedReader rows = reader(file);
      if (!names.empty() && rows.next()) check_header(names, rows, file);
      while (rows.next()) {
        const TextPlace place{file, rows.line()};
        if (rows.fields().size() != count) refuse_count(place, rows.fields().size(), count, first);
        visit(rows.fields(), place);
      }
    }
  }

 private:
  void check_header(std::span<const std::string> names, const DelimitedReader& rows,
                    std::size_t file) const;
  [[noreturn]] void refuse_count(const TextPlace& place, std::size_t found, std::size_t expected,
                                 const TextPlace& first) const;

  std::vector<TextSource> sources_;
  std::string name_;
  char separator_;
};

}  // namespace sau::detail
