#include "ui/cli/variant_run.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::cli {

VariantComparison compared(const VariantRun& reference, const VariantRun& run) {
    VariantComparison result;
    if (run.pictures.size() != reference.pictures.size()) {
        result.problem = std::to_string(run.pictures.size()) +
                         " pictures cannot be compared with " +
                         std::to_string(reference.pictures.size());
        return result;
    }
    try {
        for (size_t i = 0; i < run.pictures.size(); ++i) {
            result.pictures.push_back(image::difference(reference.pictures[i], run.pictures[i]));
        }
    } catch (const Error& error) {
        result.pictures.clear();
        result.problem = error.message().str();
        return result;
    }
    result.latents = latentCosines(reference.latents, run.latents);
    return result;
}

image::PictureDifference together(const std::vector<image::PictureDifference>& pictures) {
    image::PictureDifference mean = pictures.front();
    if (pictures.size() == 1) {
        return mean;
    }
    const auto count = static_cast<double>(pictures.size());
    double noise = 0;
    double similarity = 0;
    mean.edgeEnergyRatio = 0;
    mean.colourShift = 0;
    for (const image::PictureDifference& picture : pictures) {
        noise += std::pow(10, -picture.psnr / 10) / count;
        similarity += picture.ssim.value_or(0) / count;
        mean.edgeEnergyRatio += picture.edgeEnergyRatio / count;
        mean.colourShift += picture.colourShift / count;
        mean.worst = picture.worst.psnr < mean.worst.psnr ? picture.worst : mean.worst;
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
