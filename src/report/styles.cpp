#include "report/styles.hpp"

#include <algorithm>
#include <iterator>

namespace sau::detail {
namespace {

// The colours were found by search: readers with any of the three kinds of colour blindness tell
// those of one figure of the paper apart (tests/report/styles_test.cpp), and each has a contrast of
// 3 or more to its paper. In the paper's figures a hue is a way of exploring, dashes are linear
// models, and shapes do the same where there is no colour at all.
const std::vector<AlgorithmStyle>& paper_styles() {
  static const std::vector<AlgorithmStyle> kStyles = {
      {"Neural-SAU-S", "#b33118", "#f3ae92", {}, "circle"},
      {"Neural-SAU-UCB", "#5649d9", "#72aefb", {}, "square"},
      {"Linear-SAU-S", "#e77514", "#97822e", {6, 3}, "circle"},
      {"Linear-SAU-UCB", "#2883fc", "#4186d7", {6, 3}, "square"},
      {"NeuralLinear", "#258d64", "#aaf947", {}, "triangle-up"},
      {"LinearPosterior", "#70a168", "#87c01d", {6, 3}, "triangle-up"},
      {"NeuralGreedy", "#8839a1", "#fec8fb", {}, "diamond"},
      {"LinearGreedy", "#be56b4", "#b8589d", {6, 3}, "diamond"},
      {"Uniform", "#636363", "#9a9a9a", {2, 2}, "cross"},
      {"SAU-Sampling", "#95473b", "#e99f97", {}, "circle"},
      {"SAU-UCB", "#4d6eca", "#7fbcea", {}, "square"},
      {"TS", "#19a598", "#b2ea97", {6, 3}, "triangle-up"},
      {"TSdiag", "#778d47", "#8aaf1d", {2, 2}, "triangle-down"},
      {"UCB1", "#161616", "#eeeeee", {8, 2, 2, 2}, "cross"},
  };
  return kStyles;
}

// For other algorithms: the same colours, the most different ones first.
constexpr std::string_view kOrder[] = {
    "Neural-SAU-UCB", "Linear-SAU-S", "NeuralLinear", "UCB1",    "LinearGreedy",
    "Linear-SAU-UCB", "Neural-SAU-S", "NeuralGreedy", "Uniform", "LinearPosterior"};
constexpr std::string_view kShapes[] = {"square",         "circle",       "triangle-up",
                                        "diamond",        "cross",        "triangle-down",
                                        "triangle-right", "triangle-left"};

const AlgorithmStyle* known_style(std::string_view name) {
  const auto found = std::ranges::find(paper_styles(), name, &AlgorithmStyle::name);
  return found == paper_styles().end() ? nullptr : &*found;
}

}  // namespace

std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms) {
  std::vector<const AlgorithmStyle*> free;
  for (const std::string_view name : kOrder) {
    if (std::ranges::find(algorithms, name) == algorithms.end()) free.push_back(known_style(name));
  }
  if (free.empty()) {
    for (const std::string_view name : kOrder) free.push_back(known_style(name));
  }
  static const std::vector<std::vector<int>> kDashes = {{}, {6, 3}, {2, 2}, {8, 2, 2, 2}};
  std::vector<AlgorithmStyle> styles;
  std::size_t others = 0;
  for (const std::string& name : algorithms) {
    if (const AlgorithmStyle* known = known_style(name)) {
      styles.push_back(*known);
      continue;
    }
    AlgorithmStyle style = *free[others % free.size()];
    style.name = name;
    style.dash = kDashes[others / free.size() % kDashes.size()];
    style.shape = kShapes[others % std::size(kShapes)];
    styles.push_back(std::move(style));
    ++others;
  }
  return styles;
}

}  // namespace sau::detail
