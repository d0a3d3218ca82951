#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "http/connection.hpp"
#include "http/input_buffer.hpp"
#include "http/request_reader.hpp"
#include "http/response_head.hpp"
#include "http/worker.hpp"
#include "sau/core/error.hpp"

namespace sau::detail {

// A connection over a socket, or over TLS on a socket: reads a request, has it answered, and begins
// again. Pending operations keep it alive. Short answers to pipelined requests are collected and
// sent together.
template <class Stream>
class StreamConnection final : public Connection,
                               public std::enable_shared_from_this<StreamConnection<Stream>> {
 public:
  StreamConnection(Stream stream, Worker& worker, std::unique_ptr<Guest> guest)
      : worker_(worker),
        options_(worker.shared().options),
        guest_(std::move(guest)),
        stream_(std::move(stream)),
        reader_(options_.header_limit, guest_->client()) {}

  void start() noexcept override {
    guarded([this] {
      ErrorCode ignored;
      socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
      if constexpr (kPlain) {
        socket().non_blocking(true, ignored);
        begin();
      } else {
        idle_ = true;
        expect_within(options_.request_timeout, AtDeadline::kClose);
        stream_.async_handshake(boost::asio::ssl::stream_base::server,
                                [self = this->shared_from_this()](ErrorCode error) {
                                  self->idle_ = false;
                                  if (error) return self->close();
                                  self->guarded([&self] { self->begin(); });
                                });
      }
    });
  }

  void answer(std::uint64_t request, std::optional<HttpResponse> response) noexcept override {
    if (closed_ || !awaiting_ || request != requests_) return;
    const char* const failure = response ? "" : kNeverCalled;
    guarded([&] {
      settle({.response = std::move(response), .failure = failure});
      proceed();
    });
  }

  void check(Clock::time_point now) noexcept override {
    if (guest_->dropped()) return close();
    if (now < deadline_) return;
    deadline_ = Clock::time_point::max();
    if (at_deadline_ == AtDeadline::kClose) return close();
    expired_ = true;
    ErrorCode ignored;
    socket().cancel(ignored);  // the read ends with an error, and received() answers with 408
  }

  void begin_stop() noexcept override {
    stopping_ = true;
    if (!idle_) return;
    if (requests_ > 0) return close();
    deadline_ = std::min(deadline_, Clock::now() + kFirstRequest);
  }

  void close() noexcept override {
    if (closed_) return;
    closed_ = true;
    ErrorCode ignored;
    socket().close(ignored);
    worker_.forget(guest_->id());
  }
  bool closed() const noexcept override { return closed_; }

 private:
  using ErrorCode = boost::system::error_code;
  using Step = RequestReader::Step;
  enum class AtDeadline { kClose, kGiveUpReading };

  static constexpr bool kPlain = std::is_same_v<Stream, Socket>;
  static constexpr std::size_t kCollected = 65'536;  // bytes of answers that are collected
  static constexpr std::size_t kLarge = 16'384;      // a body of at least this size is not copied
  static constexpr int kTurn = 64;                   // requests in a row before others get a turn

  Socket& socket() {
    if constexpr (kPlain) {
      return stream_;
    } else {
      return stream_.next_layer();
    }
  }

  // Every step of a connection goes through this: an exception ends at most this connection.
  template <class Step>
  void guarded(Step step) noexcept {
    try {
      try {
        return step();
      } catch (const std::bad_alloc&) {
        report(kNoMemory);
        if (awaiting_ || writing_ || last_ || !out_.empty()) return close();
        // The request needed too much. Without it there is enough memory to say so.
        reader_.give_up();
        input_ = {};
        refuse(503, kNoMemory);
        return proceed();
      }
    } catch (const std::exception& error) {
      report(error.what());
    } catch (...) {
      report("not an exception");
    }
    close();
  }

  void begin() {
    if (guest_->turned_away()) refuse(503, "too many connections; try again");
    proceed();
  }

  // Does everything that can be done now; returns when it has to wait for something.
  void proceed() {
    for (int turn = 0; !closed_; ++turn) {
      const bool send_now = awaiting_ || last_ || out_.size() >= kCollected || !out_body_.empty();
      if ((send_now || turn == kTurn) && !flush()) return;
      if (awaiting_) {
        deadline_ = Clock::time_point::max();
        return;
      }
      if (last_) return finish();
      if (turn == kTurn) {
        boost::asio::post(stream_.get_executor(), [self = this->shared_from_this()] {
          self->guarded([&self] { self->proceed(); });
        });
        return;
      }
      switch (reader_.read(input_)) {
        case Step::kNeedMore:
          if (std::exchange(continue_due_, false)) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
          if (flush()) receive();
          return;
        case Step::kHead:
          consider_head();
          break;
        case Step::kWhole:
          ask();
          break;
        case Step::kRefused:
          refuse(reader_.status(), reader_.line());
          break;
      }
    }
  }

  void expect_within(std::chrono::milliseconds time, AtDeadline action) {
    deadline_ = Clock::now() + time;
    at_deadline_ = action;
  }

  void receive() {
    idle_ = !reader_.begun() && input_.empty();
    if (idle_ && stopping_ && requests_ > 0) return close();
    if (!guest_->enter(idle_ ? Guest::State::kIdle : Guest::State::kSending)) return close();
    if (idle_) {
      expect_within(stopping_ ? kFirstRequest : options_.idle_timeout, AtDeadline::kClose);
    } else if (!std::exchange(timed_, true)) {
      expect_within(options_.request_timeout, AtDeadline::kGiveUpReading);
      request_deadline_ = deadline_;
    } else {
      deadline_ = request_deadline_;
      at_deadline_ = AtDeadline::kGiveUpReading;
    }
    const auto room = input_.room();
    stream_.async_read_some(boost::asio::buffer(room.data(), room.size()),
                            [self = this->shared_from_this()](ErrorCode error, std::size_t size) {
                              self->idle_ = false;
                              self->deadline_ = Clock::time_point::max();
                              if (!self->closed_)
                                self->guarded([&] { self->received(error, size); });
                            });
  }
  void received(ErrorCode error, std::size_t size) {
    if (!error) {
      input_.came(size);
    } else if (expired_) {
      refuse(408, "the request did not come in time");
    } else if (error == boost::asio::error::eof && reader_.begun()) {
      refuse(400, "not an HTTP request: it ends too early");
    } else {
      return close();
    }
    proceed();
  }

  // The headers are complete; they decide whether the body is wanted.
  void consider_head() {
    std::size_t limit = options_.body_limit;
    std::optional<HttpResponse> refusal;
    if (options_.on_head) {
      try {
        refusal = options_.on_head(reader_.head(), limit);
      } catch (const std::exception& error) {
        note_asked(reader_.head());
        report(error.what());
        refusal = worker_.shared().error_response(500, kFailed);
      }
    }
    reader_.limit_body(limit);
    if (!refusal && limit > options_.body_limit) {
      auto permit = worker_.shared().large_body_permit();
      const std::size_t size = reader_.announced_size();
      if (size > options_.body_limit && !permit->grow_to(size))
        refusal = worker_.shared().error_response(503, RequestReader::kNoRoom);
      reader_.hold(std::move(permit), options_.body_limit);
    }
    continue_due_ = reader_.expects_continue() && !reader_.whole();
    if (!refusal) return;
    if (!reader_.whole()) last_ = true;  // the client may still send the body
    take_request();
    send(std::move(*refusal));
  }

  // Takes the request, and remembers what is needed to answer it.
  HttpRequest take_request() {
    keep_alive_ = reader_.keep_alive();
    http_1_0_ = reader_.is_http_1_0();
    head_only_ = reader_.head().method == "HEAD";
    note_asked(reader_.head());
    timed_ = continue_due_ = false;
    return reader_.take();
  }

  void ask() {
    if (!guest_->enter(Guest::State::kAnswering)) return close();
    HttpRequest request = take_request();
    awaiting_ = true;
    Outcome outcome =
        worker_.call({.connection = guest_->id(), .request = ++requests_}, std::move(request));
    if (outcome.response || !outcome.failure.empty()) settle(std::move(outcome));
  }

  void settle(Outcome outcome) {
    awaiting_ = false;
    if (!outcome.failure.empty()) report(outcome.failure.c_str());
    send(outcome.response ? std::move(*outcome.response)
                          : worker_.shared().error_response(500, kFailed));
  }

  void note_asked(const HttpRequest& request) {
    if (!options_.on_failure) return;
    asked_ = request.method;
    asked_.append(1, ' ').append(request.target);
  }
  void report(const char* what) noexcept { worker_.shared().report(asked_, what); }

  // Answers a request that cannot be read.
  void refuse(int status, const std::string& line) {
    keep_alive_ = head_only_ = false;
    send(worker_.shared().error_response(status, line));
  }

  void send(HttpResponse response) {
    if (!keep_alive_ || stopping_) last_ = true;
    const auto persistence = last_       ? Persistence::kClose
                             : http_1_0_ ? Persistence::kKeepAlive
                                         : Persistence::kDefault;
    try {
      append_head(out_, response, persistence, worker_.date());
    } catch (const Error& error) {  // a bad header is the handler's failure
      report(error.what());
      response = text_response(500, kFailed);
      append_head(out_, response, persistence, worker_.date());
    }
    if (head_only_ || !has_body(response.status)) return;
    if (response.body.size() < kLarge) {
      out_ += response.body;
    } else {
      out_body_ = std::move(response.body);
    }
  }

  // Returns whether everything is sent; if not, proceed() is called when it is.
  bool flush() {
    if (writing_) return false;
    if (out_.empty()) return true;
    std::size_t sent = 0;
    if constexpr (kPlain) {
      ErrorCode error;
      sent = stream_.write_some(buffers(out_, out_body_), error);
      if (error && error != boost::asio::error::would_block) {
        close();
        return false;
      }
      if (sent == out_.size() + out_body_.size()) {
        out_.clear();
        out_body_ = {};
        return true;
      }
    }
    if (!guest_->enter(Guest::State::kTaking)) {
      close();
      return false;
    }
    writing_ = true;
    sending_.swap(out_);
    sending_body_.swap(out_body_);
    expect_within(options_.write_timeout, AtDeadline::kClose);
    const std::size_t of_head = std::min(sent, sending_.size());
    const std::array<boost::asio::const_buffer, 2> rest = {
        boost::asio::buffer(sending_) + of_head,
        boost::asio::buffer(sending_body_) + (sent - of_head)};
    boost::asio::async_write(stream_, rest,
                             [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                               self->writing_ = false;
                               self->sending_.clear();
                               self->sending_body_ = {};
                               if (error) return self->close();
                               self->guarded([&self] { self->proceed(); });
                             });
    return false;
  }

  static std::array<boost::asio::const_buffer, 2> buffers(const std::string& a,
                                                          const std::string& b) {
    return {boost::asio::buffer(a), boost::asio::buffer(b)};
  }

  // The last answer is sent.
  void finish() {
    if (!guest_->enter(Guest::State::kIdle)) return close();
    expect_within(kLinger, AtDeadline::kClose);
    if constexpr (kPlain) {
      end_sending();
    } else {
      // Sends the end of the TLS stream, and does not wait for the client's.
      SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);
      stream_.async_shutdown([self = this->shared_from_this()](ErrorCode) {
        self->guarded([&self] { self->end_sending(); });
      });
    }
  }
  void end_sending() {
    ErrorCode error;
    socket().shutdown(Socket::shutdown_send, error);
    if (error) return close();
    discard();
  }
  void discard() {
    const auto room = scratch_.room();
    socket().async_read_some(boost::asio::buffer(room.data(), room.size()),
                             [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                               if (error) return self->close();
                               self->guarded([&self] { self->discard(); });
                             });
  }

  static constexpr const char* kFailed = "the server failed to answer this";

  Worker& worker_;
  const HttpServerOptions& options_;
  const std::unique_ptr<Guest> guest_;
  Stream stream_;
  InputBuffer input_, scratch_;
  RequestReader reader_;
  std::string out_, out_body_;          // to be sent
  std::string sending_, sending_body_;  // being sent
  std::string asked_;                   // "GET /path"
  std::uint64_t requests_ = 0;
  Clock::time_point deadline_ = Clock::time_point::max(), request_deadline_;
  AtDeadline at_deadline_ = AtDeadline::kClose;
  bool idle_ = false;          // waits for a request, and nothing of it has come
  bool timed_ = false;         // request_deadline_ is that of the request being read
  bool continue_due_ = false;  // the client waits to be told to send the body
  bool awaiting_ = false;      // waits for an answer from the handler
  bool writing_ = false;
  bool last_ = false;  // the connection ends after this answer
  bool expired_ = false, stopping_ = false, closed_ = false;
  bool keep_alive_ = true, http_1_0_ = false, head_only_ = false;  // of the current request
};

}  // namespace sau::detail
