// The reader of IDX files, on two images of two by two pixels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/loaders.hpp"
#include "support/errors.hpp"

namespace sau::detail {
namespace {

using sau::testing::error_of;
using ::testing::ElementsAre;

std::string word(unsigned value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U),
          static_cast<char>(value >> 8U), static_cast<char>(value)};
}

const std::string kImages =
    word(0x803) + word(2) + word(2) + word(2) + std::string("\x00\xff\x33\x00\x00\x00\x00\x66", 8);
std::string labels(const std::string& bytes) {
  return word(0x801) + word(static_cast<unsigned>(bytes.size())) + bytes;
}
const std::string kLabels = labels(std::string("\x07\x00", 2));

std::string reason(const std::string& bytes) {
  return error_of([&] { prepare_mnist(bytes, "digits"); });
}

TEST(Mnist, PixelsBecomeNumbersFromZeroToOne) {
  const std::string image = prepare_mnist(kImages + kLabels, "digits").image("");
  const Table table(image, "", nullptr);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.actions(), 10U);
  std::vector<double> x = table.start();
  std::vector<std::uint32_t> hot;
  table.expand(0, x, hot);
  EXPECT_THAT(x, ElementsAre(0.0, 1.0, 0.2F, 0.0));
  EXPECT_EQ(table.label(0), 7U);
  table.expand(1, x, hot);
  EXPECT_THAT(x, ElementsAre(0.0, 0.0, 0.0, 0.4F));
  EXPECT_EQ(table.label(1), 0U);
}

TEST(Mnist, DamagedFilesAreRefusedWithTheReason) {
  EXPECT_EQ(reason(""), "digits: ends after 0 bytes of 4");
  EXPECT_EQ(reason(kLabels), "digits: found no IDX header for 3 dimensions of bytes");
  EXPECT_EQ(reason(kImages.substr(0, 20)), "digits: ends after 4 bytes of 8");
  EXPECT_EQ(reason(kImages + labels("\x01")), "digits: not as many labels as images");
  EXPECT_EQ(reason(kImages + labels("\x01\x0a")), "digits: found the label 10, expected 0 to 9");
  EXPECT_EQ(reason(kImages + kLabels + "x"), "digits: something follows the labels");
  EXPECT_EQ(reason(word(0x803) + word(1) + word(1001) + word(1)),
            "digits: more than a million images, or larger than 1000 x 1000");
}

}  // namespace
}  // namespace sau::detail
