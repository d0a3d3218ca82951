#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sau {

// How to mix several opinions so that the mixture has the smallest squared error (stacking, Wolpert
// 1992; Breiman 1996). With e the errors of all opinions on a reward,
//     A <- A n/(n+1) + e e',   N = (n+1)/2 once n rewards have come,
//     s = argmin s'A s + penalty |s - first|^2,   s_k >= 0, sum_k s_k = 1,
//     penalty = 5 min_k A_kk / N + 1e-9 max_k A_kk.
// Opinions that err in different ways are mixed. One that adds only error gets little once there
// are enough rewards, even if that error is small beside their noise. The penalty is worth 5
// rewards: until there are more, mostly the first opinion is believed (the first that is not left
// out). Its tiny second part lets opinions be equal. Errors below 1e-150 count as none.
class Stacking {
 public:
  explicit Stacking(std::size_t opinions);

  // A reward came. The error of an opinion that is left out does not count.
  void observe(std::span<const double> error) noexcept;

  // Never mixes opinion k in again.
  void leave_out(std::size_t k) noexcept;

  // s. All are 0 if every opinion is left out.
  std::span<const double> weights() const noexcept { return weight_; }

  static void state(auto& self, auto&& field) { field("error_products", self.product_); }
  // Call it after reading the state, with the number of rewards so far, and a flag for every
  // opinion that is left out.
  void restored(std::uint64_t rewards, std::span<const std::uint8_t> out) noexcept;

 private:
  void solve() noexcept;
  // The two steps of solve(), for the opinions in in_: s on the simplex, and on the plane sum s = 1
  // for those in chosen_ alone.
  void solve_on_simplex(double penalty) noexcept;
  void solve_on_plane(double penalty) noexcept;

  std::vector<double> product_;  // A, opinions x opinions
  std::uint64_t count_ = 0;      // n
  std::vector<std::uint8_t> out_;
  std::vector<double> weight_;  // s; computed from the above

  // Room for solve(), which must not allocate.
  std::vector<std::size_t> in_, chosen_;
  std::vector<double> matrix_, factor_, s_, ones_, target_;
};

}  // namespace sau
