#include "cli/comparison.hpp"

#include <cmath>

namespace lowtide::cli {

namespace {

/// JSON has no infinity.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json toJson(const image::ImageDifference& difference) {
    return {{"equal", std::isinf(difference.psnr)},
            {"psnr", number(difference.psnr)},
            {"ssim", difference.ssim ? Json(*difference.ssim) : Json()},
            {"edge_energy_ratio", number(difference.edgeEnergyRatio)},
            {"colour_shift", difference.colourShift},
            {"worst_tile",
             {{"x", difference.worst.xPixels},
              {"y", difference.worst.yPixels},
              {"side", image::kDifferenceTilePixels},
              {"psnr", number(difference.worst.psnr)}}}};
}

Json toJson(const VariantComparison& difference) {
    Json latents = Json::array();
    for (const LatentCosine& node : difference.latents) {
        latents.push_back({{"node", node.node}, {"steps", node.steps}, {"last", node.last}});
    }
    Json images = Json::array();
    for (const image::ImageDifference& image : difference.images) {
        images.push_back(toJson(image));
    }
    return {{"all", difference.images.empty() ? Json() : toJson(together(difference.images))},
            {"pictures", images},
            {"latent_cosine", latents},
            {"problem", difference.problem.empty() ? Json() : Json(difference.problem)}};
}

Json toJson(const ComparedRun& compared, bool isReference) {
    const VariantRun& run = compared.run;
    Json steps;
    if (run.steps) {
        steps = {{"full", run.steps->full},
                 {"partial", run.steps->partial},
                 {"predicted", run.steps->predicted}};
    }
    const bool isCompared = !isReference && run.status == Status::Ok;
    return {{"name", run.name},
            {"set", run.settings},
            {"status", static_cast<int>(run.status)},
            {"issues", run.issues},
            {"seconds", run.milliseconds / 1000},
            {"sampling_seconds", run.samplingMilliseconds / 1000},
            {"peak_bytes", run.peak},
            {"steps", steps},
            {"files", run.files},
            {"difference", isCompared ? toJson(compared.difference) : Json()}};
}

}  // namespace

Json toJson(const Comparison& comparison) {
    Json variants = Json::array();
    for (const ComparedVariant& variant : comparison.variants) {
        Json entry = toJson(variant.own, variants.empty());
        entry["fewer_steps"] = variant.fewerSteps ? toJson(*variant.fewerSteps, false) : Json();
        entry["no_baseline"] = variant.noBaseline.empty() ? Json() : Json(variant.noBaseline);
        variants.push_back(std::move(entry));
    }
    return {{"graph", comparison.graph}, {"reference", 0}, {"variants", variants}};
}

}  // namespace lowtide::cli
