// Trials played by others, over a link inside this process.
#include "sau/run/remote.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <thread>

#include "run/run_support.hpp"

namespace sau {
namespace {

using test::experiment_of;
using test::result_files;
using test::run_into;
using test::TemporaryFolder;
using ::testing::HasSubstr;

// Messages to host and players, number by number.
class Post {
 public:
  explicit Post(std::size_t players) : boxes_(players + 1) {}

  void put(unsigned from, unsigned to, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    boxes_.at(to).push_back({from, bytes});
  }
  std::optional<Link::Message> take(unsigned owner) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_.at(owner);
    if (box.empty()) return std::nullopt;
    Link::Message message = std::move(box.front());
    box.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::vector<std::deque<Link::Message>> boxes_;
};

class PostLink final : public Link {
 public:
  PostLink(Post& post, unsigned number) : post_(post), number_(number) {}
  void send(unsigned to, const std::string& bytes) override { post_.put(number_, to, bytes); }
  std::optional<Message> receive() override { return post_.take(number_); }

 private:
  Post& post_;
  unsigned number_;
};

// A host with players in threads of this process.
class Crew {
 public:
  explicit Crew(unsigned count) : post_(count), link_(post_, 0), remote_(link_, count, count) {
    for (unsigned number = 1; number <= count; ++number) {
      players_.emplace_back([this, number] {
        PostLink link(post_, number);
        play_for_host(link);
      });
    }
  }
  ~Crew() { EXPECT_TRUE(remote_.dismiss()); }

  RunOutcome run(const test::fs::path& path, const Experiment& experiment) {
    ResultFolder folder(path, experiment);
    return sau::run(experiment, folder, {.players = &remote_});
  }

 private:
  Post post_;
  PostLink link_;
  RemotePlayers remote_;
  std::vector<std::jthread> players_;
};

// The first message of a player.
std::string greeting() {
  Post post(1);
  PostLink link(post, 1);
  // {"end": true} as CBOR.
  post.put(0, 1, std::string("\xa1\x63") + "end\xf5");
  play_for_host(link);
  return post.take(0).value().bytes;
}

TEST(Remote, GivesTheBytesOfOneProcess) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"sau_ucb", "ts", "ucb1"}, 50, 30);
  run_into(place / "one", experiment);
  for (const unsigned count : {1U, 3U}) {
    Crew crew(count);
    const auto folder = place / std::to_string(count);
    const RunOutcome outcome = crew.run(folder, experiment);
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.new_trials, 90U);
    EXPECT_EQ(outcome.threads, count);
    EXPECT_EQ(result_files(folder), result_files(place / "one"));
  }
}

TEST(Remote, GoesOnWithAnotherRunAndAnotherFolder) {
  const TemporaryFolder place;
  const Experiment less = experiment_of({"ts"}, 20, 3), more = experiment_of({"ucb1", "ts"}, 20, 9);
  Crew crew(2);
  EXPECT_EQ(crew.run(place / "r", less).new_trials, 3U);
  EXPECT_EQ(crew.run(place / "r", more).new_trials, 15U);
  EXPECT_EQ(crew.run(place / "r", more).new_trials, 0U);
  run_into(place / "one", less);
  run_into(place / "one", more);
  EXPECT_EQ(result_files(place / "r"), result_files(place / "one"));
}

TEST(Remote, ACellThatCannotBeRunIsReported) {
  const TemporaryFolder place;
  Experiment experiment = experiment_of({"ts", "ucb1"}, 20, 5);
  experiment.cells[0].agent_spec = "nobody";
  Crew crew(2);
  const RunOutcome outcome = crew.run(place / "r", experiment);
  EXPECT_FALSE(outcome.complete);
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_THAT(outcome.failures[0], HasSubstr("nobody"));
  EXPECT_EQ(outcome.new_trials, 5U);
}

TEST(Remote, AStopDoesNotWaitForThosePlaying) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"ts"}, 20, 5);
  Post post(1);
  PostLink mine(post, 0), player(post, 1);
  RemotePlayers remote(mine, 1, 1);
  ResultFolder folder(place / "r", experiment);
  std::atomic<bool> stop = false;
  // This player greets, takes its first trial and never answers.
  player.send(0, greeting());
  const std::jthread playing([&] {
    while (!player.receive()) std::this_thread::yield();
    stop = true;
  });
  const RunOutcome outcome = run(experiment, folder, {.stop = &stop, .players = &remote});
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(outcome.new_trials, 0U);
  EXPECT_FALSE(remote.dismiss());
}

TEST(Remote, APlayerOfAnotherProgramIsRefused) {
  const TemporaryFolder place;
  const Experiment experiment = experiment_of({"ts"}, 20, 5);
  Post post(1);
  PostLink mine(post, 0);
  RemotePlayers remote(mine, 1, 1);
  post.put(1, 0, test::replaced(greeting(), "commit", "COMMIT"));
  ResultFolder folder(place / "r", experiment);
  try {
    run(experiment, folder, {.players = &remote});
    ADD_FAILURE() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("player 1 on"));
    EXPECT_THAT(error.what(), HasSubstr("COMMIT"));
  }
  EXPECT_TRUE(remote.dismiss());  // it is told to end
  EXPECT_TRUE(post.take(1).has_value());
}

}  // namespace
}  // namespace sau
