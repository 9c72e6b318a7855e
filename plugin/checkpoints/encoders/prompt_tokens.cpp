#include "plugin/checkpoints/encoders/prompt_tokens.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/comfyui_prompt.hpp"
#include "plugin/text/prompt_weights.hpp"

#include <algorithm>
#include <cmath>

namespace lowtide::models {

namespace {

constexpr std::string_view kMention = "embedding:";
/// What a mention may follow.
constexpr std::string_view kBeforeMention = " \t\r\n,()[]";
constexpr std::string_view kBehindMention = " \t\r\n,";
/// A name may hold them, and they may follow it.
constexpr std::string_view kMayFollow = ".;:!?()[]{}<>\"'";
constexpr std::string_view kEndsUnknownName = ":()[]";

std::vector<PromptToken> tokensFrom(const std::vector<TokenId>& ids) {
    std::vector<PromptToken> tokens;
    for (const TokenId id : ids) {
        tokens.push_back({.id = id});
    }
    return tokens;
}

/// Where the next mention begins, or the end of the text.
size_t mentionFrom(std::string_view text, size_t from) {
    for (size_t at = text.find(kMention, from); at != text.npos; at = text.find(kMention, at + 1)) {
        const size_t name = at + kMention.size();
        const bool begins = at == 0 || kBeforeMention.find(text[at - 1]) != text.npos;
        const bool hasName =
            name < text.size() && kBehindMention.find(text[name]) == kBehindMention.npos;
        if (begins && hasName) {
            return at;
        }
    }
    return text.size();
}

/// The length of the white space at the beginning of valid UTF-8; 0: there is none.
size_t spaceAt(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    const Character first = firstCharacter(text);
    return isPythonSpace(static_cast<char32_t>(first.code)) ? first.bytes : 0;
}

/// How much of valid UTF-8 is the name of an embedding for ComfyUI.
size_t comfyUiNameLength(std::string_view text) {
    size_t at = 0;
    while (at < text.size() && text[at] != '<' && text[at] != '[' &&
           spaceAt(text.substr(at)) == 0) {
        at += firstCharacter(text.substr(at)).bytes;
    }
    return at;
}

/// Where the next mention that ComfyUI reads begins in valid UTF-8, or the end of the text.
size_t comfyUiMentionFrom(std::string_view text, size_t from) {
    for (size_t at = text.find(kMention, from); at != text.npos; at = text.find(kMention, at + 1)) {
        size_t before = at;
        while (before > 0 && (static_cast<uint8_t>(text[--before]) & 0xC0U) == 0x80U) {
        }
        const bool begins = at == 0 || spaceAt(text.substr(before)) > 0;
        if (begins && comfyUiNameLength(text.substr(at + kMention.size())) > 0) {
            return at;
        }
    }
    return text.size();
}

std::string_view withoutSpaceAtBegin(std::string_view text) {
    while (const size_t space = spaceAt(text)) {
        text.remove_prefix(space);
    }
    return text;
}

/// Runs `work`, whose errors are about the parameter `item`.
template <class Work>
auto blamingText(const std::string& item, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.kind(), error.message(), error.hint(), item);
    }
}

}  // namespace

PromptTokens::PromptTokens(const ClipTokenizer& tokenizer, EmbeddingUse use)
    : tokenizer_(tokenizer), use_(std::move(use)), nextId_(tokenizer.vocabularySize()) {
    if (!use_.library) {
        return;
    }
    for (const std::string& name : use_.library->names()) {
        std::vector<TokenId> ids = tokenizer_.tokensOf(name, "prompt");
        if (!ids.empty()) {
            written_[ids.front()].push_back({.ids = std::move(ids), .name = name});
        }
    }
    for (auto& [first, names] : written_) {
        std::stable_sort(names.begin(), names.end(), [](const Written& a, const Written& b) {
            return a.ids.size() > b.ids.size();
        });
    }
}

std::vector<PromptToken> PromptTokens::of(std::string_view text, const std::string& item) {
    std::vector<PromptToken> tokens;
    if (!use_.library) {
        addWords(text, item, tokens);
        return tokens;
    }
    size_t from = 0;
    for (size_t at = mentionFrom(text, 0); at < text.size(); at = mentionFrom(text, from)) {
        addWords(text.substr(from, at - from), item, tokens);
        from = at + addMentioned(text.substr(at), item, tokens);
    }
    addWords(text.substr(from), item, tokens);
    return tokens;
}

