// `lowtide convert`, and a run with what it wrote.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <csignal>

namespace convert_test {

using namespace lowtide;

namespace {

testing::CommandResult convert(const QString& checkpoint,
                               const QString& storage,
                               const QString& out,
                               const QStringList& more = {}) {
    return testing::runInProcess(
        QStringList{"convert", checkpoint, "--storage", storage, "--out", out} + more);
}

double meanDifference(const QImage& a, const QImage& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
        }
    }
    return sum / (a.width() * a.height());
}

}  // namespace

class ConvertTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QStringList names() const { return QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden); }

    QImage imageWith(const QString& checkpoint) const {
        const testing::CommandResult result =
            testing::runInProcess({"run",
                                   testing::exampleGraph("text_to_image"),
                                   "--set",
                                   "load.checkpoint=" + checkpoint,
                                   "--set",
                                   "denoise.steps=6",
                                   "--out",
                                   folder_.filePath("pictures")});
        return QImage(result.output.trimmed().split('\n').last());
    }

private Q_SLOTS:

    /// The denoiser of a folder takes the place of the folder's own, and draws nearly the same.
    void whatIsWrittenRuns() {
        const QString model = folder_.filePath("model");
        testing::copyFolder(testing::sourcePath("resources/mini/model"), model);
        const QImage exact = imageWith(model);
        const QString unet = model + "/unet/diffusion_pytorch_model.safetensors";
        const QString out = folder_.filePath("unet.safetensors");
        for (const char* storage : {"f8", "int8"}) {
            const testing::CommandResult result = convert("builtin:mini", storage, out);
            QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
            QVERIFY(result.output.startsWith(QString("the unet of mini as %1, in ").arg(storage)));
            QVERIFY(result.output.contains("re-encoded, and lossy: 81 tensors were rounded"));
            QVERIFY(QFile::remove(unet) && QFile::rename(out, unet));

            const QImage lossy = imageWith(model);

            QVERIFY(!lossy.isNull() && lossy != exact);
            const double difference = meanDifference(lossy, exact);
            QVERIFY2(difference < 4, qPrintable(QString::number(difference)));
            qInfo("%s: %.2f levels on average", storage, difference);
        }
    }

    void reportsWhatItWroteAsJson() {
        const QString out = folder_.filePath("mini.gguf");
        const testing::CommandResult result = convert("builtin:mini", "q4_k", out, {"--json"});
        QCOMPARE(result.exitCode, 0);
        const Json json = Json::parse(result.output.toStdString());
        QCOMPARE(json.at("contents"), Json("the unet of mini"));
        int64_t bytes = 0;
        for (const Json& part : json.at("after")) {
            bytes += part.at("bytes").get<int64_t>();
        }
        const qint64 size = QFileInfo(out).size();
        QVERIFY(bytes < size && size < bytes + 64 * 1024);
        QVERIFY(!testing::contentsOf(out).contains(QDir::homePath().toUtf8()));
        QVERIFY(!testing::contentsOf(out).contains(folder_.path().toUtf8()));
        QVERIFY(QFile::remove(out));
    }

    void refusesArguments() {
        const testing::CommandResult none =
            convert(folder_.filePath("none.safetensors"), "f8", folder_.filePath("a.safetensors"));
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.errors.contains("none.safetensors"), qPrintable(none.errors));
        QCOMPARE(convert("builtin:mini", "q9", folder_.filePath("a.gguf")).exitCode, 2);
        const testing::CommandResult ending =
            convert("builtin:mini", "q8_0", folder_.filePath("a.safetensors"));
        QCOMPARE(ending.exitCode, 2);
        QVERIFY2(ending.errors.contains("ends in .gguf"), qPrintable(ending.errors));
        QCOMPARE(names(), QStringList());
    }

    /// Ctrl-C in the middle of a large file: exit 130, one message, no file.
    void interruptLeavesNothing() {
        QProcess process;
        process.start(testing::buildPath("bin/lowtide"),
                      {"convert",
                       testing::hollowXlFolder() + "/base/model.safetensors",
                       "--storage",
                       "q4_k",
                       "--out",
                       folder_.filePath("xl.gguf")});
        QTRY_VERIFY_WITH_TIMEOUT(names().size() == 1, 30000);  // the one next to the target
        QVERIFY(names().first().endsWith(".tmp"));
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(names(), QStringList());
    }
};

LOWTIDE_TEST(ConvertTest)

}  // namespace convert_test

#include "convert_test.moc"
