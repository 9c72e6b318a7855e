#include "plugin/nn/text/clip_text_model.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/nn/blocks/forward.hpp"
#include "plugin/tensor/kernels.hpp"
#include "plugin/tensor/transfer.hpp"

#include <algorithm>
#include <limits>

namespace lowtide::models {

namespace {

const AttentionNames& clipAttentionNames() {
    static const AttentionNames names{"q_proj", "k_proj", "v_proj", "out_proj"};
    return names;
}

}  // namespace

ClipLayer::ClipLayer(NetworkBuilder& builder, const std::string& name, const ClipLayerSizes& sizes)
    : norm1(builder, name + ".layer_norm1", sizes.width, sizes.epsilon),
      attention(builder,
                name + ".self_attn",
                clipAttentionNames(),
                {.width = sizes.width,
                 .contextWidth = sizes.width,
                 .heads = sizes.heads,
                 .inputBias = Bias::Added}),
      norm2(builder, name + ".layer_norm2", sizes.width, sizes.epsilon),
      inner(builder, name + ".mlp.fc1", sizes.width, sizes.innerWidth),
      outer(builder, name + ".mlp.fc2", sizes.innerWidth, sizes.width),
      quickGelu(sizes.quickGelu) {}

at::Tensor ClipLayer::activated(const at::Tensor& x) const {
    return quickGelu ? tensor::kernels::quickGelu(x) : tensor::kernels::gelu(x);
}

at::Tensor ClipLayer::applyToTexts(Forward& forward,
                                   const at::Tensor& x,
                                   const std::vector<at::Tensor>& sights) const {
    const at::Tensor attended = x + attention.applyToRows(forward, norm1.apply(forward, x), sights);
    const at::Tensor hidden = inner.applyToRows(forward, norm2.apply(forward, attended));
    return attended + outer.applyToRows(forward, activated(hidden));
}

at::Tensor ClipLayer::applyToImages(Forward& forward, const at::Tensor& x) const {
    const at::Tensor normed = norm1.apply(forward, x);
    const at::Tensor attended = x + attention.apply(forward, normed, normed, Mask::None);
    const at::Tensor hidden = inner.apply(forward, norm2.apply(forward, attended));
    return attended + outer.apply(forward, activated(hidden));
}

bool isQuickGelu(const JsonReader& reader) {
    const std::string activation = reader.text("hidden_act").value_or("quick_gelu");
    if (activation != "quick_gelu" && activation != "gelu") {
        throw Error(ErrorKind::Unsupported,
                    message("{}: hidden_act is \"{}\", only \"quick_gelu\" and \"gelu\" are built",
                            reader.what(),
                            activation),
                    message("choose another checkpoint"));
    }
    return activation == "quick_gelu";
}

namespace {

constexpr int64_t kLargestVocabulary = 1 << 24;
/// What all configs had before transformers 4.31; then the largest id is the end token.
constexpr int64_t kLegacyEndToken = 2;
/// Rows that go through the layers together: what they take in addition to the weights remains
/// small.
constexpr size_t kRowsOfForward = 8;

std::string keyPrefix(const NetworkBuilder& builder) {
    return builder.has("text_model.embeddings.token_embedding.weight") ? "text_model." : "";
}

/// [T, T] for the scores: a token sees those before it and itself, but none of `unseen`.
at::Tensor sightWithout(const std::vector<int64_t>& unseen, int64_t count, Forward& forward) {
    constexpr double kHidden = -std::numeric_limits<double>::infinity();
    at::Tensor sight =
        at::full({count, count}, kHidden, at::TensorOptions(at::kFloat).device(forward.device()));
    sight.triu_(1);  // hidden above the diagonal, 0 elsewhere
    for (const int64_t position : unseen) {
        LOWTIDE_ASSERT(position > 0 && position < count);
        sight.select(1, position).fill_(kHidden);
    }
    return sight;
}

/// The ids of a row; vectors have that of some token, which is never the end.
std::vector<int64_t> tokenIds(const ClipTextModel::Row& row) {
    std::vector<int64_t> ids = row.ids;
    for (const TokenOverride& own : row.overrides) {
        std::fill_n(ids.begin() + own.position, own.count, 0);
    }
    return ids;
}

/// Writes vectors over the token rows [T, D] of one text.
void putVectors(const at::Tensor& rows, const TokenOverride& own) {
    const TokenVectors& vectors = *own.vectors;
    LOWTIDE_ASSERT(vectors.width == rows.size(1) && own.position + own.count <= rows.size(0) &&
                   own.first + own.count <= vectors.count());
    const float* first = vectors.values.data() + own.first * vectors.width;
    const at::Tensor values = at::from_blob(
        const_cast<float*>(first), {own.count, vectors.width}, at::TensorOptions(at::kFloat));
    rows.narrow(0, own.position, own.count).copy_(tensor::upload(values, rows.device()));
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
        .projectionWidth = number("projection_dim", defaults.projectionWidth, kMostChannels),
        .epsilon = reader.number("layer_norm_eps").value_or(defaults.epsilon),
        .quickGelu = isQuickGelu(reader)};
    requireDivisible(reader, "num_attention_heads", config.width, config.heads);
    return config;
}

ClipTextModel::Layers::Layers(NetworkBuilder& builder,
                              const std::string& prefix,
                              const ClipTextConfig& config,
                              bool projectsPooled)
    : tokens(builder, prefix + "embeddings.token_embedding", config.vocabularySize, config.width),
      positions(builder, prefix + "embeddings.position_embedding", config.positions, config.width),
      layers(numberedBlocks<ClipLayer>(builder,
                                       prefix + "encoder.layers.",
                                       config.layers,
                                       ClipLayerSizes{.width = config.width,
                                                      .innerWidth = config.innerWidth,
                                                      .heads = config.heads,
                                                      .epsilon = config.epsilon,
                                                      .quickGelu = config.quickGelu})),
      finalNorm(builder, prefix + "final_layer_norm", config.width, config.epsilon) {
    if (projectsPooled) {
        projection.emplace(
            builder, "text_projection", config.width, config.projectionWidth, Bias::None);
    }
}

ClipTextModel::ClipTextModel(const ClipTextConfig& config,
                             const WeightMap& weights,
                             ClipTextUse use)
    : config_(config), use_(std::move(use)) {
    NetworkBuilder builder(use_.role,
                           use_.projectsPooled ? "CLIPTextModelWithProjection" : "CLIPTextModel",
                           weights,
                           DType::F32);
    const std::string prefix = keyPrefix(builder);
    layers_ = std::make_unique<Layers>(builder, prefix, config, use_.projectsPooled);
    tree_ = builder.finish({prefix + "embeddings.position_ids"});
}

int64_t ClipTextModel::pooledPosition(const Row& row) const {
    const std::vector<int64_t> ids = tokenIds(row);
    const auto end = config_.endToken == kLegacyEndToken
                         ? std::max_element(ids.begin(), ids.end())
                         : std::find(ids.begin(), ids.end(), config_.endToken);
    return end == ids.end() ? 0 : end - ids.begin();
}

std::optional<int64_t> ClipTextModel::chosenState(int clipSkip) const {
    if (use_.state == ClipTextState::Penultimate) {
        return config_.layers - 1 - std::max(clipSkip, 0);
    }
    return clipSkip > 0 ? std::optional(config_.layers - clipSkip) : std::nullopt;
}

void ClipTextModel::checkClipSkip(int clipSkip) const {
    const int64_t state = chosenState(clipSkip).value_or(0);
    if (state < 0) {
        throw Error(ErrorKind::InvalidInput,
                    message("clip skip {} leaves nothing of a text encoder of {} layers",
                            clipSkip,
                            config_.layers),
                    message("choose at most {}", clipSkip + state),
                    "clip_skip");
    }
}

std::vector<ClipTextModel::Output> ClipTextModel::encode(Forward& forward,
                                                         std::span<const Row> rows) const {
    std::vector<Output> outputs;
    for (const Row& row : rows) {
        checkClipSkip(row.clipSkip);
    }
    for (size_t begin = 0; begin < rows.size(); begin += kRowsOfForward) {
        const auto some = rows.subspan(begin, std::min(kRowsOfForward, rows.size() - begin));
        for (Output& output : encodeTogether(forward, some)) {
            outputs.push_back(std::move(output));
        }
    }
    return outputs;
}

at::Tensor ClipTextModel::embedded(Forward& forward, std::span<const Row> rows) const {
    std::vector<at::Tensor> ids;
    for (const Row& row : rows) {
        ids.push_back(at::tensor(tokenIds(row), at::kLong));
    }
    at::Tensor embedded = layers_->tokens.apply(forward, at::stack(ids));
    for (size_t row = 0; row < rows.size(); ++row) {
        for (const TokenOverride& own : rows[row].overrides) {
            putVectors(embedded.select(0, static_cast<int64_t>(row)), own);
        }
    }
    return embedded;
}

at::Tensor ClipTextModel::runLayers(Forward& forward,
                                    std::span<const Row> rows,
                                    std::vector<at::Tensor>& chosen) const {
    const auto count = static_cast<int64_t>(rows.front().ids.size());
    LOWTIDE_ASSERT(count <= config_.positions);
    std::vector<at::Tensor> sights;
    for (const Row& row : rows) {
        LOWTIDE_ASSERT(static_cast<int64_t>(row.ids.size()) == count);
        sights.push_back(row.unseen.empty()
                             ? at::Tensor()
                             : forward.toCompute(sightWithout(row.unseen, count, forward)));
    }
    at::Tensor hidden = forward.toCompute(
        embedded(forward, rows) +
        layers_->positions.apply(forward, at::arange(count, at::kLong).unsqueeze(0)));
    std::vector<std::optional<int64_t>> wanted;
    for (const Row& row : rows) {
        wanted.push_back(chosenState(row.clipSkip));
    }
    for (int64_t i = 0; i <= config_.layers; ++i) {
        if (i > 0) {
            hidden =
                layers_->layers[static_cast<size_t>(i - 1)].applyToTexts(forward, hidden, sights);
        }
        for (size_t row = 0; row < rows.size(); ++row) {
            const at::Tensor state = hidden.narrow(0, static_cast<int64_t>(row), 1);
            forward.record().putNext(use_.role + ".hidden." + std::to_string(i), state);
            if (wanted[row] == i) {
                chosen[row] = state.clone();  // a view would hold all rows
            }
        }
    }
    return hidden;
}

at::Tensor ClipTextModel::projected(Forward& forward,
                                    std::span<const Row> rows,
                                    const at::Tensor& last) const {
    std::vector<at::Tensor> states;
    for (size_t i = 0; i < rows.size(); ++i) {
        states.push_back(
            last.narrow(0, static_cast<int64_t>(i), 1).narrow(1, pooledPosition(rows[i]), 1));
    }
    return layers_->projection->applyToRows(forward, at::cat(states));
}

std::vector<ClipTextModel::Output> ClipTextModel::encodeTogether(Forward& forward,
                                                                 std::span<const Row> rows) const {
    forward.begin();
    std::vector<at::Tensor> chosen(rows.size());
    const at::Tensor last = layers_->finalNorm.apply(forward, runLayers(forward, rows, chosen));
    const at::Tensor projection =
        use_.projectsPooled ? projected(forward, rows, last) : at::Tensor();
    std::vector<Output> outputs;
    for (size_t i = 0; i < rows.size(); ++i) {
        const at::Tensor own = last.narrow(0, static_cast<int64_t>(i), 1);
        // [1, T, D] -> [1, D]; copies, because a view would hold all states for as long as it
        // lives.
        const at::Tensor pooled =
            (use_.projectsPooled ? projection.select(1, 0).narrow(0, static_cast<int64_t>(i), 1)
                                 : own.select(1, pooledPosition(rows[i])))
                .clone()
                .to(at::kFloat);
        forward.record().putNext(use_.role + ".last_hidden_state", own);
        forward.record().putNext(use_.role + ".pooled", pooled);
        const bool isNormed = use_.state == ClipTextState::Last;
        const at::Tensor embeds = !chosen[i].defined() ? own
                                  : isNormed ? layers_->finalNorm.apply(forward, chosen[i])
                                             : chosen[i];
        const bool isOfAll = embeds.is_same(own) && rows.size() > 1;
        outputs.push_back({.embeds = isOfAll ? embeds.to(at::kFloat, false, /*copy=*/true)
                                             : embeds.to(at::kFloat),
                           .pooled = pooled});
    }
    return outputs;
}

}  // namespace lowtide::models
