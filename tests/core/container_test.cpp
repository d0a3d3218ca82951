#include "sau/core/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

#include "sau/core/file.hpp"
#include "support/errors.hpp"
#include "support/test_paths.hpp"

namespace sau {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file_of(const FileKind& kind, std::string_view header, std::string_view payload) {
  return finish_container(begin_container(kind, header).append(payload));
}

std::string state_file(const FileKind& kind = kAgentFile) {
  StateWriter state;
  state("answer", std::uint64_t{42});
  return file_of(kind, R"({"a":1})", state.bytes());
}

// The bytes with another version number and the right checksum.
std::string with_version(std::string bytes, std::uint32_t version) {
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  std::memcpy(bytes.data() + 16, &version, sizeof version);
  return finish_container(std::move(bytes));
}

// The error for a damaged file; empty if it is good, or refused for another reason.
std::string damage_in(std::string_view bytes) {
  return error_of<DamagedFile>([&] { open_container(bytes, "a file"); });
}

std::string refusal_of(std::string_view bytes, const FileKind& kind) {
  try {
    open_container(bytes, "a file", kind);
  } catch (const Error& error) {
    return typeid(error) == typeid(Error) ? error.what() : "damaged";
  }
  return "";
}

TEST(Container, ReadsBackWhatWasWritten) {
  for (const std::string header : {"", "{}", R"({"key":"long enough for two"})"}) {
    for (const std::string payload : {"", "x", "a payload\nof two lines"}) {
      const std::string bytes = file_of(kTableFile, header, payload);
      const Container file = open_container(bytes, "a file", kTableFile);
      EXPECT_EQ(file.kind.name, "table");
      EXPECT_EQ(file.version, kTableFile.version);
      EXPECT_EQ(file.header, header);
      EXPECT_EQ(file.payload, payload);
      EXPECT_EQ((file.payload.data() - bytes.data()) % 8, 0);
      EXPECT_EQ(open_container(bytes, "a file").payload, payload);
    }
  }
}

// The example of docs/formats/container.md.
TEST(Container, BytesAreAsDocumented) {
  using namespace std::string_view_literals;
  EXPECT_EQ(file_of(kAgentFile, R"({"a":1})", "abc"),
            "sau-fileagent\0\0\0"
            "\2\0\0\0"
            "\7\0\0\0"
            "\3\0\0\0\0\0\0\0"
            "{\"a\":1}\0"
            "abc"
            "\x16\xe4\xaa\xb0\x64\xd3\x0c\xfb"sv);
}

TEST(Container, EveryShorterAndEveryChangedFileIsDamaged) {
  const std::string data = testing::test_data_folder();
  for (const std::string& good :
       {state_file(), file_of(kModelFile, "{}", ""), read_file(data + "/version_1.agent"),
        read_file(data + "/service_v2/model.sau")}) {
    const std::size_t step = good.size() / 1000 + 1;  // most of the model file is zeros
    for (std::size_t i = 0; i < good.size(); i += step) {
      ASSERT_THAT(damage_in(good.substr(0, i)), StartsWith("a file: ")) << i;
      for (const int bits : {0x01, 0x80, 0xff}) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ bits);
        ASSERT_THAT(damage_in(changed), StartsWith("a file: ")) << i;
      }
    }
    EXPECT_NE(damage_in(good + "x"), "");
  }
}

TEST(Container, TheErrorNamesTheFirstThingThatIsWrong) {
  const std::string good = state_file();
  EXPECT_THAT(damage_in(""), HasSubstr("is not a sau file"));
  EXPECT_THAT(damage_in("Dear sau,"), HasSubstr("is not a sau file"));
  EXPECT_THAT(error_of([] { open_container("", "a file", kModelFile); }),
              HasSubstr("a file: is not a sau model file: "));
  EXPECT_THAT(damage_in("sau-file"), HasSubstr("is cut short"));
  EXPECT_THAT(damage_in(good.substr(0, 40)), HasSubstr("is cut short: it has 40 bytes"));
  EXPECT_THAT(damage_in(good.substr(0, good.size() - 1)), HasSubstr("is cut short"));
  EXPECT_THAT(damage_in(good + "abc"), HasSubstr("bytes follow after its end"));
  std::string changed = good;
  changed[50] ^= 1;
  EXPECT_THAT(damage_in(changed), HasSubstr("its checksum is wrong"));
}

// Such a file is intact: code that replaces damaged files must leave it alone.
TEST(Container, AnotherKindOrVersionIsNotDamage) {
  EXPECT_EQ(refusal_of(state_file(kAgentFile), kAgentFile), "");
  EXPECT_EQ(refusal_of(state_file(kAgentFile), kModelFile),
            "a file: is a file of the kind 'agent'; expected 'model'");
  EXPECT_EQ(refusal_of(read_file(std::string(testing::test_data_folder()) + "/version_1.agent"),
                       kModelFile),
            "a file: is a file of the kind 'agent'; expected 'model'");
  EXPECT_EQ(refusal_of(with_version(state_file(), 27), kAgentFile),
            "a file: is of version 27 of agent files; this sau reads versions 1 to 2");
  EXPECT_EQ(refusal_of(with_version(state_file(kTableFile), 2), kTableFile),
            "a file: is of version 2 of table files; this sau reads versions 3 to 3");
  EXPECT_THAT(error_of([] {
                open_container(file_of({"poem", 1, 1}, "{}", ""), "a file");
              }),
              HasSubstr("is a file of the kind 'poem'"));
}

TEST(Container, AStateIsReadToItsEnd) {
  const std::string bytes = state_file();
  const Container file = open_container(bytes, "a file");
  std::uint64_t answer = 0;
  file.read_state([&](StateReader& reader) { reader("answer", answer); });
  EXPECT_EQ(answer, 42U);
  EXPECT_THAT(error_of([&] { file.read_state([](StateReader&) {}); }),
              HasSubstr("a file: cannot be loaded: "));
  EXPECT_THAT(error_of([&] { file.read_state([&](StateReader& r) { r("question", answer); }); }),
              HasSubstr("expected the field 'question'"));
  EXPECT_THAT(error_of([&] { file.read_state([](StateReader&) { throw std::bad_alloc(); }); }),
              HasSubstr("not enough memory"));
}

TEST(Container, FilesOfVersion1AreRead) {
  const std::string data = testing::test_data_folder();
  const std::string agent_bytes = read_file(data + "/version_1.agent");
  const Container agent = open_container(agent_bytes, "a file", kAgentFile);
  EXPECT_EQ(agent.version, 1U);
  EXPECT_EQ(agent.header, R"({"sau":"0.1.0","agent":"sample_mean+sau_ucb","actions":2,"dim":0})");
  EXPECT_EQ(StateReader(agent.payload).skip().name, "rng");
  const std::string model_bytes = read_file(data + "/service_v2/model.sau");
  const Container model = open_container(model_bytes, "a file", kModelFile);
  EXPECT_EQ(model.version, 1U);
  EXPECT_EQ(model.header, R"({"schema":"hashed_linear+sau_sampling seed=1 features=1",)"
                          R"("position":72,"changed":72})");
  EXPECT_EQ(StateReader(model.payload).skip().name, "learned");
}

}  // namespace
}  // namespace sau
