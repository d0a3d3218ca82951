#include "calibration_files.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sau/calibration/calibration.hpp"
#include "sau/core/file.hpp"
#include "sau/core/version.hpp"
#include "sau/draw/calibration_page.hpp"
#include "sau/report/calibration_text.hpp"

namespace sau::cli {

MakeAddition calibration_addition(EvaluationStudy study, const LaboratoryFlags& flags) {
  return [study = std::move(study), seed = flags.seed, threads = flags.threads](
             const std::filesystem::path& folder, const std::atomic<bool>& stop) {
    const auto results =
        calibrate(study, {.seed = seed, .threads = static_cast<unsigned>(threads), .stop = &stop});
    if (results.empty()) return Addition{};
    Addition addition{
        .key = "evaluation", .json = calibration_json(results), .text = calibration_text(results)};
    const nlohmann::ordered_json file = {{"format", "sau-calibration"},
                                         {"version", 1},
                                         {"sau", version()},
                                         {"seed", seed},
                                         {"results", nlohmann::ordered_json::parse(addition.json)}};
    write_file(folder / "evaluation.json", file.dump(2) + "\n");
    write_file(folder / "evaluation.csv", calibration_csv(results));
    write_file(folder / "evaluation.html", calibration_page(results));
    for (const Picture& picture : draw_calibration(results, PictureFormat::kSvg)) {
      write_file(folder / picture.name, picture.bytes);
    }
    return addition;
  };
}

}  // namespace sau::cli
