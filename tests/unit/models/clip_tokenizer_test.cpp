#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/clip_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace clip_tokenizer_test {

using namespace lowtide;
using models::CheckpointFolder;
using models::ClipTokenizer;
using models::TokenizedPrompt;

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
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("names");
        const auto row = [](const char* name,
                            const char* file,
                            const char* content,
                            ErrorKind kind,
                            const char* names) {
            QTest::newRow(name) << file << QByteArray(content) << static_cast<int>(kind) << names;
        };
        row("vocabulary is a list", "vocab.json", "[]", ErrorKind::Corrupt, "vocab.json");
        row("negative id", "vocab.json", R"({"a": -1})", ErrorKind::Corrupt, "\"a\"");
        row("huge id", "vocab.json", R"({"a": 99999999999})", ErrorKind::Corrupt, "\"a\"");
        row("merge of nothing",
            "merges.txt",
            "#version: 0.2\na\n",
            ErrorKind::Corrupt,
            "merges.txt");
        row("merge outside", "merges.txt", "a zzzz\n", ErrorKind::Corrupt, "a zzzz");
        row("length",
            "tokenizer_config.json",
            R"({"model_max_length": 2})",
            ErrorKind::Corrupt,
            "model_max_length");
        row("stripping",
            "special_tokens_map.json",
            R"({"bos_token": {"content": "<|startoftext|>", "lstrip": true}})",
            ErrorKind::Unsupported,
            "lstrip");
        row("unknown end",
            "special_tokens_map.json",
            R"({"eos_token": "</s>"})",
            ErrorKind::Corrupt,
            "</s>");
        row("added token",
            "added_tokens.json",
            R"({"<cat-toy>": 999999})",
            ErrorKind::Unsupported,
            "<cat-toy>");
        row("settings are a list",
            "tokenizer_config.json",
            "[1]",
            ErrorKind::Corrupt,
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
        QTest::addColumn<QByteArray>("changes");  // a JSON patch
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("names");
        const auto row =
            [](const char* name, const char* change, ErrorKind kind, const char* names) {
                QTest::newRow(name)
                    << QByteArray("[") + change + "]" << static_cast<int>(kind) << names;
            };
        row("no model",
            R"({"op": "remove", "path": "/model"})",
            ErrorKind::Corrupt,
            "tokenizer/tokenizer.json");
        row("a unigram model",
            R"({"op": "replace", "path": "/model/type", "value": "Unigram"})",
            ErrorKind::Unsupported,
            "Unigram");
        row("words without an end",
            R"({"op": "replace", "path": "/model/end_of_word_suffix", "value": ""})",
            ErrorKind::Unsupported,
            "</w>");
        row("no vocabulary",
            R"({"op": "remove", "path": "/model/vocab"})",
            ErrorKind::Corrupt,
            "vocab");
        row("a list of words",
            R"({"op": "replace", "path": "/model/vocab", "value": [["a", 0]]})",
            ErrorKind::Corrupt,
            "vocabulary");
        row("a huge id",
            R"({"op": "replace", "path": "/model/vocab/a", "value": 99999999999})",
            ErrorKind::Corrupt,
            "\"a\"");
        row("merges are an object",
            R"({"op": "replace", "path": "/model/merges", "value": {}})",
            ErrorKind::Corrupt,
            "merges");
        row("a merge of three",
            R"({"op": "replace", "path": "/model/merges/1", "value": ["a", "b", "c"]})",
            ErrorKind::Corrupt,
            "merge 1");
        row("a merge outside",
            R"({"op": "replace", "path": "/model/merges/1", "value": ["a", "zzzz"]})",
            ErrorKind::Corrupt,
            "a zzzz");
        row("added tokens are an object",
            R"({"op": "replace", "path": "/added_tokens", "value": {"a": 1}})",
            ErrorKind::Corrupt,
            "added_tokens");
        row("an added token without an id",
            R"({"op": "remove", "path": "/added_tokens/0/id"})",
            ErrorKind::Unsupported,
            "startoftext");
        row("a token outside the vocabulary",
            R"({"op": "add", "path": "/added_tokens/-", "value": {"id": 9999, "content": "<cat-toy>"}})",
            ErrorKind::Unsupported,
            "<cat-toy>");
        row("stripping",
            R"({"op": "replace", "path": "/added_tokens/0/lstrip", "value": true})",
            ErrorKind::Unsupported,
            "lstrip");
    }

    void refusesOtherTokenizerJson() {
        QFETCH(QByteArray, changes);
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/strings_saved", copy.filePath("x"));
        const QString path = copy.filePath("x/tokenizer/tokenizer.json");
        const Json file = parseJson(testing::contentsOf(path).toStdString(), "tokenizer.json");
        const Json changed = file.patch(parseJson(changes.toStdString(), "changes"));
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
        QFETCH(int, kind);
        QFETCH(QString, names);
        const auto error = testing::errorOf([&] { (void)openTokenizer(folder.path(), "x"); });
        QVERIFY(error);
        QCOMPARE(static_cast<int>(error->kind()), kind);
        QVERIFY2(error->message().str().find(names.toStdString()) != std::string::npos,
                 error->message().str().c_str());
    }

    QString folder_;
    std::map<std::string, std::vector<Json>> rows_;
};

LOWTIDE_TEST(ClipTokenizerTest)

}  // namespace clip_tokenizer_test

#include "clip_tokenizer_test.moc"
