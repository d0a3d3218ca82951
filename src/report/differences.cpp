#include "sau/report/differences.hpp"

#include <array>
#include <cmath>

namespace sau {
namespace {

constexpr std::string_view kRareUpdates = "rare-updates";
constexpr std::string_view kWrongTargets = "wrong-targets";
constexpr std::string_view kOpening = "opening-rounds";
constexpr std::string_view kOtherSettings = "other-settings";
constexpr std::string_view kUniformOutlier = "uniform-outlier";
constexpr std::string_view kUnexplained = "not-explained";

constexpr double kByChance = 3.0;  // combined standard errors

}  // namespace

std::span<const Difference> known_differences() {
  static const std::array<Difference, 6> kDifferences = {{
      {std::string(kRareUpdates), "Linear regressions are updated rarely in the released code",
       "The paper's text lets a model learn at every step, and so it does here. The code that made "
       "the paper's numbers changes one action's regression every 20 steps, that of the action "
       "just played, by steps drawn at random from all it has seen of it, and its library gives "
       "ties to the last action. Played that way, these agents have the paper's numbers."},
      {std::string(kWrongTargets), "NeuralGreedy's loss in the released code is another",
       "There the outputs of all actions at a context are fitted to the reward that one of them "
       "earned. A network trained so has the paper's numbers; as the paper defines it, and as it "
       "is here, NeuralGreedy is a strong baseline."},
      {std::string(kOpening), "Opening rounds",
       "All agents of the tables open with two plays of every action, as the code behind the "
       "paper's tables lets them. The definition of the greedy agents does not ask for it, and it "
       "matters to them: without an opening they have much more regret on the wheel."},
      {std::string(kOtherSettings), "NeuralLinear's settings on the wheel",
       "The released code lists those of mushroom, which are used here, beside a comment that "
       "names those of statlog. With statlog's, and its rare updates, it has the paper's numbers."},
      {std::string(kUniformOutlier), "The paper's Uniform on wheel-0.50 is an outlier",
       "By its own standard error, 23324, and by the mean that follows from the problem, 58820. "
       "Numbers normalised by it mean little: compare the regrets."},
      {std::string(kUnexplained), "Not explained",
       "This cell differs from the paper's by more than chance, and nothing is known that would "
       "account for it."},
  }};
  return kDifferences;
}

std::vector<std::string> differences_of(TableKind kind, std::string_view problem,
                                        std::string_view algorithm, double z) {
  std::vector<std::string> ids;
  const auto add = [&](std::string_view id) { ids.emplace_back(id); };
  if (algorithm.starts_with("Linear") || algorithm == "NeuralLinear") add(kRareUpdates);
  if (algorithm == "NeuralGreedy") add(kWrongTargets);
  if (algorithm.ends_with("Greedy")) add(kOpening);
  if (algorithm == "NeuralLinear" && problem.starts_with("wheel")) add(kOtherSettings);
  if (problem == "wheel-0.50" && (kind == TableKind::kNormalised || algorithm == "Uniform")) {
    add(kUniformOutlier);
  }
  if (std::abs(z) > kByChance && ids.empty()) add(kUnexplained);
  return ids;
}

}  // namespace sau
