#include "plugin/models/text/clip_text_model.hpp"

#include "plugin/base/error.hpp"
#include "plugin/models/blocks/config_checks.hpp"
#include "plugin/models/blocks/pass.hpp"
#include "plugin/models/text/clip_text_output.hpp"
#include "plugin/tensor/kernels.hpp"

#include <algorithm>
#include <limits>

namespace lowtide::models {

namespace {

constexpr int64_t kLargestVocabulary = 1 << 24;
/// What all configs said before transformers 4.31; then the largest id is the end token.
constexpr int64_t kLegacyEndToken = 2;

const AttentionNames& clipAttentionNames() {
    static const AttentionNames names{"q_proj", "k_proj", "v_proj", "out_proj"};
    return names;
}

bool isQuickGelu(const JsonReader& reader) {
    const std::string activation = reader.text("hidden_act").value_or("quick_gelu");
    if (activation != "quick_gelu" && activation != "gelu") {
        throw Error(ErrorKind::Unsupported,
                    reader.what() + ": hidden_act is \"" + activation +
                        "\", only \"quick_gelu\" and \"gelu\" are built",
                    "choose another checkpoint");
    }
    return activation == "quick_gelu";
}

std::string keyPrefix(const NetworkBuilder& builder) {
    return builder.has("text_model.embeddings.token_embedding.weight") ? "text_model." : "";
}

/// [T, T] for the scores: a token sees those before it and itself, but none of `unseen`.
at::Tensor sightWithout(const std::vector<int64_t>& unseen, int64_t count, Pass& pass) {
    constexpr double kHidden = -std::numeric_limits<double>::infinity();
    at::Tensor sight =
        at::full({count, count}, kHidden, at::TensorOptions(at::kFloat).device(pass.device()));
    sight.triu_(1);  // hidden above the diagonal, 0 elsewhere
    for (const int64_t place : unseen) {
        LOWTIDE_ASSERT(place > 0 && place < count);
        sight.select(1, place).fill_(kHidden);
    }
    return sight;
}

}  // namespace

ClipTextConfig readClipTextConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    static const std::vector<FixedSetting> fixed = {{"use_attention_mask", false}};
    refuseOtherSettings(json, what, fixed);
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    const ClipTextConfig defaults;
    const ClipTextConfig config{
        .vocabularySize = number("vocab_size", defaults.vocabularySize, kLargestVocabulary),
        .width = number("hidden_size", defaults.width, kMostChannels),
        .innerWidth = number("intermediate_size", defaults.innerWidth, kMostChannels),
        .layers = number("num_hidden_layers", defaults.layers, kMostLayers),
        .heads = number("num_attention_heads", defaults.heads, kMostChannels),
        .positions = number("max_position_embeddings", defaults.positions, kMostChannels),
        .endToken = reader.integer("eos_token_id").value_or(defaults.endToken),
        .epsilon = reader.number("layer_norm_eps").value_or(defaults.epsilon),
        .quickGelu = isQuickGelu(reader)};
    requireDivisible(reader, "num_attention_heads", config.width, config.heads);
    return config;
}

ClipTextModel::Layer::Layer(NetworkBuilder& builder,
                            const std::string& name,
                            const ClipTextConfig& config)
    : norm1(builder, name + ".layer_norm1", config.width, config.epsilon),
      attention(builder,
                name + ".self_attn",
                clipAttentionNames(),
                {.width = config.width,
                 .contextWidth = config.width,
                 .heads = config.heads,
                 .inputBias = Bias::Added}),
      norm2(builder, name + ".layer_norm2", config.width, config.epsilon),
      inner(builder, name + ".mlp.fc1", config.width, config.innerWidth),
      outer(builder, name + ".mlp.fc2", config.innerWidth, config.width) {}

at::Tensor ClipTextModel::Layer::apply(Pass& pass,
                                       const at::Tensor& x,
                                       const at::Tensor& sight,
                                       bool quickGelu) const {
    namespace kernels = tensor::kernels;
    const at::Tensor normed = norm1.apply(pass, x);
    const at::Tensor attended =
        x + (sight.defined() ? attention.applyBiased(pass, normed, sight)
                             : attention.apply(pass, normed, normed, Mask::Causal));
    const at::Tensor hidden = inner.apply(pass, norm2.apply(pass, attended));
    return attended +
           outer.apply(pass, quickGelu ? kernels::quickGelu(hidden) : kernels::gelu(hidden));
}

