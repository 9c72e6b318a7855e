#include "plugin/text/unigram_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/characters.hpp"
#include "plugin/text/sentence_pieces.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

constexpr std::string_view kWordMark = "\xE2\x96\x81";  ///< U+2581
constexpr const char* kEndToken = "</s>";
constexpr const char* kPaddingToken = "<pad>";

[[noreturn]] void refuseStep(const std::string& what, const Message& problem) {
    throw Error(ErrorKind::Unsupported,
                message("{}: {}", what, problem),
                message("get the tokenizer that this text encoder was published with"));
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

std::string decodedMap(const JsonReader& step, const std::string& what) {
    const std::optional<std::string> encoded = step.text("precompiled_charsmap");
    const std::optional<std::string> decoded = encoded ? fromBase64(*encoded) : std::nullopt;
    if (encoded && !decoded) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: precompiled_charsmap is no base64", what),
                    message("get the tokenizer's files again"));
    }
    return decoded.value_or("");
}

/// {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, or by the mark: what makes a
/// run of spaces one.
bool joinsSpaces(const JsonReader& step) {
    const Json* pattern = step.member("pattern");
    if (!pattern || !pattern->is_object()) {
        return false;
    }
    const JsonReader reader(*pattern, step.what());
    const std::string run = reader.text("Regex").value_or("");
    const std::string spaces = reader.text("String").value_or("");
    const bool isRun = run == " {2,}" || run == " +" ||
                       (!spaces.empty() && spaces.find_first_not_of(' ') == spaces.npos);
    const std::string content = step.text("content").value_or("");
    return isRun && (content == " " || content == kWordMark);
}

/// What is replaced before words are cut. Steps that trim and join white space change nothing, as
/// words are cut there.
std::string mapIn(const JsonReader& file) {
    std::optional<std::string> map;
    const Json* normalizer = file.member("normalizer");
    for (const Json& step :
         normalizer ? stepsIn(*normalizer, "normalizers") : std::vector<Json>()) {
        const JsonReader reader(step, file.what() + ": normalizer");
        const std::string type = reader.text("type").value_or("");
        if (type == "Precompiled" && !map) {
            map = decodedMap(reader, file.what());
        } else if (type != "Strip" && !(type == "Replace" && joinsSpaces(reader))) {
            refuseStep(file.what(),
                       message("normalizer has the step {}; one Precompiled, Strip and Replace of "
                               "spaces are built",
                               quotedName(type)));
        }
    }
    return map.value_or("");
}

/// Whether a step puts the mark before every word: in the spelling of tokenizers 0.15
/// (prepend_scheme, split), an older one (add_prefix_space), or both.
bool marksWords(const JsonReader& step) {
    const std::string scheme = step.text("prepend_scheme").value_or("always");
    return step.text("replacement").value_or("") == kWordMark &&
           (scheme == "always" || scheme == "first") &&
           step.boolean("add_prefix_space").value_or(true) && step.boolean("split").value_or(true);
}

/// Words are cut at white space, and each begins with a mark.
void requireMarkedWords(const JsonReader& file) {
    const Json* splitting = file.member("pre_tokenizer");
    bool isMarked = false;
    for (const Json& step :
         splitting ? stepsIn(*splitting, "pretokenizers") : std::vector<Json>()) {
        const JsonReader reader(step, file.what() + ": pre_tokenizer");
        const std::string type = reader.text("type").value_or("");
        const bool isMark = type == "Metaspace" && marksWords(reader);
        if (!isMark && type != "WhitespaceSplit") {
            refuseStep(file.what(),
                       message("pre_tokenizer has the step {}; WhitespaceSplit and Metaspace "
                               "before every word are built",
                               quotedName(type)));
        }
        isMarked = isMarked || isMark;
    }
    if (!isMarked) {
        refuseStep(file.what(), message("pre_tokenizer has no step Metaspace"));
    }
}

std::vector<SpecialToken> addedIn(const Json& list, const std::string& what) {
    std::vector<SpecialToken> added;
    for (const Json& each : list) {
        const JsonReader token(each, what + ": added_tokens");
        const std::string content = token.text("content").value_or("");
        const int64_t id = token.integer("id").value_or(-1);
        // lstrip and rstrip take white space, which is no token here.
        if (token.boolean("single_word").value_or(false)) {
            refuseStep(token.what(),
                       message("{} has single_word, which is not built", quotedName(content)));
        }
        if (content.empty() || id < 0 || id > kLargestTokenId) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: added_tokens has one without content or id", what),
                        message("get the tokenizer's files again"));
        }
        added.push_back({.content = content,
                         .id = static_cast<TokenId>(id),
                         .normalized = token.boolean("normalized").value_or(true)});
    }
    return added;
}

