#include "plugin/checkpoints/adapters/adapter_key.hpp"

#include "plugin/checkpoints/family.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

using Part = AdapterKey::Part;

/// What a name ends with, and what that makes the tensor.
struct KeyEnding {
    std::string_view text;
    std::string_view kind;
    std::string_view factor;
    Part part = Part::Factor;
    bool isBias = false;
};

/// Two that fit one name do not exist.
constexpr KeyEnding kKeyEndings[] = {
    {".lora_up.weight", "low_rank", "up"},
    {".lora_down.weight", "low_rank", "down"},
    {".lora_mid.weight", "low_rank", "mid"},
    {".lora.up.weight", "low_rank", "up"},
    {".lora.down.weight", "low_rank", "down"},
    {"_lora.up.weight", "low_rank", "up"},
    {"_lora.down.weight", "low_rank", "down"},
    {".lora_linear_layer.up.weight", "low_rank", "up"},
    {".lora_linear_layer.down.weight", "low_rank", "down"},
    {".hada_w1_a", "hadamard", "w1_a"},
    {".hada_w1_b", "hadamard", "w1_b"},
    {".hada_w2_a", "hadamard", "w2_a"},
    {".hada_w2_b", "hadamard", "w2_b"},
    {".hada_t1", "hadamard", "t1"},
    {".hada_t2", "hadamard", "t2"},
    {".lokr_w1", "kronecker", "w1"},
    {".lokr_w1_a", "kronecker", "w1_a"},
    {".lokr_w1_b", "kronecker", "w1_b"},
    {".lokr_w2", "kronecker", "w2"},
    {".lokr_w2_a", "kronecker", "w2_a"},
    {".lokr_w2_b", "kronecker", "w2_b"},
    {".lokr_t2", "kronecker", "t2"},
    {".diff", "difference", "difference"},
    {".diff_b", "difference", "difference", Part::Factor, true},
    {".w_norm", "difference", "difference"},
    {".b_norm", "difference", "difference", Part::Factor, true},
    {".dora_scale", "", "dora_scale"},
    {".on_input", "", "", Part::OnInput},
    {".alpha", "", "", Part::Alpha},
};
constexpr KeyEnding kScaleEnding{".weight", "scale", "on_output"};

constexpr KeyEnding kNumberedEndings[] = {{".up.weight", "low_rank", "up"},
                                          {".down.weight", "low_rank", "down"}};

/// peft writes these before ".weight", with the adapter's name between them or not.
constexpr KeyEnding kPeftParts[] = {
    {".lora_A", "low_rank", "down"},
    {".lora_B", "low_rank", "up"},
    {".lora_magnitude_vector", "", "magnitude"},
};

/// How a layer's name begins, and what it changes.
struct KeyPrefix {
    std::string_view text;
    std::string_view component;
};

constexpr KeyPrefix kKeyPrefixes[] = {
    {"lora_unet_", kAdapterDenoiser},
    {"lora_te_", kAdapterText},
    {"lora_te1_", kAdapterText},
    {"lora_te2_", kAdapterText2},
    {"lora_te3_", kAdapterT5},
    {"lycoris_", kAdapterDenoiser},
    {"lora_transformer_", kAdapterDenoiser},
    {"unet.", kAdapterDenoiser},
    {"text_encoder.", kAdapterText},
    {"text_encoder_2.", kAdapterText2},
    {"text_encoder_3.", kAdapterText3},
    {"text_encoder_4.", kAdapterText4},
    {"transformer_2.", kAdapterDenoiser2},
    {"model.diffusion_model.", kAdapterDenoiser},
    {"diffusion_model.", kAdapterDenoiser},
    {"text_encoders.clip_l.transformer.", kAdapterText},
    {"text_encoders.clip_h.transformer.", kAdapterText},
    {"text_encoders.clip_g.transformer.", kAdapterText2},
};

