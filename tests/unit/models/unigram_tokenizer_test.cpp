#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/text/sentence_pieces.hpp"
#include "plugin/text/unigram_tokenizer.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace unigram_tokenizer_test {

using namespace lowtide;
using models::CheckpointFolder;
using models::UnigramTokenizer;

namespace {

constexpr int64_t kLength = 24;

/// Folder with tokenizers and the reference's ids, made once and kept under the script's hash.
QString goldenUnigrams() {
    const QString script = testing::sourcePath("tests/unit/models/make_unigram_goldens.py");
    const QString folder = testing::cacheFolder() + "/unigram-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder,
                               {script, testing::sourcePath("tests/golden/reference"), folder});
    return folder;
}

UnigramTokenizer openUnigram(const QString& folder) {
    CheckpointFolder checkpoint(folder.toStdString(), "checkpoint");
    return {checkpoint, "tokenizer"};
}

}  // namespace

/// Ids against the packages tokenizers and transformers.
class UnigramTokenizerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = goldenUnigrams();
        const files::InputFile file((folder_ + "/tokens.json").toStdString());
        rows_ = parseJson(file.readAll(Bytes{1} << 30), "tokens.json");
    }

    void idsAreThoseOfTheReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"both", "pieces", "bytes", "added"}) {
            QTest::newRow(name) << name;
        }
    }

    void idsAreThoseOfTheReference() {
        QFETCH(QString, name);
        const UnigramTokenizer tokenizer = openUnigram(folder_ + "/" + name);
        int compared = 0;
        for (const Json& row : rows_) {
            if (row.at("tokenizer") != name.toStdString()) {
                continue;
            }
            const auto text = row.at("text").get<std::string>();
            const models::TokenizedPrompt seen = tokenizer.tokenize(text, kLength, "prompt");
            QVERIFY2(
                Json(seen.ids) == row.at("ids"),
                (text + ": " + Json(seen.ids).dump() + ", not " + row.at("ids").dump()).c_str());
            QVERIFY2(Json(seen.mask) == row.at("mask"), text.c_str());
            ++compared;
        }
        QVERIFY(compared > 20);
    }

    void reportsWhatIsCut() {
        const UnigramTokenizer tokenizer = openUnigram(folder_ + "/both");
        const auto longText = tokenizer.tokenize("cat dog cat dog", 200, "prompt");
        const auto tokens = std::count(longText.mask.begin(), longText.mask.end(), 1) - 1;
        QCOMPARE(longText.cutTokens, int64_t{0});
        QCOMPARE(tokenizer.tokenize("cat dog cat dog", 3, "prompt").cutTokens, int64_t{tokens - 2});
    }

    void refusesWhatIsNoUtf8() {
        const UnigramTokenizer tokenizer = openUnigram(folder_ + "/both");
        const auto error =
            testing::errorOf([&] { (void)tokenizer.tokenize("caf\xE9", kLength, "negative"); });
        QVERIFY(error.has_value());
        QCOMPARE(error->item(), std::string("negative"));
    }

    /// A model file cut anywhere is refused, or gives fewer pieces; nothing else happens.
    void survivesFilesThatAreCut() {
        const files::InputFile file((folder_ + "/pieces/tokenizer/spiece.model").toStdString());
        const std::string whole = file.readAll(Bytes{1} << 30);
        const size_t all = models::readSentencePieces(whole, "spiece.model").pieces.size();
        QVERIFY(all > 100);
        for (size_t length = 0; length < whole.size(); length += 97) {
            const auto error = testing::errorOf([&] {
                QVERIFY(models::readSentencePieces(whole.substr(0, length), "spiece.model")
                            .pieces.size() <= all);
            });
            QVERIFY(!error || error->kind() == ErrorKind::Corrupt);
        }
    }

    void refusesOtherTokenizers_data() {
        const testing::Rows<QString, QString, QString> row("pointer", "value", "message");
        row("model", "/model/type", "\"BPE\"", "only Unigram");
        row("normalizer", "/normalizer", R"({"type":"Lowercase"})", "Lowercase");
        row("splitting", "/pre_tokenizer", R"({"type":"Digits"})", "Digits");
        row("map", "/normalizer/precompiled_charsmap", "\"!\"", "no base64");
        row("cut map", "/normalizer/precompiled_charsmap", "\"AAAA\"", "cut off");
        row("map of other bytes",
            "/normalizer/precompiled_charsmap",
            "\"BAAAAAAAAAD/AA==\"",
            "no UTF-8");
        row("whole words", "/added_tokens/0/single_word", "true", "single_word");
        row("no marks",
            "/pre_tokenizer",
            R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"never"})",
            "Metaspace before every word");
        row("replaced letters",
            "/normalizer",
            R"({"type":"Replace","pattern":{"String":"a"},"content":" "})",
            "Replace of spaces");
        row("unknown", "/model/unk_id", "100000", "unknown text");
        row("piece", "/model/vocab/5", "[7, 1]", "no piece");
        row("no end", "/model/vocab/1/0", "\"</other>\"", "no token </s>");
        row("twice", "/model/vocab/1/0", "\"<pad>\"", "twice");
    }

    void refusesOtherTokenizers() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, message);
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("tokenizer"));
        const files::InputFile file((folder_ + "/both/tokenizer/tokenizer.json").toStdString());
        Json json = parseJson(file.readAll(Bytes{1} << 30), "tokenizer.json");
        json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        files::writeFileAtomically(folder.filePath("model_index.json").toStdString(), "{}");
        files::writeFileAtomically(folder.filePath("tokenizer/tokenizer.json").toStdString(),
                                   json.dump());

        const auto error = testing::errorOf([&] { (void)openUnigram(folder.path()); });

        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message().str()).contains(message),
                 error->message().str().c_str());
    }

private:
    QString folder_;
    Json rows_;
};

LOWTIDE_TEST(UnigramTokenizerTest)

}  // namespace unigram_tokenizer_test

#include "unigram_tokenizer_test.moc"
