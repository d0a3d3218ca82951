#include "sau/draw/draw.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "sau/core/error.hpp"
#include "support/errors.hpp"

namespace sau {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The colours of the report below as Cairo writes them.
constexpr const char* kRed = "rgb(100%,0%,0%)";
constexpr const char* kBlue = "rgb(0%,0%,100%)";
constexpr const char* kGrid = "rgb(88.235294%,89.411765%,90.980392%)";

Series series_of(const std::string& algorithm, std::vector<double> mean) {
  Series series;
  series.algorithm = series.agent_spec = algorithm;
  series.trials = series.asked = 5;
  for (const double value : mean) {
    series.low.push_back(0.9 * value);
    series.high.push_back(1.1 * value);
  }
  const double last = mean.back();
  series.mean = series.median = std::move(mean);
  series.final_mean = {last, 0.9 * last, 1.1 * last};
  series.points = {0.6 * last, 0.8 * last, last, 1.1 * last, 1.5 * last};
  series.minimum = series.whisker_low = 0.6 * last;
  series.q25 = 0.8 * last;
  series.final_median = last;
  series.q75 = 1.1 * last;
  series.whisker_high = series.maximum = 1.5 * last;
  return series;
}

ProblemFigure problem_figure() {
  ProblemFigure figure;
  figure.id = "p1";
  figure.problem = figure.comparison.problem = "p";
  figure.title = "A < B & C";
  figure.steps = 40;
  figure.points = {10, 20, 30, 40};
  figure.series = {series_of("Red", {100, 300, 450, 500}), series_of("Blue", {50, 60, 70, 80})};
  figure.comparison.algorithms = {"Red", "Blue"};
  figure.comparison.pairs = {{.a = 0,
                              .b = 1,
                              .trials = 5,
                              .wins = 0,
                              .losses = 5,
                              .mean = {420, 300, 500},
                              .median = {400, 300, 500},
                              .p_holm = 0.01}};
  return figure;
}

ParameterFigure parameter_figure() {
  ParameterFigure figure;
  figure.id = "wheel";
  figure.values = {0.5, 0.9};
  figure.lines = {{"Red", {{10, 9, 11}, {20, 18, 22}}, {{12, 1}, {kNan, kNan}}},
                  {"Blue", {{30, kNan, kNan}, {kNan, kNan, kNan}}, {}}};
  return figure;
}

RankFigure rank_figure() {
  RankFigure figure;
  figure.id = "ranks";
  figure.ranks.problems = {"p", "q"};
  figure.ranks.algorithms = {{"Blue", {1.5, 1, 2}, {1, 2}}, {"Red", {1.5, kNan, kNan}, {2, 1}}};
  return figure;
}

TimeFigure time_figure() {
  TimeFigure figure;
  figure.id = "times";
  figure.points = {{"Red", "p", 0.01, 10}, {"Red", "q", 0.1, 1000}, {"Blue", "p", 0.0, 5}};
  return figure;
}

Report report_of(ReportSection section) {
  Report report;
  report.algorithms = {{"Red", "#ff0000", "#00ff00", {4, 2}, "square"},
                       {"Blue", "#0000ff", "#ffff00", {}, "circle"}};
  report.sections.push_back(std::move(section));
  return report;
}

Report report_of(const ProblemFigure& figure) {
  ReportSection section;
  section.problems = {figure};
  return report_of(std::move(section));
}

Report whole_report() {
  ReportSection section;
  section.problems = {problem_figure()};
  section.parameters = {parameter_figure()};
  section.ranks = {rank_figure()};
  section.times = {time_figure()};
  return report_of(std::move(section));
}

Report two_problems() {
  ReportSection section;
  section.problems = {problem_figure(), problem_figure()};
  section.problems[1].id = "p2";
  return report_of(std::move(section));
}

std::string svg_of(const Report& report, const std::string& name, DrawOptions options = {}) {
  for (Picture& picture : draw_report(report, PictureFormat::kSvg, options)) {
    if (picture.name == name) return picture.bytes;
  }
  ADD_FAILURE() << "no picture " << name;
  return "";
}

std::string curves_of(const ProblemFigure& figure, DrawOptions options = {}) {
  return svg_of(report_of(figure), figure.id + "-curves.svg", options);
}

using Path = std::vector<std::pair<double, double>>;

// The lines drawn with this colour and pen width.
std::vector<Path> strokes(const std::string& svg, const std::string& width,
                          const std::string& colour) {
  std::vector<Path> found;
  for (std::size_t at = 0; (at = svg.find("<path style=\"", at)) != std::string::npos; ++at) {
    const std::string element = svg.substr(at, svg.find("/>", at) - at);
    if (element.find("stroke-width:" + width + ";") == std::string::npos ||
        element.find("stroke:" + colour + ";") == std::string::npos) {
      continue;
    }
    const std::size_t start = element.find(" d=\"") + 4;
    std::istringstream words(element.substr(start, element.find('"', start) - start));
    std::string word;
    double x = 0.0, y = 0.0;
    while (words >> word && (word == "M" || word == "L") && words >> x >> y) {
      if (word == "M") found.emplace_back();
      found.back().emplace_back(x, y);
    }
  }
  return found;
}

// The first fault in the nesting of a document's elements; empty if there is none.
std::string nesting_fault(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != std::string::npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return "an element without an end";
    const std::string element = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (element.starts_with("?")) continue;
    if (element.find('<') != std::string::npos) return "a < inside " + element;
    if (element.starts_with("/")) {
      if (open.empty() || open.back() != element.substr(1)) return "unexpected " + element;
      open.pop_back();
    } else if (!element.ends_with("/")) {
      open.push_back(element.substr(0, element.find_first_of(" \n")));
    }
  }
  return open.empty() ? "" : open.back() + " is not closed";
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

TEST(Draw, EveryFigureIsAPictureNamedAfterIt) {
  std::vector<std::string> names;
  for (const Picture& picture : draw_report(whole_report(), PictureFormat::kSvg, {})) {
    names.push_back(picture.name);
  }
  EXPECT_THAT(names, ElementsAre("p1-curves.svg", "p1-distribution.svg", "p1-differences.svg",
                                 "wheel.svg", "ranks.svg", "times.svg"));
}

TEST(Draw, SvgIsWellFormedAndHasItsTitle) {
  for (const bool dark : {false, true}) {
    for (const bool log : {false, true}) {
      for (const Picture& picture :
           draw_report(whole_report(), PictureFormat::kSvg, {.dark = dark, .log_axes = log})) {
        EXPECT_EQ(nesting_fault(picture.bytes), "") << picture.name;
        EXPECT_THAT(picture.bytes, HasSubstr("width=\"640px\" height=\"")) << picture.name;
        EXPECT_THAT(picture.bytes, Not(HasSubstr("nan"))) << picture.name;
      }
    }
  }
  EXPECT_THAT(curves_of(problem_figure()), HasSubstr("<title>A &lt; B &amp; C</title>"));
}

TEST(Draw, PngHasTheRequestedSizeInPixels) {
  const DrawOptions options{.width = 500, .height = 300, .pixels = 3};
  for (const Picture& picture : draw_report(whole_report(), PictureFormat::kPng, options)) {
    EXPECT_THAT(picture.bytes, StartsWith("\x89PNG\r\n\x1a\n")) << picture.name;
    EXPECT_EQ(big_endian(picture.bytes, 16), 1500U) << picture.name;
  }
  const auto curves = draw_report(report_of(problem_figure()), PictureFormat::kPng, options).at(0);
  EXPECT_EQ(big_endian(curves.bytes, 20), 900U);
}

TEST(Draw, PdfIsOnePageWithoutADate) {
  for (const Picture& picture : draw_report(whole_report(), PictureFormat::kPdf, {})) {
    EXPECT_THAT(picture.bytes, StartsWith("%PDF-1.")) << picture.name;
    EXPECT_THAT(picture.bytes, HasSubstr("/Count 1")) << picture.name;
    EXPECT_THAT(picture.bytes, Not(HasSubstr("CreationDate"))) << picture.name;
  }
}

TEST(Draw, SameReportGivesTheSameBytes) {
  for (const auto format : {PictureFormat::kSvg, PictureFormat::kPng, PictureFormat::kPdf}) {
    const auto first = draw_report(whole_report(), format, {});
    const auto second = draw_report(whole_report(), format, {});
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].bytes, second[i].bytes);
  }
}

