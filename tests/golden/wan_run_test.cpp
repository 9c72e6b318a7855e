#include "tests/fixtures/command.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>

namespace wan_run_test {

using namespace lowtide;

/// WAN, where there is nothing to compare with but itself and what is written of it.
class WanRunTest : public QObject {
    Q_OBJECT

    QString goldens_;

private Q_SLOTS:

    void initTestCase() { goldens_ = testing::wanGoldenFolder(); }

    /// No reference decodes so: in overlapping tiles that fade into each other, frame by frame.
    void tilesShowAlmostTheSame() {
        const auto framesIn = [&](const char* tile) {
            return dumped("text_to_video",
                          {"load.checkpoint=" + goldens_ + "/checkpoints/wan_t2v_0",
                           "video.width=96",
                           "video.height=64",
                           "denoise.steps=1",
                           QString("decode.tile=") + tile},
                          "image");
        };
        const testing::FileTensor whole = framesIn("0");
        const testing::FileTensor tiled = framesIn("64");
        QCOMPARE(tiled.shape, whole.shape);
        constexpr double kMeanOfTiles =
            0.05;  // of 1: what lies beyond its overlap, a tile does not see
        const std::vector<double> a = whole.values();
        const std::vector<double> b = tiled.values();
        double mean = 0;
        for (size_t i = 0; i < a.size(); ++i) {
            mean += std::abs(a[i] - b[i]) / static_cast<double>(a.size());
        }
        QVERIFY2(mean > 0 && mean < kMeanOfTiles, qPrintable(QString::number(mean)));
    }

    /// What the denoiser is given of the first image, encoded in tiles.
    void tilesEncodeAlmostTheSame() {
        const auto reportedIn = [&](const char* tile) {
            return dumped("image_to_video",
                          {"load.checkpoint=" + goldens_ + "/checkpoints/wan_i2v_0",
                           "load_image.image=" + goldens_ + "/images/init.png",
                           "video.width=160",
                           "video.height=96",
                           QString("video.tile=") + tile},
                          "condition",
                          {"--until", "video"});
        };
        const testing::FileTensor whole = reportedIn("0");
        const testing::FileTensor tiled = reportedIn("64");
        QCOMPARE(tiled.shape, whole.shape);
        constexpr double kMostOfTiles = 0.3;  // relative L2: a tile's attention sees that alone
        const double error = testing::relativeL2(whole, tiled);
        QVERIFY2(error > 0 && error < kMostOfTiles, qPrintable(QString::number(error)));
    }

    void fourStepsTakeTheLevelsOfTheirLoras_data() {
        const testing::Rows<QString, QString> row("example", "checkpoint");
        row("text", "text_to_video_4_steps", "wan22_t2v_0");
        row("image", "image_to_video_4_steps", "wan22_i2v_1");
    }

    /// The examples with LoRAs of few steps, without the LoRAs.
    void fourStepsTakeTheLevelsOfTheirLoras() {
        QFETCH(QString, example);
        QFETCH(QString, checkpoint);
        QStringList settings = {"load.checkpoint=" + goldens_ + "/checkpoints/" + checkpoint,
                                "loras.use_1=false",
                                "loras.use_2=false",
                                "video.width=48",
                                "video.height=64"};
        if (example.startsWith("image")) {
            settings << "load_image.image=" + goldens_ + "/images/init.png";
        }
        const std::vector<double> levels = dumped(example, settings, "sigmas").values();
        const std::vector<double> expected = {1, 0.9375, 2.5 / 3, 0.625, 0};
        QCOMPARE(levels.size(), expected.size());
        for (size_t i = 0; i < levels.size(); ++i) {
            QVERIFY(std::abs(levels[i] - expected[i]) < 1e-6);
        }
    }

private:
    /// A value of a run of five frames; std::runtime_error where it fails.
    static testing::FileTensor dumped(const QString& example,
                                      const QStringList& settings,
                                      const char* key,
                                      const QStringList& options = {}) {
        const QTemporaryDir folder;
        const QString dump = folder.filePath("dump.safetensors");
        QStringList arguments = {
            "run", testing::exampleGraph(example), "--out", folder.path(), "--dump", dump};
        for (const QString& setting : settings + QStringList{"video.frames=5"}) {
            arguments << "--set" << setting;
        }
        const testing::CommandResult ended = testing::runInProcess(arguments + options);
        return ended.exitCode == 0 ? testing::readTensorFile(dump.toStdString()).at(key)
                                   : throw std::runtime_error(ended.errors.toStdString());
    }
};

LOWTIDE_TEST(WanRunTest)

}  // namespace wan_run_test

#include "wan_run_test.moc"
