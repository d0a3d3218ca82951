#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sau::bench {

// The same network, mini-batches and optimiser (RMSprop) in plain Eigen, dense throughout, as one
// would write it from a textbook.
class EigenMlp {
 public:
  EigenMlp(std::size_t dim, std::size_t actions, std::size_t hidden, std::uint64_t seed);
  ~EigenMlp();

  // One prediction per action; valid until the next call.
  std::span<const float> values(std::span<const double> x);
  void remember(std::span<const double> x, std::uint32_t action, double reward);
  // Trains on one mini-batch; `rows` are indices into the history.
  void train(std::span<const std::uint64_t> rows, float rate);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The floating-point operations per second of independent vector multiply-adds in a loop.
double fma_peak();

}  // namespace sau::bench
