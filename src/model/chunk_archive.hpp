#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/error.hpp"
#include "sau/core/shared_chunks.hpp"

namespace sau {

// The chunks that were ever written to, as their places and then their contents.
template <class Chunk>
void save_chunks(StateWriter& writer, const std::string& name, const SharedChunks<Chunk>& chunks) {
  static_assert(
      std::has_unique_object_representations_v<Chunk> || sizeof(Chunk) % sizeof(float) == 0,
      "a chunk without padding");
  std::vector<std::uint64_t> places;
  std::vector<Chunk> contents;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i] == nullptr) continue;
    places.push_back(i);
    contents.push_back(*chunks[i]);
  }
  writer(name + "_places", places);
  writer(name, contents);
}

template <class Chunk>
void load_chunks(StateReader& reader, const std::string& name, SharedChunks<Chunk>& chunks) {
  const auto places = reader.take_vector<std::uint64_t>(name + "_places");
  const auto contents = reader.take_vector<Chunk>(name);
  if (contents.size() != places.size()) {
    throw Error("the field '" + name + "' has " + std::to_string(contents.size()) +
                " parts, expected " + std::to_string(places.size()));
  }
  SharedChunks<Chunk> loaded(chunks.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= chunks.size() || (i > 0 && places[i] <= places[i - 1])) {
      throw Error("the field '" + name + "_places' is damaged");
    }
    loaded.writable(places[i]) = contents[i];
  }
  chunks = std::move(loaded);
}

}  // namespace sau
