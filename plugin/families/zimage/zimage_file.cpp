#include "plugin/families/zimage/zimage_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"

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
constexpr std::pair<const char*, const char*> kOtherModels[] = {
    {"dec_net.", "paints pixels, without an autoencoder"},
    {"siglip_", "reads pictures too (Omni)"},
};
/// Trained with the network, never run.
constexpr const char* kUnusedNorm = "norm_final.weight";

}  // namespace

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

std::string zimageName(std::string_view name) {
    return renamed(std::string(name), kZImageNames);
}

WeightMap zimageMap(const WeightMap& file, const NetworkNaming& naming) {
    const auto inFile = [naming](std::string_view name) {
        return naming.prefix + (naming.isOwn ? zimageName(name) : std::string(name));
    };
    WeightMap map = mapUnder(file, naming.prefix, inFile);
    map.tensors.erase(naming.prefix + kUnusedNorm);
    splitThirds(map, ".attention.qkv.weight");
    for (const char* token : kPadTokens) {
        const auto place = map.tensors.find(naming.prefix + token);
        if (place != map.tensors.end() && place->second.shape.size() == 1) {
            place->second.shape.insert(place->second.shape.begin(), 1);
        }
    }
    return map;
}

Json zimageSettings(const WeightMap& transformer) {
    constexpr int64_t kPatch = 2;
    for (const auto& [beginning, what] : kOtherModels) {
        if (hasUnder(transformer, transformer.nameInFile(beginning))) {
            throw Error(ErrorKind::Unsupported,
                        transformer.what + " is a Z-Image that " + what + ", which is not built",
                        "choose z_image_turbo or z_image");
        }
    }
    const TensorView tensors = viewOf(transformer);
    const int64_t width = tensors.size("all_x_embedder.2-1.weight", 0);
    const int64_t headWidth = tensors.size("layers.0.attention.norm_k.weight", 0);
    const auto count = [&](const char* stem) {
        return tensors.count(
            [&](const std::string& block) { return stem + block + ".attention.norm_k.weight"; });
    };
    return {{"_class_name", "ZImageTransformer2DModel"},
            {"all_patch_size", {kPatch}},
            {"all_f_patch_size", {1}},
            {"in_channels", tensors.size("all_x_embedder.2-1.weight", 1) / (kPatch * kPatch)},
            {"dim", width},
            {"n_layers", count("layers.")},
            {"n_refiner_layers", count("noise_refiner.")},
            {"n_heads", width / headWidth},
            {"cap_feat_dim", tensors.size("cap_embedder.1.weight", 1)},
            {"axes_dims", {headWidth / 4, 3 * headWidth / 8, 3 * headWidth / 8}}};
}

namespace {

double detectZImageDenoiser(const ModelSource& source) {
    return source.header && zimageNaming(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openZImageDenoiser(ModelSource source,
                                               const std::string& resourcesFolder) {
    const auto weights = [file = sharedHeader(source)] {
        return zimageMap(file->map, zimageNaming(file->map).value_or(NetworkNaming{}));
    };
    FileParts parts;
    const Json stated = configInFolder(source.path.path, "ZImageTransformer2DModel", parts.files);
    parts.pipeline = {{"_class_name", "ZImagePipeline"}};
    parts.networks["transformer"] = {.className = "ZImageTransformer2DModel",
                                     .settings =
                                         [weights, stated] {
                                             Json own = zimageSettings(weights());
                                             own.update(stated);
                                             return own;
                                         },
                                     .weights = weights};
    parts.scheduler = flowSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelZImageDenoiser(Checkpoint&) {
    return "Z-Image";
}

}  // namespace

/// The transformer of Z-Image alone, as ComfyUI keeps it in diffusion_models, or as GGUF.
const Layout& zimageFile() {
    static const Layout layout{.name = "zimage_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectZImageDenoiser,
                               .open = openZImageDenoiser,
                               .label = labelZImageDenoiser};
    return layout;
}

}  // namespace lowtide::models