ClipTextModel::Layers::Layers(NetworkBuilder& builder,
                              const std::string& prefix,
                              const ClipTextConfig& config)
    : tokens(builder, prefix + "embeddings.token_embedding", config.vocabularySize, config.width),
      positions(builder, prefix + "embeddings.position_embedding", config.positions, config.width),
      layers([&] {
          std::vector<Layer> made;
          for (int64_t i = 0; i < config.layers; ++i) {
              const std::string name = prefix + "encoder.layers." + std::to_string(i);
              const NetworkBuilder::BlockGuard block(builder, name);
              made.emplace_back(builder, name, config);
          }
          return made;
      }()),
      finalNorm(builder, prefix + "final_layer_norm", config.width, config.epsilon) {}

ClipTextModel::ClipTextModel(const ClipTextConfig& config, const WeightMap& weights)
    : config_(config) {
    NetworkBuilder builder("text_encoder", "CLIPTextModel", weights, DType::F32);
    const std::string prefix = keyPrefix(builder);
    layers_ = std::make_unique<Layers>(builder, prefix, config);
    tree_ = builder.finish({prefix + "embeddings.position_ids"});
}

int64_t ClipTextModel::pooledPosition(const std::vector<int64_t>& ids) const {
    const auto end = config_.endToken == kLegacyEndToken
                         ? std::max_element(ids.begin(), ids.end())
                         : std::find(ids.begin(), ids.end(), config_.endToken);
    return end == ids.end() ? 0 : end - ids.begin();
}

ClipTextModel::Output ClipTextModel::encode(Pass& pass,
                                            const std::vector<int64_t>& ids,
                                            int clipSkip,
                                            const std::vector<int64_t>& unseen) const {
    const int64_t skipped = std::max(clipSkip, 0);
    if (skipped > config_.layers) {
        throw Error(ErrorKind::InvalidInput,
                    "clip skip " + std::to_string(skipped) +
                        " leaves nothing of a text encoder of " + std::to_string(config_.layers) +
                        " layers",
                    "choose at most " + std::to_string(config_.layers),
                    "clip_skip");
    }
    const auto count = static_cast<int64_t>(ids.size());
    LOWTIDE_ASSERT(count <= config_.positions);
    pass.begin();
    const at::Tensor sight =
        unseen.empty() ? at::Tensor() : pass.toCompute(sightWithout(unseen, count, pass));
    const auto record = [&](int64_t index, const at::Tensor& hidden) {
        pass.record().putNext("text_encoder.hidden." + std::to_string(index), hidden);
    };
    at::Tensor hidden =
        pass.toCompute(layers_->tokens.apply(pass, at::tensor(ids, at::kLong).unsqueeze(0)) +
                       layers_->positions.apply(pass, at::arange(count, at::kLong).unsqueeze(0)));
    at::Tensor chosen = hidden;
    record(0, hidden);
    for (int64_t i = 0; i < config_.layers; ++i) {
        hidden =
            layers_->layers[static_cast<size_t>(i)].apply(pass, hidden, sight, config_.quickGelu);
        record(i + 1, hidden);
        if (i + 1 == config_.layers - skipped) {
            chosen = hidden;
        }
    }
    const at::Tensor last = layers_->finalNorm.apply(pass, hidden);
    // [1, T, D] -> [1, D]; a copy, because a view would hold the whole state for as long as it
    // lives.
    const at::Tensor pooled = last.select(1, pooledPosition(ids)).clone().to(at::kFloat);
    pass.record().putNext("text_encoder.last_hidden_state", last);
    pass.record().putNext("text_encoder.pooled", pooled);
    const at::Tensor embeds = skipped == 0 ? last : layers_->finalNorm.apply(pass, chosen);
    return {.embeds = embeds.to(at::kFloat), .pooled = pooled};
}

}  // namespace lowtide::models
