#include "sau/report/calibration_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text_grid.hpp"
#include "report/escape.hpp"

namespace sau {
namespace {

using detail::csv_number;
using detail::csv_text;
using detail::TextRow;
using Json = nlohmann::ordered_json;

// dr may be worse than the best of the others by this factor and still count as good.
constexpr double kAlmostBest = 1.1;

std::string_view name_of(IntervalKind kind) {
  return enum_names(kind)[static_cast<std::size_t>(kind)];
}

TextRow row_start(const PolicyCalibration& result) {
  return {result.log.problem, result.log.agent, result.policy};
}

Json pairs_json(const std::vector<PolicyCalibration>& results) {
  auto list = Json::array();
  for (const PairErrors& pair : pair_errors(results)) {
    list.push_back({{"problem", pair.problem},
                    {"log", pair.log},
                    {"dr", pair.dr},
                    {"best", pair.best},
                    {"best_error", pair.best_error},
                    {"ratio", pair.ratio()}});
  }
  return list;
}

std::string errors_text(const std::vector<PolicyCalibration>& results) {
  std::vector<TextRow> rows{{"problem", "log by", "policy", "log earns", "truth", "ESS"}};
  for (const EstimatorError& error : results.front().estimators) {
    rows.front().push_back(error.estimator);
  }
  for (const PolicyCalibration& result : results) {
    TextRow& row = rows.emplace_back(row_start(result));
    row.push_back(fmt::format("{:.4g}", result.logged));
    row.push_back(fmt::format("{:.4g}", result.truth));
    row.push_back(fmt::format("{:.0f}", result.effective_size));
    for (const EstimatorError& error : result.estimators) {
      row.push_back(fmt::format("{:.3g}{}", error.root_square, error.undefined > 0 ? "*" : ""));
    }
  }
  return detail::align(rows, 3, 2);
}

std::string misses_text(const std::vector<PolicyCalibration>& results) {
  std::vector<TextRow> rows{{"problem", "log by", "policy"}};
  for (const IntervalMisses& misses : results.front().intervals) {
    rows.front().push_back(interval_name(misses));
  }
  for (const PolicyCalibration& result : results) {
    TextRow& row = rows.emplace_back(row_start(result));
    for (const IntervalMisses& misses : result.intervals) {
      const bool anytime = misses.kind == IntervalKind::kAnytime;
      row.push_back(
          fmt::format("{} ({:.2g})", anytime ? misses.ever : misses.at_end, misses.width));
    }
  }
  return detail::align(rows, 3, 2);
}

std::string pairs_text(const std::vector<PolicyCalibration>& results) {
  std::vector<TextRow> rows{{"problem", "log by", "best of three", "its error", "dr", "ratio"}};
  std::size_t good = 0;
  const auto pairs = pair_errors(results);
  for (const PairErrors& pair : pairs) {
    good += pair.ratio() <= kAlmostBest ? 1 : 0;
    rows.push_back({pair.problem, pair.log, pair.best, fmt::format("{:.3g}", pair.best_error),
                    fmt::format("{:.3g}", pair.dr), fmt::format("{:.2f}", pair.ratio())});
  }
  return fmt::format(
      "The error of dr beside the least of ips, snips and dm, over all policies, with a "
      "cross-fitted "
      "reward\nmodel: at most {} times it on {} of {}\n\n{}",
      kAlmostBest, good, pairs.size(), detail::align(rows, 3, 2));
}

}  // namespace

std::string interval_name(const IntervalMisses& misses) {
  return fmt::format("{} {}", name_of(misses.kind), misses.estimator);
}

std::string calibration_json(const std::vector<PolicyCalibration>& results) {
  auto list = Json::array();
  for (const PolicyCalibration& result : results) {
    auto estimators = Json::array(), intervals = Json::array();
    for (const EstimatorError& error : result.estimators) {
      estimators.push_back({{"estimator", error.estimator},
                            {"bias", error.bias},
                            {"root_mean_square_error", error.root_square},
                            {"undefined", error.undefined}});
    }
    for (const IntervalMisses& misses : result.intervals) {
      Json& entry = intervals.emplace_back(Json{{"interval", name_of(misses.kind)},
                                                {"estimator", misses.estimator},
                                                {"missed_at_end", misses.at_end},
                                                {"median_width", misses.width}});
      if (misses.kind == IntervalKind::kAnytime) entry["missed_ever"] = misses.ever;
    }
    list.push_back({{"problem", result.log.problem},
                    {"log", result.log.agent},
                    {"policy", result.policy},
                    {"problem_spec", result.log.problem_spec},
                    {"log_spec", result.log.agent_spec},
                    {"trials", result.log.trials},
                    {"steps", result.log.steps},
                    {"truth", result.truth},
                    {"logged", result.logged},
                    {"effective_size", result.effective_size},
                    {"estimators", std::move(estimators)},
                    {"intervals", std::move(intervals)}});
  }
  return Json{{"policies", std::move(list)}, {"pairs", pairs_json(results)}}.dump(2) + "\n";
}

std::string calibration_csv(const std::vector<PolicyCalibration>& results) {
  std::string text =
      "problem,log,policy,trials,steps,truth,what,estimator,bias,root_mean_square_error,missed,"
      "median_width\n";
  for (const PolicyCalibration& result : results) {
    const std::string start = fmt::format(
        "{},{},{},{},{},{}", csv_text(result.log.problem), csv_text(result.log.agent),
        csv_text(result.policy), result.log.trials, result.log.steps, csv_number(result.truth));
    for (const EstimatorError& error : result.estimators) {
      text += fmt::format("{},estimate,{},{},{},,\n", start, error.estimator,
                          csv_number(error.bias), csv_number(error.root_square));
    }
    for (const IntervalMisses& misses : result.intervals) {
      text += fmt::format("{},{},{},,,{},{}\n", start, name_of(misses.kind), misses.estimator,
                          misses.at_end, csv_number(misses.width));
    }
  }
  return text;
}

std::string calibration_text(const std::vector<PolicyCalibration>& results) {
  const Cell& cell = results.front().log;
  const bool undefined = std::ranges::any_of(results, [](const PolicyCalibration& result) {
    return std::ranges::any_of(result.estimators,
                               [](const EstimatorError& error) { return error.undefined > 0; });
  });
  return fmt::format(
      "Evaluation from logs: {} logs of {} decisions each\n\n"
      "Root of the mean squared error of every estimator. ESS: median effective sample size. x5: "
      "the "
      "reward\nmodel is cross-fitted in five folds; otherwise it has learned earlier decisions "
      "only.\n\n"
      "{}{}\n"
      "Intervals of 95 %: how many of {} missed the truth, and their median width. Of anytime: the "
      "logs\nin which it missed at any decision; of the others: after the last one.\n\n{}\n{}",
      cell.trials, cell.steps, errors_text(results),
      undefined ? "*: no number for some logs, which are left out\n" : "", cell.trials,
      misses_text(results), pairs_text(results));
}

}  // namespace sau
