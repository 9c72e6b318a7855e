#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/golden_ids.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace clip_tokenizer_test {

using namespace lowtide;
using models::CheckpointFolder;
using models::ClipTokenizer;
using models::TokenizedPrompt;
using testing::removed;
using testing::replaced;

namespace {

constexpr int64_t kDefaultLength = 77;

/// Folder with tokenizers and the reference's ids, made once and kept under the script's hash.
QString goldenTokenizers() {
    const QString script = testing::sourcePath("tests/unit/models/make_tokenizer_goldens.py");
    const QString folder = testing::cacheFolder() + "/tokenizers-" + testing::hashOfScript(script);
    testing::runReference({script, testing::sourcePath("tests/golden/reference"), folder});
    return folder;
}

ClipTokenizer openTokenizer(const QString& folder, const std::string& name) {
    CheckpointFolder checkpoint(folder.toStdString() + "/" + name, name);
    return {checkpoint, "tokenizer", kDefaultLength};
}

/// The ids that the row expects, padding included.
std::vector<int64_t> expectedIds(const Json& row) {
    std::vector<int64_t> ids = row.at("ids").get<std::vector<int64_t>>();
    ids.resize(row.at("length").get<size_t>(), row.at("pad").get<int64_t>());
    return ids;
}

std::vector<int64_t> expectedMask(const Json& row) {
    std::vector<int64_t> mask(row.at("used").get<size_t>(), 1);
    mask.resize(row.at("length").get<size_t>(), 0);
    return mask;
}

}  // namespace

