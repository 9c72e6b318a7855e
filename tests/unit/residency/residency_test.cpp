#include "plugin/base/error.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/memory/planner.hpp"
#include "plugin/residency/residency.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/stored_as.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <set>

namespace residency_test {

using namespace lowtide;
using memory::ComponentTree;
using memory::Outcome;
using memory::Tag;
using testing::addDevices;
using testing::addDevicesAndPolicies;
using testing::Bench;
using testing::compareWithHostWeights;
using testing::runAll;

class ResidencyTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void givesTheHostWeights_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("alignment");
        QTest::addColumn<int>("shift");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"none",
                                       "model",
                                       "model+stream",
                                       "sequential",
                                       "block",
                                       "block:2+stream",
                                       "leaf",
                                       "leaf+stream",
                                       "leaf+stream,budget=150KiB",
                                       "auto"}) {
                QTest::addRow("%s, %s, 64", device, policy)
                    << QString(device) << QString(policy) << 64 << 0;
                QTest::addRow("%s, %s, 8", device, policy)
                    << QString(device) << QString(policy) << 8 << 0;
                QTest::addRow("%s, %s, odd", device, policy)
                    << QString(device) << QString(policy) << 8 << 1;
            }
        }
    }

    void aLeafThatNoPlanSawComesOnDemand_data() { addDevicesAndPolicies(); }

    /// The plan has space for the first leaf alone; every other one is right too, and leaves.
    void aLeafThatNoPlanSawComesOnDemand() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device, {}, {.longestDelay = 0.0005});
        const auto tree = testing::typed(*bench.model.denoiser(), "f16", "f32");
        memory::PlanRequest request = bench.request(policy.toStdString());
        request.nodes = {{"node", memory::parsePolicy(policy.toStdString()), {tree}}};
        request.nodes[0].work.components = {{.tree = tree, .forward = {{0, 1}}}};
        const auto plan = testing::planOf(request);
        for (int run = 0; run < 2; ++run) {
            bench.residency->begin(plan, {});
            bench.residency->enter(0);
            bench.residency->beginForward(*tree, {});
            for (const memory::LeafId leaf : {0u, 3u, 1u, 3u, 0u, 2u}) {
                const memory::Weight& weight = tree->weights[tree->leaves[leaf].weights[0]];
                const memory::Weight& hostWeight =
                    bench.model.denoiser()
                        ->weights[bench.model.denoiser()->leaves[leaf].weights[0]];
                const at::Tensor wanted = bench.model.expected(*bench.model.denoiser(), hostWeight)
                                              .to(at::kHalf)
                                              .to(residency::scalarTypeOf(weight.computeType));
                QVERIFY(at::equal(bench.residency->use(*tree, leaf)[0].cpu(), wanted));
            }
            bench.residency->leave(0);
            bench.residency->end(Outcome::Finished);
            QCOMPARE(bench.total(), 0);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void givesTheHostWeights() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, alignment);
        QFETCH(int, shift);
        Bench bench(folder_.newPath(), device, {.alignment = alignment, .shift = shift});
        const auto plan = bench.plan(policy.toStdString());
        for (int repetition = 0; repetition < 3; ++repetition) {
            runAll(bench, plan);
            QCOMPARE(bench.total(), 0);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void keepsAnExactLedger_data() { addDevicesAndPolicies(); }

    /// Weights and the rest of their arenas are together what the plan states, at every node.
    void keepsAnExactLedger() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(folder_.newPath(), device);
        const auto plan = bench.plan(policy.toStdString());
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        bench.ledger().beginRun();
        bench.residency->begin(plan, {});
        QCOMPARE(bench.total(), 0);
        for (memory::NodeIndex node = 0; node < 3; ++node) {
            const Bytes planned = plan->stages[node].bytes[0].weights;
            bench.residency->enter(node);
            Bytes arenas = 0;
            for (const memory::PlannedSlot& slot : plan->slots) {
                arenas += slot.isHeldAt(node) ? slot.arenaBytes : 0;
            }
            QCOMPARE(bench.residency->allocatedOn(bench.device) - allocatedBefore, arenas);
            compareWithHostWeights(bench, *bench.model.trees()[node]);
            QVERIFY(bench.total() >= arenas && bench.total() <= planned);
            bench.residency->leave(node);
        }
        const auto peaks = bench.ledger().snapshot().at(bench.device.id()).peakByTag;
        QVERIFY(peaks[static_cast<size_t>(Tag::Weights)] <= plan->devices[0].peakWeights);
        QCOMPARE(bench.weights(), 0);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);
    }

    void holdsTheMinimumOfMixedFiles_data() { addDevicesAndPolicies(); }

    /// On the cpu the denoiser is read where it is mapped, the components before and behind it are
    /// converted: what is mapped for one node must not bound the arenas of the next.
    void holdsTheMinimumOfMixedFiles() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        // The arena behind the denoiser is larger than the scratch, which is planned in addition.
        Bench bench(folder_.newPath(), device, {.scale = 128});
        memory::PlanRequest request = bench.request(policy.toStdString());
        // The test's own masters are tensors of the cpu.
        request.devices[0].held += bench.residency->allocatedOn(bench.device);
        request.devices[0].traits.capacity = testing::planOf(request)->devices[0].minimum;
        bench.residency->begin(testing::planOf(request), {});
        for (memory::NodeIndex node = 0; node < 3; ++node) {
            const ComponentTree& tree = *bench.model.trees()[node];
            try {
                bench.residency->enter(node);
                for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
                    if (!tree.leaves[leaf].gathered) {
                        static_cast<void>(bench.residency->use(tree, leaf));
                    }
                }
            } catch (const Error& error) {
                QFAIL(error.what());
            }
            bench.residency->leave(node);
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
    }

    void refusesActivationsBeyondTheBudget_data() { addDevices(); }

    void refusesActivationsBeyondTheBudget() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        memory::PlanRequest request = bench.request("leaf");
        request.devices[0].traits.capacity = 64 * kMiB;
        bench.residency->begin(testing::planOf(request), {});
        bench.residency->enter(0);
        const auto options = at::TensorOptions(at::kByte).device(
            bench.residency->torchDeviceOf(*bench.model.textEncoder()));
        QVERIFY_THROWS_EXCEPTION(c10::Error, static_cast<void>(at::empty({65 * kMiB}, options)));
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        static_cast<void>(at::empty({65 * kMiB}, options));  // the budget was the run's
    }

    void neverShowsTwoModelComponents_data() { addDevices(); }

    void neverShowsTwoModelComponents() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        bench.ledger().beginRun();
        Bytes largest = 0;
        for (const auto& tree : bench.model.trees()) {
            largest = std::max(largest, bench.expectedWeights(*tree));
        }
        runAll(bench, bench.plan("model"));
        const auto devices = bench.ledger().snapshot();
        QCOMPARE(devices.at(bench.device.id()).peakByTag[static_cast<size_t>(Tag::Weights)],
                 largest);
    }

    /// A component of a later node is still needed by a later one: under "model" it must go and
    /// come again.
    void bringsAModelComponentAgain() {
        Bench bench(folder_.newPath(), "fake");
        memory::PlanRequest request = bench.request("model");
        request.nodes.clear();
        const auto& trees = bench.model.trees();
        for (const size_t index : {0, 1, 0, 2, 1}) {
            request.nodes.push_back({"n", memory::parsePolicy("model"), {trees[index]}});
        }
        bench.residency->begin(testing::planOf(request), {});
        memory::NodeIndex node = 0;
        for (const size_t index : {0, 1, 0, 2, 1}) {
            bench.residency->enter(node);
            QCOMPARE(bench.weights(), bench.expectedWeights(*trees[index]));
            compareWithHostWeights(bench, *trees[index]);
            bench.residency->leave(node);
            ++node;
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.residency->hazards().size(), 0u);
        QCOMPARE(bench.total(), 0);
    }

    void bringsATiedWeightOnce() {
        Bench bench(folder_.newPath(), "fake");
        const ComponentTree& tree = *bench.model.textEncoder();
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        Bytes unique = 0;
        std::set<memory::StorageId> seen;
        for (const memory::Leaf& leaf : tree.leaves) {
            for (const memory::WeightId weight : leaf.weights) {
                const memory::StorageId storage = tree.weights[weight].storage;
                unique +=
                    !leaf.gathered && seen.insert(storage).second ? tree.deviceBytes(storage) : 0;
            }
        }
        QCOMPARE(bench.residency->traffic().bytesToDevice, unique);
        const auto& groups = bench.plan("none")->residencies.at(0).layout->groups;
        QCOMPARE(bench.residency->traffic().copies, static_cast<int64_t>(groups.size()));
        const residency::Lease first = bench.residency->use(tree, 1);
        const residency::Lease last = bench.residency->use(tree, 3);
        QCOMPARE(first[0].data_ptr(), last[0].data_ptr());
        QCOMPARE(bench.residency->traffic().leases, 2);
    }

    void gathersRowsWithoutBringingTheTable_data() { addDevices(); }

    void gathersRowsWithoutBringingTheTable() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        const ComponentTree& tree = *bench.model.textEncoder();
        const at::Tensor ids = at::tensor({3, 0, 49, 3, 7, 7}, at::kLong).view({2, 3});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        const Bytes before = bench.weights();
        const at::Tensor rows = bench.residency->gatherRows(tree, 0, ids);
        const at::Tensor table = bench.model.expected(tree, tree.weights[0]);
        QVERIFY(at::equal(rows.cpu(), table.index({ids})));
        QCOMPARE(rows.device(), bench.residency->torchDeviceOf(tree));
        QCOMPARE(bench.weights(), before);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(bench.residency->use(tree, 0)));
        QVERIFY_THROWS_EXCEPTION(
            Error,
            static_cast<void>(bench.residency->gatherRows(tree, 0, at::tensor({50}, at::kLong))));
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
    }

    void usesAlignedWeightsOfTheComputeTypeInPlace() {
        Bench bench(folder_.newPath(), "cpu", {.alignment = 4});
        const ComponentTree& tree = *bench.model.denoiser();
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(1);
        compareWithHostWeights(bench, tree);
        QCOMPARE(bench.residency->traffic().bytesToDevice, 0);
        QCOMPARE(bench.residency->traffic().bytesRead, tree.fileBytes());
        bench.residency->leave(1);
        bench.residency->end(Outcome::Finished);
    }

    void bringsAComponentThatTheNodeDidNotPlan() {
        Bench bench(folder_.newPath(), "fake");
        bench.residency->begin(bench.plan("model"), {});
        bench.residency->enter(0);
        compareWithHostWeights(bench, *bench.model.textEncoder());
        QCOMPARE(bench.residency->traffic().misses, 0);
        compareWithHostWeights(bench, *bench.model.autoencoder());
        QCOMPARE(bench.residency->traffic().misses, 1);
        QVERIFY(bench.weightsOf(*bench.model.autoencoder()) > 0);
        compareWithHostWeights(bench, *bench.model.textEncoder());
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void letsComponentsOfOneNodeAlternate() {
        Bench bench(folder_.newPath(), "fake");
        memory::PlanRequest request = bench.request("model");
        request.nodes.clear();
        request.nodes.push_back({"both",
                                 memory::parsePolicy("model"),
                                 {bench.model.denoiser(), bench.model.autoencoder()}});
        bench.residency->begin(testing::planOf(request), {});
        bench.residency->enter(0);
        QCOMPARE(bench.weights(), 0);
        for (int step = 0; step < 2; ++step) {
            compareWithHostWeights(bench, *bench.model.denoiser());
            compareWithHostWeights(bench, *bench.model.autoencoder());
        }
        {
            const residency::Lease held = bench.residency->use(*bench.model.denoiser(), 0);
            QVERIFY_THROWS_EXCEPTION(
                Error, static_cast<void>(bench.residency->use(*bench.model.autoencoder(), 0)));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void holdsLeasesOfSeveralLeavesInAnyOrder() {
        Bench bench(folder_.newPath(), "fake");
        const ComponentTree& tree = *bench.model.denoiser();
        bench.residency->begin(bench.plan("model"), {});
        bench.residency->enter(1);
        std::vector<residency::Lease> leases;
        for (const memory::LeafId leaf : {3, 1, 1, 0}) {
            leases.push_back(bench.residency->use(tree, leaf));
            const memory::Weight& weight = tree.weights[tree.leaves[leaf].weights[0]];
            QVERIFY(at::equal(leases.back()[0].cpu(), bench.model.expected(tree, weight)));
        }
        leases[0] = std::move(leases[3]);
        leases.clear();
        bench.residency->leave(1);
        bench.residency->end(Outcome::Finished);
    }

    /// A copy queue where weights are copied (the GPU, and on the CPU those of another type); none
    /// for the denoiser on the CPU, which is read where its file is mapped.
    void measuresTheCopyTimesOfEachStage_data() { addDevices(); }

    void measuresTheCopyTimesOfEachStage() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        const std::string id = device.toStdString();
        for (const char* policy : {"none", "leaf+stream"}) {
            const auto plan = bench.plan(policy);

            runAll(bench, plan);

            const std::vector<memory::StageTraffic> stages = bench.residency->traffic().stages;
            QCOMPARE(stages.size(), plan->stages.size());
            Bytes moved = 0;
            for (size_t i = 0; i < stages.size(); ++i) {
                QCOMPARE(stages[i].node, plan->stages[i].node);
                const bool isInPlace = id == "cpu" && stages[i].node == "denoise";
                QCOMPARE(stages[i].copyQueues.count(id), isInPlace ? size_t{0} : size_t{1});
                QCOMPARE(stages[i].efficiency().has_value(), !isInPlace);
                if (!isInPlace) {
                    QVERIFY(stages[i].copyQueues.at(id).copy > 0);
                    QVERIFY(stages[i].copyQueues.at(id).wait > 0);
                    QVERIFY(stages[i].compute() + stages[i].copyQueues.at(id).wait <=
                            stages[i].seconds * 1.001);
                }
                moved += stages[i].bytesToDevice;
            }
            QCOMPARE(moved, bench.residency->traffic().bytesToDevice);
        }
    }

    void measuresActivationsOfANode_data() { addDevices(); }

    void measuresActivationsOfANode() {
        QFETCH(QString, device);
        Bench bench(folder_.newPath(), device);
        const auto options =
            at::TensorOptions(at::kFloat)
                .device(device == "cpu" ? c10::Device(c10::kCPU) : c10::Device("fake:0"));
        const auto plan = bench.plan("none");
        bench.residency->begin(plan, {});
        bench.ledger().beginRun();
        at::Tensor wire;
        bench.residency->enter(0);
        {
            const at::Tensor big = at::empty({kMiB}, options);
            const residency::Lease lease = bench.residency->use(*bench.model.textEncoder(), 1);
            QCOMPARE(bench.ledger().bytesOn(bench.device.id(), Tag::Activations), 4 * kMiB);
            wire = at::empty({1024}, options);
        }
        bench.residency->leave(0);
        QCOMPARE(bench.ledger().bytesOn(bench.device.id(), Tag::Activations), 0);
        const auto peaks = bench.ledger().snapshot().at(bench.device.id()).peakByTag;
        QCOMPARE(peaks[static_cast<size_t>(Tag::Activations)], 4 * kMiB + 4096);

        bench.residency->enter(1);
        const residency::Lease lease = bench.residency->use(*bench.model.denoiser(), 0);
        QCOMPARE(bench.ledger().bytesOn(bench.device.id(), Tag::Activations), 0);
        static_cast<void>(residency::Lease(bench.residency->use(*bench.model.denoiser(), 1)));
    }

    /// Whether they are resident or stream: the first forward waits for nothing that it uses later.
    void groupsComeInTheOrderOfTheirUse() {
        Bench bench(folder_.newPath(), "fake");
        const auto& tree = bench.model.denoiser();
        memory::ComponentWork work{.tree = tree, .forwards = 4};
        for (memory::LeafId leaf = 0; leaf < tree->leaves.size(); ++leaf) {
            work.forward.push_back({leaf, 1e6});
        }
        memory::PlanRequest request = bench.request("leaf+stream");
        request.nodes[1].work.components = {work};
        memory::Plan plan = *testing::planOf(request);
        memory::PlannedResidency& residency = plan.residencies[1];
        memory::Layout layout = *residency.layout;
        std::vector<bool> isResident(layout.groups.size(), false);
        for (size_t i = layout.order.size() / 2; i < layout.order.size(); ++i) {
            isResident[layout.order[i]] = true;
        }
        memory::layOutGroups(layout, isResident, kGiB, 1);
        residency.layout = std::make_shared<const memory::Layout>(layout);
        plan.slots[residency.slot].bytes = layout.bytes();
        plan.slots[residency.slot].arenaBytes = layout.arenaBytes();
        bench.ledger().beginRun();
        bench.residency->begin(std::make_shared<const memory::Plan>(std::move(plan)), {});
        bench.residency->enter(0);
        bench.residency->leave(0);
        bench.residency->enter(1);
        bench.residency->beginForward(*tree, {});
        for (const memory::LeafUse& use : work.forward) {
            static_cast<void>(residency::Lease(bench.residency->use(*tree, use.leaf)));
        }
        std::vector<std::string> came;
        for (const memory::LedgerEvent& event : bench.ledger().timeline().moments()) {
            const bool isNew = std::find(came.begin(), came.end(), event.subject) == came.end();
            if (event.what == "copy" && event.subject.starts_with("denoiser.") && isNew) {
                came.push_back(event.subject);
            }
        }
        std::vector<std::string> expected;
        for (const memory::GroupId group : layout.order) {
            expected.push_back("denoiser." + layout.groups[group].name);
        }
        QCOMPARE(came, expected);
        bench.residency->leave(1);
        bench.residency->end(Outcome::Finished);
    }

    /// What a library keeps between operators counts in each node that uses it, and leaves with the
    /// run.
    void countsWorkspacesInEachNode() {
        const auto workspace = std::make_shared<at::Tensor>();
        Bench bench(folder_.newPath(), "fake");
        bench.residency =
            std::make_unique<residency::Residency>(std::make_unique<testing::TestDevices>(
                residency::FakeSettings{}, testing::Forgotten{.workspace = workspace}));
        bench.residency->open(bench.device);
        const Bytes before = bench.residency->allocatedOn(bench.device);
        const auto plan = bench.plan("none");
        bench.residency->begin(plan, {});
        for (memory::NodeIndex node = 0; node < 2; ++node) {
            bench.ledger().beginRun();
            bench.residency->enter(node);
            QVERIFY(!workspace->defined());
            *workspace = at::empty({kMiB}, at::TensorOptions(at::kFloat).device("fake:0"));
            bench.residency->leave(node);
            const auto peaks = bench.ledger().snapshot().at(bench.device.id()).peakByTag;
            QCOMPARE(peaks[static_cast<size_t>(Tag::Activations)], 4 * kMiB);
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.residency->allocatedOn(bench.device), before);
    }
};

LOWTIDE_TEST(ResidencyTest)

}  // namespace residency_test

#include "residency_test.moc"
