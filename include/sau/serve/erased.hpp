#pragma once

#include <cstdint>
#include <string>

namespace sau {

// A feature that tells whose event it is, such as user=alice.
struct UserFeature {
  std::string name, value;
};

struct Erased {
  std::uint64_t events = 0;
  std::uint64_t still_learned = 0;  // of these; what a model file has learned cannot be unlearned
  // Of the model without these events. Empty if there were none, or if a service is running: its
  // model goes on learning.
  std::string checksum;
};

}  // namespace sau
