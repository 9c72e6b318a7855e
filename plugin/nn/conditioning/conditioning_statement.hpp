#pragma once
// What a family states of its encoded prompts. Torch-free.

#include "plugin/nn/conditioning/conditioning_outline.hpp"
#include "plugin/tensor/picture_size.hpp"
#include "plugin/text/named_embeddings.hpp"
#include "plugin/text/text_count.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What a number of 0 stands for.
enum class ZeroMeans : uint8_t { Zero, PictureWidth, PictureHeight };

/// A named number of the encoded prompts of a family.
struct ConditioningNumber {
    std::string name;  ///< the parameter of prompt.encode that sets it
    double byDefault = 0;
    ZeroMeans zero = ZeroMeans::Zero;
    /// The default of the negative side, which a parameter of its own sets (negativeNameOf);
    /// nothing: both sides have the same number.
    std::optional<double> ofNegative{};
};

/// "negative_" and the number's name: the parameter of the negative side.
[[nodiscard]] std::string negativeNameOf(const ConditioningNumber& number);

/// What the encoded prompts of a family hold, and what they are made of.
struct ConditioningStatement {
    tensor::ConditioningFields fields;
    std::vector<ConditioningNumber> numbers{};
    size_t texts = 1;          ///< for each side: encoders that may read prompts of their own
    bool readsWeights = true;  ///< of words; else brackets are text
    bool takesLength = false;  ///< as many tokens as a person wants

    [[nodiscard]] bool takes(std::string_view parameter) const;
    /// Of one side's prompts, of what a request says.
    [[nodiscard]] tensor::NamedNumbers numbersOf(const tensor::NamedNumbers& asked,
                                                 bool isNegative) const;
};

/// A number of one prompt, which need not hold it, for a picture.
[[nodiscard]] double numberFor(const ConditioningNumber& stated,
                               const tensor::NamedNumbers& held,
                               const tensor::PictureSize& picture);

/// What encoding a request would give.
struct PromptsOutline {
    ConditioningOutline positive;
    ConditioningOutline negative;
    /// By the parameter of each text: how many of its tokens do not fit.
    std::vector<std::pair<std::string, int64_t>> cutTokens{};
    /// Of all text encoders together, each once.
    EmbeddingsNamed embeddings{};
    /// Of each text in each encoder that reads it.
    std::vector<TextCount> counts{};
};

}  // namespace lowtide::models
