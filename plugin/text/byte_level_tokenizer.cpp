#include "plugin/text/byte_level_tokenizer.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/byte_pair_encoder.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/model_files.hpp"
#include "plugin/text/tokenizer_files.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace lowtide::models {

/// The tokenizer of Qwen 2, 2.5 and 3 that `component` has as vocab.json and merges.txt, as the
/// tokenizer.json that transformers 5.23 makes of them (Qwen2Tokenizer). Without vocab.json the
/// vocabulary is made of the merges, which are in its order. Added tokens are those of
/// tokenizer_config.json, else of added_tokens.json, else the three of every Qwen, whose ids follow
/// the vocabulary's. Error{Unsupported} where tokenizer_config.json names another tokenizer.
[[nodiscard]] Json qwenJson(ModelFiles& files, const std::string& component);

namespace {

constexpr BytePairKind kBytePairKinds[] = {
    {.name = "llama-bpe",
     .expression = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                   R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     .takesWholeWords = true,
     .begins = true},
    {.name = "qwen2",
     .expression = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                   R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     .composes = true}};

}  // namespace

const BytePairKind* bytePairKind(std::string_view name) {
    const auto* known = std::find_if(std::begin(kBytePairKinds),
                                     std::end(kBytePairKinds),
                                     [&](const BytePairKind& kind) { return kind.name == name; });
    return known == std::end(kBytePairKinds) ? nullptr : known;
}

