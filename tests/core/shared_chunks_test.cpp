#include "sau/core/shared_chunks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sau::shared_chunks_test {
namespace {

using Chunk = std::array<int, 4>;

TEST(SharedChunks, AChunkIsCreatedByTheFirstWrite) {
  SharedChunks<Chunk> chunks(200);
  EXPECT_EQ(chunks[1], nullptr);
  chunks.writable(1)[2] = 5;
  EXPECT_EQ(*chunks[1], (Chunk{0, 0, 5, 0}));
  EXPECT_EQ(chunks[0], nullptr);
}

TEST(SharedChunks, ACopyIsNotChangedByWritesToTheOriginal) {
  SharedChunks<Chunk> chunks(200);
  chunks.writable(0)[0] = 1;
  const SharedChunks<Chunk> copy = chunks.shared();
  chunks.writable(0)[0] = 2;
  chunks.writable(150)[0] = 3;
  EXPECT_EQ((*copy[0])[0], 1);
  EXPECT_EQ(copy[150], nullptr);
  EXPECT_EQ((*chunks[0])[0], 2);
}

TEST(SharedChunks, UnwrittenChunksStayShared) {
  SharedChunks<Chunk> chunks(2);
  chunks.writable(0)[0] = 1;
  chunks.writable(1)[0] = 1;
  const SharedChunks<Chunk> first = chunks.shared();
  chunks.writable(1)[0] = 2;
  const SharedChunks<Chunk> second = chunks.shared();
  EXPECT_EQ(first[0], second[0]);
  EXPECT_NE(first[1], second[1]);
}

TEST(SharedChunks, AChunkIsCopiedOnlyByTheFirstWrite) {
  SharedChunks<Chunk> chunks(1);
  chunks.writable(0)[0] = 1;
  const SharedChunks<Chunk> copy = chunks.shared();
  const Chunk* own = &chunks.writable(0);
  EXPECT_NE(own, copy[0]);
  EXPECT_EQ(&chunks.writable(0), own);
}

TEST(SharedChunks, ACopyMayBeWrittenToAsWell) {
  SharedChunks<Chunk> chunks(1);
  chunks.writable(0)[0] = 1;
  SharedChunks<Chunk> copy = chunks.shared();
  copy.writable(0)[0] = 7;
  EXPECT_EQ((*chunks[0])[0], 1);
}

}  // namespace
}  // namespace sau::shared_chunks_test
