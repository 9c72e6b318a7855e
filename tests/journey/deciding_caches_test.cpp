// Case 1 of the product for the caches that decide on the way: block cache and step forecast under
// every policy, repeated, and after runs that ended otherwise.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/policy_runs.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <map>

namespace deciding_caches_test {

using namespace lowtide;
using testing::stepsIn;

namespace {

/// Settings of a small run by the checkpoint.
const std::map<std::string, std::vector<std::string>> kSmall = {
    {"mini", {"latent.width=64", "latent.height=64"}},
    {"xl", {"latent.width=64", "latent.height=64"}},
    {"hidream", {"latent.width=64", "latent.height=64"}},
    {"zimage", {"latent.width=64", "latent.height=64"}},
    {"flux", {"latent.width=64", "latent.height=64", "encode.length=64"}},
    {"wan", {"video.width=32", "video.height=32", "video.frames=5", "save_video.format=png"}}};

/// Other runs by the checkpoint: of another size, of more images, without guidance.
const std::map<std::string, std::vector<const char*>> kOthers = {
    {"mini", {"cancel", "latent.width=96", "latent.batch=2", "denoise.cfg=1"}},
    {"xl", {}},
    {"hidream", {"latent.width=96", "denoise.cfg=1"}},
    {"zimage", {"latent.width=96", "denoise.cfg=1"}},
    {"flux", {"latent.width=96", "denoise.cfg=1"}},
    {"wan", {"cancel", "video.width=48", "video.frames=9", "denoise.cfg=1"}}};

constexpr const char* kPolicies[] = {
    "none", "model+stream", "auto", "block:2+stream", "leaf+stream", "sequential"};

/// A graph, and what its cache is set to, so that eight steps have steps of every kind.
struct Deciding {
    const char* graph;
    std::vector<std::string> settings;
    const char* spared;               ///< the kind of steps that it makes
    std::string checkpoint = "mini";  ///< "mini", "xl", "hidream", "zimage", "flux" or "wan"
};

const std::map<QString, Deciding>& caches() {
    static const std::map<QString, Deciding> kCaches = {
        {"first block",
         {"text_to_image_block_cache",
          {"block_cache.threshold=0.4", "block_cache.predictor=taylor"},
          "partial"}},
        {"mask",
         {"text_to_image_block_cache",
          {"block_cache.gate=mask", "block_cache.mask=11010010"},
          "partial"}},
        {"window", {"text_to_image_forecast", {"forecast.warm_up=2"}, "predicted"}},
        {"curve",
         {"text_to_image_forecast",
          {"forecast.warm_up=3", "forecast.predictor=spectrum"},
          "predicted"}},
        {"change",
         {"text_to_image_forecast",
          {"forecast.gate=output_change",
           "forecast.threshold=2",
           "forecast.warm_up=2",
           "forecast.predictor=reuse"},
          "predicted"}},
        {"first block, XL",
         {"text_to_image_block_cache",
          {"block_cache.threshold=2", "block_cache.warm_up=1", "block_cache.predictor=taylor"},
          "partial",
          "xl"}},
        {"window, XL", {"text_to_image_forecast", {"forecast.warm_up=2"}, "predicted", "xl"}},
        {"first block, HiDream",
         {"text_to_image_block_cache",
          {"block_cache.threshold=2", "block_cache.warm_up=1", "block_cache.predictor=taylor"},
          "partial",
          "hidream"}},
        {"mask, HiDream",
         {"text_to_image_block_cache",
          {"block_cache.gate=mask", "block_cache.mask=11010010"},
          "partial",
          "hidream"}},
        {"window, HiDream",
         {"text_to_image_forecast", {"forecast.warm_up=2"}, "predicted", "hidream"}},
        {"first block, Z-Image",
         {"text_to_image_block_cache",
          {"block_cache.threshold=2", "block_cache.warm_up=1", "block_cache.predictor=taylor"},
          "partial",
          "zimage"}},
        {"mask, Z-Image",
         {"text_to_image_block_cache",
          {"block_cache.gate=mask", "block_cache.mask=11010010"},
          "partial",
          "zimage"}},
        {"window, Z-Image",
         {"text_to_image_forecast", {"forecast.warm_up=2"}, "predicted", "zimage"}},
        {"first block, FLUX.1",
         {"text_to_image_block_cache",
          {"block_cache.threshold=2", "block_cache.warm_up=1", "block_cache.predictor=taylor"},
          "partial",
          "flux"}},
        {"mask, FLUX.1",
         {"text_to_image_block_cache",
          {"block_cache.gate=mask", "block_cache.mask=11010010"},
          "partial",
          "flux"}},
        {"window, FLUX.1", {"text_to_image_forecast", {"forecast.warm_up=2"}, "predicted", "flux"}},
        {"first block, WAN",
         {"text_to_video_block_cache",
          {"block_cache.threshold=0.65", "block_cache.warm_up=1", "block_cache.predictor=taylor"},
          "partial",
          "wan"}},
        {"mask, WAN",
         {"text_to_video_block_cache",
          {"block_cache.gate=mask", "block_cache.mask=11010010"},
          "partial",
          "wan"}},
        {"window, WAN", {"text_to_video_forecast", {"forecast.warm_up=2"}, "predicted", "wan"}}};
    return kCaches;
}

}  // namespace

class DecidingCachesTest : public QObject {
    Q_OBJECT

