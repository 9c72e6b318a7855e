#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace wan_refusal_test {

using namespace lowtide;

/// What cannot be asked of WAN: refused before the run, in a sentence with node and parameter.
class WanRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::wanGoldenFolder(); }

    void saysWhatIsWrong_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("checkpoint");
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name,
                            const char* graph,
                            const char* checkpoint,
                            const QStringList& settings,
                            const char* message) {
            QTest::newRow(name) << graph << checkpoint << settings << message;
        };
        row("frames", "text_to_video", "wan_t2v_0", {"video.frames=8"}, "frames");
        row("width", "text_to_video", "wan_t2v_0", {"video.width=72"}, "72");
        row("no picture", "text_to_video", "wan_i2v_0", {}, "begins with none");
        row("a picture", "image_to_video", "wan_t2v_0", {}, "begin with a picture");
        row("shift", "text_to_video", "wan_t2v_0", {"denoise.shift=200"}, "shift");
        row("sampler", "text_to_video", "wan_t2v_0", {"denoise.sampler=ddim"}, "flow matching");
        row("sigmas", "text_to_video", "wan_t2v_0", {"denoise.sigmas=karras"}, "sigmas");
    }

    void saysWhatIsWrong() {
        QFETCH(QString, graph);
        QFETCH(QString, checkpoint);
        QFETCH(QStringList, settings);
        QFETCH(QString, message);
        const CommandResult ended = run(graph, checkpoint, settings);
        QCOMPARE(ended.exitCode, 2);
        const QString& said = ended.errors;
        QVERIFY2(said.contains(message) && !said.contains("fault of the program"),
                 qPrintable(said));
    }

    /// Each frame is a picture, and what they say of themselves names what the flow was shifted by.
    void framesAreSaved() {
        const CommandResult ended = run("text_to_video", "wan_t2v_0", {});
        QCOMPARE(ended.exitCode, 0);
        const QStringList files = QDir(folder_.path()).entryList({"*.png"});
        QCOMPARE(files.size(), 5);
        QVERIFY(testing::contentsOf(folder_.filePath(files.back())).contains("Flow shift: 3"));
    }

private:
    using CommandResult = testing::CommandResult;

    CommandResult run(const QString& graph,
                      const QString& checkpoint,
                      const QStringList& settings) {
        QStringList arguments = {"run", testing::exampleGraph(graph), "--out", folder_.path()};
        for (const QString& setting :
             QStringList{"load.checkpoint=" + goldens_ + "/checkpoints/" + checkpoint,
                         "video.width=64",
                         "video.height=48",
                         "video.frames=5",
                         "denoise.steps=2"} +
                 settings) {
            arguments << "--set" << setting;
        }
        if (graph == "image_to_video") {
            arguments << "--set"
                      << "load_image.image=" + goldens_ + "/images/init.png";
        }
        return testing::runLowtide(arguments);
    }

    QString goldens_;
    const QTemporaryDir folder_;
};

LOWTIDE_TEST(WanRefusalTest)

}  // namespace wan_refusal_test

#include "wan_refusal_test.moc"
