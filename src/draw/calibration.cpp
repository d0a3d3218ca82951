#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/plain_page.hpp"
#include "draw/plot.hpp"
#include "sau/draw/calibration_page.hpp"
#include "sau/report/calibration_text.hpp"

namespace sau {
namespace {

using detail::Canvas;
using detail::Look;
using detail::Point;
using detail::Range;
using detail::RowPlot;
using detail::Scale;
using detail::Sheet;

constexpr double kLegendWidth = 120.0;

std::vector<std::string> series_of(const PolicyCalibration& result, bool errors) {
  std::vector<std::string> names;
  if (errors) {
    for (const EstimatorError& error : result.estimators) names.push_back(error.estimator);
  } else {
    for (const IntervalMisses& misses : result.intervals) names.push_back(interval_name(misses));
  }
  return names;
}

// What the dots of a row mean, on the right.
void draw_legend(RowPlot& plot, const std::vector<std::string>& names) {
  double y = plot.area.top + 10.0;
  for (const std::string& name : names) {
    const Look& look = plot.sheet.look(name);
    plot.canvas.marker({plot.area.right + 16.0, y}, look.shape, 4.0, look.colour,
                       {plot.sheet.theme.paper, 0.8});
    plot.canvas.text({plot.area.right + 26.0, y}, name, small_text(plot.sheet));
    y += detail::kLabelHeight;
  }
}

std::vector<std::string> row_names(const std::vector<const PolicyCalibration*>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const PolicyCalibration* row : rows) {
    names.push_back(row->log.problem + ", " + row->log.agent);
  }
  return names;
}

double height_for(const Sheet& sheet, std::size_t rows, std::size_t series) {
  return std::max(rows_height(sheet, rows),
                  110.0 + detail::kLabelHeight * static_cast<double>(series));
}

// One row per problem and log, one dot per estimator.
std::string draw_errors(const std::vector<const PolicyCalibration*>& rows, PictureFormat format,
                        const DrawOptions& options) {
  const auto names = series_of(*rows.front(), true);
  const Sheet sheet(names, format, options);
  Range errors;
  for (const PolicyCalibration* row : rows) {
    for (const EstimatorError& error : row->estimators) {
      if (error.root_square > 0.0) errors.add(error.root_square);
    }
  }
  const std::string title = "Errors of the estimators: the " + rows.front()->policy + " policy";
  Canvas canvas = sheet.canvas(title, height_for(sheet, rows.size(), names.size()));
  RowPlot plot(sheet, canvas, title,
               fmt::format("root of the mean squared error over {} logs", rows.front()->log.trials),
               row_names(rows),
               {.scale = Scale::logarithmic(errors).widened(0.03, 0.03),
                .title = "error, in units of reward"},
               kLegendWidth);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const EstimatorError& error : rows[i]->estimators) {
      const Look& look = sheet.look(error.estimator);
      canvas.marker({plot.x(error.root_square), plot.row(i)}, look.shape, 4.0,
                    look.colour.faded(0.8), {sheet.theme.paper, 0.8});
    }
  }
  draw_legend(plot, names);
  return canvas.finish();
}

// One row per problem and log, one dot per interval, and a line at what is allowed.
std::string draw_misses(const std::vector<const PolicyCalibration*>& rows, PictureFormat format,
                        const DrawOptions& options) {
  const auto names = series_of(*rows.front(), false);
  const Sheet sheet(names, format, options);
  constexpr double kAllowed = 5.0;
  const auto share = [](const PolicyCalibration& row, const IntervalMisses& misses) {
    const bool anytime = misses.kind == IntervalKind::kAnytime;
    return 100.0 * static_cast<double>(anytime ? misses.ever : misses.at_end) /
           static_cast<double>(row.log.trials);
  };
  Range shares;
  shares.add(0.0);
  shares.add(2.0 * kAllowed);
  for (const PolicyCalibration* row : rows) {
    for (const IntervalMisses& misses : row->intervals) shares.add(share(*row, misses));
  }
  const std::string title = "Intervals that missed: the " + rows.front()->policy + " policy";
  Canvas canvas = sheet.canvas(title, height_for(sheet, rows.size(), names.size()));
  RowPlot plot(
      sheet, canvas, title,
      "dotted: the 5 % that are allowed; anytime: missed at any decision, others: at the end",
      row_names(rows),
      {.scale = Scale::linear(shares).widened(0.02, 0.03), .title = "missed, % of the logs"},
      kLegendWidth);
  canvas.line(
      std::vector<Point>{{plot.x(kAllowed), plot.area.top}, {plot.x(kAllowed), plot.area.bottom}},
      {sheet.theme.ink, 1.2, {2.0, 3.0}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const IntervalMisses& misses : rows[i]->intervals) {
      const Look& look = sheet.look(interval_name(misses));
      canvas.marker({plot.x(share(*rows[i], misses)), plot.row(i)}, look.shape, 4.0,
                    look.colour.faded(0.8), {sheet.theme.paper, 0.8});
    }
  }
  draw_legend(plot, names);
  return canvas.finish();
}

}  // namespace

std::vector<Picture> draw_calibration(const std::vector<PolicyCalibration>& results,
                                      PictureFormat format, const DrawOptions& options) {
  std::vector<std::string> policies;
  for (const PolicyCalibration& result : results) {
    if (std::ranges::count(policies, result.policy) == 0) policies.push_back(result.policy);
  }
  std::vector<Picture> pictures;
  const std::string extension = detail::extension_of(format);
  for (const std::string& policy : policies) {
    std::vector<const PolicyCalibration*> rows;
    for (const PolicyCalibration& result : results) {
      if (result.policy == policy) rows.push_back(&result);
    }
    pictures.push_back(
        {"evaluation-errors-" + policy + extension, draw_errors(rows, format, options)});
    pictures.push_back(
        {"evaluation-misses-" + policy + extension, draw_misses(rows, format, options)});
  }
  return pictures;
}

std::string calibration_page(const std::vector<PolicyCalibration>& results) {
  std::string out = detail::page_begin("Evaluation from logs: how far off, how sure");
  out += fmt::format(
      "<p>Logs whose truth is known: in a laboratory problem the reward of every action is known, "
      "so the truth is what the policy would have earned on exactly these decisions. "
      "The estimator mips is left out: it weighs actions with the same features together, and "
      "these "
      "actions have none, so it would be ips.</p>\n"
      "<div class=wide><pre>{}</pre></div>\n<h2>Figures</h2>\n",
      detail::html_text(calibration_text(results)));
  for (const Picture& picture : draw_calibration(results, PictureFormat::kSvg)) {
    out += detail::picture_element(picture);
  }
  return out + detail::page_end();
}

}  // namespace sau
