#include "plugin/files/input_file.hpp"
#include "plugin/models/checkpoint_folder.hpp"
#include "plugin/models/text/byte_level_tokenizer.hpp"
#include "plugin/models/text/clip_tokenizer.hpp"
#include "plugin/models/text/unigram_tokenizer.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <functional>
#include <memory>

namespace tokenizer_scripts_test {

using namespace lowtide;

namespace {

using Ids = std::vector<int64_t>;
/// The ids of a text in so many places, without padding.
using Tokenize = std::function<Ids(const std::string& text, int64_t places)>;

constexpr int64_t kSparePlaces = 8;  ///< that stay empty where the ids are right
constexpr int64_t kClipLength = 77;
constexpr size_t kShownBytes = 1500;  ///< of a text or its ids
constexpr int kShownTexts = 5;

/// Folder with tokenizers, texts and the reference's ids, made once and kept under the script's
/// hash.
QString goldenScripts() {
    const QString script = testing::sourcePath("tests/unit/models/make_script_goldens.py");
    const std::string hash = files::sha256OfFile(script.toStdString()).substr(0, 16);
    const QString folder = testing::cacheFolder() + "/scripts-" + QString::fromStdString(hash);
    testing::runReferenceAlone(folder,
                               {script, testing::sourcePath("tests/golden/reference"), folder});
    return folder;
}

Ids withoutPadding(const models::TokenizedPrompt& prompt) {
    return {prompt.ids.begin(),
            prompt.ids.begin() + std::count(prompt.mask.begin(), prompt.mask.end(), 1)};
}

Tokenize openKind(const QString& folder, const std::string& name) {
    models::CheckpointFolder checkpoint(folder.toStdString() + "/" + name, name);
    if (name == "clip") {
        const auto clip =
            std::make_shared<const models::ClipTokenizer>(checkpoint, "tokenizer", kClipLength);
        return [clip](const std::string& text, int64_t places) {
            return withoutPadding(clip->tokenize(text, places, "prompt"));
        };
    }
    if (name == "t5" || name == "umt5") {
        const auto unigram =
            std::make_shared<const models::UnigramTokenizer>(checkpoint, "tokenizer");
        return [unigram](const std::string& text, int64_t places) {
            return withoutPadding(unigram->tokenize(text, places, "prompt"));
        };
    }
    const auto byteLevel =
        std::make_shared<const models::ByteLevelTokenizer>(checkpoint, "tokenizer");
    return [byteLevel](const std::string& text, int64_t places) {
        return withoutPadding(byteLevel->tokenize(text, places, 0, "prompt"));
    };
}

/// In ASCII, as JSON.
std::string shown(const Json& value) {
    const std::string text = value.dump(-1, ' ', true);
    return text.size() > kShownBytes ? text.substr(0, kShownBytes) + " ..." : text;
}

}  // namespace

/// Ids of ten thousand texts in nine scripts against the packages tokenizers and transformers.
class TokenizerScriptsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = goldenScripts();
        texts_ = listIn("texts.json");
        QVERIFY(texts_.size() >= 10000);
    }

    void idsAreThoseOfTheReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"t5", "umt5", "llama", "clip", "qwen"}) {
            QTest::newRow(name) << name;
        }
    }

    void idsAreThoseOfTheReference() {
        QFETCH(QString, name);
        const Json rows = listIn(name + ".ids");
        QCOMPARE(rows.size(), texts_.size());
        const Tokenize tokenize = openKind(folder_, name.toStdString());
        int wrong = 0;
        for (size_t i = 0; i < texts_.size(); ++i) {
            const Ids wanted = rows.at(i).get<Ids>();
            const Ids seen = tokenize(texts_.at(i).get<std::string>(),
                                      static_cast<int64_t>(wanted.size()) + kSparePlaces);
            if (seen != wanted && ++wrong <= kShownTexts) {
                const auto places =
                    std::mismatch(seen.begin(), seen.end(), wanted.begin(), wanted.end());
                qWarning("text %s: from place %s on %s, not %s",
                         shown(texts_.at(i)).c_str(),
                         std::to_string(places.first - seen.begin()).c_str(),
                         shown(Json(seen)).c_str(),
                         shown(Json(wanted)).c_str());
            }
        }
        const std::string count = std::to_string(wrong) + " of " + std::to_string(texts_.size());
        QVERIFY2(wrong == 0, (count + " texts have other ids").c_str());
    }

private:
    [[nodiscard]] Json listIn(const QString& name) const {
        const files::InputFile file((folder_ + "/" + name).toStdString());
        return parseJson(file.readAll(Bytes{1} << 30), name.toStdString());
    }

    QString folder_;
    Json texts_;
};

LOWTIDE_TEST(TokenizerScriptsTest)

}  // namespace tokenizer_scripts_test

#include "tokenizer_scripts_test.moc"
