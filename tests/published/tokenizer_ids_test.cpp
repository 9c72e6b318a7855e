#include "plugin/checkpoints/checkpoint.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/built_in_tokenizer.hpp"
#include "plugin/files/input_file.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
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

    void theBuiltInOnesGiveThem_data() {
        const testing::Rows<QString, QString> add("file", "kind");
        add("T5", "t5xxl_fp8_e4m3fn_scaled.safetensors", "t5");
        add("UMT5", "models_t5_umt5-xxl-enc-bf16.safetensors", "umt5");
        add("Qwen 3", "qwen_3_4b.safetensors", "qwen3");
    }

    /// A text encoder as ComfyUI's folder has it, without a tokenizer.
    void theBuiltInOnesGiveThem() {
        QFETCH(QString, file);
        QFETCH(QString, kind);
        const QString path = testing::publishedFolder() + "/models/text_encoders/" + file;
        const auto encoder = models::openPart(
            {.path = path.toStdString(), .name = file.toStdString()}, "text_encoder", resources_);
        const auto tokens = testing::goldenTokenizerOf(*encoder, kind.toStdString());
        QCOMPARE(testing::countOtherIds(tokens, texts_, listIn(kind + ".ids")), 0);
    }

    void theBuiltInFilesAreThePublishedOnes_data() {
        const testing::Rows<QString, QString, QString> add("folder", "file", "published");
        add("CLIP's merges", "clip", "merges.txt", "clip_l");
        add("Qwen's merges", "qwen", "merges.txt", "qwen3_pair");
        add("Qwen's settings", "qwen", "tokenizer_config.json", "qwen3_pair");
        add("T5's pieces", "t5", "spiece.model", "t5_pieces");
        add("UMT5's pieces", "umt5", "spiece.model", "umt5_pieces");
        add("UMT5's settings", "umt5", "tokenizer_config.json", "umt5_pieces");
    }

    void theBuiltInFilesAreThePublishedOnes() {
        QFETCH(QString, folder);
        QFETCH(QString, file);
        QFETCH(QString, published);
        const std::string path = models::builtInPath(
            resources_, folder.toStdString().c_str(), file.toStdString().c_str());
        const QByteArray wanted =
            testing::contentsOf(folder_ + "/" + published + "/tokenizer/" + file);
        QVERIFY(!wanted.isEmpty());
        QCOMPARE(QByteArray::fromStdString(models::readBuiltIn(path)), wanted);
    }

private:
    [[nodiscard]] Json listIn(const QString& name) const {
        const files::InputFile file((folder_ + "/" + name).toStdString());
        return parseJson(file.readAll(Bytes{1} << 30), name.toStdString());
    }

    const std::string resources_ = testing::sourcePath("resources").toStdString();
    QString folder_;
    Json texts_;
};

LOWTIDE_TEST(TokenizerIdsTest)

}  // namespace tokenizer_ids_test

#include "tokenizer_ids_test.moc"
