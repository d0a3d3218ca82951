#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sau/core/time_text.hpp"
#include "sau/evaluate/logged_choice.hpp"

namespace sau::detail {

// A logged decision whose request is known.
struct RequestOutcome {
  std::string_view request;  // the body of the rank request
  std::size_t chosen = 0;
  double chance = 0.0;
  std::span<const double> chances;  // of every action; may be empty
  double reward = 0.0;
  double importance = 1.0;  // as in LoggedChoice
  std::uint64_t line = 0;
  Milliseconds time = 0;
};

// Adds it to the batch. `by` are the features that divide the results: a name, or names joined by
// dots for a feature in a namespace. Throws an Error that begins with `where` if the request cannot
// be read.
void add_request(ChoiceBatch& batch, const RequestOutcome& outcome, std::span<const std::string> by,
                 const std::string& where);

// How many lines a file has, plain or packed.
std::uint64_t count_lines(const std::filesystem::path& file);

}  // namespace sau::detail
