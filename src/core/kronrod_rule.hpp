#pragma once

#include <array>
#include <cstddef>

namespace sau::detail {

// Kronrod's 21 points and the Gauss rule of 10 among them (Kronrod 1965; digits as in QUADPACK,
// Piessens et al. 1983): the points x >= 0 of [-1, 1] and their weights in both.
struct KronrodNode {
  double x;
  double kronrod;
  double gauss;
};

inline constexpr std::array<KronrodNode, 11> kKronrodHalf{{
    {0.995657163025808080735527280689003, 0.011694638867371874278064396062192, 0.0},
    {0.973906528517171720077964012084452, 0.032558162307964727478818972459390,
     0.066671344308688137593568809893332},
    {0.930157491355708226001207180059508, 0.054755896574351996031381300244580, 0.0},
    {0.865063366688984510732096688423493, 0.075039674810919952767043140916190,
     0.149451349150580593145863396957658},
    {0.780817726586416897063717578345042, 0.093125454583697605535065465083366, 0.0},
    {0.679409568299024406234327365114874, 0.109387158802297641899210590325805,
     0.219086362515982043995534934228163},
    {0.562757134668604683339000099272694, 0.123491976262065851077958109585166, 0.0},
    {0.433395394129247190799265943165784, 0.134709217311473325928054001771707,
     0.269266719309996355091226921569469},
    {0.294392862701460198131126603103866, 0.142775938577060080797094273138717, 0.0},
    {0.148874338981631210884826001129720, 0.147739104901338491374841515972068,
     0.295524224714752870173815619188769},
    {0.0, 0.149445554002916905664936468389821, 0.0},
}};

// All 21 points, those of the Gauss rule first, and one of weight 0 so that loops vectorise.
struct KronrodRule {
  static constexpr std::size_t kSize = 22, kGauss = 10;
  std::array<double, kSize> x{}, kronrod{};
  std::array<double, kGauss> gauss{};

  constexpr KronrodRule() {
    std::size_t next = 0, next_gauss = 0;
    for (const bool in_gauss : {true, false}) {
      for (const KronrodNode& node : kKronrodHalf) {
        if ((node.gauss > 0.0) != in_gauss) continue;
        for (const double sign : {1.0, -1.0}) {
          if (node.x == 0.0 && sign < 0.0) continue;
          if (in_gauss) gauss[next_gauss++] = node.gauss;
          x[next] = sign * node.x;
          kronrod[next++] = node.kronrod;
        }
      }
    }
  }
};
inline constexpr KronrodRule kKronrodRule;

}  // namespace sau::detail
