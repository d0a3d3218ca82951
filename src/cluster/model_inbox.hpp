#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cluster/message.hpp"
#include "sau/serve/configuration.hpp"
#include "serve/current.hpp"
#include "serve/learner.hpp"

namespace sau::detail {

// A model that a trainer published, ready to decide.
struct ReceivedModel {
  PublishedModel model;
  Configuration configuration;
  std::string agent;  // canonical spec
  std::uint64_t seed = 1, epoch = 0;
  std::string bytes;  // the model file
};

// Puts the parts of published models together, and keeps the newest one, also on disk. Thread-safe.
class ModelInbox {
 public:
  // `agent` and `seed`, if given, are what the models must have. Loads what is on disk.
  ModelInbox(std::filesystem::path folder, const std::string& agent,
             std::optional<std::uint64_t> seed, std::function<Milliseconds()> clock,
             std::function<void(const std::string&)> note);

  void take(std::string_view message);
  // Null before there is one.
  std::shared_ptr<const ReceivedModel> newest() const { return newest_.get(); }
  // Whether a part was missed, so that the model should be published again.
  bool incomplete() const;
  std::uint64_t refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
  // Writes the newest to disk if it is not there yet.
  void keep();

 private:
  void finish(ModelPart whole);
  std::filesystem::path file() const { return folder_ / "published.sau"; }
  void refuse(const std::string& why);

  const std::filesystem::path folder_;
  const std::string agent_;
  const std::optional<std::uint64_t> seed_;
  const std::function<Milliseconds()> clock_;
  const std::function<void(const std::string&)> note_;

  mutable std::mutex mutex_;
  ModelPart current_;  // without bytes
  std::map<std::uint32_t, std::string> parts_;
  std::string last_refusal_;
  ModelPart kept_;  // the newest whole one, as it is written to disk
  bool is_kept_ = true;
  Current<ReceivedModel> newest_{nullptr};
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace sau::detail
