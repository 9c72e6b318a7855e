#include "plugin/models/text/unigram_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/blocks/config_checks.hpp"
#include "plugin/models/text/characters.hpp"
#include "plugin/models/text/sentencepiece_file.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr std::string_view kWordMark = "\xE2\x96\x81";  ///< U+2581
constexpr const char* kEndToken = "</s>";
constexpr const char* kPaddingToken = "<pad>";
constexpr int64_t kUsualExtraTokens = 100;
constexpr int64_t kMostExtraTokens = 1 << 16;

[[noreturn]] void refuseStep(const std::string& what, const std::string& problem) {
    throw Error(
        ErrorKind::Unsupported, what + ": " + problem, "use a checkpoint with another tokenizer");
}

/// The steps of a "Sequence" under `list`, or the step itself; null: none.
std::vector<Json> stepsIn(const Json& step, const char* list) {
    if (step.is_null()) {
        return {};
    }
    const auto steps = step.find(list);
    return steps != step.end() && steps->is_array() ? steps->get<std::vector<Json>>()
                                                    : std::vector<Json>{step};
}

std::string mapIn(const JsonReader& file) {
    std::string map;
    const Json* normalizer = file.member("normalizer");
    for (const Json& step :
         normalizer ? stepsIn(*normalizer, "normalizers") : std::vector<Json>()) {
        const JsonReader reader(step, file.what() + ": normalizer");
        const std::string type = reader.text("type").value_or("");
        const std::optional<std::string> encoded = reader.text("precompiled_charsmap");
        if (type != "Precompiled" || !map.empty()) {
            refuseStep(
                file.what(),
                "normalizer has the step " + quotedName(type) + "; one step Precompiled is built");
        }
        const std::optional<std::string> decoded = encoded ? fromBase64(*encoded) : std::nullopt;
        if (encoded && !decoded) {
            throw Error(ErrorKind::Corrupt,
                        file.what() + ": precompiled_charsmap is no base64",
                        "get the tokenizer's files again");
        }
        map = decoded.value_or("");
    }
    return map;
}

/// Words are cut at white space, and each begins with a mark.
void requireMarkedWords(const JsonReader& file) {
    const Json* splitting = file.member("pre_tokenizer");
    bool isMarked = false;
    for (const Json& step :
         splitting ? stepsIn(*splitting, "pretokenizers") : std::vector<Json>()) {
        const JsonReader reader(step, file.what() + ": pre_tokenizer");
        const std::string type = reader.text("type").value_or("");
        const bool isMark = type == "Metaspace" &&
                            reader.text("replacement").value_or("") == kWordMark &&
                            reader.text("prepend_scheme").value_or("always") == "always";
        if (!isMark && type != "WhitespaceSplit") {
            refuseStep(file.what(),
                       "pre_tokenizer has the step " + quotedName(type) +
                           "; WhitespaceSplit and Metaspace before every word are built");
        }
        isMarked = isMarked || isMark;
    }
    if (!isMarked) {
        refuseStep(file.what(), "pre_tokenizer has no step Metaspace");
    }
}

std::vector<SpecialToken> addedIn(const JsonReader& file) {
    std::vector<SpecialToken> added;
    const Json* tokens = file.member("added_tokens");
    for (const Json& each : tokens && tokens->is_array() ? *tokens : Json::array()) {
        const JsonReader token(each, file.what() + ": added_tokens");
        const std::string content = token.text("content").value_or("");
        const int64_t id = token.integer("id").value_or(-1);
        for (const char* key : {"lstrip", "rstrip", "single_word"}) {
            if (token.boolean(key).value_or(false)) {
                refuseStep(token.what(),
                           quotedName(content) + " has " + key + ", which is not built");
            }
        }
        if (content.empty() || id < 0 || id > kLargestTokenId) {
            throw Error(ErrorKind::Corrupt,
                        file.what() + ": added_tokens has one without content or id",
                        "get the tokenizer's files again");
        }
        added.push_back({.content = content,
                         .id = static_cast<TokenId>(id),
                         .normalized = token.boolean("normalized").value_or(true)});
    }
    return added;
}

/// Words of text between white space.
std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    size_t begin = 0;
    const auto end = [&](size_t at) {
        if (at > begin) {
            words.push_back(text.substr(begin, at - begin));
        }
    };
    for (size_t at = 0; at < text.size();) {
        const Character each = firstCharacter(text.substr(at));
        if (isWhiteSpace(each.code)) {
            end(at);
            begin = at + each.bytes;
        }
        at += each.bytes;
    }
    end(text.size());
    return words;
}

}  // namespace

UnigramTokenizer::UnigramTokenizer(Checkpoint& checkpoint, const std::string& component)
    : UnigramTokenizer(partsOf(checkpoint, component), checkpoint.name() + "/" + component) {}

UnigramTokenizer::UnigramTokenizer(Parts parts, const std::string& what)
    : model_(std::move(parts.pieces), parts.unknown, parts.hasByteTokens, what),
      characters_(parts.characterMap, what),
      added_(std::move(parts.added)),
      end_(requiredToken(kEndToken, what)),
      padding_(requiredToken(kPaddingToken, what)) {
    for (SpecialToken& each : added_) {
        each.content = each.normalized ? characters_.applied(each.content) : each.content;
    }
    std::erase_if(added_, [](const SpecialToken& each) { return each.content.empty(); });
}