TEST(Draw, CurvePassesThroughItsPoints) {
  const std::string svg = curves_of(problem_figure());
  const auto red = strokes(svg, "2", kRed);
  ASSERT_THAT(red, SizeIs(2)) << "the line, and its sample beside the name";
  ASSERT_THAT(red[0], SizeIs(4));
  // The largest number is the upper end of the interval, 550; grid lines are at 0, 100, ...
  std::vector<double> levels, columns;
  for (const Path& line : strokes(svg, "0.9", kGrid)) {
    ASSERT_THAT(line, SizeIs(2));
    if (line[0].second == line[1].second) levels.push_back(line[0].second);
    if (line[0].first == line[1].first) columns.push_back(line[0].first);
  }
  ASSERT_THAT(levels, SizeIs(6));
  ASSERT_THAT(columns, SizeIs(5));  // 0, 10, ... 40
  const double expected[] = {100, 300, 450, 500};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(red[0][i].first, columns[i + 1], 0.01);
    EXPECT_NEAR(red[0][i].second, levels[0] + (levels[5] - levels[0]) * expected[i] / 500, 0.01);
  }
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray:4,2"));
}

TEST(Draw, LogarithmicCurveHasEqualStepsForEqualRatios) {
  ProblemFigure figure = problem_figure();
  figure.points = {1, 10, 100, 1000};
  figure.series = {series_of("Blue", {1, 10, 100, 1000})};
  const auto blue = strokes(curves_of(figure, {.log_axes = true}), "2", kBlue);
  ASSERT_THAT(blue.at(0), SizeIs(4));
  for (std::size_t i = 2; i < 4; ++i) {
    EXPECT_NEAR(blue[0][i].first - blue[0][i - 1].first, blue[0][1].first - blue[0][0].first, 0.02);
    EXPECT_NEAR(blue[0][i].second - blue[0][i - 1].second, blue[0][1].second - blue[0][0].second,
                0.02);
  }
}

