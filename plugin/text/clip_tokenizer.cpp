#include "plugin/text/clip_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utf8proc.h>
#include <utility>
#include <vector>

namespace lowtide::models {

namespace {

constexpr const char* kPattern = R"((<\|(?:start|end)oftext\|>))"
                                 R"(|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+)";

constexpr utf8proc_int32_t kCapitalIWithDot = 0x130;

/// Marks that are younger than Unicode 9, first and last, and the second half of the one letter
/// that composes since (U+11938). To tokenizers, which composes by the tables of Unicode 9, they
/// are letters like any. Source: tokenizers 0.23, asked about each code point.
constexpr std::pair<char32_t, char32_t> kLaterMarks[] = {
    {0x7FD, 0x7FD},     {0x898, 0x89F},     {0x8CA, 0x8D3},     {0x9FE, 0x9FE},
    {0xC3C, 0xC3C},     {0xD3B, 0xD3C},     {0xEBA, 0xEBA},     {0x1715, 0x1715},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},   {0xA82C, 0xA82C},   {0x10D24, 0x10D27},
    {0x10EAB, 0x10EAC}, {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
    {0x11070, 0x11070}, {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x1183A},
    {0x11930, 0x11930}, {0x1193D, 0x1193E}, {0x11943, 0x11943}, {0x119E0, 0x119E0},
    {0x11A34, 0x11A34}, {0x11A47, 0x11A47}, {0x11A99, 0x11A99}, {0x11D42, 0x11D42},
    {0x11D44, 0x11D45}, {0x11D97, 0x11D97}, {0x11F41, 0x11F42}, {0x16FF0, 0x16FF1},
    {0x1E08F, 0x1E08F}, {0x1E130, 0x1E136}, {0x1E2AE, 0x1E2AE}, {0x1E2EC, 0x1E2EF},
    {0x1E4EC, 0x1E4EF}};

bool isLaterMark(char32_t code) {
    return code >= kLaterMarks[0].first &&
           std::any_of(std::begin(kLaterMarks), std::end(kLaterMarks), [&](const auto& range) {
               return code >= range.first && code <= range.second;
           });
}

void appendCodePoint(utf8proc_int32_t codePoint, std::string& text) {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t count = utf8proc_encode_char(codePoint, bytes);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(count));
}

std::string lowered(const std::string& text) {
    std::string result;
    result.reserve(text.size());
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    while (left > 0) {
        utf8proc_int32_t codePoint = 0;
        const utf8proc_ssize_t used = utf8proc_iterate(at, left, &codePoint);
        LOWTIDE_ASSERT(used > 0);
        if (codePoint == kCapitalIWithDot) {
            result += "i\xCC\x87";  // the one unconditional lower case of two code points
        } else {
            appendCodePoint(utf8proc_tolower(codePoint), result);
        }
        at += used;
        left -= used;
    }
    return result;
}

/// "<|endoftext|>" that is no special token falls into three words.
void appendBrackets(std::string_view word, std::vector<std::string_view>& words) {
    words.push_back(word.substr(0, 2));
    words.push_back(word.substr(2, word.size() - 4));
    words.push_back(word.substr(word.size() - 2));
}

}  // namespace

std::string composedText(std::string_view text) {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the text cannot be normalized: {}",
                            utf8proc_errmsg(UTF8PROC_ERROR_INVALIDUTF8)),
                    message("write it in UTF-8"),
                    "prompt");
    }
    const std::u32string wide = wideText(text);
    std::u32string composed;
    for (auto at = wide.begin(); at != wide.end();) {
        const auto mark = std::find_if(at, wide.end(), isLaterMark);
        composed += withComposedCharacters(std::u32string(at, mark));
        at = std::find_if_not(mark, wide.end(), isLaterMark);
        composed.append(mark, at);
    }
    return narrowText(composed);
}

ClipWords::ClipWords() : pattern_(kPattern, "CLIP") {}

std::string ClipWords::normalize(std::string_view text) {
    return lowered(composedText(text));
}

std::vector<std::string_view> ClipWords::split(std::string_view normalized) const {
    TextPattern::Matches matches(pattern_, normalized);
    std::vector<std::string_view> words;
    while (const std::optional<TextPattern::Match> match = matches.next()) {
        const std::string_view word = normalized.substr(match->begin, match->end - match->begin);
        if (match->hasGroup) {
            appendBrackets(word, words);
        } else {
            words.push_back(word);
        }
    }
    return words;
}

namespace {

constexpr std::string_view kWordEnd = "</w>";
constexpr int64_t kFixedTokens = 2 * 256 + 2;  ///< bytes, bytes at a word's end, begin and end

/// "th e</w>" -> "the</w>".
std::string tokenOf(std::string_view line) {
    std::string token(line);
    token.erase(std::remove(token.begin(), token.end(), ' '), token.end());
    return token;
}

}  // namespace

ClipVocabulary clipVocabulary(std::string_view merges, int64_t size, const std::string& what) {
    if (size < kFixedTokens) {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: the text encoder knows {} tokens, CLIP's vocabulary begins with {}",
                    what,
                    size,
                    kFixedTokens),
            message("choose a checkpoint with CLIP's text encoder"));
    }
    ClipVocabulary vocabulary{.tokens = Json::object(), .merges = {}};
    int64_t next = 0;
    const auto add = [&](const std::string& token) { vocabulary.tokens[token] = next++; };
    const std::vector<std::string> bytes = bytesById();
    for (const std::string_view ending : {std::string_view(), kWordEnd}) {
        for (const std::string& byte : bytes) {
            add(byte + std::string(ending));
        }
    }
    int64_t left = size - kFixedTokens;
    size_t from = 0;
    while (from < merges.size() && left > 0) {
        const size_t end = std::min(merges.find('\n', from), merges.size());
        const std::string_view line = merges.substr(from, end - from);
        from = end + 1;
        if (!line.empty() && !line.starts_with("#version")) {
            add(tokenOf(line));
            --left;
        }
    }
    vocabulary.merges = std::string(merges.substr(0, std::min(from, merges.size())));
    add("<|startoftext|>");
    add("<|endoftext|>");
    return vocabulary;
}

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
        throw Error(ErrorKind::InvalidInput,
                    message("the text is not UTF-8"),
                    message("write it in UTF-8"),
                    item);
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
    const auto capacity = static_cast<size_t>(length) - 2;  // between begin and end
    const size_t kept = std::min(content.size(), capacity);
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