Json byteLevelJson(const BytePairKind& kind, Json vocabulary, Json merges, Json added) {
    return {{"added_tokens", std::move(added)},
            {"normalizer", kind.composes ? Json{{"type", "NFC"}} : Json()},
            {"pre_tokenizer",
             {{"type", "Sequence"},
              {"pretokenizers",
               {{{"type", "Split"},
                 {"pattern", {{"Regex", kind.expression}}},
                 {"behavior", "Isolated"},
                 {"invert", false}},
                {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}}},
            {"model",
             {{"type", "BPE"},
              {"vocab", std::move(vocabulary)},
              {"merges", std::move(merges)},
              {"ignore_merges", kind.takesWholeWords}}}};
}

namespace {

constexpr const char* kTokensOfQwen[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

/// {"<|endoftext|>": 151643}
Json addedInList(const Json& list, const std::string& what) {
    if (!list.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{} is no JSON object", what),
                    message("get the file again"));
    }
    Json added = Json::array();
    for (const auto& [content, id] : list.items()) {
        added.push_back({{"content", content}, {"id", id}, {"normalized", false}});
    }
    return added;
}

/// Token -> id: the bytes, then what each pair makes.
Json vocabularyOf(const std::vector<TokenPair>& pairs) {
    Json vocabulary = Json::object();
    for (const std::string& byte : bytesById()) {
        vocabulary.emplace(byte, vocabulary.size());
    }
    for (const auto& [left, right] : pairs) {
        vocabulary.emplace(std::string(left).append(right), vocabulary.size());
    }
    return vocabulary;
}

/// Behind the vocabulary, those that it does not have itself.
Json addedOfQwen(const Json& vocabulary) {
    Json added = Json::array();
    size_t next = vocabulary.size();
    for (const char* content : kTokensOfQwen) {
        const auto known = vocabulary.find(content);
        const Json id = known == vocabulary.end() ? Json(next++) : *known;
        added.push_back({{"content", content}, {"id", id}, {"normalized", false}});
    }
    return added;
}

}  // namespace

Json qwenJson(ModelFiles& files, const std::string& component) {
    const std::string settings = component + "/tokenizer_config.json";
    const std::string list = component + "/added_tokens.json";
    const std::string vocabularyFile = component + "/vocab.json";
    const Json stated = files.has(settings) ? files.readJson(settings) : Json::object();
    const JsonReader reader(stated, files.pathOf(settings));
    const std::string type = reader.text("tokenizer_class").value_or("Qwen2Tokenizer");
    if (type != "Qwen2Tokenizer" && type != "Qwen2TokenizerFast") {
        throw Error(
            ErrorKind::Unsupported,
            message(
                "{}: vocab.json and merges.txt are of a {}; those of a Qwen2Tokenizer are built",
                reader.what(),
                quotedName(type)),
            message("get its tokenizer.json"));
    }
    const std::string text = files.readText(component + "/merges.txt");
    const std::vector<TokenPair> pairs = pairsOf(text);
    Json vocabulary =
        files.has(vocabularyFile) ? files.readJson(vocabularyFile) : vocabularyOf(pairs);
    if (!vocabulary.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    message("{}: the vocabulary is no JSON object", files.pathOf(vocabularyFile)),
                    message("get the tokenizer's files again"));
    }
    Json merges = Json::array();
    for (const auto& [left, right] : pairs) {
        merges.push_back(Json::array({left, right}));
    }
    const Json* decoder = reader.member("added_tokens_decoder");
    Json added = decoder && decoder->is_object() ? addedInDecoder(*decoder, reader.what())
                 : files.has(list) ? addedInList(files.readJson(list), files.pathOf(list))
                                   : addedOfQwen(vocabulary);
    return byteLevelJson(
        *bytePairKind("qwen2"), std::move(vocabulary), std::move(merges), std::move(added));
}

namespace {

constexpr size_t kShownBytes = 80;  ///< of a value in a message
constexpr Phrase kOtherTokenizer =
    phrase("get the tokenizer that this text encoder was published with");
/// GPT-2's own, which files name by "use_regex".
constexpr std::string_view kGptPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The pieces of a text: matches, and what lies between them.
std::vector<std::string_view> isolated(const TextPattern& pattern, std::string_view text) {
    std::vector<std::string_view> pieces;
    TextPattern::Matches matches(pattern, text);
    size_t at = 0;
    while (const std::optional<TextPattern::Match> match = matches.next()) {
        if (match->begin > at) {
            pieces.push_back(text.substr(at, match->begin - at));
        }
        pieces.push_back(text.substr(match->begin, match->end - match->begin));
        at = match->end;
    }
    if (at < text.size()) {
        pieces.push_back(text.substr(at));
    }
    return pieces;
}

/// Its tokenizer.json, or one made of the vocabulary's own files.
TokenizerJson byteLevelFile(ModelFiles& files, const std::string& component) {
    const std::string file = component + "/tokenizer.json";
    const std::string vocabulary = component + "/vocab.json";
    const std::string merges = component + "/merges.txt";
    if (files.has(file) || !files.has(merges)) {
        return {files.readJson(file), files.pathOf(file), ""};
    }
    return {
        qwenJson(files, component), files.pathOf(files.has(vocabulary) ? vocabulary : merges), ""};
}

}  // namespace

/// Everything in the file but its vocabulary.
class ByteLevelTokenizer::Reader {
public:
    Reader(const TokenizerJson& file, const BytePairEncoder& encoder, std::string what)
        : file_(file), encoder_(encoder), what_(std::move(what)) {}

    Steps read() {
        readAdded();
        readNormalizer(file_.member("normalizer"));
        readSplitting(file_.member("pre_tokenizer"));
        if (!splitsBytes_) {
            refuse(message("pre_tokenizer has no step ByteLevel"));
        }
        readTemplate(file_.member("post_processor"));
        return std::move(steps_);
    }

private:
    [[noreturn]] void refuse(const Message& problem) const {
        throw Error(ErrorKind::Unsupported, message("{}: {}", what_, problem), kOtherTokenizer);
    }

    [[nodiscard]] std::string typeOf(const Json& step, const char* key) const {
        return JsonReader(step, what_ + ": " + key).text("type").value_or("");
    }

    [[noreturn]] void refuseType(const char* key, const std::string& type) const {
        refuse(message("{} is of the type {}, which is not built", key, quotedName(type)));
    }

    /// The steps of a "Sequence" under `list`, or the step itself.
    static std::vector<Json> stepsOf(const Json& step, const std::string& type, const char* list) {
        const auto steps = step.find(list);
        return type == "Sequence" && steps != step.end() && steps->is_array()
                   ? steps->get<std::vector<Json>>()
                   : std::vector<Json>{};
    }

    void readAdded() {
        for (const Json& value : file_.addedTokens()) {
            const JsonReader token(value, what_ + ": added_tokens");
            for (const char* key : {"lstrip", "rstrip", "single_word"}) {
                if (token.boolean(key).value_or(false)) {
                    refuse(message("added_tokens sets {}, which is not built", key));
                }
            }
            const std::optional<std::string> content = token.text("content");
            const std::optional<int64_t> id = token.integer("id");
            const TokenId known = content ? encoder_.idOf(*content) : -1;
            if (!content || content->empty() || !id || *id < 0 || *id > kLargestTokenId ||
                (known >= 0 && known != *id)) {
                throw Error(ErrorKind::Corrupt,
                            message("{}: added_tokens has {}",
                                    what_,
                                    value.dump(-1, ' ', true).substr(0, kShownBytes)),
                            message("get the tokenizer's files again"));
            }
            steps_.added.push_back({.content = *content,
                                    .id = static_cast<TokenId>(*id),
                                    .normalized = token.boolean("normalized").value_or(true)});
        }
    }

    void readNormalizer(const Json* step) {
        if (!step) {
            return;
        }
        const std::string type = typeOf(*step, "normalizer");
        if (type == "NFC") {
            steps_.composes = true;
        } else if (type != "Sequence") {
            refuseType("normalizer", type);
        }
        for (const Json& each : stepsOf(*step, type, "normalizers")) {
            readNormalizer(&each);
        }
    }

    void readSplitting(const Json* step) {
        if (!step) {
            return;
        }
        const char* key = "pre_tokenizer";
        const std::string type = typeOf(*step, key);
        const JsonReader reader(*step, what_ + ": " + key);
        if (type == "Split") {
            addPattern(reader);
        } else if (type == "ByteLevel") {
            if (reader.boolean("add_prefix_space").value_or(true)) {
                refuse(message("pre_tokenizer sets add_prefix_space, which is not built"));
            }
            if (reader.boolean("use_regex").value_or(true)) {
                steps_.patterns.emplace_back(kGptPattern, what_);
            }
            splitsBytes_ = true;
        } else if (type != "Sequence") {
            refuseType(key, type);
        }
        for (const Json& each : stepsOf(*step, type, "pretokenizers")) {
            readSplitting(&each);
        }
    }

    void addPattern(const JsonReader& split) {
        const std::string behaviour = split.text("behavior").value_or("");
        const Json* pattern = split.member("pattern");
        const auto expression =
            pattern ? JsonReader(*pattern, split.what() + " pattern").text("Regex") : std::nullopt;
        if (!expression || behaviour != "Isolated" || split.boolean("invert").value_or(false)) {
            refuse(
                message("pre_tokenizer splits by {}; an expression (Regex) whose matches are "
                        "Isolated is built",
                        quotedName(behaviour)));
        }
        steps_.patterns.emplace_back(*expression, what_);
    }

    void readTemplate(const Json* step) {
        if (!step) {
            return;
        }
        const std::string type = typeOf(*step, "post_processor");
        if (type == "TemplateProcessing") {
            readPositions(*step);
        } else if (type != "ByteLevel" && type != "Sequence") {
            refuseType("post_processor", type);
        }
        for (const Json& each : stepsOf(*step, type, "processors")) {
            readTemplate(&each);
        }
    }

    /// [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}], and the ids of such tokens.
    void readPositions(const Json& step) {
        const auto positions = step.find("single");
        std::vector<TokenId>* tokens = &steps_.first;
        for (const Json& position : positions == step.end() ? Json::array() : *positions) {
            if (memberOf(&position, "Sequence")) {
                tokens = &steps_.last;
                continue;
            }
            const Json* special = memberOf(&position, "SpecialToken");
            const Json* ids = special ? idsIn(step, *special) : nullptr;
            if (!ids) {
                refuse(message("post_processor has {}",
                               position.dump(-1, ' ', true).substr(0, kShownBytes)));
            }
            for (const Json& id : *ids) {
                tokens->push_back(id.get<TokenId>());
            }
        }
    }

    /// {"special_tokens": {"<s>": {"ids": [1]}}}; nullptr: it is not so.
    static const Json* idsIn(const Json& step, const Json& special) {
        const Json* name = memberOf(&special, "id");
        const Json* tokens = memberOf(&step, "special_tokens");
        const Json* token =
            name && name->is_string() ? memberOf(tokens, name->get<std::string>()) : nullptr;
        const Json* ids = memberOf(token, "ids");
        const bool isList = ids && ids->is_array() && std::all_of(ids->begin(), ids->end(), isId);
        return isList ? ids : nullptr;
    }

    static const Json* memberOf(const Json* object, const std::string& key) {
        const bool has = object && object->is_object() && object->contains(key);
        return has ? &object->at(key) : nullptr;
    }

    static bool isId(const Json& id) {
        return id.is_number_unsigned() && id.get<uint64_t>() <= kLargestTokenId;
    }

    const TokenizerJson& file_;
    const BytePairEncoder& encoder_;
    const std::string what_;
    Steps steps_;
    bool splitsBytes_ = false;
};

ByteLevelTokenizer::ByteLevelTokenizer(ModelFiles& files, const std::string& component)
    : ByteLevelTokenizer(byteLevelFile(files, component)) {}

ByteLevelTokenizer::ByteLevelTokenizer(const TokenizerJson& file)
    : file_(file.what()),
      encoder_(file.vocabulary(),
               file.merges(),
               {.vocabulary = file_, .merges = file_},
               {.wordEnd = "", .takesWholeWords = file.ignoresMerges()}),
      steps_(Reader(file, encoder_, file_).read()) {
    if (!encoder_.knowsEveryByte()) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: its model has no token for some byte; vocabularies of GPT-2's 256 "
                            "characters are built",
                            file_),
                    kOtherTokenizer);
    }
}

