#include "mlp_rival.hpp"

#include <Eigen/Dense>
#include <random>

#include "cpu_seconds.hpp"

namespace sau::bench {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXf;

struct Layer {
  Matrix weight, weight_square;  // inputs x outputs
  Row bias, bias_square;

  Layer(Eigen::Index inputs, Eigen::Index outputs, std::mt19937_64& generator)
      : weight(inputs, outputs),
        weight_square(Matrix::Zero(inputs, outputs)),
        bias(outputs),
        bias_square(Row::Zero(outputs)) {
    const float bound = 1.0F / std::sqrt(static_cast<float>(inputs));
    std::uniform_real_distribution<float> uniform(-bound, bound);
    weight = weight.unaryExpr([&](float) { return uniform(generator); });
    bias = bias.unaryExpr([&](float) { return uniform(generator); });
  }

  template <class W, class V, class G>
  static void descend(W& w, V& v, const G& g, float rate) {
    v = 0.99F * v + 0.01F * g.cwiseAbs2();
    w.array() -= rate * g.array() / (v.array().sqrt() + 1e-8F);
  }
  void step(const Matrix& in, const Matrix& delta, float rate) {
    const Matrix gradient = in.transpose() * delta;
    const Row bias_gradient = delta.colwise().sum();
    descend(weight, weight_square, gradient, rate);
    descend(bias, bias_square, bias_gradient, rate);
  }
};

}  // namespace

struct EigenMlp::State {
  State(Eigen::Index dim, Eigen::Index actions, Eigen::Index hidden, std::mt19937_64 generator)
      : one(dim, hidden, generator),
        two(hidden, hidden, generator),
        out(hidden, actions, generator) {
    output.resize(static_cast<std::size_t>(actions));
  }

  Layer one, two, out;
  std::vector<float> context;  // steps x dim
  std::vector<std::uint32_t> action;
  std::vector<float> reward;
  std::vector<float> output;
};

EigenMlp::EigenMlp(std::size_t dim, std::size_t actions, std::size_t hidden, std::uint64_t seed)
    : state_(std::make_unique<State>(static_cast<Eigen::Index>(dim),
                                     static_cast<Eigen::Index>(actions),
                                     static_cast<Eigen::Index>(hidden), std::mt19937_64(seed))) {}
EigenMlp::~EigenMlp() = default;

std::span<const float> EigenMlp::values(std::span<const double> x) {
  State& s = *state_;
  const Row in = Eigen::Map<const Eigen::RowVectorXd>(x.data(), static_cast<Eigen::Index>(x.size()))
                     .cast<float>();
  const Row h1 = (in * s.one.weight + s.one.bias).cwiseMax(0.0F);
  const Row h2 = (h1 * s.two.weight + s.two.bias).cwiseMax(0.0F);
  Eigen::Map<Row>(s.output.data(), static_cast<Eigen::Index>(s.output.size())) =
      h2 * s.out.weight + s.out.bias;
  return s.output;
}

void EigenMlp::remember(std::span<const double> x, std::uint32_t action, double reward) {
  for (const double number : x) state_->context.push_back(static_cast<float>(number));
  state_->action.push_back(action);
  state_->reward.push_back(static_cast<float>(reward));
}

void EigenMlp::train(std::span<const std::uint64_t> rows, float rate) {
  State& s = *state_;
  const auto count = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index dim = s.one.weight.rows();
  Matrix x(count, dim);
  for (Eigen::Index r = 0; r < count; ++r) {
    const auto place = static_cast<Eigen::Index>(rows[static_cast<std::size_t>(r)]);
    x.row(r) = Eigen::Map<const Row>(s.context.data() + place * dim, dim);
  }
  const Matrix h1 = ((x * s.one.weight).rowwise() + s.one.bias).cwiseMax(0.0F);
  const Matrix h2 = ((h1 * s.two.weight).rowwise() + s.two.bias).cwiseMax(0.0F);
  const Matrix y = (h2 * s.out.weight).rowwise() + s.out.bias;
  Matrix delta3 = Matrix::Zero(count, y.cols());
  for (Eigen::Index r = 0; r < count; ++r) {
    const std::uint64_t place = rows[static_cast<std::size_t>(r)];
    const auto a = static_cast<Eigen::Index>(s.action[place]);
    delta3(r, a) = 2.0F * (y(r, a) - s.reward[place]) / static_cast<float>(count);
  }
  const Matrix delta2 =
      (delta3 * s.out.weight.transpose()).cwiseProduct((h2.array() > 0.0F).cast<float>().matrix());
  const Matrix delta1 =
      (delta2 * s.two.weight.transpose()).cwiseProduct((h1.array() > 0.0F).cast<float>().matrix());
  s.out.step(h2, delta3, rate);
  s.two.step(h1, delta2, rate);
  s.one.step(x, delta1, rate);
}

double fma_peak() {
  constexpr int kSums = 12, kRepeats = 400000;
  using Packet = Eigen::internal::packet_traits<float>::type;
  constexpr int kLanes = Eigen::internal::packet_traits<float>::size;
  using namespace Eigen::internal;
  Packet sum[kSums];
  for (auto& s : sum) s = pset1<Packet>(1.0F);
  const Packet factor = pset1<Packet>(0.999F), term = pset1<Packet>(1e-3F);
  const double seconds = cpu_seconds([&] {
    for (int i = 0; i < kRepeats; ++i) {
#pragma GCC unroll 12
      for (int k = 0; k < kSums; ++k) sum[k] = pmadd(sum[k], factor, term);
    }
  });
  float keep = 0.0F;
  for (const auto& s : sum) keep += predux(s);
  asm volatile("" : : "x"(keep));
  return 2.0 * kLanes * kSums * kRepeats / seconds;
}

}  // namespace sau::bench
