#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "sau/core/archive.hpp"
#include "sau/core/error.hpp"
#include "sau/core/shared_chunks.hpp"

namespace sau {

// The chunks that were ever written to, as their places and then their contents. `stored` turns a
// chunk into what a file has.
template <class Chunk, class Stored = std::identity>
void save_chunks(StateWriter& writer, const std::string& name, const SharedChunks<Chunk>& chunks,
                 Stored stored = {}) {
  using Content = std::decay_t<std::invoke_result_t<Stored, const Chunk&>>;
  static_assert(
      std::has_unique_object_representations_v<Content> || sizeof(Content) % sizeof(float) == 0,
      "a chunk without padding");
  std::vector<std::uint64_t> places;
  std::vector<Content> contents;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i] == nullptr) continue;
    places.push_back(i);
    contents.push_back(stored(*chunks[i]));
  }
  writer(name + "_places", places);
  writer(name, contents);
}

// `restored` makes a chunk from what a file has.
template <class Stored, class Chunk, class Restored>
void load_chunks_as(StateReader& reader, const std::string& name, SharedChunks<Chunk>& chunks,
                    Restored restored) {
  const auto places = reader.take_vector<std::uint64_t>(name + "_places");
  const auto contents = reader.take_vector<Stored>(name);
  if (contents.size() != places.size()) {
    throw Error("the field '" + name + "' has " + std::to_string(contents.size()) +
                " parts, expected " + std::to_string(places.size()));
  }
  SharedChunks<Chunk> loaded(chunks.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= chunks.size() || (i > 0 && places[i] <= places[i - 1])) {
      throw Error("the field '" + name + "_places' is damaged");
    }
    loaded.writable(places[i]) = restored(contents[i]);
  }
  chunks = std::move(loaded);
}

template <class Chunk>
void load_chunks(StateReader& reader, const std::string& name, SharedChunks<Chunk>& chunks) {
  load_chunks_as<Chunk>(reader, name, chunks, std::identity());
}

}  // namespace sau
