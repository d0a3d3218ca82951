#include <array>

#include "kernel/ridge_kernels.hpp"

// The kernels in plain C++, and the reference that the others are tested against. Four partial sums
// per row keep the order of additions close to that of the vector code.

namespace sau::detail {
namespace {

constexpr std::size_t kPad = kRidgePad;
using Four = std::array<double, kPad>;

double dot(const double* a, const double* b, std::size_t size) noexcept {
  Four sum{};
  for (std::size_t i = 0; i < size; i += kPad) {
    for (std::size_t lane = 0; lane < kPad; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

void products(const double* theta, std::size_t count, std::size_t padded, const double* x,
              double* out) noexcept {
  for (std::size_t a = 0; a < count; ++a) out[a] = dot(theta + a * padded, x, padded);
}

// f = W x for the rows of one panel of the given width.
Four panel_product(const double* panel, std::size_t width, const double* x) noexcept {
  Four f;
  for (std::size_t row = 0; row < kPad; ++row) f[row] = dot(panel + row * width, x, width);
  return f;
}

void forms(const double* factor, const double* scale, std::size_t count, std::size_t padded,
           const double* x, double* out) noexcept {
  for (std::size_t a = 0; a < count; ++a) {
    double sum = 0.0;
    for (std::size_t width = kPad; width <= padded; width += kPad) {
      const Four f = panel_product(factor, width, x);
      for (std::size_t row = 0; row < kPad; ++row) sum += scale[row] * f[row] * f[row];
      factor += kPad * width;
      scale += kPad;
    }
    out[a] = sum;
  }
}

// Row by row, with f = W x and alpha = 1 + the sum of D f^2 over the rows before:
//     W_i <- W_i - (f_i / alpha) g,   g <- g + D_i f_i W_i (the old row),
//     D_i <- D_i alpha / (alpha + D_i f_i^2).
// When row i comes, g is 0 from column i on, which preserves the 1 of the diagonal and the zeros.
double update(double* factor, double* scale, std::size_t padded, const double* x,
              double* gain) noexcept {
  double alpha = 1.0;
  for (std::size_t i = 0; i < padded; ++i) gain[i] = 0.0;
  for (std::size_t width = kPad; width <= padded; width += kPad) {
    const Four f = panel_product(factor, width, x);
    for (std::size_t row = 0; row < kPad; ++row) {
      const double v = scale[row] * f[row];
      const double grown = alpha + f[row] * v;
      const double p = -f[row] / alpha;
      scale[row] *= alpha / grown;
      alpha = grown;
      double* w = factor + row * width;
      for (std::size_t j = 0; j < width; ++j) {
        const double old = w[j];
        w[j] = old + p * gain[j];
        gain[j] += v * old;
      }
    }
    factor += kPad * width;
    scale += kPad;
  }
  return alpha;
}

void add(double factor, const double* x, std::size_t padded, double* y) noexcept {
  for (std::size_t i = 0; i < padded; ++i) y[i] += factor * x[i];
}

}  // namespace

constinit const RidgeKernel kRidgePortable{products, forms, update, add};

}  // namespace sau::detail
