#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sau {

struct Cell;

// Some trials of a cell: number `first`, and every `step`-th after it. The default is all of them.
struct TrialSlice {
  std::uint64_t first = 0, step = 1;

  // The number of its trial in place `row`.
  std::uint64_t trial(std::uint64_t row) const noexcept { return first + row * step; }
  // How many of the trials 0 to `trials` - 1 belong to it.
  std::uint64_t rows(std::uint64_t trials) const noexcept {
    return trials <= first ? 0 : (trials - first - 1) / step + 1;
  }
};

// One of `of` parts of an experiment, which are played apart and joined by merge_results(). Every
// trial belongs to exactly one of them.
struct Shard {
  std::uint64_t number = 1, of = 1;
  bool tables = false;  // the joined folder gets the paper's tables

  bool whole() const noexcept { return of == 1; }
  std::string text() const { return std::to_string(number) + "/" + std::to_string(of); }

  // Trial t belongs to shard 1 + (t + h) mod `of`, where h is a hash of the cell. So cells with
  // fewer trials than shards do not all fall to the first ones. Depends on nothing but the cell's
  // specs and steps: cells and trials that are added later change no shard's trials.
  TrialSlice slice(const Cell& cell) const;
};

// "2/4" as the second of four. Throws UsageError.
Shard read_shard(std::string_view text);

}  // namespace sau
