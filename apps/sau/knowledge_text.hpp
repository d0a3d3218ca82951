#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sau/agent/knowledge.hpp"

namespace sau::cli {

// What an agent knows, for people. Shows the first `rows` actions, and the first `columns`
// coefficients of each, and says how many it leaves out.
std::string knowledge_text(const Knowledge& knowledge, std::size_t rows = 20,
                           std::size_t columns = 6);

// All of it. A number that is not finite is null.
nlohmann::ordered_json knowledge_json(const Knowledge& knowledge);

}  // namespace sau::cli
