#include "plugin/checkpoints/known_files.hpp"

#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"

#include <algorithm>
#include <string_view>

namespace lowtide::models {

namespace {

/// A part of a tensor's name that no other kind of file has.
struct NamedKind {
    std::string_view part;
    std::string_view kind;
    const char* family;
};

constexpr const char* kLora = "lora";
constexpr const char* kControl = "controlnet";

constexpr NamedKind kNamedKinds[] = {
    {"lora_controlnet", kControl, "Control-LoRA"},
    {"control_model.", kControl, "ControlNet"},
    {"controlnet_cond_embedding.", kControl, "ControlNet"},
    {"controlnet_blocks.", kControl, "ControlNet"},
    {".hada_w1_a", kLora, "LoHa"},
    {".lokr_w1", kLora, "LoKr"},
    {"ip_adapter.", "ip_adapter", "IP-Adapter"},
    {"ip_adapter_double_stream", "ip_adapter", "IP-Adapter for Flux"},
    {"emb_params", "embedding", "embedding"},
    {"string_to_param", "embedding", "embedding"},
    {"joint_blocks.", "checkpoint", "SD 3"},
    {"distilled_guidance_layer.", "checkpoint", "Chroma"},
    {"double_stream_modulation_img.", "checkpoint", "FLUX.2"},
    {"double_blocks.", "checkpoint", "network with FLUX's blocks"},
    {"transformer_blocks.0.txt_mod.", "checkpoint", "Qwen-Image"},
    {"llm_adapter.blocks.", "checkpoint", "Anima"},
    {"txtmlp.", "checkpoint", "Krea 2"},
    {"audio_patch_proj.", "checkpoint", "MiniMax H3"},
    {"text_model.encoder.layers.", "text_encoder", "text encoder"},
    {"transformer.resblocks.", "text_encoder", "text encoder"},
    {"before_RG.", "upscaler", "DAT"},
};

/// Embeddings for two encoders are a row of vectors for each encoder; A1111's and diffusers' are
/// one tensor, under "*" or a token.
bool isEmbeddingByShape(const WeightMap& file) {
    const bool isOfTwo = file.tensors.size() == 2 && file.tensors.contains("clip_l") &&
                         file.tensors.contains("clip_g");
    const std::string first = file.tensors.empty() ? "" : file.tensors.begin()->first;
    const bool isToken = first == "*" || (first.starts_with('<') && first.ends_with('>'));
    return isOfTwo || (file.tensors.size() == 1 && isToken);
}

/// Convolutions and slopes in one list: Real-ESRGAN's animevideov3 and general ones.
bool isCompactUpscaler(const WeightMap& file) {
    const auto rankOf = [&](const char* name) {
        const auto found = file.tensors.find(name);
        return found == file.tensors.end() ? 0 : found->second.shape.size();
    };
    return rankOf("body.0.weight") == 4 && rankOf("body.1.weight") == 1 &&
           rankOf("body.2.weight") == 4;
}

}  // namespace

std::optional<KnownFile> knownByNames(const WeightMap& file) {
    const auto isIn = [&](const NamedKind& each) {
        return std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) {
            return tensor.first.find(each.part) != tensor.first.npos;
        });
    };
    const auto* found = std::find_if(std::begin(kNamedKinds), std::end(kNamedKinds), isIn);
    const bool isControl = found != std::end(kNamedKinds) && found->kind == kControl;
    if (!isControl && looksLikeAdapter(file)) {
        const bool isNamed = found != std::end(kNamedKinds) && found->kind == kLora;
        return KnownFile{.kind = kLora, .family = isNamed ? found->family : "LoRA"};
    }
    if (found != std::end(kNamedKinds)) {
        return KnownFile{.kind = std::string(found->kind), .family = found->family};
    }
    if (isCompactUpscaler(file)) {
        return KnownFile{.kind = "upscaler", .family = "SRVGGNetCompact"};
    }
    return isEmbeddingByShape(file)
               ? std::optional(KnownFile{.kind = "embedding", .family = "embedding"})
               : std::nullopt;
}

std::optional<KnownFile> knownFile(const WeightMap& file) {
    for (const UpscalerType* type : upscalerTypes()) {
        if (type->detect(file)) {
            return KnownFile{.kind = "upscaler", .family = type->name, .isUpscaler = true};
        }
    }
    return knownByNames(file);
}

}  // namespace lowtide::models
