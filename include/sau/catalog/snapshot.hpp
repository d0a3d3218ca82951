#pragma once

#include <filesystem>
#include <memory>
#include <variant>

#include "sau/agent/any_agent.hpp"
#include "sau/agent/offer_agent.hpp"
#include "sau/core/rng.hpp"

namespace sau {

// An agent and the generator that it was using. An agent that continues from here gives the same
// bytes as one that never stopped.
template <class A>
struct Saved {
  std::unique_ptr<A> agent;
  Rng rng;
};
using SavedAgent = Saved<AnyAgent>;
using SavedOfferAgent = Saved<OfferAgent>;

// Writes the whole file or nothing (docs/formats/agent.md).
void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng);
// The same for an agent whose actions are offered by id. Its model must have been made with the
// generator's seed.
void save_agent(const std::filesystem::path& path, const OfferAgent& agent, const Rng& rng);

// These throw Error that names the file when it is not an agent file, is damaged, or is of a newer
// version. The first two also throw when it holds an agent of the other kind.
SavedAgent load_agent(const std::filesystem::path& path);
SavedOfferAgent load_offer_agent(const std::filesystem::path& path);
std::variant<SavedAgent, SavedOfferAgent> load_any_agent(const std::filesystem::path& path);

}  // namespace sau
