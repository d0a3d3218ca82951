// The floor under the probabilities of an agent for actions by id: ids(floor=...).
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "sau/catalog/catalog.hpp"

namespace sau {
namespace {

TEST(IdsFloor, RaisesTheProbabilitiesAndNothingElse) {
  const std::vector<OfferedAction> offer{
      {"a", {}}, {"b", {}}, {"c", {}, /*excluded=*/true}, {"d", {}}, {"e", {}}};
  for (const std::string agent :
       {"hashed_linear+sau_sampling", "hashed_linear+greedy", "beta_bernoulli+thompson"}) {
    const auto plain = make_offer_agent(agent, 1);
    const auto raised = make_offer_agent(agent + "+ids(floor=0.1)", 1);
    EXPECT_EQ(raised->spec(), agent + "+ids(floor=0.1)");
    for (int i = 0; i < 400; ++i) {
      const OfferedAction& action = offer[static_cast<std::size_t>(i) % offer.size()];
      for (OfferAgent* each : {plain.get(), raised.get()}) {
        each->learn({}, action, 0.5, action.id == "b" ? 1.0 : 0.0);
      }
    }
    std::vector<Forecast> before(offer.size()), after(offer.size());
    plain->decide({}, offer, std::nullopt, before);
    raised->published()->decide({}, offer, std::nullopt, after);
    double sum = 0.0;
    for (std::size_t i = 0; i < offer.size(); ++i) {
      sum += after[i].probability;
      EXPECT_EQ(after[i].value, before[i].value);
      if (i == 1) continue;
      EXPECT_LT(before[i].probability, 0.001) << agent;
      EXPECT_NEAR(after[i].probability, i == 2 ? 0.0 : 0.1 / 4, 1e-9) << agent;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12) << agent;
  }
}

}  // namespace
}  // namespace sau
