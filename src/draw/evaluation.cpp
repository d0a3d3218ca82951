#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "draw/labels.hpp"
#include "draw/plot.hpp"
#include "sau/draw/evaluation_page.hpp"

namespace sau {
namespace {

using detail::Axis;
using detail::Box;
using detail::Canvas;
using detail::Look;
using detail::Plot;
using detail::Point;
using detail::Range;
using detail::RowPlot;
using detail::Scale;
using detail::Sheet;

constexpr std::size_t kMostRows = 20;

bool drawn(const PolicyResult& policy, bool forced) {
  return policy.learning != "replayed" && (forced || policy.refused.empty());
}

// The value of each policy against the number of decisions, or up to a time if the log has times,
// with its anytime interval as a band.
std::string draw_course(const Sheet& sheet, const std::vector<const PolicyResult*>& policies,
                        const EvaluationResult& result) {
  const bool timed = result.last_time > result.first_time;
  const auto place = [timed](const CoursePoint& point) {
    return static_cast<double>(timed ? point.time : static_cast<Milliseconds>(point.decisions));
  };
  const double logged = result.logged;
  Range times, values;
  values.add(logged);
  for (const PolicyResult* policy : policies) {
    for (const CoursePoint& point : policy->course) times.add(place(point));
    // Early intervals are wide and would squeeze the rest.
    const std::size_t late = policy->course.size() / 2;
    for (std::size_t i = late; i < policy->course.size(); ++i) {
      values.add(policy->course[i].ends.low);
      values.add(policy->course[i].ends.high);
    }
  }
  std::vector<detail::LineLabel> labels;
  labels.reserve(policies.size());
  for (const PolicyResult* policy : policies) {
    labels.push_back({.algorithm = policy->name, .place = policy->course.back().value});
  }
  const std::string title = "Value over time";
  Canvas canvas = sheet.canvas(title, labels_height(sheet, labels.size()));
  Plot plot(
      sheet, canvas, title,
      "mean reward per decision, with the interval that holds at every moment; dotted: the log",
      timed ? detail::time_axis(times)
            : Axis{.scale = Scale::logarithmic(times), .title = "decisions"},
      {.scale = Scale::linear(values).widened(0.03, 0.03), .title = "reward"},
      detail::labels_width(sheet, canvas, labels));
  canvas.clip(plot.area);
  for (const PolicyResult* policy : policies) {
    const Look& look = sheet.look(policy->name);
    std::vector<Point> line, band;
    for (const CoursePoint& point : policy->course) {
      const double x = plot.x(place(point));
      line.push_back({x, plot.y(point.value)});
      band.push_back({x, plot.y(point.ends.low)});
    }
    for (std::size_t i = policy->course.size(); i-- > 0;) {
      const CoursePoint& point = policy->course[i];
      band.push_back({plot.x(place(point)), plot.y(point.ends.high)});
    }
    canvas.polygon(band, look.colour.faded(0.14));
    canvas.line(line, {look.colour, 1.8, look.dash});
  }
  canvas.line(
      std::vector<Point>{{plot.area.left, plot.y(logged)}, {plot.area.right, plot.y(logged)}},
      {sheet.theme.ink, 1.2, {2.0, 3.0}});
  canvas.unclip();
  for (detail::LineLabel& label : labels) label.place = plot.y.clamped(label.place);
  draw_labels(plot, labels, detail::LabelKind::kLine);
  return canvas.finish();
}

// How many decisions have which weight.
std::string draw_weights(const Sheet& sheet, const PolicyResult& policy) {
  std::size_t first = 1, last = policy.weights.size();
  while (first + 1 < last && policy.weights[first] == 0) ++first;
  while (last > first + 1 && policy.weights[last - 1] == 0) --last;
  Range counts;
  counts.add(0.0);
  std::vector<double> places{0.0};
  std::vector<std::string> names{"0"};
  for (std::size_t i = first; i < last; ++i) {
    places.push_back(static_cast<double>(i - first + 1));
    const bool above = i + 1 == policy.weights.size();
    names.push_back(above ? ">1k"
                          : fmt::format("<{:.3g}", std::exp2(static_cast<double>(i) - 10.0)));
  }
  for (const std::uint64_t count : policy.weights) counts.add(static_cast<double>(count));
  const std::string title = "Weights of " + policy.name;
  Canvas canvas = sheet.canvas(title, sheet.options.height * 0.7);
  Plot plot(sheet, canvas, title, "decisions by w = chance under the policy / logged chance",
            {.scale = Scale::linear({.low = -0.6, .high = places.back() + 0.6}),
             .title = "weight",
             .values = places,
             .labels = names},
            {.scale = Scale::linear(counts).widened(0.0, 0.05), .title = "decisions"}, 12.0);
  const Look& look = sheet.look(policy.name);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint64_t count = i == 0 ? policy.weights[0] : policy.weights[first + i - 1];
    const Box bar{plot.x(places[i] - 0.4), plot.y(static_cast<double>(count)),
                  plot.x(places[i] + 0.4), plot.y(0.0)};
    canvas.rectangle(bar, look.colour.faded(0.7), {look.colour, 0.8});
  }
  return canvas.finish();
}

// How often the log and the policy play each action.
std::string draw_overlap(const Sheet& sheet, const PolicyResult& policy) {
  std::vector<const ActionShare*> shown;
  for (const ActionShare& action : policy.actions) {
    if (shown.size() < kMostRows) shown.push_back(&action);
  }
  Range shares;
  shares.add(0.0);
  std::vector<std::string> names;
  for (const ActionShare* action : shown) {
    shares.add(action->logged_share);
    shares.add(action->policy_share);
    names.push_back(action->id);
  }
  const std::string title = "Actions of " + policy.name;
  Canvas canvas = sheet.canvas(title, rows_height(sheet, shown.size()));
  RowPlot plot(
      sheet, canvas, title,
      shown.size() < policy.actions.size()
          ? fmt::format("share of decisions: filled: the policy, hollow: the log; first {} "
                        "of {} actions",
                        shown.size(), policy.actions.size())
          : "share of decisions: filled: the policy, hollow: the log",
      names, {.scale = Scale::linear(shares).widened(0.0, 0.04), .title = "share"}, 12.0);
  const Look& look = sheet.look(policy.name);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double y = plot.row(i), log = plot.x(shown[i]->logged_share);
    const double own = plot.x(shown[i]->policy_share);
    canvas.line(std::vector<Point>{{log, y}, {own, y}}, {look.colour.faded(0.5), 1.4});
    canvas.marker({log, y}, "circle", 4.0, sheet.theme.paper, {sheet.theme.ink, 1.2});
    canvas.marker({own, y}, "circle", 4.0, look.colour, {look.colour, 1.0});
  }
  return canvas.finish();
}

