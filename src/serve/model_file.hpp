#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sau/agent/offer_agent.hpp"
#include "sau/store/record.hpp"

namespace sau::detail {

// The header of a model file: which agent it belongs to, and how far in the log it has learned. The
// payload is the agent's whole state (docs/formats/model.md). The file depends only on what was
// learned: it contains no times and no machine names.
struct ModelHead {
  std::string schema;     // agent spec, seed, and the version of feature hashing
  Sequence position = 0;  // the last record of the log that it has read
  Sequence version = 0;   // of the latest entry that changed it
};

std::string schema_of(const OfferAgent& agent, std::uint64_t seed);

// The canonical spec of the agent in a schema; the text itself if this program does not know it.
std::string agent_of(const std::string& schema);
// The seed in a schema. Throws DamagedFile, which names the file, if there is none.
std::uint64_t seed_of(const std::string& schema, const std::string& file);

// `more` is other state that belongs to the same position in the log.
std::string write_model(const OfferAgent& agent, const ModelHead& head, std::string_view more = {});

// Reads into a new agent of the same kind. Throws what open_container() throws, and an Error that
// names both schemas when they differ.
ModelHead read_model(std::string_view bytes, const std::string& name, std::string_view schema,
                     OfferAgent& agent);
// What write_model() was given as `more`, for a function that reads it to its end.
void read_more(std::string_view bytes, const std::string& name,
               const std::function<void(StateReader&)>& load);
ModelHead read_model_head(std::string_view bytes, const std::string& name);

// Checksums as 16 hexadecimal digits: of all the bytes, and of the agent's state only, which does
// not change when the model reads records that teach nothing.
std::string checksum_of(std::string_view bytes);
std::string model_checksum(std::string_view model);

// Whether two models have the same header and state. Their versions of the format may differ, and
// so may the spelling of the agent: older programs wrote some settings that are now left out.
bool same_model(std::string_view one, std::string_view other);

}  // namespace sau::detail
