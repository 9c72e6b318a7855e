#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace byte_level_tokenizer_test {

using namespace lowtide;
using models::ByteLevelTokenizer;
using models::CheckpointFolder;

namespace {

/// Folder with tokenizers and the reference's ids, made once and kept under the script's hash.
QString goldenByteLevels() {
    const QString script = testing::sourcePath("tests/unit/models/make_byte_level_goldens.py");
    const QString folder = testing::cacheFolder() + "/byte-level-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder,
                               {script, testing::sourcePath("tests/golden/reference"), folder});
    return folder;
}

ByteLevelTokenizer openByteLevel(const QString& folder, const std::string& name) {
    CheckpointFolder checkpoint(folder.toStdString() + "/" + name, name);
    return {checkpoint, "tokenizer"};
}

}  // namespace

/// Ids against the packages tokenizers and transformers.
class ByteLevelTokenizerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = goldenByteLevels();
        const files::InputFile file(folder_.toStdString() + "/tokens.json");
        for (Json& row :
             parseJson(file.readAll(Bytes{1} << 30), "tokens.json", {.maxBytes = 1u << 30})) {
            rows_[row.at("tokenizer")].push_back(std::move(row));
        }
    }

    void idsAreThoseOfTheReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"llama", "joined", "gpt", "composed", "cut", "merged", "whole"}) {
            QTest::newRow(name) << name;
        }
    }

    void idsAreThoseOfTheReference() {
        QFETCH(QString, name);
        const ByteLevelTokenizer tokenizer = openByteLevel(folder_, name.toStdString());
        const std::vector<Json>& rows = rows_.at(name.toStdString());
        QVERIFY(rows.size() > 300);
        int wrong = 0;
        for (const Json& row : rows) {
            const std::string text = row.at("text").get<std::string>();
            const auto padded = row.at("padded").get<std::vector<int64_t>>();
            const models::TokenizedPrompt prompt = tokenizer.tokenize(
                text, static_cast<int64_t>(padded.size()), tokenizer.idOf("<|eot_id|>"), "prompt");
            const bool isRight = tokenizer.tokensOf(text, "prompt") ==
                                     row.at("ids").get<std::vector<models::TokenId>>() &&
                                 prompt.ids == padded &&
                                 prompt.mask == row.at("mask").get<std::vector<int64_t>>();
            if (!isRight && ++wrong < 5) {
                qWarning("not as the reference: %s", row.dump().substr(0, 400).c_str());
            }
        }
        QCOMPARE(wrong, 0);
    }

    void countsTokensThatDidNotFit() {
        const ByteLevelTokenizer tokenizer = openByteLevel(folder_, "composed");
        const auto prompt = tokenizer.tokenize("!!!!!!!!", 5, 0, "prompt");
        const auto all = tokenizer.tokensOf("!!!!!!!!", "prompt");
        QCOMPARE(prompt.cutTokens, static_cast<int64_t>(all.size()) - 5);
        QCOMPARE(prompt.ids.front(), int64_t{all.front()});
        QCOMPARE(prompt.ids.back(), int64_t{all.back()});
    }

    void refusesInvalidUtf8() {
        const ByteLevelTokenizer tokenizer = openByteLevel(folder_, "llama");
        const auto error =
            testing::errorOf([&] { (void)tokenizer.tokensOf("caf\xC3", "negative"); });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), std::string("negative"));
    }

    void refusesWhatIsNotBuilt_data() {
        QTest::addColumn<QByteArray>("changes");  // a JSON patch
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("names");
        const auto row =
            [](const char* name, const char* change, ErrorKind kind, const char* names) {
                QTest::newRow(name)
                    << QByteArray("[") + change + "]" << static_cast<int>(kind) << names;
            };
        using enum ErrorKind;
        row("a unigram model",
            R"({"op": "replace", "path": "/model/type", "value": "Unigram"})",
            Unsupported,
            "Unigram");
        row("words with an end",
            R"({"op": "replace", "path": "/model/end_of_word_suffix", "value": "</w>"})",
            Unsupported,
            "</w>");
        row("another normalizer",
            R"({"op": "replace", "path": "/normalizer", "value": {"type": "NFKC"}})",
            Unsupported,
            "NFKC");
        row("no splitting",
            R"({"op": "replace", "path": "/pre_tokenizer", "value": null})",
            Unsupported,
            "ByteLevel");
        row("a space in front",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/1/add_prefix_space", "value": true})",
            Unsupported,
            "add_prefix_space");
        row("a space in front, as it is where nothing is said",
            R"({"op": "remove", "path": "/pre_tokenizer/pretokenizers/1/add_prefix_space"})",
            Unsupported,
            "add_prefix_space");
        row("what lies between matches",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/0/invert", "value": true})",
            Unsupported,
            "matches");
        row("a class without white space",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/0/pattern/Regex", "value": "[\\S]"})",
            Unsupported,
            "in a class");
        row("removed matches",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/0/behavior", "value": "Removed"})",
            Unsupported,
            "Removed");
        row("a repetition of nothing",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/0/pattern/Regex", "value": "*a"})",
            Unsupported,
            "*a");
        row("a class in a class",
            R"({"op": "replace", "path": "/pre_tokenizer/pretokenizers/0/pattern/Regex", "value": "[a[b]]"})",
            Unsupported,
            "class in a class");
        row("another ending",
            R"({"op": "replace", "path": "/post_processor/type", "value": "BertProcessing"})",
            Unsupported,
            "BertProcessing");
        row("a template of unknown tokens",
            R"({"op": "replace", "path": "/post_processor/special_tokens", "value": {}})",
            Unsupported,
            "begin_of_text");
        row("stripping",
            R"({"op": "replace", "path": "/added_tokens/0/lstrip", "value": true})",
            Unsupported,
            "lstrip");
        row("stripping behind",
            R"({"op": "replace", "path": "/added_tokens/0/rstrip", "value": true})",
            Unsupported,
            "rstrip");
        row("whole words alone",
            R"({"op": "replace", "path": "/added_tokens/0/single_word", "value": true})",
            Unsupported,
            "single_word");
        row("a byte without a token",
            R"({"op": "remove", "path": "/model/vocab/!"}, {"op": "replace", "path": "/model/merges", "value": []})",
            Unsupported,
            "some byte");
        row("a template whose token has an id below 0",
            R"({"op": "replace", "path": "/post_processor/special_tokens/<|begin_of_text|>/ids", "value": [-1]})",
            Unsupported,
            "begin_of_text");
        row("an added token with an id below 0",
            R"({"op": "replace", "path": "/added_tokens/0/id", "value": -1})",
            Corrupt,
            "added_tokens");
        row("an added token without an id",
            R"({"op": "remove", "path": "/added_tokens/0/id"})",
            Corrupt,
            "added_tokens");
        row("an added token of another id",
            R"({"op": "add", "path": "/added_tokens/-", "value": {"id": 3, "content": "a"}})",
            Corrupt,
            "added_tokens");
    }

    void refusesWhatIsNotBuilt() {
        QFETCH(QByteArray, changes);
        QFETCH(int, kind);
        QFETCH(QString, names);
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/llama", copy.filePath("x"));
        const QString path = copy.filePath("x/tokenizer/tokenizer.json");
        const Json file = parseJson(testing::contentsOf(path).toStdString(), "tokenizer.json");
        const Json changed = file.patch(parseJson(changes.toStdString(), "changes"));
        testing::writeFile(path, QByteArray::fromStdString(changed.dump()));

        const auto error = testing::errorOf([&] { (void)openByteLevel(copy.path(), "x"); });

        QVERIFY(error);
        QCOMPARE(static_cast<int>(error->kind()), kind);
        QVERIFY2(error->message().str().find(names.toStdString()) != std::string::npos,
                 error->what());
        QVERIFY2(error->message().str().find("tokenizer.json") != std::string::npos, error->what());
    }

private:
    QString folder_;
    std::map<std::string, std::vector<Json>> rows_;
};

LOWTIDE_TEST(ByteLevelTokenizerTest)

}  // namespace byte_level_tokenizer_test

#include "byte_level_tokenizer_test.moc"
