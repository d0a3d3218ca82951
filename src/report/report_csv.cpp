#include <fmt/format.h>

#include <utility>

#include "report/escape.hpp"
#include "sau/report/report.hpp"
#include "sau/report/theory_text.hpp"

namespace sau {
namespace {

using detail::csv_number;
using detail::csv_text;

template <class Visit>
void each_figure(const Report& report, const Visit& visit) {
  for (const ReportSection& section : report.sections) {
    for (const ProblemFigure& figure : section.problems) visit(section, figure);
  }
}

std::string three(const Estimate& estimate) {
  return csv_number(estimate.value) + "," + csv_number(estimate.low) + "," +
         csv_number(estimate.high);
}

std::string curves(const Report& report) {
  std::string text = "section,problem,steps,algorithm,step,mean,low,high,median\n";
  each_figure(report, [&](const ReportSection& section, const ProblemFigure& figure) {
    for (const Series& series : figure.series) {
      const std::string start =
          fmt::format("{},{},{},{}", csv_text(section.id), csv_text(figure.problem), figure.steps,
                      csv_text(series.algorithm));
      for (std::size_t i = 0; i < figure.points.size(); ++i) {
        text += fmt::format(
            "{},{},{},{},{},{}\n", start, figure.points[i], csv_number(series.mean[i]),
            series.low.empty() ? "" : csv_number(series.low[i]),
            series.high.empty() ? "" : csv_number(series.high[i]), csv_number(series.median[i]));
      }
    }
  });
  return text;
}

std::string finals(const Report& report) {
  std::string text =
      "section,problem,steps,algorithm,agent_spec,trials,asked,failed,mean,low,high,minimum,"
      "whisker_low,q25,median,q75,whisker_high,maximum,stuck,seconds\n";
  each_figure(report, [&](const ReportSection& section, const ProblemFigure& figure) {
    for (const Series& series : figure.series) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{}", csv_text(section.id), csv_text(figure.problem),
                      figure.steps, csv_text(series.algorithm), csv_text(series.agent_spec),
                      series.trials, series.asked, series.failed, three(series.final_mean));
      for (const double value :
           {series.minimum, series.whisker_low, series.q25, series.final_median, series.q75,
            series.whisker_high, series.maximum, series.stuck, series.seconds}) {
        text += "," + csv_number(value);
      }
      text += "\n";
    }
  });
  return text;
}

std::string comparisons(const Report& report) {
  std::string text =
      "section,problem,steps,a,b,trials,wins,ties,losses,mean,mean_low,mean_high,median,"
      "median_low,median_high,p,exact,p_holm,heavy_tails\n";
  each_figure(report, [&](const ReportSection& section, const ProblemFigure& figure) {
    const ProblemComparison& comparison = figure.comparison;
    for (const PairComparison& pair : comparison.pairs) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{:d},{},{:d}\n", csv_text(section.id),
          csv_text(figure.problem), figure.steps, csv_text(comparison.algorithms[pair.a]),
          csv_text(comparison.algorithms[pair.b]), pair.trials, pair.wins, pair.ties, pair.losses,
          three(pair.mean), three(pair.median), csv_number(pair.p), pair.exact,
          csv_number(pair.p_holm), comparison.heavy_tails);
    }
  });
  return text;
}

std::string ranks(const Report& report) {
  std::string text = "figure,algorithm,mean_rank,low,high,problem,rank\n";
  for (const ReportSection& section : report.sections) {
    for (const RankFigure& figure : section.ranks) {
      for (const MeanRank& mean : figure.ranks.algorithms) {
        for (std::size_t i = 0; i < figure.ranks.problems.size(); ++i) {
          text += fmt::format("{},{},{},{},{}\n", csv_text(figure.id), csv_text(mean.algorithm),
                              three(mean.rank), csv_text(figure.ranks.problems[i]),
                              csv_number(mean.ranks[i]));
        }
      }
    }
  }
  return text;
}

std::string times(const Report& report) {
  std::string text = "figure,axis,problem,algorithm,seconds,regret\n";
  for (const ReportSection& section : report.sections) {
    for (const TimeFigure& figure : section.times) {
      for (const TimeFigure::Point& point : figure.points) {
        text += fmt::format("{},{},{},{},{},{}\n", csv_text(figure.id), csv_text(figure.axis),
                            csv_text(point.problem), csv_text(point.algorithm),
                            csv_number(point.seconds), csv_number(point.regret));
      }
    }
  }
  return text;
}

}  // namespace

std::vector<ReportFile> report_csv(const Report& report) {
  std::vector<Table> tables;
  for (const ReportSection& section : report.sections) {
    tables.insert(tables.end(), section.tables.begin(), section.tables.end());
  }
  std::string notes = report.title + "\n";
  for (const std::string& note : report.notes) notes += note + "\n";
  std::vector<ReportFile> files = {{"notes.txt", std::move(notes)},
                                   {"tables.csv", table_csv(tables)},
                                   {"curves.csv", curves(report)},
                                   {"final.csv", finals(report)},
                                   {"comparisons.csv", comparisons(report)},
                                   {"ranks.csv", ranks(report)},
                                   {"times.csv", times(report)}};
  if (!report.theory.empty()) files.push_back({"theory.csv", theory_csv(report.theory)});
  return files;
}

}  // namespace sau
