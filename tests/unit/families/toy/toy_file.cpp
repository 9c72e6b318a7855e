#include "tests/unit/families/toy/toy_file.hpp"

#include "plugin/base/json.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr std::pair<std::string_view, std::string_view> kToyNames[] = {
    {"toy_blocks.", "toys."},
    {".attn.to_q.weight", ".qkv.weight[q]"},
    {".attn.to_k.weight", ".qkv.weight[k]"},
    {".attn.to_v.weight", ".qkv.weight[v]"},
    {".attn.to_out.0.", ".out."},
    {".modulation.", ".mod."},
    {"patch_in.", "in_patch."},
    {"words_in.", "in_words."},
    {"clock.inner.", "clock.0."},
    {"clock.outer.", "clock.2."},
    {"norm_out.", "last.norm."},
    {"patch_out.", "last.linear."},
};
constexpr std::string_view kToyArchitecture = "toy";

}  // namespace

std::optional<NetworkNaming> toyNaming(const WeightMap& file) {
    for (const std::string& prefix : {std::string(), std::string(kLdmUNet)}) {
        const auto has = [&](const char* name) { return file.tensors.contains(prefix + name); };
        if (has("in_words.weight") && has("toys.0.qkv.weight")) {
            return NetworkNaming{.prefix = prefix, .architecture = kToyArchitecture};
        }
        if (has("words_in.weight") && has("toy_blocks.0.attn.to_q.weight")) {
            return NetworkNaming{
                .prefix = prefix, .isOwn = false, .architecture = kToyArchitecture};
        }
    }
    return std::nullopt;
}

std::string toyName(std::string_view name) {
    return renamed(std::string(name), kToyNames);
}

WeightMap toyMap(const WeightMap& file, const NetworkNaming& naming) {
    WeightMap map = mapUnder(file, naming.prefix, [naming](std::string_view name) {
        return naming.prefix + (naming.isOwn ? toyName(name) : std::string(name));
    });
    splitThirds(map, ".qkv.weight");
    return map;
}

Json toySettings(const WeightMap& transformer) {
    constexpr int64_t kNumbersOfPatch = 4;
    const TensorView tensors = viewOf(transformer);
    return {{"_class_name", kToyClass},
            {"in_channels", tensors.size("patch_in.weight", 1) / kNumbersOfPatch},
            {"width", tensors.size("patch_in.weight", 0)},
            {"num_layers", tensors.count([](const std::string& block) {
                 return "toy_blocks." + block + ".attn.to_q.weight";
             })},
            {"text_width", tensors.size("words_in.weight", 1)}};
}

std::string toyLabel(Checkpoint& checkpoint) {
    const char* file = "transformer/config.json";
    const Json settings = checkpoint.readJson(file);
    const JsonReader reader(settings, checkpoint.name() + "/" + file);
    return "Toy of " + std::to_string(reader.integer("num_layers").value_or(0)) + " blocks";
}

namespace {

double detectToyDenoiser(const ModelSource& source) {
    return source.header && toyNaming(source.header->map) ? 0.5 : 0;
}

std::unique_ptr<Checkpoint> openToyDenoiser(ModelSource source,
                                            const std::string& resourcesFolder) {
    const auto weights = [file = sharedHeader(source)] {
        return toyMap(file->map, toyNaming(file->map).value_or(NetworkNaming{}));
    };
    FileParts parts;
    parts.pipeline = {{"_class_name", kToyPipelineClass}};
    parts.networks["transformer"] = {.className = kToyClass,
                                     .settings = [weights] { return toySettings(weights()); },
                                     .weights = weights};
    parts.scheduler = flowSchedule;
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

}  // namespace

const Layout& toyFile() {
    static const Layout layout{.name = "toy_denoiser",
                               .component = "transformer",
                               .kind = "diffusion_model",
                               .use = "choose it in Load diffusion model",
                               .detect = detectToyDenoiser,
                               .open = openToyDenoiser,
                               .label = toyLabel};
    return layout;
}

}  // namespace lowtide::models
