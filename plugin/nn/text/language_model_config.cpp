#include "plugin/nn/text/language_model_config.hpp"

#include "plugin/base/config_checks.hpp"
#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <cmath>

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

/// Of newer files ("rope_parameters"), or of older ones ("rope_scaling" beside "rope_theta").
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
                own, "rope_type is " + quotedName(type) + ", only default and llama3 are built");
        }
        RotaryScaling scaling;
        scaling.factor = numberAboveZero(own, "factor", scaling.factor);
        scaling.lowFrequency = numberAboveZero(own, "low_freq_factor", scaling.lowFrequency);
        scaling.highFrequency = numberAboveZero(own, "high_freq_factor", scaling.highFrequency);
        scaling.trainedPositions =
            numberAboveZero(own, "original_max_position_embeddings", scaling.trainedPositions);
        if (scaling.highFrequency <= scaling.lowFrequency) {
            throw Error(ErrorKind::Corrupt,
                        own.what() + ": high_freq_factor is " +
                            formatNumber(scaling.highFrequency) + ", needs more than the " +
                            formatNumber(scaling.lowFrequency) + " of low_freq_factor",
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
                     "model_type is " + quotedName(kind) + ", only llama and qwen3 are built");
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
    config.turnsNeighbours = reader.boolean("rope_interleave").value_or(false);
    readRotation(json, reader, config);
    return config;
}

}  // namespace lowtide::models
