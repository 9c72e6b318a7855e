#pragma once

#include "cli/variant_run.hpp"
#include "plugin/base/json.hpp"
#include "plugin/image/contact_sheet.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// A run that is compared with the reference.
struct ComparedRun {
    VariantRun run;
    VariantComparison difference;
};

/// A variant, and what fewer steps give in its time.
struct ComparedVariant {
    ComparedRun own;
    std::optional<ComparedRun> fewerSteps;
    std::string noBaseline;  ///< why there is none
};

struct Comparison {
    std::string graph;
    std::vector<ComparedVariant> variants;  ///< the first one is the reference
    size_t columns = 1;                     ///< of sheets
};

/// The table for a terminal, a line for each run.
[[nodiscard]] std::string tableOf(const Comparison& comparison);
/// Everything that was measured; infinite figures are null.
[[nodiscard]] Json toJson(const Comparison& comparison);
/// The images, then those of the baselines in the same positions.
[[nodiscard]] image::ContactSheet contactSheetOf(const Comparison& comparison);
/// Where each image differs from the reference's.
[[nodiscard]] image::ContactSheet heatMapsOf(const Comparison& comparison);

}  // namespace lowtide::cli
