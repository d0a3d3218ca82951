#pragma once

#include <array>
#include <string>
#include <string_view>

#include "sau/core/spec.hpp"
#include "sau/problem/data_problem.hpp"

namespace sau {

enum class Outcomes { kFrozen, kFresh, kClass };
constexpr std::array<std::string_view, 3> enum_names(Outcomes) {
  return {"frozen", "fresh", "class"};
}

// What becomes of the rows of a data set: they stay as prepared, or are divided by their length.
enum class RowLength { kOwn, kUnit };
constexpr std::array<std::string_view, 2> enum_names(RowLength) { return {"own", "unit"}; }

struct DatasetOptions {
  std::string name;
  Outcomes outcomes = Outcomes::kFrozen;
  RowLength length = RowLength::kOwn;
  void fields(auto&& field) {
    field("name", name,
          "adult, adult_income, census, census_synthetic, covertype, financial, jester, magic, "
          "mnist, mushroom or statlog");
    field("outcomes", outcomes,
          "mushroom only; frozen: the outcome of a poisonous row is drawn once per trial; fresh: "
          "at every step; class: 1 for the right class");
    field("length", length,
          "unit: every row is divided by its Euclidean length; only with classes");
  }
};

// The data sets of Riquelme et al. 2018 (Zhu & Rigotti 2021, appendix D), from the data folder.
//  - statlog, covertype, adult, census, and adult_income, magic and mnist, which are not in the
//    paper: an action is a class. The right one pays 1, others pay 0; regret is 1 minus the reward.
//  - mushroom: action 0 passes and pays 0. Action 1 eats: edible pays 5, poisonous 5 or -35 with
//    probability 1/2 each. Regret is the best expected reward (edible 5, poisonous 0) minus the
//    reward, so it is -5 if eating poison turned out well. With outcomes=class it is like the
//    above.
//  - jester: of 40 columns, permuted each trial, 32 are the context and 8 the rewards.
//  - financial: r_a = x' beta_a + N(0, (0.01 (a + 1))^2), beta_a uniform in [-1, 1]^21, scaled to
//    length 1, and drawn for each trial. Here and for jester, regret is against the best realised
//    reward.
//  - census_synthetic is not the real census: do not compare its results with those on census.
// The order of rows, and everything else that is drawn once, comes from the stream given to the
// constructor. A step draws nothing, except eight normal numbers for financial and one word for
// fresh mushrooms.
class Dataset final : public DataProblem {
 public:
  static constexpr std::string_view kName = "dataset";
  static constexpr std::string_view kSummary = "one of the paper's data sets (appendix D)";
  using Options = DatasetOptions;

  explicit Dataset(const Stream& stream, const Options& options = {});
};

}  // namespace sau
