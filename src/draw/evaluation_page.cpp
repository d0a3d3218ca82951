#include "sau/draw/evaluation_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "draw/plain_page.hpp"

namespace sau {
namespace {

using detail::html_text;

std::string number_cell(double x) { return std::isnan(x) ? "undefined" : fmt::format("{:.6g}", x); }
std::string ends_cell(const Interval& ends) {
  if (std::isnan(ends.low)) return "none";
  return fmt::format("{:.6g} to {:.6g}", ends.low, ends.high);
}

void append_estimates_table(std::string& out, const PolicyResult& policy, double confidence) {
  out += fmt::format(
      "<div class=wide><table><tr><th>estimator<th>value<th>standard error<th>{:g} % "
      "interval<th>kind</tr>\n",
      100.0 * confidence);
  for (const EstimateResult& estimate : policy.estimates) {
    out += fmt::format("<tr><td>{}{}<td>{}<td>{}<td>{}<td>{}</tr>\n", estimate.estimator,
                       estimate.setting.empty() ? "" : " (" + estimate.setting + ")",
                       number_cell(estimate.value), number_cell(estimate.error),
                       ends_cell(estimate.ends),
                       enum_names(estimate.interval)[static_cast<std::size_t>(estimate.interval)]);
  }
  out += fmt::format("<tr><td>gain over the log<td>{}<td><td>{}<td>anytime</tr></table></div>\n",
                     number_cell(policy.gain), ends_cell(policy.gain_ends));
}

void append_policy_text(std::string& out, const PolicyResult& policy,
                        const EvaluationResult& result, bool forced) {
  out += fmt::format("<h2>{}{}</h2>\n", html_text(policy.name),
                     policy.learning.empty() ? "" : ", " + policy.learning);
  for (const std::string& why : policy.refused) {
    out += fmt::format("<p class=refused>{}: {}</p>\n", forced ? "Not reliable" : "Refused",
                       html_text(why));
  }
  for (const std::string& warning : policy.warnings) {
    out += fmt::format("<p class=note>{}</p>\n", html_text(warning));
  }
  const bool shown = forced || policy.refused.empty();
  if (policy.learning == "replayed") {
    out += fmt::format("<p>Accepted {} of {} decisions.", policy.replay.accepted,
                       policy.replay.offered);
    if (shown) {
      out += fmt::format(" Mean reward {}, {:g} % interval {} (normal).",
                         number_cell(policy.replay.value), 100.0 * (1.0 - result.score.alpha),
                         ends_cell(policy.replay.ends));
    }
    out += "</p>\n";
    return;
  }
  if (shown) append_estimates_table(out, policy, 1.0 - result.score.alpha);
  const Coverage& c = policy.coverage;
  if (c.unknown == c.decisions) {
    out += "<p>The log has no chances, so there are no weights.</p>\n";
    return;
  }
  out += fmt::format(
      "<p>Effective sample {:.1f} of {} decisions; largest weight {:.6g} (line {}); "
      "mean weight {:.6g}, expected 1.",
      c.effective_size(), c.decisions, c.largest, c.largest_line, c.mean_weight());
  if (c.all_chances) {
    out +=
        fmt::format(" {:.3g} % of what it plays had the logged chance 0.", 100.0 * c.mean_missed());
  }
  out += "</p>\n";
}

}  // namespace

std::string evaluation_page(const EvaluationResult& result, bool forced) {
  std::string out = detail::page_begin("What other policies would have earned");
  out += fmt::format("<p>{}: {} decisions, {} actions. The log earned {} &plusmn; {} per decision.",
                     html_text(result.source), result.decisions, result.actions,
                     number_cell(result.logged), number_cell(result.logged_error));
  if (result.learned > 0) out += fmt::format(" {} more were only learned from.", result.learned);
  if (result.last_time > result.first_time) {
    out += fmt::format(" From {} to {}.", write_time_in_seconds(result.first_time),
                       write_time_in_seconds(result.last_time));
  }
  for (const auto& [reason, count] : result.skipped) {
    out += fmt::format(" Left out: {} ({}).", count, html_text(reason));
  }
  if (result.chances.possible) {
    out += fmt::format(" Logged chances against choices: p = {:.3g}.", result.chances.p);
  }
  out += "</p>\n";
  for (const std::string& warning : result.warnings) {
    out += fmt::format("<p class=note>{}</p>\n", html_text(warning));
  }
  for (const PolicyResult& policy : result.policies) {
    append_policy_text(out, policy, result, forced);
  }
  out += "<h2>Figures</h2>\n";
  for (const Picture& picture : draw_evaluation(result, forced, PictureFormat::kSvg)) {
    out += detail::picture_element(picture);
  }
  return out + detail::page_end();
}

}  // namespace sau
