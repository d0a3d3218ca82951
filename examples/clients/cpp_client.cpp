// A client of `sau serve` in C++ with libcurl: asks what to show and sends the reward.
//     cpp_client http://127.0.0.1:8080 [VISITS]      SAU_KEY is the key, if the service needs one
#include <curl/curl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using Json = nlohmann::json;

struct Reply {
  long status = 0;
  std::string body;
};

class Client {
 public:
  explicit Client(std::string endpoint) : base_(std::move(endpoint) + "/personalizer/v1.0") {
    headers_ = curl_slist_append(headers_, "Content-Type: application/json");
    if (const char* key = std::getenv("SAU_KEY")) {
      headers_ =
          curl_slist_append(headers_, ("Ocp-Apim-Subscription-Key: " + std::string(key)).c_str());
    }
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { curl_slist_free_all(headers_); }

  // The id of the action to use.
  std::string rank(const Json& request) {
    const Reply reply = post("/rank", request);
    if (reply.status != 201) throw failed("rank", reply);
    return Json::parse(reply.body).at("rewardActionId").get<std::string>();
  }

  void reward(const std::string& event_id, double value) {
    const Reply reply = post("/events/" + event_id + "/reward", {{"value", value}});
    if (reply.status != 204) throw failed("reward", reply);
  }

 private:
  // A request that was not acknowledged may be sent again. With the same event id a decision counts
  // once, and so does a reward, unless the service is configured to add rewards up. 503 means that
  // the service is too busy, or its disk is full, at the moment.
  Reply post(const std::string& path, const Json& body) {
    constexpr int kAttempts = 5;
    Reply reply;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      reply = post_once(base_ + path, body.dump());
      if (reply.status != 0 && reply.status != 503) break;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    return reply;
  }

  Reply post_once(const std::string& url, const std::string& body) {
    Reply reply;
    curl_easy_setopt(curl_.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_TIMEOUT, 10L);
    curl_easy_setopt(curl_.get(), CURLOPT_WRITEDATA, &reply.body);
    curl_easy_setopt(curl_.get(), CURLOPT_WRITEFUNCTION, &Client::receive);
    if (curl_easy_perform(curl_.get()) == CURLE_OK) {
      curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &reply.status);
    }
    return reply;
  }

  static std::size_t receive(const char* bytes, std::size_t, std::size_t count, void* body) {
    static_cast<std::string*>(body)->append(bytes, count);
    return count;
  }

  static std::runtime_error failed(const char* what, const Reply& reply) {
    return std::runtime_error(std::string(what) + ": status " + std::to_string(reply.status) + " " +
                              reply.body);
  }

  std::string base_;
  curl_slist* headers_ = nullptr;
  // One handle for all requests keeps the connection open.
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl_{curl_easy_init(), &curl_easy_cleanup};
};

int run(const std::string& endpoint, int visits) {
  Client client(endpoint);
  const auto start = std::chrono::system_clock::now().time_since_epoch().count();
  int clicks = 0;
  for (int visit = 0; visit < visits; ++visit) {
    const bool phone = visit % 2 == 0;
    // With our own ids a request is safe to repeat.
    const std::string id = "cpp-" + std::to_string(start) + "-" + std::to_string(visit);
    const Json sport = {{"id", "sport"}, {"features", Json::array({{{"topic", "football"}}})}};
    const Json news = {{"id", "news"},
                       {"features", Json::array({{{"topic", "world"}, {"words", 900}}})}};
    const Json context = {{"device", phone ? "phone" : "desk"}};
    const std::string shown = client.rank({{"eventId", id},
                                           {"contextFeatures", Json::array({context})},
                                           {"actions", Json::array({sport, news})}});
    // A stand-in for your users: on phones they like sport, elsewhere news.
    const bool clicked = shown == (phone ? "sport" : "news");
    client.reward(id, clicked ? 1.0 : 0.0);
    clicks += clicked ? 1 : 0;
  }
  std::printf("%d of %d clicked\n", clicks, visits);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: cpp_client http://127.0.0.1:8080 [VISITS]\n");
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  try {
    return run(argv[1], argc > 2 ? std::atoi(argv[2]) : 100);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpp_client: %s\n", error.what());
    return 1;
  }
}
