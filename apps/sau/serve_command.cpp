#include <memory>
#include <string>

#include "commands.hpp"
#include "serve.hpp"
#include "serve_flags.hpp"

namespace sau::cli {
namespace {

Handler add_folder(CLI::App& app, const std::shared_ptr<ServeFlags>& flags) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder,
                 "folder of the events, the model and the settings; created if missing")
      ->required();
  return [flags, folder] { return serve(*folder, *flags); };
}

}  // namespace

Handler describe_serve(CLI::App& app) {
  app.description(
      "Serves decisions over HTTP: which action? (rank), how did it go? (reward); learns while it\n"
      "runs. FOLDER holds everything: the events, the model, the settings. Whatever was\n"
      "acknowledged is on disk: after a crash, the service continues where it was. The calls are\n"
      "those of the retired Azure Personalizer; its clients need only a new endpoint.");
  app.footer(
      "Examples:\n"
      "  sau serve data                                then open http://127.0.0.1:8080/\n"
      "  curl -s localhost:8080/personalizer/v1.0/rank -d "
      "'{\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}]}'\n"
      "  sau serve data --agent hashed_linear+sau_sampling     quicker, with one model\n"
      "  sau serve data --listen 0.0.0.0 --key-file keys --tls-certificate c.pem --tls-key k.pem\n"
      "Rewards are from -1 to 1; others are refused. For other units set rewardMinimum and\n"
      "rewardMaximum to your range (PUT /personalizer/v1.0/configurations/service). The default\n"
      "agent takes rewards in any unit; docs/service.md says what other agents need.\n"
      "If it is started with a socket (LISTEN_FDS, as by a systemd socket unit), it listens "
      "there:\n"
      "a restart then refuses no connection.\n"
      "After SIGTERM or Ctrl-C it answers the requests that have begun, then ends. After SIGHUP "
      "it\n"
      "reads the keys and the certificate again; connections stay open.\n"
      "docs/service.md has a tour of ten minutes, docs/http.md describes every call.");
  const auto flags = add_serve_flags(app);
  app.add_option("--app", flags->apps,
                 "a further application, with its own folder, below /apps/NAME; may be given\n"
                 "several times")
      ->type_name("NAME=FOLDER")
      ->allow_extra_args(false);
  app.add_option("--join", flags->cluster.servers,
                 "be a node of a cluster: nats://HOST:PORT, several with commas between them;\n"
                 "docs/cluster.md")
      ->type_name("URL");
  app.add_option("--confirm", flags->confirm,
                 "a node answers when a record is on its own disk (spool), or when the stream has\n"
                 "it, too (stream) [spool]")
      ->type_name("WHERE");
  return add_folder(app, flags);
}

Handler describe_train(CLI::App& app) {
  app.description(
      "The trainer of a cluster: collects what its nodes (sau serve --join) receive, logs it, "
      "learns,\n"
      "and publishes the model to the nodes. FOLDER has the same log as with sau serve. A second\n"
      "trainer, with its own folder, stands by and takes over if the first one dies.");
  app.footer(
      "Examples:\n"
      "  sau train trainer --join nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222\n"
      "  sau serve node --join nats://10.0.0.1:4222,nats://10.0.0.2:4222,nats://10.0.0.3:4222\n"
      "  sau log verify trainer\n"
      "The page, the metrics and the explanations of decisions are at its port; decisions and\n"
      "rewards go to the nodes. docs/cluster.md says what is kept when something is lost.");
  const auto flags = add_serve_flags(app);
  flags->command = "train";
  app.add_option("--join", flags->cluster.servers,
                 "NATS servers: nats://HOST:PORT, several with commas between them")
      ->type_name("URL")
      ->required();
  add_number(app, "--replicas", {.min = 1.0, .max = 5.0}, flags->replicas,
             "copies of the stream [3 if there are that many NATS servers, else 1]");
  app.add_flag("--lead", flags->cluster.lead,
               "lead even if another trainer may have more records of a stream that was lost;\n"
               "records that only the other one has are given up");
  return add_folder(app, flags);
}

}  // namespace sau::cli
