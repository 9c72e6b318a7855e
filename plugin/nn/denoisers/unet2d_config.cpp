#include "plugin/nn/denoisers/unet2d_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr size_t kMostUNetLevels = 16;
constexpr int64_t kLargestKernel = 31;

std::span<const FixedSetting> fixedUNetSettings() {
    static const std::vector<FixedSetting> settings = {
        {"act_fn", "silu"},
        {"addition_embed_type", "text_time"},
        {"attention_type", "default"},
        {"center_input_sample", false},
        {"class_embed_type", nullptr},
        {"class_embeddings_concat", false},
        {"cross_attention_norm", nullptr},
        {"downsample_padding", 1},
        {"dual_cross_attention", false},
        {"encoder_hid_dim", nullptr},
        {"encoder_hid_dim_type", nullptr},
        {"mid_block_only_cross_attention", false},
        {"mid_block_scale_factor", 1},
        {"mid_block_type", "UNetMidBlock2DCrossAttn"},
        {"num_attention_heads", nullptr},
        {"num_class_embeds", nullptr},
        {"only_cross_attention", false},
        {"resnet_out_scale_factor", 1.0},
        {"resnet_skip_time_act", false},
        {"resnet_time_scale_shift", "default"},
        {"time_embedding_act_fn", nullptr},
        {"time_embedding_type", "positional"},
        {"timestep_post_act", nullptr},
    };
    return settings;
}

UNetBlock blockOf(const JsonReader& reader,
                  const char* key,
                  const std::string& name,
                  const char* plain,
                  const char* crossAttention) {
    if (name == plain) {
        return UNetBlock::Plain;
    }
    if (name == crossAttention) {
        return UNetBlock::CrossAttention;
    }
    throw Error(ErrorKind::Unsupported,
                message("{}: {} has {}, only {} and {} are built",
                        reader.what(),
                        key,
                        quotedName(name),
                        plain,
                        crossAttention),
                message("choose another checkpoint"));
}

std::vector<std::string> blockNames(const JsonReader& reader,
                                    const char* key,
                                    std::vector<std::string> otherwise,
                                    size_t count) {
    std::vector<std::string> names = reader.texts(key).value_or(std::move(otherwise));
    if (names.size() != count) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} has {} entries, block_out_channels has {}",
                            reader.what(),
                            key,
                            names.size(),
                            count),
                    message("get the config.json of the checkpoint again"));
    }
    return names;
}

std::vector<int64_t> unetChannels(const JsonReader& reader) {
    const std::optional<std::vector<int64_t>> stated = reader.integers("block_out_channels");
    if (!stated) {
        return {320, 640, 1280, 1280};
    }
    const std::vector<int64_t>& channels = *stated;
    if (channels.empty() || channels.size() > kMostUNetLevels) {
        throw Error(
            ErrorKind::Corrupt,
            message("{}: block_out_channels has {} entries", reader.what(), channels.size()),
            message("get the config.json of the checkpoint again"));
    }
    return integersInRange(
        reader, "block_out_channels", channels.front(), channels.size(), 1, kMostChannels);
}

/// How many layers each transformer has. A list may have a list of its own for each unit of a
/// level; then the way up states its own.
class TransformerLayers {
public:
    /// `units`: of each level on the way down.
    TransformerLayers(const JsonReader& reader, const std::vector<int64_t>& units)
        : reader_(reader), units_(units), down_(entriesOf(kDown)), up_(entriesOf(kUp)) {
        const bool isNested = std::any_of(
            down_.begin(), down_.end(), [](const Json& entry) { return entry.is_array(); });
        if (isNested && up_.empty()) {
            refuse(kUp,
                   message("is missing, but transformer_layers_per_block states single units"));
        }
    }

    [[nodiscard]] std::vector<int64_t> down(size_t level) const {
        return ofUnits(kDown, down_[level], units_[level]);
    }

    [[nodiscard]] std::vector<int64_t> up(size_t level) const {
        const int64_t units = units_[level] + 1;
        return up_.empty() ? ofUnits(kDown, down_[level], units)
                           : ofUnits(kUp, up_[units_.size() - 1 - level], units);
    }

private:
    static constexpr const char* kDown = "transformer_layers_per_block";
    static constexpr const char* kUp = "reverse_transformer_layers_per_block";