TEST(Draw, LogarithmicCurveLeavesOutValuesThatAreNotPositive) {
  ProblemFigure figure = problem_figure();
  figure.series = {series_of("Blue", {0, 2, 30, 400})};
  EXPECT_THAT(strokes(curves_of(figure, {.log_axes = true}), "2", kBlue).at(0), SizeIs(3));
}

TEST(Draw, UniformPlayMayLeaveThePicture) {
  ProblemFigure figure = problem_figure();
  figure.series[0].agent_spec = "sample_mean+sau_ucb";
  const auto height_of_blue = [&] {
    return strokes(curves_of(figure), "2", kBlue).at(0).back().second;
  };
  const double squeezed = height_of_blue();
  figure.series[0].agent_spec = "sample_mean+uniform";
  EXPECT_LT(height_of_blue(), squeezed - 100);  // further up: the axis ends with the other line
}

TEST(Draw, UnfinishedSeriesAreDrawnAsFarAsTheyGo) {
  ProblemFigure figure = problem_figure();
  Series single = series_of("Blue", {1, 2, 5, 6});
  single.trials = 1;
  single.low.clear();
  single.high.clear();
  single.final_mean = {6, kNan, kNan};
  Series none;
  none.algorithm = "Red";
  none.asked = 5;
  figure.series = {single, none};
  figure.comparison.pairs.clear();
  const Report report = report_of(figure);
  EXPECT_THAT(strokes(svg_of(report, "p1-curves.svg"), "2", kBlue).at(0), SizeIs(4));
  EXPECT_THAT(strokes(svg_of(report, "p1-curves.svg"), "2", kRed), IsEmpty());
  EXPECT_EQ(nesting_fault(svg_of(report, "p1-distribution.svg")), "");
  EXPECT_THAT(draw_report(report, PictureFormat::kSvg, {}), SizeIs(2)) << "no differences";
}

