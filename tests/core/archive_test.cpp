#include "sau/core/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

struct State {
  std::uint64_t step = 0;
  double scale = 0.0;
  float small = 0.0F;
  std::vector<double> mean = std::vector<double>(3);
  std::vector<float> weights = std::vector<float>(2);
  std::vector<double> none;

  static void state(auto& self, auto&& field) {
    field("step", self.step);
    field("scale", self.scale);
    field("small", self.small);
    field("mean", self.mean);
    field("weights", self.weights);
    field("none", self.none);
  }
};

State example() {
  return {.step = ~std::uint64_t{0},
          .scale = -0.1,
          .small = 0.3F,
          .mean = {1.0 / 3.0, -std::numeric_limits<double>::infinity(), 5e-324},
          .weights = {1e-30F, -2.0F},
          .none = {}};
}

std::string bytes_of(const State& value) {
  StateWriter writer;
  State::state(value, writer);
  return writer.bytes();
}

TEST(Archive, ReadsBackWhatWasWritten) {
  const std::string bytes = bytes_of(example());
  State back;
  StateReader reader(bytes);
  State::state(back, reader);
  reader.finish();
  EXPECT_EQ(back.step, ~std::uint64_t{0});
  EXPECT_EQ(back.small, 0.3F);
  EXPECT_EQ(back.mean, example().mean);
  EXPECT_EQ(bytes_of(back), bytes);
}

TEST(Archive, AFieldIsNameLengthAndLittleEndianContents) {
  StateWriter writer;
  writer("ab", std::uint64_t{0x0102});
  const std::string expected = std::string("\2\0\0\0\0\0\0\0ab", 10) +
                               std::string("\10\0\0\0\0\0\0\0", 8) +
                               std::string("\2\1\0\0\0\0\0\0", 8);
  EXPECT_EQ(writer.bytes(), expected);
}

TEST(Archive, AGeneratorContinuesWhereItWas) {
  Rng rng({.seed = 9, .trial = 8, .scope = 7, .role = Role::kServe});
  for (int i = 0; i < 13; ++i) rng.normal();
  StateWriter writer;
  writer("rng", rng);
  Rng back{Stream{}};
  StateReader reader(writer.bytes());
  reader("rng", back);
  EXPECT_EQ(back.stream(), rng.stream());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(back.bits(), rng.bits());
}

TEST(Archive, AnotherNameIsRefused) {
  StateWriter writer;
  writer("mean", 1.0);
  StateReader reader(writer.bytes());
  double value = 0.0;
  EXPECT_THAT(error_of([&] { reader("scale", value); }),
              HasSubstr("expected the field 'scale', found 'mean'"));
}

TEST(Archive, AnotherSizeIsRefused) {
  StateWriter writer;
  writer("mean", std::vector<double>(3));
  StateReader reader(writer.bytes());
  std::vector<double> two(2);
  EXPECT_THAT(error_of([&] { reader("mean", two); }),
              HasSubstr("the field 'mean' has 24 bytes, expected 16"));
}

TEST(Archive, EveryShorterTextIsRefused) {
  const std::string bytes = bytes_of(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    State back;
    StateReader reader(std::string_view(bytes).substr(0, size));
    EXPECT_NE(error_of([&] { State::state(back, reader); }), "") << size;
  }
}

TEST(Archive, LeftOverBytesAreRefused) {
  const std::string bytes = bytes_of(example()) + "xyz";
  State back;
  StateReader reader(bytes);
  State::state(back, reader);
  EXPECT_THAT(error_of([&] { reader.finish(); }), HasSubstr("3 bytes are left over"));
}

TEST(Archive, AnAbsurdLengthIsRefused) {
  const std::string bytes(64, '\xff');
  StateReader reader(bytes);
  double value = 0.0;
  EXPECT_THAT(error_of([&] { reader("mean", value); }), HasSubstr("it ends inside the field"));
}

}  // namespace
}  // namespace sau
