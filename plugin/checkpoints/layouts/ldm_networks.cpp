// A denoiser or an autoencoder alone, as users exchange them: in LDM's or diffusers' names, or a
// denoiser as its network states. Torch-free.

#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/network.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kUNetClass = "UNet2DConditionModel";
/// What no other network of diffusers has together; ControlNets end in the middle.
constexpr const char* kDiffusersTensors[] = {
    "conv_in.weight", "time_embedding.linear_1.weight", "conv_out.weight"};

bool hasDiffusersNames(const WeightMap& file) {
    return hasUnder(file, "up_blocks.") &&
           std::all_of(std::begin(kDiffusersTensors),
                       std::end(kDiffusersTensors),
                       [&](const char* name) { return file.tensors.contains(name); });
}

/// Nothing: the file has no denoiser in LDM's names, or more than that.
std::optional<std::string_view> ldmPrefixOf(const WeightMap& file) {
    if (hasLdmUNet(file, "") && hasUnder(file, "output_blocks.")) {
        return "";
    }
    return hasLdmUNet(file, kLdmUNet) && !isLdmCheckpoint(file) ? std::optional(kLdmUNet)
                                                                : std::nullopt;
}

double detectDenoiser(const ModelSource& source) {
    const bool isDenoiser =
        source.header && (ldmPrefixOf(source.header->map) || hasDiffusersNames(source.header->map));
    return isDenoiser ? 0.4 : 0;
}

/// What tells such denoisers apart; AdjustedCheckpoint takes the rest from the checkpoint.
Json diffusersSizes(const WeightMap& file) {
    const TensorView tensors(file, [](std::string_view name) { return std::string(name); });
    Json sizes = {{"in_channels", tensors.size("conv_in.weight", 1)},
                  {"out_channels", tensors.size("conv_out.weight", 0)}};
    const auto reading =
        std::find_if(file.tensors.begin(), file.tensors.end(), [](const auto& tensor) {
            return tensor.first.ends_with(".attn2.to_k.weight");
        });
    if (reading != file.tensors.end()) {
        sizes["cross_attention_dim"] = tensors.size(reading->first, 1);
    }
    return sizes;
}

/// Settings as its config.json states them, where there is one.
FileNetwork diffusersUNet(const SharedHeader& file, const Json& stated) {
    if (!stated.empty()) {
        return {.className = kUNetClass,
                .settings = [stated] { return stated; },
                .weights = [file] { return file->map; }};
    }
    return {.className = kUNetClass,
            .settings = [file] { return diffusersSizes(file->map); },
            .weights =
                [file] {
                    WeightMap map = file->map;
                    map.settings = phrase("the settings of the checkpoint's denoiser");
                    map.hint = phrase(
                        "choose a denoiser of the checkpoint's kind, or put the config.json "
                        "from the unet folder of its model next to the file");
                    return map;
                }};
}

/// What the file states itself; the rest is the checkpoint's.
Json denoiserSchedule(const WeightFileHeader& file, std::string_view prefix) {
    Json stated = Json::object();
    std::optional<std::string> prediction = statedPrediction(file);
    if (!prediction && readsVersion2Texts(file.map, prefix)) {
        prediction = version2Prediction(file, prefix);
    }
    if (prediction) {
        stated["prediction_type"] = *prediction;
    }
    addZeroSnr(file, stated);
    return stated;
}

std::unique_ptr<Checkpoint> openDenoiserFile(ModelSource source,
                                             const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    refuseEdmVelocity(*file);
    const std::optional<std::string_view> prefix = ldmPrefixOf(file->map);
    FileParts parts;
    parts.networks["unet"] =
        prefix ? ldmUNet(file, *prefix)
               : diffusersUNet(file, configInFolder(source.path.path, kUNetClass, parts.files));
    parts.scheduler = [file, start = prefix.value_or("")] {
        return denoiserSchedule(*file, start);
    };
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

/// The family whose texts it reads.
std::string labelDenoiser(Checkpoint& opened) {
    constexpr int64_t kChannelsWithMask = 9;
    const char* file = "unet/config.json";
    const Json settings = opened.readJson(file);
    const JsonReader unet(settings, opened.name() + "/" + file);
    const auto widths = unet.integers("cross_attention_dim").value_or(std::vector<int64_t>{});
    if (widths.empty()) {
        return "denoiser";
    }
    const bool fillsMasks = unet.integer("in_channels") == kChannelsWithMask;
    return AdapterBase{.contextWidth = widths.front()}.text().str() +
           (fillsMasks ? " inpainting" : "");
}

}  // namespace

