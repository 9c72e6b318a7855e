#include "plugin/nn/text/t5_encoder.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace lowtide::models {

namespace {

constexpr int64_t kMostT5Vocabulary = 1 << 24;

std::span<const FixedSetting> fixedT5Settings() {
    static const std::vector<FixedSetting> settings = {{"feed_forward_proj", "gated-gelu"}};
    return settings;
}

}  // namespace

T5EncoderConfig readT5EncoderConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    refuseOtherSettings(json, what, fixedT5Settings());
    const std::string kind = reader.text("model_type").value_or("umt5");
    if (kind != "umt5" && kind != "t5") {
        refuseConfig(reader,
                     message("model_type is {}, only umt5 and t5 are built", quotedName(kind)));
    }
    const auto number = [&](const char* key, int64_t otherwise, int64_t most) {
        return integerInRange(reader, key, otherwise, 1, most);
    };
    T5EncoderConfig config;
    config.hasOwnBiases = kind == "umt5";
    config.vocabularySize = number("vocab_size", config.vocabularySize, kMostT5Vocabulary);
    config.width = number("d_model", config.width, kMostChannels);
    config.headWidth = number("d_kv", config.headWidth, kMostChannels);
    config.heads = number("num_heads", config.heads, kMostChannels);
    config.innerWidth = number("d_ff", config.innerWidth, kMostChannels);
    config.layers = number("num_layers", config.layers, kMostLayers);
    config.buckets =
        integerInRange(reader, "relative_attention_num_buckets", config.buckets, 4, kMostChannels);
    config.mostDistance = integerInRange(reader,
                                         "relative_attention_max_distance",
                                         config.mostDistance,
                                         config.buckets / 4 + 1,
                                         kMostChannels);
    config.epsilon = reader.number("layer_norm_epsilon").value_or(config.epsilon);
    return config;
}

namespace kernels = tensor::kernels;

namespace {

/// The token table lies under either name, or both.
std::string tableName(const NetworkBuilder& builder) {
    return builder.has("shared.weight") ? "shared" : "encoder.embed_tokens";
}

/// [R, T, 1]: 1 where there are tokens, 0 where there is padding.
at::Tensor textMask(std::span<const int64_t> lengths, int64_t count) {
    at::Tensor mask = at::zeros({static_cast<int64_t>(lengths.size()), count, 1}, at::kFloat);
    for (size_t row = 0; row < lengths.size(); ++row) {
        mask[static_cast<int64_t>(row)].narrow(0, 0, lengths[row]).fill_(1);
    }
    return mask;
}

/// [R, 1, 1, T]: 0 where there are tokens, -inf where there is padding.
at::Tensor paddingScores(std::span<const int64_t> lengths, int64_t count) {
    at::Tensor scores = at::zeros({static_cast<int64_t>(lengths.size()), 1, 1, count},
                                  at::TensorOptions(at::kFloat));
    for (size_t row = 0; row < lengths.size(); ++row) {
        LOWTIDE_ASSERT(lengths[row] > 0 && lengths[row] <= count);
        scores[static_cast<int64_t>(row)]
            .narrow(-1, lengths[row], count - lengths[row])
            .fill_(-std::numeric_limits<double>::infinity());
    }
    return scores;
}

/// Of states in f32, in the type in which the network computes: rounded before the weights of the
/// norm, and after them, as UMT5LayerNorm does.
at::Tensor normedStates(Forward& forward, const RmsNorm& norm, const at::Tensor& states) {
    const residency::Lease lease = forward.use(norm.leaf);
    const at::Tensor normed = kernels::rmsNorm(states, {}, norm.epsilon).to(lease[0].scalar_type());
    return forward.toCompute(normed * lease[0]);
}

}  // namespace

at::Tensor distanceBuckets(int64_t count, int64_t buckets, int64_t mostDistance) {
    const int64_t ofSide = buckets / 2;
    const int64_t exact = ofSide / 2;
    const at::Tensor ahead = at::arange(1 - count, count, at::kLong);  // [2L-1]
    const at::Tensor distance = ahead.abs();
    const at::Tensor growth =
        (distance.to(at::kFloat) / static_cast<double>(exact)).log() /
        std::log(static_cast<double>(mostDistance) / static_cast<double>(exact)) *
        static_cast<double>(ofSide - exact);
    const at::Tensor far = (growth.clamp_min(0).to(at::kLong) + exact).clamp_max(ofSide - 1);
    const at::Tensor each =
        (ahead > 0).to(at::kLong) * ofSide + at::where(distance < exact, distance, far);
    return each.unfold(0, count, 1).flip(0);  // [2L-1] -> [L,L], the last position's row first
}

