#include "data/text_sources.hpp"

#include <algorithm>

namespace sau::detail {

TextSources::TextSources(std::span<const TextSource> sources, Separator separator)
    : sources_(sources.begin(), sources.end()), name_(sources.front().file) {
  for (TextSource& source : sources_) source.text = check_text(source.text, source.file);
  if (sources_.size() > 1) name_ += " and " + std::to_string(sources_.size() - 1) + " more";
  separator_ = separator_of(separator, sources_.front().text);
}

std::string TextSources::at(const TextPlace& place) const {
  return sources_[place.file].file + ":" + std::to_string(place.line);
}

DelimitedReader TextSources::reader(std::size_t file) const {
  return {sources_[file].text, sources_[file].file, separator_};
}

void TextSources::check_header(std::span<const std::string> names, const DelimitedReader& rows,
                               std::size_t file) const {
  if (std::ranges::equal(names, rows.fields())) return;
  throw Error(at({file, rows.line()}) + ": found another header than in " + sources_.front().file +
              ", expected files with the same columns");
}

void TextSources::refuse_count(const TextPlace& place, std::size_t found, std::size_t expected,
                               const TextPlace& first) const {
  const bool same_file = place.file == first.file;
  throw Error(at(place) + ": found " + std::to_string(found) + " fields, expected " +
              std::to_string(expected) + " as in " +
              (same_file ? "line " + std::to_string(first.line) : at(first)));
}

}  // namespace sau::detail
