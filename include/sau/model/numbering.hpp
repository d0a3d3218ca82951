#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sau/core/archive.hpp"

namespace sau {

// Gives hashes the numbers 0, 1, ..., room - 1, in the order in which they come. When all numbers
// are taken, further hashes share them.
class Numbering {
 public:
  explicit Numbering(std::uint64_t room) : room_(room) {}

  // How many hashes have their own number.
  std::size_t size() const noexcept { return hashes_.size(); }

  // nullopt for a hash that will get its own number once it is added.
  std::optional<std::uint32_t> find(std::uint64_t hash) const noexcept {
    const auto found = number_.find(hash);
    if (found != number_.end()) return found->second;
    if (hashes_.size() < room_) return std::nullopt;
    return static_cast<std::uint32_t>(hash % room_);
  }

  std::uint32_t add(std::uint64_t hash) {
    if (const auto known = find(hash)) return *known;
    const auto number = static_cast<std::uint32_t>(hashes_.size());
    number_.emplace(hash, number);
    hashes_.push_back(hash);
    return number;
  }

  // As the field `name`: the hashes in the order of their numbers.
  void save(StateWriter& writer, std::string_view name) const { writer(name, hashes_); }
  void load(StateReader& reader, std::string_view name) {
    const auto hashes = reader.take_vector<std::uint64_t>(name);
    if (hashes.size() > room_) throw Error("the field '" + std::string(name) + "' is too long");
    Numbering loaded(room_);
    for (const std::uint64_t hash : hashes) loaded.add(hash);
    if (loaded.size() != hashes.size()) {
      throw Error("the field '" + std::string(name) + "' has a hash twice");
    }
    *this = std::move(loaded);
  }

 private:
  std::uint64_t room_;
  std::vector<std::uint64_t> hashes_;
  std::unordered_map<std::uint64_t, std::uint32_t> number_;
};

}  // namespace sau
