#include <cmath>
#include <nlohmann/json.hpp>

#include "sau/serve/gate.hpp"

namespace sau {

std::string to_json(const GateState& state) {
  using GateJson = nlohmann::ordered_json;
  const auto number = [](double value) {
    return std::isfinite(value) ? GateJson(value) : GateJson();
  };
  const GateRequest& request = state.request;
  const GateJson json = {
      {"id", state.id},
      {"name", request.policy.name},
      {"arguments", request.policy.agent},
      {"margin", request.margin},
      {"alpha", request.alpha},
      {"automatic", request.automatic},
      {"scheduled", request.scheduled},
      {"beginTime", write_time(state.begun)},
      {"decisions", state.decisions},
      {"averageReward", number(state.reward)},
      {"gain", number(state.gain)},
      {"gainLow", number(state.low)},
      {"gainHigh", number(state.high)},
      {"outcome", state.outcome ? GateJson(enum_names(
                                      *state.outcome)[static_cast<std::size_t>(*state.outcome)])
                                : GateJson()},
      {"endTime", state.outcome ? GateJson(write_time(state.ended)) : GateJson()}};
  return json.dump(-1, ' ', false, GateJson::error_handler_t::replace);
}

}  // namespace sau
