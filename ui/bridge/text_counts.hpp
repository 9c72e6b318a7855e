#pragma once

#include "plugin/base/json.hpp"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace lowtide::ui {

/// Tokens of a prompt in one text encoder.
struct EncoderCount {
    QString encoder;              ///< what people call it: "CLIP-L"
    std::vector<int64_t> chunks;  ///< tokens of the text in each
    int64_t room = 0;             ///< the most in one
    int64_t cut = 0;              ///< tokens at the end that are left out
    int64_t readBytes = -1;       ///< of the text, where some are left out; -1: all

    bool operator==(const EncoderCount&) const = default;
};

/// Of one text in every encoder that reads it.
struct TextCounts {
    std::vector<EncoderCount> encoders;  ///< none: nobody knows
    bool isConnected = true;             ///< else there is no checkpoint to ask
    bool isDrawn = false;      ///< of one text that a template may become, not of what is written
    bool readsWeights = true;  ///< brackets have a meaning to the connected model

    bool operator==(const TextCounts&) const = default;
};

/// Of the text in `param`, of what the module says of its node (docs/events.md). Without trust.
[[nodiscard]] TextCounts textCountsIn(const Json& facts, const std::string& param);

}  // namespace lowtide::ui
