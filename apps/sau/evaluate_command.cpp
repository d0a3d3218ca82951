#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "file_budget.hpp"
#include "flags.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/spec.hpp"
#include "sau/draw/evaluation_page.hpp"
#include "sau/evaluate/evaluate.hpp"
#include "sau/evaluate/evaluation_text.hpp"
#include "sau/logs/open_choices.hpp"

namespace sau::cli {
namespace {

struct EvaluateFlags {
  std::string log;
  std::vector<std::string> policy, by, estimator;
  std::string tune;
  Learning as = Learning::kFollowing;
  std::string train;  // a number; empty: depends on `as`
  IntervalKind interval = IntervalKind::kAnytime;
  double confidence = 0.95;
  std::string range = "0..1";
  std::string reward_model = "hashed_linear";
  std::uint64_t folds = 0;
  EstimatorSettings settings;
  double accept = 0.0;
  ChoiceFormat format = ChoiceFormat::kAuto;
  CsvColumns csv;
  std::string items;
  bool json = false, force = false, quiet = false;
  std::uint64_t threads = 0, seed = 1;
  std::string output;

  void fields(auto&& field) {
    field("policy", policy,
          "uniform, first, constant(action=ID), logged, or an agent of sau list; repeatable");
    field("tune", tune, "candidates, such as 'hashed_linear(lr=0.01|0.1)+sau_sampling'");
    field("as", as, "how agents learn: following, frozen (from the first part) or replayed");
    field("train", train, "share of the log that is only learned from [0.5 if frozen, else 0]");
    field("estimator", estimator, "ips, snips, dm, dr, sndr, switch, dros or mips; repeatable");
    field("interval", interval, "kind of interval, where it applies");
    field("confidence", confidence, "confidence of the intervals",
          Bounds{.min = 0.0, .max = 1.0, .open = true});
    field("range", range, "the rewards that are possible, as MIN..MAX");
    field("reward_model", reward_model, "model that predicts rewards, for dm, dr and the like");
    field("folds", folds, "cross-fit the reward model; 0: it predicts from earlier decisions",
          Bounds{.min = 0.0, .max = 100.0});
    field("clip", settings.clip, "ips: larger weights count as this; 0: no limit",
          Bounds{.min = 0.0});
    field("tau", settings.tau, "switch: largest weight that is used; 0: chosen from the log",
          Bounds{.min = 0.0});
    field("lambda", settings.lambda, "dros: how much weights shrink; 0: chosen from the log",
          Bounds{.min = 0.0});
    field("accept", accept, "replayed: the largest weight to expect; 0: the number of actions",
          Bounds{.min = 0.0});
    field("by", by, "also evaluate by this context feature or column; repeatable");
    field("format", format, "format of the log");
    field("action", csv.action, "csv: column with the action that was chosen");
    field("chance", csv.chance, "csv: column with its chance");
    field("reward", csv.reward, "csv: column with the reward");
    field("group", csv.group, "csv: only actions of the same group are on offer together");
    field("ignore", csv.ignore, "csv: columns that are no features, joined by commas");
    field("items", items, "csv: a second file with the features of the actions");
    field("json", json, "print everything as JSON");
    field("force", force, "show estimates that the log cannot support");
    field("quiet", quiet, "no progress on standard error");
    field("threads", threads, "0: one per core; does not change results",
          Bounds{.min = 0.0, .max = 4096.0});
    field("seed", seed, "seed of agents and of replayed decisions");
  }
};

RewardRange read_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  RewardRange range;
  if (dots == std::string::npos) throw UsageError("evaluate: --range is MIN..MAX, such as 0..1");
  detail::read_value("evaluate", "--range", text.substr(0, dots), {}, range.min);
  detail::read_value("evaluate", "--range", text.substr(dots + 2), {}, range.max);
  return range;
}

// One line that is rewritten on a terminal; otherwise a line every ten seconds.
class LineProgress {
 public:
  LineProgress(bool quiet, std::uint64_t last)
      : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), last_(last) {}
  LineProgress(const LineProgress&) = delete;
  LineProgress& operator=(const LineProgress&) = delete;
  ~LineProgress() {
    if (open_) fmt::print(stderr, "\r\033[K");
  }

  void operator()(std::uint64_t line) {
    const auto now = std::chrono::steady_clock::now();
    const double pause = terminal_ ? 0.5 : 10.0;
    if (quiet_ || std::chrono::duration<double>(now - shown_).count() < pause) return;
    shown_ = now;
    const std::string text = fmt::format("line {} of {}", line, last_);
    if (terminal_) {
      fmt::print(stderr, "\r\033[K{}", text);
      open_ = true;
    } else {
      fmt::print(stderr, "{}\n", text);
    }
  }

 private:
  bool quiet_, terminal_, open_ = false;
  std::uint64_t last_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

class EvaluateCommand {
 public:
  explicit EvaluateCommand(const EvaluateFlags& flags) : flags_(flags) {
    ChoiceOptions options{.format = flags.format, .by = flags.by, .csv = flags.csv};
    options.csv.items = flags.items;
    source_ = open_choices(flags.log, options);
    options_.score = {.interval = flags.interval,
                      .alpha = 1.0 - flags.confidence,
                      .rewards = read_range(flags.range),
                      .settings = flags.settings};
    // 1 - 0.95 is not quite 0.05.
    options_.score.alpha = std::round(options_.score.alpha * 1e12) / 1e12;
    if (!flags.estimator.empty()) options_.score.estimators = flags.estimator;
    for (const std::string& name : options_.score.estimators) estimator_info(name);
    options_.reward_model = flags.reward_model;
    options_.folds = flags.folds;
    options_.accept = flags.accept;
    options_.seed = flags.seed;
    options_.threads = static_cast<unsigned>(flags.threads);
    options_.train = flags.as == Learning::kFrozen ? 0.5 : 0.0;
    if (!flags.train.empty()) {
      detail::read_value("evaluate", "--train", flags.train, {.min = 0.0, .max = 0.99},
                         options_.train);
    }
  }

