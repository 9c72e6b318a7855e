#include "plugin/text/clip_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/tokenizer_json.hpp"

#include <algorithm>
#include <memory>

namespace lowtide::models {

namespace {

std::unique_ptr<const TokenizerJson> readTokenizerJson(ModelFiles& files,
                                                       const std::string& component) {
    const std::string file = component + "/tokenizer.json";
    const bool hasPair =
        files.has(component + "/vocab.json") && files.has(component + "/merges.txt");
    if (hasPair || !files.has(file)) {
        return nullptr;
    }
    return std::make_unique<const TokenizerJson>(
        files.readJson(file), files.pathOf(file), kClipWordEnd);
}

BytePairEncoder readEncoder(ModelFiles& files,
                            const std::string& component,
                            const TokenizerJson* json) {
    if (json) {
        return {json->vocabulary(),
                json->merges(),
                {.vocabulary = json->what(), .merges = json->what()}};
    }
    const std::string vocabularyFile = component + "/vocab.json";
    const std::string mergesFile = component + "/merges.txt";
    const Json vocabulary = files.readJson(vocabularyFile);
    const std::string merges = files.readText(mergesFile);
    return {vocabulary,
            pairsOf(merges),
            {.vocabulary = files.pathOf(vocabularyFile), .merges = files.pathOf(mergesFile)}};
}

}  // namespace

ClipTokenizer::ClipTokenizer(ModelFiles& files, const std::string& component, int64_t defaultLength)
    : ClipTokenizer(files, component, defaultLength, readTokenizerJson(files, component).get()) {}

ClipTokenizer::ClipTokenizer(ModelFiles& files,
                             const std::string& component,
                             int64_t defaultLength,
                             const TokenizerJson* json)
    : file_(json ? json->what() : files.pathOf(component + "/vocab.json")),
      encoder_(readEncoder(files, component, json)),
      settings_(readTokenizerSettings(
          files, component, encoder_, json ? json->addedTokens() : Json::array())) {
    encoder_.setUnknown(settings_.unknown);
    if (settings_.maxLength == 0) {
        settings_.maxLength = defaultLength;
    }
}

void ClipTokenizer::appendWords(std::string_view text, std::vector<TokenId>& ids) const {
    const std::string normalized = ClipWords::normalize(text);
    for (const TextPart& part : cutAtSpecials(normalized, settings_.specials, true)) {
        if (part.token) {
            ids.push_back(part.token->id);
            continue;
        }
        for (const std::string_view word : words_.split(part.text)) {
            encoder_.encode(word, ids);
        }
    }
}

std::vector<TokenId> ClipTokenizer::tokensOf(std::string_view text, const std::string& item) const {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput, "the text is not UTF-8", "write it in UTF-8", item);
    }
    std::vector<TokenId> content;
    for (const TextPart& part : cutAtSpecials(text, settings_.specials, false)) {
        if (part.token) {
            content.push_back(part.token->id);
        } else {
            appendWords(part.text, content);
        }
    }
    return content;
}

TokenizedPrompt ClipTokenizer::tokenize(std::string_view text,
                                        int64_t length,
                                        const std::string& item) const {
    const std::vector<TokenId> content = tokensOf(text, item);
    const auto room = static_cast<size_t>(length) - 2;  // between begin and end
    const size_t kept = std::min(content.size(), room);
    TokenizedPrompt prompt;
    prompt.cutTokens = static_cast<int64_t>(content.size() - kept);
    prompt.ids.push_back(settings_.begin);
    prompt.ids.insert(
        prompt.ids.end(), content.begin(), content.begin() + static_cast<ptrdiff_t>(kept));
    prompt.ids.push_back(settings_.end);
    prompt.mask.assign(prompt.ids.size(), 1);
    prompt.ids.resize(static_cast<size_t>(length), settings_.padding);
    prompt.mask.resize(static_cast<size_t>(length), 0);
    return prompt;
}

}  // namespace lowtide::models