// The value in every segment.
std::string draw_segments(const Sheet& sheet, const PolicyResult& policy) {
  std::vector<const SegmentResult*> shown;
  for (const SegmentResult& segment : policy.segments) {
    if (shown.size() < kMostRows && segment.effective_size >= 30.0) shown.push_back(&segment);
  }
  if (shown.empty()) return {};
  Range values;
  std::vector<std::string> names;
  for (const SegmentResult* segment : shown) {
    values.add(segment->logged);
    values.add(segment->estimates.front().ends.low);
    values.add(segment->estimates.front().ends.high);
    names.push_back(segment->feature + "=" + segment->segment);
  }
  const std::string title = "Segments of " + policy.name;
  Canvas canvas = sheet.canvas(title, rows_height(sheet, shown.size()));
  RowPlot plot(sheet, canvas, title, "value with its interval; hollow: mean reward of the log",
               names, {.scale = Scale::linear(values).widened(0.03, 0.03), .title = "reward"},
               12.0);
  const Look& look = sheet.look(policy.name);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const EstimateResult& value = shown[i]->estimates.front();
    const double y = plot.row(i);
    canvas.line(std::vector<Point>{{plot.x.clamped(value.ends.low), y},
                                   {plot.x.clamped(value.ends.high), y}},
                {look.colour, 1.6});
    canvas.marker({plot.x(shown[i]->logged), y}, "circle", 4.0, sheet.theme.paper,
                  {sheet.theme.ink, 1.2});
    canvas.marker({plot.x.clamped(value.value), y}, "circle", 4.2, look.colour, {look.colour, 1.0});
  }
  return canvas.finish();
}

}  // namespace

std::vector<Picture> draw_evaluation(const EvaluationResult& result, bool forced,
                                     PictureFormat format, const DrawOptions& options) {
  std::vector<const PolicyResult*> policies;
  std::vector<std::string> names;
  for (const PolicyResult& policy : result.policies) {
    if (!drawn(policy, forced) || policy.course.empty()) continue;
    policies.push_back(&policy);
    names.push_back(policy.name);
  }
  if (policies.empty()) return {};
  const Sheet sheet(names, format, options);
  std::vector<Picture> pictures;
  const char* extension = detail::extension_of(format);
  const auto add = [&](const std::string& name, std::string bytes) {
    if (!bytes.empty()) pictures.push_back({name + extension, std::move(bytes)});
  };
  add("course", draw_course(sheet, policies, result));
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::string number = policies.size() > 1 ? "-" + std::to_string(i + 1) : "";
    add("weights" + number, draw_weights(sheet, *policies[i]));
    add("actions" + number, draw_overlap(sheet, *policies[i]));
    add("segments" + number, draw_segments(sheet, *policies[i]));
  }
  return pictures;
}

}  // namespace sau
