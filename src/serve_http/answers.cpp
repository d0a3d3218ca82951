#include "serve_http/answers.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "serve_http/percent_decoded.hpp"

namespace sau::detail {
namespace {

constexpr const char* kJson = "application/json; charset=utf-8";

// The codes that clients of the retired service know.
std::string_view code_of(int status) {
  if (status == 401) return "Unauthorized";
  if (status == 404) return "ResourceNotFound";
  if (status == 413) return "PayloadSizeExceeded";
  return status >= 500 ? "InternalServerError" : "BadRequest";
}

int status_of(Failure::Code code) {
  switch (code) {
    case Failure::Code::kBadRequest:
      return 400;
    case Failure::Code::kUnauthorized:
      return 401;
    case Failure::Code::kNotFound:
      return 404;
    case Failure::Code::kConflict:
      return 409;
    case Failure::Code::kTooLarge:
      return 413;
    case Failure::Code::kOverloaded:
    case Failure::Code::kUnavailable:
      return 503;
    case Failure::Code::kInternal:
      break;
  }
  return 500;
}

}  // namespace

HttpResponse json_response(int status, std::string body) {
  HttpResponse response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.reserve(4);  // an initializer list would be copied
  response.headers.push_back({"Content-Type", kJson});
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  return response;
}

HttpResponse error_response(int status, std::string_view message, std::string_view target,
                            std::string_view code) {
  constexpr std::size_t kLongest = 1000;  // it may repeat what somebody sent
  std::string body = R"({"error":{"code":)";
  append_json(body, code.empty() ? code_of(status) : code);
  body += R"(,"message":)";
  append_json(body, message.substr(0, kLongest));
  if (!target.empty()) {
    body += R"(,"target":)";
    append_json(body, target.substr(0, kLongest));
  }
  HttpResponse response = json_response(status, body + "}}");
  if (status == 503) response.headers.push_back({"Retry-After", "1"});
  return response;
}

HttpResponse failed(const Failure& failure, std::string_view invalid) {
  std::string_view code = failure.name;
  if (code.empty() && failure.code == Failure::Code::kBadRequest) code = invalid;
  return error_response(status_of(failure.code), failure.message, failure.target, code);
}

std::string slots_body(const SlotsAnswer& answer) {
  std::string body = R"({"slots":[)";
  for (const SlotsAnswer::Slot& slot : answer.slots) {
    if (&slot != &answer.slots.front()) body += ',';
    body += R"({"id":)";
    append_json(body, slot.id);
    body += R"(,"rewardActionId":)";
    append_json(body, slot.action_id);
    body += '}';
  }
  body += R"(],"eventId":)";
  append_json(body, answer.event_id);
  return body + '}';
}

std::string policy_body(const Policy& policy) {
  std::string body = R"({"name":)";
  append_json(body, policy.name);
  body += R"(,"arguments":)";
  append_json(body, policy.agent);
  return body + '}';
}

std::string erased_body(const Erased& erased) {
  return R"({"events":)" + std::to_string(erased.events) + R"(,"stillLearned":)" +
         std::to_string(erased.still_learned) + '}';
}

std::string rank_body(const RankAnswer& answer) {
  constexpr std::size_t kUsual = 64;  // bytes per action
  std::string body;
  body.reserve(kUsual * (answer.ranking.size() + 2));
  body += R"({"ranking":[)";
  for (const RankedAction& action : answer.ranking) {
    if (&action != &answer.ranking.front()) body += ',';
    body += R"({"id":)";
    append_json(body, action.id);
    std::array<char, 32> number;  // a double takes at most 24
    const char* const end = fmt::format_to(number.data(), FMT_COMPILE("{}"), action.probability);
    body += R"(,"probability":)";
    body += std::string_view(number.data(), end);
    body += '}';
  }
  body += R"(],"eventId":)";
  append_json(body, answer.event_id);
  body += R"(,"rewardActionId":)";
  append_json(body, answer.ranking[answer.chosen].id);
  body += '}';
  return body;
}

}  // namespace sau::detail
