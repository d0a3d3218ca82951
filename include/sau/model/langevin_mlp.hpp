#pragma once

#include <string_view>
#include <utility>

#include "sau/model/mlp.hpp"

namespace sau {

struct LangevinMlpOptions : MlpOptions {
  double temperature = 0.01;
  double decay = 0.0;
  LangevinMlpOptions() {
    optimizer = Optimizer::kSgd;
    lr = 0.01;
  }
  void fields(auto&& field) {
    MlpOptions::fields(field);
    field("temperature", temperature, "variance of the noise; 0 is plain training",
          Bounds{.min = 0.0, .max = 1e20});
    field("decay", decay, "adds decay * |weights|^2 to the sum of squared errors",
          Bounds{.min = 0.0, .max = 1e20});
  }
};

// An Mlp trained by Langevin dynamics: after every mini-batch its weights get noise, so that they
// wander through the posterior instead of settling at its maximum. With greedy it is Langevin Monte
// Carlo Thompson sampling, LMC-TS (Xu et al. 2022): the weights themselves are the draw.
class LangevinMlp : public Mlp {
 public:
  static constexpr std::string_view kName = "langevin_mlp";
  static constexpr std::string_view kSummary =
      "mlp whose weights wander through their posterior, for LMC-TS";
  using Options = LangevinMlpOptions;

  explicit LangevinMlp(const Setup& setup, const Options& options = {})
      : Mlp(setup, options, {.temperature = options.temperature, .decay = options.decay}) {}

  LangevinMlp for_reading() const { return LangevinMlp(Mlp::for_reading()); }

 private:
  explicit LangevinMlp(Mlp model) : Mlp(std::move(model)) {}
};

}  // namespace sau
