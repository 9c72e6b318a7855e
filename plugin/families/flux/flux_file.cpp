#include "plugin/families/flux/flux_file.hpp"

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"

#include <functional>
#include <utility>

namespace lowtide::models {

namespace {

/// Source: diffusers 0.42.1, convert_flux_transformer_checkpoint_to_diffusers. Of single blocks
/// first: their names hold those of the others.
constexpr std::pair<std::string_view, std::string_view> kFluxSingleNames[] = {
    {"single_transformer_blocks.", "single_blocks."},
    {".norm.linear.", ".modulation.lin."},
    {".attn.norm_q.weight", ".norm.query_norm.scale"},
    {".attn.norm_k.weight", ".norm.key_norm.scale"},
    {".attn.to_q.weight", ".linear1.weight[q]"},
    {".attn.to_k.weight", ".linear1.weight[k]"},
    {".attn.to_v.weight", ".linear1.weight[v]"},
    {".proj_mlp.weight", ".linear1.weight[3]"},
    {".attn.to_q.bias", ".linear1.bias[q]"},
    {".attn.to_k.bias", ".linear1.bias[k]"},
    {".attn.to_v.bias", ".linear1.bias[v]"},
    {".proj_mlp.bias", ".linear1.bias[3]"},
    {".proj_out.", ".linear2."},
};
constexpr std::pair<std::string_view, std::string_view> kFluxDoubleNames[] = {
    {"transformer_blocks.", "double_blocks."},
    {".norm1.linear.", ".img_mod.lin."},
    {".norm1_context.linear.", ".txt_mod.lin."},
    {".attn.norm_q.weight", ".img_attn.norm.query_norm.scale"},
    {".attn.norm_k.weight", ".img_attn.norm.key_norm.scale"},
    {".attn.norm_added_q.weight", ".txt_attn.norm.query_norm.scale"},
    {".attn.norm_added_k.weight", ".txt_attn.norm.key_norm.scale"},
    {".attn.to_q.weight", ".img_attn.qkv.weight[q]"},
    {".attn.to_k.weight", ".img_attn.qkv.weight[k]"},
    {".attn.to_v.weight", ".img_attn.qkv.weight[v]"},
    {".attn.to_q.bias", ".img_attn.qkv.bias[q]"},
    {".attn.to_k.bias", ".img_attn.qkv.bias[k]"},
    {".attn.to_v.bias", ".img_attn.qkv.bias[v]"},
    {".attn.add_q_proj.weight", ".txt_attn.qkv.weight[q]"},
    {".attn.add_k_proj.weight", ".txt_attn.qkv.weight[k]"},
    {".attn.add_v_proj.weight", ".txt_attn.qkv.weight[v]"},
    {".attn.add_q_proj.bias", ".txt_attn.qkv.bias[q]"},
    {".attn.add_k_proj.bias", ".txt_attn.qkv.bias[k]"},
    {".attn.add_v_proj.bias", ".txt_attn.qkv.bias[v]"},
    {".attn.to_out.0.", ".img_attn.proj."},
    {".attn.to_add_out.", ".txt_attn.proj."},
    {".ff.net.0.proj.", ".img_mlp.0."},
    {".ff.net.2.", ".img_mlp.2."},
    {".ff_context.net.0.proj.", ".txt_mlp.0."},
    {".ff_context.net.2.", ".txt_mlp.2."},
};
constexpr std::pair<std::string_view, std::string_view> kFluxOuterNames[] = {
    {"x_embedder.", "img_in."},
    {"context_embedder.", "txt_in."},
    {"time_text_embed.timestep_embedder.", "time_in."},
    {"time_text_embed.guidance_embedder.", "guidance_in."},
    {"time_text_embed.text_embedder.", "vector_in."},
    {"linear_1.", "in_layer."},
    {"linear_2.", "out_layer."},
    {"norm_out.shift.weight", "final_layer.adaLN_modulation.1.weight[0]"},
    {"norm_out.scale.weight", "final_layer.adaLN_modulation.1.weight[1]"},
    {"norm_out.shift.bias", "final_layer.adaLN_modulation.1.bias[0]"},
    {"norm_out.scale.bias", "final_layer.adaLN_modulation.1.bias[1]"},
    {"proj_out.", "final_layer.linear."},
};
constexpr std::pair<std::string_view, std::string_view> kFluxOfDiffusers[] = {
    {"norm_out.scale.weight", "norm_out.linear.weight[0]"},
    {"norm_out.shift.weight", "norm_out.linear.weight[1]"},
    {"norm_out.scale.bias", "norm_out.linear.bias[0]"},
    {"norm_out.shift.bias", "norm_out.linear.bias[1]"},
};
/// Source: diffusers 0.42.1, _convert_xlabs_flux_lora_to_diffusers.
constexpr std::pair<std::string_view, std::string_view> kFluxDoublesOfXLabs[] = {
    {"transformer_blocks.", "double_blocks."},
    {".attn.to_q.weight", ".processor.qkv_lora1.weight[q]"},
    {".attn.to_k.weight", ".processor.qkv_lora1.weight[k]"},
    {".attn.to_v.weight", ".processor.qkv_lora1.weight[v]"},
    {".attn.add_q_proj.weight", ".processor.qkv_lora2.weight[q]"},
    {".attn.add_k_proj.weight", ".processor.qkv_lora2.weight[k]"},
    {".attn.add_v_proj.weight", ".processor.qkv_lora2.weight[v]"},
    {".attn.to_out.0.weight", ".processor.proj_lora1.weight"},
    {".attn.to_add_out.weight", ".processor.proj_lora2.weight"},
};
/// What ends in "_lora" there is the ending of a factor's name.
constexpr std::pair<std::string_view, std::string_view> kFluxSinglesOfXLabs[] = {
    {"single_transformer_blocks.", "single_blocks."},
    {".attn.to_q.weight", ".processor.qkv.weight[q]"},
    {".attn.to_k.weight", ".processor.qkv.weight[k]"},
    {".attn.to_v.weight", ".processor.qkv.weight[v]"},
    {".proj_out.weight", ".processor.proj.weight"},
};
constexpr std::string_view kFluxArchitecture = "flux";
constexpr std::string_view kFluxSingles = "single_transformer_blocks.";
constexpr std::string_view kFluxDoubles = "transformer_blocks.";
constexpr const char* kFluxOutputOfDiffusers = "norm_out.linear.";
/// Chroma has FLUX's blocks and moves them by a network of its own.
constexpr const char* kChromaPart = "distilled_guidance_layer.";

constexpr const char* kWeightAndBias[] = {"weight", "bias"};

/// A matrix's rows in two halves, "NAME[0]" and "NAME[1]".
void splitFluxHalves(WeightMap& map, const std::string& stem) {
    for (const char* kind : kWeightAndBias) {
        const auto whole = map.tensors.find(stem + kind);
        if (whole != map.tensors.end() && !whole->second.shape.empty() &&
            whole->second.shape[0] % 2 == 0) {
            const int64_t half = whole->second.shape[0] / 2;
            splitRows(map, std::string(whole->first), {{"[0]", half}, {"[1]", half}});
        }
    }
}

/// Query, key and value of a single block, and what the feed-forward layer begins with.
void splitFluxSingles(WeightMap& map, const std::string& prefix) {
    for (int64_t block = 0;; ++block) {
        const std::string stem = prefix + "single_blocks." + std::to_string(block) + ".";
        const auto out = map.tensors.find(stem + "linear2.weight");
        if (out == map.tensors.end() || out->second.shape.empty()) {
            return;
        }
        const int64_t width = out->second.shape[0];
        for (const char* kind : kWeightAndBias) {
            const std::string name = stem + "linear1." + kind;
            const auto fused = map.tensors.find(name);
            if (fused != map.tensors.end() && !fused->second.shape.empty() &&
                fused->second.shape[0] > 3 * width) {
                splitRows(map,
                          name,
                          {{"[q]", width},
                           {"[k]", width},
                           {"[v]", width},
                           {"[3]", fused->second.shape[0] - 3 * width}});
            }
        }
    }
}

/// Behind a prefix, in its authors' words (Black Forest Labs, ComfyUI, GGUF) or in diffusers'.
std::optional<NetworkNaming> fluxNaming(const WeightMap& file) {
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        const auto has = [&](const char* name) { return file.tensors.contains(prefix + name); };
        // ControlNets of XLabs have the first of these names, and nothing behind their blocks.
        if (has("double_blocks.0.img_attn.qkv.weight") && has("img_in.weight") &&
            has("vector_in.in_layer.weight") && has("final_layer.linear.weight") &&
            !hasUnder(file, prefix + kChromaPart)) {
            return NetworkNaming{.prefix = prefix, .architecture = kFluxArchitecture};
        }
        if (has("transformer_blocks.0.attn.add_q_proj.weight") && has("context_embedder.weight") &&
            has("time_text_embed.text_embedder.linear_1.weight") &&
            has("transformer_blocks.0.norm1_context.linear.weight") &&
            has("norm_out.linear.weight") && !has("pos_embed.proj.weight")) {
            return NetworkNaming{
                .prefix = prefix, .isOwn = false, .architecture = kFluxArchitecture};
        }
    }
    return std::nullopt;
}

}  // namespace

