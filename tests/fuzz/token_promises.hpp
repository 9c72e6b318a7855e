#pragma once

#include "plugin/base/json.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lowtide::fuzz {

/// The files of a tokenizer in memory.
class MemoryTokenizer final : public models::Checkpoint {
public:
    /// By their names: "vocab.json".
    explicit MemoryTokenizer(std::map<std::string, std::string> files)
        : files_(std::move(files)), name_("m") {}

    [[nodiscard]] const std::string& name() const override { return name_; }

    [[nodiscard]] const Json& index() const override { return index_; }

    [[nodiscard]] bool has(const std::string& relative) const override;
    [[nodiscard]] std::string readText(const std::string& relative) override;
    [[nodiscard]] Json readJson(const std::string& relative) override;
    [[nodiscard]] models::WeightMap weights(const std::string&, const std::string&) override;
    [[nodiscard]] std::function<models::WeightMap()> laterWeights(const std::string&,
                                                                  const std::string&) override;

    [[nodiscard]] std::vector<memory::WeightFile> files() const override { return {}; }

private:
    std::map<std::string, std::string> files_;
    std::string name_;
    Json index_ = Json::object();
};

/// Makes tokens of a text and checks that they are the vocabulary's, as many as there is room for.
/// As runInput().
[[nodiscard]] bool checkTokens(const models::ClipTokenizer& tokenizer, std::string_view text);

/// The tokens of a text are the vocabulary's, and a prompt has its length.
void checkUnigram(const models::UnigramTokenizer& tokenizer, std::string_view text);

/// The tokenizer of the mini model, read once.
[[nodiscard]] const models::ClipTokenizer& miniTokenizer();
/// Its vocabulary: token -> id.
[[nodiscard]] const Json& miniVocabulary();

}  // namespace lowtide::fuzz
