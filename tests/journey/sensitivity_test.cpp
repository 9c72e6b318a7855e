// `lowtide compare --sensitivity` as a user runs it, and the runs along a recorded one that it
// is made of.
#include "plugin/base/json.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace sensitivity_test {

using namespace lowtide;

namespace {

constexpr const char* kFile = "sensitivities.json";
constexpr const char* kWeights = "unet/diffusion_pytorch_model.safetensors";
const QStringList kSmall = {"latent.width=64", "latent.height=64", "denoise.steps=5"};

const Json* rowOf(const Json& found, const std::string& setting) {
    const Json& rows = found.at("sensitivities");
    const auto row =
        std::ranges::find_if(rows, [&](const Json& each) { return each.at("setting") == setting; });
    return row == rows.end() ? nullptr : &*row;
}

double errorOf(const Json& found, const std::string& setting) {
    const Json* row = rowOf(found, setting);
    return row ? row->at("error").get<double>() : -1;
}

bool hasOnly(const Json& found, const char* key, const Json& value) {
    return std::ranges::all_of(found.at("sensitivities"),
                               [&](const Json& row) { return row.at(key) == value; });
}

}  // namespace

class SensitivityTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;  ///< of this process's module too
    QTemporaryDir first_;   ///< what the first measurement left
    Json measured_;

    [[nodiscard]] QString out() const { return folder_.filePath("out"); }

    [[nodiscard]] QString store() const { return folder_.filePath(kFile); }

    [[nodiscard]] testing::CommandResult measure(const QStringList& more = {},
                                                 const QStringList& settings = {},
                                                 const QString& graph = "text_to_image") const {
        return measureGraph(graph, kSmall + settings, more);
    }

    [[nodiscard]] testing::CommandResult measureGraph(const QString& graph,
                                                      const QStringList& settings,
                                                      const QStringList& more = {}) const {
        return testing::runInProcess(argumentsOf(graph, settings) + more);
    }

    [[nodiscard]] QStringList argumentsOf(const QString& graph, const QStringList& settings) const {
        QStringList arguments = {
            "compare", testing::exampleGraph(graph), "--sensitivity", "--out", out()};
        for (const QString& setting : settings) {
            arguments << "--set" << setting;
        }
        return arguments;
    }

    [[nodiscard]] Json found() const {
        return Json::parse(testing::contentsOf(out() + "/sensitivity.json").toStdString());
    }

