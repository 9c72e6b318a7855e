#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace kept_components_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::Outcome;
using testing::addDevicesAndPolicies;
using testing::Bench;
using testing::compareWithHostWeights;
using testing::isMapped;
using testing::runAll;

class KeptComponentsTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void keepsAComponentUntilItIsReleased_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"none", "model", "auto"}) {
                QTest::addRow("%s, %s", device, policy) << QString(device) << QString(policy);
            }
        }
    }

    void keepsAComponentUntilItIsReleased() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const std::string keep = policy.toStdString() + ",after=keep";
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        Bytes all = 0;
        for (const auto& tree : bench.model.trees()) {
            all += bench.expectedWeights(*tree);
        }

        runAll(bench, bench.plan(keep));
        QCOMPARE(bench.total(), all);
        QCOMPARE(bench.weights(), all);

        runAll(bench, bench.plan(keep));
        QCOMPARE(bench.residency->traffic().bytesToDevice, 0);
        QCOMPARE(bench.total(), all);

        const ComponentTree& denoiser = *bench.model.denoiser();
        QCOMPARE(bench.residency->release("denoiser"), bench.expectedWeights(denoiser));
        QCOMPARE(bench.total(), all - bench.expectedWeights(denoiser));
        QCOMPARE(bench.residency->release("all"), all - bench.expectedWeights(denoiser));
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);
        QCOMPARE(bench.residency->release("all"), 0);
    }

    /// What is kept is no garbage: it is where it was, and the next run brings nothing.
    void aHundredCollectionsTakeNothingThatIsKept() {
        for (const char* device : {"cpu", "fake"}) {
            Bench bench(folder_.newPath(), device);
            runAll(bench, bench.plan("none,after=keep"));
            const Bytes kept = bench.total();
            QVERIFY(kept > 0);
            for (int i = 0; i < 100; ++i) {
                static_cast<void>(bench.residency->collect(bench.device));
            }
            QCOMPARE(bench.total(), kept);
            runAll(bench, bench.plan("none,after=keep"));
            QCOMPARE(bench.residency->traffic().bytesToDevice, 0);
            QCOMPARE(bench.residency->release("all"), kept);
        }
    }

    void lettingGoOfAKeptComponentIsAlsoAPolicy() {
        Bench bench(folder_.newPath(), "fake");
        runAll(bench, bench.plan("none,after=keep"));
        QVERIFY(bench.total() > 0);
        runAll(bench, bench.plan("none"));
        QCOMPARE(bench.total(), 0);
    }

    void keepsOnlyWhatIsComplete() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {.scale = 50},
                    {.longestDelay = 0.02, .copyPiece = 64 * kKiB});
        StopSource stop;
        bench.residency->begin(bench.plan("none,after=keep"), stop.token());
        bench.residency->enter(0);
        compareWithHostWeights(bench, *bench.model.textEncoder());
        bench.residency->leave(0);
        bench.residency->enter(1);
        stop.cancel(CancelMode::Now);
        bench.residency->leave(1);
        bench.residency->end(Outcome::Cancelled);
        QCOMPARE(bench.total(), bench.expectedWeights(*bench.model.textEncoder()));
        runAll(bench, bench.plan("none"));
        QCOMPARE(bench.total(), 0);
    }

    void unmapsWhatIsDropped() {
        const std::string path = folder_.newPath();
        const std::string name = path.substr(path.rfind('/') + 1);
        Bench bench(path, "cpu");
        runAll(bench, bench.plan("none"));
        QVERIFY(isMapped(name));
        runAll(bench, bench.plan("none,after=drop"));
        QVERIFY(!isMapped(name));
        runAll(bench, bench.plan("none"));
    }

    void refusesToReleaseDuringARun() {
        Bench bench(folder_.newPath(), "fake");
        bench.residency->begin(bench.plan("none"), {});
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(bench.residency->release("all")));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 bench.residency->open(memory::parseDeviceSpec("fake:1GiB")));
        bench.residency->end(Outcome::Failed);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }
};

LOWTIDE_TEST(KeptComponentsTest)

}  // namespace kept_components_test

#include "kept_components_test.moc"
