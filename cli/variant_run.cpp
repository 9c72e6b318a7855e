#include "cli/variant_run.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::cli {

VariantComparison compared(const VariantRun& reference, const VariantRun& run) {
    VariantComparison result;
    if (run.images.size() != reference.images.size()) {
        result.problem = std::to_string(run.images.size()) + " images cannot be compared with " +
                         std::to_string(reference.images.size());
        return result;
    }
    try {
        for (size_t i = 0; i < run.images.size(); ++i) {
            result.images.push_back(image::difference(reference.images[i], run.images[i]));
        }
    } catch (const Error& error) {
        result.images.clear();
        result.problem = error.message().str();
        return result;
    }
    result.latents = latentCosines(reference.latents, run.latents);
    return result;
}

image::ImageDifference together(const std::vector<image::ImageDifference>& images) {
    image::ImageDifference mean = images.front();
    if (images.size() == 1) {
        return mean;
    }
    const auto count = static_cast<double>(images.size());
    double noise = 0;
    double similarity = 0;
    mean.edgeEnergyRatio = 0;
    mean.colourShift = 0;
    for (const image::ImageDifference& image : images) {
        noise += std::pow(10, -image.psnr / 10) / count;
        similarity += image.ssim.value_or(0) / count;
        mean.edgeEnergyRatio += image.edgeEnergyRatio / count;
        mean.colourShift += image.colourShift / count;
        mean.worst = image.worst.psnr < mean.worst.psnr ? image.worst : mean.worst;
    }
    mean.psnr = -10 * std::log10(noise);
    mean.ssim = mean.ssim ? std::optional(similarity) : std::nullopt;
    return mean;
}

std::optional<StepCounts> stepsOf(const Json& repetition) {
    std::optional<StepCounts> counts;
    for (const Json& node : repetition.at("nodes")) {
        if (const auto steps = node.find("steps"); steps != node.end() && steps->is_object()) {
            counts = counts.value_or(StepCounts{});
            counts->full += steps->value("full", int64_t{0});
            counts->partial += steps->value("partial", int64_t{0});
            counts->predicted += steps->value("predicted", int64_t{0});
        }
    }
    return counts;
}

}  // namespace lowtide::cli
