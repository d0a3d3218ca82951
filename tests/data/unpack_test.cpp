#include "sau/data/unpack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sau/core/file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

// Three lines "sample average uncertainty", packed with the usual tools.
constexpr const char* kGzip =
    "1f8b08000000000002032b4ecc2dc84955482c4b2d4a4c4f5528cd4b4e2d2a49cccc2ba9e42a264b0a0079bae306"
    "51000000";

constexpr const char* kXz =
    "fd377a585a0000016922de360200210116000000742fe5a3e0005000225d00399849feefe4eca4f2497b4a105486"
    "5c5e3f9b772cd77e4ee7fe821f4f945ca0000000000079bae30600013a51300a43199042990d010000000001595a";

// small.txt in a folder.
constexpr const char* kZip =
    "504b03041400000008000000210079bae306200000005100000010000000666f6c6465722f736d616c6c2e747874"
    "2b4ecc2dc84955482c4b2d4a4c4f5528cd4b4e2d2a49cccc2ba9e42a264b0a00504b010214031400000008000000"
    "210079bae3062000000051000000100000000000000000000000800100000000666f6c6465722f736d616c6c2e74"
    "7874504b050600000000010001003e0000004e0000000000";

// stored.txt uncompressed, and packed.txt.gz in a folder.
constexpr const char* kZipOfTwo =
    "504b0304140000000000000021000bf9435606000000060000000a00000073746f7265642e74787473746f726564"
    "504b0304140000000000000021000b08635632000000320000000f000000782f7061636b65642e7478742e677a1f"
    "8b08000000000002032b4ecc2dc84955482c4b2d4a4c4f5528cd4b4e2d2a49cccc2ba9e42a264b0a0079bae30651"
    "000000504b01021403140000000000000021000bf9435606000000060000000a0000000000000000000000800100"
    "00000073746f7265642e747874504b01021403140000000000000021000b08635632000000320000000f00000000"
    "0000000000000080012e000000782f7061636b65642e7478742e677a504b05060000000002000200750000008d00"
    "00000000";

// The numbers from 0 to 199, each followed by a blank. The codes grow from 9 to 10 bits.
constexpr const char* kLzw =
    "1f9d903040c4002103c40c103440d4006103c40d103840e4101830c6c01805631c8c9130c6c2180d633c8c1131c6"
    "441901650c945150c6411909652c94d150c6431911654c9c1170c6c01905671c9c9170c6c2190d673c9c1171c644"
    "1a01690ca45190c6411a09692ca4d190c6431a11694cac11b0c6c01a056b1cac91b0c6c21a0d6b3cac11b1c6441b"
    "016d0cb451d0c6411b096d2cb4d1d0c6431b116d4cbc11f0c6c01b056f1cbc91f0c6c21b0d6f3cbc11f1c6441c01"
    "710cc45110c7411c09712cc4d110c7431c11714ccc1130c7c01c05731ccc9130c7c21c0d733ccc1131c7c418302a"
    "c2b80823238c8d303ac2f80823248c91304ac2388e5ca045ef19357aefe8d17b4891de4b9a148892fd4596ec37c2"
    "64ff9126fb9138d91fe729d067ff8c42f5d79151fd85a4547f25392510540b5e44d5821b61b5e0475c2d3812580b"
    "1e479640667198915a1c76e4168721c9c56149760984978a17f1a5e24680a9f811612a8e84988ac7312690633b66"
    "24d98e1d59b663489aed589267028196e445a425b9116a497ec45a9223c196e471b409649b9619e9a66547be6919"
    "92705a96641c08";

// größe/möhre.txt, and b.txt.
constexpr const char* kZipOfUmlauts =
    "504b03041400000808000000210079bae3062000000051000000120000006772c3b6c39f652f6dc3b66872652e74"
    "78742b4ecc2dc84955482c4b2d4a4c4f5528cd4b4e2d2a49cccc2ba9e42a264b0a00504b03041400000008000000"
    "2100f9efbe71030000000100000005000000622e7478744b0200504b010214031400000808000000210079bae306"
    "20000000510000001200000000000000000000008001000000006772c3b6c39f652f6dc3b66872652e747874504b"
    "0102140314000000080000002100f9efbe710300000001000000050000000000000000000000800150000000622e"
    "747874504b0506000000000200020073000000760000000000";

// Compressed with a method that can demand any amount of memory.
constexpr const char* kZipWithLzma =
    "504b03043f0002000e000000210079bae306310000005100000005000000612e747874090405005d000080000039"
    "9849feefe4eca4f2497b4a1054865c5e3f9b772cd77e4ee7fe821f4f94c00b377fffcd206000504b01023f033f00"
    "02000e000000210079bae3063100000051000000050000000000000000000000800100000000612e747874504b05"
    "06000000000100010033000000540000000000";

// Only marked as encrypted.
constexpr const char* kZipEncrypted =
    "504b03041400010008000000210079bae306200000005100000005000000612e7478742b4ecc2dc84955482c4b2d"
    "4a4c4f5528cd4b4e2d2a49cccc2ba9e42a264b0a00504b010214031400010008000000210079bae3062000000051"
    "000000050000000000000000000000800100000000612e747874504b050600000000010001003300000043000000"
    "0000";

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string small_text() {
  const std::string line = "sample average uncertainty\n";
  return line + line + line;
}

std::string numbers() {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + " ";
  return text;
}