/// A denoiser alone, as users exchange it: LDM's names with or without the prefix that whole
/// checkpoints have, or diffusers', best next to their config.json.
const Layout& denoiser() {
    static const Layout layout{
        .name = "denoiser",
        .component = "unet",
        .kind = "denoiser",
        .use = phrase("choose a whole checkpoint in Load checkpoint, and this file as its denoiser "
                      "(unet)"),
        .detect = detectDenoiser,
        .open = openDenoiserFile,
        .label = labelDenoiser};
    return layout;
}

namespace {

constexpr std::string_view kPrefixes[] = {"", kLdmAutoencoder, "vae."};

std::optional<std::string_view> prefixIn(const WeightMap& file) {
    for (const std::string_view prefix : kPrefixes) {
        if (file.tensors.contains(std::string(prefix) + "decoder.conv_in.weight")) {
            return prefix;
        }
    }
    return std::nullopt;
}

double detectAutoencoder(const ModelSource& source) {
    return source.header && prefixIn(source.header->map) ? 0.4 : 0;
}

/// The published autoencoder of latents with 16 channels that transformers share has other numbers
/// than those of Stable Diffusion, which no tensor reveals. Source: its vae/config.json.
Json constantsOf(const WeightMap& file, std::string_view prefix) {
    constexpr int64_t kSharedChannels = 16;
    const std::string start(prefix);
    const auto first = file.tensors.find(start + "decoder.conv_in.weight");
    const bool isShared = first != file.tensors.end() && first->second.shape.size() > 1 &&
                          first->second.shape[1] == kSharedChannels &&
                          !file.tensors.contains(start + "post_quant_conv.weight");
    return isShared ? Json{{"scaling_factor", 0.3611}, {"shift_factor", 0.1159}} : Json::object();
}

std::unique_ptr<Checkpoint> openAutoencoderFile(ModelSource source,
                                                const std::string& resourcesFolder) {
    FileParts parts;
    const std::string_view prefix = prefixIn(source.header->map).value_or("");
    Json stated = constantsOf(source.header->map, prefix);
    stated.update(configInFolder(source.path.path, "AutoencoderKL", parts.files));
    parts.networks["vae"] = ldmAutoencoder(sharedHeader(source), prefix, std::move(stated));
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

/// An autoencoder alone, as users exchange them, in LDM's or diffusers' names.
const Layout& autoencoder() {
    static const Layout layout{
        .name = "autoencoder",
        .component = "vae",
        .kind = "autoencoder",
        .use = phrase("choose a whole checkpoint in Load checkpoint, and this file as its "
                      "autoencoder (vae); or, for a model of several files, choose it in Load "
                      "autoencoder"),
        .detect = detectAutoencoder,
        .open = openAutoencoderFile};
    return layout;
}

namespace {

constexpr const char* kAloneComponent = "transformer";

WeightMap denoiserMap(const Network& network, const WeightMap& file) {
    const NetworkNaming naming = network.find(file).value_or(NetworkNaming{});
    const auto nameInFile =
        [naming, ownName = naming.isOwn ? network.ownName : nullptr](std::string_view name) {
            return naming.prefix + (ownName ? ownName(name) : std::string(name));
        };
    return network.file.split
               ? network.file.split(mapUnder(file, naming.prefix, nameInFile), naming)
               : wholeMap(file, nameInFile);
}

std::unique_ptr<Checkpoint> openDenoiserAlone(const Network& network,
                                              const ModelSource& source,
                                              const std::string& resourcesFolder) {
    const DenoiserFile& form = network.file;
    const std::string className(network.classes.front());
    FileParts parts;
    const Json stated = configInFolder(source.path.path, className, parts.files);
    const auto weights = [&network, file = sharedHeader(source)] {
        return denoiserMap(network, file->map);
    };
    const auto settings = [&form, className, weights, stated] {
        Json own = form.settings(weights());
        own["_class_name"] = className;
        own.update(stated);
        return own;
    };
    parts.pipeline = {
        {"_class_name", form.pipelineOf ? form.pipelineOf(settings()) : form.pipeline}};
    parts.networks[kAloneComponent] = {
        .className = className, .settings = settings, .weights = weights, .check = form.check};
    parts.scheduler = [&form, settings] {
        return form.scheduler ? form.scheduler(settings()) : flowSchedule();
    };
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

Layout denoiserAlone(const Network& network) {
    Layout layout{.name = network.file.layout,
                  .component = kAloneComponent,
                  .kind = "diffusion_model",
                  .use = phrase("choose it in Load diffusion model"),
                  .detect =
                      [&network](const ModelSource& source) {
                          return source.header && network.find(source.header->map) ? 0.5 : 0.0;
                      },
                  .open =
                      [&network](const ModelSource& source, const std::string& resourcesFolder) {
                          return openDenoiserAlone(network, source, resourcesFolder);
                      },
                  .label = network.file.label,
                  .other = network.file.other};
    if (!layout.label) {
        layout.label = [&network](Checkpoint&) { return std::string(network.models); };
    }
    return layout;
}

}  // namespace lowtide::models
