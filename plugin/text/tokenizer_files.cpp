#include "plugin/text/tokenizer_files.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace lowtide::models {

namespace {

constexpr std::string_view kPairsModel = "BPE";

/// "left right", as files were written before tokenizers 0.20, or ["left", "right"]. Nothing: it is
/// neither.
std::optional<TokenPair> pairOf(const Json& merge) {
    if (merge.is_string()) {
        const std::string_view line = merge.get_ref<const std::string&>();
        const size_t space = line.find(' ');
        if (space == line.npos) {
            return std::nullopt;
        }
        return TokenPair{line.substr(0, space), line.substr(space + 1)};
    }
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        return TokenPair{merge[0].get_ref<const std::string&>(),
                         merge[1].get_ref<const std::string&>()};
    }
    return std::nullopt;
}

}  // namespace

TokenizerJson::TokenizerJson(Json file, std::string what, std::string_view wordEnd)
    : file_(std::move(file)), what_(std::move(what)) {
    const Json* found = JsonReader(file_, what_).member("model");
    if (!found) {
        refuse(message("it has no model"));
    }
    const JsonReader model(*found, what_ + ": model");
    const std::string type = model.text("type").value_or(std::string(kPairsModel));
    const std::string seenEnd = model.text("end_of_word_suffix").value_or(std::string(wordEnd));
    if (type != kPairsModel || seenEnd != wordEnd) {
        throw Error(ErrorKind::Unsupported,
                    message("{}: the model is of the type {} and ends words with {}; byte pairs "
                            "(BPE) that end them with {} are built",
                            what_,
                            quotedName(type),
                            quotedName(seenEnd),
                            quotedName(wordEnd)),
                    message("get the tokenizer that this text encoder was published with"));
    }
    ignoresMerges_ = model.boolean("ignore_merges").value_or(false);
    vocabulary_ = model.member("vocab");
    if (!vocabulary_) {
        refuse(message("its model has no vocab"));
    }
    readMerges();
    readAddedTokens();
}

const Json* TokenizerJson::member(const char* key) const {
    return JsonReader(file_, what_).member(key);
}

void TokenizerJson::readMerges() {
    const Json& model = file_.at("model");
    const auto merges = model.find("merges");
    if (merges == model.end() || !merges->is_array()) {
        refuse(message("its model has no list of merges"));
    }
    merges_.reserve(merges->size());
    for (const Json& merge : *merges) {
        const std::optional<TokenPair> pair = pairOf(merge);
        if (!pair) {
            refuse(message("merge {} is no pair of tokens", merges_.size()));
        }
        merges_.push_back(*pair);
    }
}

void TokenizerJson::readAddedTokens() {
    const auto added = file_.find("added_tokens");
    if (added == file_.end() || added->is_null()) {
        return;
    }
    if (!added->is_array()) {
        refuse(message("added_tokens is no list"));
    }
    added_ = *added;
}

void TokenizerJson::refuse(const Message& problem) const {
    throw Error(ErrorKind::Corrupt,
                message("{}: {}", what_, problem),
                message("get the tokenizer's files again"));
}

namespace {

constexpr size_t kMostDigits = 8;

}  // namespace

Json addedInDecoder(const Json& decoder, const std::string& what) {
    Json added = Json::array();
    for (const auto& [id, token] : decoder.items()) {
        const bool isNumber = !id.empty() && id.size() <= kMostDigits &&
                              id.find_first_not_of("0123456789") == id.npos;
        if (!isNumber || !token.is_object()) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: added_tokens_decoder has {}, which is no id of a token",
                                what,
                                quotedName(id)),
                        message("get the tokenizer's files again"));
        }
        Json entry = token;
        entry["id"] = std::strtoul(id.c_str(), nullptr, 10);
        added.push_back(std::move(entry));
    }
    return added;
}

namespace {

constexpr const char* kEndOfText = "<|endoftext|>";
constexpr const char* kStartOfText = "<|startoftext|>";
constexpr double kLongestText = 1 << 20;

/// One token as a config writes it: a string or an object.
struct Stated {
    std::string content;
    bool normalized = false;
};

class SettingsReader {
public:
    SettingsReader(ModelFiles& files,
                   const std::string& component,
                   const BytePairEncoder& encoder,
                   const Json& added)
        : files_(files),
          component_(component),
          what_(files.pathOf(component)),
          encoder_(encoder),
          added_(added) {}

