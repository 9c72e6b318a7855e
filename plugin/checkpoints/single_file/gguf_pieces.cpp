#include "plugin/checkpoints/single_file/gguf_pieces.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kUnknownType = 2;
constexpr int64_t kUnusedType = 5;
constexpr uint64_t kUnigramKind = 1;

[[noreturn]] void refuseTokens(const std::string& what, const std::string& problem) {
    throw Error(ErrorKind::Corrupt, what + ": " + problem, "get the file again");
}

/// Writes fields of protocol buffers.
class MessageWriter {
public:
    MessageWriter& text(uint64_t field, std::string_view value) {
        varint(field << 3 | 2U);
        varint(value.size());
        bytes_ += value;
        return *this;
    }

    MessageWriter& number(uint64_t field, uint64_t value) {
        varint(field << 3);
        varint(value);
        return *this;
    }

    MessageWriter& real(uint64_t field, float value) {
        varint(field << 3 | 5U);
        const auto bits = std::bit_cast<uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes_ += static_cast<char>(bits >> shift & 0xFFU);
        }
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_ += static_cast<char>(value | 0x80U);
        }
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

std::vector<double> numbersAt(const files::GgufMetadata& metadata,
                              const char* key,
                              const std::string& what) {
    const files::GgufValue* value = metadata.find(key);
    const auto elements = value ? value->elements() : std::nullopt;
    std::vector<double> numbers;
    for (const files::GgufValue& each : elements.value_or(std::vector<files::GgufValue>())) {
        const std::optional<double> number = each.number();
        if (!number) {
            refuseTokens(what, std::string(key) + " has an element that is no number");
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::string characterMapAt(const files::GgufMetadata& metadata) {
    std::string map;
    for (const int64_t byte : metadata.integers("tokenizer.ggml.precompiled_charsmap")
                                  .value_or(std::vector<int64_t>())) {
        map += static_cast<char>(byte);
    }
    return map;
}

}  // namespace

bool hasGgufPieces(const WeightFileHeader& file) {
    const auto model = file.metadata.find("tokenizer.ggml.model");
    return model != file.metadata.end() && model->second == "t5";
}

std::string piecesInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    const std::vector<std::string> tokens =
        metadata.texts("tokenizer.ggml.tokens").value_or(std::vector<std::string>());
    const std::vector<double> scores = numbersAt(metadata, "tokenizer.ggml.scores", what);
    const std::vector<double> types = numbersAt(metadata, "tokenizer.ggml.token_type", what);
    if (tokens.empty() || scores.size() != tokens.size() || types.size() != tokens.size()) {
        refuseTokens(what,
                     "tokenizer.ggml has " + std::to_string(tokens.size()) + " tokens, " +
                         std::to_string(scores.size()) + " scores and " +
                         std::to_string(types.size()) + " types");
    }
    const auto last =
        std::find_if(types.rbegin(), types.rend(), [](double type) { return type != kUnusedType; });
    const auto count = static_cast<size_t>(types.rend() - last);
    const auto unknown = std::find(types.begin(), types.end(), kUnknownType) - types.begin();
    MessageWriter model;
    for (size_t i = 0; i < count; ++i) {
        model.text(
            1, MessageWriter().text(1, tokens[i]).real(2, static_cast<float>(scores[i])).bytes());
    }
    model.text(
        2,
        MessageWriter()
            .number(3, kUnigramKind)
            .number(40,
                    static_cast<uint64_t>(
                        metadata.integer("tokenizer.ggml.unknown_token_id").value_or(unknown)))
            .bytes());
    model.text(3, MessageWriter().text(2, characterMapAt(metadata)).bytes());
    return model.bytes();
}

}  // namespace lowtide::models
