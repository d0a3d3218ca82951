#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "core/gradual_file.hpp"
#include "file_budget.hpp"
#include "sau/core/error.hpp"
#include "sau/core/spec.hpp"
#include "sau/core/time_text.hpp"
#include "sau/serve/log_tools.hpp"

namespace sau::cli {
namespace {

// A service that runs on the same machine comes first, in computing and on the disk. If that is not
// allowed, the command runs as it is.
void give_way() {
  constexpr int kLeast = 19;
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLeast));
#ifdef SYS_ioprio_set
  constexpr int kProcess = 1, kIdleClass = 3, kClassShift = 13;  // of linux/ioprio.h
  static_cast<void>(::syscall(SYS_ioprio_set, kProcess, 0, kIdleClass << kClassShift));
#endif
}

struct LogFlags {
  std::string folder, format = "jsonl", output, other, agent;
  std::vector<std::string> events, users, files;
  std::optional<std::uint64_t> seed;
  std::uint64_t version = 0;
  bool skip_faulty = false;
};

void export_to(const std::function<void(const std::string& lines)>& write, const LogFlags& flags) {
  const LogFormat format = flags.format == "dsjson" ? LogFormat::kDsjson : LogFormat::kJsonLines;
  const ExportCount count = export_log(flags.folder, format, write);
  fmt::print(stderr, "{} events", count.events);
  if (count.left_out > 0) fmt::print(stderr, "; {} without an outcome left out", count.left_out);
  fmt::print(stderr, "\n");
}

void export_to(std::ostream& out, const LogFlags& flags) {
  const auto write = [&out](const std::string& lines) {
    out << lines << std::flush;
    if (!out) throw Error("the export could not be written");
  };
  export_to(write, flags);
}

int export_command(const LogFlags& flags) {
  if (flags.format != "jsonl" && flags.format != "dsjson") {
    throw UsageError("log export: --format " + flags.format + "; expected jsonl or dsjson");
  }
  if (flags.output.empty()) {
    export_to(std::cout, flags);
    return 0;
  }
  // Write directly to a pipe or a device: renaming a file to its name would replace it.
  std::error_code ignored;
  const auto found = std::filesystem::status(flags.output, ignored);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found)) {
    std::ofstream file(flags.output, std::ios::binary);
    if (!file) throw Error(flags.output + ": cannot be written");
    export_to(file, flags);
    return 0;
  }
  // Written to another file, then renamed: nobody sees half a file.
  const std::string aside = flags.output + ".part";
  try {
    detail::GradualFile file(aside, O_TRUNC);
    export_to([&file](const std::string& lines) { file.write(lines); }, flags);
    file.finish();
  } catch (...) {
    std::filesystem::remove(aside, ignored);
    throw;
  }
  std::filesystem::rename(aside, flags.output);
  return 0;
}

int verify_command(const LogFlags& flags) {
  const LogCheck check = verify_log(flags.folder);
  fmt::print("{}: {} decisions and {} entries, records {} to {}, {} events waiting: all good\n",
             flags.folder, check.decisions, check.entries, check.first, check.last, check.waiting);
  return 0;
}

int replay_command(const LogFlags& flags) {
  const ReplayCheck check = replay_log(flags.folder);
  fmt::print(
      "{}: {}, {} rewards learned{}, up to record {}\n  model on disk {}\n  replayed      {}\n",
      flags.folder, check.agent, check.learned, check.from_base ? " (from base.sau on)" : "",
      check.position, check.stored, check.replayed);
  if (!check.same) throw Error("the model on disk differs from the replayed one");
  fmt::print("the same, byte for byte\n");
  return 0;
}

void say_aside(const std::string& line) { fmt::print(stderr, "{}\n", line); }

std::string size_of(std::uint64_t bytes) {
  const auto megabytes = static_cast<double>(bytes) / 1e6;
  return megabytes < 1.0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", megabytes);
}

int import_command(const LogFlags& flags) {
  const ImportCount count =
      import_log(flags.folder, {flags.files.begin(), flags.files.end()},
                 {.agent = flags.agent,
                  .seed = flags.seed,
                  .skip_faulty = flags.skip_faulty,
                  .note = [](const std::string& line) { fmt::print(stderr, "{}\n", line); }});
  fmt::print("{}: {} events with a mean reward of {:.6g}; {} has learned from {}, checksum {}\n",
             flags.folder, count.events, count.mean_reward, count.agent, count.learned,
             count.checksum);
  return 0;
}

int backup_command(const LogFlags& flags) {
  const BackupCount count = back_up(flags.folder, flags.other);
  fmt::print("{}: a copy of {} with {} records, {}, all good\n", flags.other, flags.folder,
             count.records, size_of(count.bytes));
  return 0;
}

