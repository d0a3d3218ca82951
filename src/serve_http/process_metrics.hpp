#pragma once

#include <string>

namespace sau::detail {

// Metrics of this process under the names that Prometheus' clients use (process_*), and
// sau_build_info, in its text format. What the system does not tell is left out.
std::string process_metrics();

}  // namespace sau::detail
