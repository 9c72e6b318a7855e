#include "plugin/checkpoints/single_file/ldm_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kUNetHeads = 8;
constexpr int64_t kHeadChannels = 64;

struct LdmLevel {
    int64_t channels = 0;
    std::vector<int64_t> depths;  ///< transformer layers behind each resnet; 0: no attention
    std::string attention;        ///< the names of its first one begin so; empty: it has none
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
            const std::string attention = numbered("input_blocks.", i, ".1.");
            level.channels = tensors.size(resnet, 0);
            level.depths.push_back(transformerLayersIn(tensors, attention));
            if (level.attention.empty() && level.depths.back() > 0) {
                level.attention = attention;
            }
        } else if (tensors.has(numbered("input_blocks.", i, ".0.op.weight"))) {
            levels.emplace_back();
        } else {
            return levels;
        }
    }
}

[[noreturn]] void refuseUNet(const TensorView& tensors, const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                message("{}: {}", tensors.what(), problem),
                message("choose another checkpoint"));
}

void requireEqualLengths(const TensorView& tensors, const std::vector<LdmLevel>& levels) {
    const size_t length = levels.front().depths.size();
    for (const LdmLevel& level : levels) {
        if (level.depths.empty() || level.depths.size() != length) {
            refuseUNet(
                tensors,
                message(
                    "the levels of its denoiser have {} and {} resnets, only equal ones are built",
                    length,
                    level.depths.size()));
        }
        const auto bare = std::count(level.depths.begin(), level.depths.end(), 0);
        if (bare > 0 && bare < static_cast<int64_t>(length)) {
            refuseUNet(tensors,
                       message("of {} resnets of a level {} have no attention behind them, only "
                               "all or none are built",
                               length,
                               bare));
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

/// One number where all are equal, as configs write it.
Json depthsAsStated(const std::vector<int64_t>& depths) {
    const bool isOne = std::all_of(
        depths.begin(), depths.end(), [&](int64_t depth) { return depth == depths.front(); });
    return isOne ? Json(std::max<int64_t>(depths.front(), 1)) : Json(depths);
}

constexpr const char* kMiddle = "middle_block.1.";

/// The middle of SSD-1B and Vega: one resnet alone.
bool hasSmallMiddle(const TensorView& tensors) {
    return tensors.has("middle_block.0.in_layers.2.weight") &&
           !tensors.has("middle_block.1.proj_in.weight") &&
           !tensors.has("middle_block.2.in_layers.2.weight");
}

/// Where projections and the width of the text are read: in the middle, else in the deepest level
/// with attention.
std::string someAttention(const TensorView& tensors, const std::vector<LdmLevel>& levels) {
    if (hasSmallMiddle(tensors)) {
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            if (!level->attention.empty()) {
                return level->attention;
            }
        }
    }
    return kMiddle;
}

/// Depths on the way down; the last one is also the middle's, which must agree with it.
Json depthsDown(const TensorView& tensors, const std::vector<LdmLevel>& levels) {
    Json depths = Json::array();
    for (const LdmLevel& level : levels) {
        depths.push_back(depthsAsStated(level.depths));
    }
    if (hasSmallMiddle(tensors)) {
        return depths;
    }
    const int64_t middle = transformerLayersIn(tensors, kMiddle);
    const std::vector<int64_t>& last = levels.back().depths;
    if (last.front() > 0 && middle != last.back()) {
        refuseUNet(tensors,
                   message("the middle of its denoiser has {} transformer layers, the last level "
                           "has {}; only equal ones are built",
                           middle,
                           last.back()));
    }
    if (last.front() == 0) {
        depths.back() = std::max<int64_t>(middle, 1);
    }
    return depths;
}

/// The way up: its blocks, and its depths where they are not those of the way down.
void addWayUp(const TensorView& tensors, int64_t layers, Json& settings) {
    const Json& down = settings.at("transformer_layers_per_block");
    Json reverse = Json::array();
    bool isMirror = true;
    for (size_t i = 0; i < down.size(); ++i) {
        std::vector<int64_t> depths;
        for (int64_t unit = 0; unit <= layers; ++unit) {
            const int64_t index = static_cast<int64_t>(i) * (layers + 1) + unit;
            depths.push_back(
                transformerLayersIn(tensors, numbered("output_blocks.", index, ".1.")));
        }
        const bool attends = tensors.has(numbered(
            "output_blocks.", static_cast<int64_t>(i) * (layers + 1), ".1.proj_in.weight"));
        settings["up_block_types"].push_back(attends ? "CrossAttnUpBlock2D" : "UpBlock2D");
        reverse.push_back(depthsAsStated(depths));
        isMirror = isMirror && (!attends || reverse.back() == down[down.size() - 1 - i]);
    }
    if (!isMirror) {
        settings["reverse_transformer_layers_per_block"] = std::move(reverse);
    }
}

}  // namespace

Json unetDownSettings(const TensorView& tensors) {
    const std::vector<LdmLevel> levels = levelsOf(tensors);
    requireEqualLengths(tensors, levels);
    const std::string attention = someAttention(tensors, levels);
    const bool isLinear = tensors.rank(attention + "proj_in.weight") == 2;
    const auto layers = static_cast<int64_t>(levels.front().depths.size());
    Json settings = {{"in_channels", tensors.size("input_blocks.0.0.weight", 1)},
                     {"layers_per_block", layers},
                     {"norm_num_groups", 32},
                     {"attention_head_dim", headsOf(levels, isLinear)},
                     {"use_linear_projection", isLinear},
                     {"time_embedding_dim", tensors.size("time_embed.0.weight", 0)},
                     {"cross_attention_dim",
                      tensors.size(attention + "transformer_blocks.0.attn2.to_k.weight", 1)},
                     {"transformer_layers_per_block", depthsDown(tensors, levels)}};
    for (const LdmLevel& level : levels) {
        settings["block_out_channels"].push_back(level.channels);
        settings["down_block_types"].push_back(level.attention.empty() ? "DownBlock2D"
                                                                       : "CrossAttnDownBlock2D");
    }
    if (hasSmallMiddle(tensors)) {
        settings["mid_block_type"] = "UNetMidBlock2D";
    }
    if (tensors.has("time_embed.cond_proj.weight")) {
        settings["time_cond_proj_dim"] = tensors.size("time_embed.cond_proj.weight", 1);
    }
    if (tensors.has("label_emb.0.0.weight")) {
        settings["addition_embed_type"] = "text_time";
        settings["projection_class_embeddings_input_dim"] = tensors.size("label_emb.0.0.weight", 1);
    }
    return settings;
}

Json unetSettings(const TensorView& tensors) {
    Json settings = unetDownSettings(tensors);
    settings["out_channels"] = tensors.size("out.2.weight", 0);
    addWayUp(tensors, settings.at("layers_per_block").get<int64_t>(), settings);
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

namespace {

/// Of one setting: each of `widths` must be a multiple of its divisor (the last one counts for
/// those that follow). Settings of another type are left to those who read them.
struct Divisor {
    const char* part;
    const char* key;
    Phrase meaning;
};

std::vector<int64_t> integersOf(const Json& settings, const char* key) {
    const auto value = settings.find(key);
    std::vector<int64_t> numbers;
    if (value == settings.end()) {
        return numbers;
    }
    for (const Json& entry : value->is_array() ? *value : Json::array({*value})) {
        if (entry.is_number_integer()) {
            numbers.push_back(entry.get<int64_t>());
        }
    }
    return numbers;
}

void checkDivides(const Json& settings,
                  const char* widthKey,
                  const Divisor& divisor,
                  const std::string& what,
                  const SidecarFile& sidecar) {
    const std::vector<int64_t> widths = integersOf(settings, widthKey);
    const std::vector<int64_t> numbers = integersOf(settings, divisor.key);
    for (size_t i = 0; i < widths.size() && !numbers.empty(); ++i) {
        const int64_t number = numbers[std::min(i, numbers.size() - 1)];
        if (number >= 1 && widths[i] % number == 0) {
            continue;
        }
        throw Error(
            ErrorKind::Unsupported,
            message(
                "{}: the file does not state how many {} there are, {} do not divide its widths {}",
                what,
                divisor.meaning,
                number,
                toText(widths)),
            message("state it in {} next to the file: {{\"{}\": {{\"{}\": NUMBER}}}}",
                    sidecar.name,
                    divisor.part,
                    divisor.key));
    }
}

/// SD 1.x has convolutions before its attentions; the heads of a network with matrices there and
/// its text are known of no published one.
void checkHeadsOfMatrices(const Json& settings,
                          const std::string& what,
                          const SidecarFile& sidecar) {
    constexpr int64_t kTextOfVersion1 = 768;
    constexpr const char* kHeads = "attention_head_dim";
    const Json unet = sidecar.parts.value("unet", Json::object());
    if (settings.value("use_linear_projection", Json()) == true &&
        settings.value("cross_attention_dim", Json()) == kTextOfVersion1 &&
        !unet.contains(kHeads)) {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: its denoiser reads texts of SD 1.x and has matrices where SD 1.x has "
                    "convolutions (proj_in); the file does not state how many attention heads "
                    "there are",
                    what),
            message("state it in {} next to the file: {{\"unet\": {{\"{}\": NUMBER}}}}",
                    sidecar.name,
                    kHeads));
    }
}

}  // namespace

