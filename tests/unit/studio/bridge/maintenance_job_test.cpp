#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "ui/bridge/device_memory.hpp"

#include <QtTest/QtTest>

namespace maintenance_job_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

const std::vector<std::string> kCalls = {"calibrate", "unload"};

struct Bench {
    ScriptedPlugin plugin;
    Engine engine{plugin};
    MaintenanceJob maintenance{engine};
    QString problem = "not ended";

    explicit Bench(const std::vector<std::string>& calls = kCalls) : plugin({}, calls) {
        QObject::connect(&maintenance,
                         &MaintenanceJob::ended,
                         &maintenance,
                         [this](const MaintenanceTask&, const QString& why) { problem = why; });
    }
};

}  // namespace

class MaintenanceJobTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void neverWaitsForTheModule() {
        Bench bench;
        bench.plugin.scripted.setRelease(Status::Ok, 2000);
        QElapsedTimer clock;
        clock.start();

        bench.maintenance.begin({.what = "all"});

        QVERIFY2(clock.elapsed() < 1000, "the GUI thread waited");
        QVERIFY(bench.maintenance.isBusy());
        QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
        QVERIFY(!bench.maintenance.isBusy());
    }

    void asksForWhatWasWanted_data() {
        testing::addTable<int, bool, QString>(
            {"kind", "canUnload", "asked"},
            {{"offload", int(MaintenanceTask::Kind::Offload), true, "release"},
             {"unload", int(MaintenanceTask::Kind::Unload), true, "unload"},
             {"unload, which this module cannot",
              int(MaintenanceTask::Kind::Unload),
              false,
              "release"},
             {"measure", int(MaintenanceTask::Kind::Measure), true, "measure"}});
    }

    void asksForWhatWasWanted() {
        QFETCH(int, kind);
        QFETCH(bool, canUnload);
        QFETCH(QString, asked);
        Bench bench(canUnload ? kCalls : std::vector<std::string>{"calibrate"});

        bench.maintenance.begin({.kind = static_cast<MaintenanceTask::Kind>(kind), .what = "cpu"});

        QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
        const std::vector<std::string> once = {"cpu"};
        const std::vector<std::string> none;
        QCOMPARE(bench.plugin.scripted.released(), asked == "release" ? once : none);
        QCOMPARE(bench.plugin.unloaded(), asked == "unload" ? once : none);
        QCOMPARE(bench.plugin.calibrations(),
                 asked == "measure" ? std::vector<std::string>{R"({"device":"cpu"})"} : none);
    }

    void reportsThatARunIsAtWork() {
        Bench bench;
        bench.plugin.scripted.setRelease(Status::Failed);

        bench.maintenance.begin({.what = "all"});

        QTRY_VERIFY_WITH_TIMEOUT(!bench.maintenance.isBusy(), kPatience);
        QVERIFY2(bench.problem.contains("a run is at work"), qPrintable(bench.problem));
        QVERIFY(bench.problem.contains("try again"));
    }

    void waitsUntilAPlanIsOver() {
        Bench bench;
        bench.plugin.scripted.setRelease(Status::Failed);

        bench.maintenance.begin({.what = "all"});
        QTRY_VERIFY_WITH_TIMEOUT(!bench.plugin.scripted.released().empty(), kPatience);
        bench.plugin.scripted.setRelease(Status::Ok);

        QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
    }

    void reportsWhatTheModuleReports() {
        Bench bench;
        bench.plugin.setCalibration(
            Status::Invalid,
            R"({"issues": [{"message": "/cache cannot be written", "hint": "choose another folder"}]})");

        bench.maintenance.begin({.kind = MaintenanceTask::Kind::Measure, .what = "cpu"});

        QTRY_COMPARE_WITH_TIMEOUT(
            bench.problem, QString("/cache cannot be written; choose another folder"), kPatience);
    }
};

LOWTIDE_WINDOW_TEST(MaintenanceJobTest)

}  // namespace maintenance_job_test

#include "maintenance_job_test.moc"
