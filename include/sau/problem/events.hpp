#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/spec.hpp"
#include "sau/problem/offer_problem.hpp"

namespace sau {

namespace detail {
class EventLog;
}

enum class EventOrder { kRandom, kFile };
constexpr std::array<std::string_view, 2> enum_names(EventOrder) { return {"random", "file"}; }

struct EventsOptions {
  std::string file;
  EventOrder order = EventOrder::kRandom;
  void fields(auto&& field) {
    field("file", file, "path of the file; may be compressed (gzip, xz, zip)");
    field("order", order, "order of the events: drawn for each trial, or that of the file");
  }
};

// Events of a file, one JSON object per line: a request as the service gets it, with the reward of
// every action on offer (docs/formats/events.md). Regret is against the best reward on offer in the
// event. Horizon: once through the file; after the last event it starts over in the same order. A
// step draws nothing.
class Events final : public OfferProblem {
 public:
  static constexpr std::string_view kName = "events";
  static constexpr std::string_view kSummary =
      "your own events as JSON lines, with a reward for every action (actions by id)";
  using Options = EventsOptions;

  explicit Events(const Stream& stream, const Options& options = {});

  // The order of the events is the only setting that the data do not show.
  static Options stream_options(Options options) {
    options.file.clear();
    return options;
  }

  RewardRange rewards() const override;
  std::uint64_t default_steps() const override { return order_.size(); }
  std::string data() const override;

  Situation next(Rng& rng) override;
  // Reads the file again, once; throws an Error if it has changed since the first time.
  std::string request() override;
  double pull(Action action, Rng& rng) override;
  double regret(Action action) const override;

 private:
  std::string file_;
  std::shared_ptr<const detail::EventLog> log_;
  std::string text_;  // of the file; empty until request() needs it
  std::vector<std::uint32_t> order_;
  std::size_t place_ = 0;
  std::uint32_t event_ = 0;  // of this step
  std::vector<OfferedAction> offer_;
};

}  // namespace sau
