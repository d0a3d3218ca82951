#pragma once

#include <simdjson.h>

#include <cstdint>

#include "sau/store/dsjson.hpp"

namespace sau::detail {

// What a line of dsjson is.
enum class DsjsonKind : std::uint8_t { kEvent, kOther, kMultiSlot, kOutcome, kUnlabelled };

// Reads a line. Fills `to` only for an event. Throws an Error that names the field when an event is
// faulty.
DsjsonKind read_dsjson_line(simdjson::dom::element root, const DsjsonOptions& options,
                            DsjsonEvent& to);

// Whether one of these observations says that a deferred event was activated.
bool says_activated(simdjson::dom::element observations);

}  // namespace sau::detail
