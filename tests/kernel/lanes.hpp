#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

namespace sau::testing {

// A vector unit made of plain arrays, to test the vector kernels with a number of lanes that this
// processor may not have. Nothing is inlined: the kernels unroll their loops, and compiling would
// take too long.
template <std::size_t N>
struct Lanes {
  struct Reg {
    float at[N];
  };
  static constexpr std::size_t kLanes = N;

  // Applies f in every lane.
  [[gnu::noinline]] static Reg each(auto f, const auto&... x) noexcept {
    Reg result;
    for (std::size_t i = 0; i < N; ++i) result.at[i] = f(x.at[i]...);
    return result;
  }
  [[gnu::noinline]] static Reg load(const float* from) noexcept {
    Reg result;
    std::copy_n(from, N, result.at);
    return result;
  }
  [[gnu::noinline]] static void store(float* to, const Reg& x) noexcept {
    std::copy_n(x.at, N, to);
  }
  [[gnu::noinline]] static Reg set(float x) noexcept {
    Reg result;
    std::fill_n(result.at, N, x);
    return result;
  }
  static Reg zero() noexcept { return set(0.0F); }
  static Reg add(const Reg& a, const Reg& b) noexcept { return each(std::plus<>{}, a, b); }
  static Reg sub(const Reg& a, const Reg& b) noexcept { return each(std::minus<>{}, a, b); }
  static Reg mul(const Reg& a, const Reg& b) noexcept { return each(std::multiplies<>{}, a, b); }
  static Reg div(const Reg& a, const Reg& b) noexcept { return each(std::divides<>{}, a, b); }
  static Reg fma(const Reg& a, const Reg& b, const Reg& c) noexcept {
    return each([](float i, float j, float k) { return std::fma(i, j, k); }, a, b, c);
  }
  static Reg sqrt(const Reg& x) noexcept {
    return each([](float i) { return std::sqrt(i); }, x);
  }
  static Reg max(const Reg& a, const Reg& b) noexcept {
    return each([](float i, float j) { return i > j ? i : j; }, a, b);
  }
  static Reg where_positive(const Reg& mask, const Reg& x) noexcept {
    return each([](float i, float j) { return i > 0.0F ? j : 0.0F; }, mask, x);
  }
  static float sum(const Reg& x) noexcept {
    float total = 0.0F;
    for (const float element : x.at) total += element;
    return total;
  }
  static void turn(const float* from, std::size_t from_row, float* to,
                   std::size_t to_row) noexcept {
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) to[j * to_row + i] = from[i * from_row + j];
    }
  }
};
struct Lanes4 : Lanes<4> {
  using Square = Lanes<4>;
};
struct Lanes16 : Lanes<16> {
  using Half = Lanes<8>;
  using Square = Lanes<8>;
};

}  // namespace sau::testing
