#pragma once

#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/data/text_format.hpp"
#include "sau/problem/data_problem.hpp"

namespace sau {

struct LibsvmOptions {
  std::string file;
  Scale scale = Scale::kNone;
  bool intercept = true;
  void fields(auto&& field) {
    field("file", file,
          "path of the file; may be compressed (gzip, xz, zip); a.svm|b.svm joins files");
    field("scale", scale,
          "standard: subtract the mean of every place and divide by its deviation; none: as read, "
          "zeros stay");
    field("intercept", intercept, "append a place that is always 1 to the context");
  }
};

// Like csv, from lines of  label place:value place:value ...  (the format of LIBSVM). Places are
// counted from 1, or from 0 if there is a place 0; places that are not listed are 0.
class Libsvm final : public DataProblem {
 public:
  static constexpr std::string_view kName = "libsvm";
  static constexpr std::string_view kSummary = "your own classification data, sparse rows";
  using Options = LibsvmOptions;

  explicit Libsvm(const Stream& stream, const Options& options = {});

  // Every setting shows in the data.
  static Options stream_options(const Options&) { return {}; }
};

}  // namespace sau
