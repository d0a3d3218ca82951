#include "sau/catalog/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sau/core/file.hpp"
#include "sau/core/version.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::play_steps;
using ::testing::StartsWith;
using testing::state_bytes;
using testing::TemporaryFolder;
using testing::World;

class Snapshot : public ::testing::TestWithParam<testing::PairCase> {};
INSTANTIATE_TEST_SUITE_P(Pairs, Snapshot, testing::every_pair(), testing::pair_name);

TEST_P(Snapshot, ALoadedAgentContinuesAsIfItHadNotStopped) {
  const TemporaryFolder folder;
  auto world = GetParam().world(4);
  const auto agent = GetParam().make(5);
  Rng rng({.seed = 3, .role = Role::kAgent});
  play_steps(*agent, world, rng, 123);
  save_agent(folder / "agent", *agent, rng);

  SavedAgent loaded = load_agent(folder / "agent");
  EXPECT_EQ(loaded.agent->spec(), agent->spec());
  EXPECT_EQ(loaded.agent->shape(), agent->shape());
  auto same_world = world;
  EXPECT_EQ(play_steps(*loaded.agent, same_world, loaded.rng, 300),
            play_steps(*agent, world, rng, 300));
  EXPECT_EQ(state_bytes(*loaded.agent), state_bytes(*agent));
  EXPECT_EQ(loaded.rng.position(), rng.position());
}

TEST_P(Snapshot, SavingAgainGivesTheSameBytes) {
  const TemporaryFolder folder;
  auto world = GetParam().world(4);
  const auto agent = GetParam().make(3);
  Rng rng({.seed = 3, .role = Role::kAgent});
  play_steps(*agent, world, rng, 40);
  save_agent(folder / "one", *agent, rng);
  const SavedAgent loaded = load_agent(folder / "one");
  save_agent(folder / "two", *loaded.agent, loaded.rng);
  EXPECT_EQ(read_file(folder / "one"), read_file(folder / "two"));
}

// The bytes of a small agent file.
std::string example(const TemporaryFolder& folder) {
  const auto agent = make_agent("sau_ucb(alpha=0.5)", {.shape = {.actions = 2}, .stream = {}});
  Rng rng({.seed = 1, .role = Role::kAgent});
  World<SampleMean> world(1);
  play_steps(*agent, world, rng, 10);
  save_agent(folder / "example", *agent, rng);
  return read_file(folder / "example");
}

std::string load_error(const std::filesystem::path& path) {
  return error_of([&] { load_agent(path); });
}

// Without the sync of write_file(): there are hundreds of them.
void put(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// The text with its checksum appended.
std::string sealed(std::string text) {
  const std::uint32_t check = crc32(text);
  return text.append(reinterpret_cast<const char*>(&check), sizeof check);
}

TEST(AgentFile, SaysWhatItIs) {
  const TemporaryFolder folder;
  EXPECT_THAT(example(folder), StartsWith("sau-agent 1\n"));
  const AgentFileInfo info = inspect_agent(folder / "example");
  EXPECT_EQ(info.format_version, 1U);
  EXPECT_EQ(info.sau_version, version());
  EXPECT_EQ(info.agent, "sample_mean+sau_ucb(alpha=0.5)");
  EXPECT_EQ(info.shape, (Shape{.actions = 2, .dim = 0}));
  EXPECT_GT(info.state_bytes, 0U);
  EXPECT_TRUE(is_agent_file(folder / "example"));
}

TEST(AgentFile, EveryShorterFileIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = example(folder);
  const auto path = folder / "short";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    put(path, std::string_view(bytes).substr(0, size));
    ASSERT_THAT(load_error(path), StartsWith(path.string() + ": ")) << size << " bytes";
  }
}

TEST(AgentFile, EveryChangedByteIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = example(folder);
  const auto path = folder / "changed";
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ bits);
      put(path, changed);
      ASSERT_THAT(load_error(path), StartsWith(path.string() + ": ")) << "byte " << place;
    }
  }
}

TEST(AgentFile, BytesAfterTheEndAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder / "long";
  write_file(path, example(folder) + "x");
  EXPECT_THAT(load_error(path), StartsWith(path.string() + ": "));
}

TEST(AgentFile, AForeignFileIsRefused) {
  const TemporaryFolder folder;
  for (const char* text : {"", "hello", "{\"agent\": 1}", "SAU-AGENT 1\n", "sau-agent"}) {
    write_file(folder / "foreign", text);
    EXPECT_THAT(load_error(folder / "foreign"), HasSubstr("is not a sau agent file"));
    EXPECT_FALSE(is_agent_file(folder / "foreign"));
  }
}

TEST(AgentFile, ANewerVersionIsRefusedNamingBoth) {
  const TemporaryFolder folder;
  std::string bytes = example(folder);
  bytes.replace(0, std::strlen("sau-agent 1"), "sau-agent 27");
  write_file(folder / "newer", bytes);
  const std::string error = load_error(folder / "newer");
  EXPECT_THAT(error, StartsWith((folder / "newer").string()));
  EXPECT_THAT(error, HasSubstr("has format version 27; this sau reads up to version 1"));
}

TEST(AgentFile, AVersionThatNeverWasIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = example(folder);
  bytes.replace(0, std::strlen("sau-agent 1"), "sau-agent 0");
  bytes.resize(bytes.size() - 4);
  write_file(folder / "zero", sealed(bytes));
  EXPECT_THAT(load_error(folder / "zero"), StartsWith((folder / "zero").string()));
}

// The checksum is right, the contents are not.
TEST(AgentFile, AStateOfAnotherShapeIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = example(folder);
  bytes.replace(bytes.find("\"actions\":2"), 11, "\"actions\":3");
  bytes.resize(bytes.size() - 4);
  write_file(folder / "shape", sealed(bytes));
  const std::string error = load_error(folder / "shape");
  EXPECT_THAT(error, StartsWith((folder / "shape").string()));
  EXPECT_THAT(error, HasSubstr("the field 'mean' has 16 bytes, expected 24"));
}

TEST(AgentFile, AnUnknownAgentIsRefusedWithTheFile) {
  const TemporaryFolder folder;
  std::string bytes = example(folder);
  bytes.replace(bytes.find("sau_ucb"), 7, "sau_ucx");
  bytes.resize(bytes.size() - 4);
  write_file(folder / "unknown", sealed(bytes));
  EXPECT_THAT(load_error(folder / "unknown"), StartsWith((folder / "unknown").string()));
  EXPECT_THAT(load_error(folder / "unknown"), HasSubstr("unknown strategy 'sau_ucx'"));
}

TEST(AgentFile, AHeaderThatIsNotJsonIsRefused) {
  const TemporaryFolder folder;
  for (const char* header : {"nonsense", "[]", "{}", "{\"agent\":3}", ""}) {
    write_file(folder / "header", sealed(std::string("sau-agent 1\n") + header + "\n"));
    EXPECT_THAT(load_error(folder / "header"), HasSubstr("its header cannot be read")) << header;
  }
}

TEST(AgentFile, AnUnwritableFolderIsNamedAndLeftAlone) {
  const TemporaryFolder folder;
  const auto path = folder / "missing" / "agent";
  const auto agent = make_agent("greedy", {.shape = {.actions = 2}, .stream = {}});
  EXPECT_THAT(error_of([&] { save_agent(path, *agent, Rng(Stream{})); }), HasSubstr(path.string()));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AgentFile, AMissingFileIsNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(load_error(folder / "none"), HasSubstr((folder / "none").string()));
  EXPECT_FALSE(is_agent_file(folder / "none"));
}

}  // namespace
}  // namespace sau
