#include "plugin/families/zimage/zimage_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"

#include <utility>

namespace lowtide::models {

namespace {

/// Source: diffusers 0.42.1, convert_z_image_transformer_checkpoint_to_diffusers.
constexpr std::pair<std::string_view, std::string_view> kZImageNames[] = {
    {"all_x_embedder.2-1.", "x_embedder."},
    {"all_final_layer.2-1.", "final_layer."},
    {".attention.to_q.weight", ".attention.qkv.weight[q]"},
    {".attention.to_k.weight", ".attention.qkv.weight[k]"},
    {".attention.to_v.weight", ".attention.qkv.weight[v]"},
    {".attention.to_out.0.", ".attention.out."},
    {".attention.norm_q.", ".attention.q_norm."},
    {".attention.norm_k.", ".attention.k_norm."},
};
/// Lumina 2's, whose construction it has.
constexpr std::string_view kZImageArchitecture = "lumina2";
constexpr const char* kPadTokens[] = {"x_pad_token", "cap_pad_token"};
/// Beginnings of what other models of this kind have besides.
constexpr std::pair<const char*, Phrase> kOtherModels[] = {
    {"dec_net.", phrase("paints pixels, without an autoencoder")},
    {"siglip_", phrase("reads images too (Omni)")},
};
/// Trained with the network, never run.
constexpr const char* kUnusedNorm = "norm_final.weight";

/// Behind a prefix, in Z-Image's own words with one matrix for query, key and value, or in
/// diffusers'.
std::optional<NetworkNaming> zimageNaming(const WeightMap& file) {
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        const auto has = [&](const char* name) { return file.tensors.contains(prefix + name); };
        if (!has("cap_embedder.1.weight") || !has(kPadTokens[0])) {
            continue;
        }
        if (has("layers.0.attention.qkv.weight")) {
            return NetworkNaming{.prefix = prefix, .architecture = kZImageArchitecture};
        }
        if (has("layers.0.attention.norm_k.weight")) {
            return NetworkNaming{
                .prefix = prefix, .isOwn = false, .architecture = kZImageArchitecture};
        }
    }
    return std::nullopt;
}

/// A third of a fused matrix is "...attention.qkv.weight[q]".
std::string zimageName(std::string_view name) {
    return renamed(std::string(name), kZImageNames);
}

/// Each fused query, key and value becomes three runs of the same bytes, learnt tokens [1, width]
/// where GGUF has them [width].
WeightMap splitZImage(WeightMap map, const NetworkNaming& naming) {
    map.tensors.erase(naming.prefix + kUnusedNorm);
    splitThirds(map, ".attention.qkv.weight");
    for (const char* token : kPadTokens) {
        const auto found = map.tensors.find(naming.prefix + token);
        if (found != map.tensors.end() && found->second.shape.size() == 1) {
            found->second.shape.insert(found->second.shape.begin(), 1);
        }
    }
    return map;
}

/// What no shape determines is as published: axes of a head as 2, 3, 3, rotated with the base 256.
Json zimageSettings(const WeightMap& transformer) {
    constexpr int64_t kPatch = 2;
    for (const auto& [beginning, what] : kOtherModels) {
        if (hasUnder(transformer, transformer.nameInFile(beginning))) {
            throw Error(
                ErrorKind::Unsupported,
                message("{} is a Z-Image that {}, which is not built", transformer.what, what),
                message("choose z_image_turbo or z_image"));
        }
    }
    const TensorView tensors = viewOf(transformer);
    const int64_t width = tensors.size("all_x_embedder.2-1.weight", 0);
    const int64_t headWidth = tensors.size("layers.0.attention.norm_k.weight", 0);
    const auto count = [&](const char* stem) {
        return tensors.count(
            [&](const std::string& block) { return stem + block + ".attention.norm_k.weight"; });
    };
    return {{"all_patch_size", {kPatch}},
            {"all_f_patch_size", {1}},
            {"in_channels", tensors.size("all_x_embedder.2-1.weight", 1) / (kPatch * kPatch)},
            {"dim", width},
            {"n_layers", count("layers.")},
            {"n_refiner_layers", count("noise_refiner.")},
            {"n_heads", width / headWidth},
            {"cap_feat_dim", tensors.size("cap_embedder.1.weight", 1)},
            {"axes_dims", {headWidth / 4, 3 * headWidth / 8, 3 * headWidth / 8}}};
}

}  // namespace

Network zimageNetwork() {
    return {.classes = {"ZImageTransformer2DModel"},
            .models = "Z-Image",
            .find = zimageNaming,
            .evidence = "x_pad_token",
            .ownName = zimageName,
            .precise = {"x_embedder.", "final_layer.", "pad_token"},
            .file = {.layout = "zimage_denoiser",
                     .pipeline = "ZImagePipeline",
                     .split = splitZImage,
                     .settings = zimageSettings}};
}

}  // namespace lowtide::models
