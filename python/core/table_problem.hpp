#pragma once

#include <memory>

#include "problem/row_problems.hpp"

namespace sau::python {

// A problem over arrays: rows of contexts with a class each, or with a reward for every action.
struct TableProblem {
  detail::SharedTable table;
  bool labelled = true;

  // A trial of it, with the rows in an order of its own.
  std::unique_ptr<Problem> play(const Stream& stream) const;
};

}  // namespace sau::python
