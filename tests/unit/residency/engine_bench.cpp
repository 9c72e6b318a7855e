#include "tests/unit/residency/engine_bench.hpp"

#include <ATen/ATen.h>

#include <QTest>

namespace lowtide::testing {

using memory::ComponentTree;
using memory::Tag;

Bench::Bench(const std::string& path,
             const QString& deviceName,
             FileLayout layout,
             residency::FakeSettings settings)
    : model(path, layout),
      device(memory::parseDeviceSpec(deviceName.toStdString())),
      residency(std::make_unique<residency::Residency>(std::make_unique<TestDevices>(settings))) {
    residency->open(device);
}

memory::PlanRequest Bench::request(const std::string& policy) const {
    memory::PlanRequest request = model.request(policy, device, residency->traits(device));
    request.kept = residency->keptComponents();
    request.patched = residency->patchedComponents();
    request.devices[0].held = residency->ledger().bytesOn(device.id());
    return request;
}

std::shared_ptr<const memory::Plan> Bench::plan(const std::string& policy) const {
    return planOf(request(policy));
}

Bytes Bench::total() {
    return ledger().bytesOn(device.id()) - ledger().bytesOn(device.id(), Tag::Staging);
}

Bytes Bench::weights() {
    return ledger().bytesOn(device.id(), Tag::Weights);
}

Bytes Bench::weightsOf(const ComponentTree& tree) {
    const auto devices = ledger().snapshot();
    const auto& owners = devices.at(device.id()).byOwner;
    const auto found = owners.find(tree.role);
    return found == owners.end() ? 0 : found->second[static_cast<size_t>(Tag::Weights)];
}

Bytes Bench::expectedWeights(const ComponentTree& tree) {
    memory::Layout layout = memory::groupByLeaf(tree);
    memory::makeAllResident(layout);
    return layout.bytes();
}

void compareWithMasters(Bench& bench, const ComponentTree& tree) {
    for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].gathered) {
            continue;
        }
        const residency::Lease lease = bench.residency->use(tree, leaf);
        QCOMPARE(lease.size(), tree.leaves[leaf].weights.size());
        for (size_t i = 0; i < lease.size(); ++i) {
            const memory::Weight& weight = tree.weights[tree.leaves[leaf].weights[i]];
            QCOMPARE(lease[i].device(), bench.residency->torchDeviceOf(tree));
            QVERIFY2(at::equal(lease[i].cpu(), bench.model.expected(tree, weight)),
                     weight.name.c_str());
        }
    }
}

void runAll(Bench& bench, const std::shared_ptr<const memory::Plan>& plan) {
    bench.residency->begin(plan, {});
    for (memory::NodeIndex node = 0; node < bench.model.trees().size(); ++node) {
        bench.residency->enter(node);
        compareWithMasters(bench, *bench.model.trees()[node]);
        bench.residency->leave(node);
    }
    bench.residency->end(memory::Outcome::Finished);
}

void addDevicesAndPolicies() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("policy");
    for (const char* device : {"cpu", "fake"}) {
        for (const char* policy : {"none",
                                   "model",
                                   "model+stream",
                                   "sequential",
                                   "block",
                                   "block+stream",
                                   "leaf",
                                   "leaf+stream",
                                   "auto"}) {
            QTest::addRow("%s, %s", device, policy) << QString(device) << QString(policy);
        }
    }
}

void addDevices() {
    QTest::addColumn<QString>("device");
    QTest::newRow("cpu") << QString("cpu");
    QTest::newRow("fake") << QString("fake");
}

}  // namespace lowtide::testing
