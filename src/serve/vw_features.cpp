#include "serve/vw_features.hpp"

#include <simdjson.h>

#include <utility>
#include <vector>

#include "core/json_text.hpp"
#include "sau/core/error.hpp"
#include "store/dsjson_features.hpp"

namespace sau::detail {
namespace {

using simdjson::ondemand::json_type;

// Whether Vowpal Wabbit may misread something. Says yes too often, as for brackets in a text.
bool needs_change(std::string_view list) {
  bool in_text = false;
  for (std::size_t i = 1; i + 1 < list.size(); ++i) {
    switch (list[i]) {
      case '"':
        in_text = !in_text;
        if (in_text && (list[i + 1] == '_' || list[i + 1] == '%' || list[i + 1] == '\\' ||
                        static_cast<unsigned char>(list[i + 1]) >= 0x80)) {
          return true;
        }
        break;
      case '\\':
        ++i;  // whatever it is, it does not end the text
        break;
      case '[':
      case 't':
      case 'f':
        if (!in_text) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

template <class T>
T sound(simdjson::simdjson_result<T> result) {
  T value{};
  if (std::move(result).get(value) != simdjson::SUCCESS) {
    throw Error("a logged request has features that cannot be read");
  }
  return value;
}

// The members of one object, spread over as many objects as the name with the most values needs.
class Layers {
 public:
  void add(std::size_t layer, const std::string& name, std::string_view value) {
    if (layer >= bodies_.size()) bodies_.resize(layer + 1);
    std::string& body = bodies_[layer];
    if (!body.empty()) body += ',';
    body += name;
    body += ':';
    body += value;
  }
  // The objects, with commas between them.
  std::string objects() const {
    std::string text;
    for (const std::string& body : bodies_) {
      text += text.empty() ? "{" : ",{";
      text += body;
      text += '}';
    }
    return text;
  }
  std::size_t size() const noexcept { return bodies_.size(); }

 private:
  std::vector<std::string> bodies_{1};
};

}  // namespace

struct VwFeatures::Writer {
  simdjson::ondemand::parser parser;
  simdjson::padded_string padded;
  bool escaped = false;

  // A name in quotes. A namespace is the name of an object or an array.
  std::string name_of(std::string_view name, bool is_namespace) {
    std::string text;
    escaped = append_escaped_name(text, name, is_namespace) || escaped;
    return text;
  }

  Layers object(simdjson::ondemand::object from) {
    Layers to;
    for (auto each : from) {
      auto field = sound(std::move(each));
      const std::string name(sound(field.unescaped_key()));
      std::size_t layer = 0;
      value(field.value(), name, layer, to);
    }
    return to;
  }

  // `layer` is the first one in which the name has no value yet.
  void value(simdjson::ondemand::value from, const std::string& name, std::size_t& layer,
             Layers& to) {
    const auto plain = [&](std::string_view text) { to.add(layer++, name_of(name, false), text); };
    switch (sound(from.type())) {
      case json_type::object: {
        const Layers inner = object(sound(from.get_object()));
        const std::string text = inner.objects();
        to.add(layer++, name_of(name, true), inner.size() == 1 ? text : "[" + text + "]");
        return;
      }
      case json_type::array:
        return array(sound(from.get_array()), name, layer, to);
      case json_type::string: {
        std::string text;
        append_json(text, sound(from.get_string()));
        return plain(text);
      }
      case json_type::boolean:
        return plain(sound(from.get_bool()) ? R"("true")" : R"("false")");
      case json_type::number:
        return plain(from.raw_json_token());
      case json_type::null:
        return plain(from.is_null().value_unsafe() ? "null" : "0");
    }
  }

  // Numbers count by their place, so other items leave a 0, which is no feature, in theirs.
  void array(simdjson::ondemand::array from, const std::string& name, std::size_t& layer,
             Layers& to) {
    std::string numbers;
    bool any = false;
    for (auto each : from) {
      auto item = sound(each);
      numbers += numbers.empty() ? '[' : ',';
      const json_type kind = sound(item.type());
      if (kind == json_type::number) {
        numbers += item.raw_json_token();
        any = true;
        continue;
      }
      numbers += '0';
      if (kind != json_type::null) value(item, name, layer, to);
    }
    if (any) to.add(layer++, name_of(name, true), numbers + "]");
  }
};

VwFeatures::VwFeatures() : writer_(std::make_unique<Writer>()) {}
VwFeatures::~VwFeatures() = default;

void VwFeatures::append(std::string& out, std::string_view list) {
  if (!needs_change(list)) {
    out += list;
    return;
  }
  writer_->padded = simdjson::padded_string(list);
  auto document = sound(writer_->parser.iterate(writer_->padded));
  const char* before = "[";
  for (auto each : sound(document.get_array())) {
    out += before;
    before = ",";
    out += writer_->object(sound(each.get_object())).objects();
  }
  out += *before == '[' ? "[]" : "]";
}

bool VwFeatures::take_escaped() noexcept { return std::exchange(writer_->escaped, false); }

}  // namespace sau::detail