/// Names of networks whose component is not named before them.
constexpr KeyPrefix kBareNames[] = {
    {"down_blocks.", kAdapterDenoiser},
    {"mid_block.", kAdapterDenoiser},
    {"up_blocks.", kAdapterDenoiser},
    {"conv_in", kAdapterDenoiser},
    {"conv_out", kAdapterDenoiser},
    {"time_embedding.", kAdapterDenoiser},
    {"add_embedding.", kAdapterDenoiser},
    {"input_blocks.", kAdapterDenoiser},
    {"middle_block.", kAdapterDenoiser},
    {"output_blocks.", kAdapterDenoiser},
    {"time_embed.", kAdapterDenoiser},
    {"label_emb.", kAdapterDenoiser},
    {"out.", kAdapterDenoiser},
    {"blocks.", kAdapterDenoiser},
    {"patch_embedding", kAdapterDenoiser},
    {"text_embedding.", kAdapterDenoiser},
    {"time_projection.", kAdapterDenoiser},
    {"img_emb.", kAdapterDenoiser},
    {"head.", kAdapterDenoiser},
    {"condition_embedder.", kAdapterDenoiser},
    {"proj_out", kAdapterDenoiser},
    {"double_stream_blocks.", kAdapterDenoiser},
    {"single_stream_blocks.", kAdapterDenoiser},
    {"caption_projection.", kAdapterDenoiser},
    {"x_embedder.", kAdapterDenoiser},
    {"t_embedder.", kAdapterDenoiser},
    {"p_embedder.", kAdapterDenoiser},
    {"final_layer.", kAdapterDenoiser},
    {"layers.", kAdapterDenoiser},
    {"noise_refiner.", kAdapterDenoiser},
    {"context_refiner.", kAdapterDenoiser},
    {"cap_embedder.", kAdapterDenoiser},
    {"all_x_embedder.", kAdapterDenoiser},
    {"all_final_layer.", kAdapterDenoiser},
    {"text_model.", kAdapterText},
    {"encoder.layers.", kAdapterText},
    {"transformer.resblocks.", kAdapterText},
    {"text_projection", kAdapterText},
    {"transformer.", kAdapterDenoiser},
};

constexpr std::string_view kPeftWrapper = "base_model.model.";

constexpr std::pair<std::string_view, Phrase> kUnbuilt[] = {
    {".a1.weight", phrase("GLoRA")},
    {".oft_blocks", phrase("OFT")},
    {".oft_diag", phrase("OFT")},
    {".oft_R", phrase("OFT")},
    {".boft_", phrase("BOFT")},
    {".ia3_l", phrase("peft's (IA)3")},
    {".vera_lambda_", phrase("VeRA")},
    {".lora_embedding_A", phrase("peft's LoRA of embeddings")},
    {".set_weight", phrase("weights that replace others")},
    {".reshape_weight", phrase("weights of another shape")},
};

/// A name without its ending.
struct SplitKey {
    std::string_view layer;
    KeyEnding ending;
};

/// "<layer>.lora_A[.<adapter>].weight", or without any ending; a bias of lora_B.
std::optional<SplitKey> splitPeft(std::string_view key) {
    for (KeyEnding part : kPeftParts) {
        const size_t at = key.rfind(part.text);
        if (at == key.npos) {
            continue;
        }
        std::string_view rest = key.substr(at + part.text.size());
        if (!rest.empty() && rest.front() != '.') {
            continue;
        }
        part.isBias = rest.ends_with(".bias");
        if (part.isBias && part.factor == "up") {
            part.kind = "difference";
            part.factor = "difference";
        } else if (part.isBias) {
            continue;
        }
        constexpr std::string_view kPeftWeight = ".weight";
        constexpr std::string_view kPeftBias = ".bias";
        if (part.isBias) {
            rest.remove_suffix(kPeftBias.size());
        } else if (rest.ends_with(kPeftWeight)) {
            rest.remove_suffix(kPeftWeight.size());
        }
        if (rest.find('.', 1) == rest.npos) {
            return SplitKey{key.substr(0, at), part};
        }
    }
    return std::nullopt;
}

