#include "plugin/text/tokenizer_json.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

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
        refuse("it has no model");
    }
    const JsonReader model(*found, what_ + ": model");
    const std::string type = model.text("type").value_or(std::string(kPairsModel));
    const std::string seenEnd = model.text("end_of_word_suffix").value_or(std::string(wordEnd));
    if (type != kPairsModel || seenEnd != wordEnd) {
        throw Error(ErrorKind::Unsupported,
                    what_ + ": the model is of the type " + quotedName(type) +
                        " and ends words with " + quotedName(seenEnd) +
                        "; byte pairs (BPE) that end them with " + quotedName(wordEnd) +
                        " are built",
                    "get the tokenizer that this text encoder was published with");
    }
    ignoresMerges_ = model.boolean("ignore_merges").value_or(false);
    vocabulary_ = model.member("vocab");
    if (!vocabulary_) {
        refuse("its model has no vocab");
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
        refuse("its model has no list of merges");
    }
    merges_.reserve(merges->size());
    for (const Json& merge : *merges) {
        const std::optional<TokenPair> pair = pairOf(merge);
        if (!pair) {
            refuse("merge " + std::to_string(merges_.size()) + " is no pair of tokens");
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
        refuse("added_tokens is no list");
    }
    added_ = *added;
}

void TokenizerJson::refuse(const std::string& problem) const {
    throw Error(ErrorKind::Corrupt, what_ + ": " + problem, "get the tokenizer's files again");
}

}  // namespace lowtide::models
