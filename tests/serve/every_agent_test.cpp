// Every agent of the catalogue can serve, and is rebuilt from the log.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"
#include "serve/serve_support.hpp"
#include "support/sanitizer.hpp"
#include "support/small_agents.hpp"

namespace sau {
namespace {

using testing::simple_request;
using testing::TestService;

std::vector<std::string> every_agent() {
  std::vector<std::string> agents;
  for (const ComponentInfo& strategy : list_strategies()) {
    for (const std::string& model : strategy.fits) {
      agents.push_back(testing::small_model(model, true) + "+" + strategy.name);
    }
  }
  for (const Alias& alias : agent_aliases()) agents.emplace_back(alias.name);
  if (!testing::kSanitizer) return agents;
  // An instrumented service takes long to start: try only every eighth.
  std::vector<std::string> few;
  for (std::size_t i = 0; i < agents.size(); i += 8) few.push_back(agents[i]);
  return few;
}

class EveryAgent : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Served, EveryAgent, ::testing::ValuesIn(every_agent()));

TEST_P(EveryAgent, DecidesLearnsAndIsTheSameAfterACrash) {
  TestService service(GetParam());
  for (int i = 0; i < 40; ++i) {
    if (i == 1) service.restart();  // it knows only one action yet
    const std::string event = "e" + std::to_string(i);
    const auto answer = service.rank(simple_request(event));
    ASSERT_TRUE(answer.ok()) << answer.failure().message;
    double sum = 0.0;
    for (const auto& action : answer.value().ranking) sum += action.probability;
    ASSERT_NEAR(sum, 1.0, 1e-9);
    ASSERT_GT(answer.value().ranking[answer.value().chosen].probability, 0.0);
    ASSERT_TRUE(service.reward(event, answer.value().chosen == 1 ? 1.0 : 0.25).ok());
    service->settle();
  }
  const std::string learned = service.model_checksum();
  service.restart_without_snapshot();
  EXPECT_EQ(service.model_checksum(), learned);
}

}  // namespace
}  // namespace sau