void ByteLevelTokenizer::append(std::string_view text, std::vector<TokenId>& ids) const {
    std::vector<std::string_view> pieces = {text};
    for (const TextPattern& pattern : steps_.patterns) {
        std::vector<std::string_view> smaller;
        for (const std::string_view piece : pieces) {
            const std::vector<std::string_view> own = isolated(pattern, piece);
            smaller.insert(smaller.end(), own.begin(), own.end());
        }
        pieces = std::move(smaller);
    }
    for (const std::string_view piece : pieces) {
        encoder_.encode(piece, ids);
    }
}

std::vector<TokenId> ByteLevelTokenizer::contentOf(std::string_view text,
                                                   const std::string& item) const {
    if (!isValidUtf8(text)) {
        throw Error(ErrorKind::InvalidInput,
                    message("the text is not UTF-8"),
                    message("write it in UTF-8"),
                    item);
    }
    std::vector<TokenId> content;
    for (const TextPart& part : cutAtSpecials(text, steps_.added, false)) {
        if (part.token) {
            content.push_back(part.token->id);
            continue;
        }
        const std::string normalized =
            steps_.composes ? composedText(part.text) : std::string(part.text);
        for (const TextPart& inner : cutAtSpecials(normalized, steps_.added, true)) {
            if (inner.token) {
                content.push_back(inner.token->id);
            } else {
                append(inner.text, content);
            }
        }
    }
    return content;
}

