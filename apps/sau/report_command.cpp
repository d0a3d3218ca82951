#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/report/report.hpp"

namespace sau::cli {
Deed describe_report(CLI::App& app) {
  struct F {
    std::vector<std::string> folders;
    std::string out;
  };
  auto f = std::make_shared<F>();
  app.add_option("run", f->folders, "x")->required();
  app.add_option("-o", f->out, "x");
  return [f] {
    std::vector<std::filesystem::path> p(f->folders.begin(), f->folders.end());
    write_file(f->out, report_json(make_report(p, {})));
    return 0;
  };
}
}  // namespace sau::cli
