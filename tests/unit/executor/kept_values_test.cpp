#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/run_bench.hpp"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

namespace kept_values_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

std::vector<std::string> chain(const std::string& keeper, const std::string& text = "") {
    return {"a = test.source text=A",
            "b = test.join a:a",
            "k = " + keeper + " value:b",
            "c = test.join a:k" + (text.empty() ? "" : " text=" + text),
            "out = test.save value:c"};
}

const std::string kDisk = "test.keep_disk";
const std::string kMemory = "test.keep_memory";

}  // namespace

/// Values that a node has kept: what need not execute then.
class KeptValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { folder_ = std::make_unique<QTemporaryDir>(); }

    void executesNothingBehindIt_inAnotherProcess() {
        RunBench first(kMiB, folder());
        QCOMPARE(executed(first.run(graphFrom(chain(kDisk)))), QString("a b k c out"));
        QCOMPARE(joined(first.world.takeSaved()), QString("((A+-)+-)"));

        RunBench second(kMiB, folder());
        const RunResult result = second.run(graphFrom(chain(kDisk)));

        QCOMPARE(executed(result), QString("k c out"));
        QCOMPARE(cached(result), QString("a b"));
        QCOMPARE(joined(second.world.takeSaved()), QString("((A+-)+-)"));
        QVERIFY(!joined(second.engine.takeCalls()).contains("enter b"));
        const Json& controls = result.report["controls"];
        QCOMPARE(controls.at(0)["action"], Json("found"));
        QCOMPARE(controls.at(0)["place"], Json("disk"));
        QCOMPARE(controls.at(0)["bytes"], Json(10));
    }

    void leavesTheLedgerBalanced() {
        RunBench first(0, folder());
        first.run(graphFrom(chain(kDisk)));
        QCOMPARE(first.engine.ledger().bytesOn("cpu"), Bytes(0));
        RunBench second(0, folder());
        Bytes during = 0;
        second.world.during["c"] = [&](Context&) {
            during = second.engine.ledger().bytesOn("cpu", memory::Tag::Cache);
        };

        second.run(graphFrom(chain(kDisk)));

        QCOMPARE(during, Bytes(10));
        QCOMPARE(second.engine.ledger().bytesOn("cpu"), Bytes(0));
    }

    void executesAgain_whenSomethingBehindItChanged() {
        RunBench first(kMiB, folder());
        first.run(graphFrom(chain(kDisk)));

        RunBench second(kMiB, folder());
        second.world.fingerprints["test.source"] = {"another file"};

        QCOMPARE(executed(second.run(graphFrom(chain(kDisk)))), QString("a b k c out"));
    }

    void executesAgain_whenForced() {
        RunBench first(kMiB, folder());
        first.run(graphFrom(chain(kDisk)));

        QCOMPARE(executed(first.run(graphFrom(chain(kDisk)), {.forceExecution = true})),
                 QString("a b k c out"));
    }

    void keepsThroughOtherControlNodes() {
        const std::vector<std::string> graph = {"a = test.source text=A",
                                                "p = test.pass value:a",
                                                "k = test.keep_disk value:p",
                                                "q = test.pass value:k",
                                                "out = test.save value:q"};
        RunBench first(kMiB, folder());
        first.run(graphFrom(graph));
        RunBench second(kMiB, folder());

        QCOMPARE(executed(second.run(graphFrom(graph))), QString("p k q out"));
    }

    /// A value that something takes before it is kept must be made.
    void executes_whenAnotherTakesAnOutputThatIsNotKept() {
        RunBench first(kMiB, folder());
        first.run(graphFrom(chain(kDisk)));

        RunBench second(kMiB, folder());
        const RunResult result = second.run(graphFrom({"a = test.source text=A",
                                                       "b = test.join a:a",
                                                       "k = test.keep_disk value:b",
                                                       "c = test.join a:k b:a",
                                                       "out = test.save value:c"}));

        QCOMPARE(executed(result), QString("a k c out"));
        QCOMPARE(joined(second.world.takeSaved()), QString("((A+-)+A)"));
    }

    void reportsADamagedFile_andMakesTheValueAgain() {
        RunBench first(kMiB, folder());
        first.run(graphFrom(chain(kDisk)));
        const QString name = QDir(folder_->path()).entryList(QDir::Files).at(0);
        QFile file(folder_->filePath(name));
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.seek(file.size() - 1);
        file.putChar('!');
        file.close();

        RunBench second(kMiB, folder());
        const RunResult result = second.run(graphFrom(chain(kDisk)));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(executed(result), QString("a b k c out"));
        QCOMPARE(issuesOf(result), QString("result_not_kept k."));
        QVERIFY(result.issues[0].severity == Severity::Warning);
        RunBench third(kMiB, folder());
        QCOMPARE(executed(third.run(graphFrom(chain(kDisk)))), QString("k c out"));
    }

    void runsOn_whenAValueCannotBeKept_data() {
        QTest::addColumn<bool>("tooLarge");
        QTest::newRow("larger than the limit") << true;
        QTest::newRow("no folder") << false;
    }

    void runsOn_whenAValueCannotBeKept() {
        QFETCH(bool, tooLarge);
        RunBench bench(kMiB, tooLarge ? folder() : "");
        bench.world.keepLimit = tooLarge ? 1 : kMiB;

        const RunResult result = bench.run(graphFrom(chain(kDisk)));

        QCOMPARE(result.status, Status::Ok);
        QCOMPARE(issuesOf(result).section('.', 0, 0), QString("result_not_kept k"));
        QCOMPARE(joined(bench.world.takeSaved()), QString("((A+-)+-)"));
    }

    void keepsInMemory_whatTheCacheWouldDrop() {
        RunBench bench(25);  // space for two values
        bench.run(graphFrom(chain(kMemory)));
        for (const std::string text : {"u", "v", "w"}) {
            bench.run(graphFrom({"x = test.source text=" + text, "o = test.keep value:x"}));
        }

        const RunResult result = bench.run(graphFrom(chain(kMemory, "new")));

        QCOMPARE(executed(result), QString("k c out"));
    }

    void keepsInMemory_whatACollectionWouldDrop() {
        RunBench bench;
        bench.run(graphFrom(chain(kMemory)));
        bench.engine.state = {
            .deviceUsed = 90 * kGiB, .deviceCapacity = 100 * kGiB, .deviceCollectable = kGiB};

        bench.run(
            graphFrom({"x = test.source text=X", "d = test.decode a:x", "o = test.keep value:d"}));

        QCOMPARE(executed(bench.run(graphFrom(chain(kMemory, "new")))), QString("k c out"));
    }

    void countsAKeptValueOnce() {
        RunBench bench;

        bench.run(graphFrom(chain(kMemory)));

        QCOMPARE(bench.engine.ledger().bytesOn("cpu"), Bytes(30));  // a, b, c
    }

    void dropsTheOldestPinned_whenTheirLimitIsPassed() {
        RunBench bench(0);
        bench.world.keepLimit = 15;
        bench.run(graphFrom(chain(kMemory)));
        QCOMPARE(executed(bench.run(graphFrom(chain(kMemory, "x")))), QString("k c out"));

        bench.run(graphFrom(
            {"z = test.source text=Z", "k = test.keep_memory value:z", "out = test.save value:k"}));

        QCOMPARE(executed(bench.run(graphFrom(chain(kMemory, "y")))), QString("a b k c out"));
        QCOMPARE(bench.queue.cache().bytes(), Bytes(10));
    }

private:
    std::string folder() const { return folder_->path().toStdString(); }

    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_TEST(KeptValuesTest)

}  // namespace kept_values_test

#include "kept_values_test.moc"
