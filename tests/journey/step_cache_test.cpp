// Case 1 of the product: a step cache together with offload. Elsewhere the cache's wrappers
// outlived the run: from the second batch on images were distorted and "9x faster".
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/tensor_file.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <map>

namespace step_cache_test {

using namespace lowtide;
using testing::entryOf;
using testing::stepsIn;

namespace {

// 7 calls, interval 3: full, partial, partial, full, partial, partial, full.
const std::vector<std::string> kSmall = {
    "latent.width=64", "latent.height=64", "denoise.steps=7", "denoise.sampler=euler_a"};
constexpr int kFull = 3;
constexpr int kPartial = 4;

const std::vector<std::string> kPolicies = {"none",
                                            "model",
                                            "model+stream",
                                            "auto",
                                            "block:2",
                                            "block:2+stream",
                                            "leaf",
                                            "leaf+stream",
                                            "sequential"};

/// Weights in f32 on the device, and in a quarter of its bytes.
const std::vector<std::string> kPrecisions = {"balanced", "quality,storage=f8"};

int64_t held(const Json& report, const std::string& device) {
    return report.at("repetitions").back().at("ledger").at(device).at("total").get<int64_t>();
}

}  // namespace

class StepCacheTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string graph_;
    /// By precision: all values of a fresh process on the CPU that offloads nothing.
    std::map<std::string, QByteArray> expected_;
    Json expectedSteps_;

    Json options(const std::string& policy,
                 const std::string& device = "fake:256MiB",
                 const std::string& precision = kPrecisions.front()) const {
        return {{"device", device},
                {"set", kSmall},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"precisions", {"denoise=" + precision}},
                {"policies", {"encode=" + policy, "denoise=" + policy, "decode=" + policy}}};
    }

    testing::ModuleRun run(const Json& options) const {
        return testing::runModule(graph_, options);
    }

    testing::ModuleRun runDumping(Json options) const {
        options["dump"] = folder_.filePath("dump.safetensors").toStdString();
        return run(options);
    }

    QByteArray dumpOfAFreshProcess(const QString& graph, const QStringList& more = {}) const {
        const QString dump = folder_.filePath("fresh.safetensors");
        QStringList arguments = {
            "run", testing::exampleGraph(graph), "--out", folder_.path(), "--dump", dump};
        for (const std::string& setting : kSmall) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        const testing::CommandResult made = testing::runLowtide(arguments + more);
        if (made.exitCode != 0) {
            qWarning("%s", qPrintable(made.errors));
        }
        return testing::contentsOf(dump);
    }

    /// A run as the first one, whatever happened before.
    void checkAsFresh(const std::string& policy) const {
        const testing::ModuleRun ended = runDumping(options(policy));
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY2(ended.dump == expected_.at(kPrecisions.front()),
                 "another value than in a fresh process");
        QCOMPARE(stepsIn(ended.report.at("repetitions").back()), expectedSteps_);
        QCOMPARE(held(ended.report, "fake"), int64_t{0});
    }

    /// A partial step streams only the weights that it uses, and the peak is the planned one.
    static void checkPartialSteps(const QString& policy, const Json& report) {
        const Json& repetition = report.at("repetitions").back();
        const Json& measured = entryOf(repetition.at("traffic").at("stages"), "denoise");
        const Json& planned = entryOf(report.at("plan").at("stages"), "denoise");
        QCOMPARE(entryOf(repetition.at("nodes"), "denoise").at("peakBytes"),
                 planned.at("devices").at("fake").at("total"));
        QCOMPARE(measured.at("patterns"), planned.at("patterns"));
        const Json& full = measured.at("patterns").at(0);
        const Json& partial = measured.at("patterns").at(1);
        QCOMPARE(full.at("passes"), Json(kFull));
        QCOMPARE(partial.at("passes"), Json(kPartial));
        const bool streams = policy.startsWith("block") || policy.startsWith("leaf") ||
                             policy.startsWith("sequential");
        if (!streams) {
            QCOMPARE(partial.at("moved"), Json(0));
            return;
        }
        const int64_t ofOneFull = full.at("moved").get<int64_t>() / kFull;
        QVERIFY2(partial.at("moved").get<int64_t>() / kPartial * 2 < ofOneFull,
                 measured.dump().c_str());
    }

    /// Runs something that ends or differs, to be followed by checkAsFresh().
    void disturb(const std::string& kind, const std::string& policy) const {
        Json wanted = options(policy);
        if (kind.starts_with("cancelled")) {
            const double step = kind.ends_with("5") ? 5 : 1;
            wanted["set"].push_back("denoise.steps=30");
            const testing::ModuleRun ended =
                testing::runCancelled(graph_, wanted, [&](const Json& arrived) {
                    return testing::isOf(arrived, "nodeProgress", "denoise") &&
                           arrived.at("done").get<double>() >= step;
                });
            QVERIFY(ended.status == Status::Cancelled);
        } else if (kind == "failed") {
            wanted["policies"] = {"encode=leaf", "denoise=leaf", "decode=leaf"};
            QVERIFY(testing::runCutInStep(graph_, wanted, 4).status == Status::Failed);
        } else {
            wanted["set"].push_back(kind);
            const testing::ModuleRun ended = run(wanted);
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        }
        QCOMPARE(testing::bytesOn("fake"), int64_t{0});
    }

