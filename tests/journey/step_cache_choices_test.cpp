// Which settings of step caches are refused, warned of or marked as lossy, before anything runs.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <utility>

namespace step_cache_choices_test {

using namespace lowtide;

class StepCacheChoicesTest : public QObject {
    Q_OBJECT

    const std::string graph_ = testing::exampleText("text_to_image_deepcache");

    QTemporaryDir folder_;

    Json options(const QStringList& more = {}) const {
        Json settings = {
            "latent.width=64", "latent.height=64", "denoise.steps=7", "denoise.sampler=euler_a"};
        for (const QString& setting : more) {
            settings.push_back(setting.toStdString());
        }
        return {{"device", "cpu"},
                {"set", settings},
                {"out", folder_.path().toStdString()},
                {"forceExecution", true}};
    }

    static testing::ModuleRun run(const std::string& graph, const Json& options) {
        return testing::runModule(graph, options);
    }

private Q_SLOTS:

    void exactTakesWhatSparesNothing_data() {
        const QString deepcache = "text_to_image_deepcache";
        const QString block = "text_to_image_block_cache";
        const QString forecast = "text_to_image_forecast";
        testing::addTable<QString, QStringList, QString>(
            {"graph", "settings", "expected"},
            {{"DeepCache", deepcache, {}, "DeepCache, interval 3"},
             {"interval 1", deepcache, {"deepcache.interval=1"}, ""},
             {"all kept full", deepcache, {"deepcache.keep_last=9"}, ""},
             {"block cache", block, {}, "Block cache"},
             {"threshold 0", block, {"block_cache.threshold=0"}, ""},
             {"a mask of computed calls",
              block,
              {"block_cache.gate=mask", "block_cache.mask=1111111"},
              ""},
             {"warm-up of all", block, {"block_cache.warm_up=7"}, ""},
             {"forecast", forecast, {}, "Step forecast"},
             {"window 1", forecast, {"forecast.window=1", "forecast.window_growth=0"}, ""},
             {"change 0", forecast, {"forecast.gate=output_change", "forecast.threshold=0"}, ""}});
    }

    /// What is lossy is refused with its node; without exact it is marked there.
    void exactTakesWhatSparesNothing() {
        QFETCH(QString, graph);
        QFETCH(QStringList, settings);
        QFETCH(QString, expected);
        const std::string text = testing::exampleText(graph);
        Json wanted = options(settings);
        const auto checked = [&](bool isExact) {
            wanted["exact"] = isExact;
            std::string result;
            const Status status =
                testing::openModule().runner()->check(text, wanted.dump(), result);
            return std::pair(status, Json::parse(result).at("issues"));
        };

        const auto [exact, refusals] = checked(true);
        const auto [free, marks] = checked(false);

        QCOMPARE(exact, expected.isEmpty() ? Status::Ok : Status::Invalid);
        QCOMPARE(free, Status::Ok);
        const bool isMarked = std::any_of(marks.begin(), marks.end(), [&](const Json& mark) {
            return mark.at("code") == "lossy" && mark.at("severity") == "info" &&
                   mark.at("node") == "denoise" &&
                   mark.at("message").get<std::string>().find(expected.toStdString()) !=
                       std::string::npos;
        });
        QCOMPARE(isMarked, !expected.isEmpty());
        if (!expected.isEmpty()) {
            const auto message = refusals.back().at("message").get<std::string>();
            QVERIFY2(message.starts_with("node denoise is lossy"), message.c_str());
            QVERIFY2(message.find(expected.toStdString()) != std::string::npos, message.c_str());
        }
    }

    /// Seven calls are few: reported before the run and in it, and no reason to refuse.
    void fewCallsAreWarnedOf() {
        const testing::ModuleRun ended = run(graph_, options());
        QVERIFY2(ended.status == Status::Ok, ended.report.dump().c_str());
        const Json& issues = ended.report.at("issues");
        QCOMPARE(issues.size(), size_t{1});
        QCOMPARE(issues[0].at("severity"), Json("warning"));
        QCOMPARE(issues[0].at("node"), Json("denoise"));
        QVERIFY(issues[0].dump().find("little to reuse in 7 calls") != std::string::npos);
    }

    void refusesWhatCannotBe_data() {
        testing::addTable<QStringList, QString, QString>(
            {"settings", "node", "expected"},
            {{"interval 0", {"deepcache.interval=0"}, "deepcache", "interval"},
             {"beyond the network", {"deepcache.depth=13"}, "denoise", "goes down to"},
             {"mask of another length",
              {"deepcache.schedule=mask", "deepcache.mask=1001"},
              "denoise",
              "has 4 entries"},
             {"LCM", {"denoise.sampler=lcm"}, "denoise", "LCM takes a few steps"},
             {"TCD", {"denoise.sampler=tcd"}, "denoise", "little in common"},
             {"half of OneDiff's names",
              {"deepcache.cache_layer_id=1"},
              "deepcache",
              "cache_block_id"}});
    }

    /// Before anything executes.
    void refusesWhatCannotBe() {
        QFETCH(QStringList, settings);
        QFETCH(QString, node);
        QFETCH(QString, expected);
        Json wanted = options(settings);

        const testing::ModuleRun ended = run(graph_, wanted);

        QVERIFY2(ended.status == Status::Invalid, ended.report.dump().c_str());
        // Values that a parameter does not take are refused before there is a node to blame.
        const std::string issue = ended.report.at("issues").back().dump();
        QVERIFY2(issue.find(node.toStdString()) != std::string::npos, issue.c_str());
        QVERIFY2(issue.find(expected.toStdString()) != std::string::npos, issue.c_str());
    }

    void aCacheNeedsADenoiser_data() {
        const QStringList cache = {"deepcache", "step_cache"};
        testing::addTable<QStringList, QStringList, QString>(
            {"from", "to", "expected"},
            {{"as a latent", cache, {"decode", "latent"}, "STEP_CACHE"},
             {"as an image", cache, {"save", "image"}, "STEP_CACHE"},
             {"into a node without a denoiser", cache, {"decode", "step_cache"}, "step_cache"},
             {"a latent as cache", {"latent", "latent"}, {"denoise", "step_cache"}, "STEP_CACHE"}});
    }

    void aCacheNeedsADenoiser() {
        QFETCH(QStringList, from);
        QFETCH(QStringList, to);
        QFETCH(QString, expected);
        const auto indexOf = [](const QStringList& path) {
            return Json{path[0].toStdString(), path[1].toStdString()};
        };
        Json graph = Json::parse(graph_);
        Json links = Json::array();
        links.push_back({{"from", indexOf(from)}, {"to", indexOf(to)}});
        for (const Json& link : graph["links"]) {
            if (link["from"][0] != "deepcache" && link["to"] != indexOf(to)) {
                links.push_back(link);
            }
        }
        graph["links"] = links;
        const testing::ModuleRun ended = run(graph.dump(), options());
        QVERIFY(ended.status == Status::Invalid);
        QVERIFY2(ended.report.at("issues").dump().find(expected.toStdString()) != std::string::npos,
                 ended.report.dump().c_str());
    }
};

LOWTIDE_TEST(StepCacheChoicesTest)

}  // namespace step_cache_choices_test

#include "step_cache_choices_test.moc"
