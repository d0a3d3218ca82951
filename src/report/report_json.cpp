#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "sau/report/report.hpp"

namespace sau {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 6;  // enough for any figure; more would double the page

// Rounded; null for NaN and infinity.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits)
                       .ptr;
  double rounded = value;
  std::from_chars(text.data(), end, rounded);
  return rounded;
}
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}
// null if empty.
Json numbers_or_null(const std::vector<double>& values) {
  return values.empty() ? Json() : numbers(values);
}

std::string_view standing_name(Standing standing) {
  switch (standing) {
    case Standing::kBest:
      return "best";
    case Standing::kNear:
      return "near";
    case Standing::kOther:
      break;
  }
  return "other";
}

// Members of one struct, so that they can call each other in any order.
struct Writer {
  template <class T>
  static Json list_of(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(to_json(value));
    return list;
  }

  static Json to_json(const Estimate& e) {
    return {{"value", number(e.value)}, {"low", number(e.low)}, {"high", number(e.high)}};
  }
  static Json to_json(const PaperValue& value) {
    if (std::isnan(value.mean)) return nullptr;
    return {{"mean", number(value.mean)}, {"sem", number(value.sem)}};
  }

  static Json to_json(const AlgorithmStyle& style) {
    return {{"name", style.name},
            {"colour", style.colour},
            {"dark_colour", style.dark_colour},
            {"dash", style.dash},
            {"shape", style.shape}};
  }

  static Json to_json(const Series& series) {
    Json sample = Json::array();
    for (const auto& curve : series.sample) sample.push_back(numbers(curve));
    return {{"algorithm", series.algorithm},
            {"agent_spec", series.agent_spec},
            {"trials", series.trials},
            {"asked", series.asked},
            {"failed", series.failed},
            {"mean", numbers(series.mean)},
            {"low", numbers_or_null(series.low)},
            {"high", numbers_or_null(series.high)},
            {"median", numbers(series.median)},
            {"sample_trials", series.sample_trials},
            {"sample", std::move(sample)},
            {"final_mean", to_json(series.final_mean)},
            {"minimum", number(series.minimum)},
            {"whisker_low", number(series.whisker_low)},
            {"q25", number(series.q25)},
            {"final_median", number(series.final_median)},
            {"q75", number(series.q75)},
            {"whisker_high", number(series.whisker_high)},
            {"maximum", number(series.maximum)},
            {"points", numbers(series.points)},
            {"all_points", series.all_points},
            {"stuck", number(series.stuck)},
            {"seconds", number(series.seconds)},
            {"groups", to_json(series.groups)}};
  }
  static Json to_json(const std::optional<TwoGroups>& groups) {
    if (!groups) return {};
    return {{"low", number(groups->low)},
            {"high", number(groups->high)},
            {"share", number(groups->share)}};
  }

  static Json to_json(const PairComparison& pair) {
    return {{"a", pair.a},
            {"b", pair.b},
            {"trials", pair.trials},
            {"wins", pair.wins},
            {"ties", pair.ties},
            {"losses", pair.losses},
            {"mean", to_json(pair.mean)},
            {"median", to_json(pair.median)},
            {"p", number(pair.p)},
            {"exact", pair.exact},
            {"p_holm", number(pair.p_holm)}};
  }

  static Json to_json(const ProblemComparison& comparison) {
    return {{"problem", comparison.problem},         {"algorithms", comparison.algorithms},
            {"heavy_tails", comparison.heavy_tails}, {"heavy", comparison.heavy},
            {"resamples", comparison.resamples},     {"pairs", list_of(comparison.pairs)}};
  }

  static Json to_json(const ProblemFigure& figure) {
    return {{"id", figure.id},
            {"problem", figure.problem},
            {"title", figure.title},
            {"problem_spec", figure.problem_spec},
            {"note", figure.note},
            {"steps", figure.steps},
            {"points", figure.points},
            {"series", list_of(figure.series)},
            {"comparison", to_json(figure.comparison)},
            {"costs", figure.costs}};
  }

