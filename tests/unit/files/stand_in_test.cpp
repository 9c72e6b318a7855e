// Texts that lie in the place of files of weights.
#include "plugin/base/error.hpp"
#include "plugin/files/downloads.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/safetensors.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace stand_in_test {

using namespace lowtide;

class StandInTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void isNamedForWhatItIs_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("git LFS")
            << QByteArray(
                   "version https://git-lfs.github.com/spec/v1\n"
                   "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
                   "size 12345\n")
            << "is a pointer of git LFS";
        QTest::newRow("a page") << QByteArray("<!DOCTYPE html><html><body>Sign in") << "is a page";
        QTest::newRow("a page with a mark")
            << QByteArray("\xef\xbb\xbf\r\n<HTML lang=\"en\"><head></head></HTML>") << "is a page";
        QTest::newRow("an answer")
            << QByteArray(R"({"error": "Unauthorized", "message": "log in"})")
            << "is a text (JSON)";
    }

    void isNamedForWhatItIs() {
        QFETCH(QByteArray, text);
        QFETCH(QString, message);
        const files::MemoryBytes bytes(std::as_bytes(std::span(text.data(), size_t(text.size()))),
                                       "model.safetensors");
        for (const auto& read :
             {std::function<void()>([&] { (void)files::readSafetensorsHeader(bytes); }),
              std::function<void()>([&] { (void)files::readGgufHeader(bytes); })}) {
            const auto error = testing::errorOf(read);
            QVERIFY(error && error->kind() == ErrorKind::Corrupt);
            QVERIFY2(QString::fromStdString(error->message().str()).contains(message),
                     error->what());
            QVERIFY2(error->message().str().starts_with("\"model.safetensors\""), error->what());
        }
    }

    /// Settings and tokenizers are texts themselves.
    void leavesOtherTextsAlone() {
        files::refuseStandIn(R"({"_class_name": "WanPipeline"})", "model_index.json");
        files::refuseStandIn("#version: 0.2\ni n\n", "merges.txt");
        files::refuseStandIn("version of the words", "words.txt");
        files::refuseStandIn("", "empty.txt");
    }
};

LOWTIDE_TEST(StandInTest)

}  // namespace stand_in_test

#include "stand_in_test.moc"
