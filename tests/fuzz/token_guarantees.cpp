#include "tests/fuzz/token_guarantees.hpp"

#include "plugin/base/text.hpp"
#include "plugin/files/input_file.hpp"
#include "tests/fuzz/guarantees.hpp"

#include <algorithm>
#include <string>

namespace lowtide::fuzz {

namespace {

using namespace models;

constexpr const char* kFolder = "tokenizer/";
constexpr int64_t kDefaultLength = 77;
constexpr Bytes kLargestFile = 1 << 20;

std::string nameIn(const std::string& relative) {
    return relative.substr(std::string_view(kFolder).size());
}

MemoryTokenizer miniFiles() {
    std::map<std::string, std::string> files;
    for (const char* name :
         {"vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json"}) {
        files[name] = files::InputFile(sourceFolder() + "/resources/mini/model/tokenizer/" + name)
                          .readAll(kLargestFile);
    }
    return MemoryTokenizer(std::move(files));
}

}  // namespace

bool MemoryTokenizer::has(const std::string& relative) const {
    return files_.contains(nameIn(relative));
}

std::string MemoryTokenizer::readText(const std::string& relative) {
    const auto file = files_.find(nameIn(relative));
    if (file == files_.end()) {
        throw Error(ErrorKind::NotFound, Message("there is no " + relative));
    }
    return file->second;
}

Json MemoryTokenizer::readJson(const std::string& relative) {
    return parseJson(readText(relative), relative, {.readPythonNumbers = true});
}

bool checkTokens(const ClipTokenizer& tokenizer, std::string_view text) {
    TokenizedPrompt prompt;
    const bool isTaken =
        takes({ErrorKind::InvalidInput}, [&] { prompt = tokenizer.tokenize(text, "prompt"); });
    require(isTaken == isValidUtf8(text), "UTF-8 is taken, all else refused");
    if (!isTaken) {
        return false;
    }
    require(static_cast<int64_t>(prompt.ids.size()) == tokenizer.length() &&
                prompt.mask.size() == prompt.ids.size() && prompt.cutTokens >= 0,
            "a prompt has the tokenizer's length");
    for (const int64_t id : prompt.ids) {
        require(id >= 0 && id < tokenizer.vocabularySize(), "ids are the vocabulary's");
    }
    const auto used = std::count(prompt.mask.begin(), prompt.mask.end(), 1);
    const auto all = static_cast<int64_t>(tokenizer.tokensOf(text, "prompt").size());
    require(used - 2 + prompt.cutTokens == all, "tokens are kept or counted as cut");
    return true;
}

void checkUnigram(const UnigramTokenizer& tokenizer, std::string_view text) {
    constexpr int64_t kPositions = 64;
    const TokenizedPrompt prompt = tokenizer.tokenize(text, kPositions, "prompt");
    require(prompt.ids.size() == kPositions && prompt.mask.size() == kPositions &&
                prompt.cutTokens >= 0,
            "a prompt has its length");
    for (const int64_t id : prompt.ids) {
        require(id >= 0 && id < tokenizer.vocabularySize(), "ids are the vocabulary's");
    }
}

const ClipTokenizer& miniTokenizer() {
    static const ClipTokenizer tokenizer = [] {
        MemoryTokenizer files = miniFiles();
        return ClipTokenizer(files, "tokenizer", kDefaultLength);
    }();
    return tokenizer;
}

const Json& miniVocabulary() {
    static const Json vocabulary = miniFiles().readJson("tokenizer/vocab.json");
    return vocabulary;
}

}  // namespace lowtide::fuzz
