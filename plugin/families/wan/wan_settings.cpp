#include "plugin/families/wan/wan_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/shape.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr int64_t kWanHeadWidth = 128;

std::string wanBlock(const std::string& block, const char* rest) {
    return "blocks." + block + rest;
}

/// One level of the encoder: the widths of its resnets, and what is behind them.
struct WanLevel {
    int64_t width = 0;
    int64_t resnets = 0;
    bool halvesFrames = false;
};

/// Of the row of resnets with a downsampler between two levels.
std::vector<WanLevel> wanLevels(const TensorView& tensors) {
    std::vector<WanLevel> levels(1);
    for (int64_t i = 0;; ++i) {
        const std::string unit = "encoder.down_blocks." + std::to_string(i);
        if (tensors.has(unit + ".conv1.weight")) {
            levels.back().width = tensors.size(unit + ".conv1.weight", 0);
            ++levels.back().resnets;
        } else if (tensors.has(unit + ".resample.1.weight")) {
            levels.back().halvesFrames = tensors.has(unit + ".time_conv.weight");
            levels.emplace_back();
        } else {
            return levels;
        }
    }
}

}  // namespace

Json wanDenoiserSettings(const TensorView& tensors) {
    const std::string patch = "patch_embedding.weight";
    const std::string condition = "condition_embedder.";
    const std::string picture = condition + "image_embedder.";
    const int64_t width = tensors.size(patch, 0);
    const Shape ofPatch = {tensors.size(patch, 2), tensors.size(patch, 3), tensors.size(patch, 4)};
    const int64_t numbers = elementCount(ofPatch).value_or(0);
    Json settings = {
        {"_class_name", "WanTransformer3DModel"},
        {"in_channels", tensors.size(patch, 1)},
        {"out_channels", tensors.size("proj_out.weight", 0) / std::max<int64_t>(numbers, 1)},
        {"patch_size", ofPatch},
        {"text_dim", tensors.size(condition + "text_embedder.linear_1.weight", 1)},
        {"freq_dim", tensors.size(condition + "time_embedder.linear_1.weight", 1)},
        {"ffn_dim", tensors.size(wanBlock("0", ".ffn.net.0.proj.weight"), 0)},
        {"num_layers", tensors.count([](const std::string& block) {
             return wanBlock(block, ".attn1.to_q.weight");
         })},
        {"cross_attn_norm", tensors.has(wanBlock("0", ".norm2.weight"))},
        {"num_attention_heads", width / kWanHeadWidth},
        {"attention_head_dim", kWanHeadWidth}};
    if (tensors.has(picture + "norm1.weight")) {
        settings["image_dim"] = tensors.size(picture + "norm1.weight", 0);
        settings["added_kv_proj_dim"] = tensors.size(wanBlock("0", ".attn2.add_k_proj.weight"), 0);
    }
    if (tensors.has(picture + "pos_embed")) {
        settings["pos_embed_seq_len"] = tensors.size(picture + "pos_embed", 1);
    }
    return settings;
}

void checkWanHeads(const Json& settings, const std::string& what, const BesideFile& beside) {
    if (settings.at("num_attention_heads") == 0) {
        throw Error(ErrorKind::Unsupported,
                    what + " is a denoiser of WAN narrower than " + std::to_string(kWanHeadWidth) +
                        ", whose heads no shape tells",
                    "state num_attention_heads and attention_head_dim of \"transformer\" in " +
                        beside.name);
    }
}

int64_t wanAutoencoderLayers(const WeightMap& file) {
    const TensorView tensors(file, [](std::string_view name) { return std::string(name); });
    return std::max<int64_t>(tensors.count([](const std::string& unit) {
        return "encoder.downsamples." + unit + ".residual.2.weight";
    }),
                             1);
}

Json wanAutoencoderSettings(const TensorView& tensors) {
    const std::vector<WanLevel> levels = wanLevels(tensors);
    const int64_t base = tensors.size("encoder.conv_in.weight", 0);
    Json widths = Json::array();
    Json halvings = Json::array();
    for (const WanLevel& level : levels) {
        widths.push_back(level.width / std::max<int64_t>(base, 1));
        halvings.push_back(level.halvesFrames);
    }
    halvings.erase(halvings.size() - 1);
    return {{"_class_name", "AutoencoderKLWan"},
            {"z_dim", tensors.size("post_quant_conv.weight", 0)},
            {"base_dim", base},
            {"decoder_base_dim", tensors.size("decoder.conv_out.weight", 1)},
            {"num_res_blocks", levels.front().resnets},
            {"dim_mult", widths},
            {"temperal_downsample", halvings}};
}

Json wanSchedule() {
    return {{"_class_name", "UniPCMultistepScheduler"},
            {"num_train_timesteps", 1000},
            {"beta_start", 0.0001},
            {"beta_end", 0.02},
            {"beta_schedule", "linear"},
            {"solver_order", 2},
            {"solver_type", "bh2"},
            {"predict_x0", true},
            {"prediction_type", "flow_prediction"},
            {"use_flow_sigmas", true},
            {"flow_shift", 3.0},
            {"lower_order_final", true},
            {"final_sigmas_type", "zero"},
            {"timestep_spacing", "linspace"}};
}

}  // namespace lowtide::models