void PromptTokens::addWords(std::string_view text,
                            const std::string& item,
                            std::vector<PromptToken>& tokens) {
    const std::vector<TokenId> ids = tokenizer_.tokensOf(text, item);
    for (size_t at = 0; at < ids.size();) {
        const Written* written = writtenAt(ids, at);
        if (written) {
            tokens.push_back(tokenOf(find(written->name, item), item));
        } else {
            tokens.push_back({.id = ids[at]});
        }
        at += written ? written->ids.size() : 1;
    }
}

size_t PromptTokens::addMentioned(std::string_view text,
                                  const std::string& item,
                                  std::vector<PromptToken>& tokens) {
    const std::string_view behind = text.substr(kMention.size());
    const std::string_view word = behind.substr(0, behind.find_first_of(kBehindMention));
    for (std::string_view name = word; !name.empty();) {
        if (const EmbeddingRef embedding = find(name, item)) {
            tokens.push_back(tokenOf(embedding, item));
            return kMention.size() + name.size();
        }
        const size_t end = name.find_last_of(kMayFollow);
        name = name.substr(0, end == name.npos ? 0 : end);
    }
    const std::string_view unknown = word.substr(
        0, std::max<size_t>(1, std::min(word.find_first_of(kEndsUnknownName), word.size())));
    named_.missing.emplace_back(item, std::string(unknown));
    return kMention.size() + unknown.size();
}

std::vector<std::vector<PromptToken>> PromptTokens::piecesOf(std::string_view text,
                                                             const std::string& item) {
    std::vector<std::vector<PromptToken>> pieces;
    const bool namesAny = use_.library && isValidUtf8(text);
    size_t at = namesAny ? comfyUiMentionFrom(text, 0) : text.size();
    const std::string_view words = text.substr(0, at);
    if (at == text.size() || !withoutSpaceAtBegin(words).empty()) {
        pieces.push_back(tokensFrom(tokenizer_.tokensOf(words, item)));
    }
    while (at < text.size()) {
        const size_t name = at + kMention.size();
        at = comfyUiMentionFrom(text, name);
        addComfyUiMention(text.substr(name, at - name), item, pieces);
    }
    return pieces;
}

void PromptTokens::addComfyUiMention(std::string_view behind,
                                     const std::string& item,
                                     std::vector<std::vector<PromptToken>>& pieces) {
    const size_t length = comfyUiNameLength(behind);
    const std::string_view word = behind.substr(0, length);
    const size_t kept = word.find_last_not_of(',');
    const std::string_view bare = word.substr(0, kept == word.npos ? 0 : kept + 1);
    size_t taken = length;
    EmbeddingRef embedding = find(word, item);
    if (!embedding && !bare.empty() && bare.size() < length) {
        embedding = find(bare, item);
        taken = embedding ? bare.size() : length;
    }
    if (embedding) {
        pieces.push_back({tokenOf(embedding, item)});
    } else {
        named_.missing.emplace_back(item, std::string(bare.empty() ? word : bare));
    }
    const std::string_view rest = withoutSpaceAtBegin(behind.substr(taken));
    if (!rest.empty()) {
        pieces.push_back(tokensFrom(tokenizer_.tokensOf(rest, item)));
    }
}

const PromptTokens::Written* PromptTokens::writtenAt(const std::vector<TokenId>& ids,
                                                     size_t at) const {
    const auto names = written_.find(ids[at]);
    if (names == written_.end()) {
        return nullptr;
    }
    const auto found =
        std::find_if(names->second.begin(), names->second.end(), [&](const Written& written) {
            return written.ids.size() <= ids.size() - at &&
                   std::equal(written.ids.begin(),
                              written.ids.end(),
                              ids.begin() + static_cast<ptrdiff_t>(at));
        });
    return found == names->second.end() ? nullptr : &*found;
}

EmbeddingRef PromptTokens::find(std::string_view name, const std::string& item) const {
    return blamingText(item, [&] { return use_.library->find(name); });
}

