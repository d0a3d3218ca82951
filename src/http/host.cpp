#include "sau/http/host.hpp"

#include <boost/asio/ip/address.hpp>
#include <string>

#include "http/address.hpp"
#include "sau/core/text.hpp"

namespace sau {
namespace {

// The host of "host:port", in lower case and without the brackets of an IPv6 address.
std::string host_of(std::string_view header) {
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    return end == std::string_view::npos ? "" : lower_case(header.substr(1, end - 1));
  }
  return lower_case(header.substr(0, header.find(':')));
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (lower_case(host) == "localhost") return true;
  boost::system::error_code failure;
  const auto address = boost::asio::ip::make_address(host, failure);
  return !failure && detail::is_loopback(address);
}

bool is_own_host(std::string_view header, std::string_view address) {
  const std::string host = host_of(header);
  if (host.empty()) return false;
  if (is_loopback(host) || host == lower_case(address)) return true;
  if (address != "0.0.0.0" && address != "::") return false;
  boost::system::error_code failure;
  boost::asio::ip::make_address(host, failure);
  return !failure;
}

}  // namespace sau
