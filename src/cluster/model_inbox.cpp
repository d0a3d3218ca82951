#include "cluster/model_inbox.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "core/hash.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"

namespace sau::detail {

ModelInbox::ModelInbox(std::filesystem::path folder, const std::string& agent,
                       std::optional<std::uint64_t> seed, std::function<Milliseconds()> clock,
                       std::function<void(const std::string&)> note)
    : folder_(std::move(folder)),
      agent_(agent.empty() ? "" : canonical_offer_agent(agent)),
      seed_(seed),
      clock_(std::move(clock)),
      note_(std::move(note)) {
  if (!std::filesystem::exists(file())) return;
  try {
    auto part = decode_model_part(read_file(file()));
    if (!part.ok()) throw Error(file().string() + ": " + part.failure().message);
    finish(std::move(part).value());
    is_kept_ = true;
  } catch (const std::exception& error) {
    note_(std::string(error.what()) + "; the node waits for a model of the trainer");
  }
}

void ModelInbox::refuse(const std::string& why) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (std::exchange(last_refusal_, why) != why) note_("a published model is not used: " + why);
}

void ModelInbox::take(std::string_view message) {
  auto read = decode_model_part(message);
  const std::lock_guard lock(mutex_);
  if (!read.ok()) return refuse(read.failure().message);
  ModelPart& part = read.value();
  const auto key = [](const ModelPart& each) {
    return std::tie(each.epoch, each.version, each.checksum, each.parts, each.configuration);
  };
  if (kept_.parts != 0 && part.epoch < kept_.epoch) return;  // of a leader that was replaced
  if (key(part) != key(current_)) {
    parts_.clear();
    current_ = part;
    current_.bytes.clear();
  }
  parts_[part.part] = std::move(part.bytes);
  if (parts_.size() < current_.parts) return;
  ModelPart whole = current_;
  for (auto& [place, bytes] : parts_) whole.bytes += bytes;
  parts_.clear();
  current_ = {};
  whole.part = 0;
  whole.parts = 1;
  try {
    finish(std::move(whole));
  } catch (const std::exception& error) {
    refuse(error.what());
  }
}

void ModelInbox::finish(ModelPart whole) {
  const std::string name = fmt::format("the model of version {}", whole.version);
  if (hash_of(whole.bytes) != whole.checksum) throw Error(name + ": its checksum is wrong");
  const std::string schema = read_model_head(whole.bytes, name).schema;
  auto next = std::make_shared<ReceivedModel>();
  next->agent = agent_of(schema);
  next->seed = seed_of(schema, name);
  next->epoch = whole.epoch;
  const auto before = newest_.get();
  const std::uint64_t seed = seed_.value_or(before ? before->seed : next->seed);
  if (next->seed != seed) {
    throw Error(fmt::format("{} has seed {}; this node has seed {}", name, next->seed, seed));
  }
  if (!agent_.empty() && next->agent != agent_) {
    throw Error(fmt::format("{} is of '{}'; this node is for '{}'", name, next->agent, agent_));
  }
  next->configuration =
      good(read_stored_configuration(whole.configuration, configuration_of_old_folders()));
  auto agent = make_offer_agent(next->agent, next->seed);
  const ModelHead head = read_model(whole.bytes, name, schema_of(*agent, next->seed), *agent);
  for (const MemberRecord& member : agent->members()) {
    next->model.member_weights.push_back(static_cast<float>(member.weight));
  }
  next->model.agent = std::move(agent);
  next->model.version = head.version;
  next->model.time = clock_();
  next->bytes = whole.bytes;
  newest_.set(std::move(next));
  kept_ = std::move(whole);
  is_kept_ = false;
  last_refusal_.clear();
}

bool ModelInbox::incomplete() const {
  const std::lock_guard lock(mutex_);
  return !parts_.empty();
}

void ModelInbox::keep() {
  std::string bytes;
  {
    const std::lock_guard lock(mutex_);
    if (is_kept_) return;
    is_kept_ = true;
    bytes = encode(kept_);
  }
  try {
    write_file(file(), bytes);
  } catch (const std::exception& error) {
    note_(std::string("the model cannot be kept: ") + error.what());
  }
}

}  // namespace sau::detail
