// What the system reports as in RAM, not what the ledger states: a budget on the CPU bounds both.
#include "plugin/memory/component_tree.hpp"
#include "plugin/residency/device/cpu/host_memory.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QFile>
#include <QTest>

#include <memory>
#include <vector>

namespace resident_set_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::LeafId;
using memory::Outcome;

namespace {

constexpr LeafId kLeaves = 48;
constexpr int64_t kElements = 1 << 20;  ///< of each leaf: 4 MiB as f32
/// What a run may need in addition to its plan: pages that several leaves touch, stacks, tables.
constexpr Bytes kExtraBytes = 16 * kMiB;
constexpr Bytes kGarbage = 128 * kMiB;
constexpr Bytes kBlock = 64 * kKiB;  ///< too small for a map of its own

/// A network of equal leaves in a file of zeros.
std::shared_ptr<const ComponentTree> treeIn(const std::string& path, DType fileType) {
    QFile file(QString::fromStdString(path));
    const Bytes leafBytes = kElements * sizeOf(fileType);
    if (!file.open(QIODevice::WriteOnly) || !file.resize(kLeaves * leafBytes)) {
        throw std::runtime_error("no file for weights");
    }
    file.close();
    auto tree = std::make_shared<ComponentTree>();
    tree->id = path;
    tree->role = "denoiser";
    tree->network = "Equal leaves";
    tree->files = {testing::fileOf(path)};
    for (LeafId leaf = 0; leaf < kLeaves; ++leaf) {
        const std::string name = "leaf" + std::to_string(leaf);
        tree->storages.push_back({name, 0, leaf * leafBytes, fileType, kElements});
        tree->weights.push_back({.name = name, .storage = leaf, .shape = {kElements}});
        tree->leaves.push_back({name, {leaf}});
    }
    return tree;
}

}  // namespace

class ResidentSetTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;
    std::unique_ptr<std::byte[]> last_;  ///< keeps the heap from shrinking by itself

private Q_SLOTS:

    void initTestCase() {
        // Threads and tables that every first sum makes.
        QVERIFY(at::ones({kElements}).sum().item<float>() > 0);
    }

    void keepsWithinThePlan_data() {
        QTest::addColumn<int>("fileType");
        QTest::addColumn<QString>("policy");
        std::vector types = {DType::F32, DType::F16};
        if (testing::isFullTest()) {
            types.push_back(DType::BF16);  // which differs from F16 by the conversion alone
        }
        for (const DType type : types) {
            for (const char* policy :
                 {"sequential", "leaf", "leaf+stream", "leaf+stream,budget=32MiB", "auto"}) {
                QTest::addRow("%s, %s", nameOf(type).data(), policy)
                    << static_cast<int>(type) << QString(policy);
            }
        }
    }

    /// F32 is read where its file is mapped, the others go through slots.
    void keepsWithinThePlan() {
        QFETCH(int, fileType);
        QFETCH(QString, policy);
        const auto tree = treeIn(folder_.newPath(), static_cast<DType>(fileType));
        testing::Bench bench(folder_.newPath(), "cpu");
        memory::PlanRequest request = bench.request(policy.toStdString());
        request.nodes = {{"node", memory::parsePolicy(policy.toStdString()), {tree}}};
        request.devices[0].traits.capacity = 40 * kMiB;
        const auto plan = testing::planOf(request);
        const Bytes planned = plan->devices[0].peak;
        QVERIFY(planned + kExtraBytes < tree->deviceBytes() / 3);

        const Bytes before = residency::processMemory().resident;
        const Bytes most = mostResidentInRun(bench, *tree, plan);

        QVERIFY2(
            most - before <= planned + kExtraBytes,
            qPrintable(QString("%1 bytes more, %2 were planned").arg(most - before).arg(planned)));
    }

    /// What mapped weights take of the budget, the heap's free pages may not take again.
    void pagesThatNobodyUsesAreNoPartOfTheBudget() {
        const auto tree = treeIn(folder_.newPath(), DType::F32);
        testing::Bench bench(folder_.newPath(), "cpu");
        memory::PlanRequest request = bench.request("none");
        request.nodes = {{"node", memory::parsePolicy("none"), {tree}}};
        request.devices[0].traits.capacity = tree->deviceBytes() + kMiB;
        const auto plan = testing::planOf(request);
        QVERIFY(plan->residencies[0].layout->isInPlace);
        static_cast<void>(bench.residency->collect(bench.device));
        const Bytes before = residency::processMemory().residentPrivate;

        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        leaveGarbage();
        QVERIFY(residency::processMemory().residentPrivate - before > kGarbage / 10 * 9);
        for (LeafId leaf = 0; leaf < kLeaves; ++leaf) {
            static_cast<void>(bench.residency->use(*tree, leaf)[0].sum());
        }
        QVERIFY(residency::processMemory().residentPrivate - before < kGarbage / 10 * 9);
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
    }

private:
    /// Pages of the heap that were used and are free, below one that is used.
    void leaveGarbage() {
        std::vector<std::unique_ptr<std::byte[]>> blocks;
        for (Bytes made = 0; made < kGarbage; made += kBlock) {
            blocks.push_back(std::make_unique<std::byte[]>(static_cast<size_t>(kBlock)));
        }
        last_ = std::move(blocks.back());
    }

    /// Two forwards that read every byte.
    static Bytes mostResidentInRun(testing::Bench& bench,
                                   const ComponentTree& tree,
                                   const std::shared_ptr<const memory::Plan>& plan) {
        Bytes most = 0;
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        for (int forward = 0; forward < 2; ++forward) {
            bench.residency->beginForward(tree, {});
            for (LeafId leaf = 0; leaf < kLeaves; ++leaf) {
                const residency::Lease lease = bench.residency->use(tree, leaf);
                static_cast<void>(lease[0].sum());
                most = std::max(most, residency::processMemory().resident);
            }
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        return most;
    }
};

LOWTIDE_TEST(ResidentSetTest)

}  // namespace resident_set_test

#include "resident_set_test.moc"