int restore_command(const LogFlags& flags) {
  const BackupCount count = restore(flags.other, flags.folder);
  fmt::print("{}: restored from {} with {} records, {}, all good\n", flags.folder, flags.other,
             count.records, size_of(count.bytes));
  return 0;
}

int upgrade_command(const LogFlags& flags) {
  if (!upgrade_log(flags.folder, say_aside)) fmt::print("{}: nothing to do\n", flags.folder);
  return 0;
}

int accept_command(const LogFlags& flags) {
  const AcceptedLoss loss = accept_loss(flags.folder, say_aside);
  if (loss.acknowledged > loss.last) {
    fmt::print("{}: records {} to {} are lost; the log continues after {}\n", flags.folder,
               loss.last + 1, loss.acknowledged, loss.last);
  } else {
    fmt::print("{}: the log is accepted as whole up to record {}\n", flags.folder, loss.last);
  }
  if (loss.model_removed) {
    fmt::print(
        "the model had learned from them: it is kept as model.sau.lost, and the next start "
        "rebuilds it from the log\n");
  }
  return 0;
}

int strike_command(const LogFlags& flags) {
  const Struck struck = strike_events(flags.folder, flags.events);
  fmt::print("{}: {} events struck", flags.folder, struck.events);
  if (struck.already > 0) fmt::print(", {} were struck before", struck.already);
  fmt::print("; the model without them has checksum {}\n", struck.checksum);
  return 0;
}

// "user=alice"
UserFeature user_feature(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == 0 || end == std::string::npos) {
    throw UsageError("log erase: --user " + text + "; expected FEATURE=VALUE, such as user=alice");
  }
  return {text.substr(0, end), text.substr(end + 1)};
}

int erase_command(const LogFlags& flags) {
  if (flags.events.empty() && flags.users.empty()) {
    throw UsageError("log erase: nothing to erase; give --event ID or --user FEATURE=VALUE");
  }
  std::vector<UserFeature> users;
  for (const std::string& user : flags.users) users.push_back(user_feature(user));
  const Erased erased = erase_events(flags.folder, flags.events, users);
  if (erased.events == 0) {
    fmt::print("{}: there is nothing to erase\n", flags.folder);
    return 0;
  }
  fmt::print("{}: {} events erased; the model without them has checksum {}\n", flags.folder,
             erased.events, erased.checksum);
  if (erased.still_learned > 0) {
    fmt::print(
        "what was learned from {} of them stays in the model: it began with a file that had "
        "learned from them\n",
        erased.still_learned);
  }
  return 0;
}

int versions_command(const LogFlags& flags) {
  const auto versions = model_versions(flags.folder);
  if (versions.empty()) fmt::print(stderr, "{}: no earlier model is kept\n", flags.folder);
  for (const ModelVersion& version : versions) {
    fmt::print("{:>10}  {}  {} events learned  {}  {}\n", version.version, write_time(version.time),
               version.learned, version.checksum, version.agent);
  }
  return 0;
}

int rollback_command(const LogFlags& flags) {
  fmt::print("{}: {}\n", flags.folder, roll_back(flags.folder, flags.version, say_aside));
  return 0;
}

void add_folder(CLI::App& app, LogFlags& flags, const char* what = "folder of sau serve") {
  app.add_option("folder", flags.folder, what)->required();
}

}  // namespace

