// What is pinned for a component outlives the run: the next one reads nothing that it read.
#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/pinned_copies.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <QFile>
#include <QTest>

namespace pinned_runs_test {

using namespace lowtide;
using memory::Tag;
using testing::Bench;
using testing::NodeRun;

namespace {

constexpr const char* kPolicy = "leaf+stream,budget=1KiB,pin=1GiB";

/// Two forwards of a run; whether every weight was right.
bool runIsRight(Bench& bench,
                const std::shared_ptr<const memory::ComponentTree>& tree,
                const std::string& policy = kPolicy) {
    NodeRun node(bench, tree, policy);
    return node.forwardIsRight({0, 1, 2, 3}) && node.forwardIsRight({0, 1, 2, 3});
}

Bytes stagingOf(Bench& bench) {
    return bench.ledger().bytesOn("cpu", Tag::Staging);
}

Bytes lastRead(const Bench& bench) {
    return bench.residency->traffic().bytesRead;
}

}  // namespace

class PinnedRunsTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void theSecondRunReadsNothing_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"leaf", "sequential", kPolicy, "block:1+stream"}) {
            QTest::newRow(policy) << QString(policy);
        }
    }

    void theSecondRunReadsNothing() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        const std::string pinning = policy.toStdString() + (policy == kPolicy ? "" : ",pin=1GiB");
        QVERIFY(runIsRight(bench, tree, pinning));
        QVERIFY(lastRead(bench) > 0);
        const auto pinned = bench.residency->pinnedComponents();
        QCOMPARE(pinned.size(), size_t{1});
        QCOMPARE(pinned[0].tree, tree->id);
        QCOMPARE(pinned[0].device, std::string("fake"));
        QCOMPARE(stagingOf(bench), pinned[0].bytes);

        for (int run = 0; run < 3; ++run) {
            QVERIFY(runIsRight(bench, tree, pinning));
            QCOMPARE(lastRead(bench), Bytes{0});
            QCOMPARE(stagingOf(bench), pinned[0].bytes);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// Other groups stream, so other copies are pinned: the old ones have gone.
    void anotherBudgetStartsOver() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        QVERIFY(runIsRight(bench, tree, "leaf,pin=1GiB"));
        const Bytes all = stagingOf(bench);
        const std::string most = std::to_string(tree->deviceBytes() * 9 / 10);
        QVERIFY(runIsRight(bench, tree, "leaf,pin=1GiB,budget=" + most));
        QVERIFY(lastRead(bench) > 0);
        QVERIFY(stagingOf(bench) < all);
        QCOMPARE(bench.residency->pinnedComponents().size(), size_t{1});
    }

    void otherGroupsStartOver() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        for (const char* policy : {"leaf", "block:1", "leaf"}) {
            QVERIFY(runIsRight(bench, tree, policy + std::string(",pin=1GiB")));
            QVERIFY2(lastRead(bench) > 0, policy);
            QCOMPARE(bench.residency->pinnedComponents().size(), size_t{1});
        }
    }

    void whoMayPinMorePinsTheRest() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        const Bytes most = tree->deviceBytes() / 2;
        QVERIFY(runIsRight(bench, tree, "leaf,pin=" + std::to_string(most)));
        const Bytes first = stagingOf(bench);
        QVERIFY(first > 0 && first <= most);
        QVERIFY(runIsRight(bench, tree, "leaf,pin=1GiB"));
        QVERIFY(lastRead(bench) < tree->fileBytes());
        QVERIFY(stagingOf(bench) > first);
        QVERIFY(runIsRight(bench, tree, "leaf,pin=1GiB"));
        QCOMPARE(lastRead(bench), Bytes{0});
    }

    void whoMayPinLessPinsLess() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        QVERIFY(runIsRight(bench, tree, "leaf,pin=1GiB"));
        const Bytes most = tree->deviceBytes() / 2;
        QVERIFY(runIsRight(bench, tree, "leaf,pin=" + std::to_string(most)));
        QVERIFY(stagingOf(bench) <= most);
        QVERIFY(runIsRight(bench, tree, "leaf,pin=0"));
        QCOMPARE(stagingOf(bench), Bytes{0});
    }

    void itGoesWhenItIsAskedTo_data() {
        QTest::addColumn<QString>("way");
        for (const char* way : {"release", "unpin", "drop", "after"}) {
            QTest::newRow(way) << QString(way);
        }
    }

    void itGoesWhenItIsAskedTo() {
        QFETCH(QString, way);
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        const std::string after = way == "after" ? ",after=drop" : "";
        QVERIFY(runIsRight(bench, tree, kPolicy + after));
        const Bytes pinned = stagingOf(bench);
        if (way == "release") {
            QCOMPARE(bench.residency->release("denoiser"), pinned);
        } else if (way == "unpin") {
            QCOMPARE(bench.residency->unpin(bench.residency->pinnedComponents().at(0)), pinned);
        } else if (way == "drop") {
            NodeRun other(bench, bench.model.textEncoder(), "leaf");
            QVERIFY(other.isRight(1));
            static_cast<void>(bench.residency->offload("denoiser", true));
        }
        QVERIFY(way == "after" || pinned > 0);
        QCOMPARE(stagingOf(bench), Bytes{0});
        QVERIFY(bench.residency->pinnedComponents().empty());
    }

    /// What is used now is nobody's to take.
    void whatARunUsesRemains() {
        Bench bench(folder_.newPath(), "fake");
        const auto tree = bench.model.denoiser();
        QVERIFY(runIsRight(bench, tree));
        const auto pinned = bench.residency->pinnedComponents();
        NodeRun node(bench, tree, kPolicy);
        QVERIFY(bench.residency->pinnedComponents().empty());
        QCOMPARE(bench.residency->unpin(pinned.at(0)), Bytes{0});
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        QCOMPARE(lastRead(bench), Bytes{0});
    }

    void twoResidenciesAtATimeShareNothing() {
        Bench bench(folder_.newPath(), "fake");
        residency::PinnedStore store;
        const std::vector<residency::PinnedCopies::HostCopy> copies = {
            {.id = 0, .span = {.parts = {{0, 0, 100}}, .bytes = 100}}};
        const auto take = [&] {
            return store.take(bench.model.denoiser(), "fake", kMiB, copies, bench.ledger());
        };
        auto first = take();
        const auto second = take();
        QVERIFY(first != second);
        QVERIFY(store.idle().empty());
        first.reset();
        QCOMPARE(store.idle().size(), size_t{1});
        QVERIFY(take() != second);
    }

    /// Bytes of a file that was written to while a run read it are not used by the next.
    void aFileThatChangesMeanwhileIsReadAgain() {
        const std::string path = folder_.newPath();
        Bench bench(path, "fake");
        const auto tree = bench.model.denoiser();
        {
            NodeRun node(bench, tree, kPolicy);
            QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
            QFile file(QString::fromStdString(path));
            QVERIFY(file.open(QIODevice::Append));
            QVERIFY(file.write("x") == 1);
        }
        QVERIFY(bench.residency->pinnedComponents().empty());
        QCOMPARE(stagingOf(bench), Bytes{0});
    }
};

LOWTIDE_TEST(PinnedRunsTest)

}  // namespace pinned_runs_test

#include "pinned_runs_test.moc"
