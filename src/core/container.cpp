#include "sau/core/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/bytes.hpp"
#include "core/hash.hpp"
#include "core/json_text.hpp"
#include "sau/core/file.hpp"

namespace sau {
namespace {

using namespace std::string_view_literals;
using nlohmann::json;

constexpr std::string_view kMagic = "sau-file";
// How files of version 1 begin.
constexpr std::string_view kOldAgent = "sau-agent 1\n", kOldModel = "SAUMODEL\1\0\0\0"sv;

struct Front {
  char magic[8], kind[8];  // the kind's name, then zeros
  std::uint32_t version, header_size;
  std::uint64_t payload_size;

  std::uint64_t payload_begin() const { return (sizeof(Front) + header_size + 7) / 8 * 8; }
};
static_assert(sizeof(Front) == 32);

// Whether the file ends with the checksum of everything before it.
template <class T>
bool is_whole(std::string_view bytes, T (*checksum)(std::string_view)) {
  const std::string_view contents = bytes.substr(0, bytes.size() - sizeof(T));
  return detail::ByteReader(bytes.substr(contents.size())).take<T>() == checksum(contents);
}
std::uint64_t xxh3(std::string_view bytes) { return detail::hash_of(bytes); }
std::uint32_t crc(std::string_view bytes) { return crc32(bytes); }

// What is wrong; empty if nothing is.
std::string damage_in(const Front& front, std::string_view bytes) {
  const std::uint64_t rest = bytes.size() - sizeof(std::uint64_t), begin = front.payload_begin();
  if (begin > rest || front.payload_size > rest - begin) {
    return fmt::format("is cut short: it has {} bytes", bytes.size());
  }
  if (front.payload_size < rest - begin) return "is damaged: bytes follow after its end";
  return is_whole(bytes, xxh3) ? "" : "is damaged: its checksum is wrong";
}

// Why an undamaged file is refused; empty if it is not.
std::string refusal_of(std::string_view found, std::uint32_t version, const FileKind& kind) {
  if (kind.name != found) {
    return fmt::format("is a file of the kind '{}'; expected '{}'", found,
                       kind.name.empty() ? "agent', 'model' or 'table" : kind.name);
  }
  if (kind.oldest <= version && version <= kind.version) return "";
  return fmt::format("is of version {} of {} files; this sau reads versions {} to {}", version,
                     found, kind.oldest, kind.version);
}

const FileKind& kind_named(std::string_view name) {
  for (const FileKind* kind : {&kAgentFile, &kModelFile, &kTableFile}) {
    if (kind->name == name) return *kind;
  }
  return kAnyFile;
}

// A file of version 1, with the header as version 2 has it.
Container open_old(std::string_view bytes, std::string name) {
  const bool is_agent = bytes.starts_with(kOldAgent);
  const std::size_t begin = is_agent ? kOldAgent.size() : kOldModel.size(),
                    end = is_agent ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
  if (bytes.size() < begin + end) throw DamagedFile(name + ": is cut short");
  if (!(is_agent ? is_whole(bytes, crc) : is_whole(bytes, xxh3))) {
    throw DamagedFile(name + ": is damaged: its checksum is wrong");
  }
  const std::string_view inner = bytes.substr(begin, bytes.size() - begin - end);
  Container file{std::move(name), is_agent ? kAgentFile : kModelFile, 1, "", ""};
  if (is_agent) {
    const std::size_t line = std::min(inner.find('\n'), inner.size());
    file.header = inner.substr(0, line);
    file.payload = inner.substr(std::min(line + 1, inner.size()));
    return file;
  }
  detail::ByteReader reader(inner);
  file.header = "{\"schema\":";
  detail::append_json(file.header, reader.take_text());
  for (const char* key : {"position", "changed"}) {
    file.header += fmt::format(",\"{}\":{}", key, reader.take<std::uint64_t>());
  }
  file.header += '}';
  file.payload = inner.substr(inner.size() - reader.left());
  return file;
}

template <class T>
T entry(const Container& file, const char* key) {
  try {
    return json::parse(file.header).at(key).get_ref<const T&>();
  } catch (const json::exception&) {
    throw DamagedFile(file.name + ": is damaged: its header cannot be read");
  }
}

}  // namespace

std::string begin_container(const FileKind& kind, std::string_view header) {
  Front front{};
  front.version = kind.version;
  front.header_size = static_cast<std::uint32_t>(header.size());
  std::ranges::copy(kMagic, front.magic);
  std::ranges::copy(kind.name, front.kind);
  std::string bytes(reinterpret_cast<const char*>(&front), sizeof front);
  bytes.append(header).resize(front.payload_begin());
  return bytes;
}

std::string finish_container(std::string bytes) {
  Front front;
  std::memcpy(&front, bytes.data(), sizeof front);
  front.payload_size = bytes.size() - front.payload_begin();
  std::memcpy(bytes.data(), &front, sizeof front);
  detail::ByteWriter(bytes).put(xxh3(bytes));
  return bytes;
}

Container open_container(std::string_view bytes, std::string name, const FileKind& wanted) {
  if (bytes.starts_with(kOldAgent) || bytes.starts_with(kOldModel)) {
    Container old = open_old(bytes, std::move(name));
    const std::string why = refusal_of(old.kind.name, 1, wanted.name.empty() ? old.kind : wanted);
    if (!why.empty()) throw Error(old.name + ": " + why);
    return old;
  }
  if (!bytes.starts_with(kMagic)) {
    throw DamagedFile(fmt::format("{}: is not a sau {}file: it does not begin with '{}'", name,
                                  wanted.name.empty() ? "" : std::string(wanted.name) + " ",
                                  kMagic));
  }
  Front front;
  if (bytes.size() < sizeof front + sizeof(std::uint64_t)) {
    throw DamagedFile(name + ": is cut short: it ends inside its front");
  }
  std::memcpy(&front, bytes.data(), sizeof front);
  const std::string_view found(front.kind, ::strnlen(front.kind, sizeof front.kind));
  const FileKind& kind = wanted.name.empty() ? kind_named(found) : wanted;
  const std::string damage = damage_in(front, bytes), why = refusal_of(found, front.version, kind);
  // A file that looks like another kind or version because of a wrong byte is damaged.
  if (!damage.empty()) throw DamagedFile(name + ": " + (why.empty() ? damage : why));
  if (!why.empty()) throw Error(name + ": " + why);
  return {.name = std::move(name),
          .kind = kind,
          .version = front.version,
          .header = std::string(bytes.substr(sizeof front, front.header_size)),
          .payload = bytes.substr(front.payload_begin(), front.payload_size)};
}

std::string Container::text(const char* key) const { return entry<std::string>(*this, key); }

std::uint64_t Container::number(const char* key) const { return entry<std::uint64_t>(*this, key); }

void Container::read_state(const std::function<void(StateReader&)>& load) const {
  try {
    StateReader reader(payload);
    load(reader);
    reader.finish();
  } catch (const Error& error) {
    throw Error(name + ": cannot be loaded: " + error.what());
  } catch (const std::bad_alloc&) {
    throw Error(name + ": cannot be loaded: there is not enough memory for it");
  } catch (const std::length_error&) {
    throw Error(name + ": cannot be loaded: it has an impossible size");
  }
}

}  // namespace sau
