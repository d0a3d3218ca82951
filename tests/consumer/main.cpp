#include <iostream>

#include "sau/core/rng.hpp"
#include "sau/core/version.hpp"

int main() {
  sau::Rng rng(sau::Stream{.seed = 1});
  const double draw = rng.uniform();
  std::cout << "sau " << sau::version() << " (" << sau::commit() << ", " << sau::compiler()
            << "): " << draw << '\n';
  return draw >= 0.0 && draw < 1.0 ? 0 : 1;
}