    struct Fresh {
        QByteArray dump;
        Json steps;
    };

    QTemporaryDir folder_;
    const std::map<std::string, std::string> checkpoints_ = {
        {"xl", testing::xlFileFolder().toStdString() + "/sdxl_1_half.safetensors"},
        {"hidream", testing::hidreamGoldenFolder().toStdString() + "/checkpoints/hidream_0"},
        {"zimage", testing::zimageGoldenFolder().toStdString() + "/checkpoints/zimage_0"},
        {"flux", testing::fluxGoldenFolder().toStdString() + "/checkpoints/flux_0"},
        {"wan", testing::wanGoldenFolder().toStdString() + "/checkpoints/wan_t2v_0"}};
    std::map<QString, Fresh> fresh_;

    Json options(const Deciding& cache, const std::string& policy, const char* device) const {
        std::vector<std::string> set = kSmall.at(cache.checkpoint);
        set.insert(set.end(), {"denoise.steps=8", "denoise.sampler=euler"});
        set.insert(set.end(), cache.settings.begin(), cache.settings.end());
        if (const auto found = checkpoints_.find(cache.checkpoint); found != checkpoints_.end()) {
            set.push_back("load.checkpoint=" + found->second);
        }
        return {{"device", device},
                {"set", set},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true},
                {"dump", folder_.filePath("dump.safetensors").toStdString()},
                {"policies", {"encode=" + policy, "denoise=" + policy, "decode=" + policy}}};
    }

    static testing::ModuleRun run(const Deciding& cache, const Json& options) {
        return testing::runModule(testing::exampleText(cache.graph), options);
    }

    /// On the CPU, where nothing is offloaded.
    const Fresh& fresh(const QString& name) {
        Fresh& known = fresh_[name];
        if (known.dump.isEmpty()) {
            const Deciding& cache = caches().at(name);
            const testing::ModuleRun ended = run(cache, options(cache, "none", "cpu"));
            if (ended.status == Status::Ok) {
                known = {ended.dump, stepsIn(ended.report.at("repetitions").back())};
            }
        }
        return known;
    }

    /// Where there is time, every cache with every policy on all but the largest model
    /// (models_history_of_*_xl has all of it); else every second pair on the mini model, and each
    /// cache of a family with one of the policies that stream.
    static bool isRun(const Deciding& cache, size_t number, size_t policy) {
        if (cache.checkpoint == "xl") {
            const QByteArray only =
                QByteArray(cache.spared) == "partial" ? "block:2+stream" : "leaf+stream";
            return kPolicies[policy] == only;
        }
        if (testing::isFullTest()) {
            return true;
        }
        constexpr size_t kFirstThatStreams = 3;
        return cache.checkpoint == "mini" ? (policy + number) % 2 == 0
                                          : policy == kFirstThatStreams + number;
    }

    static void cancelAt(double step, const Deciding& cache, const Json& options) {
        const auto ended = testing::runCancelled(
            testing::exampleText(cache.graph), options, [&](const Json& arrived) {
                return testing::isOf(arrived, "nodeProgress", "denoise") &&
                       arrived.at("done").get<double>() >= step;
            });
        QVERIFY(ended.status == Status::Cancelled);
    }

private Q_SLOTS:

    void cleanup() { testing::checkNothingIsLeft(); }