TEST(Draw, EmptyFiguresAreDrawn) {
  ReportSection section;
  section.problems.resize(1);
  section.problems[0].comparison.pairs.push_back(
      {.mean = {kNan, kNan, kNan}, .median = {kNan, kNan, kNan}});
  section.parameters.resize(1);
  section.ranks.resize(1);
  section.times.resize(1);
  const Report report = report_of(std::move(section));
  EXPECT_THAT(draw_report(report, PictureFormat::kSvg, {}), SizeIs(6));
  for (const Picture& picture : draw_report(report, PictureFormat::kSvg, {})) {
    EXPECT_EQ(nesting_fault(picture.bytes), "") << picture.name;
    EXPECT_THAT(picture.bytes, Not(HasSubstr("nan"))) << picture.name;
  }
}

TEST(Draw, BrokenNumbersLeaveAGapInTheLine) {
  ProblemFigure figure = problem_figure();
  figure.points = {10, 20, 30, 40, 50};
  figure.series = {series_of("Blue", {1, 3, kNan, 3, 4})};
  const std::string svg = curves_of(figure);
  const auto blue = strokes(svg, "2", kBlue);
  ASSERT_THAT(blue, SizeIs(3)) << "two pieces, and the sample beside the name";
  EXPECT_LT(blue[0].back().first, blue[1].front().first);
  EXPECT_EQ(blue[0].back().second, blue[1].front().second);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Draw, BoxLiesBetweenTheQuartilesWithOnePointPerTrial) {
  const std::string svg = svg_of(whole_report(), "p1-distribution.svg");
  // The points range from 48 to 750, a factor below 20, so the axis is linear.
  const auto whiskers = strokes(svg, "1.4", kRed);
  ASSERT_GE(whiskers.size(), 4U);
  const auto length = [](const Path& path) { return path[1].first - path[0].first; };
  // The whiskers are 300 to 400 and 550 to 750.
  EXPECT_NEAR(length(whiskers[1]) / length(whiskers[0]), 2.0, 1e-3);
  std::size_t points = 0;
  for (std::size_t at = 0; (at = svg.find("fill-opacity:0.5;", at)) != std::string::npos; ++at) {
    ++points;
  }
  EXPECT_EQ(points, 10U);
}

TEST(Draw, IntervalOfADifferenceIsRelativeToTheReference) {
  // Blue has the least regret and is the reference, so Red is right of 0 with 300 to 500.
  const std::string svg = svg_of(whole_report(), "p1-differences.svg");
  const auto interval = strokes(svg, "2.4", kRed);
  ASSERT_THAT(interval, SizeIs(1));
  const auto zero = strokes(svg, "1.2", "rgb(11.372549%,12.941176%,14.901961%)");
  ASSERT_THAT(zero, SizeIs(1));
  const double left = interval[0][0].first - zero[0][0].first;
  const double right = interval[0][1].first - zero[0][0].first;
  EXPECT_GT(left, 0.0);
  EXPECT_NEAR(right / left, 500.0 / 300.0, 1e-3);
}

TEST(Draw, HeightFollowsTheRows) {
  ProblemFigure figure = problem_figure();
  const auto few = draw_report(report_of(figure), PictureFormat::kPng, {.pixels = 1});
  EXPECT_EQ(big_endian(few.at(0).bytes, 20), 400U);
  EXPECT_LT(big_endian(few.at(1).bytes, 20), 300U);
  for (int i = 0; i < 40; ++i) figure.series.push_back(series_of("Other", {1, 2, 3, 4}));
  const auto pictures = draw_report(report_of(figure), PictureFormat::kPng, {.pixels = 1});
  EXPECT_GT(big_endian(pictures.at(0).bytes, 20), 700U);
  EXPECT_GT(big_endian(pictures.at(1).bytes, 20), 1200U);
}

