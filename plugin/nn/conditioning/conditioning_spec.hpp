#pragma once
// A conditioning before the run: what a family states of its encoded prompts, and what is known of
// one. Torch-free.

#include "plugin/base/units.hpp"
#include "plugin/memory/wire_value.hpp"
#include "plugin/tensor/conditioning_scope.hpp"
#include "plugin/text/named_embeddings.hpp"
#include "plugin/text/prompt_weights.hpp"
#include "plugin/text/text_count.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// What is known of one encoded prompt.
struct EntrySpec {
    std::map<std::string, Shape, std::less<>> tensors;  ///< as tensor::ConditioningEntry has them
    tensor::ConditioningScope scope{};
};

/// What is known of a conditioning; goes along wires in its place.
class ConditioningSpec final : public memory::WireValue {
public:
    ConditioningSpec(tensor::ConditioningFields fields, std::vector<EntrySpec> entries)
        : fields_(std::move(fields)), entries_(std::move(entries)) {}

    [[nodiscard]] std::string_view type() const override { return "CONDITIONING"; }

    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override {
        return std::make_shared<ConditioningSpec>(*this);
    }

    [[nodiscard]] std::optional<std::string> specKey() const override;

    /// As tensor::Conditioning has them.
    [[nodiscard]] const tensor::ConditioningFields& fields() const { return fields_; }

    [[nodiscard]] const std::vector<EntrySpec>& entries() const { return entries_; }

    /// Tokens of an entry in each sequence, in the order of the fields; 0: it does not have it.
    [[nodiscard]] std::vector<int64_t> tokensOf(const EntrySpec& entry) const;
    /// [1, T, D] of the first sequence, with the tokens of all entries together.
    [[nodiscard]] Shape shape() const;
    /// Of every tensor of every entry.
    [[nodiscard]] std::vector<Bytes> tensors() const;

private:
    tensor::ConditioningFields fields_;
    std::vector<EntrySpec> entries_;
};

/// What a number of 0 stands for.
enum class ZeroMeans : uint8_t { Zero, ImageWidth, ImageHeight };

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
    size_t texts = 1;  ///< for each side: encoders that may read prompts of their own
    WeightsRead weights = WeightsRead::All;  ///< of words
    bool takesLength = false;                ///< as many tokens as a user wants

    [[nodiscard]] bool takes(std::string_view parameter) const;
    /// The spec of the positive or the negative prompts of a request.
    [[nodiscard]] tensor::NamedNumbers numbersOf(const tensor::NamedNumbers& asked,
                                                 bool isNegative) const;
};

/// A number of one prompt, which need not hold it, for an image.
[[nodiscard]] double numberFor(const ConditioningNumber& stated,
                               const tensor::NamedNumbers& held,
                               const tensor::ImageSize& image);

/// What encoding a request would give.
struct PromptsSpec {
    ConditioningSpec positive;
    ConditioningSpec negative;
    /// By the parameter of each text: how many of its tokens do not fit.
    std::vector<std::pair<std::string, int64_t>> cutTokens{};
    /// Of all text encoders together, each once.
    EmbeddingsNamed embeddings{};
    /// Of each text in each encoder that reads it.
    std::vector<TextCount> counts{};
};

/// What a text encoder reads in place of the prompts of all; empty: the same.
struct OwnPrompts {
    std::string prompt;
    std::string negative;
};

inline constexpr size_t kMostTextEncoders = 4;

/// Of the text encoders behind the first, in their order.
using EncoderPrompts = std::array<OwnPrompts, kMostTextEncoders - 1>;

/// The parameters of prompt.encode that number `index` of them stands in: "prompt_2".
[[nodiscard]] inline std::string promptNameOf(size_t index) {
    return "prompt_" + std::to_string(index + 2);
}

[[nodiscard]] inline std::string negativeNameOf(size_t index) {
    return "negative_" + std::to_string(index + 2);
}

}  // namespace lowtide::models