    [[noreturn]] void refuse(const char* key, const Message& problem) const {
        throw Error(ErrorKind::Corrupt,
                    message("{}: {} {}", reader_.what(), key, problem),
                    message("get the config.json of the checkpoint again"));
    }

    /// One for each level; none where the way up states nothing.
    [[nodiscard]] std::vector<Json> entriesOf(const char* key) const {
        const Json* stated = reader_.member(key);
        if (!stated || stated->is_null()) {
            return std::vector<Json>(key == kDown ? units_.size() : 0, Json(1));
        }
        if (!stated->is_array()) {
            return std::vector<Json>(units_.size(), *stated);
        }
        std::vector<Json> entries(stated->begin(), stated->end());
        if (entries.size() == 1) {
            entries.resize(units_.size(), entries.front());
        }
        if (entries.size() != units_.size()) {
            refuse(key, message("has {} entries, needs {}", entries.size(), units_.size()));
        }
        return entries;
    }

    [[nodiscard]] std::vector<int64_t> ofUnits(const char* key,
                                               const Json& entry,
                                               int64_t units) const {
        const Json level = {{key, entry}};
        return integersInRange(
            JsonReader(level, reader_.what()), key, 1, static_cast<size_t>(units), 1, kMostLayers);
    }

    const JsonReader& reader_;
    const std::vector<int64_t>& units_;
    std::vector<Json> down_;
    std::vector<Json> up_;
};

void fillLevels(const JsonReader& reader, UNet2DConfig& config) {
    const std::vector<int64_t> channels = unetChannels(reader);
    const size_t count = channels.size();
    const auto list = [&](const char* key, int64_t otherwise, int64_t most) {
        return integersInRange(reader, key, otherwise, count, 1, most);
    };
    const std::vector<int64_t> layers = list("layers_per_block", 2, kMostLayers);
    // Named after the width, it is the number of heads: diffusers keeps the wrong name.
    const std::vector<int64_t> heads = list("attention_head_dim", 8, kMostChannels);
    const TransformerLayers depth(reader, layers);
    const std::vector<int64_t> context = list("cross_attention_dim", 1280, kMostChannels);
    const std::vector<std::string> down = blockNames(
        reader,
        "down_block_types",
        {"CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"},
        count);
    const std::vector<std::string> up =
        blockNames(reader,
                   "up_block_types",
                   {"UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"},
                   count);
    for (size_t i = 0; i < count; ++i) {
        config.levels.push_back(
            {.channels = channels[i],
             .layers = layers[i],
             .heads = heads[i],
             .downTransformers = depth.down(i),
             .upTransformers = depth.up(i),
             .contextWidth = context[i],
             .down = blockOf(
                 reader, "down_block_types", down[i], "DownBlock2D", "CrossAttnDownBlock2D"),
             .up = blockOf(
                 reader, "up_block_types", up[count - 1 - i], "UpBlock2D", "CrossAttnUpBlock2D")});
        requireDivisible(reader, "norm_num_groups", channels[i], config.groups);
        requireDivisible(reader, "attention_head_dim", channels[i], heads[i]);
    }
}

/// Absent it is the usual one; null means none (SSD-1B). It has one transformer, of the depth of
/// the first one of the last level.
bool hasMiddle(const Json& json) {
    const auto type = json.find("mid_block_type");
    return type == json.end() || !type->is_null();
}

/// What is added to the time: a pooled text, and numbers in whole sinusoids.
void readAddition(const JsonReader& reader, UNet2DConfig& config) {
    if (!reader.text("addition_embed_type")) {
        return;
    }
    constexpr int64_t kMostAdded = 8 * kMostChannels;
    config.addedNumberWidth =
        integerInRange(reader, "addition_time_embed_dim", 0, 1, kMostChannels);
    config.addedWidth =
        integerInRange(reader, "projection_class_embeddings_input_dim", 0, 1, kMostAdded);
}

