// The module in a host that runs for a month: what 450 more runs, all streamed, leave in memory.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <atomic>
#include <thread>

namespace long_life_test {

using namespace lowtide;

namespace {

constexpr int kFirst = 50;  ///< of these the caches and heaps are as large as they get
constexpr int kRuns = 500;
constexpr Bytes kMostGrowth = 10 * kMiB;

/// Hears the end and keeps nothing.
class EndWatch final : public Observer {
public:
    void event(std::string_view text) noexcept override {
        ended += text.find("runFinished") == text.npos ? 0 : 1;
    }

    void preview(RunId, std::string_view, const Image8&) noexcept override {}

    std::atomic<int> ended = 0;
};

}  // namespace

class LongLifeTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// What the process has besides what the ledger states: results are kept up to their limit.
    static Bytes untold() { return testing::residentMemory() - testing::bytesOn("cpu"); }

    /// A run with a seed of its own.
    RunId start(int run, Observer& observer) {
        const Json options = {
            {"device", "fake:64MiB"},
            {"set",
             {"latent.width=64",
              "latent.height=64",
              "denoise.steps=1",
              "denoise.seed=" + std::to_string(run)}},
            {"policies", {"encode=leaf+stream", "denoise=leaf+stream", "decode=leaf+stream"}},
            {"forceExecution", true},
            {"until", {"decode"}},
            {"out", folder_.path().toStdString()}};
        RunId id = 0;
        std::string result;
        const Status status = testing::openModule().runner()->start(
            testing::exampleText("text_to_image"), options.dump(), observer, id, result);
        return status == Status::Ok ? id : 0;
    }

private Q_SLOTS:

    void doesNotGrow_data() {
        QTest::addColumn<bool>("waits");
        QTest::newRow("a host that takes every report") << true;
        QTest::newRow("a host that lives on events") << false;
    }

    void doesNotGrow() {
        QFETCH(bool, waits);
        Runner& runner = *testing::openModule().runner();
        EndWatch watch;
        Bytes before = 0;
        for (int run = 1; run <= kRuns; ++run) {
            const RunId id = start(run, watch);
            QVERIFY(id > 0);
            std::string report;
            if (waits) {
                QCOMPARE(runner.wait(id, report), Status::Ok);
            }
            while (watch.ended < run) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            before = run == kFirst ? untold() : before;
        }

        const Bytes growth = untold() - before;

        qInfo("after %d runs %s, after %d %s more",
              kFirst,
              formatBytes(before).c_str(),
              kRuns,
              formatBytes(growth).c_str());
        QVERIFY2(growth < kMostGrowth, formatBytes(growth).c_str());
    }
};

LOWTIDE_TEST(LongLifeTest)

}  // namespace long_life_test

#include "long_life_test.moc"
