#include "watch_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "sau/core/error.hpp"
#include "sau/core/text.hpp"
#include "sau/http/host.hpp"

namespace sau::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr double kSlow =
    1.0;  // seconds; if a report takes longer, comparisons wait for the end of the run
constexpr seconds kStillThere{10};
constexpr seconds kFirst{60};

double seconds_since(WatchClock::time_point start) {
  return std::chrono::duration<double>(WatchClock::now() - start).count();
}

// Whether one of the tags of an If-None-Match header is this one (RFC 9110, section 13.1.2).
bool has_tag(std::string_view header, std::string_view tag) {
  while (!header.empty()) {
    const std::size_t comma = std::min(header.find(','), header.size());
    std::string_view one = header.substr(0, comma);
    header.remove_prefix(std::min(comma + 1, header.size()));
    one = trimmed(one);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

HttpResponse content(const char* type, const std::string& body) {
  return {.status = 200,
          .headers = {{"Content-Type", type},
                      {"Cache-Control", "no-cache"},
                      {"X-Content-Type-Options", "nosniff"}},
          .body = body};
}

}  // namespace

LivePage::LivePage(fs::path folder, std::string address)
    : folder_(std::move(folder)),
      address_(std::move(address)),
      thread_([this](const std::stop_token& stop) { keep_up_to_date(stop); }) {}

LivePage::~LivePage() = default;

void LivePage::keep_up_to_date(const std::stop_token& stop) {
  std::string mark = "none yet";
  WatchClock::time_point built_at;
  while (!stop.stop_requested()) {
    bool is_watched = false;
    {
      std::unique_lock lock(mutex_);
      is_watched = WatchClock::now() - asked_ < kStillThere;
    }
    const double pause = is_watched ? std::max(2.0, 10.0 * cost_) : std::max(10.0, 50.0 * cost_);
    const bool due = built_at == WatchClock::time_point() || seconds_since(built_at) >= pause;
    try {
      if (std::string now = due ? mark_of(folder_) : mark; now != mark) {
        build();
        mark = std::move(now);
        built_at = WatchClock::now();
      }
    } catch (const std::exception&) {
      // No memory even for an error page: the next round tries again.
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
  }
}

// The folder's report. If it cannot be made now: the last good one, with the reason in its notes.
Report LivePage::make() {
  const RunLook look = look_at(folder_);
  std::string problem = look.state == RunState::kMissing
                            ? look.problem + "; it is shown when it begins"
                            : "cannot be read at the moment: " + look.problem;
  if (look.state == RunState::kRunning || look.state == RunState::kComplete) {
    const std::array folders = {folder_};
    const bool compared = compare_ || look.state == RunState::kComplete;
    try {
      Report report =
          make_report(folders, {.title = {}, .paper = true, .compare = compared, .only = {}});
      if (!compared) {
        report.notes.emplace_back("comparisons and ranks are made when the run is complete");
      }
      last_good_ = report;
      return report;
    } catch (const Error& error) {
      problem = std::string("cannot be read at the moment: ") + error.what();
    }
  }
  Report report = last_good_;
  if (report.title.empty()) report.title = folder_.string();
  report.notes.insert(report.notes.begin(), std::move(problem));
  return report;
}

void LivePage::build() {
  const auto start = WatchClock::now();
  auto built = std::make_shared<Built>();
  try {
    const Report report = make();
    built->json = report_json(report);
    built->tag = fmt::format("\"{:016x}\"", scope_of(built->json));
    built->html = report_html(report, "report.json");
  } catch (const std::exception& error) {
    built->failure = error.what();
  }
  cost_ = seconds_since(start);
  if (cost_ > kSlow) compare_ = false;
  const std::scoped_lock lock(mutex_);
  built_ = std::move(built);
  changed_.notify_all();
}

std::shared_ptr<const LivePage::Built> LivePage::current() {
  std::unique_lock lock(mutex_);
  asked_ = WatchClock::now();
  changed_.wait_for(lock, kFirst, [this] { return built_ != nullptr; });
  return built_;
}

HttpResponse LivePage::answer(const HttpRequest& request) {
  if (!is_own_host(request.header("Host"), address_)) {
    return text_response(421, kWrongHost);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = text_response(405, "only GET and HEAD");
    response.headers.push_back({"Allow", "GET, HEAD"});
    return response;
  }
  if (request.path() == "/healthz") return text_response(200, "ok");
  if (request.path() != "/" && request.path() != "/report.json") {
    return text_response(404, "only / and /report.json exist");
  }
  const auto built = current();
  if (!built) return text_response(503, "the report is being made");
  const bool page = request.path() == "/";
  if ((page ? built->html : built->json).empty()) return text_response(503, built->failure);
  if (page) return content("text/html; charset=utf-8", built->html);
  HttpResponse response = content("application/json", built->json);
  response.headers.push_back({"ETag", built->tag});
  if (has_tag(request.header("If-None-Match"), built->tag)) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

}  // namespace sau::cli
