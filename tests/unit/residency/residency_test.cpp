#include "plugin/base/error.hpp"
#include "plugin/files/output_file.hpp"
#include "plugin/residency/residency.hpp"
#include "tests/unit/residency/synthetic_model.hpp"
#include "tests/unit/residency/test_devices.hpp"

#include <ATen/ATen.h>

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <fstream>
#include <set>

using namespace lowtide;
using memory::ComponentTree;
using memory::DeviceSpec;
using memory::Outcome;
using memory::Tag;
using residency::Residency;
using testing::SyntheticModel;

namespace {

std::unique_ptr<Residency> makeResidency(residency::FakeSettings settings = {}) {
    return std::make_unique<Residency>(std::make_unique<testing::TestDevices>(settings));
}

/// One model, one device, one engine.
struct Bench {
    Bench(const std::string& path,
          const QString& deviceName,
          testing::FileLayout layout = {},
          residency::FakeSettings settings = {})
        : model(path, layout),
          device(memory::parseDeviceSpec(deviceName.toStdString())),
          residency(makeResidency(settings)) {
        residency->open(device);
    }

    std::shared_ptr<const memory::Plan> plan(const std::string& policy) const {
        return model.plan(policy, device, residency->traits(device));
    }

    memory::Ledger& ledger() { return residency->ledger(); }

    /// Without the host's scratch for conversions, which a run makes when it first needs it.
    Bytes total() {
        return ledger().bytesOn(device.id()) - ledger().bytesOn(device.id(), Tag::Staging);
    }

    Bytes weights() { return ledger().bytesOn(device.id(), Tag::Weights); }

    Bytes weightsOf(const ComponentTree& tree) {
        const auto devices = ledger().snapshot();
        const auto& owners = devices.at(device.id()).byOwner;
        const auto found = owners.find(tree.role);
        return found == owners.end() ? 0 : found->second[static_cast<size_t>(Tag::Weights)];
    }

    /// What the ledger must say while the component is there: slots aligned, weights in place as
    /// they are.
    Bytes expectedWeights(const ComponentTree& tree) const {
        const memory::DeviceTraits traits = residency->traits(device);
        Bytes bytes = memory::slotBytes(tree, traits);
        for (memory::StorageId id = 0; id < tree.storages.size(); ++id) {
            bytes += memory::isUsedInPlace(tree, id, traits) ? tree.deviceBytes(id) : 0;
        }
        return bytes;
    }

    SyntheticModel model;
    DeviceSpec device;
    std::unique_ptr<Residency> residency;
};

/// Leases every leaf of `tree` and compares every weight with its master.
void compareWithMasters(Bench& bench, const ComponentTree& tree) {
    for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].gathered) {
            continue;
        }
        const residency::Lease lease = bench.residency->use(tree, leaf);
        QCOMPARE(lease.size(), tree.leaves[leaf].weights.size());
        for (size_t i = 0; i < lease.size(); ++i) {
            const memory::Weight& weight = tree.weights[tree.leaves[leaf].weights[i]];
            QCOMPARE(lease[i].device(), bench.residency->deviceOf(tree).torchDevice());
            QVERIFY2(at::equal(lease[i].cpu(), bench.model.expected(tree, weight)),
                     weight.name.c_str());
        }
    }
}

/// A whole run in which every weight is compared.
void runAll(Bench& bench, const std::shared_ptr<const memory::Plan>& plan) {
    bench.residency->begin(plan, {});
    for (memory::NodeIndex node = 0; node < bench.model.trees().size(); ++node) {
        bench.residency->enter(node);
        compareWithMasters(bench, *bench.model.trees()[node]);
        bench.residency->leave(node);
    }
    bench.residency->end(Outcome::Finished);
}

void addDevicesAndPolicies() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("policy");
    for (const char* device : {"cpu", "fake"}) {
        for (const char* policy : {"none", "model"}) {
            QTest::addRow("%s, %s", device, policy) << QString(device) << QString(policy);
        }
    }
}

void addDevices() {
    QTest::addColumn<QString>("device");
    QTest::newRow("cpu") << QString("cpu");
    QTest::newRow("fake") << QString("fake");
}

