#include "tests/unit/models/golden_ids.hpp"

#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "plugin/text/unigram_tokenizer.hpp"

#include <QtGlobal>

#include <algorithm>
#include <memory>

namespace lowtide::testing {

namespace {

using Ids = std::vector<int64_t>;

constexpr int64_t kSpareTokens = 8;  ///< that remain empty where the ids are right
constexpr int64_t kClipLength = 77;
constexpr size_t kShownBytes = 1500;  ///< of a text or its ids
constexpr int kShownTexts = 5;

Ids withoutPadding(const models::TokenizedPrompt& prompt) {
    return {prompt.ids.begin(),
            prompt.ids.begin() + std::count(prompt.mask.begin(), prompt.mask.end(), 1)};
}

/// In ASCII, as JSON.
std::string shownJson(const Json& value) {
    const std::string text = value.dump(-1, ' ', true);
    return text.size() > kShownBytes ? text.substr(0, kShownBytes) + " ..." : text;
}

}  // namespace

TokenIds openGoldenTokenizer(const QString& folder, const std::string& kind) {
    models::CheckpointFolder checkpoint(folder.toStdString(), kind);
    return goldenTokenizerOf(checkpoint, kind);
}

TokenIds goldenTokenizerOf(models::ModelFiles& files, const std::string& kind) {
    if (kind.find("clip") != kind.npos) {
        const auto clip =
            std::make_shared<const models::ClipTokenizer>(files, "tokenizer", kClipLength);
        return [clip](const std::string& text, int64_t positions) {
            return withoutPadding(clip->tokenize(text, positions, "prompt"));
        };
    }
    if (kind.find("t5") != kind.npos) {
        const auto unigram = std::make_shared<const models::UnigramTokenizer>(files, "tokenizer");
        return [unigram](const std::string& text, int64_t positions) {
            return withoutPadding(unigram->tokenize(text, positions, "prompt"));
        };
    }
    const auto byteLevel = std::make_shared<const models::ByteLevelTokenizer>(files, "tokenizer");
    return [byteLevel](const std::string& text, int64_t positions) {
        return withoutPadding(byteLevel->tokenize(text, positions, 0, "prompt"));
    };
}

int countOtherIds(const TokenIds& tokens, const Json& texts, const Json& rows) {
    int wrong = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
        const Ids wanted = rows.at(i).get<Ids>();
        const Ids seen = tokens(texts.at(i).get<std::string>(),
                                static_cast<int64_t>(wanted.size()) + kSpareTokens);
        if (seen != wanted && ++wrong <= kShownTexts) {
            const auto positions =
                std::mismatch(seen.begin(), seen.end(), wanted.begin(), wanted.end());
            qWarning("text %s: from position %s on %s, not %s",
                     shownJson(texts.at(i)).c_str(),
                     std::to_string(positions.first - seen.begin()).c_str(),
                     shownJson(Json(seen)).c_str(),
                     shownJson(Json(wanted)).c_str());
        }
    }
    return wrong;
}

QByteArray replaced(const char* path, const QByteArray& value) {
    return R"({"op": "replace", "path": ")" + QByteArray(path) + R"(", "value": )" + value + "}";
}

QByteArray removed(const char* path) {
    return R"({"op": "remove", "path": ")" + QByteArray(path) + R"("})";
}

}  // namespace lowtide::testing
