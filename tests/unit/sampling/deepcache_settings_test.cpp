#include "plugin/sampling/step_caches/deepcache.hpp"
#include "tests/fixtures/error_of.hpp"
#include "tests/fixtures/python_golden.hpp"
#include "tests/fixtures/test_program.hpp"

#include <ATen/core/Tensor.h>

#include <QtTest>

namespace lowtide::sampling::deepcache_settings_test {

namespace {

std::string textOf(const std::vector<bool>& flags) {
    std::string text;
    for (const bool flag : flags) {
        text += flag ? '1' : '0';
    }
    return text;
}

CachedRun runOf(int calls, int firstCall = 0) {
    return {.firstCall = firstCall,
            .scheduleCalls = firstCall + calls,
            .stages = std::vector<int>(static_cast<size_t>(calls), 0),
            .points = {.deepest = 12}};
}

}  // namespace

class DeepCacheSettingsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void spreadsFullCalls_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<int>("calls");
        QTest::addColumn<int>("first");
        QTest::addColumn<QString>("expected");
        const auto row =
            [](const char* name, const char* settings, int calls, int first) -> QTestData& {
            return QTest::newRow(name) << settings << calls << first;
        };
        row("interval 3", R"({"interval": 3})", 8, 0) << "10010010";
        row("interval 1", R"({"interval": 1})", 4, 0) << "1111";
        row("interval beyond the run", R"({"interval": 9})", 4, 0) << "1000";
        row("from the run's own beginning", R"({"interval": 3})", 5, 4) << "10010";
        row("keep last", R"({"interval": 3, "keep_last": 2})", 6, 0) << "100111";
        row("keep more than all", R"({"interval": 3, "keep_last": 9})", 4, 0) << "1111";
        row("start", R"({"interval": 4, "start": 0.5})", 8, 0) << "11111000";
        row("end", R"({"interval": 4, "end": 0.5})", 8, 0) << "10001111";
        row("fractions of the whole schedule", R"({"interval": 4, "end": 0.75})", 4, 4) << "1011";
        row("mask", R"({"schedule": "mask", "mask": "1, 0 0,1"})", 4, 0) << "1001";
    }

    void spreadsFullCalls() {
        QFETCH(QString, settings);
        QFETCH(int, calls);
        QFETCH(int, first);
        QFETCH(QString, expected);
        const DeepCacheSettings read = readDeepCache(Json::parse(settings.toStdString()));
        QCOMPARE(textOf(fullCalls(read, runOf(calls, first))), expected.toStdString());
    }

    void powerCentreIsThePapers_data() {
        const testing::Rows<int, int, int, double> row("total", "count", "centre", "power");
        row("10 of 50", 50, 10, 15, 1.4);
        row("25 of 50", 50, 25, 15, 1.4);
        row("17 of 50", 50, 17, 10, 1.2);
        row("7 of 20", 20, 7, 5, 1.4);
        row("around the first", 30, 6, 0, 1.3);
        row("20 of 100", 100, 20, 40, 1.6);
    }

    void powerCentreIsThePapers() {
        QFETCH(int, total);
        QFETCH(int, count);
        QFETCH(int, centre);
        QFETCH(double, power);
        const testing::PythonGolden golden("tests/unit/sampling/make_deepcache_schedules.py");
        const at::Tensor calls = golden.tensor(
            QString("%1.%2.%3.%4").arg(total).arg(count).arg(centre).arg(power).toStdString());
        const auto* first = calls.const_data_ptr<int64_t>();
        QCOMPARE(powerCentreCalls(total, count, centre, power),
                 std::vector<int>(first, first + calls.numel()));
    }

    void otherProgramsNamesAreConverted_data() {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<int>("interval");
        QTest::addColumn<int>("depth");
        QTest::newRow("ours") << R"({"interval": 2, "depth": 5})" << 2 << 5;
        QTest::newRow("missing") << "{}" << 3 << 1;
        QTest::newRow("OneDiff 3/0/0")
            << R"({"cache_interval": 3, "cache_layer_id": 0, "cache_block_id": 0})" << 3 << 1;
        QTest::newRow("OneDiff 5/1/2")
            << R"({"interval": 3, "depth": 0, "cache_interval": 5, "cache_layer_id": 1,
                   "cache_block_id": 2})"
            << 5 << 6;
        QTest::newRow("helper") << R"({"cache_interval": 2, "cache_branch_id": 11})" << 2 << 11;
        QTest::newRow("not given")
            << R"({"interval": 4, "cache_interval": -1, "cache_branch_id": -1,
                   "cache_layer_id": -1, "cache_block_id": -1})"
            << 4 << 1;
    }

    void otherProgramsNamesAreConverted() {
        QFETCH(QString, settings);
        QFETCH(int, interval);
        QFETCH(int, depth);
        const DeepCacheSettings read = readDeepCache(Json::parse(settings.toStdString()));
        QCOMPARE(read.interval, interval);
        QCOMPARE(read.depth, depth);
    }

    void refusesWhatCannotBe_data() {
        const testing::Rows<QString, QString> row("settings", "item");
        row("interval 0", R"({"interval": 0})", "interval");
        row("their interval 0", R"({"cache_interval": 0})", "cache_interval");
        row("negative depth", R"({"depth": -1})", "depth");
        row("beyond the network", R"({"depth": 13})", "depth");
        row("their depth beyond it", R"({"cache_branch_id": 40})", "depth");
        row("half a name", R"({"cache_layer_id": 1})", "cache_block_id");
        row("two names",
            R"({"cache_branch_id": 1, "cache_layer_id": 0,
                                          "cache_block_id": 0})",
            "cache_branch_id");
        row("short mask", R"({"schedule": "mask", "mask": "100"})", "mask");
        row("no mask", R"({"schedule": "mask"})", "mask");
        row("mask of words", R"({"schedule": "mask", "mask": "full"})", "mask");
        row("mask that begins with nothing", R"({"schedule": "mask", "mask": "01010101"})", "mask");
        row("unknown schedule", R"({"schedule": "often"})", "schedule");
        row("unknown stages", R"({"stages": "second"})", "stages");
        row("ends before it starts", R"({"start": 0.5, "end": 0.5})", "end");
        row("a fraction above 1", R"({"end": 1.5})", "end");
        row("power 1", R"({"power": 1.0})", "power");
        row("no power fits",
            R"({"schedule": "power_centre", "interval": 2, "centre": 3, "power": 1.02})",
            "power");
    }

    void refusesWhatCannotBe() {
        QFETCH(QString, settings);
        QFETCH(QString, item);
        const auto error = testing::errorOf([&] {
            const auto cache =
                stepCacheNamed("deepcache").make(Json::parse(settings.toStdString()));
            (void)cache->begin(runOf(8));
        });
        QVERIFY(error && error->kind() == ErrorKind::InvalidInput);
        QCOMPARE(error->item(), item.toStdString());
        QVERIFY(!error->hint().empty());
    }

    void refusesANetworkThatCannotBeCut() {
        CachedRun run = runOf(8);
        run.points = {};
        const auto error = testing::errorOf(
            [&] { (void)stepCacheNamed("deepcache").make(Json::object())->begin(run); });
        QVERIFY(error && error->kind() == ErrorKind::Unsupported);
    }

    void aCacheThatIsNotBuiltIsNotFound() {
        const auto error = testing::errorOf([] { (void)stepCacheNamed("magic"); });
        QVERIFY(error && error->kind() == ErrorKind::NotFound);
        QVERIFY(error->hint().str().find("deepcache") != std::string::npos);
    }
};

LOWTIDE_TEST(DeepCacheSettingsTest)

}  // namespace lowtide::sampling::deepcache_settings_test

#include "deepcache_settings_test.moc"
