#include "support/test_paths.hpp"

namespace sau::testing {

const char* test_data_folder() { return SAU_TEST_DATA_DIR; }
const char* folder_beside_repository() { return SAU_SHARED_DIR; }

}  // namespace sau::testing
