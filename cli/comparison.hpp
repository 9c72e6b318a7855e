#pragma once

#include "cli/variant_run.hpp"
#include "plugin/base/json.hpp"
#include "plugin/image/contact_sheet.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// A variant, and what fewer steps give in its time.
struct ComparedVariant {
    VariantRun own;
    std::optional<VariantRun> fewerSteps;
    std::string noBaseline;  ///< why there is none
};

struct Comparison {
    std::string graph;
    std::vector<ComparedVariant> variants;  ///< the first one is the reference
    size_t columns = 1;                     ///< of sheets
};

/// The table for a terminal, a line for each run.
[[nodiscard]] std::string tableOf(const Comparison& comparison);
/// The same of what `lowtide compare --sensitivity` found: {"node", "weights", "sensitive_from",
/// "sensitivities": [as the call "sensitivities" has them, "is_new"], "refused": [{"setting",
/// "reason"}]}.
[[nodiscard]] std::string sensitivityTable(const Json& found);
/// Everything that was measured; infinite figures are null.
[[nodiscard]] Json toJson(const Comparison& comparison);
/// The images, then those of the baselines in the same positions.
[[nodiscard]] image::ContactSheet contactSheetOf(const Comparison& comparison);
/// Where each image differs from the reference's.
[[nodiscard]] image::ContactSheet heatMapsOf(const Comparison& comparison);

}  // namespace lowtide::cli