TokenId UnigramTokenizer::requiredToken(const char* content, const std::string& what) const {
    const TokenId id = model_.idOf(content);
    if (id < 0) {
        throw Error(ErrorKind::Corrupt,
                    what + " has no token " + content,
                    "get the tokenizer's files again");
    }
    return id;
}

UnigramTokenizer::Parts UnigramTokenizer::partsOf(Checkpoint& checkpoint,
                                                  const std::string& component) {
    const std::string file = component + "/tokenizer.json";
    return checkpoint.has(file)
               ? partsOfJson(checkpoint.readJson(file), checkpoint.name() + "/" + file)
               : partsOfPieces(checkpoint, component);
}

UnigramTokenizer::Parts UnigramTokenizer::partsOfJson(const Json& json, const std::string& what) {
    const JsonReader file(json, what);
    const Json* model = file.member("model");
    const Json noModel = Json::object();
    const JsonReader reader(model ? *model : noModel, what + ": model");
    const Json* vocabulary = reader.member("vocab");
    if (reader.text("type").value_or("") != "Unigram" || !vocabulary || !vocabulary->is_array()) {
        refuseStep(what,
                   "model is of the type " + quotedName(reader.text("type").value_or("")) +
                       ", only Unigram is built here");
    }
    Parts parts{.unknown = reader.integer("unk_id").value_or(-1),
                .hasByteTokens = reader.boolean("byte_fallback").value_or(false)};
    for (const Json& piece : *vocabulary) {
        const bool isPiece =
            piece.is_array() && piece.size() == 2 && piece[0].is_string() && piece[1].is_number();
        if (!isPiece) {
            throw Error(ErrorKind::Corrupt,
                        what + ": model.vocab has an entry that is no piece with its score",
                        "get the tokenizer's files again");
        }
        parts.pieces.push_back({piece[0].get<std::string>(), piece[1].get<double>()});
    }
    parts.characterMap = mapIn(file);
    requireMarkedWords(file);
    parts.added = addedIn(file);
    return parts;
}

/// As transformers' converter: tokens that only begin with sentinels come behind the pieces, the
/// last one first, and no byte has a token.
UnigramTokenizer::Parts UnigramTokenizer::partsOfPieces(Checkpoint& checkpoint,
                                                        const std::string& component) {
    const std::string file = component + "/spiece.model";
    const std::string settings = component + "/tokenizer_config.json";
    SentencePieces read =
        readSentencePieces(checkpoint.readText(file), checkpoint.name() + "/" + file);
    int64_t extra = kUsualExtraTokens;
    if (checkpoint.has(settings)) {
        const Json json = checkpoint.readJson(settings);
        extra = integerInRange(JsonReader(json, checkpoint.name() + "/" + settings),
                               "extra_ids",
                               kUsualExtraTokens,
                               0,
                               kMostExtraTokens);
    }
    Parts parts{.pieces = std::move(read.pieces),
                .unknown = read.unknown,
                .characterMap = std::move(read.characterMap)};
    for (int64_t i = extra - 1; i >= 0; --i) {
        parts.added.push_back({.content = "<extra_id_" + std::to_string(i) + ">",
                               .id = static_cast<TokenId>(parts.pieces.size())});
        parts.pieces.push_back({parts.added.back().content, 0});
    }
    for (size_t id = 0; id < parts.pieces.size(); ++id) {
        for (const char* special : {kPaddingToken, kEndToken, "<unk>"}) {
            if (parts.pieces[id].text == special) {
                parts.added.push_back({.content = special, .id = static_cast<TokenId>(id)});
            }
        }
    }
    return parts;
}

TokenId UnigramTokenizer::vocabularySize() const {
    TokenId size = model_.size();
    for (const SpecialToken& each : added_) {
        size = std::max(size, each.id + 1);
    }
    return size;
}

void UnigramTokenizer::appendWords(std::string_view normalized, std::vector<TokenId>& ids) const {
    for (const TextPart& part : cutAtSpecials(normalized, added_, /*normalized=*/true)) {
        if (part.token) {
            ids.push_back(part.token->id);
            continue;
        }
        for (const std::string_view word : wordsOf(part.text)) {
            model_.encode(std::string(kWordMark) + std::string(word), ids);
        }
    }
}

TokenizedPrompt UnigramTokenizer::tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput, "the text is not UTF-8", "write it in UTF-8", item);
    }
    std::vector<TokenId> content;
    for (const TextPart& part : cutAtSpecials(text, added_, /*normalized=*/false)) {
        if (part.token) {
            content.push_back(part.token->id);
        } else {
            appendWords(characters_.applied(part.text), content);
        }
    }
    const size_t kept = std::min(content.size(), static_cast<size_t>(length) - 1);
    TokenizedPrompt prompt;
    prompt.cutTokens = static_cast<int64_t>(content.size() - kept);
    prompt.ids.assign(content.begin(), content.begin() + static_cast<ptrdiff_t>(kept));
    prompt.ids.push_back(end_);
    prompt.mask.assign(prompt.ids.size(), 1);
    prompt.ids.resize(static_cast<size_t>(length), padding_);
    prompt.mask.resize(static_cast<size_t>(length), 0);
    return prompt;
}

}  // namespace lowtide::models
