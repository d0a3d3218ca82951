#include "serve/model_file.hpp"

#include <fmt/format.h>

#include "core/hash.hpp"
#include "sau/core/error.hpp"
#include "store/bytes.hpp"

namespace sau::detail {
namespace {

constexpr std::string_view kMagic = "SAUMODEL";
constexpr std::uint32_t kVersion = 1;
// Of the way from JSON to hashed features: models of different ways do not mix.
constexpr int kFeatureVersion = 1;
constexpr std::size_t kChecksum = sizeof(std::uint64_t);

struct Opened {
  ModelHead head;
  std::string_view state;
};

Opened open_model(std::string_view bytes, std::string_view name) {
  const auto wrong = [name](const std::string& what) {
    return Error(std::string(name) + ": " + what);
  };
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 4 + kChecksum) {
    throw wrong("not a model file of sau serve");
  }
  ByteReader reader(bytes.substr(kMagic.size()));
  const auto version = reader.take<std::uint32_t>();
  if (version != kVersion) {
    throw wrong(fmt::format("a model file of version {}; this program reads version {}", version,
                            kVersion));
  }
  const std::string_view contents = bytes.substr(0, bytes.size() - kChecksum);
  ByteReader tail(bytes.substr(contents.size()));
  if (tail.take<std::uint64_t>() != detail::hash_of(contents)) {
    throw wrong("damaged: its checksum is wrong");
  }
  Opened opened;
  opened.head.schema = reader.take_text();
  opened.head.position = reader.take<Sequence>();
  opened.head.version = reader.take<Sequence>();
  const std::size_t place = bytes.size() - reader.left();
  opened.state = contents.substr(std::min(place, contents.size()));
  return opened;
}

}  // namespace

std::string schema_of(const JointAgent& agent, std::uint64_t seed) {
  return fmt::format("{} seed={} features={}", agent.spec(), seed, kFeatureVersion);
}

std::string write_model(const JointAgent& agent, const ModelHead& head) {
  StateWriter state;
  agent.save(state);
  std::string file;
  ByteWriter writer(file);
  writer.reserve(state.bytes().size() + 256);
  writer.bytes().append(kMagic);
  writer.put(kVersion);
  writer.put_text(head.schema);
  writer.put(head.position);
  writer.put(head.version);
  writer.bytes().append(state.bytes());
  writer.put(static_cast<std::uint64_t>(detail::hash_of(writer.bytes())));
  return file;
}

ModelHead read_model_head(std::string_view bytes, std::string_view name) {
  return open_model(bytes, name).head;
}

ModelHead read_model(std::string_view bytes, std::string_view name, std::string_view schema,
                     JointAgent& agent) {
  const Opened opened = open_model(bytes, name);
  if (opened.head.schema != schema) {
    throw Error(fmt::format("{}: a model of '{}'; this service runs '{}'", name, opened.head.schema,
                            schema));
  }
  try {
    StateReader reader(opened.state);
    agent.load(reader);
    reader.finish();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return opened.head;
}

std::string checksum_of(std::string_view bytes) {
  return fmt::format("{:016x}", detail::hash_of(bytes));
}

std::string model_checksum(std::string_view model) {
  return checksum_of(open_model(model, "the model").state);
}

}  // namespace sau::detail
