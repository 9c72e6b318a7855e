#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QImage>
#include <QtTest/QtTest>

#include <cmath>

namespace finish_test {

using namespace lowtide;

/// Speed first, then finish: the example as a user runs it.
class FinishTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    [[nodiscard]] testing::CommandResult run(const QStringList& more) const {
        return testing::runInProcess(
            QStringList{
                "run", testing::exampleGraph("speed_then_finish"), "--out", folder_.path()} +
            more);
    }

    static QStringList sets(const QStringList& settings) {
        QStringList arguments;
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        return arguments;
    }

private Q_SLOTS:

    void theExampleFinishesAnImage() {
        const QString dump = folder_.filePath("dump.safetensors");
        const testing::CommandResult ended =
            run(sets({"denoise.steps=2", "detail.steps=4"}) + QStringList{"--dump", dump});
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        const QImage image(ended.output.trimmed());
        QCOMPARE(image.size(), QSize(256, 256));
        for (const char* words : {"Detail pass: \"strength 0.3", "Colour match: ", "Sharpen: "}) {
            QVERIFY2(image.text("parameters").contains(words),
                     qPrintable(image.text("parameters")));
        }
        const testing::TensorFile tensors = testing::readTensorFile(dump.toStdString());
        QCOMPARE(tensors.at("detail_in").bytes, tensors.at("upscale_out").bytes);
        QCOMPARE(tensors.at("match_in").bytes, tensors.at("detail_out").bytes);
        QCOMPARE(tensors.at("sharpen_in").bytes, tensors.at("match_out").bytes);
        const std::vector<double> finished = tensors.at("sharpen_out").values();
        for (const auto& [x, y] : {QPoint(0, 0), QPoint(100, 57), QPoint(255, 191)}) {
            QCOMPARE(
                image.pixelColor(x, y).red(),
                static_cast<int>(std::nearbyint(255 * finished[static_cast<size_t>(y * 256 + x)])));
        }
    }

    void whatCannotBeIsRefused_data() {
        testing::addTable<QString, QString>({"setting", "complaint"},
                                            {{"overlap", "detail.overlap=100", "detail.overlap"},
                                             {"strength", "detail.strength=0", "detail.strength"},
                                             {"radius", "sharpen.radius=-1", "sharpen.radius"},
                                             {"method", "match.method=magic", "match.method"}});
    }

    void whatCannotBeIsRefused() {
        QFETCH(QString, setting);
        QFETCH(QString, complaint);
        const testing::CommandResult ended = run(sets({setting}));
        QVERIFY2(!ended.crashed && ended.exitCode == 2, qPrintable(ended.errors));
        QVERIFY2(ended.errors.contains(complaint), qPrintable(ended.errors));
    }
};

LOWTIDE_TEST(FinishTest)

}  // namespace finish_test

#include "finish_test.moc"
