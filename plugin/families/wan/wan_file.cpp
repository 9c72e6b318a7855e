#include "plugin/families/wan/wan_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
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

/// In WAN's own words, behind a prefix or not, or in diffusers'.
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

}  // namespace

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

namespace {

/// "blocks.0.attn1.to_q.weight" -> "blocks.0.self_attn.q.weight". Source: Wan 2.1
/// wan/modules/model.py; diffusers' convert_wan_to_diffusers.py.
std::string wanDenoiserName(std::string_view name) {
    return renamed(std::string(name),
                   name.starts_with("blocks.") ? Renames(kWanBlockParts) : Renames(kWanEnds));
}

/// "decoder.up_blocks.1.resnets.0.norm1.gamma" -> "decoder.upsamples.4.residual.0.gamma" of an
/// autoencoder with `layers` resnets for each level on the way down. Source: wan/modules/vae.py.
std::string wanAutoencoderName(std::string_view name, int64_t layers) {
    return inOneRow(renamed(renamed(std::string(name), kWanResnetParts), kWanAutoencoderParts),
                    layers);
}

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

/// Heads are 128 wide, as in every WAN that was published.
Json wanDenoiserSettings(const WeightMap& transformer) {
    const TensorView tensors = viewOf(transformer);
    const std::string patch = "patch_embedding.weight";
    const std::string condition = "condition_embedder.";
    const std::string image = condition + "image_embedder.";
    const int64_t width = tensors.size(patch, 0);
    const Shape ofPatch = {tensors.size(patch, 2), tensors.size(patch, 3), tensors.size(patch, 4)};
    const int64_t numbers = elementCount(ofPatch).value_or(0);
    Json settings = {
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
    if (tensors.has(image + "norm1.weight")) {
        settings["image_dim"] = tensors.size(image + "norm1.weight", 0);
        settings["added_kv_proj_dim"] = tensors.size(wanBlock("0", ".attn2.add_k_proj.weight"), 0);
    }
    if (tensors.has(image + "pos_embed")) {
        settings["pos_embed_seq_len"] = tensors.size(image + "pos_embed", 1);
    }
    return settings;
}

/// Refuses a denoiser whose number of heads no shape determines, as long as nobody states them.
void checkWanHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    if (settings.at("num_attention_heads") == 0) {
        throw Error(
            ErrorKind::Unsupported,
            message("{} is a denoiser of WAN narrower than {}, whose number of heads no shape "
                    "determines",
                    what,
                    kWanHeadWidth),
            message("state num_attention_heads and attention_head_dim of \"transformer\" in {}",
                    sidecar.name));
    }
}

/// Resnets of a level on the way down, of an autoencoder in WAN's names; 1 for what is none.
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

/// The scheduler_config.json of WAN 2.1's pipelines: UniPC over its flow.
Json wanSchedule(const Json&) {
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

/// It takes latents alone, or a mask and the latents of a video that begins with an image too.
const char* wanPipelineOf(const Json& settings) {
    return settings.at("in_channels") == settings.at("out_channels") ? "WanPipeline"
                                                                     : "WanImageToVideoPipeline";
}

bool startsWithImage(Checkpoint& opened) {
    return opened.pipelineClass() != "WanPipeline";
}

/// Those of 2.1 that begin with an image read it, too.
bool isImageOf22(Checkpoint& opened) {
    return startsWithImage(opened) &&
           opened.readJson("transformer/config.json").value("image_dim", Json()).is_null();
}

std::string labelWanDenoiser(Checkpoint& opened) {
    const std::optional<bool> isHigh = isHighNoise(opened.name());
    const std::string noise = !isHigh ? "" : *isHigh ? ", high noise" : ", low noise";
    const std::string version = isImageOf22(opened) || isHigh ? "WAN 2.2 "
                                : startsWithImage(opened)     ? "WAN 2.1 "
                                                              : "WAN ";  // 2.2 looks like 2.1
    return version + (startsWithImage(opened) ? "image to video" : "text to video") + noise;
}

Message otherWanDenoiser(Checkpoint& opened) {
    if (const std::optional<bool> isHigh = isHighNoise(opened.name())) {
        return *isHigh ? message("the low-noise model") : message("the high-noise model");
    }
    return isImageOf22(opened) ? message("the other of its two models (high noise, low noise)")
                               : Message();
}

}  // namespace

Network wanNetwork() {
    return {.classes = {"WanTransformer3DModel"},
            .models = "WAN",
            .find = wanNaming,
            .evidence = "head.modulation",
            .ownName = wanDenoiserName,
            .precise = {"head.", ".modulation", "scale_shift_table"},
            .file = {.layout = "wan_denoiser",
                     .pipelineOf = wanPipelineOf,
                     .settings = wanDenoiserSettings,
                     .check = checkWanHeads,
                     .scheduler = wanSchedule,
                     .label = labelWanDenoiser,
                     .other = otherWanDenoiser}};
}

namespace {

constexpr size_t kAxesOfVideo = 5;

bool hasWanNames(const WeightMap& file) {
    return file.tensors.contains("decoder.middle.0.residual.0.gamma");
}

/// In diffusers' names, which autoencoders of images have too.
bool hasVideoConvolutions(const WeightMap& file) {
    const auto input = file.tensors.find("decoder.conv_in.weight");
    return input != file.tensors.end() && input->second.shape.size() == kAxesOfVideo &&
           file.tensors.contains("decoder.mid_block.resnets.0.norm1.gamma");
}

double detectWanAutoencoder(const ModelSource& source) {
    const bool isThere = source.header && (hasWanNames(source.header->map) ||
                                           hasVideoConvolutions(source.header->map));
    return isThere ? 0.5 : 0;
}

/// Its levels are blocks with ways around them.
void refuseLaterAutoencoder(const ModelSource& source) {
    const WeightMap& file = source.header->map;
    if (hasUnder(file, "encoder.downsamples.0.downsamples.") ||
        hasUnder(file, "encoder.down_blocks.0.resnets.")) {
        throw Error(
            ErrorKind::Unsupported,
            message("{} is the autoencoder of WAN 2.2 5B, which is not built", source.path.name),
            message("choose the autoencoder of WAN 2.1"));
    }
}

WeightMap wanAutoencoderMap(const WeightMap& file) {
    return hasWanNames(file)
               ? wholeMap(file,
                          [layers = wanAutoencoderLayers(file)](std::string_view name) {
                              return wanAutoencoderName(name, layers);
                          })
               : wholeMap(file, [](std::string_view name) { return std::string(name); });
}

std::unique_ptr<Checkpoint> openWanAutoencoderFile(ModelSource source,
                                                   const std::string& resourcesFolder) {
    refuseLaterAutoencoder(source);
    const SharedHeader file = sharedHeader(source);
    FileParts parts;
    const Json stated = configInFolder(source.path.path, "AutoencoderKLWan", parts.files);
    parts.networks["vae"] = {.className = "AutoencoderKLWan",
                             .settings =
                                 [file, stated] {
                                     const WeightMap map = wanAutoencoderMap(file->map);
                                     Json settings = wanAutoencoderSettings(viewOf(map));
                                     settings.update(stated);
                                     return settings;
                                 },
                             .weights = [file] { return wanAutoencoderMap(file->map); }};
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelWanAutoencoder(Checkpoint&) {
    return "WAN 2.1";
}

}  // namespace

const Layout& wanAutoencoderFile() {
    static const Layout layout{.name = "wan_autoencoder",
                               .component = "vae",
                               .kind = "autoencoder",
                               .use = phrase("choose it in Load autoencoder"),
                               .detect = detectWanAutoencoder,
                               .open = openWanAutoencoderFile,
                               .label = labelWanAutoencoder};
    return layout;
}

}  // namespace lowtide::models
