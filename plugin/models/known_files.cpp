#include "plugin/models/known_files.hpp"

#include "plugin/models/upscalers/upscaler_type.hpp"

#include <algorithm>
#include <string_view>

namespace lowtide::models {

namespace {

/// A part of a tensor's name that no other kind of file has.
struct NamedKind {
    std::string_view part;
    const char* kind;
    const char* family;
};

constexpr NamedKind kNamedKinds[] = {
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

}  // namespace

std::optional<KnownFile> knownFile(const WeightMap& file) {
    for (const UpscalerType* type : upscalerTypes()) {
        if (type->detect(file)) {
            return KnownFile{.kind = "upscaler", .family = type->name};
        }
    }
    const auto isIn = [&](const NamedKind& each) {
        return std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) {
            return tensor.first.find(each.part) != tensor.first.npos;
        });
    };
    const auto* found = std::find_if(std::begin(kNamedKinds), std::end(kNamedKinds), isIn);
    if (found != std::end(kNamedKinds)) {
        return KnownFile{.kind = found->kind, .family = found->family};
    }
    return isEmbeddingOfTwo(file)
               ? std::optional(KnownFile{.kind = "embedding", .family = "embedding"})
               : std::nullopt;
}

}  // namespace lowtide::models
