#pragma once

#include <cstddef>
#include <string>

#include "sau/core/rng.hpp"
#include "sau/core/spec.hpp"

namespace sau {

struct CommitteeOptions {
  std::string members = "usual";
  void fields(auto&& field) {
    field("members", members,
          "models joined by +, in quotes; usual: a fixed choice for dense contexts, another for "
          "actions by id");
  }
  void check();
};

// One opinion of a committee.
struct MemberRecord {
  std::string spec;     // of the model, and behind a colon the opinion if the model has several
  double weight = 0.0;  // its share in the values, from 0 to 1
  std::string fault;    // why it is left out; empty while it takes part
};

// Why an opinion is left out although its model is well.
inline constexpr const char* kErrorsTooLarge = "its errors were too large to square";

// The random stream of a member, so that equal members differ.
inline Stream member_stream(Stream stream, std::size_t member) noexcept {
  stream.scope += 0x9E3779B97F4A7C15U * member;
  return stream;
}

}  // namespace sau
