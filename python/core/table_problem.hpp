#pragma once

#include <memory>

#include "problem/row_problems.hpp"

namespace sau::python {

// A problem over arrays: rows of contexts, each with a class or with a reward for every action.
struct TableProblem {
  detail::SharedTable table;
  bool labelled = true;

  // A new trial, with the rows in random order.
  std::unique_ptr<Problem> play(const Stream& stream) const;
};

}  // namespace sau::python
