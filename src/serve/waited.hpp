#pragma once

#include <future>
#include <memory>
#include <utility>

#include "sau/serve/service.hpp"

namespace sau::detail {

// Calls ask(answer) and waits until the answer is given.
template <class T, class Ask>
Result<T> waited(const Ask& ask) {
  const auto promise = std::make_shared<std::promise<Result<T>>>();
  auto result = promise->get_future();
  ask(Answer<T>([promise](Result<T> given) { promise->set_value(std::move(given)); }));
  return result.get();
}

}  // namespace sau::detail