/// A word with the mark before it where it has none, cut before every mark.
std::vector<std::string> markedParts(std::string_view word) {
    const std::string marked =
        (word.starts_with(kWordMark) ? "" : std::string(kWordMark)) + std::string(word);
    std::vector<std::string> parts;
    for (size_t at = 0; at < marked.size();) {
        const size_t next = std::min(marked.find(kWordMark, at + 1), marked.size());
        parts.push_back(marked.substr(at, next - at));
        at = next;
    }
    return parts;
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

UnigramTokenizer::UnigramTokenizer(ModelFiles& files, const std::string& component)
    : UnigramTokenizer(partsOf(files, component)) {}

UnigramTokenizer::UnigramTokenizer(Parts parts)
    : file_(std::move(parts.file)),
      model_(std::move(parts.pieces), parts.unknown, parts.hasByteTokens, file_),
      characters_(parts.characterMap, file_),
      added_(std::move(parts.added)),
      end_(requiredToken(kEndToken)),
      padding_(requiredToken(kPaddingToken)) {
    for (SpecialToken& each : added_) {
        each.content = each.normalized ? characters_.applied(each.content) : each.content;
    }
    std::erase_if(added_, [](const SpecialToken& each) { return each.content.empty(); });
}

TokenId UnigramTokenizer::requiredToken(const char* content) const {
    const TokenId id = model_.idOf(content);
    if (id < 0) {
        throw Error(ErrorKind::Corrupt,
                    message("{} has no token {}", file_, content),
                    message("get the tokenizer's files again"));
    }
    return id;
}

/// Both give the same ids; pieces are a quarter of the bytes.
UnigramTokenizer::Parts UnigramTokenizer::partsOf(ModelFiles& files, const std::string& component) {
    const std::string json = component + "/tokenizer.json";
    return files.has(component + "/spiece.model")
               ? partsOfPieces(files, component)
               : partsOfJson(files.readJson(json), files.pathOf(json));
}

UnigramTokenizer::Parts UnigramTokenizer::partsOfJson(const Json& json, const std::string& what) {
    const JsonReader file(json, what);
    const Json* model = file.member("model");
    const Json noModel = Json::object();
    const JsonReader reader(model ? *model : noModel, what + ": model");
    const Json* vocabulary = reader.member("vocab");
    if (reader.text("type").value_or("") != "Unigram" || !vocabulary || !vocabulary->is_array()) {
        refuseStep(what,
                   message("model is of the type {}, only Unigram is built here",
                           quotedName(reader.text("type").value_or(""))));
    }
    Parts parts{.file = what,
                .unknown = reader.integer("unk_id").value_or(-1),
                .hasByteTokens = reader.boolean("byte_fallback").value_or(false)};
    parts.pieces.reserve(vocabulary->size());
    for (const Json& piece : *vocabulary) {
        const bool isPiece =
            piece.is_array() && piece.size() == 2 && piece[0].is_string() && piece[1].is_number();
        if (!isPiece) {
            throw Error(
                ErrorKind::Corrupt,
                message("{}: model.vocab has an entry that is no piece with its score", what),
                message("get the tokenizer's files again"));
        }
        parts.pieces.push_back({piece[0].get<std::string>(), piece[1].get<double>()});
    }
    parts.characterMap = mapIn(file);
    requireMarkedWords(file);
    if (const Json* added = file.member("added_tokens"); added && added->is_array()) {
        parts.added = addedIn(*added, what);
    }
    return parts;
}

/// As transformers' converter: tokens that only begin with sentinels come behind the pieces, the
/// last one first, and no byte has a token.
UnigramTokenizer::Parts UnigramTokenizer::partsOfPieces(ModelFiles& files,
                                                        const std::string& component) {
    const std::string pieces = component + "/spiece.model";
    const std::string settings = component + "/tokenizer_config.json";
    const std::string file = files.pathOf(pieces);
    SentencePieces read = readSentencePieces(files.readText(pieces), file);
    const Json stated = files.has(settings) ? files.readJson(settings) : Json::object();
    const JsonReader reader(stated, files.pathOf(settings));
    const int64_t extra = sentinelsIn(stated, reader.what());
    Parts parts{.file = file,
                .pieces = std::move(read.pieces),
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
    if (const Json* decoder = reader.member("added_tokens_decoder")) {
        for (SpecialToken& own : addedIn(addedInDecoder(*decoder, reader.what()), reader.what())) {
            const bool isKnown =
                std::any_of(parts.added.begin(), parts.added.end(), [&](const SpecialToken& each) {
                    return each.content == own.content;
                });
            if (!isKnown) {
                parts.added.push_back(std::move(own));
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
            for (const std::string& marked : markedParts(word)) {
                model_.encode(marked, ids);
            }
        }
    }
}

std::vector<TokenId> UnigramTokenizer::tokensOf(std::string_view text,
                                                const std::string& item) const {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the text is not UTF-8"),
                    message("write it in UTF-8"),
                    item);
    }
    std::vector<TokenId> content;
    for (const TextPart& part : cutAtSpecials(text, added_, /*normalized=*/false)) {
        if (part.token) {
            content.push_back(part.token->id);
        } else {
            appendWords(characters_.applied(part.text), content);
        }
    }
    return content;
}

TokenizedPrompt UnigramTokenizer::tokenize(std::string_view text,
                                           int64_t length,
                                           const std::string& item) const {
    const std::vector<TokenId> content = tokensOf(text, item);
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
