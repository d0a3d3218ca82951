#pragma once

#include <memory>

#include "data/table.hpp"
#include "sau/problem/dataset.hpp"
#include "sau/problem/problem.hpp"

namespace sau::detail {

using SharedTable = std::shared_ptr<const Table>;

// Problems over the rows of a table; see dataset.hpp, csv.hpp and rewards.hpp for what they pay.
std::unique_ptr<Problem> play_labels(SharedTable table, const Stream& stream, std::uint64_t steps,
                                     RowLength length);
inline std::unique_ptr<Problem> play_classes(SharedTable table, const Stream& stream,
                                             std::uint64_t steps) {
  return play_labels(std::move(table), stream, steps, RowLength::kOwn);
}
std::unique_ptr<Problem> play_rewards(SharedTable table, const Stream& stream, std::uint64_t steps);
std::unique_ptr<Problem> play_mushroom(SharedTable table, const Stream& stream, std::uint64_t steps,
                                       Outcomes outcomes);
std::unique_ptr<Problem> play_jester(SharedTable table, const Stream& stream, std::uint64_t steps);
std::unique_ptr<Problem> play_portfolios(SharedTable table, const Stream& stream,
                                         std::uint64_t steps);

}  // namespace sau::detail