bool isMapped(const std::string& fileName) {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        if (line.find(fileName) != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

class ResidencyTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    int files_ = 0;

    std::string newPath() {
        return folder_.filePath(QString("weights%1.safetensors").arg(++files_)).toStdString();
    }

private Q_SLOTS:

    void givesTheMasters_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("alignment");
        QTest::addColumn<int>("shift");
        for (const char* device : {"cpu", "fake"}) {
            for (const char* policy : {"none", "model", "auto"}) {
                QTest::addRow("%s, %s, 64", device, policy)
                    << QString(device) << QString(policy) << 64 << 0;
                QTest::addRow("%s, %s, 8", device, policy)
                    << QString(device) << QString(policy) << 8 << 0;
                QTest::addRow("%s, %s, odd", device, policy)
                    << QString(device) << QString(policy) << 8 << 1;
            }
        }
    }

    void givesTheMasters() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, alignment);
        QFETCH(int, shift);
        Bench bench(newPath(), device, {.alignment = alignment, .shift = shift});
        const auto plan = bench.plan(policy.toStdString());
        for (int repetition = 0; repetition < 3; ++repetition) {
            runAll(bench, plan);
            QCOMPARE(bench.total(), 0);
        }
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void keepsAnExactLedger_data() { addDevicesAndPolicies(); }

    void keepsAnExactLedger() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(newPath(), device);
        const auto plan = bench.plan(policy.toStdString());
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        const Bytes arena = plan->devices.at(0).arenaBytes;

        bench.residency->begin(plan, {});
        QCOMPARE(bench.total(), arena);
        QCOMPARE(bench.weights(), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device) - allocatedBefore, arena);
        for (memory::NodeIndex node = 0; node < 3; ++node) {
            bench.residency->enter(node);
            Bytes weights = 0;
            Bytes slots = 0;
            for (const uint32_t index : plan->stages[node].resident) {
                const ComponentTree& tree = *plan->components[index].tree;
                QCOMPARE(bench.weightsOf(tree), bench.expectedWeights(tree));
                weights += bench.expectedWeights(tree);
                slots += memory::slotBytes(tree, bench.residency->traits(bench.device));
            }
            QCOMPARE(bench.weights(), weights);
            QCOMPARE(bench.ledger().bytesOn(bench.device.id(), Tag::Workspace), arena - slots);
            bench.residency->leave(node);
        }
        QCOMPARE(bench.weights(), 0);
        QCOMPARE(bench.total(), arena);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);
    }

    void neverShowsTwoModelComponents_data() { addDevices(); }

    void neverShowsTwoModelComponents() {
        QFETCH(QString, device);
        Bench bench(newPath(), device);
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
        Bench bench(newPath(), "fake");
        memory::PlanRequest request;
        request.device = bench.device;
        request.traits = {{bench.device, bench.residency->traits(bench.device)}};
        const auto& trees = bench.model.trees();
        for (const size_t index : {0, 1, 0, 2, 1}) {
            request.nodes.push_back({"n", memory::parsePolicy("model"), {trees[index]}});
        }
        bench.residency->begin(
            std::make_shared<const memory::Plan>(std::get<memory::Plan>(memory::makePlan(request))),
            {});
        memory::NodeIndex node = 0;
        for (const size_t index : {0, 1, 0, 2, 1}) {
            bench.residency->enter(node);
            QCOMPARE(bench.weights(), bench.expectedWeights(*trees[index]));
            compareWithMasters(bench, *trees[index]);
            bench.residency->leave(node);
            ++node;
        }
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.residency->hazards().size(), 0u);
        QCOMPARE(bench.total(), 0);
    }

    void bringsATiedWeightOnce() {
        Bench bench(newPath(), "fake");
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
        QCOMPARE(bench.residency->traffic().copies, static_cast<int64_t>(seen.size()));
        const residency::Lease first = bench.residency->use(tree, 1);
        const residency::Lease last = bench.residency->use(tree, 3);
        QCOMPARE(first[0].data_ptr(), last[0].data_ptr());
        QCOMPARE(bench.residency->traffic().leases, 2);
    }

    void gathersRowsWithoutBringingTheTable_data() { addDevices(); }

    void gathersRowsWithoutBringingTheTable() {
        QFETCH(QString, device);
        Bench bench(newPath(), device);
        const ComponentTree& tree = *bench.model.textEncoder();
        const at::Tensor ids = at::tensor({3, 0, 49, 3, 7, 7}, at::kLong).view({2, 3});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        const Bytes before = bench.weights();
        const at::Tensor rows = bench.residency->gatherRows(tree, 0, ids);
        const at::Tensor table = bench.model.expected(tree, tree.weights[0]);
        QVERIFY(at::equal(rows.cpu(), table.index({ids})));
        QCOMPARE(rows.device(), bench.residency->deviceOf(tree).torchDevice());
        QCOMPARE(bench.weights(), before);
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(bench.residency->use(tree, 0)));
        QVERIFY_THROWS_EXCEPTION(
            Error,
            static_cast<void>(bench.residency->gatherRows(tree, 0, at::tensor({50}, at::kLong))));
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
    }

    void usesAlignedWeightsOfTheComputeTypeInPlace() {
        Bench bench(newPath(), "cpu", {.alignment = 4});
        const ComponentTree& tree = *bench.model.denoiser();
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(1);
        compareWithMasters(bench, tree);
        QCOMPARE(bench.residency->traffic().bytesToDevice, 0);
        QCOMPARE(bench.residency->traffic().bytesRead, tree.fileBytes());
        bench.residency->leave(1);
        bench.residency->end(Outcome::Finished);
    }

    void isCleanAfterAThrowInTheMiddle_data() { addDevicesAndPolicies(); }

    void isCleanAfterAThrowInTheMiddle() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(newPath(), device, {}, {.longestDelay = 0.002});
        const auto plan = bench.plan(policy.toStdString());
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        bench.residency->begin(plan, {});
        bench.residency->enter(0);
        bench.residency->leave(0);
        bench.residency->enter(1);
        try {
            const residency::Lease lease = bench.residency->use(*bench.model.denoiser(), 0);
            throw Error(ErrorKind::Internal, "in the middle");
        } catch (const Error&) {
        }
        bench.residency->leave(1);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.ledger().bytesOn("cpu"), 0);
        QCOMPARE(bench.residency->allocatedOn(bench.device), allocatedBefore);

        runAll(bench, plan);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void keepsAComponentUntilItIsReleased_data() { addDevicesAndPolicies(); }

    void keepsAComponentUntilItIsReleased() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        Bench bench(newPath(), device);
        const auto plan = bench.plan(policy.toStdString() + ",after=keep");
        const Bytes allocatedBefore = bench.residency->allocatedOn(bench.device);
        Bytes all = 0;
        for (const auto& tree : bench.model.trees()) {
            all += bench.expectedWeights(*tree);
        }

        runAll(bench, plan);
        QCOMPARE(bench.total(), all);
        QCOMPARE(bench.weights(), all);

        runAll(bench, plan);
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

    void lettingGoOfAKeptComponentIsAlsoAPolicy() {
        Bench bench(newPath(), "fake");
        runAll(bench, bench.plan("none,after=keep"));
        QVERIFY(bench.total() > 0);
        runAll(bench, bench.plan("none"));
        QCOMPARE(bench.total(), 0);
    }

    void keepsOnlyWhatIsComplete() {
        Bench bench(
            newPath(), "fake", {.scale = 50}, {.longestDelay = 0.02, .copyPiece = 64 * kKiB});
        StopSource stop;
        bench.residency->begin(bench.plan("none,after=keep"), stop.token());
        bench.residency->enter(0);
        compareWithMasters(bench, *bench.model.textEncoder());
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
        const std::string path = newPath();
        const std::string name = path.substr(path.rfind('/') + 1);
        Bench bench(path, "cpu");
        runAll(bench, bench.plan("none"));
        QVERIFY(isMapped(name));
        runAll(bench, bench.plan("none,after=drop"));
        QVERIFY(!isMapped(name));
        runAll(bench, bench.plan("none"));
    }

    void refusesAChangedFile() {
        Bench bench(newPath(), "fake");
        const auto plan = bench.plan("none");
        runAll(bench, plan);
        files::writeFileAtomically(bench.model.path(), std::string(100000, 'x'));
        try {
            bench.residency->begin(plan, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Corrupt);
            QVERIFY(
                QString::fromStdString(error.message()).contains("changed since it was opened"));
        }
        QCOMPARE(bench.total(), 0);
    }

    void saysThatAFileEndsEarly() {
        Bench bench(newPath(), "fake");
        bench.residency->begin(bench.plan("none"), {});
        { std::ofstream truncated(bench.model.path(), std::ios::trunc); }
        bench.residency->enter(0);
        try {
            static_cast<void>(bench.residency->use(*bench.model.textEncoder(), 1));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Corrupt);
        }
        bench.residency->leave(0);
        QCOMPARE(bench.weights(), 0);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }

    void refusesAnArenaThatDoesNotFitAndStaysClean() {
        Bench bench(newPath(), "fake", {}, {.capacity = 64 * kKiB});
        // The plan of a larger card.
        const auto plan = bench.model.plan("none", bench.device, {.capacity = kGiB});
        try {
            bench.residency->begin(plan, {});
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::OutOfMemory);
            QCOMPARE(error.bytesAsked(), plan->devices[0].arenaBytes);
        }
        QCOMPARE(bench.total(), 0);
        bench.residency->open(memory::parseDeviceSpec("fake:1GiB"));
        runAll(bench, plan);
    }

    void returnsQuicklyWhenCancelledUnderSlowCopies_data() { addDevicesAndPolicies(); }

    void returnsQuicklyWhenCancelledUnderSlowCopies() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        // More than 20 pieces of up to half a second each.
        Bench bench(
            newPath(), device, {.scale = 20}, {.longestDelay = 0.5, .copyPiece = 64 * kKiB});
        StopSource stop;
        bench.residency->begin(bench.plan(policy.toStdString()), stop.token());
        bench.residency->enter(0);
        stop.cancel(CancelMode::Now);
        const auto begin = std::chrono::steady_clock::now();
        if (device == "fake") {
            QVERIFY_THROWS_EXCEPTION(
                Error, static_cast<void>(bench.residency->use(*bench.model.textEncoder(), 3)));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Cancelled);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        QVERIFY2(taken.count() < 2.0, qPrintable(QString::number(taken.count())));
        QCOMPARE(bench.total(), 0);
    }

    /// Leaving a node must not wait for copies that nobody wants any more.
    void givesUpCopiesWhenARunFails() {
        Bench bench(
            newPath(), "fake", {.scale = 50}, {.longestDelay = 0.02, .copyPiece = 4 * kKiB});
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        const auto begin = std::chrono::steady_clock::now();
        bench.residency->end(Outcome::Failed);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        // 400 pieces of 10 ms on average, were they all copied.
        QVERIFY2(taken.count() < 2.0, qPrintable(QString::number(taken.count())));
    }

    void bringsAComponentThatTheNodeDidNotPlan() {
        Bench bench(newPath(), "fake");
        bench.residency->begin(bench.plan("model"), {});
        bench.residency->enter(0);
        compareWithMasters(bench, *bench.model.textEncoder());
        QCOMPARE(bench.residency->traffic().misses, 0);
        compareWithMasters(bench, *bench.model.autoencoder());
        QCOMPARE(bench.residency->traffic().misses, 1);
        QCOMPARE(bench.weights(), bench.expectedWeights(*bench.model.autoencoder()));
        compareWithMasters(bench, *bench.model.textEncoder());
        bench.residency->leave(0);
        bench.residency->end(Outcome::Finished);
        QCOMPARE(bench.total(), 0);
        QCOMPARE(bench.residency->hazards().size(), 0u);
    }

    void refusesAComponentThatThePlanDoesNotHold() {
        Bench bench(newPath(), "fake");
        const SyntheticModel other(newPath());
        auto stranger = std::make_shared<ComponentTree>(*other.denoiser());
        stranger->id = "stranger";
        bench.residency->begin(bench.plan("none"), {});
        bench.residency->enter(0);
        try {
            static_cast<void>(bench.residency->use(*stranger, 0));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Internal);
            QVERIFY(QString::fromStdString(error.message()).contains("denoiser"));
            QVERIFY(QString::fromStdString(error.message()).contains("encode"));
        }
        bench.residency->leave(0);
        bench.residency->end(Outcome::Failed);
    }

    void letsComponentsOfOneNodeTakeTurns() {
        Bench bench(newPath(), "fake");
        memory::PlanRequest request;
        request.device = bench.device;
        request.traits = {{bench.device, bench.residency->traits(bench.device)}};
        request.nodes.push_back({"both",
                                 memory::parsePolicy("model"),
                                 {bench.model.denoiser(), bench.model.autoencoder()}});
        bench.residency->begin(
            std::make_shared<const memory::Plan>(std::get<memory::Plan>(memory::makePlan(request))),
            {});
        bench.residency->enter(0);
        QCOMPARE(bench.weights(), 0);
        for (int step = 0; step < 2; ++step) {
            compareWithMasters(bench, *bench.model.denoiser());
            compareWithMasters(bench, *bench.model.autoencoder());
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
        Bench bench(newPath(), "fake");
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

    void measuresActivationsOfANode_data() { addDevices(); }

    void measuresActivationsOfANode() {
        QFETCH(QString, device);
        Bench bench(newPath(), device);
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

    void refusesToReleaseDuringARun() {
        Bench bench(newPath(), "fake");
        bench.residency->begin(bench.plan("none"), {});
        QVERIFY_THROWS_EXCEPTION(Error, static_cast<void>(bench.residency->release("all")));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 bench.residency->open(memory::parseDeviceSpec("fake:1GiB")));
        bench.residency->end(Outcome::Failed);
        bench.residency->end(Outcome::Failed);
        QCOMPARE(bench.total(), 0);
    }
};

QTEST_GUILESS_MAIN(ResidencyTest)
#include "residency_test.moc"
