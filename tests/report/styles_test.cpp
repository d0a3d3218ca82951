#include "report/styles.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

namespace sau {
namespace {

using Colour = std::array<double, 3>;

Colour linear_rgb(const std::string& hex) {
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(hex.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    colour[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return colour;
}

Colour times(const std::array<Colour, 3>& matrix, const Colour& colour) {
  Colour result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * colour[j];
  }
  return result;
}

// A colour in OKLab (Ottosson 2020), where distances match what people see.
Colour oklab(const Colour& rgb) {
  Colour cones = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                         {0.2119034982, 0.6806995451, 0.1073969566},
                         {0.0883024619, 0.2817188376, 0.6299787005}}},
                       rgb);
  for (double& cone : cones) cone = std::cbrt(std::max(cone, 0.0));
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               cones);
}

// Full vision, and vision without each of the three kinds of cones (Machado et al. 2009).
constexpr std::array<std::array<Colour, 3>, 4> kVision = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};

// The distance for the kind of vision to which the two look most similar.
double distance(const std::string& a, const std::string& b) {
  double least = 1.0;
  for (const auto& vision : kVision) {
    std::array<Colour, 2> seen = {times(vision, linear_rgb(a)), times(vision, linear_rgb(b))};
    for (Colour& colour : seen) {
      for (double& c : colour) c = std::clamp(c, 0.0, 1.0);
      colour = oklab(colour);
    }
    least = std::min(least, std::hypot(seen[0][0] - seen[1][0], seen[0][1] - seen[1][1],
                                       seen[0][2] - seen[1][2]));
  }
  return least;
}

double luminance(const std::string& hex) {
  const Colour rgb = linear_rgb(hex);
  return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
}

// The contrast as WCAG 2.1 defines it: 3 is enough for lines and marks.
double contrast(const std::string& a, const std::string& b) {
  const double one = luminance(a) + 0.05, two = luminance(b) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

const std::vector<std::string> kTables = {"LinearPosterior", "LinearGreedy",   "NeuralLinear",
                                          "NeuralGreedy",    "Linear-SAU-S",   "Linear-SAU-UCB",
                                          "Neural-SAU-S",    "Neural-SAU-UCB", "Uniform"};
const std::vector<std::string> kBandits = {"SAU-UCB", "SAU-Sampling", "UCB1", "TS", "TSdiag"};

// A just noticeable difference is near 0.02 in OKLab; 0.07 leaves room for thin lines.
TEST(Styles, ColourBlindReadersCanDistinguishTheAlgorithmsOfAFigure) {
  for (const auto& names : {kTables, kBandits}) {
    const auto styles = detail::styles_of(names);
    for (std::size_t a = 0; a < styles.size(); ++a) {
      for (std::size_t b = a + 1; b < styles.size(); ++b) {
        EXPECT_GT(distance(styles[a].colour, styles[b].colour), 0.07)
            << styles[a].name << " " << styles[b].name;
        EXPECT_GT(distance(styles[a].dark_colour, styles[b].dark_colour), 0.07)
            << styles[a].name << " " << styles[b].name;
      }
    }
  }
}

TEST(Styles, StandOutFromTheBackground) {
  std::vector<std::string> names = kTables;
  names.insert(names.end(), kBandits.begin(), kBandits.end());
  for (const AlgorithmStyle& style : detail::styles_of(names)) {
    EXPECT_GE(contrast(style.colour, "#ffffff"), 2.95) << style.name;
    EXPECT_GE(contrast(style.dark_colour, "#161616"), 3.0) << style.name;
  }
}

TEST(Styles, AnAlgorithmAlwaysHasTheSameStyle) {
  const auto one = detail::styles_of(std::vector<std::string>{"TS"});
  const auto two = detail::styles_of(std::vector<std::string>{"mine", "Uniform", "TS"});
  EXPECT_EQ(one[0].colour, two[2].colour);
  EXPECT_EQ(one[0].shape, two[2].shape);
  EXPECT_EQ(two[0].name, "mine");
}

TEST(Styles, OtherAlgorithmsGetUnusedStyles) {
  std::vector<std::string> names = {"Neural-SAU-UCB", "UCB1", "Uniform"};
  for (int i = 0; i < 20; ++i) names.push_back("other " + std::to_string(i));
  std::set<std::pair<std::string, std::vector<int>>> looks;
  for (const AlgorithmStyle& style : detail::styles_of(names)) {
    looks.insert({style.colour, style.dash});
  }
  EXPECT_EQ(looks.size(), names.size());
}

// Beside all agents of the paper's tables one colour is free: variants share the others, dashed.
TEST(Styles, SeveralVariantsBesideAPaperDifferInColour) {
  std::vector<std::string> names = kTables;
  for (int i = 0; i < 7; ++i) names.push_back("variant " + std::to_string(i));
  std::set<std::pair<std::string, std::vector<int>>> looks;
  std::set<std::string> colours;
  const auto styles = detail::styles_of(names);
  for (const AlgorithmStyle& style : styles) looks.insert({style.colour, style.dash});
  for (std::size_t i = kTables.size(); i < styles.size(); ++i) colours.insert(styles[i].colour);
  EXPECT_EQ(looks.size(), names.size());
  EXPECT_GE(colours.size(), 6U);
}

}  // namespace
}  // namespace sau
