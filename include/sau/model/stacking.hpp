#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sau {

// How to mix several opinions so that the mixture has the smallest squared error (stacking, Wolpert
// 1992; Breiman 1996). With e the errors of all opinions on a reward, after n rewards
//     A <- A n/(n+1) + e e',   N = (n+1)/2,
//     s = argmin s'A s + 5 (min_k A_kk / N) |s - first|^2,   s_k >= 0, sum_k s_k = 1.
// Two opinions that err in different ways are mixed. One that adds only error gets nothing, however
// small that error is beside the noise of the rewards. The second term is worth 5 rewards: until
// there are more, mostly the first opinion is believed.
class Stacking {
 public:
  explicit Stacking(std::size_t opinions);

  // A reward came. The error of an opinion that is left out does not count.
  void observe(std::span<const double> error) noexcept;

  // Never mixes opinion k in again.
  void leave_out(std::size_t k) noexcept;

  // s. All are 0 if every opinion is left out.
  std::span<const double> weights() const noexcept { return weight_; }

  static void state(auto& self, auto&& field) {
    field("error_products", self.product_);
    field("error_products_rewards", self.count_);
  }
  // Call it after reading the state, with a flag for every opinion that is left out.
  void restored(std::span<const std::uint8_t> out) noexcept;

 private:
  void solve() noexcept;

  std::vector<double> product_;  // A, opinions x opinions
  std::uint64_t count_ = 0;      // n
  std::vector<std::uint8_t> out_;
  std::vector<double> weight_;  // s; computed from the above
};

}  // namespace sau
