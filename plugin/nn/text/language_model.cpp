#include "plugin/nn/text/language_model.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace lowtide::models {

namespace {

constexpr int64_t kMostLanguageVocabulary = 1 << 24;
constexpr int64_t kMostLanguagePositions = 1 << 24;

std::span<const FixedSetting> fixedLanguageSettings() {
    static const std::vector<FixedSetting> settings = {{"attention_bias", false},
                                                       {"hidden_act", "silu"},
                                                       {"mlp_bias", false},
                                                       {"use_sliding_window", false}};
    return settings;
}

/// Of newer files ("rope_parameters"), or of older ones ("rope_scaling" with "rope_theta").
void readRotation(const Json& json, const JsonReader& reader, LanguageModelConfig& config) {
    config.rotaryBase = numberAboveZero(reader, "rope_theta", config.rotaryBase);
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        if (!json.contains(key) || !json.at(key).is_object()) {
            continue;
        }
        const JsonReader own(json.at(key), reader.what() + ": " + key);
        config.rotaryBase = numberAboveZero(own, "rope_theta", config.rotaryBase);
        const std::string type =
            own.text("rope_type").value_or(own.text("type").value_or("default"));
        if (type == "default") {
            return;
        }
        if (type != "llama3") {
            refuseConfig(
                own,
                message("rope_type is {}, only default and llama3 are built", quotedName(type)));
        }
        RotaryScaling scaling;
        scaling.factor = numberAboveZero(own, "factor", scaling.factor);
        scaling.lowFrequency = numberAboveZero(own, "low_freq_factor", scaling.lowFrequency);
        scaling.highFrequency = numberAboveZero(own, "high_freq_factor", scaling.highFrequency);
        scaling.trainedPositions =
            numberAboveZero(own, "original_max_position_embeddings", scaling.trainedPositions);
        if (scaling.highFrequency <= scaling.lowFrequency) {
            throw Error(
                ErrorKind::Corrupt,
                message("{}: high_freq_factor is {}, needs more than the {} of low_freq_factor",
                        own.what(),
                        formatNumber(scaling.highFrequency),
                        formatNumber(scaling.lowFrequency)),
                kGetConfigHint);
        }
        config.rotaryScaling = scaling;
        return;
    }
}

}  // namespace

LanguageModelConfig readLanguageModelConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    const std::string kind = reader.text("model_type").value_or("llama");
    if (kind != "llama" && kind != "qwen3") {
        refuseConfig(reader,
                     message("model_type is {}, only llama and qwen3 are built", quotedName(kind)));
    }
    refuseOtherSettings(json, what, fixedLanguageSettings());
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    LanguageModelConfig config;
    config.hasHeadNorms = kind == "qwen3";
    config.vocabularySize = number("vocab_size", config.vocabularySize, kMostLanguageVocabulary);
    config.width = number("hidden_size", config.width, kMostChannels);
    config.innerWidth = number("intermediate_size", config.innerWidth, kMostChannels);
    config.layers = number("num_hidden_layers", config.layers, kMostLayers);
    config.heads = number("num_attention_heads", config.heads, kMostChannels);
    config.keyHeads = number("num_key_value_heads", config.heads, kMostChannels);
    requireDivisible(reader, "num_key_value_heads", config.heads, config.keyHeads);
    if (reader.has("head_dim")) {
        config.headWidth = number("head_dim", config.headWidth, kMostChannels);
    } else {
        requireDivisible(reader, "num_attention_heads", config.width, config.heads);
        config.headWidth = config.width / config.heads;
    }
    requireDivisible(reader, "head_dim", config.headWidth, 2);
    config.positions = number("max_position_embeddings", config.positions, kMostLanguagePositions);
    config.epsilon = numberAboveZero(reader, "rms_norm_eps", config.epsilon);
    config.rotatesNeighbours = reader.boolean("rope_interleave").value_or(false);
    readRotation(json, reader, config);
    return config;
}

namespace kernels = tensor::kernels;

