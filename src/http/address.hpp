#pragma once

#include <boost/asio/ip/address.hpp>

namespace sau::detail {

// Also recognises a loopback IPv4 address that is mapped to IPv6.
inline bool is_loopback(const boost::asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
        .is_loopback();
  }
  return address.is_loopback();
}

}  // namespace sau::detail
