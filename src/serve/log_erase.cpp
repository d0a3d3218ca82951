#include <utility>

#include "sau/core/error.hpp"
#include "sau/core/file.hpp"
#include "sau/serve/log_tools.hpp"
#include "sau/store/event_store.hpp"
#include "serve/erasing.hpp"
#include "serve/model_file.hpp"
#include "serve/relearn.hpp"
#include "serve/settings.hpp"
#include "store/store_rewrite.hpp"

namespace sau {
Erased erase_events(const std::filesystem::path& folder, const std::vector<std::string>& event_ids,
                    const std::vector<UserFeature>& users) {
  const detail::FolderSettings settings = detail::read_folder(folder);
  detail::refuse_trainer(folder);
  const auto log = detail::log_folder(folder);
  const std::filesystem::path aside = log.string() + ".part";
  detail::finish_replacing(log);
  Erased result;
  auto store = open_event_store(log, {});
  const LogHead head = store->head();
  detail::Erasing erasing;
  for (const std::string& id : event_ids) {
    if (!erasing.add(*store, id)) throw Error("there is no event '" + id + "' in the log");
  }
  Sequence next = 1;
  while (next != 0) next = erasing.add_all_of(*store, users, next);
  const auto how = erasing.rewrite(*store, detail::fixed_until(folder, *store).until, result);
  if (result.events == 0) return result;
  rewrite_event_store(*store, aside, how);
  store.reset();
  // Nothing is replaced unless the model can be rebuilt.
  const std::string model =
      detail::relearned(folder, settings, *open_event_store(aside, {.verify = false})).everything();
  // If this is interrupted, the next start makes the same model from the log.
  std::filesystem::remove(detail::snapshot_file(folder));
  detail::replace_event_store(log, aside, head);
  write_file(detail::snapshot_file(folder), model);
  result.checksum = detail::model_checksum(model);
  return result;
}

}  // namespace sau
