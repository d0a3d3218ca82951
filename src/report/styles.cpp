#include "report/styles.hpp"

#include <algorithm>
#include <iterator>

#include "sau/report/paper.hpp"

namespace sau::detail {
namespace {

struct Colours {
  std::string_view light, dark;
};
// For algorithms without a style from a paper; the most different colours come first. They were
// found by search, together with those of the built-in paper (tests/report/styles_test.cpp).
constexpr Colours kColours[] = {
    {"#5649d9", "#72aefb"}, {"#e77514", "#97822e"}, {"#258d64", "#aaf947"}, {"#161616", "#eeeeee"},
    {"#be56b4", "#b8589d"}, {"#2883fc", "#4186d7"}, {"#b33118", "#f3ae92"}, {"#8839a1", "#fec8fb"},
    {"#636363", "#9a9a9a"}, {"#70a168", "#87c01d"}};
constexpr std::string_view kShapes[] = {"square",         "circle",       "triangle-up",
                                        "diamond",        "cross",        "triangle-down",
                                        "triangle-right", "triangle-left"};

const AlgorithmStyle* known_style(std::string_view name) {
  for (const Paper& paper : papers()) {
    const auto found = std::ranges::find(paper.styles, name, &AlgorithmStyle::name);
    if (found != paper.styles.end()) return &*found;
  }
  return nullptr;
}

// The colours that no paper gives to any of these algorithms; all colours if none is left.
std::vector<Colours> free_colours(std::span<const std::string> algorithms) {
  std::vector<Colours> free(std::begin(kColours), std::end(kColours));
  for (const std::string& name : algorithms) {
    const AlgorithmStyle* known = known_style(name);
    if (known == nullptr) continue;
    std::erase_if(free, [&](const Colours& colours) { return colours.light == known->colour; });
  }
  if (free.empty()) free.assign(std::begin(kColours), std::end(kColours));
  return free;
}

}  // namespace

std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms) {
  const auto free = free_colours(algorithms);
  static const std::vector<std::vector<int>> kDashes = {{}, {6, 3}, {2, 2}, {8, 2, 2, 2}};
  std::vector<AlgorithmStyle> styles;
  std::size_t others = 0;
  for (const std::string& name : algorithms) {
    if (const AlgorithmStyle* known = known_style(name)) {
      styles.push_back(*known);
      continue;
    }
    const Colours& colours = free[others % free.size()];
    styles.push_back({.name = name,
                      .colour = std::string(colours.light),
                      .dark_colour = std::string(colours.dark),
                      .dash = kDashes[others / free.size() % kDashes.size()],
                      .shape = std::string(kShapes[others % std::size(kShapes)])});
    ++others;
  }
  return styles;
}

}  // namespace sau::detail
