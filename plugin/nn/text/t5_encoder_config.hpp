#pragma once

#include "plugin/base/json_fwd.hpp"

#include <cstdint>
#include <string>

namespace lowtide::models {

/// Settings of text_encoder/config.json of a T5 or UMT5 encoder. Missing ones get the defaults of
/// transformers' UMT5Config.
struct T5EncoderConfig {
    int64_t vocabularySize = 250112;
    int64_t width = 512;     ///< d_model
    int64_t headWidth = 64;  ///< d_kv
    int64_t heads = 6;
    int64_t innerWidth = 1024;  ///< d_ff
    int64_t layers = 8;
    int64_t buckets = 32;  ///< relative_attention_num_buckets
    int64_t mostDistance = 128;
    double epsilon = 1e-6;
    bool hasOwnBiases =
        true;  ///< each layer has a table of biases (UMT5); else the first one alone
};

/// Errors: Unsupported names the setting that is not built, Corrupt the one that cannot be.
[[nodiscard]] T5EncoderConfig readT5EncoderConfig(const Json& json, const std::string& what);

}  // namespace lowtide::models
