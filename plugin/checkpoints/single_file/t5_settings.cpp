#include "plugin/checkpoints/single_file/t5_settings.hpp"

#include "plugin/base/json.hpp"

#include <algorithm>
#include <string>

namespace lowtide::models {

namespace {

std::string t5Attention(const std::string& layer, const char* part) {
    return "encoder.block." + layer + ".layer.0.SelfAttention." + part + ".weight";
}

}  // namespace

Json t5Settings(const TensorView& tensors) {
    const std::string biases = t5Attention("0", "relative_attention_bias");
    const char* const inner = "encoder.block.0.layer.1.DenseReluDense.wi_0.weight";
    const char* const table =
        tensors.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight";
    const int64_t heads = tensors.size(biases, 1);
    const int64_t layers =
        tensors.count([](const std::string& layer) { return t5Attention(layer, "q"); });
    const bool isUmt5 = layers == 1 || tensors.has(t5Attention("1", "relative_attention_bias"));
    return {{"model_type", isUmt5 ? "umt5" : "t5"},
            {"feed_forward_proj", "gated-gelu"},
            {"vocab_size", tensors.size(table, 0)},
            {"d_model", tensors.size(table, 1)},
            {"d_kv", tensors.size(t5Attention("0", "q"), 0) / std::max<int64_t>(heads, 1)},
            {"num_heads", heads},
            {"d_ff", tensors.size(inner, 0)},
            {"num_layers", layers},
            {"relative_attention_num_buckets", tensors.size(biases, 0)}};
}

}  // namespace lowtide::models