std::string fluxName(std::string_view name) {
    if (name.starts_with(kFluxSingles)) {
        return renamed(std::string(name), kFluxSingleNames);
    }
    return renamed(
        std::string(name),
        name.starts_with(kFluxDoubles) ? Renames(kFluxDoubleNames) : Renames(kFluxOuterNames));
}

std::string fluxDiffusersName(std::string_view name) {
    return renamed(std::string(name), kFluxOfDiffusers);
}

std::string fluxXLabsName(std::string_view name) {
    if (!name.starts_with(kFluxDoubles) && !name.starts_with(kFluxSingles)) {
        return std::string(name);
    }
    std::string own = renamed(std::string(name),
                              name.starts_with(kFluxDoubles) ? Renames(kFluxDoublesOfXLabs)
                                                             : Renames(kFluxSinglesOfXLabs));
    return own.find(".processor.") == own.npos ? std::string(name) : own;
}

WeightMap withFluxOutputParts(WeightMap map) {
    std::function<std::string(std::string_view)> inFile = map.nameInFile;
    if (!inFile) {
        inFile = [](std::string_view name) { return std::string(name); };
    }
    const std::string stem = inFile(kFluxOutputOfDiffusers);
    if (map.tensors.contains(stem + kWeightAndBias[0])) {
        splitFluxHalves(map, stem);
        map.nameInFile = [inFile](std::string_view name) {
            return inFile(fluxDiffusersName(name));
        };
    }
    return map;
}