void checkUNetConstants(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    for (const Divisor& divisor :
         {Divisor{"unet", "norm_num_groups", phrase("norm groups")},
          Divisor{"unet", "attention_head_dim", phrase("attention heads")}}) {
        checkDivides(settings, "block_out_channels", divisor, what, sidecar);
    }
    checkHeadsOfMatrices(settings, what, sidecar);
}

void checkAutoencoderConstants(const Json& settings,
                               const std::string& what,
                               const SidecarFile& sidecar) {
    const Divisor groups{"vae", "norm_num_groups", phrase("norm groups of the autoencoder")};
    checkDivides(settings, "block_out_channels", groups, what, sidecar);
}

void checkTextConstants(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    const Divisor heads{
        "text_encoder", "num_attention_heads", phrase("attention heads of the text encoder")};
    checkDivides(settings, "hidden_size", heads, what, sidecar);
}

namespace {

constexpr const char* kVisionPrefix = "vision_model.";
constexpr const char* kVisionProjection = "visual_projection.weight";

/// The settings of a tower that its shapes determine, with those that they do not.
struct KnownTower {
    int64_t width;
    int64_t heads;
    const char* activation;
};

constexpr KnownTower kKnownTowers[] = {
    {1024, 16, "quick_gelu"},  // ViT-L
    {1280, 16, "gelu"},        // ViT-H
    {1664, 16, "gelu"},        // ViT-bigG
};

const Shape& shapeIn(const WeightMap& file, const std::string& name, size_t dimensions) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.shape.size() != dimensions) {
        throw Error(
            ErrorKind::Unsupported,
            message(
                "{} is no image encoder that is built: it has no tensor \"{}\" of {} dimensions",
                file.what,
                name,
                dimensions),
            message("choose a CLIP vision tower in the names of transformers (ViT-H or ViT-bigG)"));
    }
    return found->second.shape;
}

}  // namespace

