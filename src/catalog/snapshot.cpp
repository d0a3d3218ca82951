#include "sau/catalog/snapshot.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"
#include "sau/core/file.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

// Both kinds have the same header; a shape without actions says that they are offered by id.
template <class A>
void save(const std::filesystem::path& path, const A& agent, const Shape& shape, const Rng& rng) {
  const nlohmann::ordered_json header = {
      {"sau", version()}, {"agent", agent.spec()}, {"actions", shape.actions}, {"dim", shape.dim}};
  StateWriter writer;
  writer("rng", rng);
  agent.save(writer);
  write_file(path,
             finish_container(begin_container(kAgentFile, header.dump()).append(writer.bytes())));
}

// `make` makes the agent of a seed.
template <class A, class Make>
Saved<A> load(const Container& file, const Make& make) {
  Saved<A> saved{nullptr, Rng(Stream{})};
  file.read_state([&](StateReader& reader) {
    reader("rng", saved.rng);
    saved.agent = make(saved.rng.stream().seed);
    saved.agent->load(reader);
  });
  return saved;
}

}  // namespace

void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng) {
  save(path, agent, agent.shape(), rng);
}
void save_agent(const std::filesystem::path& path, const OfferAgent& agent, const Rng& rng) {
  save(path, agent, {.actions = 0, .dim = 0}, rng);
}

std::variant<SavedAgent, SavedOfferAgent> load_any_agent(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const Container file = open_container(bytes, path.string(), kAgentFile);
  const std::uint64_t actions = file.number("actions"), dim = file.number("dim");
  // Do not allocate memory for more than the file can hold. (Joint models keep nothing for an
  // action that was never played, so a few actions may have no state at all.)
  constexpr std::uint64_t kFew = 1 << 20;
  if (actions > std::max(kFew, file.payload.size() / sizeof(double)) || dim > 0xFFFFFFFF) {
    throw DamagedFile(file.name + ": is damaged: " + std::to_string(file.payload.size()) +
                      " bytes of state cannot hold " + std::to_string(actions) +
                      " actions and dim " + std::to_string(dim));
  }
  const std::string spec = file.text("agent");
  if (actions == 0) {
    return load<OfferAgent>(file, [&](std::uint64_t seed) { return make_offer_agent(spec, seed); });
  }
  return load<AnyAgent>(file, [&](std::uint64_t) {
    const Shape shape{.actions = static_cast<Action>(actions), .dim = dim};
    return make_agent(spec, {.shape = shape, .stream = {}});
  });
}

SavedAgent load_agent(const std::filesystem::path& path) {
  auto saved = load_any_agent(path);
  if (auto* found = std::get_if<SavedAgent>(&saved)) return std::move(*found);
  throw Error(path.string() +
              ": holds an agent whose actions are offered by id; expected one with "
              "a fixed set of actions");
}

SavedOfferAgent load_offer_agent(const std::filesystem::path& path) {
  auto saved = load_any_agent(path);
  if (auto* found = std::get_if<SavedOfferAgent>(&saved)) return std::move(*found);
  throw Error(path.string() +
              ": holds an agent with a fixed set of actions; expected one whose "
              "actions are offered by id");
}

}  // namespace sau
