#include "plugin/files/input_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_tokenizers.hpp"
#include "tests/unit/models/golden_ids.hpp"

#include <QtTest/QtTest>

namespace tokenizer_ids_test {

using namespace lowtide;

/// Published tokenizers in every form that users have, against transformers.
class TokenizerIdsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        folder_ = testing::publishedTokenizers();
        texts_ = listIn("texts.json");
        QCOMPARE(texts_.size(), size_t{10000});
    }

    void idsAreThoseOfTransformers_data() {
        QTest::addColumn<QString>("kind");
        const auto row = [](const char* name, const char* kind) { QTest::newRow(name) << kind; };
        row("umt5_diffusers", "umt5");
        row("umt5_original", "umt5");
        row("umt5_pieces", "umt5");
        row("umt5_all", "umt5");
        row("t5_flux", "t5");
        row("t5_schnell", "t5");
        row("t5_sd3", "t5");
        row("t5_json_alone", "t5");
        row("t5_pieces", "t5");
        row("t5_pieces_alone", "t5");
        row("t5_chroma", "t5");
        row("qwen25_json", "qwen25");
        row("qwen25_pair", "qwen25");
        row("qwen3_json", "qwen3");
        row("qwen3_pair", "qwen3");
        row("clip_l", "clip_l");
        row("clip_g", "clip_g");
        row("clip_json", "clip_json");
    }

    void idsAreThoseOfTransformers() {
        QFETCH(QString, kind);
        const Json rows = listIn(kind + ".ids");
        QCOMPARE(rows.size(), texts_.size());
        const auto tokens = testing::openGoldenTokenizer(folder_ + "/" + QTest::currentDataTag(),
                                                         kind.toStdString());
        QCOMPARE(testing::countOtherIds(tokens, texts_, rows), 0);
    }

private:
    [[nodiscard]] Json listIn(const QString& name) const {
        const files::InputFile file((folder_ + "/" + name).toStdString());
        return parseJson(file.readAll(Bytes{1} << 30), name.toStdString());
    }

    QString folder_;
    Json texts_;
};

LOWTIDE_TEST(TokenizerIdsTest)

}  // namespace tokenizer_ids_test

#include "tokenizer_ids_test.moc"
