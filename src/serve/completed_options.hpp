#pragma once

#include "sau/serve/service.hpp"

namespace sau::detail {

// Fills in the defaults that are not constants: the clocks, and how to open the store.
ServiceOptions completed(ServiceOptions options);

}  // namespace sau::detail
