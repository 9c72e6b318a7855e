#include "cli/variant_run.hpp"

#include "plugin/base/error.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::cli {

namespace {

constexpr std::string_view kStep = "latents.step.";
constexpr std::string_view kFinal = "latents.final";

std::vector<float> valuesOf(const files::InputFile& file, const files::TensorInfo& info) {
    std::vector<float> values(static_cast<size_t>(info.bytes) / sizeof(float));
    file.read(std::as_writable_bytes(std::span(values)), info.offset);
    return values;
}

/// 1 for two that hold nothing but zeros.
double cosine(const std::vector<float>& first, const std::vector<float>& second) {
    double product = 0;
    double firstSquared = 0;
    double secondSquared = 0;
    for (size_t i = 0; i < first.size(); ++i) {
        const double one = first[i];
        const double two = second[i];
        product += one * two;
        firstSquared += one * one;
        secondSquared += two * two;
    }
    return first == second ? 1 : product / std::sqrt(firstSquared * secondSquared);
}

}  // namespace

std::map<std::string, LatentSteps> readLatentSteps(const std::string& dumpPath) {
    const files::InputFile file(dumpPath);
    const files::SafetensorsHeader header = files::readSafetensorsHeader(file);
    std::map<std::string, LatentSteps> nodes;
    for (const auto& [key, info] : header.tensors) {  // sorted: steps come in their order
        const size_t slash = key.rfind('/');
        const std::string node = slash == std::string::npos ? "" : key.substr(0, slash);
        const std::string name = slash == std::string::npos ? key : key.substr(slash + 1);
        if (info.type != DType::F32) {
            continue;
        }
        if (name.starts_with(kStep)) {
            nodes[node].steps.push_back(valuesOf(file, info));
        } else if (name == kFinal) {
            nodes[node].last = valuesOf(file, info);
        }
    }
    return nodes;
}

std::vector<LatentCosine> latentCosines(const std::map<std::string, LatentSteps>& reference,
                                        const std::map<std::string, LatentSteps>& other) {
    std::vector<LatentCosine> cosines;
    for (const auto& [node, latents] : reference) {
        const auto found = other.find(node);
        if (found == other.end() || found->second.last.size() != latents.last.size()) {
            continue;
        }
        LatentCosine result{
            .node = node, .steps = {}, .last = cosine(latents.last, found->second.last)};
        if (found->second.steps.size() == latents.steps.size()) {
            for (size_t i = 0; i < latents.steps.size(); ++i) {
                result.steps.push_back(cosine(latents.steps[i], found->second.steps[i]));
            }
        }
        cosines.push_back(std::move(result));
    }
    return cosines;
}

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
