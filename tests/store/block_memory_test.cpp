#include "store/block_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace sau::detail {
namespace {

struct Block {
  char* bytes = nullptr;
  std::size_t size = 0;
  char mark = 0;
};

Block make(BlockMemory& memory, std::size_t size, char mark) {
  auto* const bytes = static_cast<char*>(memory.Allocate(size));
  std::memset(bytes, mark, size);
  return {bytes, size, mark};
}
// What may stay when every block was given back: a slab of each size.
std::size_t left_of(std::size_t sizes) { return sizes * BlockMemory::kSlab; }

bool is_whole(const Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    if (block.bytes[i] != block.mark) return false;
  }
  return true;
}

// Blocks of every size keep their bytes, whatever comes and goes beside them.
TEST(BlockMemory, BlocksDoNotOverlap) {
  BlockMemory memory;
  std::mt19937 random(1);
  std::vector<Block> blocks;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t size = 1 + random() % (BlockMemory::kLargest + 4000);
    blocks.push_back(make(memory, size, static_cast<char>(i)));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().bytes) % alignof(std::max_align_t),
              0U);
    EXPECT_GE(memory.UsableSize(blocks.back().bytes, size), size);
    if (random() % 2 == 0) continue;
    std::swap(blocks[random() % blocks.size()], blocks.back());
    ASSERT_TRUE(is_whole(blocks.back()));
    memory.Deallocate(blocks.back().bytes);
    blocks.pop_back();
  }
  for (const Block& block : blocks) {
    ASSERT_TRUE(is_whole(block));
    memory.Deallocate(block.bytes);
  }
  EXPECT_LE(memory.slab_bytes(), left_of(BlockMemory::kLargest / BlockMemory::kStep));
}

// A cache of a fixed size that drops blocks in any order: the slabs do not grow, however long it
// goes on. Their size above that of the cache: places are rounded up (3 % here), the end of a slab
// is too small for a place (3 %), and the number of blocks of one size goes up and down (four
// standard deviations are 12 %).
TEST(BlockMemory, DoesNotGrowWhileTheCacheDoesNot) {
  constexpr std::size_t kCache = 64 << 20;
  BlockMemory memory;
  std::mt19937 random(2);
  std::vector<Block> blocks;
  std::size_t cached = 0;
  std::array<double, 2> most{};  // in the first and the second half
  for (int i = 0; i < 100'000; ++i) {
    // Data, and parts of an index: sizes as RocksDB makes them.
    const std::size_t size = random() % 8 == 0 ? 3700 + random() % 400 : 14'700 + random() % 1700;
    blocks.push_back({static_cast<char*>(memory.Allocate(size)), size});
    cached += size;
    while (cached > kCache) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      cached -= blocks.back().size;
      memory.Deallocate(blocks.back().bytes);
      blocks.pop_back();
    }
    double& so_far = most[i < 50'000 ? 0 : 1];
    so_far = std::max(so_far, static_cast<double>(memory.slab_bytes()));
  }
  EXPECT_GE(most[0], kCache);
  EXPECT_LT(most[0], 1.18 * kCache);
  EXPECT_LT(most[1], 1.02 * most[0]);
  for (const Block& block : blocks) memory.Deallocate(block.bytes);
  EXPECT_LE(memory.slab_bytes(), left_of(7));
}

TEST(BlockMemory, ThreadsMayGiveBackTheBlocksOfOthers) {
  BlockMemory memory;
  std::vector<Block> first, second;
  for (int i = 0; i < 500; ++i) first.push_back(make(memory, 16'000, 7));
  const auto work = [&memory](std::vector<Block>& given, std::vector<Block>& made) {
    for (const Block& block : given) {
      made.push_back(make(memory, 15'900, 9));
      memory.Deallocate(block.bytes);
    }
  };
  std::vector<Block> given(first.begin() + 250, first.end()), more;
  first.resize(250);
  std::thread other([&] { work(given, more); });
  work(first, second);
  other.join();
  for (const auto* blocks : {&second, &more}) {
    for (const Block& block : *blocks) {
      EXPECT_TRUE(is_whole(block));
      memory.Deallocate(block.bytes);
    }
  }
  EXPECT_LE(memory.slab_bytes(), left_of(1));
}

}  // namespace
}  // namespace sau::detail