private Q_SLOTS:

    void initTestCase() {
        graph_ = testing::exampleText("text_to_image_deepcache");
        for (const std::string& precision : kPrecisions) {
            expected_[precision] =
                dumpOfAFreshProcess("text_to_image_deepcache",
                                    {"--policy",
                                     "denoise=none",
                                     "--precision",
                                     "denoise=" + QString::fromStdString(precision)});
            QVERIFY(expected_[precision].size() > 10000);
        }
        QVERIFY(expected_[kPrecisions[0]] != expected_[kPrecisions[1]]);
        const testing::ModuleRun plain = runDumping(options("none", "cpu"));
        QVERIFY2(plain.status == Status::Ok, plain.report.dump().c_str());
        QVERIFY(plain.dump == expected_[kPrecisions.front()]);
        expectedSteps_ = stepsIn(plain.report.at("repetitions").back());
        QCOMPARE(expectedSteps_.at("full"), Json(kFull));
        QCOMPARE(expectedSteps_.at("partial"), Json(kPartial));
        QCOMPARE(expectedSteps_.at("predicted"), Json(0));
        QVERIFY(expectedSteps_.at("misses").empty());
        QVERIFY(expectedSteps_.at("bytes") > 0);
        QCOMPARE(expectedSteps_.at("bytes_after"), Json(0));
    }

    void cleanup() { testing::checkNothingIsLeft(); }

    void repetitionsAreEqual_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("precision");
        for (const std::string& policy : kPolicies) {
            for (const std::string& precision : kPrecisions) {
                QTest::addRow("%s, %s", policy.c_str(), precision.c_str())
                    << QString::fromStdString(policy) << QString::fromStdString(precision);
            }
        }
    }

    void repetitionsAreEqual() {
        QFETCH(QString, policy);
        QFETCH(QString, precision);
        Json wanted = options(policy.toStdString(), "fake:256MiB", precision.toStdString());
        wanted["repeat"] = 3;

        const testing::ModuleRun ended = runDumping(wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY2(ended.dump == expected_.at(precision.toStdString()),
                 "another value than in a fresh process");
        const Json& repetitions = ended.report.at("repetitions");
        QCOMPARE(repetitions.size(), size_t{3});
        for (const Json& repetition : repetitions) {
            QCOMPARE(stepsIn(repetition), expectedSteps_);
        }
        QCOMPARE(repetitions[2].at("bytesToDevice"), repetitions[1].at("bytesToDevice"));
        QCOMPARE(held(ended.report, "fake"), int64_t{0});
        checkPartialSteps(policy, ended.report);
    }

    void whatCameBeforeChangesNothing_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("kind");
        const std::array kinds = {"cancelled at 1",
                                  "cancelled at 5",
                                  "failed",
                                  "latent.width=96",
                                  "latent.batch=2",
                                  "denoise.cfg=1",
                                  "denoise.steps=5",
                                  "denoise.start_step=2",
                                  "deepcache.depth=7",
                                  "deepcache.interval=1",
                                  "encode.prompt=a dog"};
        for (size_t kind = 0; kind < kinds.size(); ++kind) {
            const std::string& policy = kPolicies[kind % kPolicies.size()];
            QTest::addRow("%s, %s", policy.c_str(), kinds[kind])
                << QString::fromStdString(policy) << kinds[kind];
        }
    }

    void whatCameBeforeChangesNothing() {
        QFETCH(QString, policy);
        QFETCH(QString, kind);
        disturb(kind.toStdString(), policy.toStdString());
        checkAsFresh(policy.toStdString());
    }

    void everyRunHasItsFullSteps_data() {
        testing::addTable<int, int>(
            {"steps", "full"},
            {{"the last call is partial", 9, 3}, {"the last call is full", 10, 4}});
    }

    /// The helper with model offload has 3 or 4 full steps in the first run, and then none or ten.
    void everyRunHasItsFullSteps() {
        QFETCH(int, steps);
        QFETCH(int, full);
        Json wanted = options("model");
        wanted["set"].push_back("denoise.steps=" + std::to_string(steps));
        wanted["repeat"] = 3;

        const testing::ModuleRun ended = runDumping(wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        for (const Json& repetition : ended.report.at("repetitions")) {
            QCOMPARE(stepsIn(repetition).at("full"), Json(full));
            QCOMPARE(stepsIn(repetition).at("partial"), Json(steps - full));
        }
    }

    /// Of another size, with other first steps: what one keeps is nothing to the other.
    void oneRunKnowsNothingOfTheOther() {
        Json shared = Json::parse(testing::exampleText("hires"));
        shared["nodes"]["deepcache"] = {{"type", "cache.deepcache"}, {"v", 1}};
        Json apart = shared;
        apart["nodes"]["own"] = shared["nodes"]["deepcache"];
        const auto connect = [](Json& graph, const char* cache, const char* stage) {
            graph["links"].push_back(
                {{"from", {cache, "step_cache"}}, {"to", {stage, "step_cache"}}});
        };
        connect(shared, "deepcache", "denoise");
        connect(shared, "deepcache", "refine");
        connect(apart, "deepcache", "denoise");
        connect(apart, "own", "refine");
        Json wanted = options("leaf+stream");
        wanted["set"] = {
            "latent.width=64", "latent.height=64", "denoise.steps=8", "refine.steps=8"};
        wanted["dump"] = folder_.filePath("dump.safetensors").toStdString();
        const auto made = [&](const Json& graph) {
            return testing::runModule(graph.dump(), wanted);
        };

        const testing::ModuleRun ofOne = made(shared);
        const testing::ModuleRun ofTwo = made(apart);

        QVERIFY2(ofOne.status == Status::Ok, ofOne.report.dump().c_str());
        QVERIFY(ofOne.dump.size() > 10000);
        QVERIFY(ofOne.dump == ofTwo.dump);
        for (const char* stage : {"denoise", "refine"}) {
            const auto stepsOf = [&](const testing::ModuleRun& run) {
                return entryOf(run.report.at("repetitions").back().at("nodes"), stage).at("steps");
            };
            QCOMPARE(stepsOf(ofOne), stepsOf(ofTwo));
            QVERIFY(stepsOf(ofOne).at("misses").empty());
            QVERIFY(stepsOf(ofOne).at("partial") > 0);
        }
    }

    void intervalOneChangesNoByte() {
        const QByteArray without = dumpOfAFreshProcess("text_to_image");
        const QByteArray with =
            dumpOfAFreshProcess("text_to_image_deepcache", {"--set", "deepcache.interval=1"});
        QVERIFY(without.size() > 10000);
        QVERIFY(with == without);
        QVERIFY(expected_.at(kPrecisions.front()) != without);
    }

    void partialStepsBringTheirLayersAlone_data() {
        QTest::addColumn<int>("depth");
        QTest::addColumn<QStringList>("layers");
        const QStringList always = {"conv_in.", "conv_norm_out.", "conv_out.", "time_embedding."};
        QTest::newRow("the last unit") << 0 << always + QStringList{"up_blocks.2.resnets.1."};
        QTest::newRow("the first level")
            << 1 << always + QStringList{"down_blocks.0.resnets.", "up_blocks.2."};
        QTest::newRow("two levels") << 4
                                    << always + QStringList{"down_blocks.0.",
                                                            "down_blocks.1.resnets.",
                                                            "down_blocks.1.attentions.",
                                                            "up_blocks.1.",
                                                            "up_blocks.2."};
    }

    /// By the names in the checkpoint's file: every pass of `sequential` brings each layer once.
    void partialStepsBringTheirLayersAlone() {
        QFETCH(int, depth);
        QFETCH(QStringList, layers);
        const testing::TensorFile file = testing::readTensorFile(
            testing::sourcePath("resources/mini/model/unet/diffusion_pytorch_model.safetensors")
                .toStdString());
        const std::string numerics = run(options("none", "cpu")).report.at("numerics");
        const bool hasHalves = numerics.find("product plain") == std::string::npos;
        int64_t ofAll = 0;
        int64_t ofLayers = 0;
        for (const auto& [name, tensor] : file) {
            // What is multiplied remains in 16 bits on the device.
            const bool isHalf = hasHalves && tensor.shape.size() > 1;
            const int64_t bytes = elementCount(tensor.shape).value() * (isHalf ? 2 : 4);
            const auto isOf = [&](const QString& layer) {
                return QString::fromStdString(name).startsWith(layer);
            };
            ofAll += bytes;
            ofLayers += std::any_of(layers.begin(), layers.end(), isOf) ? bytes : 0;
        }
        Json wanted = options("sequential");
        wanted["set"].push_back("deepcache.depth=" + std::to_string(depth));

        const testing::ModuleRun ended = run(wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const Json& stages = ended.report.at("repetitions").back().at("traffic").at("stages");
        const Json& patterns = entryOf(stages, "denoise").at("patterns");
        QCOMPARE(patterns.at(0).at("moved"), Json(kFull * ofAll));
        QCOMPARE(patterns.at(1).at("moved"), Json(kPartial * ofLayers));
    }

    void theReportPrintsWhatAPartialStepMoves() {
        const QString file = folder_.filePath("report.json");
        QStringList arguments = {"run",
                                 testing::exampleGraph("text_to_image_deepcache"),
                                 "--device",
                                 "fake:256MiB",
                                 "--policy",
                                 "denoise=leaf",
                                 "--out",
                                 folder_.path(),
                                 "--report",
                                 file};
        for (const std::string& setting : kSmall) {
            arguments << "--set" << QString::fromStdString(setting);
        }
        const testing::CommandResult made = testing::runLowtide(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.errors));
        const Json report = Json::parse(testing::contentsOf(file).toStdString());
        const Json& stages = report.at("repetitions").back().at("traffic").at("stages");
        const Json& partial = entryOf(stages, "denoise").at("patterns").at(1);
        const QString moved =
            QString::fromStdString(formatBytes(partial.at("moved").get<Bytes>() / kPartial));

        const QString printed = testing::runLowtide({"report", file}).output;

        const QStringList lines = printed.split('\n').filter("denoise  ");
        const QString line = lines.filter(moved).value(0).simplified();
        QVERIFY2(line.startsWith(QString("denoise %1 %2 0 ").arg(kFull).arg(kPartial)),
                 qPrintable(printed));
        QCOMPARE(line.count(moved), 2);  // measured and planned
    }

    void anImageReportsItsCache() {
        const testing::ModuleRun ended = run(options("none", "cpu"));
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const auto path = ended.report.at("files").back().at("path").get<std::string>();
        QVERIFY(testing::contentsOf(QString::fromStdString(path))
                    .contains("Step cache: \"DeepCache, interval 3, depth 1\""));
    }
};

LOWTIDE_TEST(StepCacheTest)

}  // namespace step_cache_test

#include "step_cache_test.moc"
