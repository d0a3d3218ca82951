#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>
#include <future>
#include <memory>
#include <string>

#include "http/raw_client.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/http/http_server.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

namespace sau {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using testing::error_of;
using testing::get;
using ::testing::HasSubstr;
using testing::post;
using testing::RawClient;
using ::testing::StartsWith;

template <auto Free>
struct FreedBy {
  void operator()(auto* object) const { Free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Bytes = std::unique_ptr<BIO, FreedBy<BIO_free>>;

std::string text_of(const Bytes& bytes) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bytes.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string key_text(const Key& key, const char* password) {
  const Bytes bytes(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bytes.get(), key.get(),
                           password != nullptr ? EVP_aes_128_cbc() : nullptr, nullptr, 0, nullptr,
                           const_cast<char*>(password));
  return text_of(bytes);
}

// A certificate for "here", made and signed by its own key.
std::string certificate_text(const Key& key) {
  const Certificate certificate(X509_new());
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("here"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const Bytes bytes(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bytes.get(), certificate.get());
  return text_of(bytes);
}

// A folder with a certificate and its key.
class HttpTls : public ::testing::Test {
 protected:
  HttpTls() : key_(EVP_EC_gen("P-256")) {
    std::signal(SIGPIPE, SIG_IGN);
    write_file(options_.certificate_file, certificate_text(key_));
    write_file(options_.key_file, key_text(key_, nullptr));
  }

  static HttpHandler echo() {
    return answered_at_once([](const HttpRequest& request) {
      return HttpResponse{.body = request.target + "|" + request.body};
    });
  }

  testing::TemporaryFolder folder_;
  Key key_;
  HttpServerOptions options_{.request_timeout = std::chrono::minutes(10),
                             .certificate_file = (folder_.path() / "here.crt").string(),
                             .key_file = (folder_.path() / "here.key").string()};
};

// A client that accepts no certificate but the one it was given.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const std::string& certificate, int newest = TLS1_3_VERSION,
            const char* ciphers = "ALL:@SECLEVEL=0")
      : context_(SSL_CTX_new(TLS_client_method())), connection_(nullptr) {
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    SSL_CTX_set_cipher_list(context_.get(), ciphers);
    SSL_CTX_load_verify_locations(context_.get(), certificate.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    connection_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(connection_.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
    connected_ = BIO_do_connect(connection_.get()) == 1 && BIO_do_handshake(connection_.get()) == 1;
  }

  bool connected() const { return connected_; }
  // What does not arrive, because the server has closed the connection, gets no answer.
  void send(const std::string& bytes) {
    BIO_write(connection_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
  // Reads until there are `enough` bytes or the connection ends.
  std::string read(std::size_t enough = SIZE_MAX) {
    std::string all;
    char part[4096];
    for (int size = 0; all.size() < enough; all.append(part, static_cast<std::size_t>(size))) {
      size = BIO_read(connection_.get(), part, sizeof(part));
      if (size <= 0) break;
    }
    return all;
  }
  // Whether the other side has sent the end of the stream, so that nothing was cut off.
  bool was_told_the_end() const {
    SSL* ssl = nullptr;
    BIO_get_ssl(connection_.get(), &ssl);
    return (SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
  }

 private:
  std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>> context_;
  std::unique_ptr<BIO, FreedBy<BIO_free_all>> connection_;
  bool connected_ = false;
};

TEST_F(HttpTls, AnswersAndKeepsTheConnection) {
  HttpServer server(options_, echo());
  TlsClient client(server.port(), options_.certificate_file);
  ASSERT_TRUE(client.connected());
  for (const std::string body : {"one", "two"}) {
    client.send(post("/a", body));
    EXPECT_THAT(client.read(1), EndsWith("/a|" + body));
  }
}

TEST_F(HttpTls, EndsTheStreamAfterTheLastAnswer) {
  HttpServer server(options_, echo());
  TlsClient client(server.port(), options_.certificate_file);
  const std::string body(300'000, 'x');
  client.send("PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n" +
              body);
  EXPECT_THAT(client.read(), EndsWith("/|" + body));
  EXPECT_TRUE(client.was_told_the_end());
}

TEST_F(HttpTls, LargeBodyIsRefusedWhileItIsStillBeingSent) {
  options_.body_limit = 10;
  HttpServer server(options_, echo());
  TlsClient client(server.port(), options_.certificate_file);
  client.send(post("/", std::string(100'000, 'x')));
  EXPECT_THAT(client.read(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpTls, SlowRequestIsAnswered408) {
  options_.request_timeout = milliseconds(500);
  HttpServer server(options_, echo());
  // On a busy machine the handshakes of the first may take too long.
  for (std::string answer; answer.empty();) {
    TlsClient client(server.port(), options_.certificate_file);
    if (!client.connected()) continue;
    client.send("GET / HTTP/1.1\r\n");
    answer = client.read();
    EXPECT_THAT(answer, ::testing::AnyOf("", StartsWith("HTTP/1.1 408 ")));
  }
}

TEST_F(HttpTls, ReplyMayComeLater) {
  std::promise<HttpReply> asked;
  HttpServer server(options_,
                    [&](const HttpRequest&, const HttpReply& reply) { asked.set_value(reply); });
  TlsClient client(server.port(), options_.certificate_file);
  client.send(get("/"));
  asked.get_future().get()({.body = "later"});
  EXPECT_THAT(client.read(1), EndsWith("later"));
}

TEST_F(HttpTls, ClientThatDoesNotBeginIsClosed) {
  options_.request_timeout = milliseconds(100);
  HttpServer server(options_, echo());
  RawClient silent(server.port());
  EXPECT_TRUE(silent.ended());
  RawClient plain(server.port());
  plain.send(get("/"));
  EXPECT_THAT(plain.rest(), ::testing::Not(HasSubstr("HTTP/1.1")));
}

TEST_F(HttpTls, StopClosesIdleAndSilentConnections) {
  options_.stop_timeout = std::chrono::minutes(10);
  HttpServer server(options_, echo());
  RawClient silent(server.port());
  TlsClient idle(server.port(), options_.certificate_file);
  const auto before = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::minutes(5));
}

TEST_F(HttpTls, OldVersionsAreRefused) {
  HttpServer server(options_, echo());
  EXPECT_TRUE(TlsClient(server.port(), options_.certificate_file, TLS1_2_VERSION).connected());
  EXPECT_FALSE(TlsClient(server.port(), options_.certificate_file, TLS1_1_VERSION).connected());
}

// What was recorded stays secret even if the server's key becomes known.
TEST_F(HttpTls, TheOlderVersionHasForwardSecrecyOnly) {
  // A key for both: RSA may also encrypt the secret of a connection itself, which is the old way.
  key_.reset(EVP_RSA_gen(2048));
  write_file(options_.certificate_file, certificate_text(key_));
  write_file(options_.key_file, key_text(key_, nullptr));
  HttpServer server(options_, echo());
  const auto connects = [&](const char* ciphers) {
    return TlsClient(server.port(), options_.certificate_file, TLS1_2_VERSION, ciphers).connected();
  };
  EXPECT_TRUE(connects("ECDHE-RSA-AES128-GCM-SHA256"));
  EXPECT_TRUE(connects("ECDHE-RSA-CHACHA20-POLY1305"));
  EXPECT_FALSE(connects("kRSA:@SECLEVEL=0"));
  EXPECT_FALSE(connects("ECDHE-RSA-AES128-SHA256:@SECLEVEL=0")) << "CBC";
}

TEST_F(HttpTls, ANewCertificateIsForNewConnections) {
  HttpServer server(options_, echo());
  const std::string old = (folder_.path() / "old.crt").string();
  write_file(old, read_file(options_.certificate_file));
  TlsClient before(server.port(), old);
  ASSERT_TRUE(before.connected());

  key_.reset(EVP_EC_gen("P-256"));
  write_file(options_.certificate_file, certificate_text(key_));
  EXPECT_THAT(error_of([&] { server.reload_certificate(); }), HasSubstr("does not match"));
  EXPECT_TRUE(TlsClient(server.port(), old).connected()) << "a bad file changes nothing";
  write_file(options_.key_file, key_text(key_, nullptr));
  server.reload_certificate();

  EXPECT_FALSE(TlsClient(server.port(), old).connected());
  EXPECT_TRUE(TlsClient(server.port(), options_.certificate_file).connected());
  before.send(get("/still"));
  EXPECT_THAT(before.read(1), EndsWith("/still|"));
}

TEST_F(HttpTls, FileThatCannotBeUsedIsNamed) {
  const std::string certificate = options_.certificate_file, key = options_.key_file;
  const auto said = [&](const std::string& first, const std::string& second) {
    options_.certificate_file = first;
    options_.key_file = second;
    return error_of([&] { HttpServer(options_, echo()); });
  };
  const std::string missing = (folder_.path() / "missing.pem").string();
  EXPECT_THAT(said(missing, key), HasSubstr(missing));
  EXPECT_THAT(said(certificate, missing), HasSubstr(missing));
  EXPECT_THAT(said(key, key), AllOf(StartsWith(key), HasSubstr("not a certificate")));
  EXPECT_THAT(said(certificate, certificate),
              AllOf(StartsWith(certificate), HasSubstr("not a private key")));
  EXPECT_THAT(said(certificate, ""), AllOf(HasSubstr(certificate), HasSubstr("give both")));
  EXPECT_THAT(said("", key), AllOf(HasSubstr(key), HasSubstr("give both")));

  const std::string other = (folder_.path() / "other.key").string();
  write_file(other, key_text(Key(EVP_EC_gen("P-256")), nullptr));
  EXPECT_EQ(said(certificate, other),
            other + ": the key does not match the certificate " + certificate);
  write_file(other, key_text(key_, "password"));
  EXPECT_THAT(said(certificate, other), AllOf(StartsWith(other), HasSubstr("encrypted")));
}

}  // namespace
}  // namespace sau
