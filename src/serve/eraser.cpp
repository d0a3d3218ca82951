#include "serve/eraser.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sau/core/error.hpp"
#include "serve/relearn.hpp"
#include "serve/waited.hpp"
#include "store/store_rewrite.hpp"

namespace sau::detail {
namespace {

Failure not_to_erase(const std::string& field, const std::string& expected) {
  return {Failure::Code::kBadRequest, "expected " + expected, field};
}

}  // namespace

Result<EraseRequest> read_erase_request(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return not_to_erase("", R"(an object with "events" or "users")");
  EraseRequest request;
  for (const auto& [name, list] : json.items()) {
    if (name != "events" && name != "users") return not_to_erase(name, R"("events" or "users")");
    if (list.is_null()) continue;
    if (!list.is_array()) return not_to_erase(name, "a list");
    for (const auto& each : list) {
      if (name == "events") {
        if (!each.is_string()) return not_to_erase(name, "a list of event ids");
        request.event_ids.push_back(each.get<std::string>());
        continue;
      }
      if (!each.is_object() || each.empty()) {
        return not_to_erase(name, R"(a list of features, such as {"user": "alice"})");
      }
      for (const auto& [feature, value] : each.items()) {
        if (!value.is_string() && !value.is_number() && !value.is_boolean()) {
          return not_to_erase(name,
                              "a text, a number, true or false as the value of '" + feature + "'");
        }
        request.users.push_back(
            {feature, value.is_string() ? value.get<std::string>() : value.dump()});
      }
    }
  }
  if (request.event_ids.empty() && request.users.empty()) {
    return not_to_erase("", "at least one event or user to erase");
  }
  return request;
}

void Eraser::check_running() const {
  if (stopping_) throw Error("the service is stopping");
}

Result<Erasing> Eraser::find(const std::vector<std::string>& event_ids,
                             const std::vector<UserFeature>& users) const {
  Erasing erasing;
  for (const std::string& id : event_ids) {
    const bool known = store_.read([&](const EventStore& store) { return erasing.add(store, id); });
    if (!known) {
      return Failure{Failure::Code::kNotFound, "there is no event '" + id + "' in the log",
                     "events"};
    }
  }
  // In small pieces: a store that must be reopened waits for whoever reads.
  for (Sequence next = 1; next != 0;) {
    check_running();
    next = store_.read(
        [&](const EventStore& store) { return erasing.add_all_of(store, users, next); });
  }
  return erasing;
}

void Eraser::strike(const Erasing& erasing, Sequence fixed) {
  std::vector<std::string> ids;
  for (const auto& [sequence, id] : erasing.ids()) ids.push_back(id);
  good(waited<Done>([&](Answer<Done> done) {
    journal_.submit(StrikeOperation{std::move(ids), fixed, std::move(done)});
  }));
  learner_.wait_for(journal_.committed());
  check_running();
  learner_.hurry();  // model.sau still knows them
}

Erased Eraser::rewrite(const Erasing& erasing, Sequence fixed) {
  const std::filesystem::path log = log_folder(folder_);
  const std::filesystem::path aside = log.string() + ".part";
  for (;;) {
    Erased result;
    std::optional<StoreRewriter> rewriter;
    const LogRewrite how =
        store_.read([&](const EventStore& store) { return erasing.rewrite(store, fixed, result); });
    // The journal has added these entries already: more would be out of order.
    if (!how.more.empty()) throw Error("an event still counts; try again");
    store_.read([&](const EventStore& store) { rewriter.emplace(store, aside, how); });
    const auto catch_up = [&] {
      for (bool more = true; more;) {
        check_running();
        more = store_.read([&](const EventStore& store) { return rewriter->advance(store); });
      }
    };
    catch_up();
    rewriter->check();
    catch_up();
    bool finished = false;
    LogHead head;
    good(waited<Done>([&](Answer<Done> done) {
      journal_.replace({.prepare =
                            [&] {
                              store_.read([&](const EventStore& store) {
                                head = store.head();
                                finished = rewriter->finish(store);
                              });
                              return finished;
                            },
                        .replace = [&] { replace_event_store(log, aside, head); },
                        .done = std::move(done)});
    }));
    if (finished) return result;
  }
}

Result<Erased> Eraser::erase(std::string_view json) {
  const auto request = read_erase_request(json);
  if (!request.ok()) return request.failure();
  const std::lock_guard lock(mutex_);
  try {
    const auto found = find(request.value().event_ids, request.value().users);
    if (!found.ok()) return found.failure();
    const Erasing& erasing = found.value();
    if (erasing.empty()) return Erased{};
    const Sequence fixed =
        store_.read([this](const EventStore& store) { return fixed_until(folder_, store).until; });
    strike(erasing, fixed);
    const Erased erased = rewrite(erasing, fixed);
    activity_.forget(erasing.ids());
    return erased;
  } catch (const std::exception& error) {
    return Failure{Failure::Code::kUnavailable, error.what()};
  }
}

}  // namespace sau::detail
