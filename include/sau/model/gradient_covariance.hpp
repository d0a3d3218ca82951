#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sau/core/aligned.hpp"
#include "sau/core/types.hpp"
#include "sau/model/batch.hpp"
#include "sau/model/network.hpp"

namespace sau {

// How well the weights of a network are known, from the gradients of its outputs so far (Zhou et
// al. 2020), with a diagonal matrix. With g the gradient of the output of an action with respect to
// every weight, divided by sqrt(m), and m the units of the last hidden layer:
//     U = lambda + sum of g^2 over the steps learned,   width^2 = lambda sum_i g_i^2 / U_i.
// So a width is |g| at first. Weights behind an input or a unit that is 0 have no gradient and cost
// nothing.
//
// look() runs the network and keeps its layers; the other functions are about that input.
class GradientCovariance {
 public:
  GradientCovariance(const Network& network, double lambda);

  // x may start at place `first` of the network's input, as in Network::forward.
  void look(const Network& network, const NetworkInput& x, std::size_t first = 0) noexcept;
  // The width of this output.
  double width(const Network& network, Action output) noexcept;
  // Adds the gradient of this output.
  void add(const Network& network, Action output) noexcept;

  // Call it before the network gets more outputs.
  void grow(const Network& network, Action actions);

  static void state(auto& self, auto&& field) { field("gradient_precisions", self.inverse_); }

 private:
  // One layer of the network during look(): its input, as a list, and what comes out.
  struct Row {
    std::vector<std::uint32_t> index;
    std::vector<float> value;
    std::size_t count = 0;
    AlignedVector<float> out;
    AlignedVector<float> delta;    // gradient of the output by every unit
    AlignedVector<float> squares;  // delta^2 / m
  };

  void backward(const Network& network, Action output) noexcept;
  // Calls f(place, width, square of the input, squares of the deltas) for every row of weights that
  // has a gradient.
  template <class F>
  void each_row(const Network& network, Action output, F&& f) noexcept;

  double lambda_, share_;         // share_ = 1 / m
  AlignedVector<float> inverse_;  // 1 / U, laid out like the weights
  std::vector<Row> rows_;
  std::size_t first_ = 0;
  AlignedVector<float> last_squares_;  // units of the last hidden layer, squared, times 1 / m
};

}  // namespace sau
