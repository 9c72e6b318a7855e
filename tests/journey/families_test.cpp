// The examples on checkpoints of every image family, and a base with its refiner.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

namespace families_test {

using namespace lowtide;
using testing::CommandResult;

namespace {

constexpr int kSide = 128;  ///< of the examples' images

bool showsSomething(const QImage& image) {
    return !image.isNull() && image != QImage(image.size(), image.format()) &&
           image.copy(0, 0, 1, 1).scaled(image.size()) != image;
}

}  // namespace

class FamiliesTest : public QObject {
    Q_OBJECT

    QString sdxl_;
    QString sd15_;

    static CommandResult onGraph(const QString& command,
                                 const QString& example,
                                 const QStringList& settings,
                                 const QStringList& more = {}) {
        QStringList arguments = {command, testing::exampleGraph(example)};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        return testing::runInProcess(arguments + more);
    }

private Q_SLOTS:

    void initTestCase() {
        sdxl_ = testing::sdxlGoldenFolder() + "/checkpoints/";
        sd15_ = testing::goldenFolder() + "/checkpoints/";
    }

    void oneParameterRunsAFamily_data() {
        QTest::addColumn<QString>("example");
        QTest::addColumn<QString>("checkpoint");
        QTest::newRow("words, sd15") << "text_to_image" << sd15_ + "sd15_1";
        for (const char* name : {"sdxl_1", "playground_1", "ssd_1", "turbo_1", "lightning_1"}) {
            QTest::addRow("words, %s", name) << "text_to_image" << sdxl_ + name;
        }
        QTest::newRow("an image, sd15") << "image_to_image" << sd15_ + "sd15_1";
        for (const char* name : {"sdxl_1", "playground_1", "ssd_1", "turbo_1", "refiner_0"}) {
            QTest::addRow("an image, %s", name) << "image_to_image" << sdxl_ + name;
        }
    }

    void oneParameterRunsAFamily() {
        QFETCH(QString, example);
        QFETCH(QString, checkpoint);
        const QTemporaryDir folder;
        const CommandResult run =
            onGraph("run", example, {"load.checkpoint=" + checkpoint}, {"--out", folder.path()});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const QImage image(run.output.trimmed());
        QCOMPARE(image.size(), QSize(kSide, kSide));
        QVERIFY(showsSomething(image));
    }

    void aBaseAndItsRefiner_data() {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("expected");
        QTest::newRow("as it is") << QStringList{} << "Model: mini, Refiner: mini, Refiner hash: ";
        QTest::newRow("sdxl") << QStringList{"load.checkpoint=" + sdxl_ + "sdxl_1",
                                             "load_refiner.checkpoint=" + sdxl_ + "refiner_0"}
                              << "Model: sdxl_1, Refiner: refiner_0, Refiner hash: ";
    }

    /// The same bytes whether the networks remain or stream, and all that the image states.
    void aBaseAndItsRefiner() {
        QFETCH(QStringList, settings);
        QFETCH(QString, expected);
        const QTemporaryDir folder;
        const auto run = [&](const QString& name, const QStringList& more) {
            const QString out = folder.filePath(name);
            const CommandResult ended =
                onGraph("run", "base_refiner", settings, QStringList{"--out", out} + more);
            return ended.exitCode == 0 ? ended.output.trimmed() : ended.errors;
        };
        const QString first = run("resident", {});
        const QImage image(first);
        QVERIFY2(!image.isNull(), qPrintable(first));
        QCOMPARE(image.size(), QSize(kSide, kSide));
        const QString text = image.text("parameters");
        QVERIFY2(text.contains("Denoising end: 0.8"), qPrintable(text));
        QVERIFY2(text.contains(expected), qPrintable(text));
        QVERIFY2(text.contains("Refiner switch at: 0.8"), qPrintable(text));

        const QString second = run("streams",
                                   {"--policy",
                                    "denoise=leaf+stream",
                                    "--policy",
                                    "refine=sequential",
                                    "--policy",
                                    "encode_refiner=model"});
        QVERIFY2(second.endsWith(".png"), qPrintable(second));
        QVERIFY(QImage(second) == image);
    }

    void rangesThatCannotBeAreNamedByTheCheck_data() {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QString>("expected");
        QTest::newRow("no step is left") << "refine.start_at=0.9999"
                                         << "refine.start_at: start_at 0.9999 leaves no step of 20";
        QTest::newRow("no step is taken") << "denoise.end_at=0.001"
                                          << "denoise.end_at: end_at 0.001 leaves no step of 20";
        QTest::newRow("steps too") << "denoise.end_step=12"
                                   << "denoise.end_at: both steps";
        QTest::newRow("strength too") << "refine.strength=0.5"
                                      << "refine.start_at: both the strength";
    }

    void rangesThatCannotBeAreNamedByTheCheck() {
        QFETCH(QString, setting);
        QFETCH(QString, expected);
        for (const char* command : {"check", "plan", "run"}) {
            const CommandResult result = onGraph(command, "base_refiner", {setting});
            QCOMPARE(result.exitCode, 2);
            QVERIFY2(result.errors.contains(expected), qPrintable(result.errors));
        }
    }
};

LOWTIDE_TEST(FamiliesTest)

}  // namespace families_test

#include "families_test.moc"
