#include "plugin/executor/wires.hpp"
#include "plugin/memory/component_tree.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace planned_wires_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

constexpr Bytes kText = 520;           ///< what encode makes, two tensors, in addition to kOnHost
constexpr Bytes kTextOnGpu = 2 * 512;  ///< where each takes whole slots
constexpr Bytes kOnHost = 7;           ///< always in host memory
constexpr Bytes kLatent = 512;         ///< what denoise makes
constexpr Bytes kImage = 1024;         ///< what decode makes

using Tree = std::shared_ptr<const memory::ComponentTree>;

enum Node : size_t { Encode, Keep, Denoise, Decode, Save, NodeCount };

graph::SnapshotNode nodeOf(const std::string& id, const NodeDesc& desc, const char* policy) {
    graph::SnapshotNode node{.id = id, .desc = &desc};
    node.policy = memory::parsePolicy(policy);
    return node;
}

}  // namespace

/// encode -> keep (control) -> denoise -> decode -> save; the first three of four stages run
/// networks.
class PlannedWiresTest : public QObject {
    Q_OBJECT

    const NodeDesc stage_{.id = "stage",
                          .inputs = {{.id = "in", .type = "VALUE"}},
                          .outputs = {{.id = "out", .type = "VALUE"}}};
    const NodeDesc control_{.id = "control",
                            .control = true,
                            .inputs = {{.id = "in", .type = "VALUE"}},
                            .outputs = {{.id = "out", .type = "VALUE"}}};
    graph::Snapshot snapshot_;
    GraphSpec graphSpec_;
    const memory::DeviceSpec main_ = memory::parseDeviceSpec("fake:1GiB");

    struct Wires {
        std::vector<std::string> devices;
        std::vector<BytesByDevice> bytes;
        std::vector<std::vector<std::string>> elsewhere;
    };

    Wires planned(const std::vector<size_t>& positions) const {
        std::vector<memory::NodeWork> work;
        for (const size_t node : positions) {
            work.push_back({.node = snapshot_.nodes[node].id,
                            .policy = snapshot_.nodes[node].policy,
                            .components = graphSpec_.work[node].components
                                              ? graphSpec_.work[node].components()
                                              : std::vector<Tree>()});
        }
        const auto devices = nodeDevices(snapshot_, positions, work, main_);
        Wires wires{.bytes = planWires(snapshot_, graphSpec_, positions, devices)};
        for (const memory::DeviceSpec& device : devices) {
            wires.devices.push_back(device.id());
        }
        for (const size_t node : positions) {
            wires.elsewhere.push_back(inputsElsewhere(snapshot_, positions, devices, node));
        }
        return wires;
    }

private Q_SLOTS:

    void init() {
        snapshot_ = {};
        graphSpec_ = {};
        graphSpec_.work.resize(NodeCount);
        const char* const names[] = {"encode", "keep", "denoise", "decode", "save"};
        for (size_t node = 0; node < NodeCount; ++node) {
            snapshot_.nodes.push_back(
                nodeOf(names[node], node == Keep ? control_ : stage_, "auto"));
            if (node > 0) {
                snapshot_.nodes.back().inputs = {{"in", node - 1, "out"}};
            }
        }
        for (const size_t node : {Encode, Denoise, Decode}) {
            auto tree = std::make_shared<memory::ComponentTree>();
            tree->role = "role of " + std::string(names[node]);
            graphSpec_.work[node].components = [tree] { return std::vector<Tree>{tree}; };
        }
        graphSpec_.work[Encode].outputs = {
            {"out", {.tensors = {kText - 8, 8}, .hostBytes = kOnHost}}};
        graphSpec_.work[Keep].outputs = graphSpec_.work[Encode].outputs;
        graphSpec_.work[Denoise].outputs = {{"out", {.tensors = {kLatent}}}};
        graphSpec_.work[Decode].outputs = {{"out", {.tensors = {kImage}}}};
    }

    void nodesComputeWhereTheirNetworksAre() {
        snapshot_.nodes[Encode].policy = memory::parsePolicy("model@cpu");
        snapshot_.nodes[Decode].policy.components["role of decode"] =
            memory::parsePolicy("model@cpu");

        const auto devices = planned({Encode, Keep, Denoise, Decode, Save}).devices;

        // keep acts on the main device; save takes what decode made, where it is
        QVERIFY((devices == std::vector<std::string>{"cpu", "fake", "fake", "cpu", "cpu"}));
    }

    /// An image is read into host memory; what computes on the GPU takes it from there.
    void whatIsMadeOnTheHostLiesThere() {
        graphSpec_.work[Encode].components = {};
        snapshot_.nodes[Encode].policy.device = memory::DeviceSpec{};

        const Wires wires = planned({Encode, Keep, Denoise, Decode, Save});

        QCOMPARE(wires.devices.at(Encode), std::string("cpu"));
        QVERIFY((wires.bytes.at(2) == BytesByDevice{{"cpu", kText + kOnHost}}));
        QCOMPARE(wires.elsewhere.at(2), std::vector<std::string>{"in"});
    }

    void whatDoesNotExecuteIsOnTheHost() { QVERIFY((planned({Save}).devices.at(Save) == "cpu")); }

    /// Behind the control node too: from its maker's end to its last use, then on the host.
    void aValueLiesWhereItWasMadeUntilItsLastUse() {
        const auto bytes = planned({Encode, Keep, Denoise, Decode, Save}).bytes;

        QVERIFY(bytes.at(0).empty());
        QVERIFY((bytes.at(1) == BytesByDevice{{"cpu", kOnHost}, {"fake", kTextOnGpu}}));
        QVERIFY((bytes.at(2) == BytesByDevice{{"cpu", kOnHost}, {"fake", kTextOnGpu}}));
        QVERIFY((bytes.at(3) == BytesByDevice{{"cpu", kText + kOnHost}, {"fake", kLatent}}));
        QVERIFY(
            (bytes.at(4) == BytesByDevice{{"cpu", kText + kOnHost + kLatent}, {"fake", kImage}}));
    }

    /// What a node takes from another device lies there; the dry run counts its copy.
    void inputsFromAnotherDeviceAreNamed() {
        snapshot_.nodes[Denoise].policy = memory::parsePolicy("leaf@cpu");

        const Wires wires = planned({Encode, Keep, Denoise, Decode, Save});

        QVERIFY((wires.bytes.at(2) == BytesByDevice{{"cpu", kOnHost}, {"fake", kTextOnGpu}}));
        QVERIFY((wires.bytes.at(3) == BytesByDevice{{"cpu", kText + kOnHost + kLatent}}));
        const std::vector<std::string> in = {"in"};
        QVERIFY((wires.elsewhere == std::vector<std::vector<std::string>>{{}, {}, in, in, {}}));
    }

    /// The kept value is held already, on the host.
    void aKeptValueIsTakenFromTheHost() {
        const Wires wires = planned({Denoise, Decode, Save});

        QVERIFY(wires.bytes.at(0).empty());
        QVERIFY((wires.bytes.at(1) == BytesByDevice{{"cpu", 0}, {"fake", kLatent}}));
        QVERIFY((wires.elsewhere == std::vector<std::vector<std::string>>{{"in"}, {}, {}}));
    }
};

LOWTIDE_TEST(PlannedWiresTest)

}  // namespace planned_wires_test

#include "planned_wires_test.moc"
