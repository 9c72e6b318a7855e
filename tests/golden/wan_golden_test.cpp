#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <cmath>

namespace wan_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"width", {"video.width"}},
                                             {"height", {"video.height"}},
                                             {"frames", {"video.frames"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"cfg_2", {"denoise.cfg_2"}},
                                             {"seed", {"denoise.seed"}},
                                             {"shift", {"denoise.shift"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"spacing", {"denoise.spacing"}},
                                             {"threshold", {"block_cache.threshold"}}};

QString videoExampleOf(const Json& test) {
    if (!test.contains("image")) {
        return test.contains("threshold") ? "text_to_video_block_cache" : "text_to_video";
    }
    return test.contains("last") ? "first_and_last_to_video" : "image_to_video";
}

}  // namespace

/// WAN: every value that diffusers' pipelines compute, for every case of wan_cases.json, or where
/// the whole test is asked for of wan_all_cases.json: each variant, sampler, length, with and
/// without guidance.
class WanGoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        const QString name = testing::isWholeTest() ? "wan_all_cases" : "wan_cases";
        goldens_ = testing::wanGoldenFolder(name);
        cases_ = testing::readCases(name);
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        QStringList settings = testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("threshold")) {  // diffusers' First Block Cache has no limits
            settings << "block_cache.warm_up=0"
                     << "block_cache.max_consecutive=0"
                     << "block_cache.keep_last=0";
        }
        for (const auto& [key, node] :
             {std::pair("image", "load_image"), std::pair("last", "load_last")}) {
            if (test.contains(key)) {
                settings << QString(node) + ".image=" + goldens_ + "/images/" +
                                testing::caseText(test.at(key)) + ".png"
                         << "video.fit=stretch";
            }
        }
        const std::string problems =
            testing::caseProblems(test,
                                  goldens_,
                                  testing::exampleGraph(videoExampleOf(test)),
                                  settings,
                                  test.contains("image") ? "condition" : "");
        QVERIFY2(problems.empty(), problems.c_str());
    }

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

    /// What the denoiser is told of the first picture, encoded in tiles.
    void tilesEncodeAlmostTheSame() {
        const auto toldIn = [&](const char* tile) {
            return dumped("image_to_video",
                          {"load.checkpoint=" + goldens_ + "/checkpoints/wan_i2v_0",
                           "load_image.image=" + goldens_ + "/images/init.png",
                           "video.width=160",
                           "video.height=96",
                           QString("video.tile=") + tile},
                          "condition",
                          {"--until", "video"});
        };
        const testing::FileTensor whole = toldIn("0");
        const testing::FileTensor tiled = toldIn("64");
        QCOMPARE(tiled.shape, whole.shape);
        constexpr double kMostOfTiles = 0.3;  // relative L2: a tile's attention sees that alone
        const double error = testing::relativeL2(whole, tiled);
        QVERIFY2(error > 0 && error < kMostOfTiles, qPrintable(QString::number(error)));
    }

    void fourStepsTakeTheLevelsOfTheirLoras_data() {
        QTest::addColumn<QString>("example");
        QTest::addColumn<QString>("checkpoint");
        QTest::newRow("text") << "text_to_video_4_steps"
                              << "wan22_t2v_0";
        QTest::newRow("image") << "image_to_video_4_steps"
                               << "wan22_i2v_1";
    }

    /// The examples with LoRAs of few steps, without the LoRAs.
    void fourStepsTakeTheLevelsOfTheirLoras() {
        QFETCH(QString, example);
        QFETCH(QString, checkpoint);
        const QString goldens = testing::wanGoldenFolder("wan_cases");
        QStringList settings = {"load.checkpoint=" + goldens + "/checkpoints/" + checkpoint,
                                "loras.use_1=false",
                                "loras.use_2=false",
                                "video.width=48",
                                "video.height=64"};
        if (example.startsWith("image")) {
            settings << "load_image.image=" + goldens + "/images/init.png";
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
        const testing::CommandResult ended = testing::runLowtide(arguments + options);
        return ended.exitCode == 0 ? testing::readTensorFile(dump.toStdString()).at(key)
                                   : throw std::runtime_error(ended.errors.toStdString());
    }

    QString goldens_;
    Json cases_;
};

LOWTIDE_TEST(WanGoldenTest)

}  // namespace wan_golden_test

#include "wan_golden_test.moc"
