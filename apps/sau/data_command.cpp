#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "flags.hpp"
#include "sau/core/error.hpp"
#include "sau/data/source.hpp"
#include "sau/fetch/fetch.hpp"
#include "sau/fetch/verify.hpp"
#include "stop.hpp"

namespace sau::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Names = std::shared_ptr<std::vector<std::string>>;

constexpr const char* kFolderHelp = "the data folder; see sau data --help";

struct PlaceFlags {
  std::string data;
  void fields(auto&& field) { field("data", data, kFolderHelp); }
  fs::path folder() const { return data.empty() ? data_folder() : fs::path(data); }
};

struct DataListFlags : PlaceFlags {
  bool json = false;
  void fields(auto&& field) {
    PlaceFlags::fields(field);
    field("json", json, "print it as JSON, with every file's address and checksum");
  }
};

struct GetFlags : PlaceFlags {
  std::string mirror;
  void fields(auto&& field) {
    PlaceFlags::fields(field);
    field("mirror", mirror,
          "where to get them: a folder or http(s) address laid out like a data folder");
  }
};

Names add_names(CLI::App& app, const char* help) {
  auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("name", *names, help);
  return names;
}

// The named sources; all if none is named.
std::vector<const DataSource*> chosen(const std::vector<std::string>& names) {
  std::vector<const DataSource*> sources;
  sources.reserve(names.empty() ? data_sources().size() : names.size());
  for (const std::string& name : names) sources.push_back(&data_source(name));
  if (names.empty()) {
    for (const DataSource& source : data_sources()) sources.push_back(&source);
  }
  return sources;
}

