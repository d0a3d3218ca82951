#include "sau/http/host.hpp"

#include <gtest/gtest.h>

namespace sau {
namespace {

TEST(Loopback, IsOnlyThisMachine) {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1",
                           "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "192.168.1.1", "127.0.0.1.evil.example",
                           "127.evil.example", "localhost.evil.example", "128.0.0.1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(OwnHost, IsThisMachineByNameOrNumber) {
  for (const char* host : {"localhost", "localhost:8080", "LocalHost:80", "127.0.0.1",
                           "127.0.0.1:8080", "127.0.0.2:1", "[::1]", "[::1]:8080"}) {
    EXPECT_TRUE(is_own_host(host, "127.0.0.1")) << host;
    EXPECT_TRUE(is_own_host(host, "192.168.1.1")) << host;
  }
}

// DNS rebinding: the name of another site was made to resolve to this machine.
TEST(OwnHost, IsNotTheNameOfAnotherSite) {
  for (const char* host :
       {"", ":8080", "evil.example", "evil.example:8080", "localhost.evil.example",
        "127.0.0.1.evil.example:8080", "127.evil.example", "[::1", "[evil.example]",
        "[::1.evil.example]", "evil.example:127.0.0.1", "192.168.1.2", "10.0.0.1:8080"}) {
    EXPECT_FALSE(is_own_host(host, "127.0.0.1")) << host;
    EXPECT_FALSE(is_own_host(host, "192.168.1.1")) << host;
  }
}

TEST(OwnHost, IsTheAddressThatTheServerListensOn) {
  EXPECT_TRUE(is_own_host("192.168.1.1:8080", "192.168.1.1"));
  EXPECT_TRUE(is_own_host("[fe80::1]:8080", "fe80::1"));
  EXPECT_TRUE(is_own_host("[FE80::1]:8080", "fe80::1"));
  EXPECT_FALSE(is_own_host("192.168.1.1:8080", "127.0.0.1"));
}

TEST(OwnHost, IsAnyIpAddressIfTheServerListensOnAll) {
  for (const char* address : {"0.0.0.0", "::"}) {
    EXPECT_TRUE(is_own_host("192.168.1.1:8080", address));
    EXPECT_TRUE(is_own_host("[fe80::1]", address));
    EXPECT_FALSE(is_own_host("evil.example", address));
    EXPECT_FALSE(is_own_host("", address));
  }
}

}  // namespace
}  // namespace sau
