#include "plugin/models/known_files.hpp"

#include <algorithm>
#include <string>

namespace lowtide::models {

namespace {

constexpr KnownFile kKnownFiles[] = {
    {"control_model.", "controlnet", "ControlNet"},
    {"controlnet_cond_embedding.", "controlnet", "ControlNet"},
    {"controlnet_blocks.", "controlnet", "ControlNet"},
    {"lora_controlnet", "controlnet", "Control-LoRA"},
    {"ip_adapter.", "adapter", "IP-Adapter"},
    {"emb_params", "embedding", "embedding"},
    {"string_to_param", "embedding", "embedding"},
    {"joint_blocks.", "checkpoint", "SD 3"},
    {"double_blocks.", "checkpoint", "Flux"},
    {"text_model.encoder.layers.", "text_encoder", "text encoder"},
    {"transformer.resblocks.", "text_encoder", "text encoder"},
};
constexpr KnownFile kEmbeddingOfTwo{"clip_g", "embedding", "embedding"};

/// SDXL's embeddings are a row of vectors for each encoder.
bool isEmbeddingOfTwo(const WeightMap& file) {
    return file.tensors.size() == 2 && file.tensors.contains("clip_l") &&
           file.tensors.contains("clip_g");
}

}  // namespace

const KnownFile* knownFileOf(const WeightMap& file) {
    const auto isIn = [&](const KnownFile& each) {
        return std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& tensor) {
            return tensor.first.find(each.part) != tensor.first.npos;
        });
    };
    const auto* found = std::find_if(std::begin(kKnownFiles), std::end(kKnownFiles), isIn);
    if (found != std::end(kKnownFiles)) {
        return found;
    }
    return isEmbeddingOfTwo(file) ? &kEmbeddingOfTwo : nullptr;
}

}  // namespace lowtide::models
