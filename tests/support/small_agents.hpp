#pragma once

#include <string>

namespace sau::testing {

// The spec of a model with few parameters that trains early, so that tests of every agent are
// quick. `by_ids`: for actions that come and go.
inline std::string small_model(const std::string& name, bool by_ids) {
  const std::string deep = "hidden=8x8,batch=8,every=5,start=10,updates=2";
  if (name == "committee") {
    return by_ids ? "committee(members=\"hashed_linear(bits=8,relative=true)+hashed_mlp(bits=8," +
                        deep + ")+linear\")"
                  : "committee(members=\"linear(lambda=20)+neural_linear(" + deep +
                        ",standardise=true)+hashed_linear(bits=8)+random_features(features=8)\")";
  }
  if (name == "bootstrap") return "bootstrap(members=4)";
  if (name == "random_features") return "random_features(features=8)";
  if (name == "hashed_linear") return "hashed_linear(bits=8)";
  if (name == "hashed_mlp") return "hashed_mlp(bits=8," + deep + ")";
  if (name.ends_with("mlp") || name.starts_with("neural_")) return name + "(" + deep + ")";
  return name;
}

}  // namespace sau::testing
