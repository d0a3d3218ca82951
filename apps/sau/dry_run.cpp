#include "dry_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "progress.hpp"
#include "sau/run/memory.hpp"
#include "sau/run/plan.hpp"

namespace sau::cli {
namespace {

// Totals of one share of the plan.
struct Sum {
  std::string name;
  std::uint64_t cells = 0, trials = 0, present = 0, missing = 0, timed = 0, tried = 0;
  double steps = 0.0, seconds = 0.0;

  void add(const CellPlan& plan) {
    ++cells;
    trials += plan.cell.trials;
    present += std::min(plan.present, plan.cell.trials);
    missing += plan.missing();
    steps += static_cast<double>(plan.missing()) * static_cast<double>(plan.cell.steps);
    seconds += static_cast<double>(plan.missing()) * plan.seconds;
    if (plan.missing() > 0) ++(plan.timed ? timed : tried);
  }
};

// A cell in several shares counts in the first.
std::vector<Sum> sums_of(const Plan& plan, std::span<const Share> shares) {
  std::vector<Sum> sums;
  std::vector<bool> counted(plan.cells.size());
  for (const Share& share : shares) {
    Sum& sum = sums.emplace_back(Sum{.name = share.name});
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
      const bool here = std::ranges::any_of(
          share.cells, [&](const Cell& cell) { return cell.same_as(plan.cells[i].cell); });
      if (!here || counted[i]) continue;
      counted[i] = true;
      sum.add(plan.cells[i]);
    }
  }
  return sums;
}

std::string short_count(double count) {
  if (count >= 1e9) return fmt::format("{:.2f}G", count / 1e9);
  if (count >= 1e5) return fmt::format("{:.1f}M", count / 1e6);
  return fmt::format("{:.0f}", count);
}

std::string line_of(const Sum& sum, std::size_t width) {
  return fmt::format("  {:<{}}  {:>5}  {:>7}  {:>7}  {:>7}  {:>7}  {:>14}\n", sum.name, width,
                     sum.cells, sum.trials, sum.present, sum.missing, short_count(sum.steps),
                     duration(sum.seconds));
}

std::string cells_of(std::uint64_t count) {
  return fmt::format("{} cell{}", count, count == 1 ? "" : "s");
}

std::string basis_of(const Sum& all) {
  if (all.missing == 0) return "All trials are present.";
  std::string text = "Basis:";
  if (all.timed > 0) text += " the times in the folder for " + cells_of(all.timed);
  if (all.timed > 0 && all.tried > 0) text += ",";
  if (all.tried > 0) text += " the first steps of " + cells_of(all.tried) + ", played just now";
  return text + ".\nIt should be right within a third, if the cores are otherwise idle.";
}

nlohmann::ordered_json to_json(const Sum& sum) {
  return {{"name", sum.name},       {"cells", sum.cells},     {"trials", sum.trials},
          {"present", sum.present}, {"missing", sum.missing}, {"steps", sum.steps},
          {"seconds", sum.seconds}};
}

}  // namespace

int dry_run(const Experiment& experiment, const std::filesystem::path& folder,
            const LaboratoryFlags& flags, std::span<const Share> shares) {
  constexpr double kLongest = 0.05, kTogether = 2.0;  // processor seconds
  const double budget =
      std::min(kLongest, kTogether / static_cast<double>(1 + experiment.cells.size()));
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const unsigned threads = flags.threads == 0 ? cores : static_cast<unsigned>(flags.threads);
  const Players* ranks = players();
  check_memory(experiment, ranks == nullptr ? threads : ranks->most_on_one_machine(),
               machine_memory());
  Plan plan = make_plan(experiment, folder, static_cast<unsigned>(flags.threads), budget);
  if (ranks != nullptr) plan.threads = plan.at_once = ranks->count();
  const auto sums = sums_of(plan, shares);
  Sum all{.name = "together"};
  for (const CellPlan& cell : plan.cells) all.add(cell);
  if (flags.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Sum& sum : sums) list.push_back(to_json(sum));
    const nlohmann::ordered_json json = {{"folder", folder.string()},
                                         {"threads", plan.threads},
                                         {"parts", std::move(list)},
                                         {"together", to_json(all)},
                                         {"wall_seconds", plan.wall_seconds()}};
    std::fputs((json.dump(2) + "\n").c_str(), stdout);
    return 0;
  }
  std::size_t width = all.name.size();
  for (const Sum& sum : sums) width = std::max(width, sum.name.size());
  fmt::print("Nothing is run or written. {} would get:\n\n", folder.string());
  fmt::print("  {:<{}}  {:>5}  {:>7}  {:>7}  {:>7}  {:>7}  {:>14}\n", "", width, "cells", "trials",
             "present", "to run", "steps", "processor time");
  for (const Sum& sum : sums) std::fputs(line_of(sum, width).c_str(), stdout);
  if (sums.size() > 1) std::fputs(line_of(all, width).c_str(), stdout);
  fmt::print("\nAbout {} on {} {}{}. {}\n", duration(plan.wall_seconds()), plan.threads,
             ranks == nullptr ? "thread" : "playing rank", plan.threads == 1 ? "" : "s",
             basis_of(all));
  for (const Share& share : shares) {
    if (!share.remark.empty()) fmt::print("{}\n", share.remark);
  }
  return 0;
}

}  // namespace sau::cli