/// One conditioning feeds all levels, so all must want the same width.
void checkContext(const JsonReader& reader, const UNet2DConfig& config) {
    for (const UNetLevel& level : config.levels) {
        if (level.contextWidth != config.contextWidth()) {
            throw Error(ErrorKind::Unsupported,
                        message("{}: cross_attention_dim differs between blocks", reader.what()),
                        message("choose another checkpoint"));
        }
    }
}

/// A side, or height and width. It is for a note alone: what is neither is left out.
int64_t latentPixelsIn(const JsonReader& reader) {
    constexpr int64_t kMostSide = 4096;
    const Json* size = reader.member("sample_size");
    const bool isList = size && size->is_array() && size->size() == 2;
    int64_t pixels = 1;
    for (const Json* side :
         {size && isList ? &size->front() : size, size && isList ? &size->back() : size}) {
        if (!side || !side->is_number_integer() || side->get<int64_t>() < 1 ||
            side->get<int64_t>() > kMostSide) {
            return 0;
        }
        pixels *= side->get<int64_t>();
    }
    return pixels;
}

}  // namespace

UNet2DConfig readUNet2DConfig(const Json& json, const std::string& what) {
    const JsonReader reader(json, what);
    requireClass(reader, "UNet2DConditionModel");
    refuseOtherSettings(json, what, fixedUNetSettings());
    UNet2DConfig config;
    config.inChannels = integerInRange(reader, "in_channels", 4, 1, kMostChannels);
    config.outChannels = integerInRange(reader, "out_channels", 4, 1, kMostChannels);
    config.convInKernel = integerInRange(reader, "conv_in_kernel", 3, 1, kLargestKernel);
    config.convOutKernel = integerInRange(reader, "conv_out_kernel", 3, 1, kLargestKernel);
    config.groups = integerInRange(reader, "norm_num_groups", 32, 1, kMostChannels);
    config.epsilon = reader.number("norm_eps").value_or(config.epsilon);
    config.linearProjection = reader.boolean("use_linear_projection").value_or(false);
    config.cosineFirst = reader.boolean("flip_sin_to_cos").value_or(true);
    config.frequencyShift = reader.number("freq_shift").value_or(0);
    config.guidanceWidth = integerInRange(reader, "time_cond_proj_dim", 0, 0, kMostChannels);
    config.upcastsAttention = reader.boolean("upcast_attention").value_or(false);
    config.latentPixels = latentPixelsIn(reader);
    readAddition(reader, config);
    fillLevels(reader, config);
    config.midTransformer = hasMiddle(json) ? config.levels.back().downTransformers.front() : 0;
    checkContext(reader, config);
    config.timeWidth = integerInRange(
        reader, "time_embedding_dim", config.levels.front().channels * 4, 1, 4 * kMostChannels);
    return config;
}

namespace {

constexpr size_t kDepthsOfLevel = 3;

}  // namespace

bool UNetCut::isAtMiddle(const UNet2DConfig& config) const {
    return level + 1 == config.levels.size() && upUnit == 0;
}

int deepestCut(const UNet2DConfig& config) {
    const size_t whole = config.levels.size() * kDepthsOfLevel;
    if (config.midTransformer > 0) {
        return static_cast<int>(whole);
    }
    // Without a middle block the last unit of the way down must be among what is left out.
    const auto layers = static_cast<size_t>(config.levels.back().layers);
    return static_cast<int>(whole - kDepthsOfLevel + std::min(layers, kDepthsOfLevel) - 1);
}

int firstLevelCut() {
    return static_cast<int>(kDepthsOfLevel) - 1;
}

UNetCut cutAt(const UNet2DConfig& config, int depth) {
    LOWTIDE_ASSERT(depth >= 0 && depth <= deepestCut(config));
    const size_t wanted = static_cast<size_t>(depth) / kDepthsOfLevel;
    const size_t level = std::min(wanted, config.levels.size() - 1);
    const auto layers = static_cast<size_t>(config.levels[level].layers);
    const size_t part = wanted == level ? static_cast<size_t>(depth) % kDepthsOfLevel : layers;
    const size_t units = std::min(part, layers);
    return {.level = level, .downUnits = units, .upUnit = layers - units};
}

}  // namespace lowtide::models
