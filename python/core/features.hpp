#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "model/feature_hash.hpp"
#include "sau/model/joint_features.hpp"

namespace sau::python {

namespace py = pybind11;

using FeatureList = std::pmr::vector<HashedFeature>;

// Where a value stands in the arguments, for messages: "actions[2].user.age".
struct FeaturePlace {
  const FeaturePlace* outer = nullptr;
  std::string_view name;
  std::size_t index = kNoIndex;  // in a list of actions

  static constexpr std::size_t kNoIndex = SIZE_MAX;

  std::string text() const;
};

// The UTF-8 of a text, which lives as long as the object. Throws UsageError, naming the place, if
// the text is not valid Unicode.
std::string_view utf8_of(PyObject* text, const FeaturePlace& place);

// Turns dictionaries into hashed features as the service does (src/serve/feature_reader.hpp): the
// same features get the same hashes, in the same order. A nested dictionary is a namespace; texts
// and booleans are indicators of "name=value"; numbers keep their value; each element of a list is
// a feature; None adds nothing. Throws UsageError, naming the key, for everything else.
class DictionaryReader {
 public:
  explicit DictionaryReader(FeatureList& out) : out_(out) {}

  // A dictionary of features, a list of such dictionaries, or None.
  void read(PyObject* given, std::uint64_t side, const FeaturePlace& place);

  // The features of an offered action: everything but its id. Features below the key "features"
  // are read as in a request to the service.
  void read_action(PyObject* action, const FeaturePlace& place);

 private:
  using FeatureHash = detail::FeatureHash;

  void read_dictionary(PyObject* dictionary, const FeatureHash& space, const FeaturePlace& place,
                       std::size_t depth);
  void read_value(PyObject* value, const FeatureHash& space, const FeaturePlace& place,
                  std::size_t depth);
  void read_list(PyObject* list, const FeatureHash& space, const FeaturePlace& place,
                 std::size_t depth);
  void add(std::uint64_t hash, double value, const FeaturePlace& place);

  FeatureList& out_;
};

}  // namespace sau::python