Json clipVisionSettings(const WeightMap& file) {
    const std::string prefix = kVisionPrefix;
    const Shape& patch = shapeIn(file, prefix + "embeddings.patch_embedding.weight", 4);
    const Shape& positions = shapeIn(file, prefix + "embeddings.position_embedding.weight", 2);
    const Shape& inner = shapeIn(file, prefix + "encoder.layers.0.mlp.fc1.weight", 2);
    const auto* known = std::find_if(std::begin(kKnownTowers),
                                     std::end(kKnownTowers),
                                     [&](const auto& tower) { return tower.width == patch[0]; });
    int64_t layers = 0;
    while (file.tensors.contains(prefix + "encoder.layers." + std::to_string(layers) +
                                 ".layer_norm1.weight")) {
        ++layers;
    }
    const auto side = static_cast<int64_t>(
        std::llround(std::sqrt(static_cast<double>(std::max<int64_t>(positions[0] - 1, 0)))));
    Json settings = {{"image_size", elementCount(Shape{side, patch[3]}).value_or(0)},
                     {"patch_size", patch[3]},
                     {"hidden_size", patch[0]},
                     {"intermediate_size", inner[0]},
                     {"num_hidden_layers", layers}};
    if (known != std::end(kKnownTowers)) {
        settings["num_attention_heads"] = known->heads;
        settings["hidden_act"] = known->activation;
    }
    if (file.tensors.contains(kVisionProjection)) {
        settings["projection_dim"] = shapeIn(file, kVisionProjection, 2)[0];
    }
    return settings;
}

void checkVisionHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    if (!settings.contains("num_attention_heads")) {
        throw Error(
            ErrorKind::Unsupported,
            message("{} is an image encoder {} wide, whose number of heads no shape determines",
                    what,
                    settings.at("hidden_size").dump()),
            message("state num_attention_heads and hidden_act of \"image_encoder\" in {}, "
                    "or put it into a folder with its config.json",
                    sidecar.name));
    }
}

}  // namespace lowtide::models
