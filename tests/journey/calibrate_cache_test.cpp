// `lowtide calibrate-cache`, and runs that reuse by the curve that it wrote.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

namespace calibrate_cache_test {

using namespace lowtide;
using testing::stepsIn;

namespace {

constexpr const char* kUnet = "model/unet/diffusion_pytorch_model.safetensors";
constexpr const char* kGraph = "text_to_image_block_cache";
constexpr const char* kVideoGraph = "text_to_video_block_cache";

const QStringList kSmall = {"--set",
                            "latent.width=64",
                            "--set",
                            "latent.height=64",
                            "--set",
                            "denoise.steps=10",
                            "--set",
                            "denoise.sampler=euler"};

testing::CommandResult calibrate(const QString& out,
                                 const QStringList& more,
                                 const QString& graph = kGraph) {
    return testing::runInProcess(
        QStringList{"calibrate-cache", testing::exampleGraph(graph), "--out", out} + kSmall + more);
}

}  // namespace

class CalibrateCacheTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    Json curve_;
    testing::ModuleRun fresh_;  ///< with the curve, on a device without offload

    QString curvePath() const { return folder_.filePath("mini.json"); }

    /// Options of a run with the curve.
    Json options(const std::vector<std::string>& changes = {}) const {
        std::vector<std::string> set = {"latent.width=64",
                                        "latent.height=64",
                                        "denoise.steps=10",
                                        "denoise.sampler=euler",
                                        "block_cache.gate=mag",
                                        "block_cache.curve=" + curvePath().toStdString(),
                                        "block_cache.curve_threshold=0.5",
                                        "block_cache.warm_up=1"};
        set.insert(set.end(), changes.begin(), changes.end());
        return {{"device", "cpu"},
                {"set", set},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"dump", folder_.filePath("dump.safetensors").toStdString()}};
    }

    static testing::ModuleRun run(const Json& options) {
        return testing::runModule(testing::exampleText(kGraph), options);
    }

    /// A file next to the curve with another text.
    std::string written(const char* name, const QByteArray& text) const {
        testing::writeFile(folder_.filePath(name), text);
        return folder_.filePath(name).toStdString();
    }

