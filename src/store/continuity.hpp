#pragma once

#include <string>

#include "sau/store/log_head.hpp"
#include "store/rocks_database.hpp"

namespace sau::detail {

// Reads every record after `base` and compares with `head`: each record's checksum, that no number
// is missing, how many decisions there are, and the chain of checksums; where it passes the head
// that was acknowledged, that the chain was the same then. Returns the sentence that says what is
// wrong; an empty one when all is well.
std::string check_continuity(const RocksDatabase& database, const LogHead& base,
                             const LogHead& head, const LogHead& acknowledged);

// That the log goes at least as far as what was acknowledged, and is the same log. As above.
std::string check_acknowledged(const LogHead& head, const LogHead& acknowledged);
// That the list of tables is at least as long as it was, or a newer one. As above.
std::string check_manifest(const ManifestPlace& now, const ManifestPlace& before);

}  // namespace sau::detail
