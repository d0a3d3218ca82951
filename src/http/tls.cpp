#include "http/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/buffer.hpp>
#include <string>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"

namespace sau::detail {

std::shared_ptr<boost::asio::ssl::context> tls_of(const HttpServerOptions& options) {
  const std::string &certificate = options.certificate_file, &key = options.key_file;
  if (certificate.empty() && key.empty()) return nullptr;
  if (certificate.empty() || key.empty()) {
    throw UsageError(certificate.empty()
                         ? "the key " + key + " is useless without its certificate; give both"
                         : "the certificate " + certificate +
                               " is useless without its key; give both");
  }
  namespace ssl = boost::asio::ssl;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  bool taken = SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) == 1;
  // Forward secrecy: somebody who gets the server's key later cannot read what was recorded
  // earlier. So the two sides agree on a new key for each connection (TLS 1.3 does nothing else),
  // and no ticket carries it out of this process. Only sessions that are still in memory can be
  // resumed.
  taken = taken && SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1;
  if (!taken) throw Error("TLS: this OpenSSL has no TLS 1.2 with forward secrecy");
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_sess_set_cache_size(native, 1024);
  // Most connections are idle, and then need no buffers.
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);

  const std::string certificate_text = read_file(certificate), key_text = read_file(key);
  boost::system::error_code error;
  context->use_certificate_chain(boost::asio::buffer(certificate_text), error);
  if (error) {
    throw Error(certificate + ": not a certificate in PEM format (" + error.message() + ")");
  }
  // Without this the library would ask on the terminal.
  context->set_password_callback(
      [](std::size_t, ssl::context::password_purpose) { return std::string(); });
  ERR_clear_error();
  context->use_private_key(boost::asio::buffer(key_text), ssl::context::pem, error);
  if (!error) return context;
  if (ERR_GET_LIB(static_cast<unsigned long>(error.value())) == ERR_LIB_X509) {
    throw Error(key + ": the key does not match the certificate " + certificate);
  }
  if (key_text.find("ENCRYPTED") != std::string::npos) {
    throw Error(key + ": the key is encrypted; expected one without a password");
  }
  throw Error(key + ": not a private key in PEM format (" + error.message() + ")");
}

}  // namespace sau::detail
