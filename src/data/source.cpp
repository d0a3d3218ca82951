#include "sau/data/source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kSuffixes = {".gz", ".xz", ".Z", ".zip"};

constexpr std::string_view kUci = "CC BY 4.0 (UCI)";

constexpr DataFile kAdult[] = {
    {.path = "adult/adult.data",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data",
     .sha256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
     .bytes = 3974305},
    {.path = "adult/adult.test",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.test",
     .sha256 = "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
     .bytes = 2003153}};

constexpr DataFile kCensus[] = {
    {.path = "census/USCensus1990.data.txt",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/census1990-mld/"
            "USCensus1990.data.txt",
     .sha256 = "",
     .bytes = 0,
     .lines = 2458286,
     .start = "caseid,dAge,dAncstry1,dAncstry2,iAvail,iCitizen,iClass,"}};

constexpr DataFile kCensusSynthetic[] = {
    {.path = "census/USCensus1990.synthetic250k.txt",
     .url = "",
     .sha256 = "3af47ab19b0bdc737fc8142aeeb652c5119a48d4c347e999904732fd9747eed6",
     .bytes = 36247270}};

constexpr DataFile kCovertype[] = {
    {.path = "covertype/covtype.data",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz",
     .sha256 = "0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
     .bytes = 75169317}};

constexpr DataFile kFinancial[] = {
    {.path = "financial/raw_stock_contexts",
     .url = "https://storage.googleapis.com/bandits_datasets/raw_stock_contexts",
     .sha256 = "cf468e5aae150dfd5c6b096464cd11e85f8b01198f8e49bedb941948850a6315",
     .bytes = 1987117}};

constexpr DataFile kJester[] = {
    {.path = "jester/jester_data_40jokes_19181users.npy",
     .url = "",
     .sha256 = "0851d02de7fd0902cc6b4f61aa92a41178b19dfb5a72e608a5b3885dfb695c89",
     .bytes = 6138048}};

constexpr DataFile kMagic[] = {
    {.path = "magic/magic04.data",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/magic/magic04.data",
     .sha256 = "",
     .bytes = 0,
     .lines = 19020,
     .start = "28.7967,16.0021,"}};

constexpr DataFile kMnist[] = {
    {.path = "mnist/train-images-idx3-ubyte",
     .url = "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz",
     .sha256 = "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
     .bytes = 47040016},
    {.path = "mnist/train-labels-idx1-ubyte",
     .url = "https://ossci-datasets.s3.amazonaws.com/mnist/train-labels-idx1-ubyte.gz",
     .sha256 = "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
     .bytes = 60008}};

constexpr DataFile kMushroom[] = {
    {.path = "mushroom/agaricus-lepiota.data",
     .url =
         "https://archive.ics.uci.edu/ml/machine-learning-databases/mushroom/agaricus-lepiota.data",
     .sha256 = "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
     .bytes = 373704}};

constexpr DataFile kStatlog[] = {
    {.path = "statlog/shuttle.trn",
     .url = "https://archive.ics.uci.edu/ml/machine-learning-databases/statlog/shuttle/"
            "shuttle.trn.Z",
     .sha256 = "87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a",
     .bytes = 1153518}};

constexpr DataSource kSources[] = {
    {"adult", "Adult: occupation from a census form", kUci, kAdult, ""},
    {"census", "US Census 1990: occupation from 67 coded answers", kUci, kCensus,
     "no checksum of the real file is known; its header and its number of lines are checked"},
    {"census_synthetic", "US Census 1990, synthetic stand-in: 250,000 rows drawn from a model",
     "statistics of CC BY 4.0 data (UCI)", kCensusSynthetic,
     "not published anywhere: copy the file in with 'sau data add', or use --mirror"},
    {"covertype", "Covertype: kind of forest from a map",
     "CC BY 4.0 (UCI), copyright J. Blackard and Colorado State University", kCovertype, ""},
    {"financial", "Financial: daily price differences of 21 stocks",
     "published with Apache-2.0 code, no licence of its own", kFinancial, ""},
    {"jester", "Jester: ratings of 40 jokes by 19,181 people",
     "free for research that cites Goldberg et al. 2001", kJester,
     "published only as a spreadsheet of all ratings (jester-data-1.zip, Eigentaste project, UC "
     "Berkeley), from which this file is derived: copy it in with 'sau data add', or use --mirror"},
    {"magic", "MAGIC gamma telescope: gamma ray or hadron from 10 numbers", kUci, kMagic,
     "no checksum of the file is known; its first line and its number of lines are checked"},
    {"mnist", "MNIST: 60,000 handwritten digits of 28 x 28 pixels",
     "CC BY-SA 3.0, Y. LeCun, C. Cortes and C. Burges", kMnist, ""},
    {"mushroom", "Mushroom: edible or poisonous", kUci, kMushroom, ""},
    {"statlog", "Statlog (Shuttle): state of a radiator from 9 readings", kUci, kStatlog, ""},
};

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The XDG rules: a relative path in the variable does not count.
fs::path personal_folder(const char* own, const char* xdg, const char* below_home,
                         const char* inside) {
  if (fs::path chosen = environment(own); !chosen.empty()) return chosen;
  if (const fs::path base = environment(xdg); base.is_absolute()) return base / inside;
  const fs::path home = environment("HOME");
  if (home.empty()) throw Error(std::string("neither ") + own + " nor HOME is set");
  return home / below_home / inside;
}

}  // namespace

std::span<const DataSource> data_sources() { return kSources; }

const DataSource& data_source(std::string_view name) {
  std::string plain(name);
  std::ranges::replace(plain, '-', '_');
  std::vector<std::string> known;
  for (const DataSource& source : kSources) {
    if (source.name == plain) return source;
    known.emplace_back(source.name);
  }
  throw UsageError(unknown_name("data set", name, known));
}

fs::path data_folder() {
  return personal_folder("SAU_DATA_DIR", "XDG_DATA_HOME", ".local/share", "sau/data");
}

namespace {

std::atomic<bool> keeps_prepared_data = true;

}  // namespace

void keep_prepared_data(bool keep) { keeps_prepared_data = keep; }
bool prepared_data_are_kept() { return keeps_prepared_data; }

fs::path cache_folder() {
  return personal_folder("SAU_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "sau");
}

std::span<const std::string_view> packed_suffixes() { return kSuffixes; }

std::optional<fs::path> locate_data_file(const fs::path& folder, const DataFile& file) {
  const fs::path plain = folder / file.path;
  std::error_code ignored;
  if (fs::is_regular_file(plain, ignored)) return plain;
  for (const std::string_view suffix : kSuffixes) {
    fs::path packed = plain;
    packed += suffix;
    if (fs::is_regular_file(packed, ignored)) return packed;
  }
  return std::nullopt;
}

fs::path find_data_file(const DataFile& file) {
  const fs::path folder = data_folder();
  if (const auto found = locate_data_file(folder, file)) return *found;
  std::string name(file.path.substr(0, file.path.find('/')));
  std::string note;
  for (const DataSource& source : kSources) {
    for (const DataFile& other : source.files) {
      if (other.path == file.path) name = source.name, note = source.note;
    }
  }
  std::string text = (folder / file.path).string() + " is missing; ";
  text += file.url.empty()
              ? note
              : "fetch it with 'sau data get " + name + "', or by hand from " +
                    std::string(file.url) + " and then 'sau data add " + name + " FILE'";
  throw MissingData(text + "; to use another folder, set SAU_DATA_DIR");
}

}  // namespace sau
