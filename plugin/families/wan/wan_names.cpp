#include "plugin/families/wan/wan_names.hpp"

#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/renames.hpp"

#include <vector>

namespace lowtide::models {

namespace {

constexpr std::string_view kWanArchitecture = "wan";

constexpr std::pair<std::string_view, std::string_view> kWanBlockParts[] = {
    {".scale_shift_table", ".modulation"},
    {".norm2.", ".norm3."},
    {".attn1.", ".self_attn."},
    {".attn2.", ".cross_attn."},
    {".to_q.", ".q."},
    {".to_k.", ".k."},
    {".to_v.", ".v."},
    {".to_out.0.", ".o."},
    {".add_k_proj.", ".k_img."},
    {".add_v_proj.", ".v_img."},
    {".norm_added_k.", ".norm_k_img."},
    {".ffn.net.0.proj.", ".ffn.0."},
    {".ffn.net.2.", ".ffn.2."},
};

constexpr std::pair<std::string_view, std::string_view> kWanEnds[] = {
    {"condition_embedder.time_embedder.linear_1.", "time_embedding.0."},
    {"condition_embedder.time_embedder.linear_2.", "time_embedding.2."},
    {"condition_embedder.time_proj.", "time_projection.1."},
    {"condition_embedder.text_embedder.linear_1.", "text_embedding.0."},
    {"condition_embedder.text_embedder.linear_2.", "text_embedding.2."},
    {"condition_embedder.image_embedder.norm1.", "img_emb.proj.0."},
    {"condition_embedder.image_embedder.ff.net.0.proj.", "img_emb.proj.1."},
    {"condition_embedder.image_embedder.ff.net.2.", "img_emb.proj.3."},
    {"condition_embedder.image_embedder.norm2.", "img_emb.proj.4."},
    {"condition_embedder.image_embedder.pos_embed", "img_emb.emb_pos"},
    {"scale_shift_table", "head.modulation"},
    {"proj_out.", "head.head."},
};

constexpr std::pair<std::string_view, std::string_view> kWanResnetParts[] = {
    {".norm1.", ".residual.0."},
    {".conv1.", ".residual.2."},
    {".norm2.", ".residual.3."},
    {".conv2.", ".residual.6."},
    {".conv_shortcut.", ".shortcut."},
};

constexpr std::pair<std::string_view, std::string_view> kWanAutoencoderParts[] = {
    {"post_quant_conv.", "conv2."},
    {"quant_conv.", "conv1."},
    {"conv_in.", "conv1."},
    {"mid_block.resnets.0.", "middle.0."},
    {"mid_block.attentions.0.", "middle.1."},
    {"mid_block.resnets.1.", "middle.2."},
    {"norm_out.", "head.0."},
    {"conv_out.", "head.2."},
    {"down_blocks.", "downsamples."},
};

/// Resnets and upsamplers of all levels in one row: a level has one resnet more than on the way
/// down, and an upsampler.
std::string inOneRow(const std::string& name, int64_t layers) {
    constexpr std::string_view kUp = "decoder.up_blocks.";
    constexpr size_t kRest = 5;  // behind "decoder.up_blocks.<level>.<kind>.<unit>"
    const std::vector<std::string> parts = split(name, '.');
    if (!name.starts_with(kUp) || parts.size() <= kRest) {
        return name;
    }
    const bool isResnet = parts[3] == "resnets";
    const int64_t unit =
        std::stoll(parts[2]) * (layers + 2) + (isResnet ? std::stoll(parts[4]) : layers + 1);
    return "decoder.upsamples." + std::to_string(unit) + "." +
           join(std::span(parts).subspan(kRest), ".");
}

}  // namespace

std::optional<NetworkNaming> wanNaming(const WeightMap& file) {
    const auto has = [&](const std::string& name) { return file.tensors.contains(name); };
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        if (has(prefix + "blocks.0.self_attn.norm_q.weight") &&
            has(prefix + "blocks.0.cross_attn.q.weight") && has(prefix + "head.modulation")) {
            return NetworkNaming{.prefix = prefix, .architecture = kWanArchitecture};
        }
    }
    const bool isOfDiffusers = has("blocks.0.scale_shift_table") &&
                               has("blocks.0.attn2.norm_k.weight") &&
                               has("condition_embedder.time_proj.weight");
    return isOfDiffusers ? std::optional(NetworkNaming{
                               .prefix = {}, .isOwn = false, .architecture = kWanArchitecture})
                         : std::nullopt;
}

std::optional<bool> isHighNoise(std::string_view fileName) {
    std::string plain = toLower(fileName);
    std::erase_if(plain, [](char letter) { return letter == '-' || letter == '_'; });
    const bool isOf22 = plain.find("2.2") != plain.npos || plain.find("wan22") != plain.npos;
    const auto has = [&](const std::string& word) {
        return plain.find(word + "noise") != plain.npos ||
               (isOf22 && plain.find(word) != plain.npos);
    };
    const bool isHigh = has("high");
    return isHigh == has("low") ? std::nullopt : std::optional(isHigh);
}

std::string wanDenoiserName(std::string_view name) {
    return renamed(std::string(name),
                   name.starts_with("blocks.") ? Renames(kWanBlockParts) : Renames(kWanEnds));
}

std::string wanAutoencoderName(std::string_view name, int64_t layers) {
    return inOneRow(renamed(renamed(std::string(name), kWanResnetParts), kWanAutoencoderParts),
                    layers);
}

}  // namespace lowtide::models
