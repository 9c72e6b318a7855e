#include "plugin/models/recognise.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/families/family.hpp"
#include "plugin/models/layouts/layout.hpp"
#include "plugin/models/upscalers/upscaler_type.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

/// Looks at pictures; it is not run here.
constexpr std::string_view kNotRun = "safety_checker";

/// What people exchange beside checkpoints, by a part of a tensor's name that no other has.
struct KnownFile {
    std::string_view part;
    const char* kind;
    const char* family;
};

constexpr KnownFile kKnownFiles[] = {
    {"lora_unet_", "lora", "LoRA"},
    {"lora_te", "lora", "LoRA"},
    {".lora_A.", "lora", "LoRA"},
    {".lora_down.", "lora", "LoRA"},
    {".lora.down.", "lora", "LoRA"},
    {"_lora.down.", "lora", "LoRA"},
    {".hada_w1_a", "lora", "LoHa"},
    {".lokr_w1", "lora", "LoKr"},
    {"control_model.", "controlnet", "ControlNet"},
    {"controlnet_cond_embedding.", "controlnet", "ControlNet"},
    {"controlnet_blocks.", "controlnet", "ControlNet"},
    {"ip_adapter.", "adapter", "IP-Adapter"},
    {"emb_params", "embedding", "embedding"},
    {"string_to_param", "embedding", "embedding"},
    {"joint_blocks.", "checkpoint", "SD 3"},
    {"double_blocks.", "checkpoint", "Flux"},
    {"text_model.encoder.layers.", "text_encoder", "text encoder"},
    {"transformer.resblocks.", "text_encoder", "text encoder"},
};

/// SDXL's embeddings are a row of vectors for each encoder.
bool isEmbeddingOfTwo(const WeightMap& file) {
    return file.tensors.size() == 2 && file.tensors.contains("clip_l") &&
           file.tensors.contains("clip_g");
}

void addWeights(const WeightMap& map, Recognised& known) {
    for (const auto& [name, place] : map.tensors) {
        const Bytes bytes = elementCount(place.shape).value_or(0) * sizeOf(place.type);
        known.weights += bytes;
        known.largest = std::max(known.largest, bytes);
    }
}

/// Of a folder: components that have weights.
void addComponents(Checkpoint& checkpoint, Recognised& known) {
    for (const auto& [component, entry] : checkpoint.index().items()) {
        const bool isNetwork = entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                               checkpoint.has(component + "/config.json");
        if (isNetwork && component != kNotRun) {
            const bool isText = entry[0] == "transformers";
            addWeights(checkpoint.weights(component, isText ? "model" : "diffusion_pytorch_model"),
                       known);
        }
    }
}

/// "StableDiffusionXLPipeline" -> "StableDiffusionXL".
std::string withoutEnding(std::string pipeline) {
    constexpr std::string_view kEnding = "Pipeline";
    if (pipeline.ends_with(kEnding)) {
        pipeline.resize(pipeline.size() - kEnding.size());
    }
    return pipeline;
}

void recogniseWhole(Checkpoint& checkpoint, Families families, Recognised& known) {
    known.family = withoutEnding(checkpoint.pipelineClass());
    const Family* family = familyOf(checkpoint, families);
    if (!family) {
        return;
    }
    known.family = family->label ? family->label(checkpoint) : family->name;
    known.isRunnable = true;
}

void recogniseLayout(const Layout& layout,
                     const ModelSource& source,
                     const std::string& resourcesFolder,
                     Families families,
                     Recognised& known) {
    known.kind = layout.isWhole ? "checkpoint" : "autoencoder";
    known.layout = layout.name;
    known.family = layout.isWhole ? "" : known.kind;
    const std::unique_ptr<Checkpoint> checkpoint = layout.open(source, resourcesFolder);
    if (layout.isWhole) {
        recogniseWhole(*checkpoint, families, known);
    } else {
        known.isRunnable = true;
    }
    if (!source.header) {
        addComponents(*checkpoint, known);
    }
}

void recogniseOther(const WeightMap& file, Recognised& known) {
    for (const UpscalerType* type : upscalerTypes()) {
        if (type->detect(file)) {
            known.kind = "upscaler";
            known.family = type->name;
            known.isRunnable = true;
            return;
        }
    }
    const auto isIn = [&](const KnownFile& each) {
        return std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) {
            return tensor.first.find(each.part) != tensor.first.npos;
        });
    };
    const auto* found = std::find_if(std::begin(kKnownFiles), std::end(kKnownFiles), isIn);
    if (found != std::end(kKnownFiles)) {
        known.kind = found->kind;
        known.family = found->family;
    } else if (isEmbeddingOfTwo(file)) {
        known.kind = "embedding";
        known.family = "embedding";
    }
}

}  // namespace

Recognised recogniseModel(const CheckpointPath& path,
                          const std::string& resourcesFolder,
                          Families families) {
    Recognised known;
    try {
        const ModelSource source = readSource(path);
        if (source.header) {
            addWeights(source.header->map, known);
        }
        if (const Layout* layout = layoutOf(source)) {
            recogniseLayout(*layout, source, resourcesFolder, families, known);
        } else {
            recogniseOther(source.header->map, known);
        }
    } catch (const Error& error) {
        known.problem = error.message();
        known.isRunnable = false;
    }
    return known;
}

}  // namespace lowtide::models
