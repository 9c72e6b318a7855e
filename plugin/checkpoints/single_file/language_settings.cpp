#include "plugin/checkpoints/single_file/language_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/single_file/renames.hpp"

namespace lowtide::models {

namespace {

constexpr int64_t kLanguageHeadWidth = 128;

constexpr std::pair<std::string_view, std::string_view> kGgufLanguageParts[] = {
    {"embed_tokens.", "token_embd."},
    {"layers.", "blk."},
    {".input_layernorm.", ".attn_norm."},
    {".post_attention_layernorm.", ".ffn_norm."},
    {".self_attn.q_proj.", ".attn_q."},
    {".self_attn.k_proj.", ".attn_k."},
    {".self_attn.v_proj.", ".attn_v."},
    {".self_attn.o_proj.", ".attn_output."},
    {".self_attn.q_norm.", ".attn_q_norm."},
    {".self_attn.k_norm.", ".attn_k_norm."},
    {".mlp.gate_proj.", ".ffn_gate."},
    {".mlp.up_proj.", ".ffn_up."},
    {".mlp.down_proj.", ".ffn_down."},
};

std::string languageLayer(const std::string& layer, const char* rest) {
    return "layers." + layer + rest;
}

/// Source: config.json of Llama 3.1 and Qwen 3.
void addRotations(Json& settings, bool isQwen) {
    if (isQwen) {
        settings.update({{"rms_norm_eps", 1e-6}, {"rope_theta", 1e6}});
        return;
    }
    settings.update({{"rms_norm_eps", 1e-5},
                     {"rope_theta", 500000.0},
                     {"rope_scaling",
                      {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 8192}}}});
}

}  // namespace

Json languageModelSettings(const TensorView& tensors) {
    const std::string ownNorm = languageLayer("0", ".self_attn.q_norm.weight");
    const bool isQwen = tensors.has(ownNorm);
    const int64_t headWidth = isQwen ? tensors.size(ownNorm, 0) : kLanguageHeadWidth;
    const auto headsOf = [&](const char* projection) {
        return tensors.size(languageLayer("0", projection), 0) / headWidth;
    };
    Json settings = {
        {"model_type", isQwen ? "qwen3" : "llama"},
        {"vocab_size", tensors.size("embed_tokens.weight", 0)},
        {"hidden_size", tensors.size("embed_tokens.weight", 1)},
        {"intermediate_size", tensors.size(languageLayer("0", ".mlp.gate_proj.weight"), 0)},
        {"num_hidden_layers", tensors.count([](const std::string& layer) {
             return languageLayer(layer, ".self_attn.q_proj.weight");
         })},
        {"num_attention_heads", headsOf(".self_attn.q_proj.weight")},
        {"num_key_value_heads", headsOf(".self_attn.k_proj.weight")},
        {"head_dim", headWidth},
        {"max_position_embeddings", isQwen ? 40960 : 131072}};
    addRotations(settings, isQwen);
    return settings;
}

void checkLanguageHeads(const Json& settings, const std::string& what, const BesideFile& beside) {
    if (settings.at("num_key_value_heads") == 0) {
        throw Error(ErrorKind::Unsupported,
                    what + " is a language model whose keys are narrower than " +
                        std::to_string(kLanguageHeadWidth) + ", whose heads no shape tells",
                    "state num_attention_heads, num_key_value_heads and head_dim of "
                    "\"text_encoder\" in " +
                        beside.name);
    }
}

std::string ggufLanguageName(std::string_view name) {
    const bool isFinalNorm = name.starts_with("norm.");
    return isFinalNorm ? "output_" + std::string(name)
                       : renamed(std::string(name), kGgufLanguageParts);
}

}  // namespace lowtide::models
