#include "report/styles.hpp"

#include <algorithm>
#include <iterator>

namespace sau::detail {
namespace {

struct Look {
  std::string_view name, colour, dark_colour;
  std::vector<int> dash;
  std::string_view shape;
};

const std::vector<Look>& paper_looks() {
  static const std::vector<Look> kLooks = {
      {"Neural-SAU-S", "#d55e00", "#ff8a3d", {}, "circle"},
      {"Neural-SAU-UCB", "#0072b2", "#4aa8e8", {}, "square"},
      {"Linear-SAU-S", "#b8860b", "#e6b94d", {6, 3}, "circle"},
      {"Linear-SAU-UCB", "#3f9fd8", "#9fd4f5", {6, 3}, "square"},
      {"NeuralLinear", "#007a5a", "#2fc79b", {}, "triangle-up"},
      {"LinearPosterior", "#5aa02c", "#a5d977", {6, 3}, "triangle-up"},
      {"NeuralGreedy", "#8e3a7c", "#d88bc6", {}, "diamond"},
      {"LinearGreedy", "#c46aa6", "#f0b6dc", {6, 3}, "diamond"},
      {"Uniform", "#7f7f7f", "#a8a8a8", {2, 2}, "cross"},
      {"SAU-Sampling", "#e07b39", "#ffa766", {8, 2, 2, 2}, "circle"},
      {"SAU-UCB", "#2b5fa8", "#7fb0f0", {8, 2, 2, 2}, "square"},
      {"TS", "#2e8b57", "#6fd6a0", {4, 2}, "triangle-up"},
      {"TSdiag", "#7a9a01", "#c3dc5a", {2, 3}, "triangle-down"},
      {"UCB1", "#333333", "#e8e8e8", {10, 3}, "cross"},
  };
  return kLooks;
}

const std::vector<Look>& other_looks() {
  static const std::vector<Look> kLooks = {
      {"", "#0072b2", "#4aa8e8", {}, "square"},
      {"", "#d55e00", "#ff8a3d", {}, "circle"},
      {"", "#007a5a", "#2fc79b", {}, "triangle-up"},
      {"", "#8e3a7c", "#d88bc6", {}, "diamond"},
      {"", "#b8860b", "#e6b94d", {}, "cross"},
      {"", "#333333", "#e8e8e8", {}, "triangle-down"},
      {"", "#3f9fd8", "#9fd4f5", {}, "triangle-right"},
      {"", "#c46aa6", "#f0b6dc", {}, "triangle-left"},
  };
  return kLooks;
}

AlgorithmStyle style(const std::string& name, const Look& look) {
  return {name, std::string(look.colour), std::string(look.dark_colour), look.dash,
          std::string(look.shape)};
}

}  // namespace

std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms) {
  std::vector<AlgorithmStyle> styles;
  const auto& known = paper_looks();
  const auto taken = [&](const Look& look) {
    return std::ranges::any_of(algorithms, [&](const std::string& name) {
      const auto own = std::ranges::find(known, name, &Look::name);
      return own != known.end() && own->colour == look.colour;
    });
  };
  std::vector<Look> free;
  std::ranges::remove_copy_if(other_looks(), std::back_inserter(free), taken);
  if (free.empty()) free = other_looks();
  static const std::vector<std::vector<int>> kDashes = {{}, {6, 3}, {2, 2}, {8, 2, 2, 2}};
  std::size_t others = 0;
  for (const std::string& name : algorithms) {
    const auto own = std::ranges::find(known, name, &Look::name);
    if (own != known.end()) {
      styles.push_back(style(name, *own));
      continue;
    }
    styles.push_back(style(name, free[others % free.size()]));
    styles.back().dash = kDashes[others / free.size() % kDashes.size()];
    ++others;
  }
  return styles;
}

}  // namespace sau::detail
