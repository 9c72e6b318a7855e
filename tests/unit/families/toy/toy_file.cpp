#include "tests/unit/families/toy/toy_file.hpp"

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr std::pair<std::string_view, std::string_view> kToyNames[] = {
    {"toy_blocks.", "toys."},
    {".attn.to_q.weight", ".qkv.weight[q]"},
    {".attn.to_k.weight", ".qkv.weight[k]"},
    {".attn.to_v.weight", ".qkv.weight[v]"},
    {".attn.to_out.0.", ".out."},
    {".modulation.", ".mod."},
    {"patch_in.", "in_patch."},
    {"words_in.", "in_words."},
    {"clock.inner.", "clock.0."},
    {"clock.outer.", "clock.2."},
    {"norm_out.", "last.norm."},
    {"patch_out.", "last.linear."},
};
constexpr std::string_view kToyArchitecture = "toy";

/// Behind a prefix, in the toy's own words with one matrix for query, key and value, or in
/// diffusers'.
std::optional<NetworkNaming> toyNaming(const WeightMap& file) {
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        const auto has = [&](const char* name) { return file.tensors.contains(prefix + name); };
        if (has("in_words.weight") && has("toys.0.qkv.weight")) {
            return NetworkNaming{.prefix = prefix, .architecture = kToyArchitecture};
        }
        if (has("words_in.weight") && has("toy_blocks.0.attn.to_q.weight")) {
            return NetworkNaming{
                .prefix = prefix, .isOwn = false, .architecture = kToyArchitecture};
        }
    }
    return std::nullopt;
}

/// A third of a fused matrix is "toys.0.qkv.weight[q]".
std::string toyName(std::string_view name) {
    return renamed(std::string(name), kToyNames);
}

WeightMap splitToy(WeightMap map, const NetworkNaming&) {
    splitThirds(map, ".qkv.weight");
    return map;
}

Json toySettings(const WeightMap& transformer) {
    constexpr int64_t kNumbersOfPatch = 4;
    const TensorView tensors = viewOf(transformer);
    return {{"in_channels", tensors.size("patch_in.weight", 1) / kNumbersOfPatch},
            {"width", tensors.size("patch_in.weight", 0)},
            {"num_layers", tensors.count([](const std::string& block) {
                 return "toy_blocks." + block + ".attn.to_q.weight";
             })},
            {"text_width", tensors.size("words_in.weight", 1)}};
}

}  // namespace

std::string toyLabel(Checkpoint& checkpoint) {
    const char* file = "transformer/config.json";
    const Json settings = checkpoint.readJson(file);
    const JsonReader reader(settings, checkpoint.name() + "/" + file);
    return "Toy of " + std::to_string(reader.integer("num_layers").value_or(0)) + " blocks";
}

Network toyNetwork() {
    return {.classes = {kToyClass},
            .models = "Toy",
            .find = toyNaming,
            .evidence = "toys.0.qkv.weight",
            .ownName = toyName,
            .precise =
                {"in_patch.", "in_words.", "last.linear.", "patch_in.", "words_in.", "patch_out."},
            .file = {.layout = "toy_denoiser",
                     .pipeline = kToyPipelineClass,
                     .split = splitToy,
                     .settings = toySettings,
                     .label = toyLabel}};
}

}  // namespace lowtide::models