  static Json to_json(const ParameterFigure::Line& line) {
    return {{"algorithm", line.algorithm},
            {"regret", list_of(line.regret)},
            {"paper", list_of(line.paper)}};
  }
  static Json to_json(const ParameterFigure& figure) {
    return {{"id", figure.id},
            {"title", figure.title},
            {"parameter", figure.parameter},
            {"axis", figure.axis},
            {"values", numbers(figure.values)},
            {"lines", list_of(figure.lines)}};
  }

  static Json to_json(const MeanRank& mean) {
    return {{"algorithm", mean.algorithm},
            {"rank", to_json(mean.rank)},
            {"ranks", numbers(mean.ranks)}};
  }
  static Json to_json(const RankFigure& figure) {
    return {
        {"id", figure.id},
        {"title", figure.title},
        {"ranks",
         {{"problems", figure.ranks.problems}, {"algorithms", list_of(figure.ranks.algorithms)}}}};
  }

  static Json to_json(const TimeFigure::Point& point) {
    return {{"algorithm", point.algorithm},
            {"problem", point.problem},
            {"seconds", number(point.seconds)},
            {"regret", number(point.regret)}};
  }
  static Json to_json(const TimeFigure& figure) {
    return {{"id", figure.id},
            {"title", figure.title},
            {"axis", figure.axis},
            {"points", list_of(figure.points)}};
  }

  static Json to_json(const TableCell& cell) {
    const bool filled = cell.trials > 0;
    return {{"trials", cell.trials},
            {"failed", cell.failed},
            {"mean", filled ? number(cell.mean) : Json()},
            {"sem", number(cell.sem)},
            {"low", number(cell.low)},
            {"high", number(cell.high)},
            {"median", number(cell.median)},
            {"stuck", number(cell.stuck)},
            {"groups", to_json(cell.groups)},
            {"paper", cell.paper ? to_json(*cell.paper) : Json()},
            {"z", number(cell.z)},
            {"standing", standing_name(cell.standing)},
            {"agent_spec", cell.agent_spec},
            {"differs", cell.differs}};
  }
  static Json to_json(const Table& table) {
    return {{"kind", table_name(table.kind)}, {"title", table.title},
            {"problems", table.problems},     {"problem_specs", table.problem_specs},
            {"steps", table.steps},           {"algorithms", table.algorithms},
            {"cells", list_of(table.cells)},  {"notes", table.notes}};
  }

  static Json to_json(const ReportSection& section) {
    return {{"id", section.id},
            {"title", section.title},
            {"text", section.text},
            {"problems", list_of(section.problems)},
            {"parameters", list_of(section.parameters)},
            {"ranks", list_of(section.ranks)},
            {"times", list_of(section.times)},
            {"tables", list_of(section.tables)}};
  }

  static Json to_json(const ReportRun& run) {
    return {{"folder", run.folder},     {"version", run.version}, {"machine", run.machine},
            {"finished", run.finished}, {"seed", run.seed},       {"trials", run.trials},
            {"asked", run.asked}};
  }

  static Json to_json(const TheoryCheck& check) {
    return {{"id", check.id},
            {"where", check.where},
            {"statement", check.statement},
            {"statistic", check.statistic},
            {"value", number(check.value)},
            {"relation", relation_name(check.relation)},
            {"expected", number(check.expected)},
            {"tolerance", number(check.tolerance)},
            {"reason", check.reason},
            {"verdict", verdict_name(check.verdict)},
            {"note", check.note}};
  }

  static Json to_json(const Difference& difference) {
    return {{"id", difference.id}, {"title", difference.title}, {"text", difference.text}};
  }
};

}  // namespace

std::string report_json(const Report& report) {
  const Json json = {{"format", "sau-report"},
                     {"format_version", 1},
                     {"title", report.title},
                     {"version", report.version},
                     {"paper", report.paper},
                     {"runs", Writer::list_of(report.runs)},
                     {"notes", report.notes},
                     {"algorithms", Writer::list_of(report.algorithms)},
                     {"sections", Writer::list_of(report.sections)},
                     {"theory", Writer::list_of(report.theory)},
                     {"differences", Writer::list_of(report.differences)}};
  // A folder name may hold bytes that are not UTF-8; they become replacement characters.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sau
