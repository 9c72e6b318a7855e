// The cases on which offloading systems broke, by name. Numbers are those of the list of sharp
// tests in docs/memory.md.
#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTest>

#include <algorithm>
#include <random>

namespace streamed_weights_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::LeafId;
using memory::Outcome;
using testing::Bench;
using testing::copyOf;
using testing::NodeRun;

class StreamedWeightsTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void s01_tiedWeightsOfNeighbours_data() { testing::addStreamingPolicies(); }

    void s01_tiedWeightsOfNeighbours() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        auto tree = copyOf(bench.model.textEncoder(), "tied");
        std::swap(tree->leaves[2], tree->leaves[3]);  // both users of the tied weight side by side
        for (int run = 0; run < 3; ++run) {
            NodeRun node(bench, tree, policy.toStdString());
            QVERIFY(node.forwardIsRight({1, 2, 3}) && node.forwardIsRight({1, 2, 3}));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s01_aTiedWeightBehindAnOwnOne_data() { testing::addStreamingPolicies(); }

    /// What is copied ahead while the tied weight is looked at must not take the place of the own.
    void s01_aTiedWeightBehindAnOwnOne() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        auto tree = copyOf(bench.model.denoiser(), "tied behind own");
        tree->leaves[3].weights.push_back(tree->leaves[0].weights[1]);  // out: out.weight, in.bias
        for (int run = 0; run < 3; ++run) {
            NodeRun node(bench, tree, policy.toStdString());
            for (int forward = 0; forward < 3; ++forward) {
                QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
            }
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s02_aTiedLeafThatNeverRuns_data() { testing::addStreamingPolicies(); }

    void s02_aTiedLeafThatNeverRuns() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.textEncoder(), policy.toStdString());
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({1, 2}));
        }
        QVERIFY(bench.weights() <=
                testing::planOf(bench.request(policy.toStdString()))->devices[0].peakWeights);
    }

    void s03_aLeafThatIsCalledTwice_data() { testing::addStreamingPolicies(); }

    void s03_aLeafThatIsCalledTwice() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({0, 1, 0, 2, 3}));
        }
        QVERIFY(bench.residency->traffic().copies <=
                3 * (5 + 2));  // the first leaf has two storages
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s04_aLeafThatIsMissingInTheFirstForward() {
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), "leaf+stream,budget=1KiB");
        QVERIFY(node.forwardIsRight({0, 1, 3}));
        QVERIFY(node.forwardIsRight({0, 1, 3}));
        const int64_t before = bench.residency->traffic().misses;
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        QCOMPARE(bench.residency->traffic().misses - before, 1);
        QVERIFY(node.forwardIsRight({0, 1, 2, 3}));
        QVERIFY(bench.residency->traffic().misses - before <= 2);
    }

    void s05_anyOrderGivesTheSameBits_data() { testing::addStreamingPolicies(); }

    void s05_anyOrderGivesTheSameBits() {
        QFETCH(QString, policy);
        std::mt19937 random(3);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        std::vector<LeafId> order = {0, 1, 2, 3};
        for (int forward = 0; forward < 20; ++forward) {
            std::shuffle(order.begin(), order.end(), random);
            QVERIFY(node.forwardIsRight(order));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s07_aLeafThatHoldsNothing() {
        Bench bench(folder_.newPath(), "fake");
        auto tree = copyOf(bench.model.denoiser(), "with an empty leaf");
        tree->leaves.push_back({"nothing", {}});
        NodeRun node(bench, tree, "leaf+stream");
        for (int forward = 0; forward < 3; ++forward) {
            QVERIFY(node.forwardIsRight({0, 1, 4, 2, 3, 4}));
        }
    }

    void s13_nestedLeases_data() { testing::addStreamingPolicies(); }

    void s13_nestedLeases() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto tree = bench.model.denoiser();
        NodeRun node(bench, tree, policy.toStdString());
        for (int forward = 0; forward < 3; ++forward) {
            node.beginForward();
            const residency::Lease outer = bench.residency->use(*tree, 0);
            const at::Tensor expected = bench.model.expected(*tree, tree->weights[0]);
            for (const LeafId inner : {1u, 2u, 3u}) {
                QVERIFY(at::equal(outer[0].cpu(), expected));
                try {
                    QVERIFY(node.isRight(inner));
                } catch (const Error& error) {
                    QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
                }
            }
            QVERIFY(at::equal(outer[0].cpu(), expected));
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    /// The autoencoder's first leaf encodes an image before the denoiser, its second decodes
    /// after.
    void s16_twoEntriesOfOneComponent_data() { testing::addStreamingPolicies(); }

    void s16_twoEntriesOfOneComponent() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const auto& trees = bench.model.trees();
        memory::PlanRequest request = bench.request(policy.toStdString());
        request.nodes.clear();
        for (const size_t index : {2u, 1u, 2u}) {
            request.nodes.push_back(
                {"node", memory::parsePolicy(policy.toStdString()), {trees[index]}});
        }
        const std::vector<std::vector<LeafId>> leaves = {{0}, {0, 1, 2, 3}, {1}};
        for (int repetition = 0; repetition < 3; ++repetition) {
            bench.residency->begin(testing::planOf(request), {});
            for (memory::NodeIndex node = 0; node < 3; ++node) {
                const ComponentTree& tree = *trees[node == 1 ? 1 : 2];
                bench.residency->enter(node);
                bench.residency->beginForward(tree, {});
                for (const LeafId leaf : leaves[node]) {
                    QVERIFY(testing::isLikeHostWeight(*bench.residency, bench.model, tree, leaf));
                }
                bench.residency->leave(node);
            }
            bench.residency->end(Outcome::Finished);
            QCOMPARE(bench.total(), 0);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s18_aPartialForwardBringsWhatItUses_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("storage");
        for (const char* policy : {"leaf+stream,budget=1KiB", "leaf", "sequential"}) {
            for (const char* storage : {"f32", "bf16", "f8"}) {
                QTest::addRow("%s, %s", policy, storage) << policy << storage;
            }
        }
    }

    void s18_aPartialForwardBringsWhatItUses() {
        QFETCH(QString, policy);
        QFETCH(QString, storage);
        Bench bench(folder_.newPath(), "fake", {}, {.longestDelay = 0.001});
        const ComponentTree& plain = *bench.model.denoiser();
        const auto tree = testing::typed(plain, storage.toStdString(), "f32");
        NodeRun node(bench, tree, policy.toStdString());
        const auto forwardIsRight = [&](const std::vector<LeafId>& leaves,
                                        memory::ForwardHint hint) {
            node.beginForward(hint);
            return std::all_of(leaves.begin(), leaves.end(), [&](LeafId leaf) {
                const memory::Weight& weight = plain.weights[plain.leaves[leaf].weights.front()];
                return at::equal(
                    node.read(leaf),
                    testing::storedAs(
                        bench.model.expected(plain, weight), storage.toStdString(), "f32"));
            });
        };
        Bytes before = 0;
        for (int step = 0; step < 5; ++step) {
            before = bench.residency->traffic().bytesToDevice;
            QVERIFY(forwardIsRight({0, 1, 2, 3}, {.pattern = 0, .next = 1}));
            QVERIFY(forwardIsRight({0, 3}, {.pattern = 1, .next = 0}));
        }
        const Bytes first = tree->deviceBytes(0) + tree->deviceBytes(1);
        const Bytes last = tree->deviceBytes(4);
        const Bytes between = tree->deviceBytes(2) + tree->deviceBytes(3);
        const Bytes both = 2 * (first + last) + between;
        const Bytes moved = bench.residency->traffic().bytesToDevice - before;
        if (policy == "sequential") {
            QCOMPARE(moved, both);
        } else {
            QVERIFY2(moved <= both + first, qPrintable(QString::number(moved)));  // the next's
            QVERIFY(moved >= between);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void s20_addressesAreAligned_data() { testing::addStreamingPolicies(); }

    void s20_addressesAreAligned() {
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), "fake");
        NodeRun node(bench, bench.model.denoiser(), policy.toStdString());
        for (const LeafId leaf : {0u, 1u, 2u, 3u}) {
            const residency::Lease lease = bench.residency->use(*bench.model.denoiser(), leaf);
            for (size_t i = 0; i < lease.size(); ++i) {
                const auto address = reinterpret_cast<uintptr_t>(lease[i].const_data_ptr());
                QCOMPARE(address % static_cast<uintptr_t>(memory::kSlotAlignment), uintptr_t{0});
                QVERIFY(lease[i].is_contiguous());
            }
        }
    }

    /// A table of more than 2 GiB, most of it a hole in its file, and a leaf of no bytes.
    void s26_rowsOfAHugeTable_data() { testing::addDevices(); }

    void s26_rowsOfAHugeTable() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        constexpr int64_t kColumns = 1024;
        constexpr int64_t kRows = (2 * kGiB + kGiB / 2) / (kColumns * 4);
        const std::string path = folder_.newPath();
        const at::Tensor rows = at::arange(2 * kColumns, at::kFloat).view({2, kColumns});
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (const int64_t row : {int64_t{0}, kRows - 1}) {
            file.seek(row * kColumns * 4);
            file.write(static_cast<const char*>(rows[row > 0 ? 1 : 0].const_data_ptr()),
                       kColumns * 4);
        }
        file.close();
        auto tree = std::make_shared<ComponentTree>();
        tree->id = tree->role = "huge";
        tree->files = {testing::fileOf(path)};
        tree->storages = {{"table", 0, 0, DType::F32, kRows * kColumns},
                          {"empty", 0, file.size(), DType::F32, 0}};
        tree->weights = {{"table", 0, DType::F32, {kRows, kColumns}},
                         {"empty", 1, DType::F32, {0}}};
        tree->leaves = {{"table", {0}, true}, {"empty", {1}}};
        NodeRun node(bench, tree, "leaf+stream");
        const at::Tensor found =
            bench.residency->gatherRows(*tree, 0, at::tensor({kRows - 1, int64_t{0}, kRows / 2}));
        QVERIFY(at::equal(found.cpu(), at::stack({rows[1], rows[0], at::zeros(kColumns)})));
        QCOMPARE(bench.residency->use(*tree, 1)[0].numel(), 0);
        QVERIFY(bench.weights() < kMiB);
    }
};

LOWTIDE_TEST(StreamedWeightsTest)

}  // namespace streamed_weights_test

#include "streamed_weights_test.moc"
