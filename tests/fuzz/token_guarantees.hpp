#pragma once

#include "plugin/base/json.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/model_files.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lowtide::fuzz {

/// The files of a tokenizer in memory.
class MemoryTokenizer final : public models::ModelFiles {
public:
    /// By their names: "vocab.json".
    explicit MemoryTokenizer(std::map<std::string, std::string> files) : files_(std::move(files)) {}

    [[nodiscard]] std::string pathOf(const std::string& relative) const override {
        return "m/" + relative;
    }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;

private:
    std::map<std::string, std::string> files_;
};

/// Makes tokens of a text and checks that they are the vocabulary's, as many as there is space for.
/// As runInput().
[[nodiscard]] bool checkTokens(const models::ClipTokenizer& tokenizer, std::string_view text);

/// The tokens of a text are the vocabulary's, and a prompt has its length.
void checkUnigram(const models::UnigramTokenizer& tokenizer, std::string_view text);

/// The tokenizer of the mini model, read once.
[[nodiscard]] const models::ClipTokenizer& miniTokenizer();
/// Its vocabulary: token -> id.
[[nodiscard]] const Json& miniVocabulary();

}  // namespace lowtide::fuzz
