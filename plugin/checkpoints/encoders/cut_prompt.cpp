#include "plugin/checkpoints/encoders/cut_prompt.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/a1111_prompt.hpp"
#include "plugin/text/compel_prompt.hpp"

#include <cmath>

namespace lowtide::models {

namespace {

constexpr double kLargestWeight = 1000;

ChunkRules rulesOf(const ClipTokenizer& tokenizer, PromptWeights weights) {
    const TokenizerSettings& settings = tokenizer.settings();
    return {.length = tokenizer.length(),
            .begin = settings.begin,
            .end = settings.end,
            .padding = settings.padding,
            .comma = tokenizer.comma(),
            .commaReach = weights == PromptWeights::A1111 ? kA1111CommaReach : 0};
}

/// One chunk, cut where it is full.
CutPrompt oneChunk(PromptTokens& tokens, const std::string& text, const std::string& item) {
    CutChunk cut =
        cutToOneChunk(tokens.of(text, item), rulesOf(tokens.tokenizer(), PromptWeights::None));
    return {.chunks = {std::move(cut.chunk)},
            .weights = {},
            .cutTokens = cut.cutTokens,
            .embeddings = tokens.takeNamed()};
}

std::vector<WeightedPart> partsOf(PromptWeights weights,
                                  const std::string& text,
                                  const std::string& item) {
    if (weights == PromptWeights::A1111) {
        return parseA1111Prompt(text);
    }
    CompelPrompt prompt = parseCompelPrompt(text);
    if (!prompt.unsupported.empty()) {
        throw Error(ErrorKind::Unsupported,
                    "the prompt uses " + prompt.unsupported + "(...), which is not built",
                    "leave it out; what .blend and .and join can be encoded apart and joined by "
                    "the nodes conditioning.average and conditioning.combine",
                    item);
    }
    return std::move(prompt.parts);
}

void checkWeight(double weight, const std::string& item) {
    if (!(std::abs(weight) <= kLargestWeight)) {
        throw Error(ErrorKind::InvalidInput,
                    "a part of the prompt has the weight " + formatNumber(weight),
                    "choose weights from -1000 to 1000; 0.5 to 1.5 are usual",
                    item);
    }
}

}  // namespace

CutPrompt cutPrompt(PromptTokens& tokens,
                    PromptWeights weights,
                    const std::string& text,
                    const std::string& item) {
    if (weights == PromptWeights::None) {
        return oneChunk(tokens, text, item);
    }
    CutPrompt prompt;
    std::vector<WeightedTokens> parts;
    for (const WeightedPart& part : partsOf(weights, text, item)) {
        checkWeight(part.weight, item);
        parts.push_back(
            {.tokens = tokens.of(part.text, item), .weight = part.weight, .isBreak = part.isBreak});
        prompt.weights.push_back(part.weight);
    }
    prompt.chunks = cutIntoChunks(parts, rulesOf(tokens.tokenizer(), weights));
    prompt.embeddings = tokens.takeNamed();
    return prompt;
}

}  // namespace lowtide::models
