#include "plugin/checkpoints/single_file/t5_names.hpp"

#include "plugin/checkpoints/single_file/renames.hpp"

namespace lowtide::models {

namespace {

constexpr std::pair<std::string_view, std::string_view> kWanTextParts[] = {
    {"shared.", "token_embedding."},
    {"encoder.embed_tokens.", "token_embedding."},
    {"encoder.final_layer_norm.", "norm."},
    {"encoder.block.", "blocks."},
    {".layer.0.layer_norm.", ".norm1."},
    {".layer.1.layer_norm.", ".norm2."},
    {".layer.0.SelfAttention.relative_attention_bias.", ".pos_embedding.embedding."},
    {".layer.0.SelfAttention.", ".attn."},
    {".layer.1.DenseReluDense.wi_0.", ".ffn.gate.0."},
    {".layer.1.DenseReluDense.wi_1.", ".ffn.fc1."},
    {".layer.1.DenseReluDense.wo.", ".ffn.fc2."},
};

constexpr std::pair<std::string_view, std::string_view> kGgufTextParts[] = {
    {"shared.", "token_embd."},
    {"encoder.embed_tokens.", "token_embd."},
    {"encoder.final_layer_norm.", "enc.output_norm."},
    {"encoder.block.", "enc.blk."},
    {".layer.0.layer_norm.", ".attn_norm."},
    {".layer.1.layer_norm.", ".ffn_norm."},
    {".layer.0.SelfAttention.relative_attention_bias.", ".attn_rel_b."},
    {".layer.0.SelfAttention.", ".attn_"},
    {".layer.1.DenseReluDense.wi_0.", ".ffn_gate."},
    {".layer.1.DenseReluDense.wi_1.", ".ffn_up."},
    {".layer.1.DenseReluDense.wo.", ".ffn_down."},
};

}  // namespace

std::string wanTextName(std::string_view name) {
    return renamed(std::string(name), kWanTextParts);
}

std::string ggufTextName(std::string_view name) {
    return renamed(std::string(name), kGgufTextParts);
}

}  // namespace lowtide::models
