#pragma once

namespace sau::testing {

// The folder tests/data of the repository.
const char* test_data_folder();
// The folder "shared" beside the repository, which may have the real data sets.
const char* folder_beside_repository();

}  // namespace sau::testing
