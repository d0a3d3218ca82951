// Several threads ask a dense deep agent about different contexts while it learns and publishes.
// The answers must be those of a single thread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <barrier>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "serve/serve_support.hpp"
#include "support/hashed_features.hpp"

namespace sau::published_copies_test {
namespace {

using nlohmann::json;
using testing::feature;
using testing::Features;
using testing::TestService;

constexpr int kReaders = 4;

// Two with different ways to tell actions apart, and one that is asked for marginals.
constexpr const char* kDeep[] = {
    "mlp(hidden=8x8,batch=8,every=5,start=10,updates=2)+sau_sampling",
    "mlp(hidden=8x8,batch=8,every=5,start=10,updates=2)+sau_sampling+ids(by=features)",
    "neural_linear(hidden=8x8,batch=8,every=5,start=10,updates=2)+thompson"};

class PublishedCopies : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Deep, PublishedCopies, ::testing::ValuesIn(kDeep));

Features context_of(int number) {
  return {feature(fmt::format("hour={}", number % 5)), feature("age", 0.1 * (number % 17))};
}

const std::vector<OfferedAction>& actions() {
  static const Features kPrices[] = {{feature("price", 1.0)}, {feature("price", 2.0)}, {}};
  static const std::vector<OfferedAction> kActions = {{.id = "a", .features = kPrices[0]},
                                                      {.id = "b", .features = kPrices[1]},
                                                      {.id = "c", .features = kPrices[2]}};
  return kActions;
}

// Learns from event number n, whatever was decided.
void learn(OfferAgent& agent, int n) {
  const auto& action = actions()[static_cast<std::size_t>(n) % actions().size()];
  agent.learn(context_of(3 * n + 1), action, 0.1 * (n % 3), 0.25 * (n % 5));
}

std::vector<double> answer(const OfferAgent& agent, int number) {
  std::vector<Forecast> forecasts(actions().size());
  agent.decide(context_of(number), actions(), 0.2, forecasts);
  std::vector<double> numbers;
  for (const Forecast& f : forecasts) {
    numbers.insert(numbers.end(), {f.value, f.spread, f.probability});
  }
  return numbers;
}

TEST_P(PublishedCopies, AnswerAsASingleThreadDoes) {
  constexpr int kVersions = 12, kEvents = 7, kQuestions = 30;
  const auto question = [](int version, int reader, int i) {
    return 1000 * version + 100 * reader + i;
  };
  // The readers of a version ask all at once, and meanwhile the agent learns for the next one.
  std::vector<std::vector<std::vector<double>>> seen(kReaders);
  {
    const auto agent = make_offer_agent(GetParam(), 5);
    std::shared_ptr<const OfferAgent> copy;
    std::barrier together(kReaders + 1);
    std::vector<std::jthread> readers;
    for (int r = 0; r < kReaders; ++r) {
      readers.emplace_back([&, r] {
        for (int version = 0; version < kVersions; ++version) {
          together.arrive_and_wait();
          const auto mine = copy;
          for (int i = 0; i < kQuestions; ++i) {
            seen[static_cast<std::size_t>(r)].push_back(answer(*mine, question(version, r, i)));
          }
          together.arrive_and_wait();
        }
      });
    }
    for (int version = 0, n = 0; version < kVersions; ++version) {
      copy = agent->published();
      together.arrive_and_wait();
      for (int i = 0; i < kEvents; ++i) learn(*agent, n++);
      agent->published();
      together.arrive_and_wait();
    }
  }
  const auto agent = make_offer_agent(GetParam(), 5);
  for (int version = 0, n = 0; version < kVersions; ++version) {
    for (int r = 0; r < kReaders; ++r) {
      for (int i = 0; i < kQuestions; ++i) {
        const auto place = static_cast<std::size_t>(kQuestions * version + i);
        ASSERT_EQ(seen[static_cast<std::size_t>(r)][place], answer(*agent, question(version, r, i)))
            << "version " << version << ", reader " << r << ", question " << i;
      }
    }
    for (int i = 0; i < kEvents; ++i) learn(*agent, n++);
  }
}

std::string request(const std::string& event, int number) {
  return fmt::format(R"({{"eventId":"{}","contextFeatures":[{{"hour":"{}","age":{}}}],)"
                     R"("actions":[{{"id":"a","features":[{{"price":1}}]}},)"
                     R"({{"id":"b","features":[{{"price":2}}]}},{{"id":"c"}}]}})",
                     event, number % 5, 0.1 * (number % 17));
}

std::vector<double> ranked(TestService& service, const std::string& event, int number) {
  const auto reply = service.rank(request(event, number));
  EXPECT_TRUE(reply.ok());
  std::vector<double> chances;
  if (!reply.ok()) return chances;
  for (const RankedAction& action : reply.value().ranking) chances.push_back(action.probability);
  return chances;
}

// Learns from event number n. Returns the model's version from then on.
std::uint64_t teach_one(TestService& service, int n) {
  const std::string event = fmt::format("taught{}", n);
  const auto reply = service.rank(request(event, 3 * n + 1));
  EXPECT_TRUE(reply.ok());
  EXPECT_TRUE(service.reward(event, reply.ok() && reply.value().chosen == 1 ? 1.0 : 0.25).ok());
  service->settle();
  return json::parse(service->model_properties())["version"].get<std::uint64_t>();
}

TEST_P(PublishedCopies, RankAsASingleThreadDoesWhileTheServiceLearns) {
  constexpr int kEvents = 25, kQuestions = 30;
  struct Asked {
    std::string event;
    int number;
    std::vector<double> chances;
  };
  TestService service(GetParam());
  std::vector<std::vector<Asked>> asked(kReaders);
  std::map<std::uint64_t, int> learned_by_version = {{0, 0}};
  {
    std::vector<std::jthread> readers;
    for (int r = 0; r < kReaders; ++r) {
      readers.emplace_back([&service, &mine = asked[static_cast<std::size_t>(r)], r] {
        for (int i = 0; i < kQuestions; ++i) {
          const std::string event = fmt::format("asked{}-{}", r, i);
          const int number = 100 * r + i;
          mine.push_back({event, number, ranked(service, event, number)});
        }
      });
    }
    for (int n = 0; n < kEvents; ++n) learned_by_version[teach_one(service, n)] = n + 1;
  }
  std::map<int, std::vector<Asked>> by_learned;
  for (const std::vector<Asked>& each : asked) {
    for (const Asked& question : each) {
      const auto decision = service->decision(question.event);
      ASSERT_TRUE(decision.ok());
      const auto version = json::parse(decision.value())["modelVersion"].get<std::uint64_t>();
      ASSERT_TRUE(learned_by_version.contains(version)) << version;
      by_learned[learned_by_version[version]].push_back(question);
    }
  }
  TestService single(GetParam());
  for (int n = 0; n <= kEvents; ++n) {
    for (const Asked& question : by_learned[n]) {
      EXPECT_EQ(ranked(single, question.event, question.number), question.chances)
          << question.event << " after " << n << " events";
    }
    if (n < kEvents) teach_one(single, n);
  }
  EXPECT_EQ(single.model_checksum(), service.model_checksum());
}

}  // namespace
}  // namespace sau::published_copies_test
