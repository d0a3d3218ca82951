#pragma once

#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/data/text_format.hpp"
#include "sau/problem/data_problem.hpp"

namespace sau {

struct RewardsOptions {
  std::string file;
  std::string context;
  std::string actions;
  TextFormat format;
  bool intercept = true;
  void fields(auto&& field) {
    field("file", file,
          "path of the file; may be compressed (gzip, xz, zip); a.csv|b.csv joins files");
    field("context", context,
          "columns of the context, by name, by number from 1 or as ranges such as 1-32 or a..f, "
          "joined by commas; without it all that are not actions");
    field("actions", actions, "columns with the reward of every action, in their order");
    format.fields(field);
    field("intercept", intercept, "append a place that is always 1 to the context");
  }
};

// Rows that know the reward of every action. Regret is against the best reward of the row. Horizon:
// once through the file. A step draws nothing.
class Rewards final : public DataProblem {
 public:
  static constexpr std::string_view kName = "rewards";
  static constexpr std::string_view kSummary = "your own data with a reward for every action";
  using Options = RewardsOptions;

  explicit Rewards(const Stream& stream, const Options& options = {});

  // Every setting shows in the data.
  static Options stream_options(const Options&) { return {}; }
};

}  // namespace sau
