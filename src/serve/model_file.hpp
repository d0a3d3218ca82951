#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sau/agent/joint_agent.hpp"
#include "sau/store/record.hpp"

namespace sau::detail {

// A model file: what it is, which agent it belongs to, how far in the log it has learned, and the
// agent's whole state (docs/formats/model.md). A pure function of what was learned: no times, no
// names of machines.
struct ModelHead {
  std::string schema;     // agent spec, seed, and the version of feature hashing
  Sequence position = 0;  // in the log, up to which it has read
  Sequence version = 0;   // of the latest entry that changed it
};

std::string schema_of(const JointAgent& agent, std::uint64_t seed);

std::string write_model(const JointAgent& agent, const ModelHead& head);

// Reads into a new agent of the same kind. Throws Error that says, of `name`, what is wrong: not a
// model, damaged, of a newer version or of another schema, with both named.
ModelHead read_model(std::string_view bytes, std::string_view name, std::string_view schema,
                     JointAgent& agent);
ModelHead read_model_head(std::string_view bytes, std::string_view name);

// As 16 hexadecimal digits: of all the bytes, and of what was learned, whatever has been read in
// the log since.
std::string checksum_of(std::string_view bytes);
std::string model_checksum(std::string_view model);

}  // namespace sau::detail