  int run() {
    if (!flags_.tune.empty()) return tune();
    std::vector<std::string> names = flags_.policy;
    if (names.empty()) names = {"uniform"};
    if (flags_.policy.empty() && source_->has_order()) names.emplace_back("first");
    return print(evaluate_all(names, options_));
  }

 private:
  EvaluationResult evaluate_all(const std::vector<std::string>& names, EvaluateOptions options) {
    std::vector<PolicyPlan> plans;
    plans.reserve(names.size());
    for (const std::string& name : names) {
      plans.push_back({make_target(name, flags_.seed), flags_.as});
    }
    LineProgress progress(flags_.quiet, source_->last_line());
    options.progress = [&progress](std::uint64_t line) { progress(line); };
    source_->rewind();
    return evaluate(*source_, std::move(plans), flags_.by, options);
  }

  int print(const EvaluationResult& result) const {
    if (!flags_.output.empty()) {
      write_file(flags_.output, evaluation_page(result, flags_.force));
      fmt::print(stderr, "{}\n", flags_.output);
    }
    fmt::print("{}", flags_.json ? evaluation_json(result, flags_.force) + "\n"
                                 : evaluation_text(result, flags_.force));
    const bool refused = std::ranges::any_of(
        result.policies, [](const PolicyResult& policy) { return !policy.refused.empty(); });
    return refused && !flags_.force ? 1 : 0;
  }

  // Chooses on the first half of the log, and evaluates the chosen one on the second half, which
  // had no part in the choice.
  int tune() {
    if (!flags_.policy.empty()) throw UsageError("evaluate: give --policy or --tune, not both");
    if (flags_.as == Learning::kReplayed) {
      throw UsageError("evaluate: --tune needs --as following or frozen");
    }
    const std::vector<std::string> candidates = expand_sweep(flags_.tune);
    if (candidates.size() < 2) {
      throw UsageError("evaluate: --tune needs alternatives, such as alpha=0.5|1");
    }
    constexpr double kHalf = 0.5;
    EvaluateOptions choosing = options_;
    choosing.train = flags_.as == Learning::kFrozen ? kHalf / 2.0 : 0.0;
    choosing.until = kHalf;
    // Each of m intervals may miss with alpha / m, so that all hold together.
    choosing.score.alpha /= static_cast<double>(candidates.size());
    const EvaluationResult first = evaluate_all(candidates, choosing);
    const PolicyResult* best = nullptr;
    for (const PolicyResult& policy : first.policies) {
      if (!policy.refused.empty() && !flags_.force) continue;
      if (best == nullptr || policy.estimates.front().value > best->estimates.front().value) {
        best = &policy;
      }
    }
    if (best == nullptr) {
      print(first);
      throw Error("the log cannot tell what any of the candidates would have earned");
    }
    EvaluateOptions judging = options_;
    judging.train = kHalf;
    const EvaluationResult second = evaluate_all({best->name}, judging);
    if (flags_.json) {
      fmt::print("{{\"choosing\": {}, \"chosen\": {}}}\n", evaluation_json(first, flags_.force),
                 evaluation_json(second, flags_.force));
      return 0;
    }
    fmt::print(
        "candidates on the first half; all {} intervals hold together\n{}\n"
        "chosen: {}\nits value on the second half, which had no part in the choice\n{}",
        candidates.size(), evaluation_text(first, flags_.force), best->name,
        evaluation_text(second, flags_.force));
    return 0;
  }

  const EvaluateFlags& flags_;
  std::unique_ptr<ChoiceSource> source_;
  EvaluateOptions options_;
};

}  // namespace

Handler describe_evaluate(CLI::App& app) {
  app.description(
      "Says what other policies would have earned, from a log of decisions with their chances and\n"
      "rewards. The log is the folder of sau serve (also while it runs), JSON lines of sau log\n"
      "export, dsjson, or a CSV file. Intervals of the kind anytime hold for logs made by a "
      "policy\n"
      "that learned, and whenever you look. Exit code 1 means that the log cannot tell.");
  app.footer(
      "Examples:\n"
      "  sau evaluate data -o evaluation.html\n"
      "  sau evaluate data --policy first --policy sau --policy 'constant(action=red)'\n"
      "  sau evaluate events.dsjson --policy hashed_linear+sau_sampling --as frozen\n"
      "  sau evaluate log.csv --action item --chance p --reward click --policy uniform --by "
      "device\n"
      "  sau evaluate data --tune 'hashed_linear(lr=0.01|0.1|1)+sau_sampling(alpha=0.5|1)'");
  const auto flags = add_flags<EvaluateFlags>(app);
  app.add_option("-o,--output", flags->output, "also write a page with figures to this file")
      ->type_name("FILE");
  app.add_option("log", flags->log, "folder of sau serve, or a file")->required();
  return [flags] {
    allow_all_files();
    return EvaluateCommand(*flags).run();
  };
}

}  // namespace sau::cli