    void repetitionsAreEqual_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("policy");
        std::map<std::string, size_t> ofCheckpoint;  // its caches so far
        for (const auto& [name, cache] : caches()) {
            const size_t number = ofCheckpoint[cache.checkpoint]++;
            for (size_t policy = 0; policy < std::size(kPolicies); ++policy) {
                if (isRun(cache, number, policy)) {
                    QTest::addRow("%s, %s", qPrintable(name), kPolicies[policy])
                        << name << kPolicies[policy];
                }
            }
        }
    }

    void repetitionsAreEqual() {
        QFETCH(QString, name);
        QFETCH(QString, policy);
        const Deciding& cache = caches().at(name);
        const Fresh& expected = fresh(name);
        QVERIFY(expected.steps.at(cache.spared) > 0);
        QVERIFY(expected.steps.at("full") > 0);
        Json wanted = options(cache, policy.toStdString(), "fake:256MiB");
        wanted["repeat"] = testing::isFullTest() ? 3 : 2;

        const testing::ModuleRun ended = run(cache, wanted);

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY2(ended.dump == expected.dump, "another value than on a device without offload");
        for (const Json& repetition : ended.report.at("repetitions")) {
            QCOMPARE(stepsIn(repetition), expected.steps);
            QCOMPARE(stepsIn(repetition).at("bytes_after"), Json(0));
        }
    }

    void whatCameBeforeChangesNothing_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("before");
        std::map<std::string, size_t> ofCheckpoint;  // its caches so far
        for (const auto& [name, cache] : caches()) {
            const size_t number = ofCheckpoint[cache.checkpoint]++;
            const std::vector<const char*>& others = kOthers.at(cache.checkpoint);
            for (size_t other = 0; other < others.size(); ++other) {
                if (testing::isFullTest() || (number + other) % others.size() == 0) {
                    QTest::addRow("%s, %s", qPrintable(name), others[other])
                        << name << others[other];
                }
            }
        }
    }

    void whatCameBeforeChangesNothing() {
        QFETCH(QString, name);
        QFETCH(QString, before);
        const Deciding& cache = caches().at(name);
        const Fresh& expected = fresh(name);
        Json other = options(cache, "leaf+stream", "fake:256MiB");
        if (before == "cancel") {
            cancelAt(5, cache, other);
        } else {
            other["set"].push_back(before.toStdString());
            QVERIFY(run(cache, other).status == Status::Ok);
        }

        const testing::ModuleRun ended = run(cache, options(cache, "leaf+stream", "fake:256MiB"));

        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        QVERIFY(ended.dump == expected.dump);
        QCOMPARE(stepsIn(ended.report.at("repetitions").back()), expected.steps);
    }

    /// As typed; and a file that is none is refused by name.
    void masksComeFromFiles_data() {
        testing::addTable<QByteArray, QString>(
            {"text", "expected"},
            {{"text", "1101\n0010\n", ""},
             {"list", "[1, 1, 0, true, 0, 0, 1, false]", ""},
             {"search",
              QByteArray(R"({"best_loss": 0.1, "schedule_mask": [1,1,0,1,0,0,1,0]})"),
              ""},
             {"letters", "110x", "mask.txt: there is \\\"x\\\" at position 4"},
             {"other numbers", "[1, 2]", "the mask has 2"},
             {"no list", QByteArray(R"({"a": 1})"), "it has no list"},
             {"no JSON", "[1, ", "mask.txt"},
             {"nothing", "\n", "is empty"},
             {"another length", "1010", "has 4 entries"}});
    }

    void masksComeFromFiles() {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        const QString path = folder_.filePath("mask.txt");
        testing::writeFile(path, text);
        const Deciding& cache = caches().at("mask, WAN");
        Json wanted = options(cache, "none", "cpu");
        wanted["set"].push_back("block_cache.mask=1");
        wanted["set"].push_back("block_cache.mask_file=" + path.toStdString());
        const testing::ModuleRun ended = run(cache, wanted);
        if (expected.isEmpty()) {
            QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
            QVERIFY(ended.dump == fresh("mask, WAN").dump);
            return;
        }
        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        const std::string issue = ended.report.at("issues").back().dump();
        QVERIFY2(issue.find(expected.toStdString()) != std::string::npos, issue.c_str());
        const bool isOfLength = expected.startsWith("has");  // which the denoiser's calls decide
        QVERIFY2(isOfLength || issue.find("\"mask_file\"") != std::string::npos, issue.c_str());
    }

    void refusesWhatCannotBe_data() {
        testing::addTable<QString, QString, QString, QString>(
            {"name", "setting", "node", "expected"},
            {{"mask of another length", "mask", "denoise.steps=9", "denoise", "has 8 entries"},
             {"mask of letters", "mask", "block_cache.mask=abc", "block_cache", "at position 1"},
             {"first step reused",
              "mask",
              "block_cache.mask=01111111",
              "block_cache",
              "first step"},
             {"no threshold",
              "first block",
              "block_cache.threshold=-1",
              "block_cache",
              "threshold"},
             {"window 0", "window", "forecast.window=0", "forecast", "window"},
             {"ends before it starts",
              "change",
              "forecast.end=0.1",
              "forecast",
              "cannot be active"},
             {"LCM", "window", "denoise.sampler=lcm", "denoise", "LCM takes a few steps"}});
    }

    /// Before anything executes.
    void refusesWhatCannotBe() {
        QFETCH(QString, name);
        QFETCH(QString, setting);
        QFETCH(QString, node);
        QFETCH(QString, expected);
        const Deciding& cache = caches().at(name);
        Json wanted = options(cache, "none", "cpu");
        wanted["set"].push_back(setting.toStdString());

        const testing::ModuleRun ended = run(cache, wanted);

        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        // Values that a parameter does not take are refused before there is a node to blame.
        const std::string issue = ended.report.at("issues").back().dump();
        QVERIFY2(issue.find(node.toStdString()) != std::string::npos, issue.c_str());
        QVERIFY2(issue.find(expected.toStdString()) != std::string::npos, issue.c_str());
    }
};

LOWTIDE_TEST(DecidingCachesTest)

}  // namespace deciding_caches_test

#include "deciding_caches_test.moc"
