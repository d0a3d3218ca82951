#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace sau::bench {

// A pool of requests made in advance, so that sending one is a copy. Only the event id, which has a
// fixed width, is filled in.
class LoadRequests {
 public:
  static constexpr std::size_t kIdSize = 24;

  // `run` becomes part of the ids, so that two runs have different ones.
  LoadRequests(const std::string& key, std::uint64_t run) : run_(run) {
    const std::string more = key.empty() ? "" : "Ocp-Apim-Subscription-Key: " + key + "\r\n";
    health_ = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
    const std::string id(kIdSize, '0');
    for (unsigned i = 0; i < kPool; ++i) {
      ranks_.push_back(make("/personalizer/v1.0/rank", more, rank_body(i), "{\"eventId\":\""));
      char value[48];
      std::snprintf(value, sizeof(value), "{\"value\":%.3f}", 0.001 * (i * 7919U % 1001U));
      rewards_.push_back(make("/personalizer/v1.0/events/" + id + "/reward", more, value,
                              "POST /personalizer/v1.0/events/"));
    }
  }

  void append_health(std::string& to) const { to += health_; }
  void append_rank(std::string& to, std::uint64_t event) const { append(to, ranks_, event); }
  void append_reward(std::string& to, std::uint64_t event) const { append(to, rewards_, event); }

  std::string event_id(std::uint64_t event) const {
    std::string id(kIdSize, '0');
    put_id(id.data(), event);
    return id;
  }
  std::size_t rank_size() const { return ranks_.front().text.size(); }

 private:
  static constexpr unsigned kPool = 997;
  struct Request {
    std::string text;
    std::size_t id_at;
  };

  static Request make(const std::string& path, const std::string& more, const std::string& body,
                      std::string_view before_id) {
    std::string text =
        "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more +
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    const std::size_t id_at = text.find(before_id) + before_id.size();
    return {.text = std::move(text), .id_at = id_at};
  }

  void append(std::string& to, const std::vector<Request>& pool, std::uint64_t event) const {
    const Request& request = pool[event % pool.size()];
    const std::size_t start = to.size() + request.id_at;
    to += request.text;
    put_id(to.data() + start, event);
  }

  void put_id(char* to, std::uint64_t event) const {
    std::uint64_t run = run_;
    for (std::size_t i = 0; i < 12; ++i, run >>= 4U) to[i] = "0123456789abcdef"[run & 15U];
    for (std::size_t i = kIdSize; i-- > 12; event /= 10)
      to[i] = static_cast<char>('0' + event % 10);
  }

  // Ten features, every other one a number; `seed` determines the values.
  static std::string features(unsigned seed) {
    static constexpr const char* kWords[] = {"red",    "green",  "blue",   "sport", "politics",
                                             "mobile", "tablet", "music",  "north", "south",
                                             "short",  "long",   "recent", "old",   "film"};
    std::string text = "{";
    for (unsigned i = 0; i < 10; ++i) {
      const unsigned draw = (seed * 2654435761U + i * 40503U) >> 8U;
      char one[64];
      if (i % 2 == 0) {
        std::snprintf(one, sizeof(one), "\"number%u\":%.3f", i, 0.001 * (draw % 1000U));
      } else {
        std::snprintf(one, sizeof(one), "\"kind%u\":\"%s\"", i, kWords[draw % 15U]);
      }
      text += (i == 0 ? "" : ",") + std::string(one);
    }
    return text + "}";
  }

  static std::string rank_body(unsigned seed) {
    std::string text = "{\"eventId\":\"" + std::string(kIdSize, '0') + "\",\"contextFeatures\":[" +
                       features(seed) + "],\"actions\":[";
    for (unsigned i = 0; i < 10; ++i) {
      const unsigned action = (seed + 5 * i) % 50;  // ten of fifty
      text += (i == 0 ? "{\"id\":\"article-" : ",{\"id\":\"article-") + std::to_string(action) +
              "\",\"features\":[" + features(1000 + action) + "]}";
    }
    return text + "]}";
  }

  const std::uint64_t run_;
  std::string health_;
  std::vector<Request> ranks_, rewards_;
};

}  // namespace sau::bench