PromptToken PromptTokens::tokenOf(const EmbeddingRef& embedding, const std::string& item) {
    const NamedEmbedding named{.name = embedding->name, .digest = embedding->digest};
    if (std::find(named_.found.begin(), named_.found.end(), named) == named_.found.end()) {
        named_.found.push_back(named);
    }
    const auto taken = taken_.find(embedding);
    if (taken != taken_.end()) {
        return taken->second;
    }
    PromptToken token{
        .id = static_cast<TokenId>(nextId_),
        .vectors = blamingText(item, [&] {
            return vectorsFor(
                *embedding, use_.set, use_.encoder, use_.width, tokenizer_.length() - 2);
        })};
    nextId_ += token.positions();
    return taken_.emplace(embedding, std::move(token)).first->second;
}

namespace {

constexpr double kLargestWeight = 1000;

ChunkRules rulesOf(const ClipTokenizer& tokenizer, PromptWeights weights) {
    const TokenizerSettings& settings = tokenizer.settings();
    return {.length = tokenizer.length(),
            .begin = settings.begin,
            .end = settings.end,
            .padding = settings.padding,
            .comma = tokenizer.comma(),
            .commaReach = weights == PromptWeights::A1111 ? kA1111CommaReach : 0,
            .longPart = weights == PromptWeights::ComfyUi ? kComfyUiLongPart : 0};
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
    if (weights == PromptWeights::ComfyUi) {
        return parseComfyUiPrompt(text);
    }
    CompelPrompt prompt = parseCompelPrompt(text);
    if (!prompt.unsupported.empty()) {
        throw Error(ErrorKind::Unsupported,
                    message("the prompt uses {}(...), which is not built", prompt.unsupported),
                    message("leave it out; what .blend and .and join can be encoded apart and "
                            "joined by the nodes conditioning.average and conditioning.combine"),
                    item);
    }
    return std::move(prompt.parts);
}

void checkWeight(double weight, const std::string& item) {
    if (!(std::abs(weight) <= kLargestWeight)) {
        throw Error(ErrorKind::InvalidInput,
                    message("a part of the prompt has the weight {}", formatNumber(weight)),
                    message("choose weights from -1000 to 1000; 0.5 to 1.5 are usual"),
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
        std::vector<std::vector<PromptToken>> pieces;
        if (weights == PromptWeights::ComfyUi) {
            pieces = tokens.piecesOf(part.text, item);
        } else {
            pieces.push_back(tokens.of(part.text, item));
        }
        for (std::vector<PromptToken>& piece : pieces) {
            parts.push_back(
                {.tokens = std::move(piece), .weight = part.weight, .isBreak = part.isBreak});
            prompt.weights.push_back(part.weight);
        }
    }
    prompt.chunks = cutIntoChunks(parts, rulesOf(tokens.tokenizer(), weights));
    prompt.embeddings = tokens.takeNamed();
    return prompt;
}

TokenizedPrompt comfyUiTokens(const ClipTokenizer& tokenizer,
                              const std::string& text,
                              const std::string& item) {
    constexpr int64_t kAround = 2;  // begin and end
    PromptTokens tokens(tokenizer);
    CutPrompt cut = cutPrompt(tokens, PromptWeights::ComfyUi, text, item);
    PromptChunk& first = cut.chunks.front();
    TokenizedPrompt prompt{.ids = std::move(first.ids), .mask = std::move(first.mask)};
    for (size_t i = 1; i < cut.chunks.size(); ++i) {
        const std::vector<int64_t>& mask = cut.chunks[i].mask;
        prompt.cutTokens += std::count(mask.begin(), mask.end(), 1) - kAround;
    }
    return prompt;
}

TokenizedPrompt comfyUiTokens(const UnigramTokenizer& tokenizer,
                              int64_t least,
                              const std::string& text,
                              const std::string& item) {
    TokenizedPrompt prompt;
    for (const WeightedPart& part : parseComfyUiPrompt(text)) {
        checkWeight(part.weight, item);
        const std::vector<TokenId> ids = tokenizer.tokensOf(part.text, item);
        prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
        prompt.weights.resize(prompt.ids.size(), static_cast<float>(part.weight));
    }
    prompt.ids.push_back(tokenizer.end());
    prompt.mask.resize(prompt.ids.size(), 1);
    const size_t length = std::max(prompt.ids.size(), static_cast<size_t>(least));
    prompt.ids.resize(length, tokenizer.padding());
    prompt.mask.resize(length, 0);
    return prompt;
}

}  // namespace lowtide::models
