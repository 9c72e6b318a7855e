// Host memory that is pinned for what streams: read once, in the ledger, there for the next run.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/pinned_copies.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <QTest>

#include <set>

namespace pinned_test {

using namespace lowtide;
using memory::Tag;
using residency::PinnedCopies;
using testing::Bench;
using testing::NodeRun;

namespace {

constexpr PinnedCopies::HostCopyId kCopies = 10;
constexpr Bytes kCopyBytes = 16 * kKiB;
constexpr Bytes kBlock = 70 * kKiB;

std::vector<PinnedCopies::HostCopy> tenCopies() {
    std::vector<PinnedCopies::HostCopy> copies;
    for (PinnedCopies::HostCopyId id = 0; id < kCopies; ++id) {
        copies.push_back(
            {.id = id, .span = {.parts = {{id, 0, kCopyBytes - 100}}, .bytes = kCopyBytes - 100}});
    }
    return copies;
}

Bytes stagingOn(Bench& bench, const char* device) {
    return bench.ledger().bytesOn(device, Tag::Staging);
}

}  // namespace

class PinnedTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void filesAreReadOnce_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"leaf", "sequential", "leaf+stream", "block+stream"}) {
            QTest::newRow(policy) << policy;
        }
    }

    void filesAreReadOnce() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        Bytes once = 0;
        Bytes moved = 0;
        {
            NodeRun node(bench, tree, policy.toStdString() + ",pin=1GiB");
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
            once = bench.residency->traffic().bytesRead;
            moved = bench.residency->traffic().bytesToDevice;
            QVERIFY(stagingOn(bench, "cpu") > 0);
            for (int forward = 0; forward < 3; ++forward) {
                QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
            }
            QVERIFY(bench.residency->traffic().bytesRead <= tree->fileBytes());
            // A ring buffer of several groups holds all of so small a network.
            const bool streams = !policy.endsWith("+stream");
            QCOMPARE(bench.residency->traffic().bytesToDevice, streams ? 4 * moved : moved);
        }
        QVERIFY(once > 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
        QCOMPARE(stagingOn(bench, "cpu"), testing::pinnedIn(*bench.residency));
        static_cast<void>(bench.residency->release("all"));
        QCOMPARE(stagingOn(bench, "cpu"), Bytes{0});
    }

    void withoutPinsEveryForwardReads() {
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), "leaf");
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}) && node.forwardIsRight({0, 1, 2, 3}));
        const Bytes twice = bench.residency->traffic().bytesRead;
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        QVERIFY(bench.residency->traffic().bytesRead > twice);
    }

    /// A part is pinned, the rest comes from its files; both are right.
    void aSmallCapPinsAPart() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        const Bytes half = tree->deviceBytes() / 2;
        NodeRun node(bench, tree, "leaf,pin=" + std::to_string(half));
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        }
        const Bytes scratch = memory::kConversionScratch;
        QVERIFY(stagingOn(bench, "cpu") > 0);
        QVERIFY(stagingOn(bench, "cpu") <= half + scratch);
        QVERIFY(bench.residency->traffic().bytesRead > tree->fileBytes());
    }

    void whatIsPinnedTakesNoSpaceOfWhatStreams() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        const std::string most = std::to_string(tree->deviceBytes() * 9 / 10);
        NodeRun node(bench, tree, "leaf,budget=" + most + ",pin=1GiB");
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        }
        QVERIFY(bench.residency->traffic().bytesRead <= tree->fileBytes());
        QVERIFY(stagingOn(bench, "cpu") < tree->deviceBytes());
    }

    void theLedgerIsWhatThePlanStates() {
        Bench bench(folder_.newPath(), "fake");
        memory::PlanRequest request = bench.request("leaf+stream,pin=1GiB");
        request.devices.push_back({.spec = {}, .traits = {.capacity = kGiB}});
        const memory::Plan plan = *testing::planOf(request);
        bench.residency->begin(std::make_shared<const memory::Plan>(plan), {});
        for (memory::NodeIndex node = 0; node < request.nodes.size(); ++node) {
            bench.residency->enter(node);
            for (const auto& tree : request.nodes[node].components) {
                testing::compareWithHostWeights(bench, *tree);
                testing::compareWithHostWeights(bench, *tree);
            }
            for (const memory::StageBytes& bytes : plan.stages[node].bytes) {
                if (bytes.device == "cpu") {
                    QVERIFY(bytes.staging > 0);
                    QVERIFY(stagingOn(bench, "cpu") <= bytes.staging);
                }
            }
            bench.residency->leave(node);
        }
        bench.residency->end(memory::Outcome::Finished);
        QCOMPARE(stagingOn(bench, "cpu"), testing::pinnedIn(*bench.residency));
    }

    void aHostThatHasNoSuchMemoryGoesWithout() {
        Bench bench(folder_.newPath(),
                    "fake",
                    {},
                    {.failing = {.kind = memory::AllocationKind::Staging, .number = 2}});
        NodeRun node(bench, bench.model.textEncoder(), "leaf+stream,pin=1GiB");
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({1, 2, 3}));
        }
    }

    /// Ten masters of which four fit into a block.
    void memoryComesInBlocksWithWhatIsCopied() {
        const auto device = testing::openFake();
        memory::Ledger ledger;
        {
            PinnedCopies pins("fake", kCopies * kCopyBytes, tenCopies(), ledger, kBlock);
            QCOMPARE(ledger.bytesOn("cpu"), Bytes{0});
            const auto first = pins.pinFor(0, *device, {});
            QVERIFY(first && pins.pinFor(0, *device, {}) == first);
            QCOMPARE(ledger.bytesOn("cpu"), 4 * kCopyBytes);
            std::set<std::byte*> positions;
            for (PinnedCopies::HostCopyId id = 0; id < kCopies; ++id) {
                positions.insert(pins.pinFor(id, *device, {})->data);
            }
            QCOMPARE(positions.size(), static_cast<size_t>(kCopies));
            QCOMPARE(ledger.bytesOn("cpu"), kCopies * kCopyBytes);
            QVERIFY(!pins.pinFor(kCopies, *device, {}));  // it does not stream
        }
        QCOMPARE(ledger.bytesOn("cpu"), Bytes{0});
    }

    void whatIsPinnedRemainsWhereTheHostHasNoMore() {
        const auto device =
            testing::openFake({.failing = {.kind = memory::AllocationKind::Staging, .number = 2}});
        memory::Ledger ledger;
        PinnedCopies pins("fake", kCopies * kCopyBytes, tenCopies(), ledger, kBlock);
        for (PinnedCopies::HostCopyId id = 0; id < kCopies; ++id) {
            QCOMPARE(pins.pinFor(id, *device, {}) != nullptr, id < 4);
        }
        QVERIFY(pins.pinFor(3, *device, {}));
        QCOMPARE(ledger.bytesOn("cpu"), 4 * kCopyBytes);
    }

    void aCancelIsSeenBeforeTheNextBlock() {
        const auto device = testing::openFake();
        memory::Ledger ledger;
        PinnedCopies pins("fake", kCopies * kCopyBytes, tenCopies(), ledger, kBlock);
        StopSource stop;
        QVERIFY(pins.pinFor(0, *device, stop.token()));
        stop.cancel(CancelMode::Now);
        QVERIFY(pins.pinFor(3, *device, stop.token()));
        try {
            static_cast<void>(pins.pinFor(4, *device, stop.token()));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Cancelled);
        }
        QCOMPARE(ledger.bytesOn("cpu"), 4 * kCopyBytes);
    }

    /// cuDNN answers a failed allocation with another algorithm; such a result does not count.
    void anAllocationThatFailedInSilenceIsOutOfMemory() {
        auto failures = std::make_shared<int64_t>(0);
        testing::SyntheticModel model(folder_.newPath(), {});
        residency::Residency residency(std::make_unique<testing::TestDevices>(
            residency::FakeSettings{}, testing::Forgotten{.failures = failures}));
        const memory::DeviceSpec device{.kind = "fake"};
        residency.open(device);
        const auto plan = testing::planOf(model.request("model", device, residency.traits(device)));
        residency.begin(plan, {});
        residency.enter(0);
        residency.confirm(0);
        *failures += 1;
        try {
            residency.confirm(0);
            QFAIL("it counted");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
        }
        residency.leave(0);
        residency.enter(1);
        residency.confirm(1);  // of another node
        residency.leave(1);
        residency.end(memory::Outcome::Failed);
    }
};

LOWTIDE_TEST(PinnedTest)

}  // namespace pinned_test

#include "pinned_test.moc"
