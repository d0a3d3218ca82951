#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/types.hpp"
#include "sau/model/joint_features.hpp"

namespace sau::detail {

// Events with the reward of every action, as docs/formats/events.md describes them.
class EventLog {
 public:
  struct Offer {
    std::string id;
    std::size_t first = 0, last = 0;  // of its features
    bool excluded = false;
    double reward = 0.0;
  };

  // Throws an Error that names `file`, the line and the field, for what it cannot read.
  EventLog(std::string_view text, std::string_view file);

  std::size_t events() const noexcept { return events_.size(); }
  HashedFeatures context(std::size_t event) const noexcept {
    return features(events_[event].context_first, events_[event].context_last);
  }
  std::span<const Offer> offers(std::size_t event) const noexcept {
    return {offers_.data() + events_[event].first, events_[event].last - events_[event].first};
  }
  HashedFeatures features(const Offer& offer) const noexcept {
    return features(offer.first, offer.last);
  }
  // The best reward that was on offer.
  double best(std::size_t event) const noexcept { return events_[event].best; }

  // The text of the log's file. Throws an Error if it is not the text that was read before.
  std::string read_again(const std::filesystem::path& file) const;
  // The event's contextFeatures, actions without their rewards, and excludedActions, as JSON;
  // `text` is that of the file.
  std::string request(std::size_t event, std::string_view text) const;

  // The smallest and the largest reward on offer.
  RewardRange rewards() const noexcept { return rewards_; }
  // Hexadecimal digits that identify its text.
  const std::string& fingerprint() const noexcept { return fingerprint_; }

 private:
  struct Event {
    std::size_t context_first = 0, context_last = 0;
    std::size_t first = 0, last = 0;    // of its offers
    std::size_t place = 0, length = 0;  // of its line in the text
    double best = 0.0;
  };
  friend class EventReader;

  HashedFeatures features(std::size_t first, std::size_t last) const noexcept {
    return {features_.data() + first, last - first};
  }

  std::vector<HashedFeature> features_;
  std::vector<Offer> offers_;
  std::vector<Event> events_;
  RewardRange rewards_;
  std::string fingerprint_;
};

// The log of a file. It is read once and kept for all trials of the process, and read again when
// the file's size or time has changed. Thread-safe.
std::shared_ptr<const EventLog> open_event_log(const std::filesystem::path& file);

}  // namespace sau::detail