private Q_SLOTS:

    /// Once; the other tests use its curve.
    void initTestCase() {
        const testing::CommandResult result =
            calibrate(curvePath(), {"--seeds", "1,2", "--held-out", "3,4", "--tolerance", "0.5"});
        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QVERIFY2(result.output.startsWith("10 calls of euler, sigmas sampler, spacing sampler"),
                 qPrintable(result.output));
        curve_ = Json::parse(testing::contentsOf(curvePath()).toStdString());
        qInfo("%s", qPrintable(result.output));
        qInfo("%s", curve_.at("ratios").dump().c_str());
    }

    void theCurveStatesWhatItBelongsTo() {
        QCOMPARE(curve_.at("ratios").size(), size_t{10});
        QCOMPARE(curve_.at("ratios").at(0), Json(1.0));
        QCOMPARE(curve_.at("check").at("runs"), Json(2));
        QCOMPARE(curve_.at("scheduler"), Json("euler, sigmas sampler, spacing sampler"));
        QFile unet(testing::sourcePath("resources/mini/") + kUnet);
        QVERIFY(unet.open(QIODevice::ReadOnly));
        const QByteArray hash =
            QCryptographicHash::hash(unet.readAll(), QCryptographicHash::Sha256).toHex();
        QCOMPARE(curve_.at("checkpoint"), Json(hash.toStdString()));
        QVERIFY(!testing::contentsOf(curvePath()).contains('/'));  // no path of this machine
        QCOMPARE(QDir(folder_.path()).entryList(QDir::Files | QDir::Hidden).filter("mini"),
                 QStringList{"mini.json"});
    }

    /// The mean of the recorded runs, by another way: each run alone.
    void theCurveIsTheMeanOfItsRuns() {
        const QString one = folder_.filePath("one.json");
        std::vector<double> sum(10, 0);
        for (const char* seed : {"1", "2"}) {
            const testing::CommandResult result =
                calibrate(one, {"--seeds", seed, "--held-out", "3", "--tolerance", "1", "--json"});
            QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
            const Json curve = Json::parse(result.output.toStdString());
            QCOMPARE(curve, Json::parse(testing::contentsOf(one).toStdString()));
            for (size_t call = 0; call < sum.size(); ++call) {
                sum[call] += curve.at("ratios").at(call).get<double>() / 2;
            }
        }
        for (size_t call = 0; call < sum.size(); ++call) {
            QVERIFY(std::abs(sum[call] - curve_.at("ratios").at(call).get<double>()) < 1e-12);
        }
    }

    void theCurveSparesSteps_theSameUnderEveryPolicy_data() {
        testing::addRows("policy", {"none", "model+stream", "block:2+stream", "leaf+stream"});
    }

    void theCurveSparesSteps_theSameUnderEveryPolicy() {
        QFETCH(QString, policy);
        if (fresh_.dump.isEmpty()) {
            fresh_ = run(options());
        }
        QVERIFY2(fresh_.status == Status::Ok, fresh_.report.dump().c_str());
        const Json steps = stepsIn(fresh_.report.at("repetitions").back());
        QVERIFY2(steps.at("full") < 10 && steps.at("full") > 1, steps.dump().c_str());
        QCOMPARE(steps.at("full").get<int>() + steps.at("partial").get<int>(), 10);
        Json wanted = options();
        wanted["device"] = "fake:256MiB";
        wanted["policies"] = {"denoise=" + policy.toStdString()};
        wanted["repeat"] = 3;

        const testing::ModuleRun ended = run(wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY2(ended.dump == fresh_.dump, "another value than on a device without offload");
        for (const Json& repetition : ended.report.at("repetitions")) {
            QCOMPARE(stepsIn(repetition), steps);
            QCOMPARE(stepsIn(repetition).at("bytes_after"), Json(0));
        }
        QCOMPARE(testing::openModule().runner()->release("all"), Status::Ok);
    }

    void otherNumbersOfStepsAreInterpolated() {
        for (const char* steps : {"6", "17"}) {
            const testing::ModuleRun ended = run(options({std::string("denoise.steps=") + steps}));
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            QVERIFY(stepsIn(ended.report.at("repetitions").back()).at("partial") > 0);
        }
    }

    void thresholdZeroChangesNoBit() {
        const testing::ModuleRun with = run(options({"block_cache.curve_threshold=0"}));
        const testing::ModuleRun without =
            run(options({"block_cache.gate=first_block", "block_cache.threshold=0"}));

        QVERIFY(with.status == Status::Ok && without.status == Status::Ok);
        QVERIFY(with.dump == without.dump);
        QCOMPARE(stepsIn(with.report.at("repetitions").back()).at("full"), Json(10));
    }

    void refusesWhatDoesNotBelongTogether_data() {
        testing::addTable<QString, QString, QString, QString>(
            {"setting", "node", "item", "expected"},
            {{"another scheduler",
              "denoise.sampler=ddim",
              "denoise",
              "step_cache",
              "the scheduler \"euler, sigmas sampler, spacing sampler\", this is \"ddim, sigmas "
              "sampler, spacing sampler\""},
             {"other sigmas",
              "denoise.sigmas=karras",
              "denoise",
              "step_cache",
              "this is \"euler, sigmas karras, spacing sampler\""},
             {"no curve", "block_cache.curve=", "block_cache", "curve", "no curve is chosen"},
             {"missing file",
              "block_cache.curve=nowhere.json",
              "block_cache",
              "curve",
              "nowhere.json"}});
    }

    /// Before anything executes.
    void refusesWhatDoesNotBelongTogether() {
        QFETCH(QString, setting);
        QFETCH(QString, node);
        QFETCH(QString, item);
        QFETCH(QString, expected);

        const testing::ModuleRun ended = run(options({setting.toStdString()}));

        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        const Json& issue = ended.report.at("issues").back();
        QCOMPARE(issue.at("node"), Json(node.toStdString()));
        QCOMPARE(issue.at("item"), Json(item.toStdString()));
        const auto message = QString::fromStdString(issue.at("message").get<std::string>());
        QVERIFY2(message.contains(expected), qPrintable(message));
    }

    /// The same network with another number in it.
    void refusesAnotherCheckpoint() {
        testing::copyFolder(testing::sourcePath("resources/mini"), folder_.filePath("other"));
        QFile unet(folder_.filePath("other/") + kUnet);
        QVERIFY(unet.open(QIODevice::ReadWrite));
        QVERIFY(unet.seek(unet.size() - 2));
        const QByteArray end = unet.read(2);
        QVERIFY(unet.seek(unet.size() - 2));
        QCOMPARE(unet.write(QByteArray(2, static_cast<char>(end.at(0) ^ 1))), qint64{2});
        unet.close();
        QVERIFY(unet.open(QIODevice::ReadOnly));
        const QByteArray hash =
            QCryptographicHash::hash(unet.readAll(), QCryptographicHash::Sha256).toHex();

        const testing::ModuleRun ended =
            run(options({"load.checkpoint=" + folder_.filePath("other/model").toStdString()}));

        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        const Json& issue = ended.report.at("issues").back();
        QCOMPARE(issue.at("node"), Json("denoise"));
        const auto message = issue.at("message").get<std::string>();
        QVERIFY2(message.ends_with("the curve was made for the checkpoint " +
                                   curve_.at("checkpoint").get<std::string>().substr(0, 10) +
                                   ", this is " + hash.left(10).toStdString()),
                 message.c_str());
    }

    void refusesWhatIsNoCurve_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray whole = testing::contentsOf(curvePath());
        QTest::newRow("cut") << whole.left(whole.size() / 2);
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("graph") << QByteArray::fromStdString(testing::exampleText(kGraph));
        QTest::newRow("large") << QByteArray(2 << 20, ' ');
        Json zero = curve_;
        zero["ratios"][3] = 0;
        QTest::newRow("ratio 0") << QByteArray::fromStdString(zero.dump());
        QTest::newRow("an image") << QByteArray("\x89PNG\r\n\x1a\n");
    }

    void refusesWhatIsNoCurve() {
        QFETCH(QByteArray, text);
        const testing::ModuleRun ended =
            run(options({"block_cache.curve=" + written("bad.json", text)}));

        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        const Json& issue = ended.report.at("issues").back();
        QCOMPARE(issue.at("node"), Json("block_cache"));
        QCOMPARE(issue.at("item"), Json("curve"));
        QVERIFY2(issue.dump().find("bad.json") != std::string::npos, issue.dump().c_str());
    }

    /// Twice the ratios let less be reused: the result is another one, though the path is the same.
    void anotherTextIsAnotherResult() {
        Json twice = curve_;
        for (Json& ratio : twice["ratios"]) {
            ratio = ratio.get<double>() * 2;
        }
        Json wanted = options(
            {"block_cache.curve=" + written("same.json", testing::contentsOf(curvePath()))});
        const testing::ModuleRun first = run(wanted);
        (void)written("same.json", QByteArray::fromStdString(twice.dump()));

        const testing::ModuleRun second = run(wanted);

        QVERIFY(first.status == Status::Ok && second.status == Status::Ok);
        QCOMPARE(stepsIn(second.report.at("repetitions").back()).at("partial"), Json(0));
        QVERIFY(first.dump != second.dump);
    }

    void theCommandRefuses_data() {
        const QStringList seeds = {"--seeds", "1", "--held-out", "2"};
        testing::addTable<QStringList, QString>(
            {"arguments", "expected"},
            {{"no seeds", {"--held-out", "2"}, "--seeds is required"},
             {"nothing held out", {"--seeds", "1"}, "--held-out is required"},
             {"the same seed",
              {"--seeds", "1,2", "--held-out", "3,2"},
              "the seed 2 is given twice"},
             {"no number", {"--seeds", "1,x", "--held-out", "3"}, "x"},
             {"no such node", seeds + QStringList{"--node", "third"}, "\"third\" is no denoiser"},
             {"no denoiser", seeds + QStringList{"--node", "decode"}, "\"decode\" is no denoiser"},
             {"a part of the steps",
              seeds + QStringList{"--set", "denoise.start_step=4"},
              "takes 6 of its 10 calls"},
             {"tolerance", seeds + QStringList{"--tolerance", "0"}, "at step "},
             {"no tolerance", seeds + QStringList{"--tolerance", "-1"}, "-1"}});
    }

    /// And writes nothing.
    void theCommandRefuses() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, expected);
        const QTemporaryDir out;

        const testing::CommandResult result = calibrate(out.filePath("curve.json"), arguments);

        QCOMPARE(result.exitCode, 2);
        QVERIFY2(result.errors.contains(expected), qPrintable(result.errors));
        QVERIFY(QDir(out.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void theCommandRefusesFiles_data() {
        testing::addTable<QString, QString>(
            {"graph", "out"},
            {{"missing graph", "nowhere", "curve.json"},
             {"folder that is not there", kGraph, "nowhere/curve.json"},
             {"a folder", kGraph, ""},
             {"several denoisers", "hires", "curve.json"}});
    }

    void theCommandRefusesFiles() {
        QFETCH(QString, graph);
        QFETCH(QString, out);
        const QTemporaryDir folder;
        const testing::CommandResult result = testing::runInProcess({"calibrate-cache",
                                                                     testing::exampleGraph(graph),
                                                                     "--out",
                                                                     folder.filePath(out),
                                                                     "--seeds",
                                                                     "1",
                                                                     "--held-out",
                                                                     "2"});

        QCOMPARE(result.exitCode, 2);
        QVERIFY(!result.errors.isEmpty() && result.output.isEmpty());
        QVERIFY(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void theMakerRefusesRecordsOfDifferentRuns() {
        const Json own = {
            {"checkpoint", std::string(64, 'a')}, {"scheduler", "euler"}, {"ratios", {1.0, 0.5}}};
        Json other = own;
        other["checkpoint"] = std::string(64, 'b');
        const auto made = [&](const Json& records) {
            std::string result;
            const Status status =
                testing::openModule().call("makeCurve", records.dump(), nullptr, result);
            return std::pair(status, Json::parse(result));
        };

        const auto good = made(
            {{"runs", Json::array({own})}, {"held_out", Json::array({own})}, {"tolerance", 0}});
        QVERIFY2(good.first == Status::Ok, good.second.dump().c_str());
        QCOMPARE(good.second.at("curve").at("ratios"), own.at("ratios"));
        for (const Json& records :
             {Json{{"runs", Json::array({own})},
                   {"held_out", Json::array({other})},
                   {"tolerance", 0}},
              Json{{"runs", Json::array({own})}, {"held_out", Json::array({own})}},
              Json{{"runs", Json::array({own})}, {"tolerance", 0}},
              Json{{"runs", Json::array({3})},
                   {"held_out", Json::array({own})},
                   {"tolerance", 0}}}) {
            const auto refused = made(records);
            QVERIFY2(refused.first == Status::Invalid, refused.second.dump().c_str());
            QCOMPARE(refused.second.at("issues").size(), size_t{1});
        }
    }

    void aVideosCurve_data() {
        testing::addTable<QString, bool>(
            {"checkpoint", "hasTwoNoiseModels"},
            {{"one denoiser", "wan_t2v_0", false}, {"two noise models", "wan22_t2v_0", true}});
    }

    /// Both prompts are calls of their own, and the low-noise model begins again: its first step is
    /// compared with none.
    void aVideosCurve() {
        QFETCH(QString, checkpoint);
        QFETCH(bool, hasTwoNoiseModels);
        const QString curve = folder_.filePath(checkpoint + ".json");
        const std::vector<std::string> small = {
            ("load.checkpoint=" + testing::wanGoldenFolder() + "/checkpoints/" + checkpoint)
                .toStdString(),
            "video.width=32",
            "video.height=32",
            "video.frames=5",
            "denoise.steps=8",
            "denoise.shift=3",
            "denoise.cfg=4",
            "save_video.format=png"};
        QStringList arguments = {"calibrate-cache",
                                 testing::exampleGraph(kVideoGraph),
                                 "--out",
                                 curve,
                                 "--seeds",
                                 "1",
                                 "--held-out",
                                 "2",
                                 "--tolerance",
                                 "1"};
        for (const std::string& setting : small) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        const testing::CommandResult measured = testing::runInProcess(arguments);
        QVERIFY2(measured.exitCode == 0, qPrintable(measured.errors));
        const Json ratios = Json::parse(testing::contentsOf(curve).toStdString()).at("ratios");
        QCOMPARE(ratios.size(), size_t{8});
        QCOMPARE(std::count(ratios.begin(), ratios.end(), Json(1.0)), hasTwoNoiseModels ? 2 : 1);

        QByteArray expected;
        for (const char* policy : {"none", "model", "leaf+stream"}) {
            std::vector<std::string> set = small;
            set.insert(set.end(),
                       {"block_cache.gate=mag",
                        "block_cache.curve=" + curve.toStdString(),
                        "block_cache.curve_threshold=0.9",
                        "block_cache.warm_up=1"});
            const testing::ModuleRun ended =
                testing::runModule(testing::exampleText(kVideoGraph),
                                   {{"device", "fake:256MiB"},
                                    {"set", set},
                                    {"policies", {std::string("denoise=") + policy}},
                                    {"out", folder_.path().toStdString()},
                                    {"forceExecution", true},
                                    {"dump", folder_.filePath("video.safetensors").toStdString()}});
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            const Json steps = stepsIn(ended.report.at("repetitions").back());
            QVERIFY2(steps.at("partial") > 0, steps.dump().c_str());
            expected = expected.isEmpty() ? ended.dump : expected;
            QVERIFY(ended.dump == expected);
        }
        QCOMPARE(testing::openModule().runner()->release("all"), Status::Ok);
    }
};

LOWTIDE_TEST(CalibrateCacheTest)

}  // namespace calibrate_cache_test

#include "calibrate_cache_test.moc"