std::string megabytes(std::uint64_t bytes) {
  return bytes == 0 ? "?" : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::uint64_t total_bytes(const DataSource& source) {
  std::uint64_t bytes = 0;
  for (const DataFile& file : source.files) bytes += file.bytes;
  return bytes;
}

// Only looks whether the files exist; `check` compares their contents.
std::string state_of(const DataSource& source, const fs::path& folder) {
  std::size_t here = 0;
  bool part = false;
  for (const DataFile& file : source.files) {
    here += locate_data_file(folder, file) ? 1 : 0;
    part = part || fs::exists(folder / (std::string(file.path) + ".part"));
  }
  if (here == source.files.size()) return "here";
  return here > 0 || part ? "partly" : "missing";
}

Json to_json(const DataSource& source, const fs::path& folder) {
  Json files = Json::array();
  for (const DataFile& file : source.files) {
    const auto place = locate_data_file(folder, file);
    files.push_back({{"path", file.path},
                     {"url", file.url},
                     {"sha256", file.sha256},
                     {"bytes", file.bytes},
                     {"place", place ? Json(place->string()) : Json(nullptr)}});
  }
  return {{"name", source.name},       {"title", source.title},
          {"licence", source.licence}, {"bytes", total_bytes(source)},
          {"note", source.note},       {"state", state_of(source, folder)},
          {"files", std::move(files)}};
}

Handler describe_data_list(CLI::App& app) {
  app.description(
      "Lists the data sets with their uncompressed size, and whether they are here.\n"
      "'partly' means that a download was stopped, or that only one of two files is here.");
  app.footer("Examples:\n  sau data list\n  sau data list --json");
  const auto flags = add_flags<DataListFlags>(app);
  return [flags] {
    const fs::path folder = flags->folder();
    if (flags->json) {
      Json list = Json::array();
      for (const DataSource& source : data_sources()) list.push_back(to_json(source, folder));
      const Json json = {{"folder", folder.string()}, {"data_sets", std::move(list)}};
      std::fputs((json.dump(2) + "\n").c_str(), stdout);
      return 0;
    }
    std::string text = "Data folder: " + folder.string() + "\n";
    for (const DataSource& source : data_sources()) {
      text += fmt::format("  {:<17} {:<8} {:>8}  {}\n", source.name, state_of(source, folder),
                          megabytes(total_bytes(source)), source.title);
      text += fmt::format("  {:<36} {}\n", "", source.licence);
    }
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

// A progress line on a terminal, rewritten at most ten times a second.
class DownloadLine {
 public:
  explicit DownloadLine(std::string name) : name_(std::move(name)), terminal_(::isatty(2) == 1) {}
  DownloadLine(const DownloadLine&) = delete;
  DownloadLine& operator=(const DownloadLine&) = delete;
  ~DownloadLine() {
    if (open_) std::fputs("\r\033[K", stderr);
  }

  void operator()(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || (open_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    open_ = true;
    std::string text = name_ + ": " + megabytes(done);
    if (total > 0) text += fmt::format(" of {}, {} %", megabytes(total), 100 * done / total);
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
  }

 private:
  std::string name_;
  bool terminal_, open_ = false;
  std::chrono::steady_clock::time_point last_;
};

void get_file(const DataSource& source, const DataFile& file, FetchOptions options) {
  const FileReport before = check_data_file(options.folder, file);
  if (before.state == FileState::kGood || before.state == FileState::kUnverified) {
    fmt::print("{}: already here, {}\n", source.name, before.path.string());
    return;
  }
  DownloadLine line{std::string(file.path)};
  options.download.progress = [&line](std::uint64_t done, std::uint64_t total) {
    line(done, total);
  };
  const fs::path place = fetch_data_file(source, file, options);
  fmt::print("{}: {}, {}\n", source.name,
             file.sha256.empty() ? "checksum not known, header and number of lines are right"
                                 : "checksum good",
             place.string());
}

Handler describe_data_get(CLI::App& app) {
  app.description(
      "Downloads data sets, unpacks them and compares their checksums.\n"
      "To continue a stopped download, run the same command again. A file gets its final name\n"
      "only after its checksum matches.");
  app.footer(
      "Examples:\n"
      "  sau data get mushroom statlog\n"
      "  sau data get mushroom --mirror /media/usb/data      copies from a folder\n"
      "  sau data get mushroom --mirror http://intranet/data from a server with the same layout\n"
      "jester and census_synthetic are not published in the form used here: they need a mirror, "
      "or\n"
      "'sau data add'. Proxies are taken from the environment (https_proxy).");
  const auto flags = add_flags<GetFlags>(app);
  const Names names = add_names(app, "data sets, see sau data list");
  return [flags, names] {
    if (names->empty()) throw UsageError("data get: no data set is named; see sau data list");
    FetchOptions options{.folder = flags->folder(), .mirror = flags->mirror, .download = {}};
    options.download.stop = &stop_on_signals();
    int code = 0;
    for (const DataSource* source : chosen(*names)) {
      for (const DataFile& file : source->files) {
        try {
          get_file(*source, file, options);
        } catch (const Stopped& stopped) {
          std::fprintf(stderr, "sau: %s\n", stopped.what());
          return exit_code_when_stopped();
        } catch (const UsageError&) {
          throw;
        } catch (const Error& error) {
          std::fprintf(stderr, "sau: %s\n", error.what());
          code = 1;
        }
      }
    }
    return code;
  };
}

Handler describe_data_add(CLI::App& app) {
  app.description(
      "Copies data set files that you already have into the data folder.\n"
      "A file may be plain, .gz, .xz, .Z or .zip, under any name: its checksum says which one it\n"
      "is. If no checksum is known (census), its header and number of lines are compared.");
  app.footer(
      "Examples:\n"
      "  sau data add mushroom ~/Downloads/mushroom.zip\n"
      "  sau data add adult adult.data adult.test");
  const auto flags = add_flags<PlaceFlags>(app);
  const auto name = std::make_shared<std::string>();
  const auto files = std::make_shared<std::vector<std::string>>();
  app.add_option("name", *name, "the data set, see sau data list")->required();
  app.add_option("file", *files, "its files, or a zip that holds them")->required();
  return [flags, name, files] {
    const DataSource& source = data_source(*name);
    for (const std::string& file : *files) {
      for (const fs::path& place : add_data_files(source, file, flags->folder())) {
        fmt::print("{}: {}\n", source.name, place.string());
      }
    }
    return 0;
  };
}

Handler describe_data_check(CLI::App& app) {
  app.description(
      "Reads the files of the data sets and compares their checksums.\n"
      "Exit code 1 if one is missing or damaged.");
  app.footer("Examples:\n  sau data check\n  sau data check mushroom adult");
  const auto flags = add_flags<PlaceFlags>(app);
  const Names names = add_names(app, "data sets; all of them if none is named");
  return [flags, names] {
    const fs::path folder = flags->folder();
    int missing = 0, damaged = 0;
    for (const DataSource* source : chosen(*names)) {
      for (const DataFile& file : source->files) {
        const FileReport report = check_data_file(folder, file);
        const char* word = "good";
        std::string why = report.why.empty() ? "" : ": " + report.why;
        if (report.state == FileState::kMissing) {
          word = "missing";
          ++missing;
        } else if (report.state == FileState::kBad) {
          word = "damaged";
          ++damaged;
        } else if (report.state == FileState::kUnverified) {
          why = ": checksum not known; header and number of lines are right";
        }
        fmt::print("{:<8} {}{}\n", word, report.path.string(), why);
      }
    }
    if (missing + damaged == 0) return 0;
    throw Error(
        fmt::format("{} missing, {} damaged; 'sau data get NAME' downloads a data set, see also "
                    "'sau data list'",
                    missing, damaged));
  };
}

Handler describe_data_path(CLI::App& app) {
  app.description(
      "Prints the data folder, or where the files of data sets are.\n"
      "Exit code 1 if one of these is missing.");
  app.footer("Examples:\n  sau data path\n  sau data path mushroom");
  const auto flags = add_flags<PlaceFlags>(app);
  const Names names = add_names(app, "data sets");
  return [flags, names] {
    const fs::path folder = flags->folder();
    if (names->empty()) {
      fmt::print("{}\n", folder.string());
      return 0;
    }
    std::string text;
    for (const DataSource* source : chosen(*names)) {
      for (const DataFile& file : source->files) {
        const auto place = locate_data_file(folder, file);
        if (!place) {
          throw Error((folder / file.path).string() + " is missing; see sau data get --help");
        }
        text += place->string() + "\n";
      }
    }
    std::fputs(text.c_str(), stdout);
    return 0;
  };
}

constexpr Command kDataCommands[] = {
    {"list", "", describe_data_list}, {"get", "", describe_data_get},
    {"add", "", describe_data_add},   {"check", "", describe_data_check},
    {"path", "", describe_data_path},
};

}  // namespace

Handler describe_data(CLI::App& app) {
  app.description(
      "Gets and checks the data sets of the paper, and shows where they are.\n"
      "The data folder is --data, else $SAU_DATA_DIR, else $XDG_DATA_HOME/sau/data, else\n"
      "~/.local/share/sau/data. Files in it may be compressed (.gz, .xz, .Z, .zip).");
  app.footer(
      "Examples:\n"
      "  sau data list                        what there is, and what is here\n"
      "  sau data get mushroom                download it\n"
      "  sau data add mushroom mushroom.zip   use the file you have\n"
      "  sau data check                       compare all checksums\n"
      "'sau data COMMAND --help' explains a command.");
  app.require_subcommand(0, 1);
  const auto handler = std::make_shared<Handler>();
  for (const Command& command : kDataCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary)->group("Commands");
    sub->callback([handler, todo = command.describe(*sub)] { *handler = todo; });
  }
  return [handler] {
    if (!*handler)
      throw UsageError("data: give one of its commands: list, get, add, check or path");
    return (*handler)();
  };
}

}  // namespace sau::cli
