#include "serve/model_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/hash.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"

namespace sau::detail {
namespace {

// The version of the hashing from JSON to features. Models of different versions do not mix.
constexpr int kFeatureVersion = 1;

// Files without more than the agent's state are of version 2, which older programs read.
constexpr FileKind kPlainModelFile{"model", 2, 1};
constexpr std::uint32_t kWithMore = 3;

// The part of the payload that is the agent's state.
std::string_view agent_state(const Container& file) {
  if (file.version < kWithMore) return file.payload;
  const std::uint64_t size = file.number("agent_bytes");
  if (size > file.payload.size()) throw DamagedFile(file.name + ": is damaged: it is too short");
  return file.payload.substr(0, size);
}

ModelHead head_of(const Container& file) {
  return {file.text("schema"), file.number("position"), file.number("changed")};
}

constexpr const char* kSeed = " seed=";  // comes after the agent

// The schema with the agent's canonical name of today.
std::string canonical_schema(const std::string& schema) {
  const std::size_t end = schema.find(kSeed);
  return agent_of(schema) + (end == std::string::npos ? "" : schema.substr(end));
}

}  // namespace

std::string agent_of(const std::string& schema) {
  std::string agent = schema.substr(0, schema.find(kSeed));
  try {
    return canonical_offer_agent(agent);
  } catch (const UsageError&) {
    return agent;
  }
}

std::uint64_t seed_of(const std::string& schema, const std::string& file) {
  const std::size_t at = schema.find(kSeed);
  std::uint64_t seed = 0;
  if (at != std::string::npos) {
    const char* first = schema.data() + at + std::string_view(kSeed).size();
    if (std::from_chars(first, schema.data() + schema.size(), seed).ec == std::errc{}) return seed;
  }
  throw DamagedFile(file + ": is damaged: its schema '" + schema + "' has no seed");
}

std::string schema_of(const OfferAgent& agent, std::uint64_t seed) {
  return fmt::format("{} seed={} features={}", agent.spec(), seed, kFeatureVersion);
}

std::string write_model(const OfferAgent& agent, const ModelHead& head, std::string_view more) {
  nlohmann::ordered_json header = {
      {"schema", head.schema}, {"position", head.position}, {"changed", head.version}};
  StateWriter state;
  agent.save(state);
  if (!more.empty()) header["agent_bytes"] = state.bytes().size();
  return finish_container(
      begin_container(more.empty() ? kPlainModelFile : kModelFile, header.dump())
          .append(state.bytes())
          .append(more));
}

void read_more(std::string_view bytes, const std::string& name,
               const std::function<void(StateReader&)>& load) {
  Container file = open_container(bytes, name, kModelFile);
  file.payload.remove_prefix(agent_state(file).size());
  if (!file.payload.empty()) file.read_state(load);
}

ModelHead read_model_head(std::string_view bytes, const std::string& name) {
  return head_of(open_container(bytes, name, kModelFile));
}

ModelHead read_model(std::string_view bytes, const std::string& name, std::string_view schema,
                     OfferAgent& agent) {
  const Container file = open_container(bytes, name, kModelFile);
  ModelHead head = head_of(file);
  if (canonical_schema(head.schema) != schema) {
    throw Error(
        fmt::format("{}: a model of '{}'; this service runs '{}'", name, head.schema, schema));
  }
  Container state = file;
  state.payload = agent_state(file);
  state.read_state([&](StateReader& reader) { agent.load(reader); });
  return head;
}

std::string checksum_of(std::string_view bytes) {
  return fmt::format("{:016x}", detail::hash_of(bytes));
}

std::string model_checksum(std::string_view model) {
  return checksum_of(agent_state(open_container(model, "the model", kModelFile)));
}

bool same_model(std::string_view one, std::string_view other) {
  const Container a = open_container(one, "the model", kModelFile);
  const Container b = open_container(other, "the model", kModelFile);
  const ModelHead of_a = head_of(a), of_b = head_of(b);
  return canonical_schema(of_a.schema) == canonical_schema(of_b.schema) &&
         of_a.position == of_b.position && of_a.version == of_b.version && a.payload == b.payload;
}

}  // namespace sau::detail
