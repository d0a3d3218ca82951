#include "sau/draw/evaluation_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace sau {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; color: #1b1b1b; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.2rem; overflow-wrap: anywhere }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid #ddd }
.wide { overflow-x: auto }
.refused { background: #fdecea; border-left: 4px solid #b3261e; padding: .4rem .8rem; margin: .5rem 0 }
.note { background: #fff6e0; border-left: 4px solid #c98a00; padding: .4rem .8rem; margin: .5rem 0 }
img { max-width: 100%; height: auto } p, td { overflow-wrap: anywhere }
)";

std::string html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A picture inside the page. Not as an element: ids of one SVG would clash with those of another.
std::string data_link(std::string_view svg) {
  std::string out = "data:image/svg+xml,";
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_.~ =:/;,").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

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
  out += fmt::format("<h2>{}{}</h2>\n", html(policy.name),
                     policy.learning.empty() ? "" : ", " + policy.learning);
  for (const std::string& why : policy.refused) {
    out += fmt::format("<p class=refused>{}: {}</p>\n", forced ? "Not reliable" : "Refused",
                       html(why));
  }
  for (const std::string& warning : policy.warnings) {
    out += fmt::format("<p class=note>{}</p>\n", html(warning));
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
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width, initial-scale=1\"><title>What other policies would have "
      "earned "
      "</title><style>{}</style></head><body>\n<h1>What other policies would have earned</h1>\n",
      kStyle);
  out += fmt::format("<p>{}: {} decisions, {} actions. The log earned {} &plusmn; {} per decision.",
                     html(result.source), result.decisions, result.actions,
                     number_cell(result.logged), number_cell(result.logged_error));
  if (result.learned > 0) out += fmt::format(" {} more were only learned from.", result.learned);
  for (const auto& [reason, count] : result.skipped) {
    out += fmt::format(" Left out: {} ({}).", count, html(reason));
  }
  if (result.chances.possible) {
    out += fmt::format(" Logged chances against choices: p = {:.3g}.", result.chances.p);
  }
  out += "</p>\n";
  for (const std::string& warning : result.warnings) {
    out += fmt::format("<p class=note>{}</p>\n", html(warning));
  }
  for (const PolicyResult& policy : result.policies) {
    append_policy_text(out, policy, result, forced);
  }
  out += "<h2>Figures</h2>\n";
  for (const Picture& picture : draw_evaluation(result, forced, PictureFormat::kSvg)) {
    out +=
        fmt::format("<p><img alt=\"{}\" src=\"{}\"></p>\n", picture.name, data_link(picture.bytes));
  }
  return out + "</body></html>\n";
}

}  // namespace sau
