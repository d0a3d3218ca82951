#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "catalog/problem_list.hpp"
#include "support/data_folders.hpp"

namespace sau::testing {

// A spec for every problem of the catalogue that works without external files: files that it reads
// are written into the test's own folders. A problem that works as it is needs nothing here.
template <class P>
std::string example_spec(const DataFolders&) {
  return std::string(P::kName);
}

template <>
inline std::string example_spec<Dataset>(const DataFolders& folders) {
  // As large as the real one, or it is refused: 8124 rows, 15 x 5 + 7 x 6 letters.
  std::string rows;
  for (int i = 0; i < 8124; ++i) {
    rows += i % 3 == 0 ? 'p' : 'e';
    for (int c = 0; c < 22; ++c) {
      rows += ',';
      rows += static_cast<char>('a' + (i + c) % (c < 15 ? 5 : 6));
    }
    rows += '\n';
  }
  std::filesystem::create_directories(folders.path() / "mushroom");
  folders.file("mushroom/agaricus-lepiota.data", rows);
  ::setenv("SAU_DATA_DIR", folders.path().c_str(), 1);
  return "dataset(name=mushroom,outcomes=fresh)";
}

template <>
inline std::string example_spec<Csv>(const DataFolders& folders) {
  const std::string file =
      folders.file("example.csv", "a,b,class\n1,u,x\n2,v,y\n?,u,z\n4,w,x\n5,v,y\n");
  return "csv(file=\"" + file + "\")";
}

template <>
inline std::string example_spec<Libsvm>(const DataFolders& folders) {
  return "libsvm(file=\"" + folders.file("example.svm", "1 1:2\n3 3:-1 4:0.5\n1 2:4\n") + "\")";
}

template <>
inline std::string example_spec<Rewards>(const DataFolders& folders) {
  const std::string file =
      folders.file("paid.csv", "a,b,left,right\n1,2,-3,7\n3,4,5,0.5\n2,2,0,1\n");
  return "rewards(file=\"" + file + "\",actions=\"left,right\")";
}

template <>
inline std::string example_spec<Events>(const DataFolders& folders) {
  const std::string file = folders.file(
      "events.jsonl",
      R"({"contextFeatures":[{"device":"mobile"}],"actions":[)"
      R"({"id":"a","features":[{"topic":"x"}],"reward":1},{"id":"b","reward":-0.5}]})"
      "\n"
      R"({"actions":[{"id":"b","reward":2},{"id":"c","reward":0},{"id":"d","reward":3}]})"
      "\n");
  return "events(file=\"" + file + "\")";
}

}  // namespace sau::testing
