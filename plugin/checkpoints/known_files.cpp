#include "plugin/checkpoints/known_files.hpp"

#include "plugin/checkpoints/adapters/adapter_base.hpp"
#include "plugin/checkpoints/family.hpp"
#include "plugin/checkpoints/upscaler_type.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lowtide::models {

namespace {

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
    {"emb_params", "embedding", "embedding"},
    {"string_to_param", "embedding", "embedding"},
    {"joint_blocks.", "checkpoint", "SD 3"},
};

/// What families' relatives may have too.
constexpr NamedKind kLastNamedKinds[] = {
    {"transformer_blocks.0.txt_mod.", "checkpoint", "Qwen-Image"},
    {"llm_adapter.blocks.", "checkpoint", "Anima"},
    {"txtmlp.", "checkpoint", "Krea 2"},
    {"audio_patch_proj.", "checkpoint", "MiniMax H3"},
    {"text_model.encoder.layers.", "text_encoder", "text encoder"},
    {"transformer.resblocks.", "text_encoder", "text encoder"},
    {"before_RG.", "upscaler", "DAT"},
};

/// All, in the order in which they are asked.
const std::vector<NamedKind>& namedKinds() {
    static const std::vector<NamedKind> kAll = [] {
        std::vector<NamedKind> all(std::begin(kNamedKinds), std::end(kNamedKinds));
        for (const Family* family : families()) {
            all.insert(all.end(), family->relatives.begin(), family->relatives.end());
        }
        all.insert(all.end(), std::begin(kLastNamedKinds), std::end(kLastNamedKinds));
        return all;
    }();
    return kAll;
}

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
    const std::vector<NamedKind>& named = namedKinds();
    const auto found = std::find_if(named.begin(), named.end(), isIn);
    const bool isControl = found != named.end() && found->kind == kControl;
    if (!isControl && looksLikeAdapter(file)) {
        const bool isNamed = found != named.end() && found->kind == kLora;
        return KnownFile{.kind = kLora, .family = isNamed ? std::string(found->name) : "LoRA"};
    }
    if (found != named.end()) {
        return KnownFile{.kind = std::string(found->kind), .family = std::string(found->name)};
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
