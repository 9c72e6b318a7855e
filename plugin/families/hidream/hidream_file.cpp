#include "plugin/families/hidream/hidream_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr int64_t kHiDreamHeadWidth = 128;
constexpr int64_t kLanguageLayers = 32;  ///< of Llama 3.1 8B

std::string hidreamBlock(const char* stem, const std::string& block, const char* rest) {
    return stem + block + ".block." + rest;
}

/// All tools have diffusers' names, some behind a prefix.
std::optional<NetworkNaming> hidreamNaming(const WeightMap& file) {
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        if (file.tensors.contains(prefix + "double_stream_blocks.0.block.attn1.to_q.weight") &&
            file.tensors.contains(prefix + "caption_projection.0.linear.weight")) {
            return NetworkNaming{.prefix = prefix, .architecture = "hidream"};
        }
    }
    return std::nullopt;
}

/// What no shape determines is as published: heads 128 wide, two experts of a token, a language
/// model of 32 layers.
Json hidreamSettings(const WeightMap& transformer) {
    constexpr int64_t kPatch = 2;
    const TensorView tensors = viewOf(transformer);
    const char* const doubles = "double_stream_blocks.";
    const char* const singles = "single_stream_blocks.";
    const auto blocksOf = [&](const char* stem) {
        return tensors.count([&](const std::string& block) {
            return hidreamBlock(stem, block, "attn1.to_q.weight");
        });
    };
    const int64_t width = tensors.size("x_embedder.proj.weight", 0);
    const int64_t doubleLayers = blocksOf(doubles);
    const int64_t layers = doubleLayers + blocksOf(singles);
    const auto textWidth = [&](int64_t number) {
        return tensors.size("caption_projection." + std::to_string(number) + ".linear.weight", 1);
    };
    Json languageLayers = Json::array();
    for (int64_t i = 0; i < layers; ++i) {
        languageLayers.push_back(std::min(i, kLanguageLayers - 1));
    }
    return {{"patch_size", kPatch},
            {"in_channels", tensors.size("x_embedder.proj.weight", 1) / (kPatch * kPatch)},
            {"out_channels", tensors.size("final_layer.linear.weight", 0) / (kPatch * kPatch)},
            {"num_layers", doubleLayers},
            {"num_single_layers", layers - doubleLayers},
            {"attention_head_dim", kHiDreamHeadWidth},
            {"num_attention_heads", width / kHiDreamHeadWidth},
            {"caption_channels", {textWidth(layers), textWidth(0)}},
            {"text_emb_dim", tensors.size("p_embedder.pooled_embedder.linear_1.weight", 1)},
            {"num_routed_experts", tensors.count([&](const std::string& expert) {
                 return hidreamBlock(doubles, "0", "ff_i.experts.") + expert + ".w1.weight";
             })},
            {"num_activated_experts", 2},
            {"axes_dims_rope", {64, 32, 32}},
            {"max_resolution", {128, 128}},
            {"llama_layers", std::move(languageLayers)}};
}

/// Refuses a transformer whose number of heads no shape determines and nobody stated.
void checkHiDreamHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    if (settings.at("num_attention_heads") == 0) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is a transformer of HiDream-I1 narrower than {}, whose number of "
                            "heads no shape determines",
                            what,
                            kHiDreamHeadWidth),
                    message("state num_attention_heads, attention_head_dim and axes_dims_rope of "
                            "\"transformer\" in {}",
                            sidecar.name));
    }
}

}  // namespace

Network hidreamNetwork() {
    return {.classes = {"HiDreamImageTransformer2DModel"},
            .models = "HiDream-I1",
            .find = hidreamNaming,
            .evidence = "caption_projection.0.linear.weight",
            .precise = {"x_embedder.", "final_layer.", ".ff_i.gate."},
            .file = {.layout = "hidream_denoiser",
                     .pipeline = "HiDreamImagePipeline",
                     .settings = hidreamSettings,
                     .check = checkHiDreamHeads}};
}

}  // namespace lowtide::models
