#include "sau/fetch/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <map>
#include <memory>
#include <string_view>

#include "fetch/part_file.hpp"
#include "sau/core/text.hpp"
#include "sau/core/version.hpp"

namespace sau {
namespace {

constexpr long kWhole = 200, kPartial = 206, kBeyondTheEnd = 416;
constexpr long kMaxRedirects = 5;

// The file changed, or the server sent another part than we asked for.
struct Mismatch {};

std::uint64_t to_number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// One answer of a server; writes its body to the part file. Exceptions are kept for rethrow(),
// because they must not pass through libcurl, which is C.
class Answer {
 public:
  Answer(const std::string& url, PartFile& part, std::string version)
      : url_(url), part_(part), version_(std::move(version)), start_(part.size()) {}

  long status() const { return status_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t total() const { return total_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  // An empty file has no body, so read_body() never called begin().
  void finish() {
    if (status_ == kWhole && !begun_) begin();
  }

  static std::size_t header(char* bytes, std::size_t, std::size_t size, void* self) {
    return static_cast<Answer*>(self)->guarded(
        size, [&](Answer& answer) { answer.read_header(std::string_view(bytes, size)); });
  }
  static std::size_t body(char* bytes, std::size_t, std::size_t size, void* self) {
    return static_cast<Answer*>(self)->guarded(
        size, [&](Answer& answer) { answer.read_body(std::string_view(bytes, size)); });
  }

 private:
  template <class F>
  std::size_t guarded(std::size_t size, F&& action) noexcept {
    try {
      action(*this);
      return size;
    } catch (...) {
      failure_ = std::current_exception();
      return size + 1;  // anything but `size` ends the transfer
    }
  }

  void read_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {  // comes again after a redirect
      const std::size_t space = line.find(' ');
      status_ = space == std::string_view::npos
                    ? 0
                    : static_cast<long>(to_number(line.substr(space + 1, 3)));
      fields_.clear();
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    while (!value.empty() && std::string_view("\r\n \t").find(value.back()) != value.npos) {
      value.remove_suffix(1);
    }
    fields_[lower_case(line.substr(0, colon))] = value;
  }

  void read_body(std::string_view bytes) {
    if (status_ != kWhole && status_ != kPartial) return;  // the text of an error page
    if (!begun_) begin();
    part_.append(bytes);
    received_ += bytes.size();
  }

  void begin() {
    begun_ = true;
    if (status_ == kWhole) {
      total_ = to_number(fields_["content-length"]);
      part_.restart(url_, version());
      return;
    }
    // bytes 100-199/200
    const std::string_view range = fields_["content-range"];
    const std::string expected = "bytes " + std::to_string(start_) + "-";
    if (start_ == 0 || !range.starts_with(expected)) throw Mismatch{};
    if (const std::string now = version(); !now.empty() && now != version_) throw Mismatch{};
    total_ = to_number(range.substr(std::min(range.find('/'), range.size() - 1) + 1));
  }

  // The value for If-Range: a strong entity tag or a date.
  std::string version() const {
    const auto tag = fields_.find("etag");
    if (tag != fields_.end() && tag->second.starts_with('"')) return tag->second;
    const auto date = fields_.find("last-modified");
    return date == fields_.end() ? "" : date->second;
  }

  const std::string& url_;
  PartFile& part_;
  std::string version_;
  std::uint64_t start_, received_ = 0, total_ = 0;
  long status_ = 0;
  bool begun_ = false;
  std::map<std::string, std::string, std::less<>> fields_;
  std::exception_ptr failure_;
};

struct Watch {
  const DownloadOptions& options;
  const Answer& answer;
  const PartFile& part;

  static int call(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
    const Watch& watch = *static_cast<Watch*>(self);
    if (watch.options.stop != nullptr && *watch.options.stop) return 1;
    if (watch.options.progress && watch.answer.received() > 0) {
      watch.options.progress(watch.part.size(), watch.answer.total());
    }
    return 0;
  }
};

using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

// One attempt. libcurl's error message goes to `why`.
CURLcode transfer(const std::string& url, const std::string& version, PartFile& part,
                  Answer& answer, const DownloadOptions& options, std::string& why) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  if (easy == nullptr) throw Error("cannot start libcurl");
  const auto set = [&](CURLoption option, auto value) {
    if (curl_easy_setopt(easy.get(), option, value) != CURLE_OK) {
      throw Error("libcurl refuses option " + std::to_string(option));
    }
  };
  const bool secure = url.starts_with("https:");
  const std::string agent = "sau/" + std::string(::sau::version());
  std::array<char, CURL_ERROR_SIZE> text{};
  Watch watch{options, answer, part};
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_USERAGENT, agent.c_str());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, options.connect_seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, options.stall_seconds);
  set(CURLOPT_ERRORBUFFER, text.data());
  set(CURLOPT_HEADERFUNCTION, &Answer::header);
  set(CURLOPT_HEADERDATA, &answer);
  set(CURLOPT_WRITEFUNCTION, &Answer::body);
  set(CURLOPT_WRITEDATA, &answer);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Watch::call);
  set(CURLOPT_XFERINFODATA, &watch);
  const std::string range = std::to_string(part.size()) + "-";
  Headers headers(nullptr, &curl_slist_free_all);
  if (!version.empty()) {
    headers.reset(curl_slist_append(nullptr, ("If-Range: " + version).c_str()));
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_RANGE, range.c_str());
  }
  const CURLcode code = curl_easy_perform(easy.get());
  why = text[0] != '\0' ? text.data() : curl_easy_strerror(code);
  return code;
}

bool is_interruption(CURLcode code) {
  return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
         code == CURLE_OPERATION_TIMEDOUT || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM ||
         code == CURLE_SEND_ERROR;
}

void start_libcurl() {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kStarted != CURLE_OK) throw Error("cannot start libcurl");
}

std::string kept(const PartFile& part) {
  return part.size() == 0
             ? ""
             : "; the " + std::to_string(part.size()) +
                   " bytes that have arrived are kept; run the same command again to continue";
}

}  // namespace

bool download(const std::string& url, const std::filesystem::path& path,
              const DownloadOptions& options) {
  start_libcurl();
  PartFile part(path);
  bool fresh = false;
  for (int attempt = 1;; ++attempt) {
    const std::string version = fresh ? "" : part.version_at(url);
    Answer answer(url, part, version);
    std::string why;
    const CURLcode code = transfer(url, version, part, answer, options, why);
    try {
      answer.rethrow();
      if (code == CURLE_OK) answer.finish();
    } catch (const Mismatch&) {
      if (fresh) throw Error("cannot download " + url + ": the server sends only a part of it");
      fresh = true;
      continue;
    }
    const long status = answer.status();
    if (code == CURLE_ABORTED_BY_CALLBACK) throw Stopped("stopped" + kept(part));
    if (is_interruption(code)) {
      if (answer.received() > 0 && attempt < options.attempts) {
        fresh = false;
        continue;
      }
      throw Error(fmt::format("the connection to {} broke: {}{}", url, why, kept(part)));
    }
    if (code != CURLE_OK) throw Error(fmt::format("cannot download {}: {}", url, why));
    if (status == kBeyondTheEnd && !version.empty()) {
      fresh = true;
      continue;
    }
    const std::string answered = url + ": the server answers " + std::to_string(status);
    if (status == 404 || status == 410) throw NotFound("cannot download " + answered);
    if (status != kWhole && status != kPartial) throw Error("cannot download " + answered);
    part.sync();
    return status == kPartial;
  }
}

}  // namespace sau