T5Encoder::Layer::Layer(NetworkBuilder& builder,
                        const std::string& name,
                        const T5EncoderConfig& config,
                        bool hasBiases)
    : attentionNorm(builder, name + ".layer.0.layer_norm", config.width, config.epsilon),
      query(builder,
            name + ".layer.0.SelfAttention.q",
            config.width,
            config.heads * config.headWidth,
            Bias::None),
      key(builder,
          name + ".layer.0.SelfAttention.k",
          config.width,
          config.heads * config.headWidth,
          Bias::None),
      value(builder,
            name + ".layer.0.SelfAttention.v",
            config.width,
            config.heads * config.headWidth,
            Bias::None),
      out(builder,
          name + ".layer.0.SelfAttention.o",
          config.heads * config.headWidth,
          config.width,
          Bias::None),
      feedNorm(builder, name + ".layer.1.layer_norm", config.width, config.epsilon),
      gate(builder,
           name + ".layer.1.DenseReluDense.wi_0",
           config.width,
           config.innerWidth,
           Bias::None),
      inner(builder,
            name + ".layer.1.DenseReluDense.wi_1",
            config.width,
            config.innerWidth,
            Bias::None),
      outer(builder,
            name + ".layer.1.DenseReluDense.wo",
            config.innerWidth,
            config.width,
            Bias::None) {
    if (hasBiases) {
        biases = builder.leaf(name + ".layer.0.SelfAttention.relative_attention_bias.",
                              {{.name = "weight", .shape = {config.buckets, config.heads}}});
    }
}

T5Encoder::Layers::Layers(NetworkBuilder& builder, const T5EncoderConfig& config)
    : tokens(builder, tableName(builder), config.vocabularySize, config.width),
      layers([&] {
          std::vector<Layer> made;
          for (int64_t i = 0; i < config.layers; ++i) {
              const std::string name = "encoder.block." + std::to_string(i);
              const NetworkBuilder::BlockGuard block(builder, name);
              made.emplace_back(builder, name, config, i == 0 || config.hasOwnBiases);
          }
          return made;
      }()),
      finalNorm(builder, "encoder.final_layer_norm", config.width, config.epsilon) {}

T5Encoder::T5Encoder(const T5EncoderConfig& config, const WeightMap& weights, std::string_view role)
    : config_(config), role_(role) {
    NetworkBuilder builder(
        role_, config.hasOwnBiases ? "UMT5EncoderModel" : "T5EncoderModel", weights, DType::F32);
    layers_ = std::make_unique<Layers>(builder, config);
    tree_ = builder.finish({"encoder.embed_tokens.weight", "shared.weight"});
}

at::Tensor T5Encoder::biasesOf(Forward& forward,
                               memory::LeafId table,
                               const at::Tensor& buckets) const {
    const residency::Lease lease = forward.use(table);
    return kernels::takenRows(lease[0], buckets.flatten())
        .to(at::kFloat)
        .view({buckets.size(0), buckets.size(1), config_.heads})
        .permute({2, 0, 1})
        .unsqueeze(0)
        .contiguous();
}

at::Tensor T5Encoder::attend(Forward& forward,
                             const Layer& layer,
                             const at::Tensor& hidden,
                             const at::Tensor& scores) const {
    const at::Tensor normed = normedStates(forward, layer.attentionNorm, hidden);
    const auto inHeads = [&](const Linear& projection) {
        return projection.apply(forward, normed)
            .unflatten(2, {config_.heads, config_.headWidth})
            .transpose(1, 2);
    };
    const at::Tensor found = kernels::scoredAttention(
        inHeads(layer.query), inHeads(layer.key), inHeads(layer.value), scores);
    return layer.out.apply(forward, found.transpose(1, 2).flatten(2));
}

at::Tensor T5Encoder::encode(Forward& forward,
                             const at::Tensor& ids,
                             std::span<const int64_t> lengths,
                             T5Padding padding) const {
    LOWTIDE_ASSERT(static_cast<int64_t>(lengths.size()) == ids.size(0));
    forward.begin();
    const int64_t count = ids.size(1);
    const c10::Device device = forward.device();
    const at::Tensor buckets =
        tensor::upload(distanceBuckets(count, config_.buckets, config_.mostDistance), device);
    const at::Tensor unseen = tensor::upload(paddingScores(lengths, count), device);
    at::Tensor hidden = layers_->tokens.apply(forward, ids).to(at::kFloat);
    at::Tensor scores;
    for (const Layer& layer : layers_->layers) {
        if (layer.biases) {
            scores.reset();
            scores = biasesOf(forward, *layer.biases, buckets) + unseen;
        }
        hidden.add_(attend(forward, layer, hidden, scores));
        const at::Tensor normed = normedStates(forward, layer.feedNorm, hidden);
        at::Tensor fed = kernels::tanhGelu(layer.gate.apply(forward, normed));
        fed.mul_(layer.inner.apply(forward, normed));
        const residency::Lease lease = forward.use(layer.outer.leaf);
        hidden.add_(kernels::linear(fed.to(forward.productType(layer.outer.leaf)), lease[0], {}));
    }
    at::Tensor last = normedStates(forward, layers_->finalNorm, hidden).to(at::kFloat);
    for (int64_t row = 0; row < last.size(0); ++row) {
        forward.record().putNext(role_ + ".last_hidden_state", last.narrow(0, row, 1));
    }
    return padding == T5Padding::Zero ? last.mul_(tensor::upload(textMask(lengths, count), device))
                                      : last;
}

}  // namespace lowtide::models
