#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/problem/data_problem.hpp"

namespace sau {

enum class Outcomes { kFrozen, kFresh };
constexpr std::array<std::string_view, 2> enum_names(Outcomes) { return {"frozen", "fresh"}; }

struct DatasetOptions {
  std::string name;
  Outcomes outcomes = Outcomes::kFrozen;
  void fields(auto&& field) {
    field("name", name,
          "adult, census, census_synthetic, covertype, financial, jester, mushroom or statlog");
    field("outcomes", outcomes,
          "mushroom only; frozen: what a poisonous row does is drawn once a trial; fresh: at every "
          "step");
  }
};

// The data sets of Riquelme et al. 2018 (Zhu & Rigotti 2021, appendix D), read from the data
// folder. statlog, covertype, adult, census: an action is a class, the right one pays 1, others 0;
// regret 1 less that. mushroom: action 0 passes and pays 0; action 1 eats: edible 5, poisonous 5 or
// -35 with probability 1/2 each; regret is the best expected reward (edible 5, poisonous 0) less
// the reward, so it is -5 where poison turned out well. jester: of 40 columns, permuted each trial,
// 32 are the context and 8 the rewards. financial: r_a = x' beta_a + N(0, (0.01 (a + 1))^2), beta_a
// uniform in [-1, 1]^21 scaled to length 1 and drawn anew each trial. For both, regret is against
// the best reward as it came out. census_synthetic is not the real census, and no result on it may
// be set against one on census. The order of rows and whatever is drawn once comes from the stream
// given to the constructor; a step draws nothing, but for financial eight normal numbers and for
// fresh mushrooms one word.
class Dataset final : public DataProblem {
 public:
  static constexpr std::string_view kName = "dataset";
  static constexpr std::string_view kSummary = "one of the paper's data sets (appendix D)";
  using Options = DatasetOptions;

  explicit Dataset(const Stream& stream, const Options& options = {});
};

}  // namespace sau
