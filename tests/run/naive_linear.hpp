#pragma once

#include <Eigen/Cholesky>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

// A second implementation of the experiment of section 4.3 and appendix B that shares no code with
// the library: it uses the generators of the standard library, its own problems, and regressions
// whose normal equations Eigen solves anew after every change.
namespace sau::testing {

struct NaiveSetting {
  std::string name;  // an alias of the library
  int actions = 5, dim = 5;
  std::string variant;  // "", "theta", "noise", "context" or "student"
};

inline void PrintTo(const NaiveSetting& setting, std::ostream* out) { *out << setting.name; }

enum class NaiveAgent { kSauUcb, kSauSampling, kThompson, kThompsonDiagonal };

class NaiveTrial {
 public:
  NaiveTrial(const NaiveSetting& setting, NaiveAgent agent, unsigned seed)
      : setting_(setting), agent_(agent), random_(seed), theta_(setting.dim, setting.actions) {
    for (int a = 0; a < setting.actions; ++a) {
      for (int i = 0; i < setting.dim; ++i) {
        theta_(i, a) = setting.variant == "theta" ? normal() : 2.0 * uniform() - 1.0;
      }
      theta_.col(a).normalize();
      arms_.emplace_back(setting.dim, bayesian() ? 0.25 : 1.0);
    }
  }

  // Plays `steps` steps and returns the regret.
  double run(int steps) {
    double regret = 0.0, error = normal();
    for (int n = 1; n <= steps; ++n) {
      const Eigen::VectorXd x = context();
      const Eigen::VectorXd mean = theta_.transpose() * x;
      const int action = choose(x, n);
      error = n > 1 && setting_.variant == "noise" ? 0.5 * error + std::sqrt(0.75) * normal()
                                                   : normal();
      arms_[static_cast<std::size_t>(action)].learn(x, mean[action] + 0.5 * error);
      regret += mean.maxCoeff() - mean[action];
    }
    return regret;
  }

 private:
  struct Arm {
    Arm(int dim, double lambda)
        : precision(lambda * Eigen::MatrixXd::Identity(dim, dim)),
          product(Eigen::VectorXd::Zero(dim)),
          theta(Eigen::VectorXd::Zero(dim)),
          factor(precision) {}

    void learn(const Eigen::VectorXd& x, double reward) {
      const double residual = reward - theta.dot(x);  // before learning, eq. 5
      squares += residual * residual;
      count += 1.0;
      precision += x * x.transpose();
      product += reward * x;
      reward_squares += reward * reward;
      factor.compute(precision);
      theta = factor.solve(product);
    }

    Eigen::MatrixXd precision;
    Eigen::VectorXd product, theta;
    Eigen::LLT<Eigen::MatrixXd> factor;
    double count = 0.0, squares = 1.0, reward_squares = 0.0;
  };

  bool bayesian() const {
    return agent_ == NaiveAgent::kThompson || agent_ == NaiveAgent::kThompsonDiagonal;
  }
  double normal() { return std::normal_distribution<>()(random_); }
  double uniform() { return std::uniform_real_distribution<>()(random_); }

  Eigen::VectorXd context() {
    Eigen::VectorXd x(setting_.dim);
    for (int i = 0; i < setting_.dim; ++i) {
      x[i] = normal();
      if (setting_.variant == "context" && i > 0) x[i] = 0.5 * x[i - 1] + std::sqrt(0.75) * x[i];
      if (setting_.variant == "student") {
        do {
          x[i] = std::student_t_distribution<>(2.0)(random_);
        } while (std::abs(x[i]) > 5.0);
      }
    }
    return x;
  }

  int choose(const Eigen::VectorXd& x, int n) {
    if (!bayesian() && n <= setting_.actions) return n - 1;
    int best = 0;
    double top = -1e300;
    for (int a = 0; a < setting_.actions; ++a) {
      const double score = index(arms_[static_cast<std::size_t>(a)], x, n);
      if (score > top) top = score, best = a;
    }
    return best;
  }

  double index(const Arm& arm, const Eigen::VectorXd& x, int n) {
    const double mean = arm.theta.dot(x);
    if (agent_ == NaiveAgent::kSauUcb) {
      return mean + std::sqrt(arm.squares * std::log(static_cast<double>(n))) / arm.count;
    }
    if (agent_ == NaiveAgent::kSauSampling) {
      return mean + std::sqrt(arm.squares) / arm.count * normal();
    }
    const double a = 6.0 + 0.5 * arm.count;
    const double b = 6.0 + 0.5 * (arm.reward_squares - arm.theta.dot(arm.precision * arm.theta));
    const double variance = 1.0 / std::gamma_distribution<>(a, 1.0 / b)(random_);
    const double form = agent_ == NaiveAgent::kThompson
                            ? x.dot(arm.factor.solve(x))
                            : x.cwiseAbs2().cwiseQuotient(arm.precision.diagonal()).sum();
    return mean + std::sqrt(variance * form) * normal();
  }

  NaiveSetting setting_;
  NaiveAgent agent_;
  std::mt19937_64 random_;
  Eigen::MatrixXd theta_;  // dim x actions
  std::vector<Arm> arms_;
};

}  // namespace sau::testing