namespace {

/// Fused matrices become runs of the same bytes.
WeightMap splitFlux(WeightMap map, const NetworkNaming& naming) {
    if (!naming.isOwn) {
        return withFluxOutputParts(std::move(map));
    }
    for (const char* kind : kWeightAndBias) {
        splitThirds(map, std::string("_attn.qkv.") + kind);
    }
    splitFluxSingles(map, naming.prefix);
    splitFluxHalves(map, naming.prefix + "final_layer.adaLN_modulation.1.");
    return map;
}

/// What no shape determines is as published: the axes of a head as 2, 7, 7.
Json fluxSettings(const WeightMap& transformer) {
    const TensorView tensors = viewOf(transformer);
    const int64_t width = tensors.size("x_embedder.weight", 0);
    const int64_t headWidth = tensors.size("transformer_blocks.0.attn.norm_q.weight", 0);
    const auto count = [&](std::string_view stem) {
        return tensors.count([&](const std::string& block) {
            return std::string(stem) + block + ".attn.norm_q.weight";
        });
    };
    return {
        {"patch_size", 1},
        {"in_channels", tensors.size("x_embedder.weight", 1)},
        {"out_channels", tensors.size("proj_out.weight", 0)},
        {"num_layers", count(kFluxDoubles)},
        {"num_single_layers", count(kFluxSingles)},
        {"attention_head_dim", headWidth},
        {"num_attention_heads", headWidth > 0 ? width / headWidth : 0},
        {"joint_attention_dim", tensors.size("context_embedder.weight", 1)},
        {"pooled_projection_dim", tensors.size("time_text_embed.text_embedder.linear_1.weight", 1)},
        {"guidance_embeds", tensors.has("time_text_embed.guidance_embedder.linear_1.weight")},
        {"axes_dims_rope", {headWidth / 8, 7 * headWidth / 16, 7 * headWidth / 16}}};
}

/// As published with dev, whose shift follows the size of the image, and with schnell, which
/// has none. Source: scheduler/scheduler_config.json of both.
Json fluxSchedule(const Json& settings) {
    const bool isDistilledForGuidance = settings.at("guidance_embeds") == true;
    return {{"_class_name", "FlowMatchEulerDiscreteScheduler"},
            {"num_train_timesteps", 1000},
            {"shift", isDistilledForGuidance ? 3.0 : 1.0},
            {"use_dynamic_shifting", isDistilledForGuidance},
            {"base_shift", 0.5},
            {"max_shift", 1.15},
            {"base_image_seq_len", 256},
            {"max_image_seq_len", 4096}};
}

std::string labelFluxDenoiser(Checkpoint& opened) {
    const char* file = "transformer/config.json";
    const bool embedsGuidance = JsonReader(opened.readJson(file), opened.name() + "/" + file)
                                    .boolean("guidance_embeds")
                                    .value_or(false);
    return fluxLabel(embedsGuidance);
}

}  // namespace

Network fluxNetwork() {
    return {.classes = {"FluxTransformer2DModel"},
            .models = "FLUX.1",
            .find = fluxNaming,
            .evidence = "double_blocks.0.img_attn.qkv.weight",
            .ownName = fluxName,
            .otherNames = {fluxDiffusersName, fluxXLabsName},
            .precise = {"img_in.",
                        "txt_in.",
                        "time_in.",
                        "vector_in.",
                        "guidance_in.",
                        "final_layer.",
                        "x_embedder.",
                        "context_embedder.",
                        "time_text_embed.",
                        "norm_out."},
            .file = {.layout = "flux_denoiser",
                     .pipeline = "FluxPipeline",
                     .split = splitFlux,
                     .settings = fluxSettings,
                     .scheduler = fluxSchedule,
                     .label = labelFluxDenoiser}};
}

}  // namespace lowtide::models
