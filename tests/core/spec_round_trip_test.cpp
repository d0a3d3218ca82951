#include <gtest/gtest.h>

#include <string>

#include "sau/agent/late.hpp"
#include "sau/core/spec.hpp"
#include "support/catalogue_types.hpp"
#include "support/random_options.hpp"

namespace sau {
namespace {

using testing::AsTestTypes;
using testing::ComponentNames;
using testing::RandomSettings;

// The spec written for random settings reads back to the same settings and the same spec.
// Combinations that check() refuses are drawn again.
template <class Options>
void expect_round_trip(std::string_view name) {
  RandomSettings random(3);
  int accepted = 0;
  for (int attempt = 0; attempt < 4000 && accepted < 500; ++attempt) {
    auto options = random.draw<Options>();
    if constexpr (requires { options.check(); }) {
      try {
        options.check();
      } catch (const UsageError&) {
        continue;
      }
    }
    ++accepted;
    const std::string written = write_spec(name, options);
    const Spec parsed = parse_spec(written);
    ASSERT_EQ(parsed.name, name);
    const auto back = read_options<Options>(name, parsed.params);
    ASSERT_EQ(write_spec(name, back), written);
    ASSERT_EQ(all_settings(back), all_settings(options)) << written;
  }
  EXPECT_GE(accepted, 100);
}

template <class T>
class SpecRoundTrip : public ::testing::Test {};

using Components = testing::detail::Concat<Models, Strategies>::type;
TYPED_TEST_SUITE(SpecRoundTrip, AsTestTypes<Components>::type, ComponentNames);

TYPED_TEST(SpecRoundTrip, RandomSettingsReadBackToThemselves) {
  expect_round_trip<typename TypeParam::Options>(TypeParam::kName);
}

// A separate suite, since a problem may have the same name as a model.
template <class T>
class ProblemRoundTrip : public ::testing::Test {};
TYPED_TEST_SUITE(ProblemRoundTrip, AsTestTypes<Problems>::type, ComponentNames);

TYPED_TEST(ProblemRoundTrip, RandomSettingsReadBackToThemselves) {
  expect_round_trip<typename TypeParam::Options>(TypeParam::kName);
}

TEST(LateRoundTrip, RandomSettingsReadBackToThemselves) { expect_round_trip<Lateness>("late"); }

struct TextOptions {
  std::string first = "x";
  std::string second;
  std::vector<double> list = {1.0};
  bool flag = true;
  double number = 0.0;
  void fields(auto&& field) {
    field("first", first, "a text");
    field("second", second, "another");
    field("list", list, "numbers of any size");
    field("flag", flag, "a switch");
    field("number", number, "of any size");
  }
};

TEST(SpecRoundTripOfText, QuotesBlanksAndEscapesSurvive) { expect_round_trip<TextOptions>("text"); }

TEST(SpecRoundTripOfText, EveryByteSurvives) {
  for (int code = 0; code < 256; ++code) {
    TextOptions options;
    options.first = std::string(1, static_cast<char>(code));
    options.second = "a" + options.first + "b";
    const Spec parsed = parse_spec(write_spec("text", options));
    const auto back = read_options<TextOptions>("text", parsed.params);
    EXPECT_EQ(back.first, options.first) << code;
    EXPECT_EQ(back.second, options.second) << code;
  }
}

TEST(SpecRoundTripOfText, SurvivesSplittingAtPlus) {
  RandomSettings random(11);
  for (int i = 0; i < 500; ++i) {
    const std::string one = write_spec("one", random.draw<TextOptions>());
    const std::string two = write_spec("two", random.draw<TextOptions>());
    EXPECT_EQ(split_specs(one + "+" + two, '+'), (std::vector<std::string>{one, two}));
  }
}

}  // namespace
}  // namespace sau
