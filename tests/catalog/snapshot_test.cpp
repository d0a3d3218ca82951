#include "sau/catalog/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "sau/core/container.hpp"
#include "sau/core/file.hpp"
#include "sau/core/version.hpp"
#include "support/catalogue_types.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_paths.hpp"

namespace sau {
namespace {

using testing::AnyWorld;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::play_steps;
using ::testing::StartsWith;
using testing::state_bytes;
using testing::TemporaryFolder;

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
  AnyWorld world(0, SampleMean::kRewards, 1);
  play_steps(*agent, world, rng, 10);
  save_agent(folder / "example", *agent, rng);
  return read_file(folder / "example");
}

std::string load_error(const std::filesystem::path& path) {
  return error_of([&] { load_agent(path); });
}

// Three actions by id, learned from in turn.
void learn_some(OfferAgent& agent, int steps) {
  for (int i = 0; i < steps; ++i) {
    const std::string id(1, static_cast<char>('a' + i % 3));
    const OfferedAction action{.id = id, .features = {}};
    agent.learn({}, action, 0.25, i % 3 == 0 ? 1.0 : 0.0);
  }
}

TEST(AgentFile, AnAgentWhoseActionsAreOfferedByIdContinues) {
  const TemporaryFolder folder;
  for (const char* spec : {"hashed_linear+sau_sampling", "linear+sau_ucb", "hashed_mlp+greedy"}) {
    const auto agent = make_offer_agent(spec, std::uint64_t{7});
    learn_some(*agent, 30);
    Rng rng({.seed = 7, .role = Role::kAgent});
    rng.seek(3);
    save_agent(folder / "agent", *agent, rng);
    const SavedOfferAgent loaded = load_offer_agent(folder / "agent");
    EXPECT_EQ(loaded.agent->spec(), agent->spec());
    EXPECT_EQ(loaded.rng.position(), 3U);
    learn_some(*agent, 30);
    learn_some(*loaded.agent, 30);
    EXPECT_EQ(state_bytes(*loaded.agent), state_bytes(*agent)) << spec;
    EXPECT_THAT(load_error(folder / "agent"), HasSubstr("offered by id"));
  }
  example(folder);
  EXPECT_THAT(error_of([&] { load_offer_agent(folder / "example"); }), HasSubstr("fixed set"));
}

// Joint models keep nothing for actions that were never played.
TEST(AgentFile, AFreshJointAgentWithManyActionsIsRead) {
  const TemporaryFolder folder;
  for (const char* spec : {"hashed_linear+greedy", "linear+greedy+ids"}) {
    const auto agent = make_agent(spec, {.shape = {.actions = 2000, .dim = 3}, .stream = {}});
    save_agent(folder / "agent", *agent, Rng({.seed = 1, .role = Role::kAgent}));
    EXPECT_EQ(load_agent(folder / "agent").agent->shape(), agent->shape()) << spec;
  }
}

// The same file after a change of its text, with a new checksum.
std::string changed(std::string bytes, std::string_view from, std::string_view to) {
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  return finish_container(bytes.replace(bytes.find(from), from.size(), to));
}

TEST(AgentFile, DescribesItself) {
  const TemporaryFolder folder;
  const std::string bytes = example(folder);
  const Container file = open_container(bytes, "example", kAgentFile);
  EXPECT_EQ(file.header,
            "{\"sau\":\"" + std::string(version()) +
                "\",\"agent\":\"sample_mean+sau_ucb(alpha=0.5)\",\"actions\":2,\"dim\":0}");
  EXPECT_EQ(StateReader(file.payload).skip().name, "rng");
}

// The example of docs/formats/agent.md, written when agent files had version 1.
TEST(AgentFile, AFileOfVersion1IsReadAndWrittenInTheNewVersion) {
  const TemporaryFolder folder;
  const std::filesystem::path old = std::string(testing::test_data_folder()) + "/version_1.agent";
  const SavedAgent saved = load_agent(old);
  EXPECT_EQ(saved.agent->spec(), "sample_mean+sau_ucb");
  save_agent(folder / "anew", *saved.agent, saved.rng);
  const std::string before = read_file(old), after = read_file(folder / "anew");
  EXPECT_EQ(open_container(before, "before").payload, open_container(after, "after").payload);
  EXPECT_EQ(open_container(after, "after").version, 2U);
}

TEST(AgentFile, ADamagedOrForeignFileIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = example(folder), path = folder / "refused";
  for (const std::string& wrong :
       {std::string("hello"), bytes.substr(0, bytes.size() / 2), bytes + "x",
        finish_container(begin_container(kModelFile, "{}"))}) {
    write_file(path, wrong);
    EXPECT_THAT(load_error(path), StartsWith(path + ": is "));
  }
}

// The checksum is right, the contents are not.
TEST(AgentFile, AStateOfAnotherShapeIsRefused) {
  const TemporaryFolder folder;
  write_file(folder / "shape", changed(example(folder), "\"actions\":2", "\"actions\":3"));
  const std::string error = load_error(folder / "shape");
  EXPECT_THAT(error, StartsWith((folder / "shape").string()));
  EXPECT_THAT(error, HasSubstr("the field 'mean' has 16 bytes, expected 24"));
}

TEST(AgentFile, TheErrorForAnUnknownAgentNamesTheFile) {
  const TemporaryFolder folder;
  write_file(folder / "unknown", changed(example(folder), "sau_ucb", "sau_ucx"));
  EXPECT_THAT(load_error(folder / "unknown"), StartsWith((folder / "unknown").string()));
  EXPECT_THAT(load_error(folder / "unknown"), HasSubstr("unknown strategy 'sau_ucx'"));
}

TEST(AgentFile, AHeaderThatIsNotJsonIsRefused) {
  const TemporaryFolder folder;
  for (const char* header : {"nonsense", "[]", "{}", "{\"agent\":3}", "",
                             "{\"agent\":\"greedy\",\"actions\":-1,\"dim\":0}"}) {
    write_file(folder / "header", finish_container(begin_container(kAgentFile, header)));
    EXPECT_THAT(load_error(folder / "header"), HasSubstr("its header cannot be read")) << header;
  }
}

TEST(AgentFile, ImpossibleShapesAreRefusedBeforeAllocating) {
  const TemporaryFolder folder;
  for (const char* shape : {"4000000000,\"dim\":0}", "0,\"dim\":5000000000}"}) {
    const std::string header = std::string(R"({"agent":"greedy","actions":)") + shape;
    write_file(folder / "huge", finish_container(begin_container(kAgentFile, header)));
    EXPECT_THAT(load_error(folder / "huge"), HasSubstr("0 bytes of state cannot hold")) << header;
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
}

}  // namespace
}  // namespace sau
