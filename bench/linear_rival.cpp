#include "linear_rival.hpp"

#include <Eigen/Cholesky>
#include <vector>

namespace sau::bench {
namespace {

Eigen::Map<const Eigen::VectorXd> view(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

struct FreshRidge::Impl {
  std::vector<Eigen::MatrixXd> precision;
  std::vector<Eigen::VectorXd> product;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factor;
};

FreshRidge::FreshRidge(std::size_t actions, std::size_t dim, double lambda)
    : impl_(std::make_unique<Impl>()) {
  const auto size = static_cast<Eigen::Index>(dim);
  for (std::size_t a = 0; a < actions; ++a) {
    impl_->precision.emplace_back(lambda * Eigen::MatrixXd::Identity(size, size));
    impl_->product.emplace_back(Eigen::VectorXd::Zero(size));
    impl_->factor.emplace_back(size);
  }
}

FreshRidge::~FreshRidge() = default;

void FreshRidge::add(std::size_t action, std::span<const double> x, double reward) {
  impl_->precision[action].selfadjointView<Eigen::Lower>().rankUpdate(view(x));
  impl_->product[action] += reward * view(x);
}

double FreshRidge::solve(std::size_t action, std::span<const double> x) {
  impl_->factor[action].compute(impl_->precision[action]);
  return impl_->factor[action].solve(impl_->product[action]).dot(view(x));
}

double FreshRidge::form(std::size_t action, std::span<const double> x) const {
  return impl_->factor[action].matrixL().solve(view(x)).squaredNorm();
}

}  // namespace sau::bench
