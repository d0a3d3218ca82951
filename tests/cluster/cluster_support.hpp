#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cluster/message.hpp"
#include "sau/catalog/catalog.hpp"
#include "serve/decide.hpp"

namespace sau::detail {

inline constexpr const char* kSmallAgent = "hashed_linear(bits=8)+sau_sampling";

// A decision between this action and another one, as a node ships it.
inline std::string encoded_decision(const std::string& id, const std::string& action = "a") {
  const std::string body = fmt::format(
      R"({{"eventId":"{}","actions":[{{"id":"{}","features":[{{"x":1}}]}},{{"id":"other"}}]}})", id,
      action);
  auto request = read_rank_request(body, {});
  PublishedModel model;
  model.agent = make_offer_agent(kSmallAgent, 1);
  RankOperation operation = decide(std::move(request).value(), body, Configuration{}, model, 1);
  return encode(Spooled(SpooledDecision{std::move(operation.record)}));
}

}  // namespace sau::detail
