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

struct Look {
  Colours colours;
  std::vector<int> dash;
};

// How other algorithms may look beside these, the best looks first: colours that no paper gives to
// any of these algorithms, and then every colour with dashes.
std::vector<Look> free_looks(std::span<const std::string> algorithms) {
  static const std::vector<std::vector<int>> kDashes = {{6, 3}, {2, 2}, {8, 2, 2, 2}};
  const auto given = [&](std::string_view colour, const std::vector<int>* dash) {
    return std::ranges::any_of(algorithms, [&](const std::string& name) {
      const AlgorithmStyle* known = known_style(name);
      return known != nullptr && known->colour == colour && (!dash || known->dash == *dash);
    });
  };
  std::vector<Look> looks;
  std::vector<Colours> order;  // for dashes: the colours that are not taken yet come last
  for (const Colours& colours : kColours) {
    if (!given(colours.light, nullptr)) {
      looks.push_back({colours, {}});
    } else {
      order.push_back(colours);
    }
  }
  for (const Look& look : std::vector(looks)) order.push_back(look.colours);
  for (const std::vector<int>& dash : kDashes) {
    for (const Colours& colours : order) {
      if (!given(colours.light, &dash)) looks.push_back({colours, dash});
    }
  }
  return looks;
}

}  // namespace

std::vector<AlgorithmStyle> styles_of(std::span<const std::string> algorithms) {
  const auto looks = free_looks(algorithms);
  std::vector<AlgorithmStyle> styles;
  std::size_t others = 0;
  for (const std::string& name : algorithms) {
    if (const AlgorithmStyle* known = known_style(name)) {
      styles.push_back(*known);
      continue;
    }
    const Look& look = looks[others % looks.size()];
    styles.push_back({.name = name,
                      .colour = std::string(look.colours.light),
                      .dark_colour = std::string(look.colours.dark),
                      .dash = look.dash,
                      .shape = std::string(kShapes[others % std::size(kShapes)])});
    ++others;
  }
  return styles;
}

}  // namespace sau::detail
