#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_plugin.hpp"
#include "ui/bridge/device_memory.hpp"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QtTest/QtTest>

namespace upkeep_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

const std::vector<std::string> kCalls = {"calibrate", "unload"};

struct Bench {
    ScriptedPlugin plugin;
    Engine engine{plugin};
    Upkeep upkeep{engine};
    QString problem = "not ended";

    explicit Bench(const std::vector<std::string>& calls = kCalls) : plugin({}, calls) {
        QObject::connect(
            &upkeep, &Upkeep::ended, &upkeep, [this](const Chore&, const QString& why) {
                problem = why;
            });
    }
};

}  // namespace

class UpkeepTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void neverWaitsForTheModule();
    void asksForWhatWasWanted_data();
    void asksForWhatWasWanted();
    void saysThatARunIsAtWork();
    void waitsUntilAPlanIsOver();
    void saysWhatTheModuleSays();
};

void UpkeepTest::neverWaitsForTheModule() {
    Bench bench;
    bench.plugin.scripted.setRelease(Status::Ok, 2000);
    QElapsedTimer clock;
    clock.start();

    bench.upkeep.begin({.what = "all"});

    QVERIFY2(clock.elapsed() < 1000, "the GUI thread waited");
    QVERIFY(bench.upkeep.isBusy());
    QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
    QVERIFY(!bench.upkeep.isBusy());
}

void UpkeepTest::asksForWhatWasWanted_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("canUnload");
    QTest::addColumn<QString>("asked");
    QTest::newRow("offload") << int(Chore::Kind::Offload) << true << "release";
    QTest::newRow("unload") << int(Chore::Kind::Unload) << true << "unload";
    QTest::newRow("unload, which this module cannot")
        << int(Chore::Kind::Unload) << false << "release";
    QTest::newRow("measure") << int(Chore::Kind::Measure) << true << "measure";
}

void UpkeepTest::asksForWhatWasWanted() {
    QFETCH(int, kind);
    QFETCH(bool, canUnload);
    QFETCH(QString, asked);
    Bench bench(canUnload ? kCalls : std::vector<std::string>{"calibrate"});

    bench.upkeep.begin({.kind = static_cast<Chore::Kind>(kind), .what = "cpu"});

    QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
    const std::vector<std::string> once = {"cpu"};
    const std::vector<std::string> none;
    QCOMPARE(bench.plugin.scripted.released(), asked == "release" ? once : none);
    QCOMPARE(bench.plugin.unloaded(), asked == "unload" ? once : none);
    QCOMPARE(bench.plugin.calibrations(),
             asked == "measure" ? std::vector<std::string>{R"({"device":"cpu"})"} : none);
}

void UpkeepTest::saysThatARunIsAtWork() {
    Bench bench;
    bench.plugin.scripted.setRelease(Status::Failed);

    bench.upkeep.begin({.what = "all"});

    QTRY_VERIFY_WITH_TIMEOUT(!bench.upkeep.isBusy(), kPatience);
    QVERIFY2(bench.problem.contains("a run is at work"), qPrintable(bench.problem));
    QVERIFY(bench.problem.contains("try again"));
}

void UpkeepTest::waitsUntilAPlanIsOver() {
    Bench bench;
    bench.plugin.scripted.setRelease(Status::Failed);

    bench.upkeep.begin({.what = "all"});
    QTRY_VERIFY_WITH_TIMEOUT(!bench.plugin.scripted.released().empty(), kPatience);
    bench.plugin.scripted.setRelease(Status::Ok);

    QTRY_COMPARE_WITH_TIMEOUT(bench.problem, QString(), kPatience);
}

void UpkeepTest::saysWhatTheModuleSays() {
    Bench bench;
    bench.plugin.setCalibration(
        Status::Invalid,
        R"({"issues": [{"message": "/cache cannot be written", "hint": "choose another folder"}]})");

    bench.upkeep.begin({.kind = Chore::Kind::Measure, .what = "cpu"});

    QTRY_COMPARE_WITH_TIMEOUT(
        bench.problem, QString("/cache cannot be written; choose another folder"), kPatience);
}

LOWTIDE_WINDOW_TEST(UpkeepTest)

}  // namespace upkeep_test

#include "upkeep_test.moc"
