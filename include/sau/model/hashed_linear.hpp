#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/rng.hpp"
#include "sau/core/shared_chunks.hpp"
#include "sau/core/spec.hpp"
#include "sau/model/joint_model.hpp"

namespace sau {

struct HashedLinearOptions {
  std::uint64_t bits = 18;
  double rate = 0.1;
  bool relative = false;
  // The name that the networks use.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kOtherNames = {
      {{"lr", "rate"}}};
  void fields(auto&& field) {
    field("bits", bits, "2^bits weights", Bounds{.min = 8.0, .max = 26.0});
    field("rate", rate, "learning rate; features may be of any scale",
          Bounds{.min = 1e-6, .max = 100.0});
    field("relative", relative,
          "the rate is in units of the rewards' root mean square, for rewards of any scale");
  }
};

// mu(x, a) = w' phi(x, a) over hashed features: the context's, the action's, and their crosses.
//
// Learns online from squared error with a rate per weight that is both adaptive and normalised
// (NAG; Ross, Mineiro & Langford 2013, algorithm 2). With s_i the largest |phi_i| so far, z_i =
// phi_i / s_i, residual e, t events and N the sum of all z_i^2:
//     when s_i grows, w_i shrinks by the same factor
//     A_i <- A_i + e^2 z_i^2
//     w_i <- w_i + step e z_i / (s_i sqrt(A_i)) / (1 + h),   step = rate sqrt(t / N),
//     h = sum of step z_i^2 / sqrt(A_i).
// Deviation: the division by 1 + h makes this the implicit step (Kulis & Bartlett 2010). The
// residual becomes e / (1 + h), so the step never overshoots, whatever the rate and the number of
// features.
//
// With relative=true the step is also multiplied by the root mean square of the rewards so far.
// The weights then have the unit of the rewards: multiplying every reward by c multiplies every
// value by c.
//
// A feature below 1e-30 in size counts as 0. When a weight or a rate overflows single precision the
// model says so through fault(), predicts 0 for every action and stops learning.
class HashedLinear {
 public:
  static constexpr std::string_view kName = "hashed_linear";
  static constexpr std::string_view kSummary =
      "linear in hashed features of context and action and their crosses";
  static constexpr bool kLinear = true;
  using Options = HashedLinearOptions;

  static constexpr std::size_t kChunk = 256;

  // What a decision needs.
  class Weights {
   public:
    void values(HashedFeatures context, std::span<const JointAction> actions,
                std::span<double> out) const;
    float operator[](std::uint32_t place) const noexcept { return *at(place); }

   private:
    friend class HashedLinear;
    using Chunk = std::array<float, kChunk>;

    explicit Weights(std::uint64_t bits)
        : bits_(static_cast<unsigned>(bits)), chunks_((std::size_t{1} << bits) / kChunk) {}
    Weights(unsigned bits, bool fault, SharedChunks<Chunk> chunks)
        : bits_(bits), fault_(fault), chunks_(std::move(chunks)) {}

    const float* at(std::uint32_t place) const noexcept {
      static constexpr Chunk kNothing{};
      const Chunk* chunk = chunks_[place / kChunk];
      return (chunk == nullptr ? kNothing : *chunk).data() + place % kChunk;
    }

    unsigned bits_;
    bool fault_ = false;
    SharedChunks<Chunk> chunks_;
  };

  explicit HashedLinear(const Stream& stream, Options options = {});

  const Weights& weights() const noexcept { return weights_; }
  Weights published() { return {weights_.bits_, weights_.fault_, weights_.chunks_.shared()}; }

  void learn(HashedFeatures context, const JointAction& action, double reward);

  // Empty while all is well; otherwise what went wrong.
  std::string fault() const;

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  // What only learning needs, for a chunk of weights.
  struct Rate {
    float squares = 0.0F;  // A_i
    float scale = 0.0F;    // s_i
  };
  using Rates = std::array<Rate, kChunk>;
  // The same as it is stored in files.
  struct StoredRates {
    std::array<float, kChunk> squares, scale;
  };
  static StoredRates stored(const Rates& rates);
  static Rates restored(const StoredRates& stored);

  void gather(HashedFeatures context, const JointAction& action);

  Options options_;
  Weights weights_;
  SharedChunks<Rates> rates_;
  std::uint64_t events_ = 0;        // t
  double normalised_ = 0.0;         // N
  double reward_square_ = 0.0;      // sum of r^2, only with relative=true
  std::vector<PlacedFeature> phi_;  // of the event being learned, sorted by place
};

}  // namespace sau
