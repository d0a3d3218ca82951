#include "sau/catalog/snapshot.hpp"

#include <nlohmann/json.hpp>

#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"
#include "sau/core/file.hpp"
#include "sau/core/version.hpp"

namespace sau {

void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng) {
  const nlohmann::ordered_json header = {{"sau", version()},
                                         {"agent", agent.spec()},
                                         {"actions", agent.shape().actions},
                                         {"dim", agent.shape().dim}};
  StateWriter writer;
  writer("rng", rng);
  agent.save(writer);
  write_file(path,
             finish_container(begin_container(kAgentFile, header.dump()).append(writer.bytes())));
}

SavedAgent load_agent(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const Container file = open_container(bytes, path.string(), kAgentFile);
  const std::uint64_t actions = file.number("actions"), dim = file.number("dim");
  // Every model keeps at least one number per action: do not allocate for what cannot be there.
  if (actions > file.payload.size() / sizeof(double) || dim > 0xFFFFFFFF) {
    throw DamagedFile(file.name + ": is damaged: " + std::to_string(file.payload.size()) +
                      " bytes of state cannot hold " + std::to_string(actions) +
                      " actions and dim " + std::to_string(dim));
  }
  SavedAgent saved{nullptr, Rng(Stream{})};
  file.read_state([&](StateReader& reader) {
    const Shape shape{.actions = static_cast<Action>(actions), .dim = dim};
    saved.agent = make_agent(file.text("agent"), {.shape = shape, .stream = {}});
    reader("rng", saved.rng);
    saved.agent->load(reader);
  });
  return saved;
}

}  // namespace sau
