#include "plugin/models/text/special_tokens.hpp"

#include "plugin/base/error.hpp"

#include <algorithm>
#include <optional>

namespace lowtide::models {

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
    SettingsReader(Checkpoint& checkpoint,
                   const std::string& component,
                   const BytePairEncoder& encoder)
        : checkpoint_(checkpoint), component_(component), encoder_(encoder) {}

    TokenizerSettings read() {
        config_ = optionalJson("tokenizer_config.json");
        map_ = optionalJson("special_tokens_map.json");
        refuseAddedTokens();
        readAddedDecoder();
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
        Json json = checkpoint_.has(relative) ? checkpoint_.readJson(relative) : Json::object();
        if (!json.is_object()) {
            throw Error(ErrorKind::Corrupt, relative + " is no JSON object", "get the file again");
        }
        return json;
    }

    TokenId idOf(const std::string& content, const std::string& what) const {
        const TokenId id = encoder_.idOf(content);
        if (id < 0) {
            throw Error(ErrorKind::Corrupt,
                        component_ + ": " + what + " is \"" + content +
                            "\", which vocab.json does not have",
                        "get the tokenizer's files again");
        }
        return id;
    }

    Stated stated(const Json& value, const std::string& what) const {
        if (value.is_string()) {
            return {value.get<std::string>(), false};
        }
        const JsonReader reader(value, component_ + ": " + what);
        for (const char* key : {"lstrip", "rstrip", "single_word"}) {
            if (reader.boolean(key).value_or(false)) {
                throw Error(ErrorKind::Unsupported,
                            reader.what() + " sets " + key + ", which is not built",
                            "use a checkpoint with CLIP's own tokenizer");
            }
        }
        const std::optional<std::string> content = reader.text("content");
        if (!content) {
            throw Error(
                ErrorKind::Corrupt, reader.what() + " has no content", "get the file again");
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
            const Stated token = stated(value, "added_tokens_decoder " + key);
            const TokenId id = encoder_.idOf(token.content);
            if (std::to_string(id) != key) {
                refuseOutside(token.content);
            }
            addSpecial(token, id);
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
        if (!hasDecoder_ || !known) {
            addSpecial(token, id);
        }
        return id;
    }

    void refuseAddedTokens() {
        const std::string relative = component_ + "/added_tokens.json";
        if (!checkpoint_.has(relative)) {
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
        throw Error(ErrorKind::Unsupported,
                    component_ + ": the token \"" + content + "\" is added to the vocabulary",
                    "use a checkpoint with CLIP's own tokenizer");
    }

    void readMaxLength() {
        const JsonReader reader(config_, component_ + "/tokenizer_config.json");
        const std::optional<double> length = reader.number("model_max_length");
        // Without a limit transformers writes 1e30.
        if (length && *length < kLongestText) {
            settings_.maxLength = static_cast<int64_t>(*length);
            if (settings_.maxLength < 3) {
                throw Error(
                    ErrorKind::Corrupt,
                    reader.what() + ": model_max_length is " + std::to_string(settings_.maxLength),
                    "it must be at least 3");
            }
        }
    }

    Checkpoint& checkpoint_;
    const std::string component_;
    const BytePairEncoder& encoder_;
    Json config_;
    Json map_;
    bool hasDecoder_ = false;
    TokenizerSettings settings_;
};

}  // namespace

TokenizerSettings readTokenizerSettings(Checkpoint& checkpoint,
                                        const std::string& component,
                                        const BytePairEncoder& encoder) {
    return SettingsReader(checkpoint, component, encoder).read();
}

std::vector<TextPart> cutAtSpecials(std::string_view text,
                                    const std::vector<SpecialToken>& specials,
                                    bool normalized) {
    std::vector<TextPart> parts;
    while (!text.empty()) {
        size_t first = text.size();
        const SpecialToken* token = nullptr;
        for (const SpecialToken& special : specials) {
            const size_t at = special.normalized == normalized ? text.find(special.content)
                                                               : std::string_view::npos;
            const bool longer =
                token && at == first && special.content.size() > token->content.size();
            if (at < first || longer) {
                first = at;
                token = &special;
            }
        }
        if (first > 0) {
            parts.push_back({text.substr(0, first), nullptr});
        }
        const size_t length = token ? token->content.size() : 0;
        if (token) {
            parts.push_back({text.substr(first, length), token});
        }
        text.remove_prefix(first + length);
    }
    return parts;
}

}  // namespace lowtide::models
