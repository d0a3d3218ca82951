#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sau {

// A lower bound of a mean that holds at every moment at once: you may look at it after each number
// and stop when you like, and you are still wrong in at most a share alpha of all cases. The
// numbers need not be independent and have no upper bound; each must be at least -shift. The mean
// may change from number to number: the bound is for the average, over the numbers so far, of their
// means given the past.
//
// It is a bet. Somebody who claims that the mean is m takes our bet b >= 0 on every number y: our
// money is multiplied by (1 + b (y + shift)) / (1 + b (m + shift)). If the claim is true, our
// expected money never grows, so by Ville's inequality it ever reaches 1/alpha with a chance of at
// most alpha. If it does, m is excluded. (With l = b / (1 + b (m + shift)) each factor is
// 1 + l (y - m), as in Waudby-Smith & Ramdas 2024. If the mean changes, compare with the money
// against a claim that follows it: that is larger, because log(1 + b v) is concave in v.)
//
// Our money is spread evenly over bets b on a fixed grid, and over several shifts if y can be
// computed in several ways. The money against m after t numbers is
//     mean over bets and shifts of exp(S_b - t log(1 + b (m + shift))),
//     S_b = sum of log(1 + b (y + shift)),
// so the sums S_b are all that must be kept, and the money falls when m grows.
class LowerMeanSequence {
 public:
  // At least one shift, each at least 0.
  explicit LowerMeanSequence(std::span<const double> shifts);
  explicit LowerMeanSequence(double shift = 0.0) : LowerMeanSequence(std::span(&shift, 1)) {}

  // The same number, computed in one way for each shift: y[i] >= -shifts[i].
  void add(std::span<const double> y) noexcept;
  void add(double y) noexcept { add(std::span(&y, 1)); }

  std::uint64_t count() const noexcept { return count_; }
  std::span<const double> shifts() const noexcept { return shifts_; }

  // The logarithm of the money against m.
  double log_wealth(double m) const noexcept;
  // Every mean below it is excluded at this moment; `least`, the least possible mean, if none is.
  double bound(double alpha, double least) const;

  // The shifts are those it was made with.
  static void state(auto& self, auto&& field) {
    field("sums", self.sums_);
    field("count", self.count_);
    field("largest", self.largest_);
  }

 private:
  static constexpr std::size_t kBets = 49;  // 2^-14, 2^-13.5, ..., 2^10
  struct Sums {
    std::array<double, kBets> product{};  // of the factors since the last transfer to `logs`
    std::array<double, kBets> logs{};
  };
  using Logs = std::array<double, kBets>;  // S_b
  static const std::array<double, kBets>& bets() noexcept;
  void transfer() noexcept;
  Logs logs(std::size_t shift) const noexcept;
  template <class LogsOf>
  double log_wealth(double m, const LogsOf& logs_of) const noexcept;
  double mean_at(std::span<const Logs> logs, double gain) const noexcept;

  std::vector<double> shifts_;
  std::vector<Sums> sums_;  // one per shift
  std::uint64_t count_ = 0;
  double largest_ = 1.0;  // bounds every product
};

}  // namespace sau