std::vector<TokenId> ByteLevelTokenizer::tokensOf(std::string_view text,
                                                  const std::string& item) const {
    std::vector<TokenId> ids = steps_.first;
    const std::vector<TokenId> content = contentOf(text, item);
    ids.insert(ids.end(), content.begin(), content.end());
    ids.insert(ids.end(), steps_.last.begin(), steps_.last.end());
    return ids;
}

TokenizedPrompt ByteLevelTokenizer::tokenize(std::string_view text,
                                             int64_t length,
                                             TokenId padding,
                                             const std::string& item) const {
    const auto positions = static_cast<size_t>(length);
    const size_t around = steps_.first.size() + steps_.last.size();
    LOWTIDE_ASSERT(positions > around);
    const std::vector<TokenId> content = contentOf(text, item);
    const size_t kept = std::min(content.size(), positions - around);
    TokenizedPrompt prompt;
    prompt.cutTokens = static_cast<int64_t>(content.size() - kept);
    prompt.ids.assign(steps_.first.begin(), steps_.first.end());
    prompt.ids.insert(
        prompt.ids.end(), content.begin(), content.begin() + static_cast<ptrdiff_t>(kept));
    prompt.ids.insert(prompt.ids.end(), steps_.last.begin(), steps_.last.end());
    prompt.mask.assign(prompt.ids.size(), 1);
    prompt.ids.resize(positions, padding);
    prompt.mask.resize(positions, 0);
    return prompt;
}

int64_t ByteLevelTokenizer::vocabularySize() const {
    int64_t size = encoder_.vocabularySize();
    for (const SpecialToken& added : steps_.added) {
        size = std::max(size, int64_t{added.id} + 1);
    }
    return size;
}

TokenId ByteLevelTokenizer::idOf(std::string_view token) const {
    const auto added =
        std::find_if(steps_.added.begin(), steps_.added.end(), [&](const SpecialToken& each) {
            return each.content == token;
        });
    return added == steps_.added.end() ? encoder_.idOf(token) : added->id;
}

}  // namespace lowtide::models
