#pragma once

#include <string>

#include "sau/store/log_head.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {

// Reads every record after `base` and checks each record's checksum, that no number is missing, and
// that the number of decisions and the chain of checksums are those of `head`. At the acknowledged
// record, the chain must be the acknowledged one. Returns a sentence that says what is wrong; empty
// when all is well.
std::string check_continuity(const RocksDatabase& database, const LogHead& base,
                             const LogHead& head, const LogHead& acknowledged);

// Checks that the log contains everything that was acknowledged. Returns as above.
std::string check_acknowledged(const LogHead& head, const LogHead& acknowledged);
// Checks that the manifest is at least as long as it was, or a newer one. Returns as above.
std::string check_manifest(const ManifestPlace& now, const ManifestPlace& before);

}  // namespace sau::detail
