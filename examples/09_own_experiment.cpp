// Your own model and your own problem, through the runner and the report: AgentOf puts a model and
// a strategy behind the interface that both use.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/agent/agent_of.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/sau_ucb.hpp"
#include "sau/report/cell_summary.hpp"
#include "sau/report/report.hpp"
#include "sau/run/experiment.hpp"
#include "sau/run/results.hpp"
#include "sau/run/runner.hpp"

namespace {

struct RecentMeanOptions {
  double rate = 0.1;
  void fields(auto&& field) {
    field("rate", rate, "weight of the newest reward", sau::Bounds{.min = 0.0, .max = 1.0});
  }
};

// A mean in which old rewards fade:  m_a <- m_a + rate (r - m_a).
class RecentMean {
 public:
  static constexpr std::string_view kName = "recent_mean";
  static constexpr std::string_view kSummary = "mean reward of every action, old rewards fade";
  static constexpr bool kUsesContext = false;
  static constexpr sau::RewardRange kRewards{};
  using Options = RecentMeanOptions;

  explicit RecentMean(const sau::Setup& setup, Options options = {})
      : rate_(options.rate), mean_(setup.shape.actions) {}

  std::span<const double> values(sau::Context) const noexcept { return mean_; }
  void update(sau::Context, sau::Action action, double reward) noexcept {
    mean_[action] += rate_ * (reward - mean_[action]);
  }
  // Optional: what `sau inspect` and agent.evidence show of the model.
  void describe(auto&& column) const { column("mean", "recent mean reward", mean_); }
  static void state(auto& self, auto&& field) { field("mean", self.mean_); }

 private:
  double rate_;
  std::vector<double> mean_;
};

// Three shops. The best one changes half-way through the trial, and noise is the same for all.
class Season final : public sau::Problem {
 public:
  static constexpr std::uint64_t kSteps = 2000;

  sau::Shape shape() const override { return {.actions = 3, .dim = 0}; }
  sau::RewardRange rewards() const override { return {}; }
  std::uint64_t default_steps() const override { return kSteps; }

  sau::Context next(sau::Rng& rng) override {
    mean_ = step_++ < kSteps / 2 ? std::array{0.2, 0.5, 0.8} : std::array{0.9, 0.5, 0.8};
    noise_ = 0.1 * rng.normal();
    return {};
  }
  double pull(sau::Action action, sau::Rng&) override { return mean_[action] + noise_; }
  double regret(sau::Action action) const override {
    return std::max({mean_[0], mean_[1], mean_[2]}) - mean_[action];
  }

 private:
  std::uint64_t step_ = 0;
  std::array<double, 3> mean_{};
  double noise_ = 0.0;
};

// An agent of ours, or one of the catalogue.
std::unique_ptr<sau::AnyAgent> make(const sau::Cell& cell, const sau::Setup& setup) {
  if (cell.agent_spec != "recent_mean+sau_ucb") return sau::make_agent(cell.agent_spec, setup);
  return std::make_unique<sau::AgentOf<RecentMean, sau::SauUcb>>(
      cell.agent_spec, setup.shape, RecentMean(setup), sau::SauUcb(setup));
}

// What the runner calls for every trial, from several threads.
bool play(std::size_t /*index*/, const sau::Cell& cell, std::uint64_t seed, std::uint64_t trial,
          std::span<const std::uint64_t> points, const sau::TrialControl& control,
          sau::TrialRecord& record) {
  const sau::Stream of_problem = sau::problem_stream(cell.problem_spec, seed, trial, "");
  const sau::Stream of_agent =
      sau::agent_stream(cell.problem_spec, cell.agent_spec, seed, trial, "");
  Season problem;
  const auto agent =
      make(cell, {.shape = problem.shape(), .stream = of_agent.with(sau::Role::kModel)});
  return sau::play_trial(*agent, problem, {sau::Rng(of_problem), sau::Rng(of_agent)}, cell.steps,
                         points, control, record);
}

}  // namespace

int main() {
  const auto folder =
      std::filesystem::temp_directory_path() / ("sau-example-09-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);

  // Names and specs are ours: the library keeps them as they are.
  sau::Experiment experiment{.seed = 1, .cells = {}};
  for (const auto& [name, spec] : {std::pair{"recent", "recent_mean+sau_ucb"},
                                   {"SAU-UCB", "sample_mean+sau_ucb"},
                                   {"uniform", "sample_mean+uniform"}}) {
    experiment.cells.push_back({.problem = "season",
                                .agent = name,
                                .problem_spec = "season",
                                .agent_spec = spec,
                                .steps = Season::kSteps,
                                .trials = 20});
  }
  {
    sau::ResultFolder results(folder, experiment);
    const sau::RunOutcome outcome = sau::run(experiment, results, {.threads = 2, .trial = play});
    for (const std::string& failure : outcome.failures) std::printf("%s\n", failure.c_str());
  }
  const auto summaries =
      sau::summarise(sau::read_results(folder, sau::Curves::kSkip), experiment.cells);
  std::printf("%s\n", sau::summary_table(summaries).c_str());

  // report_html() and draw_report() take the same report.
  const std::vector<std::filesystem::path> folders = {folder};
  const std::string report = sau::report_markdown(sau::make_report(folders, {}));
  std::printf("%s...\n", report.substr(0, 600).c_str());
  std::filesystem::remove_all(folder);

  const bool good = summaries.size() == 3 && summaries[0].counted() == 20 &&
                    summaries[0].regret.mean < summaries[2].regret.mean &&
                    report.find("season") != std::string::npos;
  return good ? 0 : 1;
}