namespace {

/// Keys of a causal language model begin with "model.", those of its trunk alone do not.
std::string trunkPrefix(const NetworkBuilder& builder) {
    return builder.has("model.embed_tokens.weight") ? "model." : "";
}

/// [T, T]: a token sees those before it and itself, as far as they are of the text.
at::Tensor sightOf(int64_t length, int64_t count, c10::Device device) {
    constexpr double kHidden = -std::numeric_limits<double>::infinity();
    at::Tensor sight =
        at::full({count, count}, kHidden, at::TensorOptions(at::kFloat).device(device));
    sight.triu_(1);
    if (length < count) {
        sight.narrow(1, length, count - length).fill_(kHidden);
    }
    return sight;
}

/// Of states in f32, in the type in which the network computes.
at::Tensor normedText(Forward& forward, const RmsNorm& norm, const at::Tensor& states) {
    const residency::Lease lease = forward.use(norm.leaf);
    return forward.toCompute(kernels::rmsNorm(states, lease[0].to(at::kFloat), norm.epsilon));
}

/// x [R, H, T, d] -> [R, H groups, T, d]: each head as often as others share it.
at::Tensor sharedHeads(const at::Tensor& x, int64_t sharers) {
    return sharers == 1 ? x
                        : x.unsqueeze(2)
                              .expand({x.size(0), x.size(1), sharers, x.size(2), x.size(3)})
                              .flatten(1, 2);
}

std::optional<RmsNorm> headNorm(NetworkBuilder& builder,
                                const std::string& name,
                                const LanguageModelConfig& config) {
    if (!config.hasHeadNorms) {
        return std::nullopt;
    }
    return RmsNorm(builder, name, config.headWidth, config.epsilon);
}

}  // namespace

Rotation textRotation(int64_t count, const LanguageModelConfig& config) {
    const at::Tensor exponents = at::arange(0, config.headWidth, 2, at::kLong).to(at::kFloat) /
                                 static_cast<double>(config.headWidth);
    at::Tensor frequencies = at::pow(config.rotaryBase, exponents).reciprocal_();
    if (config.rotaryScaling) {
        const RotaryScaling& scaling = *config.rotaryScaling;
        const at::Tensor waves = 2 * std::numbers::pi / frequencies;
        const double longest = scaling.trainedPositions / scaling.lowFrequency;
        const double shortest = scaling.trainedPositions / scaling.highFrequency;
        const at::Tensor slowed =
            at::where(waves > longest, frequencies / scaling.factor, frequencies);
        const at::Tensor weight = (scaling.trainedPositions / waves - scaling.lowFrequency) /
                                  (scaling.highFrequency - scaling.lowFrequency);
        const at::Tensor between = (1 - weight) * slowed / scaling.factor + weight * slowed;
        frequencies = at::where((waves >= shortest).logical_and(waves <= longest), between, slowed);
    }
    const at::Tensor angles = at::outer(at::arange(count, at::kLong).to(at::kFloat), frequencies)
                                  .unsqueeze(0)
                                  .unsqueeze(2);
    return {.cosines = angles.cos(), .sines = angles.sin()};
}

LanguageModel::Layer::Layer(NetworkBuilder& builder,
                            const std::string& name,
                            const LanguageModelConfig& config)
    : attentionNorm(builder, name + ".input_layernorm", config.width, config.epsilon),
      query(builder,
            name + ".self_attn.q_proj",
            config.width,
            config.heads * config.headWidth,
            Bias::None),
      key(builder,
          name + ".self_attn.k_proj",
          config.width,
          config.keyHeads * config.headWidth,
          Bias::None),
      value(builder,
            name + ".self_attn.v_proj",
            config.width,
            config.keyHeads * config.headWidth,
            Bias::None),
      out(builder,
          name + ".self_attn.o_proj",
          config.heads * config.headWidth,
          config.width,
          Bias::None),
      queryNorm(headNorm(builder, name + ".self_attn.q_norm", config)),
      keyNorm(headNorm(builder, name + ".self_attn.k_norm", config)),
      feedNorm(builder, name + ".post_attention_layernorm", config.width, config.epsilon),
      gate(builder, name + ".mlp.gate_proj", config.width, config.innerWidth, Bias::None),
      inner(builder, name + ".mlp.up_proj", config.width, config.innerWidth, Bias::None),
      outer(builder, name + ".mlp.down_proj", config.innerWidth, config.width, Bias::None) {}

LanguageModel::Layers::Layers(NetworkBuilder& builder, const LanguageModelConfig& config)
    : tokens(builder, trunkPrefix(builder) + "embed_tokens", config.vocabularySize, config.width),
      layers(
          numberedBlocks<Layer>(builder, trunkPrefix(builder) + "layers.", config.layers, config)),
      finalNorm(builder, trunkPrefix(builder) + "norm", config.width, config.epsilon) {}