/// "<layer>_lora1.down.weight": of attention processors that change two kinds of tokens, whose
/// number is part of the layer's name.
std::optional<SplitKey> splitNumbered(std::string_view key) {
    for (const KeyEnding& ending : kNumberedEndings) {
        const std::string_view layer = key.ends_with(ending.text)
                                           ? key.substr(0, key.size() - ending.text.size())
                                           : std::string_view();
        if (layer.ends_with("_lora1") || layer.ends_with("_lora2")) {
            return SplitKey{layer, ending};
        }
    }
    return std::nullopt;
}

std::optional<SplitKey> splitKey(std::string_view key) {
    for (const KeyEnding& ending : kKeyEndings) {
        if (key.ends_with(ending.text)) {
            return SplitKey{key.substr(0, key.size() - ending.text.size()), ending};
        }
    }
    const std::optional<SplitKey> numbered = splitNumbered(key);
    return numbered ? numbered : splitPeft(key);
}

/// As families state it.
bool beginsDenoiser(std::string_view module) {
    return std::any_of(families().begin(), families().end(), [&](const Family* family) {
        const std::vector<std::string_view>& beginnings = family->adapters.beginnings;
        return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view each) {
            return module.starts_with(each);
        });
    });
}

/// The component that a layer's name names; `module` is what it leaves.
std::string_view componentIn(std::string_view layer, std::string_view& module) {
    module = layer;
    const auto unwrap = [&] {
        while (module.starts_with(kPeftWrapper)) {
            module.remove_prefix(kPeftWrapper.size());
        }
    };
    const auto beginning = [&](std::span<const KeyPrefix> prefixes) {
        return std::find_if(prefixes.begin(), prefixes.end(), [&](const KeyPrefix& prefix) {
            return module.starts_with(prefix.text);
        });
    };
    unwrap();
    const std::span<const KeyPrefix> prefixes(kKeyPrefixes);
    const auto prefix = beginning(prefixes);
    if (prefix != prefixes.end()) {
        module.remove_prefix(prefix->text.size());
        unwrap();
        return module.empty() ? std::string_view() : prefix->component;
    }
    const std::span<const KeyPrefix> bare(kBareNames);
    const auto name = beginning(bare);
    if (name != bare.end()) {
        return name->component;
    }
    return beginsDenoiser(module) ? kAdapterDenoiser : std::string_view();
}

}  // namespace

std::optional<AdapterKey> parseAdapterKey(std::string_view key) {
    std::optional<SplitKey> split = splitKey(key);
    if (!split && key.ends_with(kScaleEnding.text)) {
        split = {key.substr(0, key.size() - kScaleEnding.text.size()), kScaleEnding};
    }
    if (!split) {
        return std::nullopt;
    }
    std::string_view module;
    const std::string_view component = componentIn(split->layer, module);
    if (component.empty()) {
        return std::nullopt;
    }
    return AdapterKey{.component = std::string(component),
                      .layer = std::string(split->layer),
                      .module = std::string(module),
                      .part = split->ending.part,
                      .kind = std::string(split->ending.kind),
                      .factor = std::string(split->ending.factor),
                      .isBias = split->ending.isBias};
}

std::string_view adapterComponentOf(std::string_view name) {
    std::string_view rest;
    return name.find('.') == name.npos ? std::string_view() : componentIn(name, rest);
}

bool isOfAdapter(std::string_view key) {
    const std::optional<SplitKey> split = splitKey(key);
    return (split && split->ending.part != Part::Alpha) || unbuiltAdapterKind(key);
}

std::optional<Phrase> unbuiltAdapterKind(std::string_view key) {
    for (const auto& [part, kind] : kUnbuilt) {
        if (key.find(part) != key.npos) {
            return kind;
        }
    }
    return std::nullopt;
}

}  // namespace lowtide::models
