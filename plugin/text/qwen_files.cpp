#include "plugin/text/qwen_files.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/text/added_tokens.hpp"
#include "plugin/text/byte_level_json.hpp"
#include "plugin/text/byte_pair_encoder.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kTokensOfQwen[] = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

/// {"<|endoftext|>": 151643}
Json addedInList(const Json& list, const std::string& what) {
    if (!list.is_object()) {
        throw Error(ErrorKind::Corrupt, what + " is no JSON object", "get the file again");
    }
    Json added = Json::array();
    for (const auto& [content, id] : list.items()) {
        added.push_back({{"content", content}, {"id", id}, {"normalized", false}});
    }
    return added;
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
        throw Error(ErrorKind::Unsupported,
                    reader.what() + ": vocab.json and merges.txt are of a " + quotedName(type) +
                        "; those of a Qwen2Tokenizer are built",
                    "get its tokenizer.json");
    }
    Json vocabulary = files.readJson(vocabularyFile);
    if (!vocabulary.is_object()) {
        throw Error(ErrorKind::Corrupt,
                    files.pathOf(vocabularyFile) + ": the vocabulary is no JSON object",
                    "get the tokenizer's files again");
    }
    Json merges = Json::array();
    const std::string text = files.readText(component + "/merges.txt");
    for (const auto& [left, right] : pairsOf(text)) {
        merges.push_back(Json::array({left, right}));
    }
    const Json* decoder = reader.member("added_tokens_decoder");
    Json added = decoder && decoder->is_object() ? addedInDecoder(*decoder, reader.what())
                 : files.has(list) ? addedInList(files.readJson(list), files.pathOf(list))
                                   : addedOfQwen(vocabulary);
    return byteLevelJson(
        *bytePairKind("qwen2"), std::move(vocabulary), std::move(merges), std::move(added));
}

}  // namespace lowtide::models
