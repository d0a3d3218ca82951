#include "theory_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sau/core/file.hpp"
#include "sau/core/version.hpp"
#include "sau/report/theory_text.hpp"
#include "sau/theory/theory.hpp"

namespace sau::cli {

MakeAddition theory_addition(std::uint64_t seed, std::uint64_t trials) {
  return [seed, trials](const std::filesystem::path& folder, const std::atomic<bool>& stop) {
    const auto checks = check_theory({.seed = seed, .trials = trials, .stop = &stop});
    if (checks.empty()) return Addition{};
    Addition addition{.key = "theory",
                      .json = theory_json(checks),
                      .text = theory_text(checks),
                      .good = std::ranges::none_of(checks, [](const TheoryCheck& check) {
                        return check.verdict == Verdict::kFails;
                      })};
    const nlohmann::ordered_json file = {
        {"format", "sau-theory"}, {"version", 1},
        {"sau", version()},       {"seed", seed},
        {"trials", trials},       {"checks", nlohmann::ordered_json::parse(addition.json)}};
    write_file(folder / "theory.json", file.dump(2) + "\n");
    write_file(folder / "theory.csv", theory_csv(checks));
    return addition;
  };
}

}  // namespace sau::cli
