#pragma once

#include <span>

#include "data/table.hpp"
#include "data/text_sources.hpp"

namespace sau::detail {

struct LibsvmPlan {
  bool standardise = false;
  bool intercept = false;  // append a place that is always 1
};

// Lines of  label place:value place:value ...  with places counted from 1, or from 0 if there is a
// place 0; # starts a comment. Labels are whole numbers. Throws an Error that names file, line and
// field.
TableBuilder read_libsvm(std::span<const TextSource> sources, const LibsvmPlan& plan);

}  // namespace sau::detail
