#include "plugin/base/text.hpp"
#include "plugin/checkpoints/encoders/prompt_tokens.hpp"
#include "plugin/text/prompt_syntax.hpp"
#include "plugin/text/prompt_weights.hpp"
#include "tests/fuzz/guarantees.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/token_guarantees.hpp"

#include <cmath>

namespace lowtide::fuzz::prompt_target {

namespace {

using namespace models;

/// Parts hold no more than the text had (a space may stand between two), with weights that are
/// numbers.
void checkParts(const std::vector<WeightedPart>& parts, std::string_view text) {
    require(!parts.empty(), "a prompt has a part");
    size_t bytes = 0;
    for (const WeightedPart& part : parts) {
        require(std::isfinite(part.weight), "weights are numbers");
        require(!part.isBreak || part.text.empty(), "a break has no text");
        bytes += part.text.size();
    }
    require(bytes <= 2 * text.size(), "parts are made of the text");
}

void checkChunks(const CutPrompt& prompt, const ClipTokenizer& tokenizer) {
    require(!prompt.chunks.empty(), "a prompt has a chunk");
    const auto length = static_cast<size_t>(tokenizer.length());
    for (const PromptChunk& chunk : prompt.chunks) {
        require(chunk.ids.size() == length && chunk.mask.size() == length &&
                    chunk.weights.size() == length && chunk.parts.size() == length,
                "a chunk has the tokenizer's length");
        for (size_t i = 0; i < length; ++i) {
            require(chunk.ids[i] >= 0 && chunk.ids[i] < tokenizer.vocabularySize(),
                    "ids are the vocabulary's");
            require(std::isfinite(chunk.weights[i]), "weights are numbers");
            require(chunk.parts[i] == PromptChunk::kNoPart ||
                        static_cast<size_t>(chunk.parts[i]) < prompt.weights.size(),
                    "a token is of a part");
        }
    }
}

/// Nothing is added, and tags are whole.
void checkTags(std::string_view text) {
    const TaggedPrompt tagged = readTags(text);
    size_t bytes = tagged.text.size();
    for (const LoraTag& tag : tagged.tags) {
        require(tag.written.size() > 3 && tag.written.front() == '<' && tag.written.back() == '>',
                "a tag is in angle brackets");
        require(std::abs(tag.strength) <= 100 && std::abs(tag.textStrength) <= 100,
                "strengths have bounds");
        require(!tag.name.empty() || !tag.problem.empty(), "a tag that is read names a file");
        bytes += tag.written.size();
    }
    require(bytes == text.size(), "text and tags are the prompt");
}

bool cut(PromptWeights weights, const std::string& text) {
    CutPrompt prompt;
    const bool isTaken = takes({ErrorKind::InvalidInput, ErrorKind::Unsupported}, [&] {
        PromptTokens tokens(miniTokenizer());
        prompt = cutPrompt(tokens, weights, text, "prompt");
    });
    if (isTaken) {
        checkChunks(prompt, miniTokenizer());
    }
    return isTaken;
}

}  // namespace

bool runInput(std::span<const std::byte> bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    checkTags(text);
    checkParts(parseA1111Prompt(text), text);
    const CompelPrompt compel = parseCompelPrompt(text);
    if (compel.unsupported.empty()) {
        checkParts(compel.parts, text);
    }
    const bool isA1111 = cut(PromptWeights::A1111, text);
    const bool isComfyUi = cut(PromptWeights::ComfyUi, text);
    return cut(PromptWeights::Compel, text) || isA1111 || isComfyUi;
}

[[maybe_unused]] const bool isEntered = enterTarget("prompt", runInput);

}  // namespace lowtide::fuzz::prompt_target
