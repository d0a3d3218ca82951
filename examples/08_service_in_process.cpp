// The decision service inside a program, without HTTP: rank, reward, and explain a decision.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/rng.hpp"
#include "sau/serve/service.hpp"

namespace {

// The service answers from its own thread once the record is on disk; this waits for the answer.
// The promise is shared, since set_value() may still be running when the result has been read.
template <class T, class Call>
T wait_for(Call call) {
  const auto promise = std::make_shared<std::promise<sau::Result<T>>>();
  call([promise](sau::Result<T> result) { promise->set_value(std::move(result)); });
  sau::Result<T> result = promise->get_future().get();
  if (!result.ok()) throw sau::Error(result.failure().message);
  return std::move(result).value();
}

// Your world. Phones like sport, other devices news; the service never sees these chances.
double click_chance(bool phone, const std::string& article) {
  if (article == "sport") return phone ? 0.8 : 0.2;
  if (article == "news") return phone ? 0.2 : 0.8;
  return 0.3;
}

std::string request(int visit, bool phone) {
  return R"({"eventId":"visit-)" + std::to_string(visit) + R"(","contextFeatures":[{"device":")" +
         (phone ? "phone" : "desk") +
         R"("}],"actions":[{"id":"sport"},{"id":"news"},{"id":"music","features":[{"new":true}]}]})";
}

int run(const std::filesystem::path& folder) {
  sau::ServiceOptions options;
  options.folder = folder;
  // A fixed clock makes every output the same. Leave it out to use the system's clock.
  options.clock = [] { return sau::Milliseconds{1'700'000'000'000}; };
  sau::Service service(std::move(options));

  sau::Rng world(sau::Stream{.seed = 1, .role = sau::Role::kProblem});
  constexpr int kVisits = 600, kLast = 200;
  int best = 0;
  double clicks = 0.0;
  for (int visit = 0; visit < kVisits; ++visit) {
    const bool phone = world.uniform() < 0.5;
    const auto answer = wait_for<sau::RankAnswer>([&](sau::Answer<sau::RankAnswer> done) {
      service.rank(request(visit, phone), std::move(done));
    });
    const std::string& shown = answer.ranking[answer.chosen].id;
    const bool clicked = world.uniform() < click_chance(phone, shown);
    wait_for<sau::Done>([&](sau::Answer<sau::Done> done) {
      service.reward(answer.event_id, clicked ? R"({"value":1})" : R"({"value":0})",
                     std::move(done));
    });
    // Waits until the reward is learned, for the next decision. Leave this out in a real service.
    service.settle();
    clicks += clicked ? 1.0 : 0.0;
    if (visit >= kVisits - kLast && shown == (phone ? "sport" : "news")) ++best;
  }
  std::printf("clicks: %.0f of %d\n", clicks, kVisits);
  std::printf("the best article in %d of the last %d visits\n", best, kLast);

  // Explains a decision as JSON: the predicted values, how certain they were, and the chances.
  const auto why = service.decision("visit-" + std::to_string(kVisits - 1));
  if (!why.ok()) return 1;
  std::printf("%s\n", why.value().c_str());
  std::printf("%s\n", service.model_properties().c_str());
  return best > kLast * 3 / 4 ? 0 : 1;
}

}  // namespace

int main() {
  std::string name = (std::filesystem::temp_directory_path() / "sau-service-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  int code = 1;
  try {
    code = run(name);
  } catch (const sau::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::filesystem::remove_all(name);
  return code;
}
