#pragma once

#include "sau/serve/service.hpp"

namespace sau::detail {

// The options with the defaults that are not constants: clocks, and how to open the store.
ServiceOptions completed(ServiceOptions options);

}  // namespace sau::detail