LanguageModel::LanguageModel(const LanguageModelConfig& config,
                             const WeightMap& weights,
                             std::string_view role)
    : config_(config), role_(role) {
    NetworkBuilder builder(
        role_, config.hasHeadNorms ? "Qwen3Model" : "LlamaModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({"lm_head."});  // what makes words of states
}

at::Tensor LanguageModel::attend(Forward& forward,
                                 const Layer& layer,
                                 const at::Tensor& hidden,
                                 const Rotation& rotation,
                                 const std::vector<at::Tensor>& sights) const {
    const at::Tensor normed = normedText(forward, layer.attentionNorm, hidden);
    const auto inHeads = [&](const Linear& projection, const std::optional<RmsNorm>& norm) {
        at::Tensor each = projection.apply(forward, normed).unflatten(2, {-1, config_.headWidth});
        return norm ? norm->apply(forward, each) : each;
    };
    const auto turned = [&](const at::Tensor& x) {
        return (config_.rotatesNeighbours ? rotated(x, rotation) : rotatedHalves(x, rotation))
            .transpose(1, 2);
    };
    const int64_t sharers = config_.heads / config_.keyHeads;
    const at::Tensor q = turned(inHeads(layer.query, layer.queryNorm));
    const at::Tensor k = sharedHeads(turned(inHeads(layer.key, layer.keyNorm)), sharers);
    const at::Tensor v = sharedHeads(inHeads(layer.value, std::nullopt).transpose(1, 2), sharers);
    std::vector<at::Tensor> found;
    for (size_t row = 0; row < sights.size(); ++row) {
        const auto at = static_cast<int64_t>(row);
        found.push_back(kernels::biasedAttention(
            q.narrow(0, at, 1), k.narrow(0, at, 1), v.narrow(0, at, 1), sights[row]));
    }
    return layer.out.apply(forward, at::cat(found).transpose(1, 2).flatten(2));
}

void LanguageModel::applyLayer(Forward& forward,
                               const Layer& layer,
                               at::Tensor& hidden,
                               const Rotation& rotation,
                               const std::vector<at::Tensor>& sights) const {
    hidden.add_(attend(forward, layer, hidden, rotation, sights));
    const at::Tensor normed = normedText(forward, layer.feedNorm, hidden);
    at::Tensor fed = kernels::silu(layer.gate.apply(forward, normed));
    fed.mul_(layer.inner.apply(forward, normed));
    hidden.add_(layer.outer.apply(forward, fed));
}

at::Tensor LanguageModel::encode(Forward& forward,
                                 const at::Tensor& ids,
                                 std::span<const int64_t> lengths,
                                 int64_t first,
                                 int64_t last) const {
    LOWTIDE_ASSERT(static_cast<int64_t>(lengths.size()) == ids.size(0) && first <= last &&
                   last <= config_.layers);
    forward.begin();
    const int64_t count = ids.size(1);
    const c10::Device device = forward.device();
    const Rotation onHost = textRotation(count, config_);
    const Rotation rotation = uploaded(onHost, device);
    std::vector<at::Tensor> sights;
    for (const int64_t length : lengths) {
        LOWTIDE_ASSERT(length > 0 && length <= count);
        sights.push_back(forward.toCompute(sightOf(length, count, device)));
    }
    at::Tensor hidden = layers_->tokens.apply(forward, ids).to(at::kFloat);
    at::Tensor states =
        at::empty({ids.size(0), last - first + 1, count, config_.width}, hidden.options());
    for (int64_t number = 0; number <= last; ++number) {
        if (number > 0) {
            applyLayer(forward,
                       layers_->layers[static_cast<size_t>(number - 1)],
                       hidden,
                       rotation,
                       sights);
        }
        const at::Tensor state =
            number == config_.layers
                ? normedText(forward, layers_->finalNorm, hidden).to(at::kFloat)
                : hidden;
        for (int64_t row = 0; row < state.size(0); ++row) {
            forward.record().putNext(role_ + ".hidden." + std::to_string(number),
                                     state.narrow(0, row, 1));
        }
        if (number >= first) {
            states.select(1, number - first).copy_(state);
        }
    }
    return states;
}

}  // namespace lowtide::models
