#include "sau/evaluate/evaluation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/text_grid.hpp"

namespace sau {
namespace {

std::string text_of(double x) { return std::isnan(x) ? "undefined" : fmt::format("{:.6g}", x); }

std::string text_of(const Interval& interval) {
  if (std::isnan(interval.low) || std::isnan(interval.high)) return "none";
  return fmt::format("[{:.6g}, {:.6g}]", interval.low, interval.high);
}

std::string_view kind_name(IntervalKind kind) {
  return enum_names(kind)[static_cast<std::size_t>(kind)];
}

// All columns are left-aligned.
std::string aligned(const std::vector<detail::TextRow>& rows) {
  return detail::align(rows, rows.front().size(), 2);
}

void append_estimates(std::string& out, const std::vector<EstimateResult>& estimates,
                      double confidence) {
  std::vector<detail::TextRow> grid;
  grid.push_back(
      {"estimator", "value", "error", fmt::format("{:g} % interval", 100.0 * confidence), ""});
  for (const EstimateResult& estimate : estimates) {
    const std::string setting = estimate.setting.empty() ? "" : " (" + estimate.setting + ")";
    grid.push_back({estimate.estimator + setting, text_of(estimate.value), text_of(estimate.error),
                    text_of(estimate.ends), std::string(kind_name(estimate.interval))});
  }
  out += aligned(grid);
}

void append_coverage(std::string& out, const PolicyResult& policy) {
  const Coverage& c = policy.coverage;
  if (c.unknown == c.decisions) {
    out += "  weights: none, because the log has no chances\n";
    return;
  }
  out +=
      fmt::format("  weights: effective sample {:.1f} of {}, largest {:.6g} (line {}), mean {:.6g}",
                  c.effective_size(), c.decisions, c.largest, c.largest_line, c.mean_weight());
  if (!std::isnan(c.mean_weight_z())) out += fmt::format(" (z = {:.2f})", c.mean_weight_z());
  out += "\n";
  if (c.all_chances) {
    out += fmt::format("  logged chance 0: {:.3g} % of what it plays, in {} decisions\n",
                       100.0 * c.mean_missed(), c.missed_decisions);
  }
}

void append_segments(std::string& out, const PolicyResult& policy, bool shown) {
  if (policy.segments.empty()) return;
  std::vector<detail::TextRow> grid;
  grid.push_back({"segment", "decisions", "effective", "logged", "value", "interval"});
  for (const SegmentResult& segment : policy.segments) {
    const EstimateResult& first = segment.estimates.front();
    const double size = policy.coverage.unknown > 0 ? static_cast<double>(segment.decisions)
                                                    : segment.effective_size;
    const bool thin = !shown || size < 30.0;
    grid.push_back({fmt::format("{}={}", segment.feature, segment.segment),
                    std::to_string(segment.decisions),
                    fmt::format("{:.1f}", segment.effective_size), text_of(segment.logged),
                    thin ? "too few" : text_of(first.value), thin ? "" : text_of(first.ends)});
  }
  out += aligned(grid);
}

void append_policy(std::string& out, const PolicyResult& policy, const EvaluationResult& result,
                   bool forced) {
  out += "\n" + policy.name;
  if (!policy.learning.empty()) out += ", " + policy.learning;
  if (!policy.agent.empty() && policy.agent != policy.name) out += " (" + policy.agent + ")";
  out += "\n";
  const bool shown = policy.refused.empty() || forced;
  for (const std::string& why : policy.refused) {
    out += fmt::format("  {}: {}\n", forced ? "NOT RELIABLE" : "REFUSED", why);
  }
  const double confidence = 1.0 - result.score.alpha;
  if (policy.learning == "replayed") {
    const ReplayResult& replay = policy.replay;
    out += fmt::format("  accepted {} of {} decisions\n", replay.accepted, replay.offered);
    if (shown) {
      out += fmt::format("  replay  {}  {:g} % interval {}  normal\n", text_of(replay.value),
                         100.0 * confidence, text_of(replay.ends));
    }
  } else {
    if (shown) {
      append_estimates(out, policy.estimates, confidence);
      out += fmt::format("  gain over the logged policy {}, {}  anytime\n", text_of(policy.gain),
                         text_of(policy.gain_ends));
    }
    append_coverage(out, policy);
    append_segments(out, policy, shown);
  }
  for (const std::string& warning : policy.warnings) out += "  note: " + warning + "\n";
}

}  // namespace

std::string evaluation_text(const EvaluationResult& result, bool forced) {
  std::string out = fmt::format("{}: {} decisions, {} actions, mean reward {} +- {}", result.source,
                                result.decisions, result.actions, text_of(result.logged),
                                text_of(result.logged_error));
  if (result.learned > 0) out += fmt::format("; {} more were only learned from", result.learned);
  out += "\n";
  if (result.last_time > result.first_time) {
    out += fmt::format("  from {} to {}\n", write_time_in_seconds(result.first_time),
                       write_time_in_seconds(result.last_time));
  }
  for (const auto& [reason, count] : result.skipped) {
    out += fmt::format("  left out: {} ({})\n", count, reason);
  }
  if (result.chances.possible) {
    out += fmt::format("  logged chances against choices: p = {:.3g}\n", result.chances.p);
  }
  for (const std::string& warning : result.warnings) out += "  note: " + warning + "\n";
  bool refused = false;
  for (const PolicyResult& policy : result.policies) {
    append_policy(out, policy, result, forced);
    refused = refused || !policy.refused.empty();
  }
  if (refused && !forced) out += "\n--force shows the numbers all the same\n";
  return out;
}

}  // namespace sau
