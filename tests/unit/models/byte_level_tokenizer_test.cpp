#include "plugin/base/hash.hpp"
#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/golden_ids.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <map>

namespace byte_level_tokenizer_test {

using namespace lowtide;
using models::ByteLevelTokenizer;
using models::CheckpointFolder;
using testing::removed;
using testing::replaced;

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

    /// GPT-2's numbers of bytes: "h" is 71, a new line 198, a space 220.
    void mergesAloneMakeQwensVocabulary() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir("tokenizer"));
        testing::writeFile(folder.filePath("tokenizer/merges.txt"), "#version: 0.2\nh e\nhe y\n");
        CheckpointFolder files(
            folder.path().toStdString(), "merges", Json::object(), models::ComponentFolders{});
        const ByteLevelTokenizer tokenizer(files, "tokenizer");
        QCOMPARE(tokenizer.vocabularySize(), int64_t{256 + 2 + 3});
        QCOMPARE(tokenizer.tokensOf("hhey hey\n<|im_end|>", "prompt"),
                 (std::vector<models::TokenId>{71, 257, 220, 257, 198, 260}));
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
        // Changes are a JSON patch.
        const testing::Rows<QByteArray, ErrorKind, QString> row("changes", "kind", "names");
        using enum ErrorKind;
        row("a unigram model", replaced("/model/type", R"("Unigram")"), Unsupported, "Unigram");
        row("words with an end",
            replaced("/model/end_of_word_suffix", R"("</w>")"),
            Unsupported,
            "</w>");
        row("another normalizer",
            replaced("/normalizer", R"({"type": "NFKC"})"),
            Unsupported,
            "NFKC");
        row("no splitting", replaced("/pre_tokenizer", "null"), Unsupported, "ByteLevel");
        row("a space in front",
            replaced("/pre_tokenizer/pretokenizers/1/add_prefix_space", "true"),
            Unsupported,
            "add_prefix_space");
        row("a space in front, as it is where nothing is said",
            removed("/pre_tokenizer/pretokenizers/1/add_prefix_space"),
            Unsupported,
            "add_prefix_space");
        row("what lies between matches",
            replaced("/pre_tokenizer/pretokenizers/0/invert", "true"),
            Unsupported,
            "matches");
        row("a class without white space",
            replaced("/pre_tokenizer/pretokenizers/0/pattern/Regex", R"("[\\S]")"),
            Unsupported,
            "in a class");
        row("removed matches",
            replaced("/pre_tokenizer/pretokenizers/0/behavior", R"("Removed")"),
            Unsupported,
            "Removed");
        row("a repetition of nothing",
            replaced("/pre_tokenizer/pretokenizers/0/pattern/Regex", R"("*a")"),
            Unsupported,
            "*a");
        row("a class in a class",
            replaced("/pre_tokenizer/pretokenizers/0/pattern/Regex", R"("[a[b]]")"),
            Unsupported,
            "class in a class");
        row("another ending",
            replaced("/post_processor/type", R"("BertProcessing")"),
            Unsupported,
            "BertProcessing");
        row("a template of unknown tokens",
            replaced("/post_processor/special_tokens", "{}"),
            Unsupported,
            "begin_of_text");
        row("stripping", replaced("/added_tokens/0/lstrip", "true"), Unsupported, "lstrip");
        row("stripping behind", replaced("/added_tokens/0/rstrip", "true"), Unsupported, "rstrip");
        row("whole words alone",
            replaced("/added_tokens/0/single_word", "true"),
            Unsupported,
            "single_word");
        row("a byte without a token",
            removed("/model/vocab/!") + "," + replaced("/model/merges", "[]"),
            Unsupported,
            "some byte");
        row("a template whose token has an id below 0",
            replaced("/post_processor/special_tokens/<|begin_of_text|>/ids", "[-1]"),
            Unsupported,
            "begin_of_text");
        row("an added token with an id below 0",
            replaced("/added_tokens/0/id", "-1"),
            Corrupt,
            "added_tokens");
        row("an added token without an id", removed("/added_tokens/0/id"), Corrupt, "added_tokens");
        row("an added token of another id",
            R"({"op": "add", "path": "/added_tokens/-", "value": {"id": 3, "content": "a"}})",
            Corrupt,
            "added_tokens");
    }

    void refusesWhatIsNotBuilt() {
        QFETCH(QByteArray, changes);
        QFETCH(ErrorKind, kind);
        QFETCH(QString, names);
        const QTemporaryDir copy;
        testing::copyFolder(folder_ + "/llama", copy.filePath("x"));
        const QString path = copy.filePath("x/tokenizer/tokenizer.json");
        const Json file = parseJson(testing::contentsOf(path).toStdString(), "tokenizer.json");
        const Json changed = file.patch(parseJson("[" + changes.toStdString() + "]", "changes"));
        testing::writeFile(path, QByteArray::fromStdString(changed.dump()));

        const auto error = testing::errorOf([&] { (void)openByteLevel(copy.path(), "x"); });

        QVERIFY(error);
        QCOMPARE(error->kind(), kind);
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