private Q_SLOTS:

    /// In a process of its own; what it stores is read by the others.
    void initTestCase() {
        qputenv("LOWTIDE_CACHE", folder_.path().toUtf8());
        const testing::CommandResult run =
            testing::runLowtide(argumentsOf("text_to_image", kSmall));
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QVERIFY2(run.output.contains("quality,storage=f16,compute=f16"), qPrintable(run.output));
        measured_ = found();
        QCOMPARE(QDir(out()).entryList(QDir::Files | QDir::Hidden),
                 (QStringList{"sensitivity.json"}));
        testing::copyFolder(folder_.path(), first_.path());
    }

    void init() {
        QVERIFY(QDir(folder_.path()).removeRecursively());
        testing::copyFolder(first_.path(), folder_.path());
    }

    void measuresPresetsTypesAndCaches() {
        QVERIFY(hasOnly(measured_, "is_new", true));
        // A CPU gains nothing from half types: presets are f32 here.
        for (const char* preset : {"quality", "balanced", "speed"}) {
            QCOMPARE(errorOf(measured_, preset), 0.0);
        }
        const double half = errorOf(measured_, "quality,storage=f16,compute=f16");
        const double brain = errorOf(measured_, "quality,storage=bf16,compute=bf16");
        const double eight = errorOf(measured_, "quality,storage=f8,compute=bf16");
        QVERIFY(0 < half && half < brain && brain < eight);
        for (const char* cache : {"cache.deepcache", "cache.forecast"}) {
            const Json* row = rowOf(measured_, cache);
            QVERIFY2(row, measured_.dump(1).c_str());
            const Json& errors = row->at("calls").at("errors");
            QCOMPARE(errors.size(), size_t{5});
            QCOMPARE(std::ranges::count(errors, Json(0.0)),
                     row->at("calls").at("steps").at("full").get<int64_t>());
        }
        QVERIFY(errorOf(measured_, "cache.deepcache") > 0);
    }

    /// Independently: sha256 of the file, the mean of the calls, the class by the threshold.
    void figuresAreWhatTheyState() {
        const QByteArray weights =
            testing::contentsOf(testing::sourcePath("resources/mini/model/") + kWeights);
        QCOMPARE(QString::fromStdString(measured_.at("weights")),
                 QString(QCryptographicHash::hash(weights, QCryptographicHash::Sha256).toHex()));
        const double threshold = measured_.at("sensitive_from").get<double>();
        for (const Json& row : measured_.at("sensitivities")) {
            double sum = 0;
            double worst = 0;
            for (const Json& error : row.at("calls").at("errors")) {
                sum += error.get<double>();
                worst = std::max(worst, error.get<double>());
            }
            const double mean = row.at("error").get<double>();
            QVERIFY(std::abs(mean - sum / 5) < 1e-12);
            QCOMPARE(row.at("worst").get<double>(), worst);
            QCOMPARE(row.at("class"), Json(mean < threshold ? "tolerant" : "sensitive"));
        }
    }

    void aSecondCallReadsWhatIsKnown() {
        const QByteArray before = testing::contentsOf(store());
        const testing::CommandResult run = measure({"--json"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json printed = Json::parse(run.output.toStdString());
        QVERIFY(hasOnly(printed, "is_new", false));
        QCOMPARE(printed.at("weights"), measured_.at("weights"));
        QCOMPARE(printed.at("sensitivities").size(), measured_.at("sensitivities").size());
        for (const Json& row : measured_.at("sensitivities")) {
            QCOMPARE(errorOf(printed, row.at("setting")), row.at("error").get<double>());
        }
        QCOMPARE(testing::contentsOf(store()), before);
    }

    void anotherRunIsMeasuredAgain() {
        const testing::CommandResult run = measure({}, {"denoise.seed=5"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QVERIFY(hasOnly(found(), "is_new", true));
        QCOMPARE(found().at("sensitivities").size(), measured_.at("sensitivities").size());
        QVERIFY(errorOf(found(), "cache.deepcache") != errorOf(measured_, "cache.deepcache"));
    }

    /// A copy has the hash of the original, other weights have their own.
    void checkpointsAreDistinguishedByTheirWeights() {
        const QString copy = folder_.filePath("copy");
        testing::copyFolder(testing::sourcePath("resources/mini/model"), copy);
        const QStringList ofCopy = {"load.checkpoint=" + copy};
        QVERIFY(measure({}, ofCopy).exitCode == 0);
        QCOMPARE(found().at("weights"), measured_.at("weights"));
        QCOMPARE(errorOf(found(), "cache.deepcache"), errorOf(measured_, "cache.deepcache"));

        QByteArray weights = testing::contentsOf(copy + "/" + kWeights);
        for (qsizetype i = weights.size() / 2; i < weights.size() / 2 + 2000; i += 2) {
            weights[i] = static_cast<char>(weights[i] ^ 0x3f);
        }
        testing::writeFile(copy + "/" + kWeights, weights);
        const testing::CommandResult other = measure({}, ofCopy);
        QVERIFY2(other.exitCode == 0, qPrintable(other.errors));
        QVERIFY(found().at("weights") != measured_.at("weights"));
        QVERIFY(hasOnly(found(), "is_new", true));
        QVERIFY(errorOf(found(), "cache.deepcache") != errorOf(measured_, "cache.deepcache"));

        QVERIFY(measure().exitCode == 0);
        QCOMPARE(errorOf(found(), "cache.deepcache"), errorOf(measured_, "cache.deepcache"));
    }

    void theDeviceAndItsPolicyChangeNothing() {
        const testing::CommandResult run =
            measure({"--again", "--device", "fake:256MiB", "--policy", "denoise=leaf+stream"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json here = found();
        QVERIFY(hasOnly(here, "is_new", true));
        for (const Json& row : measured_.at("sensitivities")) {
            const Json* own = rowOf(here, row.at("setting"));
            QVERIFY(own);
            QCOMPARE(own->at("calls").at("errors"), row.at("calls").at("errors"));
        }
    }

    void variantsOfTheGraphsCacheAreMeasured() {
        const testing::CommandResult run =
            measure({"--vary", "deepcache.interval=2,5", "--vary", "deepcache.depth=0,4"},
                    {"denoise.steps=7"},
                    "text_to_image_deepcache");
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const auto error = [&](const char* settings) {
            return errorOf(found(), std::string("cache.deepcache ") + settings);
        };
        QVERIFY(0 < error("depth=4 interval=2"));
        QVERIFY(error("depth=4 interval=2") < error("depth=0 interval=2"));
        QVERIFY(error("depth=0 interval=2") < error("depth=0 interval=5"));
        QVERIFY(error("depth=4 interval=5") < error("depth=0 interval=5"));
    }

    void videosAreMeasured_data() {
        testing::addTable<QString, QStringList>(
            {"checkpoint", "guidance"},
            {{"guided", "wan_t2v_0", {"denoise.cfg=4"}},
             {"not guided", "wan_t2v_0", {"denoise.cfg=1"}},
             {"two noise models", "wan22_t2v_0", {"denoise.cfg=4", "denoise.cfg_2=1"}}});
    }

    /// Their prompts are calls of their own, which are recorded one by one.
    void videosAreMeasured() {
        QFETCH(QString, checkpoint);
        QFETCH(QStringList, guidance);
        const testing::CommandResult run =
            measureGraph("text_to_video",
                         guidance + QStringList{"load.checkpoint=" + testing::wanGoldenFolder() +
                                                    "/checkpoints/" + checkpoint,
                                                "video.width=64",
                                                "video.height=48",
                                                "video.frames=5",
                                                "denoise.steps=4",
                                                "denoise.shift=3"});
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        const Json measured = found();
        QCOMPARE(errorOf(measured, "quality"), 0.0);
        const double brain = errorOf(measured, "quality,storage=bf16,compute=bf16");
        const double eight = errorOf(measured, "quality,storage=f8,compute=bf16");
        constexpr double kMostOfBf16 = 0.05;  // relative L2; a rounding is 0.004
        QVERIFY2(0 < brain && brain < kMostOfBf16 && brain < eight,
                 qPrintable(QString("%1 %2").arg(brain).arg(eight)));
        for (const Json& row : measured.at("sensitivities")) {
            QCOMPARE(row.at("calls").at("errors").size(), size_t{4});
        }
    }

    void whatCannotBeIsReported() {
        const testing::CommandResult run =
            measure({"--vary", "deepcache.depth=1,12"}, {}, "text_to_image_deepcache");
        QVERIFY2(run.exitCode == 0, qPrintable(run.errors));
        QCOMPARE(found().at("refused").size(), size_t{1});
        QVERIFY2(run.output.contains("cache.deepcache depth=12: not possible here"),
                 qPrintable(run.output));
    }

    void aDamagedStoreIsRefused_andReplacedWhenAsked() {
        const QByteArray damaged = testing::contentsOf(store()).chopped(20);
        testing::writeFile(store(), damaged);
        const testing::CommandResult refused = measure();
        QVERIFY2(refused.exitCode == 2, qPrintable(refused.errors));
        QVERIFY2(refused.errors.contains(kFile) && refused.errors.contains("--again"),
                 qPrintable(refused.errors));
        QCOMPARE(testing::contentsOf(store()), damaged);

        const testing::CommandResult again = measure({"--again"});
        QVERIFY2(again.exitCode == 0, qPrintable(again.errors));
        QCOMPARE(errorOf(found(), "cache.deepcache"), errorOf(measured_, "cache.deepcache"));
        QVERIFY(hasOnly(found(), "is_new", true));
    }

    void badInputIsRefused_data() {
        testing::addTable<QString, QStringList, QString>(
            {"graph", "arguments", "complaint"},
            {{"two nodes sample", "two_passes", {}, "--until"},
             {"until something else", "text_to_image", {"--until", "decode"}, "--until denoise"},
             {"exact", "text_to_image", {"--exact"}, "--exact"},
             {"repeat", "text_to_image", {"--repeat", "2"}, "--repeat"},
             {"another node varied",
              "text_to_image_deepcache",
              {"--vary", "denoise.steps=2,3"},
              "no setting of a step cache"},
             {"no cache to vary",
              "text_to_image",
              {"--vary", "denoise.steps=2,3"},
              "connect a step cache"},
             {"no checkpoint", "text_to_image", {"--set", "load.checkpoint=nowhere"}, "nowhere"}});
    }

    void badInputIsRefused() {
        QFETCH(QString, graph);
        QFETCH(QStringList, arguments);
        QFETCH(QString, complaint);
        const testing::CommandResult run = measureGraph(graph, {}, arguments);
        QVERIFY2(run.exitCode == 2, qPrintable(run.errors));
        QVERIFY2(run.errors.contains(complaint), qPrintable(run.errors));
    }

    /// What a run along a recorded one leaves is the recorded run's, and must not be taken for the
    /// result of its own settings.
    void aRunAlongARecordedOneIsKeptApart() {
        const std::string recording = folder_.filePath("exact.safetensors").toStdString();
        const auto run = [&](const char* graph, const Json& more) {
            Json options = {{"set", {"latent.width=64", "latent.height=64", "denoise.steps=5"}},
                            {"out", folder_.path().toStdString()},
                            {"until", {"denoise"}}};
            options.update(more);
            return testing::runModule(testing::exampleText(graph), options);
        };
        // The file is kept here: runModule removes the one of "dump".
        const auto exact = run("text_to_image", {{"dump", recording}});
        QCOMPARE(exact.status, Status::Ok);
        testing::writeFile(QString::fromStdString(recording), exact.dump);

        const auto along = run("text_to_image_deepcache", {{"teacher", recording}});
        QCOMPARE(along.status, Status::Ok);
        QCOMPARE(testing::entryOf(along.report.at("repetitions").back().at("nodes"), "denoise")
                     .at("teacher_forced")
                     .at("errors")
                     .size(),
                 size_t{5});
        const auto own = run("text_to_image_deepcache", Json::object());
        QCOMPARE(own.status, Status::Ok);
        QVERIFY(!testing::entryOf(own.report.at("repetitions").back().at("nodes"), "denoise")
                     .contains("teacher_forced"));
        QCOMPARE(testing::stepsIn(own.report.at("repetitions").back()).at("full"), Json(2));

        const auto otherSeed =
            run("text_to_image",
                {{"teacher", recording},
                 {"precisions", {"denoise=speed"}},
                 {"set",
                  {"latent.width=64", "latent.height=64", "denoise.steps=5", "denoise.seed=9"}}});
        QCOMPARE(otherSeed.status, Status::Failed);
        QVERIFY(otherSeed.report.dump().find("other latents") != std::string::npos);
        QCOMPARE(run("text_to_image", {{"teacher", recording + ".none"}}).status, Status::Invalid);
        QCOMPARE(run("text_to_image", {{"teacher", recording}, {"dump", "x"}}).status,
                 Status::Invalid);
    }
};

LOWTIDE_TEST(SensitivityTest)

}  // namespace sensitivity_test

#include "sensitivity_test.moc"