/// Ids against transformers' CLIPTokenizer.
class ClipTokenizerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = goldenTokenizers();
        const files::InputFile file(folder_.toStdString() + "/tokens.json");
        for (Json& row :
             parseJson(file.readAll(Bytes{1} << 30), "tokens.json", {.maxBytes = 1u << 30})) {
            rows_[row.at("tokenizer")].push_back(std::move(row));
        }
    }

    void idsAreThoseOfTransformers_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [name, rows] : rows_) {
            QVERIFY(rows.size() >= 20);
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
    }

    void idsAreThoseOfTransformers() {
        QFETCH(QString, name);
        const ClipTokenizer tokenizer = openTokenizer(folder_, name.toStdString());
        int wrong = 0;
        for (const Json& row : rows_.at(name.toStdString())) {
            const std::string text = row.at("text").get<std::string>();
            const TokenizedPrompt prompt = tokenizer.tokenize(text, "prompt");
            if (prompt.ids != expectedIds(row) || prompt.mask != expectedMask(row)) {
                qWarning("not as transformers: %s", row.dump().substr(0, 400).c_str());
                ++wrong;
            }
        }
        QCOMPARE(wrong, 0);
    }

    void countsTokensThatDidNotFit() {
        const ClipTokenizer tokenizer = openTokenizer(folder_, "short");
        QCOMPARE(tokenizer.tokenize("a a a", "prompt").cutTokens, 0);
        QCOMPARE(
            tokenizer.tokenize(std::string("a ") + std::string(2 * 21, ' '), "prompt").cutTokens,
            0);
        std::string text;
        for (int i = 0; i < 30; ++i) {
            text += "a ";
        }
        QCOMPARE(tokenizer.tokenize(text, "prompt").cutTokens, 30 - 22);
    }

    void refusesInvalidUtf8_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("lone byte") << QByteArray("a\x80");
        QTest::newRow("cut off") << QByteArray("caf\xC3");
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80");
        QTest::newRow("overlong") << QByteArray("\xC0\xAF");
    }

    void refusesInvalidUtf8() {
        QFETCH(QByteArray, text);
        const ClipTokenizer tokenizer = openTokenizer(folder_, "strings");
        const auto error =
            testing::errorOf([&] { (void)tokenizer.tokenize(text.toStdString(), "negative"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("negative"));
    }

    void refusesWhatIsNotBuilt_data() {
        const testing::Rows<QString, QByteArray, ErrorKind, QString> row(
            "file", "content", "kind", "names");
        using enum ErrorKind;
        row("vocabulary is a list", "vocab.json", "[]", Corrupt, "vocab.json");
        row("negative id", "vocab.json", R"({"a": -1})", Corrupt, "\"a\"");
        row("huge id", "vocab.json", R"({"a": 99999999999})", Corrupt, "\"a\"");
        row("merge of nothing", "merges.txt", "#version: 0.2\na\n", Corrupt, "merges.txt");
        row("merge outside", "merges.txt", "a zzzz\n", Corrupt, "a zzzz");
        row("length",
            "tokenizer_config.json",
            R"({"model_max_length": 2})",
            Corrupt,
            "model_max_length");
        row("stripping",
            "special_tokens_map.json",
            R"({"bos_token": {"content": "<|startoftext|>", "lstrip": true}})",
            Unsupported,
            "lstrip");
        row("unknown end", "special_tokens_map.json", R"({"eos_token": "</s>"})", Corrupt, "</s>");
        row("added token",
            "added_tokens.json",
            R"({"<cat-toy>": 999999})",
            Unsupported,
            "<cat-toy>");
        row("settings are a list",
            "tokenizer_config.json",
            "[1]",
            Corrupt,
            "tokenizer_config.json");
    }

    void refusesWhatIsNotBuilt() {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/strings", copy.filePath("x"));
        testing::writeFile(copy.filePath("x/tokenizer/" + file), content);
        checkRefusal(copy);
    }

    void refusesOtherTokenizerJson_data() {
        // Changes are a JSON patch.
        const testing::Rows<QByteArray, ErrorKind, QString> row("changes", "kind", "names");
        using enum ErrorKind;
        row("no model", removed("/model"), Corrupt, "tokenizer/tokenizer.json");
        row("a unigram model", replaced("/model/type", R"("Unigram")"), Unsupported, "Unigram");
        row("words without an end",
            replaced("/model/end_of_word_suffix", R"("")"),
            Unsupported,
            "</w>");
        row("no vocabulary", removed("/model/vocab"), Corrupt, "vocab");
        row("a list of words", replaced("/model/vocab", R"([["a", 0]])"), Corrupt, "vocabulary");
        row("a huge id", replaced("/model/vocab/a", "99999999999"), Corrupt, "\"a\"");
        row("merges are an object", replaced("/model/merges", "{}"), Corrupt, "merges");
        row("a merge of three",
            replaced("/model/merges/1", R"(["a", "b", "c"])"),
            Corrupt,
            "merge 1");
        row("a merge outside", replaced("/model/merges/1", R"(["a", "zzzz"])"), Corrupt, "a zzzz");
        row("added tokens are an object",
            replaced("/added_tokens", R"({"a": 1})"),
            Corrupt,
            "added_tokens");
        row("an added token without an id",
            removed("/added_tokens/0/id"),
            Unsupported,
            "startoftext");
        row("a token outside the vocabulary",
            R"({"op": "add", "path": "/added_tokens/-", "value": {"id": 9999, "content": "<cat-toy>"}})",
            Unsupported,
            "<cat-toy>");
        row("stripping", replaced("/added_tokens/0/lstrip", "true"), Unsupported, "lstrip");
    }

    void refusesOtherTokenizerJson() {
        QFETCH(QByteArray, changes);
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/strings_saved", copy.filePath("x"));
        const QString path = copy.filePath("x/tokenizer/tokenizer.json");
        const Json file = parseJson(testing::contentsOf(path).toStdString(), "tokenizer.json");
        const Json changed = file.patch(parseJson("[" + changes.toStdString() + "]", "changes"));
        testing::writeFile(path, QByteArray::fromStdString(changed.dump()));
        checkRefusal(copy);
    }

    void aFolderWithoutAnyVocabularyIsRefused() {
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/strings_saved", copy.filePath("x"));
        QFile::remove(copy.filePath("x/tokenizer/tokenizer.json"));
        const auto error = testing::errorOf([&] { (void)openTokenizer(copy.path(), "x"); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
    }

private:
    /// Of the tokenizer below x, with the row's "kind" and "names".
    static void checkRefusal(const QTemporaryDir& folder) {
        QFETCH(ErrorKind, kind);
        QFETCH(QString, names);
        const auto error = testing::errorOf([&] { (void)openTokenizer(folder.path(), "x"); });
        QVERIFY(error);
        QCOMPARE(error->kind(), kind);
        QVERIFY2(error->message().str().find(names.toStdString()) != std::string::npos,
                 error->message().str().c_str());
    }

    QString folder_;
    std::map<std::string, std::vector<Json>> rows_;
};

LOWTIDE_TEST(ClipTokenizerTest)

}  // namespace clip_tokenizer_test

#include "clip_tokenizer_test.moc"
