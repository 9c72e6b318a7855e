#include "tests/unit/residency/engine_bench.hpp"

#include "plugin/memory/component_tree.hpp"
#include "tests/unit/residency/adapted.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <fstream>

namespace lowtide::testing {

using memory::ComponentTree;
using memory::Tag;

Bench::Bench(const std::string& path,
             const QString& deviceName,
             FileLayout layout,
             residency::FakeSettings settings)
    : model(path, layout),
      device(memory::parseDeviceSpec(deviceName.toStdString())),
      residency(std::make_unique<residency::Residency>(std::make_unique<TestDevices>(settings),
                                                       std::make_shared<LowRankMath>())) {
    residency->open(device);
}

memory::PlanRequest Bench::request(const std::string& policy) const {
    memory::PlanRequest request = model.request(policy, device, residency->traits(device));
    request.kept = residency->keptComponents();
    request.pinned = residency->pinnedComponents();
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

NodeRun::NodeRun(Bench& bench, std::shared_ptr<const ComponentTree> tree, const std::string& policy)
    : bench_(bench), tree_(std::move(tree)) {
    memory::PlanRequest request = bench.request(policy);
    request.nodes = {{"node", memory::parsePolicy(policy), {tree_}}};
    bench.residency->begin(planOf(request), {});
    bench.residency->enter(0);
}

NodeRun::~NodeRun() {
    bench_.residency->leave(0);
    bench_.residency->end(memory::Outcome::Finished);
}

void NodeRun::beginForward(const memory::ForwardHint& hint) {
    bench_.residency->beginForward(*tree_, hint);
}

bool NodeRun::isRight(memory::LeafId leaf) {
    return isLikeHostWeight(*bench_.residency, bench_.model, *tree_, leaf);
}

at::Tensor NodeRun::read(memory::LeafId leaf) {
    return bench_.residency->use(*tree_, leaf)[0].cpu();
}

bool NodeRun::forwardIsRight(const std::vector<memory::LeafId>& leaves,
                             const memory::ForwardHint& hint) {
    beginForward(hint);
    return std::all_of(
        leaves.begin(), leaves.end(), [&](memory::LeafId leaf) { return isRight(leaf); });
}

std::shared_ptr<ComponentTree> copyOf(const std::shared_ptr<const ComponentTree>& tree,
                                      const char* id) {
    auto copy = std::make_shared<ComponentTree>(*tree);
    copy->id = id;
    return copy;
}

bool isLikeHostWeight(residency::Residency& residency,
                      const SyntheticModel& model,
                      const ComponentTree& tree,
                      memory::LeafId leaf) {
    const residency::Lease lease = residency.use(tree, leaf);
    const std::vector<memory::WeightId>& weights = tree.leaves[leaf].weights;
    if (lease.size() != weights.size()) {
        return false;
    }
    for (size_t i = 0; i < lease.size(); ++i) {
        const at::Tensor expected = model.expected(tree, tree.weights[weights[i]]);
        if (lease[i].device() != residency.torchDeviceOf(tree) ||
            !at::equal(lease[i].cpu(), expected)) {
            return false;
        }
    }
    return true;
}

void compareWithHostWeights(residency::Residency& residency,
                            const SyntheticModel& model,
                            const ComponentTree& tree) {
    for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
        if (tree.leaves[leaf].gathered) {
            continue;
        }
        QVERIFY2(isLikeHostWeight(residency, model, tree, leaf), tree.leaves[leaf].name.c_str());
    }
}

void compareWithHostWeights(Bench& bench, const ComponentTree& tree) {
    compareWithHostWeights(*bench.residency, bench.model, tree);
}

void runAll(Bench& bench, const std::shared_ptr<const memory::Plan>& plan) {
    bench.residency->begin(plan, {});
    for (memory::NodeIndex node = 0; node < bench.model.trees().size(); ++node) {
        bench.residency->enter(node);
        compareWithHostWeights(bench, *bench.model.trees()[node]);
        bench.residency->leave(node);
    }
    bench.residency->end(memory::Outcome::Finished);
}

Bytes pinnedIn(const residency::Residency& residency) {
    Bytes pinned = 0;
    for (const memory::PinnedComponent& each : residency.pinnedComponents()) {
        pinned += each.bytes;
    }
    return pinned;
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

void addDevicesAndPolicies() {
    QTest::addColumn<QString>("device");
    QTest::addColumn<QString>("policy");
    for (const char* device : {"cpu", "fake"}) {
        for (const char* policy : kPolicies) {
            QTest::addRow("%s, %s", device, policy) << QString(device) << QString(policy);
        }
    }
}

void addStreamingPolicies() {
    QTest::addColumn<QString>("policy");
    for (const char* policy :
         {"sequential", "leaf", "leaf+stream", "leaf+stream,budget=1KiB", "block:1+stream"}) {
        QTest::newRow(policy) << QString(policy);
    }
}

void addDevices() {
    QTest::addColumn<QString>("device");
    QTest::newRow("cpu") << QString("cpu");
    QTest::newRow("fake") << QString("fake");
}

}  // namespace lowtide::testing
