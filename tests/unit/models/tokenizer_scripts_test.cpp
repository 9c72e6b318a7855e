#include "plugin/files/input_file.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/golden_ids.hpp"

#include <QtTest/QtTest>

namespace tokenizer_scripts_test {

using namespace lowtide;

namespace {

/// Folder with tokenizers, texts and the reference's ids, made once and kept under the script's
/// hash.
QString goldenScripts() {
    const QString script = testing::sourcePath("tests/unit/models/make_script_goldens.py");
    const QString folder = testing::cacheFolder() + "/scripts-" + testing::hashOfScript(script);
    testing::runReferenceAlone(folder,
                               {script, testing::sourcePath("tests/golden/reference"), folder});
    return folder;
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
        const auto tokens = testing::openGoldenTokenizer(folder_ + "/" + name, name.toStdString());
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

LOWTIDE_TEST(TokenizerScriptsTest)

}  // namespace tokenizer_scripts_test

#include "tokenizer_scripts_test.moc"