Handler describe_log(CLI::App& app) {
  app.description(
      "Works on the folder of sau serve. export, verify, replay and backup change nothing and may\n"
      "run while the server runs: they see one moment of the log. Stop the server before upgrade,\n"
      "accept, strike, erase and rollback. import makes a new folder.");
  app.footer(
      "Examples:\n"
      "  sau log export data -o events.jsonl\n"
      "  sau log export data --format dsjson -o events.dsjson\n"
      "      vw --dsjson --cb_explore_adf -d events.dsjson\n"
      "  sau log import data personalizer/*.json.gz\n"
      "  sau log verify data\n"
      "  sau log replay data\n"
      "  sau log backup data /backups/monday\n"
      "  sau log restore data /backups/monday\n"
      "  sau log strike data visit-17 visit-18\n"
      "  sau log erase data --user user=alice");
  const auto flags = std::make_shared<LogFlags>();
  const auto handler = std::make_shared<Handler>();
  app.require_subcommand(1);
  CLI::App* const in =
      app.add_subcommand("import", "make a new folder from the logs of Personalizer or VW");
  add_folder(*in, *flags, "new folder");
  in->add_option("files", flags->files, "dsjson files, plain or .gz, in the order of their events")
      ->required();
  in->add_option("--agent", flags->agent,
                 "agent that learns from the events; the folder keeps it\n"
                 "[sau]")
      ->type_name("SPEC");
  in->add_option("--seed", flags->seed, "its seed; the folder keeps it [1]")->type_name("N");
  in->add_flag("--skip-faulty", flags->skip_faulty,
               "leave out lines with a fault, and count them, instead of giving up");
  in->footer(
      "Each event keeps its reward, its probabilities and its time, and the log names the file.\n"
      "The model has learned from the events, and sau serve FOLDER continues from there.\n"
      "Lines that are not decisions are left out and counted. Multi-slot decisions are not read.\n"
      "Example:\n"
      "  sau log import shop logs/*.json.gz && sau serve shop");
  in->callback([=] { *handler = [flags] { return import_command(*flags); }; });
  CLI::App* out = app.add_subcommand("export", "print the events, one per line");
  add_folder(*out, *flags);
  out->add_option("--format", flags->format,
                  "jsonl: everything known; dsjson: for Vowpal Wabbit [jsonl]")
      ->type_name("FORMAT");
  out->add_option("-o,--output", flags->output, "file to write instead of standard output")
      ->type_name("FILE");
  out->callback([=] { *handler = [flags] { return export_command(*flags); }; });
  CLI::App* verify = app.add_subcommand("verify", "check every record and that they fit together");
  add_folder(*verify, *flags);
  verify->callback([=] { *handler = [flags] { return verify_command(*flags); }; });
  CLI::App* replay =
      app.add_subcommand("replay", "learn from the log again and compare with the model on disk");
  add_folder(*replay, *flags);
  replay->callback([=] { *handler = [flags] { return replay_command(*flags); }; });
  const auto add = [&](const char* name, const char* what, int (*command)(const LogFlags&)) {
    CLI::App* const sub = app.add_subcommand(name, what);
    add_folder(*sub, *flags);
    sub->callback([=] { *handler = [flags, command] { return command(*flags); }; });
    return sub;
  };
  add("backup", "copy the folder as of one moment, and check the copy", backup_command)
      ->add_option("to", flags->other, "new folder for the copy")
      ->required();
  add("restore", "make a new folder from a backup, after checking it", restore_command)
      ->add_option("from", flags->other, "the backup")
      ->required();
  add("upgrade", "upgrade a folder of an older version, as sau serve does when it starts",
      upgrade_command);
  add("accept", "give up the lost end of a log and continue without it", accept_command)
      ->footer(
          "sau serve refuses to start when acknowledged records are missing at the end of the\n"
          "log, or when log.mark, which tells what was acknowledged, is lost. Restore a backup if\n"
          "you have one. If not, this takes the log as it is. If the model has learned from lost\n"
          "records, the next start rebuilds it.\n"
          "This does not help when records in the middle are missing or damaged.");
  add("versions", "list the earlier models that are kept, the latest first", versions_command);
  CLI::App* const rollback =
      add("rollback", "go back to an earlier model, and to its agent", rollback_command);
  rollback
      ->add_option_function<std::string>(
          "version",
          [flags](const std::string& given) {
            sau::detail::read_value("log rollback", "version", given, Bounds{.min = 1.0},
                                    flags->version);
          },
          "its number; sau log versions lists them")
      ->type_name("N")
      ->required();
  rollback->footer(
      "The log says that the model was replaced, and learning continues from there. Stop the\n"
      "server before; while it runs, POST /v1/models/VERSION/rollback does the same.\n"
      "Example:\n"
      "  sau log rollback data 118");
  CLI::App* const strike =
      add("strike", "unlearn events, for example after wrong rewards", strike_command);
  strike->add_option("events", flags->events, "event ids")->required();
  strike->footer(
      "The events stay in the log, marked, and the model is rebuilt as if it had never learned\n"
      "from them. Events that still wait for their reward cannot be struck, nor can those that\n"
      "base.sau has learned from: it is written when old events are removed from the log.\n"
      "Example:\n"
      "  sau log strike data visit-17 visit-18");
  CLI::App* const erase =
      add("erase", "remove everything known about events, or about a user", erase_command);
  erase->add_option("--event", flags->events, "id of an event; may be given several times")
      ->type_name("ID")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  erase
      ->add_option("--user", flags->users,
                   "all events whose request has this feature, at any depth; may be given several\n"
                   "times")
      ->type_name("FEATURE=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  erase->footer(
      "Ids, requests and rewards are in no file of the log afterwards; only that there was an\n"
      "event remains. The model is rebuilt as if it had never learned from them. The log is\n"
      "written again, so there must be room for a second copy. Backups and exports that you made\n"
      "before still have the events. Stop the server before; while it runs, POST /v1/erase does\n"
      "the same.\n"
      "Examples:\n"
      "  sau log erase data --event visit-17 --event visit-18\n"
      "  sau log erase data --user user=alice");
  return [handler] {
    allow_all_files();
    give_way();
    return (*handler)();
  };
}

}  // namespace sau::cli
