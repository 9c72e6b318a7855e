#include "cli/latent_steps.hpp"

#include "plugin/files/input_file.hpp"
#include "plugin/files/safetensors.hpp"

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

}  // namespace lowtide::cli
