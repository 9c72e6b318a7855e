// A host that runs for a month: what many more runs leave in memory.
#include "tests/fixtures/resident_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtTest/QtTest>

#include <thread>

namespace long_life_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const bool kIsFull = testing::isFullTest();
const int kFirst = kIsFull ? 50 : 20;  ///< of these the caches and heaps are as large as they get
const int kRuns = kIsFull ? 500 : 45;
constexpr Bytes kMostGrowth = 10 * kMiB;
/// The denoising stage of a small checkpoint that streams leaf by leaf, 30 forwards: a megabyte of
/// a run's time line.
constexpr int kMoves = 8000;

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

private Q_SLOTS:

    void doesNotGrow_data() {
        QTest::addColumn<bool>("waits");
        QTest::newRow("a host that takes every report") << true;
        QTest::newRow("a host that lives on events") << false;
    }

    void doesNotGrow() {
        QFETCH(bool, waits);
        RunBench bench;
        bench.world.during["b"] = [&](Context&) {
            for (int i = 0; i < kMoves; ++i) {
                bench.engine.ledger().event(
                    i % 2 == 0 ? "copy" : "evict", "cpu", "b", "network.layer", 1000);
            }
        };
        EndWatch watch;
        Bytes before = 0;
        for (int run = 1; run <= kRuns; ++run) {
            const RunId id = bench.queue.start(
                bench.request(graphFrom({"a = test.source text=" + std::to_string(run),
                                         "b = test.join a:a",
                                         "out = test.save value:b"}),
                              {},
                              watch));
            if (waits) {
                QCOMPARE(bench.queue.wait(id).status, Status::Ok);
            }
            while (watch.ended < run) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            bench.engine.takeCalls();
            bench.world.takeSaved();
            before = run == kFirst ? testing::residentMemory() : before;
        }

        const Bytes growth = testing::residentMemory() - before;

        qInfo("after %d runs %s, after %d %s more",
              kFirst,
              formatBytes(before).c_str(),
              kRuns - kFirst,
              formatBytes(growth).c_str());
        QVERIFY2(growth < kMostGrowth, formatBytes(growth).c_str());
    }
};

LOWTIDE_TEST(LongLifeTest)

}  // namespace long_life_test

#include "long_life_test.moc"
