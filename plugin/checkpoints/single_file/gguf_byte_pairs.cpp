#include "plugin/checkpoints/single_file/gguf_byte_pairs.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/text/byte_level_json.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace lowtide::models {

namespace {

constexpr int64_t kControlToken = 3;
constexpr int64_t kAddedToken = 4;
constexpr const char* kPreKey = "tokenizer.ggml.pre";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

[[noreturn]] void refuseBytePairs(const std::string& what, const std::string& problem) {
    throw Error(ErrorKind::Corrupt, what + ": " + problem, "get the file again");
}

std::vector<std::string> tokensIn(const files::GgufMetadata& metadata, const std::string& what) {
    std::vector<std::string> tokens =
        metadata.texts(kTokensKey).value_or(std::vector<std::string>());
    if (tokens.empty()) {
        refuseBytePairs(what, std::string(kTokensKey) + " is missing");
    }
    return tokens;
}

/// The token whose number stands under `key`.
std::string tokenAt(const files::GgufMetadata& metadata,
                    const std::vector<std::string>& tokens,
                    const char* key,
                    const std::string& what) {
    const std::optional<int64_t> id = metadata.integer(key);
    if (!id || *id < 0 || *id >= static_cast<int64_t>(tokens.size())) {
        refuseBytePairs(what, std::string(key) + " is no number of a token");
    }
    return tokens[static_cast<size_t>(*id)];
}

Json addedTokens(const files::GgufMetadata& metadata, const std::vector<std::string>& tokens) {
    const std::vector<int64_t> types =
        metadata.integers("tokenizer.ggml.token_type").value_or(std::vector<int64_t>());
    Json added = Json::array();
    for (size_t id = 0; id < std::min(types.size(), tokens.size()); ++id) {
        if (types[id] == kControlToken || types[id] == kAddedToken) {
            added.push_back({{"id", id},
                             {"content", tokens[id]},
                             {"special", types[id] == kControlToken},
                             {"normalized", false}});
        }
    }
    return added;
}

}  // namespace

bool hasGgufBytePairs(const WeightFileHeader& file) {
    const auto model = file.metadata.find("tokenizer.ggml.model");
    const auto pre = file.metadata.find(kPreKey);
    return model != file.metadata.end() && model->second == "gpt2" && pre != file.metadata.end() &&
           bytePairKind(pre->second);
}

Json bytePairsInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    const BytePairKind* kind = bytePairKind(metadata.text(kPreKey).value_or(""));
    if (!kind) {
        refuseBytePairs(what, std::string(kPreKey) + " is of no known kind");
    }
    const std::vector<std::string> tokens = tokensIn(metadata, what);
    Json vocabulary = Json::object();
    for (size_t id = 0; id < tokens.size(); ++id) {
        vocabulary[tokens[id]] = id;
    }
    Json json =
        byteLevelJson(*kind,
                      std::move(vocabulary),
                      metadata.texts("tokenizer.ggml.merges").value_or(std::vector<std::string>()),
                      addedTokens(metadata, tokens));
    if (kind->begins) {
        const std::string first = tokenAt(metadata, tokens, "tokenizer.ggml.bos_token_id", what);
        json["post_processor"] = {{"type", "TemplateProcessing"},
                                  {"single",
                                   {{{"SpecialToken", {{"id", first}, {"type_id", 0}}}},
                                    {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                                  {"special_tokens",
                                   {{first,
                                     {{"id", first},
                                      {"ids", {*metadata.integer("tokenizer.ggml.bos_token_id")}},
                                      {"tokens", {first}}}}}}};
    }
    return json;
}

Json endTokensInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    constexpr const char* kPadding = "tokenizer.ggml.padding_token_id";
    const std::vector<std::string> tokens = tokensIn(metadata, what);
    Json ends = {{"eos_token", tokenAt(metadata, tokens, "tokenizer.ggml.eos_token_id", what)}};
    if (metadata.integer(kPadding)) {
        ends["pad_token"] = tokenAt(metadata, tokens, kPadding, what);
    }
    return ends;
}

}  // namespace lowtide::models
