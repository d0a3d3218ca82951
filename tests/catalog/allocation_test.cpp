// choose() and learn() never allocate. This program counts every call of operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "sau/agent/agent.hpp"
#include "sau/catalog/catalog.hpp"
#include "sau/explore/sau_sampling.hpp"
#include "sau/model/linear.hpp"
#include "sau/model/mlp.hpp"
#include "support/catalogue_types.hpp"
#include "support/sanitizer.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

[[maybe_unused]] void* counted(std::size_t size, std::size_t alignment = 0) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t wanted = size == 0 ? 1 : size;
  void* const place =
      alignment == 0
          ? std::malloc(wanted)
          : std::aligned_alloc(alignment, (wanted + alignment - 1) / alignment * alignment);
  if (place == nullptr) throw std::bad_alloc();
  return place;
}

}  // namespace

// A sanitizer has its own operators, which must not be mixed with these.
#ifdef SAU_SANITIZER
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
// Not inlined, since the compiler would see free() on memory from operator new and warn.
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::align_val_t) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete[](void* place, std::align_val_t) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete[](void* place, std::size_t, std::align_val_t) noexcept {
  std::free(place);
}
#endif

namespace sau {
namespace {

using testing::AnyWorld;
using testing::setup_for;

// Hashed models are left out: their tables grow with new features.
template <class List>
struct Dense;
template <class... M>
struct Dense<TypeList<M...>> {
  using type = typename testing::detail::Concat<
      std::conditional_t<JointModel<M>, TypeList<>, TypeList<M>>...>::type;
};
using DensePairs = testing::detail::AllPairs<Dense<Models>::type, Strategies>::type;

// The number of allocations in 900 steps. When its window of 1,000 moves, `windowed` makes a new
// model, as `restarting` does after a change.
template <class A>
std::size_t allocations_of(A& agent, AnyWorld& world) {
  Rng rng({.seed = 3, .role = Role::kAgent});
  const std::size_t before = allocations.load();
  for (int n = 0; n < 900; ++n) {
    const Context x = world.next();
    const Choice made = agent.choose(x, rng);
    agent.learn(x, made, world.reward(made.action));
  }
  return allocations.load() - before;
}

TEST(AllocationCounter, CountsAnAllocation) {
  if (!kCounts) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  const std::size_t before = allocations.load();
  const auto number = std::make_unique<int>(1);
  EXPECT_EQ(*number, 1);
  EXPECT_EQ(allocations.load() - before, 1U);
}

// Of an agent of the concrete types.
template <class P>
std::size_t concrete_allocations([[maybe_unused]] AnyWorld& world) {
  if constexpr (kCounts) {  // otherwise the agent need not be compiled
    using Model = typename P::Model;
    const auto setup = setup_for<Model>(7);
    Agent agent{Model(setup, {}), typename P::Strategy(setup, {})};
    return allocations_of(agent, world);
  } else {
    return 0;
  }
}

using AllocatingPair = testing::CompiledPair<std::size_t(AnyWorld&)>;

template <class... P>
std::vector<AllocatingPair> allocating_pairs(TypeList<P...> pairs) {
  return testing::compiled_pairs<std::size_t(AnyWorld&)>(pairs, {concrete_allocations<P>...});
}

class Allocation : public ::testing::TestWithParam<AllocatingPair> {};
INSTANTIATE_TEST_SUITE_P(Pairs, Allocation, ::testing::ValuesIn(allocating_pairs(DensePairs{})),
                         testing::pair_name);

TEST_P(Allocation, ChooseAndLearnNeverAllocate) {
  if (!kCounts) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  auto world = GetParam().world(4);
  EXPECT_EQ(GetParam().call(world), 0U);
}

TEST(LargeCommittee, NeverAllocates) {
  if (!kCounts) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  std::string members = "linear";
  for (int k = 0; k < 30; ++k) members += "+linear(lambda=" + std::to_string(k + 2) + ")";
  const auto setup = setup_for<Linear>(3);
  const auto agent = make_agent("committee(members=\"" + members + "\")+sau_ucb", setup);
  AnyWorld world(setup.shape.dim, {}, 4);
  EXPECT_EQ(allocations_of(*agent, world), 0U);
}

TEST_P(Allocation, VirtualCallsNeverAllocate) {
  if (!kCounts) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  const auto agent = GetParam().make_usual(7);
  auto world = GetParam().world(4);
  EXPECT_EQ(allocations_of(*agent, world), 0U);
}

// A bounded history allocates all its memory at the start.
TEST(DeepAllocation, ABoundedHistoryNeverAllocatesOverAMillionSteps) {
  if (!kCounts) GTEST_SKIP() << "allocations are not counted under a sanitizer";
  const sau::Setup setup{.shape = {.actions = 2, .dim = 3}, .stream = {}};
  Mlp model(setup, {.hidden = {4.0}, .batch = 4, .every = 500, .updates = 1, .history = {5000}});
  Explorer<SauSampling> strategy(setup);
  Rng rng({.seed = 3});
  const std::size_t before = allocations.load();
  for (int n = 0; n < 1'000'000; ++n) {
    const double x[3] = {rng.uniform(), rng.uniform(), 1.0};
    const Choice made = strategy.choose(model, x, rng);
    const double reward = x[made.action];
    strategy.observe(made.action, reward - made.value);
    model.update(x, made.action, reward);
  }
  EXPECT_EQ(allocations.load() - before, 0U);
  EXPECT_EQ(model.history().size(), 5000U);
  EXPECT_EQ(model.updates_done(), 2000U);
}

}  // namespace
}  // namespace sau
