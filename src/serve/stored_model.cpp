#include "sau/serve/stored_model.hpp"

#include <string>

#include "sau/catalog/catalog.hpp"
#include "sau/core/container.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "serve/model_file.hpp"
#include "serve/replayer.hpp"

namespace sau {

StoredModel read_stored_model(const std::filesystem::path& file) {
  const std::string bytes = read_file(file), name = file.string();
  const std::string schema = detail::read_model_head(bytes, name).schema;
  StoredModel model;
  model.seed = detail::seed_of(schema, name);
  try {
    model.agent = make_offer_agent(detail::agent_of(schema), model.seed);
  } catch (const UsageError& error) {
    throw Error(name + ": a model of '" + schema + "': " + error.what());
  }
  model.position =
      detail::read_model(bytes, name, detail::schema_of(*model.agent, model.seed), *model.agent)
          .position;
  return model;
}

bool is_service_folder(const std::filesystem::path& folder) {
  return std::filesystem::exists(detail::settings_file(folder));
}

std::filesystem::path stored_model_file(const std::filesystem::path& folder) {
  auto file = detail::snapshot_file(folder);
  if (std::filesystem::exists(file)) return file;
  throw Error(folder.string() + ": there is no model yet; the service writes " +
              file.filename().string() + " about once a minute and when it ends");
}

}  // namespace sau
