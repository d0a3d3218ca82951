#include "sau/serve_http/secret_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sau/core/file.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SecretFile, SaysWhoElseMayUseIt) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "keys";
  write_file(file, "secret");
  const auto with_mode = [&](unsigned mode) {
    std::filesystem::permissions(file, static_cast<std::filesystem::perms>(mode));
    return exposure_of(file);
  };
  for (const unsigned mode : {0400U, 0600U, 0640U, 0660U, 0601U}) EXPECT_EQ(with_mode(mode), "");
  EXPECT_THAT(with_mode(0644), AllOf(StartsWith(file.string()), HasSubstr("may read it (mode 644)"),
                                     HasSubstr("chmod 600")));
  for (const unsigned mode : {0666U, 0602U}) {
    EXPECT_THAT(testing::error_of([&] { with_mode(mode); }),
                AllOf(StartsWith(file.string()), HasSubstr("may write to it")));
  }
  EXPECT_EQ(exposure_of(folder.path() / "nowhere"), "") << "whoever reads it says that";
}

}  // namespace
}  // namespace sau
