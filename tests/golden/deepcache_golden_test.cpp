#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/recorded_cases.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/golden/case_problems.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace deepcache_golden_test {

using namespace lowtide;

namespace {

const testing::CaseParameters kParameters = {{"prompt", {"encode.prompt"}},
                                             {"negative", {"encode.negative"}},
                                             {"width", {"latent.width"}},
                                             {"height", {"latent.height"}},
                                             {"batch", {"latent.batch"}},
                                             {"steps", {"denoise.steps"}},
                                             {"cfg", {"denoise.cfg"}},
                                             {"seed", {"denoise.seed"}},
                                             {"sampler", {"denoise.sampler"}},
                                             {"strength", {"denoise.strength"}},
                                             {"guidance_rescale", {"denoise.guidance_rescale"}}};

/// The example that does what the case does, with DeepCache.
Json graphOf(const Json& test) {
    if (!test.contains("image")) {
        return Json::parse(testing::exampleText("text_to_image_deepcache"));
    }
    Json graph = Json::parse(testing::exampleText("image_to_image"));
    graph["nodes"]["deepcache"] = {{"type", "cache.deepcache"}, {"v", 1}};
    graph["links"].push_back(
        {{"from", {"deepcache", "step_cache"}}, {"to", {"denoise", "step_cache"}}});
    return graph;
}

/// Depth and interval under our names, or under those of another program.
QStringList cacheSettings(const Json& test) {
    const int interval = test.at("interval").get<int>();
    const int depth = test.at("depth").get<int>();
    const std::string by = test.value("by", "us");
    if (by == "onediff") {
        return {QString("deepcache.cache_interval=%1").arg(interval),
                QString("deepcache.cache_layer_id=%1").arg((depth - 1) / 3),
                QString("deepcache.cache_block_id=%1").arg((depth - 1) % 3)};
    }
    const QString prefix = by == "helper" ? "cache_" : "";
    return {
        QString("deepcache.%1interval=%2").arg(prefix).arg(interval),
        QString("deepcache.%1=%2").arg(by == "helper" ? "cache_branch_id" : "depth").arg(depth)};
}

}  // namespace

/// Every value that diffusers' pipeline computes under DeepCacheSDHelper, over whole runs.
class DeepCacheGoldenTest : public QObject {
    Q_OBJECT

    QString goldens_;
    Json cases_;

private Q_SLOTS:

    void initTestCase() {
        goldens_ = testing::deepCacheGoldenFolder();
        cases_ = testing::readCases("deepcache_cases");
    }

    void everyRecordedValueAgrees_data() { testing::addCaseRows(cases_); }

    void everyRecordedValueAgrees() {
        QFETCH(int, index);
        const Json& test = cases_[static_cast<size_t>(index)];
        const QTemporaryDir folder;
        QFile file(folder.filePath("graph.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(graphOf(test).dump()));
        file.close();

        const std::string problems =
            testing::caseProblems(test, goldens_, file.fileName(), settingsOf(test));

        QVERIFY2(problems.empty(), problems.c_str());
    }

private:
    QStringList settingsOf(const Json& test) const {
        QStringList settings = cacheSettings(test) + testing::caseSettings(test, kParameters);
        settings << "load.checkpoint=" + goldens_ + "/checkpoints/" +
                        testing::caseText(test.at("checkpoint"));
        if (test.contains("image")) {
            settings << "load_image.image=" + goldens_ + "/images/" +
                            testing::caseText(test.at("image")) + ".png";
        }
        return settings;
    }
};

LOWTIDE_TEST(DeepCacheGoldenTest)

}  // namespace deepcache_golden_test

#include "deepcache_golden_test.moc"