TEST(Unpack, ReadsEveryFormat) {
  for (const char* packed : {kGzip, kXz, kZip}) {
    EXPECT_EQ(unpack(bytes_of(packed), "it"), small_text());
  }
  EXPECT_EQ(unpack(bytes_of(kLzw), "it"), numbers());
  EXPECT_EQ(unpack("as it is", "it"), "as it is");
  EXPECT_EQ(unpack("", "it"), "");
}

TEST(Unpack, ReadsSeveralStreamsInARow) {
  const std::string text = small_text() + small_text();
  EXPECT_EQ(unpack(bytes_of(kGzip) + bytes_of(kGzip) + std::string(5, '\0'), "it"), text);
  EXPECT_EQ(unpack(bytes_of(kXz) + bytes_of(kXz), "it"), text);
}

TEST(Unpack, ReadsAMemberOfAZip) {
  EXPECT_EQ(unpack(bytes_of(kZipOfTwo), "it", "stored.txt"), "stored");
  EXPECT_EQ(unpack(bytes_of(kZipOfTwo), "it", "packed.txt"), small_text());
  EXPECT_THAT(error_of([] { unpack(bytes_of(kZipOfTwo), "it.zip", "packed"); }),
              HasSubstr("it.zip: the archive holds several files, none of them called 'packed': "
                        "stored.txt, x/packed.txt.gz"));
}

TEST(Unpack, ReadsAMemberWhoseNameIsNotAscii) {
  EXPECT_EQ(unpack(bytes_of(kZipOfUmlauts), "it", "möhre.txt"), small_text());
  EXPECT_EQ(unpack(bytes_of(kZipOfUmlauts), "it", "b.txt"), "b");
  EXPECT_THAT(error_of([] { unpack(bytes_of(kZipOfUmlauts), "it"); }),
              HasSubstr("größe/möhre.txt, b.txt"));
}

TEST(Unpack, AZipThatCannotBeReadSaysWhy) {
  EXPECT_THAT(error_of([] { unpack(bytes_of(kZipWithLzma), "it"); }),
              HasSubstr("cannot unpack it: the compression method 'lzma' is not supported"));
  EXPECT_THAT(error_of([] { unpack(bytes_of(kZipEncrypted), "it"); }),
              HasSubstr("cannot unpack it: the archive is encrypted"));
  EXPECT_THAT(error_of([] { unpack("PK\x05\x06" + std::string(18, '\0'), "it"); }),
              HasSubstr("cannot unpack it: the archive is empty"));
}

TEST(Unpack, TheNameOfTheFileSelectsTheMember) {
  const testing::TemporaryFolder place;
  write_file(place / "stored.txt.zip", bytes_of(kZipOfTwo));
  EXPECT_EQ(read_unpacked(place / "stored.txt.zip"), "stored");
  EXPECT_EQ(read_unpacked(place / "stored.txt.zip", "packed.txt"), small_text());
  EXPECT_THAT(error_of([&] { read_unpacked(place / "nothing"); }), HasSubstr("nothing"));
}

TEST(Unpack, OnlyRegularFilesBelowASizeLimitAreOpened) {
  const testing::TemporaryFolder place;
  ASSERT_EQ(::mkfifo((place / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_unpacked(place / "pipe"); }),
              HasSubstr("pipe: it is not a regular file"));
  write_file(place / "huge", "");
  std::filesystem::resize_file(place / "huge", kUnpackLimit + 1);
  EXPECT_THAT(error_of([&] { read_unpacked(place / "huge"); }),
              HasSubstr("huge: it has 2147483649 bytes, more than the limit of 2147483648"));
}

// Not for .Z: compress has no checksum and no end mark, so a cut file is just a shorter text.
TEST(Unpack, CutAtEveryByteIsAnError) {
  for (const char* packed : {kGzip, kXz, kZip}) {
    const std::string bytes = bytes_of(packed);
    for (std::size_t size = 6; size < bytes.size(); ++size) {
      EXPECT_THAT(error_of([&] { unpack(bytes.substr(0, size), "it"); }),
                  HasSubstr("cannot unpack it: "))
          << size;
    }
  }
  const std::string bytes = bytes_of(kLzw);
  for (std::size_t size = 3; size < bytes.size(); ++size) {
    EXPECT_TRUE(numbers().starts_with(unpack(bytes.substr(0, size), "it"))) << size;
  }
}

// Any byte may be wrong. The worst result must be an Error, or for .Z a wrong text.
TEST(Unpack, DamageAtEveryByteIsHarmless) {
  for (const char* packed : {kGzip, kXz, kZip, kZipOfTwo, kLzw}) {
    const std::string good = bytes_of(packed);
    for (std::size_t at = 2; at < good.size(); ++at) {
      for (const int flip : {1, 255}) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        error_of([&] { unpack(bytes, "it", "stored.txt"); });
      }
    }
  }
  std::string bytes = bytes_of(kGzip);
  bytes[bytes.size() - 6] ^= 1;  // the checksum
  EXPECT_THAT(error_of([&] { unpack(bytes, "it"); }), HasSubstr("damaged"));
}

TEST(Unpack, RefusesMoreThanTheLimit) {
  for (const char* packed : {kGzip, kXz, kZip}) {
    EXPECT_EQ(unpack(bytes_of(packed), "it", {}, 81), small_text());
    EXPECT_THAT(error_of([&] { unpack(bytes_of(packed), "it", {}, 80); }),
                HasSubstr("the limit of 80 bytes"));
  }
  EXPECT_THAT(error_of([&] { unpack(bytes_of(kLzw), "it", {}, 80); }), HasSubstr("limit"));
  EXPECT_THAT(error_of([&] { unpack("plain", "it", {}, 4); }), HasSubstr("limit"));
}

}  // namespace
}  // namespace sau
