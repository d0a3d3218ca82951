#include "sau/model/feature_table.hpp"

#include <algorithm>
#include <utility>

#include "sau/core/error.hpp"

namespace sau {

float* FeatureTable::writable_row(std::uint32_t place) {
  AlignedVector<float>& chunk = chunks_.writable(place / kChunkRows);
  if (chunk.empty()) chunk.resize(kChunkRows * width());
  return chunk.data() + place % kChunkRows * width();
}

void FeatureRows::look_up(const FeatureTable& table) {
  for (Asked& asked : asked_) {
    asked.chunk = table.chunk_of(asked.place);
    __builtin_prefetch(asked.chunk);
  }
  constexpr std::size_t kLine = 64 / sizeof(float);
  std::size_t part = 0;
  for (std::size_t i = 0; i <= asked_.size(); ++i) {
    for (; part < parts_.size() && parts_[part] == i; ++part) ends_.push_back(row_.size());
    if (i == asked_.size() || asked_[i].chunk == nullptr) continue;
    const float* row = table.row_in(*asked_[i].chunk, asked_[i].place);
    for (std::size_t j = 0; j < table.units(); j += kLine) __builtin_prefetch(row + j);
    row_.push_back(row);
    value_.push_back(asked_[i].value);
  }
}

std::vector<std::uint64_t> FeatureTable::places() const {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    if (chunks_[i] != nullptr) result.push_back(i);
  }
  return result;
}

std::vector<float> FeatureTable::packed() const {
  std::vector<float> result;
  for (const std::uint64_t i : places()) {
    for (std::size_t k = 0; k < kChunkRows; ++k) {
      const float* from = chunks_[i]->data() + k * width();
      result.insert(result.end(), from, from + units_);
    }
  }
  return result;
}

void FeatureTable::unpack(std::span<const std::uint64_t> places, std::span<const float> packed) {
  if (packed.size() != places.size() * kChunkRows * units_) throw Error("its rows are damaged");
  Chunks loaded(chunks_.size());
  const float* from = packed.data();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= loaded.size() || (i > 0 && places[i] <= places[i - 1])) {
      throw Error("its rows are damaged");
    }
    AlignedVector<float>& chunk = loaded.writable(places[i]);
    chunk.resize(kChunkRows * width());
    for (std::size_t k = 0; k < kChunkRows; ++k, from += units_) {
      std::copy_n(from, units_, chunk.data() + k * width());
    }
  }
  chunks_ = std::move(loaded);
}

}  // namespace sau