TEST(Draw, DarkPicturesHaveADarkBackgroundAndTheDarkColours) {
  const Report report = report_of(problem_figure());
  const std::string svg = svg_of(report, "p1-curves.svg", {.dark = true});
  EXPECT_THAT(svg, HasSubstr("fill:rgb(10.196078%,11.764706%,13.333333%)"));
  EXPECT_THAT(strokes(svg, "2", "rgb(0%,100%,0%)"), SizeIs(2));
  EXPECT_THAT(strokes(svg, "2", kRed), IsEmpty());
}

TEST(Draw, SizesThatCannotBeDrawnAreRefused) {
  const Report report = whole_report();
  const auto refusal = [&](DrawOptions options) {
    return error_of<UsageError>([&] { draw_report(report, PictureFormat::kPng, options); });
  };
  EXPECT_THAT(refusal({.width = 10}), HasSubstr("width of a picture is 10; expected 240 to 10000"));
  EXPECT_THAT(refusal({.height = 1e6}), HasSubstr("height"));
  EXPECT_THAT(refusal({.height = kNan}), HasSubstr("height"));
  EXPECT_THAT(refusal({.pixels = 0}), HasSubstr("pixels"));
}

TEST(ColumnFigure, HasTheWidthAndTheFontOfAColumn) {
  for (const double inches : {3.3, 6.8}) {
    const DrawOptions options = column_figure(inches, 8.0);
    const auto pictures = draw_report(two_problems(), PictureFormat::kPdf, options);
    const auto panels = std::ranges::find(pictures, "panels.pdf", &Picture::name);
    ASSERT_NE(panels, pictures.end());
    const std::string box = "/MediaBox [ 0 0 ";
    const std::size_t at = panels->bytes.find(box);
    ASSERT_NE(at, std::string::npos);
    EXPECT_NEAR(std::stod(panels->bytes.substr(at + box.size())), 72.0 * inches, 0.01);
    EXPECT_NEAR(13.0 * options.scale, 8.0, 1e-9);
    // A pixel is not a point, so a size in pixels would be a third too small.
    const std::string svg = svg_of(two_problems(), "panels.svg", options);
    const std::size_t given = svg.find(" width=\"");
    ASSERT_NE(given, std::string::npos);
    std::size_t used = 0;
    const std::string size = svg.substr(given + 8, 20);
    EXPECT_NEAR(std::stod(size, &used), 72.0 * inches, 0.01);
    EXPECT_EQ(size.substr(used, 3), "pt\"");
  }
  EXPECT_THAT(error_of([] { column_figure(3.3, 40.0); }), HasSubstr("font size"));
  EXPECT_THAT(error_of([] { column_figure(1.0, 12.0); }), HasSubstr("width"));
}

TEST(ColumnFigure, PanelsFitOnAPage) {
  Report report = two_problems();
  auto& problems = report.sections[0].problems;
  while (problems.size() < 7) {
    problems.push_back(problems[0]);
    problems.back().id = "p" + std::to_string(problems.size());
  }
  std::size_t pages = 0;
  for (const Picture& picture : draw_report(report, PictureFormat::kSvg, column_figure(3.3, 8.0))) {
    if (!picture.name.starts_with("panels")) continue;
    ++pages;
    const std::string height = " height=\"";
    EXPECT_LE(std::stod(picture.bytes.substr(picture.bytes.find(height) + height.size())), 648.0);
  }
  EXPECT_GT(pages, 1U);
  EXPECT_LT(pages, 7U);
}

TEST(Panels, HaveEveryProblemAndOneLegend) {
  const std::string panels = svg_of(two_problems(), "panels.svg");
  EXPECT_THAT(panels, HasSubstr("<title>2 problems</title>"));
  EXPECT_THAT(panels, HasSubstr(kRed));
  EXPECT_THAT(panels, HasSubstr(kBlue));
  EXPECT_EQ(panels, svg_of(two_problems(), "panels.svg"));
}

}  // namespace
}  // namespace sau