    TokenizerSettings read() {
        config_ = optionalJson("tokenizer_config.json");
        map_ = optionalJson("special_tokens_map.json");
        refuseAddedTokens();
        readAddedDecoder();
        readAddedList();
        settings_.begin = named("bos_token", kStartOfText);
        settings_.end = named("eos_token", kEndOfText);
        settings_.unknown = named("unk_token", kEndOfText);
        settings_.padding = named("pad_token", kEndOfText);
        readMaxLength();
        return settings_;
    }

private:
    Json optionalJson(const std::string& file) {
        const std::string relative = component_ + "/" + file;
        Json json = files_.has(relative) ? files_.readJson(relative) : Json::object();
        if (!json.is_object()) {
            throw Error(ErrorKind::Corrupt,
                        message("{} is no JSON object", files_.pathOf(relative)),
                        message("get the file again"));
        }
        return json;
    }

    TokenId idOf(const std::string& content, const std::string& what) const {
        const TokenId id = encoder_.idOf(content);
        if (id < 0) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: {} is {}, which the vocabulary does not have",
                                what_,
                                what,
                                quotedName(content)),
                        message("get the tokenizer's files again"));
        }
        return id;
    }

    Stated stated(const Json& value, const std::string& what) const {
        if (value.is_string()) {
            return {value.get<std::string>(), false};
        }
        const JsonReader reader(value, what_ + ": " + what);
        for (const char* key : {"lstrip", "rstrip", "single_word"}) {
            if (reader.boolean(key).value_or(false)) {
                throw Error(ErrorKind::Unsupported,
                            message("{} sets {}, which is not built", reader.what(), key),
                            message("use a checkpoint with CLIP's own tokenizer"));
            }
        }
        const std::optional<std::string> content = reader.text("content");
        if (!content) {
            throw Error(ErrorKind::Corrupt,
                        message("{} has no content", reader.what()),
                        message("get the file again"));
        }
        return {*content, reader.boolean("normalized").value_or(false)};
    }

    /// The last statement about a token wins.
    void addSpecial(const Stated& token, TokenId id) {
        const auto known = std::find_if(
            settings_.specials.begin(), settings_.specials.end(), [&](const SpecialToken& other) {
                return other.content == token.content;
            });
        if (known != settings_.specials.end()) {
            known->normalized = token.normalized;
        } else if (!token.content.empty()) {
            settings_.specials.push_back({token.content, id, token.normalized});
        }
    }

    void readAddedDecoder() {
        const auto decoder = config_.find("added_tokens_decoder");
        hasDecoder_ = decoder != config_.end() && decoder->is_object() && !decoder->empty();
        if (!hasDecoder_) {
            return;
        }
        for (const auto& [key, value] : decoder->items()) {
            const Stated token = stated(value, "added_tokens_decoder " + quotedName(key));
            const TokenId id = encoder_.idOf(token.content);
            if (std::to_string(id) != key) {
                refuseOutside(token.content);
            }
            addSpecial(token, id);
        }
    }

    /// Of tokenizer.json. They count where the config has no decoder.
    void readAddedList() {
        statesFlags_ = hasDecoder_ || !added_.empty();
        for (const Json& value : added_) {
            const std::string what = what_ + "/tokenizer.json: added_tokens";
            const Stated token = stated(value, "tokenizer.json: added_tokens");
            const std::optional<int64_t> id = JsonReader(value, what).integer("id");
            const TokenId known = encoder_.idOf(token.content);
            if (known < 0 || id != known) {
                refuseOutside(token.content);
            }
            if (!hasDecoder_) {
                addSpecial(token, known);
            }
        }
    }

    TokenId named(const char* key, const char* otherwise) {
        const Json* value = nullptr;
        for (const Json* source : {&config_, &map_}) {
            const bool counts = source == &config_ || !hasDecoder_;
            const auto entry = source->find(key);
            if (counts && entry != source->end() && !entry->is_null()) {
                value = &*entry;
            }
        }
        const Stated token = value ? stated(*value, key) : Stated{otherwise, false};
        const TokenId id = idOf(token.content, key);
        const bool known = std::any_of(
            settings_.specials.begin(), settings_.specials.end(), [&](const SpecialToken& other) {
                return other.content == token.content;
            });
        if (!statesFlags_ || !known) {
            addSpecial(token, id);
        }
        return id;
    }

    void refuseAddedTokens() {
        const std::string relative = component_ + "/added_tokens.json";
        if (!files_.has(relative)) {
            return;
        }
        const Json added = optionalJson("added_tokens.json");
        for (const auto& [content, id] : added.items()) {
            if (!id.is_number_integer() || encoder_.idOf(content) != id.get<int64_t>()) {
                refuseOutside(content);
            }
        }
    }

    [[noreturn]] void refuseOutside(const std::string& content) const {
        throw Error(
            ErrorKind::Unsupported,
            message("{}: the token {} is added to the vocabulary", component_, quotedName(content)),
            message("use a checkpoint with CLIP's own tokenizer"));
    }

    void readMaxLength() {
        const JsonReader reader(config_, what_ + "/tokenizer_config.json");
        const std::optional<double> length = reader.number("model_max_length");
        // Without a limit transformers writes 1e30.
        if (!length || *length >= kLongestText) {
            return;
        }
        if (*length < 3) {
            throw Error(ErrorKind::Corrupt,
                        message("{}: model_max_length is {}", reader.what(), formatNumber(*length)),
                        message("it must be at least 3"));
        }
        settings_.maxLength = static_cast<int64_t>(*length);
    }

    ModelFiles& files_;
    const std::string component_;
    const std::string what_;  ///< the component in messages
    const BytePairEncoder& encoder_;
    const Json& added_;
    Json config_;
    Json map_;
    bool hasDecoder_ = false;
    bool statesFlags_ = false;  ///< what is known of tokens is more than their names
    TokenizerSettings settings_;
};

