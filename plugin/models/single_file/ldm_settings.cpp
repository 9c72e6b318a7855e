#include "plugin/models/single_file/ldm_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"

#include <algorithm>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kUNetHeads = 8;
constexpr int64_t kHeadChannels = 64;

struct LdmLevel {
    int64_t channels = 0;
    int64_t layers = 0;
    int64_t transformerLayers = 0;  ///< 0: no attention
};

std::string numbered(const char* list, int64_t index, const char* rest) {
    return std::string(list) + std::to_string(index) + rest;
}

int64_t transformerLayersIn(const TensorView& tensors, const std::string& attention) {
    return tensors.count([&](const std::string& layer) {
        return attention + "transformer_blocks." + layer + ".norm1.weight";
    });
}

/// The way down: resnets with or without attention, a downsampler between two levels.
std::vector<LdmLevel> levelsOf(const TensorView& tensors) {
    std::vector<LdmLevel> levels(1);
    for (int64_t i = 1;; ++i) {
        const std::string resnet = numbered("input_blocks.", i, ".0.in_layers.2.weight");
        if (tensors.has(resnet)) {
            LdmLevel& level = levels.back();
            level.channels = tensors.size(resnet, 0);
            level.layers += 1;
            level.transformerLayers =
                transformerLayersIn(tensors, numbered("input_blocks.", i, ".1."));
        } else if (tensors.has(numbered("input_blocks.", i, ".0.op.weight"))) {
            levels.emplace_back();
        } else {
            return levels;
        }
    }
}

void requireEqualLengths(const TensorView& tensors, const std::vector<LdmLevel>& levels) {
    for (const LdmLevel& level : levels) {
        if (level.layers == 0 || level.layers != levels.front().layers) {
            throw Error(ErrorKind::Unsupported,
                        tensors.what() + ": the levels of its denoiser have " +
                            std::to_string(levels.front().layers) + " and " +
                            std::to_string(level.layers) + " resnets, only equal ones are built",
                        "choose another checkpoint");
        }
    }
}

Json headsOf(const std::vector<LdmLevel>& levels, bool isLinear) {
    if (!isLinear) {
        return kUNetHeads;
    }
    Json heads = Json::array();
    for (const LdmLevel& level : levels) {
        heads.push_back(std::max<int64_t>(level.channels / kHeadChannels, 1));
    }
    return heads;
}

}  // namespace

Json unetSettings(const TensorView& tensors) {
    const std::vector<LdmLevel> levels = levelsOf(tensors);
    requireEqualLengths(tensors, levels);
    const std::string mid = "middle_block.1.";
    const bool isLinear = tensors.rank(mid + "proj_in.weight") == 2;
    const int64_t layers = levels.front().layers;
    Json settings = {
        {"in_channels", tensors.size("input_blocks.0.0.weight", 1)},
        {"out_channels", tensors.size("out.2.weight", 0)},
        {"layers_per_block", layers},
        {"norm_num_groups", 32},
        {"attention_head_dim", headsOf(levels, isLinear)},
        {"use_linear_projection", isLinear},
        {"time_embedding_dim", tensors.size("time_embed.0.weight", 0)},
        {"cross_attention_dim", tensors.size(mid + "transformer_blocks.0.attn2.to_k.weight", 1)}};
    for (size_t i = 0; i < levels.size(); ++i) {
        const bool isLast = i + 1 == levels.size();
        const int64_t own = levels[i].transformerLayers;
        const int64_t depth = isLast ? transformerLayersIn(tensors, mid) : own;
        settings["block_out_channels"].push_back(levels[i].channels);
        settings["transformer_layers_per_block"].push_back(std::max<int64_t>(depth, 1));
        settings["down_block_types"].push_back(own > 0 ? "CrossAttnDownBlock2D" : "DownBlock2D");
        const auto up = static_cast<int64_t>(i) * (layers + 1);
        const bool attends = tensors.has(numbered("output_blocks.", up, ".1.proj_in.weight"));
        settings["up_block_types"].push_back(attends ? "CrossAttnUpBlock2D" : "UpBlock2D");
    }
    if (tensors.has("time_embed.cond_proj.weight")) {
        settings["time_cond_proj_dim"] = tensors.size("time_embed.cond_proj.weight", 1);
    }
    return settings;
}

LdmUNetLayout unetLayout(const Json& settings) {
    LdmUNetLayout layout{.layers = settings.at("layers_per_block").get<int64_t>(),
                         .attentionUpBlocks = {}};
    int64_t block = 0;
    for (const Json& kind : settings.at("up_block_types")) {
        if (kind == "CrossAttnUpBlock2D") {
            layout.attentionUpBlocks.insert(block);
        }
        ++block;
    }
    return layout;
}

int64_t autoencoderLevels(const TensorView& tensors) {
    return tensors.count([](const std::string& level) {
        return "encoder.down_blocks." + level + ".resnets.0.conv1.weight";
    });
}

Json autoencoderSettings(const TensorView& tensors) {
    const int64_t levels = autoencoderLevels(tensors);
    const int64_t layers = tensors.count([](const std::string& layer) {
        return "encoder.down_blocks.0.resnets." + layer + ".conv1.weight";
    });
    Json settings = {{"latent_channels", tensors.size("decoder.conv_in.weight", 1)},
                     {"layers_per_block", layers},
                     {"norm_num_groups", 32},
                     {"use_quant_conv", tensors.has("quant_conv.weight")},
                     {"use_post_quant_conv", tensors.has("post_quant_conv.weight")},
                     {"mid_block_add_attention",
                      tensors.has("encoder.mid_block.attentions.0.group_norm.weight")}};
    for (int64_t i = 0; i < std::max<int64_t>(levels, 1); ++i) {  // the first must be there
        settings["block_out_channels"].push_back(
            tensors.size(numbered("encoder.down_blocks.", i, ".resnets.0.conv1.weight"), 0));
        settings["down_block_types"].push_back("DownEncoderBlock2D");
        settings["up_block_types"].push_back("UpDecoderBlock2D");
    }
    return settings;
}

Json textEncoderSettings(const TensorView& tensors, bool isOpenClip) {
    const bool isWrapped = tensors.has("text_model.embeddings.token_embedding.weight");
    const std::string prefix = isWrapped ? "text_model." : "";
    const std::string tokens = prefix + "embeddings.token_embedding.weight";
    const int64_t width = tensors.size(tokens, 1);
    return {{"vocab_size", tensors.size(tokens, 0)},
            {"hidden_size", width},
            {"max_position_embeddings",
             tensors.size(prefix + "embeddings.position_embedding.weight", 0)},
            {"intermediate_size", tensors.size(prefix + "encoder.layers.0.mlp.fc1.weight", 0)},
            {"num_hidden_layers", tensors.count([&](const std::string& layer) {
                 return prefix + "encoder.layers." + layer + ".mlp.fc1.weight";
             })},
            {"num_attention_heads", std::max<int64_t>(width / kHeadChannels, 1)},
            {"hidden_act", isOpenClip ? "gelu" : "quick_gelu"},
            {"eos_token_id", 2}};
}

}  // namespace lowtide::models
