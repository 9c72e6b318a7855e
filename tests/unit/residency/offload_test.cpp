#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace offload_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::Outcome;
using testing::addDevicesAndPolicies;
using testing::Bench;
using testing::compareWithHostWeights;
using testing::isMapped;
using testing::runAll;

/// Components that leave because a control node orders it, and collections.
class OffloadTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void leavesBetweenTwoNodes_andComesBackWithTheSameBits_data() { addDevicesAndPolicies(); }

    void leavesBetweenTwoNodes_andComesBackWithTheSameBits() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const auto plan = bench.plan(policy.toStdString());
        for (const bool drop : {false, true}) {
            bench.residency->begin(plan, {});
            for (memory::NodeIndex node = 0; node < bench.model.trees().size(); ++node) {
                const ComponentTree& tree = *bench.model.trees()[node];
                bench.residency->enter(node);
                compareWithHostWeights(bench, tree);
                QVERIFY(bench.weightsOf(tree) > 0);

                bench.residency->offload(tree.role, drop);

                QCOMPARE(bench.weightsOf(tree), Bytes(0));
                compareWithHostWeights(bench, tree);
                bench.residency->leave(node);
                bench.residency->offload("all", drop);
                QCOMPARE(bench.weights(), Bytes(0));
            }
            bench.residency->end(Outcome::Finished);
            QCOMPARE(bench.total(), Bytes(0));
        }
        QVERIFY(bench.residency->hazards().empty());
    }

    void reportsWhatItGaveBack() {
        Bench bench(folder_.newPath(), "fake");
        const auto plan = bench.plan("none");
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        const ComponentTree& tree = *bench.model.trees()[0];
        compareWithHostWeights(bench, tree);
        bench.residency->leave(0);

        QCOMPARE(bench.residency->offload(tree.id, false), bench.expectedWeights(tree));
        QCOMPARE(bench.residency->offload(tree.id, false), Bytes(0));
        QCOMPARE(bench.residency->offload("nobody", false), Bytes(0));
        bench.residency->end(Outcome::Finished);
    }

    /// A component that an earlier run left on the device and that this run does not use.
    void takesKeptComponentsToo() {
        const std::string path = folder_.newPath();
        Bench bench(path, "cpu");
        runAll(bench, bench.plan("none,after=keep"));
        QVERIFY(bench.weights() > 0);
        QVERIFY(isMapped(path.substr(path.rfind('/') + 1)));

        bench.residency->offload("all", true);

        QCOMPARE(bench.weights(), Bytes(0));
        QVERIFY(!isMapped(path.substr(path.rfind('/') + 1)));
    }

    void aHundredCollectionsChangeNoWeight_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"none", "model"}) {  // those that may keep a component
                QTest::addRow("%s, %s", device, policy) << QString(device) << QString(policy);
            }
        }
    }

    void aHundredCollectionsChangeNoWeight() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        constexpr int kCollections = 100;
        Bench bench(folder_.newPath(), device);
        runAll(bench, bench.plan(policy.toStdString() + ",after=keep"));
        const auto before = bench.ledger().snapshot();

        for (int i = 0; i < kCollections; ++i) {
            bench.residency->collect(bench.device);
        }

        const auto after = bench.ledger().snapshot();
        for (const auto& [id, ledger] : before) {
            QCOMPARE(after.at(id).byTag, ledger.byTag);
            QVERIFY(after.at(id).byOwner == ledger.byOwner);
        }
        runAll(bench, bench.plan(policy.toStdString() + ",after=keep"));
        QCOMPARE(bench.residency->traffic().bytesToDevice, Bytes(0));
    }

    void countsWhatAGpuRefused() {
        Bench bench(folder_.newPath(), "fake");
        const memory::MemoryState before = bench.residency->memoryState(bench.device);
        const auto onGpu = at::TensorOptions(at::kByte).device(c10::DeviceType::PrivateUse1);

        QVERIFY_EXCEPTION_THROWN(static_cast<void>(at::empty({before.deviceCapacity + 1}, onGpu)),
                                 std::exception);

        QCOMPARE(bench.residency->memoryState(bench.device).outOfMemory, before.outOfMemory + 1);
    }

    void measuresTheDevice() {
        Bench bench(folder_.newPath(), "fake");
        const Bytes before = bench.residency->memoryState(bench.device).deviceUsed;
        runAll(bench, bench.plan("none,after=keep"));

        const memory::MemoryState state = bench.residency->memoryState(bench.device);

        QCOMPARE(state.deviceUsed - before, bench.total());
        QCOMPARE(state.deviceCapacity, residency::FakeSettings().capacity);
        QVERIFY(!state.deviceIsHost);
        QVERIFY(state.hostUsed > 0 && state.hostTotal > state.hostUsed);
    }
};

LOWTIDE_TEST(OffloadTest)

}  // namespace offload_test

#include "offload_test.moc"
