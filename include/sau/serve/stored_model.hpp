#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "sau/agent/offer_agent.hpp"
#include "sau/store/record.hpp"

namespace sau {

// The agent in a model file of a service, such as model.sau, as it was when the file was written.
struct StoredModel {
  std::unique_ptr<OfferAgent> agent;
  std::uint64_t seed = 0;
  Sequence position = 0;  // the last record of the log that it has read
};

// Throws Error that names the file when it is not a model file, is damaged, or is of an agent that
// this program does not know.
StoredModel read_stored_model(const std::filesystem::path& file);

// Whether `folder` is that of a service.
bool is_service_folder(const std::filesystem::path& folder);
// The model in such a folder. Throws Error when there is none yet.
std::filesystem::path stored_model_file(const std::filesystem::path& folder);

}  // namespace sau