/// The special tokens of a text from front to back. Each is looked for again only behind the
/// position where it was found, so that the time is linear.
class SpecialFinder {
public:
    SpecialFinder(std::string_view text, const std::vector<SpecialToken>& specials, bool normalized)
        : text_(text) {
        for (const SpecialToken& special : specials) {
            if (special.normalized == normalized) {
                found_.push_back({&special, text.find(special.content)});
            }
        }
    }

    /// The leftmost one from `from` on, the longest of several; the end of the text when there is
    /// none.
    std::pair<size_t, const SpecialToken*> next(size_t from) {
        size_t first = text_.size();
        const SpecialToken* token = nullptr;
        for (Found& found : found_) {
            if (found.at < from) {
                found.at = text_.find(found.token->content, from);
            }
            const bool isLonger =
                token && found.at == first && found.token->content.size() > token->content.size();
            if (found.at < first || isLonger) {
                first = found.at;
                token = found.token;
            }
        }
        return {first, token};
    }

private:
    struct Found {
        const SpecialToken* token;
        size_t at;
    };

    std::string_view text_;
    std::vector<Found> found_;
};

}  // namespace

TokenizerSettings readTokenizerSettings(ModelFiles& files,
                                        const std::string& component,
                                        const BytePairEncoder& encoder,
                                        const Json& added) {
    return SettingsReader(files, component, encoder, added).read();
}

std::vector<TextPart> cutAtSpecials(std::string_view text,
                                    const std::vector<SpecialToken>& specials,
                                    bool normalized) {
    SpecialFinder finder(text, specials, normalized);
    std::vector<TextPart> parts;
    size_t at = 0;
    while (at < text.size()) {
        const auto [first, token] = finder.next(at);
        if (first > at) {
            parts.push_back({text.substr(at, first - at), nullptr});
        }
        const size_t length = token ? token->content.size() : 0;
        if (token) {
            parts.push_back({text.substr(first, length), token});
        }
        at = first + length;
    }
    return parts;
}

}  // namespace lowtide::models
