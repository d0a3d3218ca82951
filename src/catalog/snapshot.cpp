#include "sau/catalog/snapshot.hpp"

#include <charconv>
#include <cstring>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sau/catalog/catalog.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

constexpr std::string_view kMagic = "sau-agent ";
constexpr std::uint64_t kFormatVersion = 1;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(path.string() + ": " + why);
}

// Cuts the text up to the next line end off `bytes`.
std::string_view take_line(std::string_view& bytes, const std::filesystem::path& path) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) refuse(path, "is damaged: it ends inside its header");
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return line;
}

struct Parsed {
  AgentFileInfo info;
  std::string_view state;
};

// Checks magic, version, checksum and header, in this order, so that the error names the first
// thing that is wrong.
Parsed parse(const std::filesystem::path& path, std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    refuse(path, "is not a sau agent file (it does not start with '" +
                     std::string(kMagic.substr(0, kMagic.size() - 1)) + "')");
  }
  const std::string_view whole = bytes;
  const std::string_view number = take_line(bytes, path).substr(kMagic.size());
  Parsed parsed;
  const auto read =
      std::from_chars(number.data(), number.data() + number.size(), parsed.info.format_version);
  if (read.ec != std::errc{} || read.ptr != number.data() + number.size() ||
      parsed.info.format_version == 0) {
    refuse(path, "is damaged: its format version is '" + std::string(number) + "'");
  }
  if (parsed.info.format_version > kFormatVersion) {
    refuse(path, "has format version " + std::string(number) + "; this sau reads up to version " +
                     std::to_string(kFormatVersion));
  }
  std::uint32_t expected = 0;
  if (bytes.size() < sizeof expected) refuse(path, "is damaged: it is cut short");
  std::memcpy(&expected, whole.data() + whole.size() - sizeof expected, sizeof expected);
  if (crc32(whole.substr(0, whole.size() - sizeof expected)) != expected) {
    refuse(path, "is damaged: its checksum does not match its contents");
  }
  bytes.remove_suffix(sizeof expected);
  const auto header = nlohmann::json::parse(take_line(bytes, path), nullptr, false);
  try {
    parsed.info.sau_version = header.at("sau").get<std::string>();
    parsed.info.agent = header.at("agent").get<std::string>();
    constexpr std::uint64_t kMost = 0xFFFFFFFF;
    const auto& actions = header.at("actions");
    const auto& dim = header.at("dim");
    if (!actions.is_number_unsigned() || actions.get<std::uint64_t>() > kMost ||
        !dim.is_number_unsigned() || dim.get<std::uint64_t>() > kMost) {
      refuse(path,
             "is damaged: its header has " + actions.dump() + " actions and dim " + dim.dump());
    }
    parsed.info.shape = {.actions = actions.get<Action>(), .dim = dim.get<std::size_t>()};
  } catch (const nlohmann::json::exception&) {
    refuse(path, "is damaged: its header cannot be read");
  }
  parsed.info.state_bytes = bytes.size();
  // Every model keeps at least a number an action: do not make room for what cannot be there.
  if (parsed.info.shape.actions > bytes.size() / sizeof(double)) {
    refuse(path, "is damaged: " + std::to_string(bytes.size()) + " bytes of state cannot be of " +
                     std::to_string(parsed.info.shape.actions) + " actions");
  }
  parsed.state = bytes;
  try {
    StateReader reader(bytes);
    while (reader.left() > 0) parsed.info.fields.push_back(reader.skip());
  } catch (const Error& error) {
    refuse(path, std::string("is damaged: ") + error.what());
  }
  return parsed;
}

}  // namespace

void save_agent(const std::filesystem::path& path, const AnyAgent& agent, const Rng& rng) {
  const nlohmann::ordered_json header = {{"sau", version()},
                                         {"agent", agent.spec()},
                                         {"actions", agent.shape().actions},
                                         {"dim", agent.shape().dim}};
  StateWriter writer;
  writer("rng", rng);
  agent.save(writer);
  std::string bytes = std::string(kMagic) + std::to_string(kFormatVersion) + "\n" + header.dump() +
                      "\n" + writer.bytes();
  const std::uint32_t check = crc32(bytes);
  bytes.append(reinterpret_cast<const char*>(&check), sizeof check);
  write_file(path, bytes);
}

SavedAgent load_agent(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const Parsed parsed = parse(path, bytes);
  try {
    SavedAgent saved{make_agent(parsed.info.agent, {.shape = parsed.info.shape, .stream = {}}),
                     Rng(Stream{})};
    StateReader reader(parsed.state);
    reader("rng", saved.rng);
    saved.agent->load(reader);
    reader.finish();
    return saved;
  } catch (const Error& error) {
    refuse(path, std::string("cannot be loaded: ") + error.what());
  } catch (const std::bad_alloc&) {
    refuse(path, "cannot be loaded: there is not enough memory for it");
  } catch (const std::length_error&) {
    refuse(path, "cannot be loaded: it is of no possible size");
  }
}

AgentFileInfo inspect_agent(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return parse(path, bytes).info;
}

bool is_agent_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

}  // namespace sau
