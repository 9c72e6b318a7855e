#include "plugin/nn/text/t5_encoder_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

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
        refuseConfig(reader, "model_type is " + quotedName(kind) + ", only umt5 and t5 are built");
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

}  // namespace lowtide::models
