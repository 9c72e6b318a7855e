#include "plugin/executor/run_plan.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/executor/stub_nodes.hpp"

#include <QtTest/QtTest>

namespace run_devices_test {

using namespace lowtide;
using namespace lowtide::executor;

namespace {

const Json kGraph = Json::parse(R"({
  "format": 1,
  "nodes": {"a": {"type": "test.source", "v": 1}, "b": {"type": "test.join", "v": 1},
            "out": {"type": "test.keep", "v": 1}},
  "links": [{"from": ["a", "value"], "to": ["b", "a"]}, {"from": ["b", "value"], "to": ["out", "value"]}]
})");

const std::map<std::string, int> kGpus = {{"cuda:0", 89}, {"cuda:1", 75}};

}  // namespace

/// The GPU that a node computes on decides in which types it may.
class RunDevicesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theGpuOfEachComponentIsKnown_data() {
        const testing::Rows<QString, QString, int, int> row(
            "device", "policy", "network", "others");
        row("cpu", "cpu", "auto", 0, 0);
        row("a rehearsal computes as the cpu", "fake", "auto", 0, 0);
        row("the run's GPU", "cuda", "auto", 89, 89);
        row("the node's GPU", "cuda", "auto@cuda:1", 75, 75);
        row("the node on the cpu", "cuda", "auto@cpu", 0, 0);
        row("a component elsewhere",
            "cuda",
            R"({"policy": "auto", "components": {"network": "leaf@cuda:1"}})",
            75,
            89);
        row("a card that is not there", "cuda:7", "auto", 0, 0);
    }

    void theGpuOfEachComponentIsKnown() {
        QFETCH(QString, device);
        QFETCH(QString, policy);
        QFETCH(int, network);
        QFETCH(int, others);
        StubWorld world;
        const NodeTypes types(stubNodes(world));
        graph::Document document = graph::documentFromJson(kGraph);
        const std::string text = policy.toStdString();
        document.nodes.at("b").memory = policy.startsWith('{') ? Json::parse(text) : Json(text);
        RunOptions options;
        options.device = memory::parseDeviceSpec(device.toStdString());
        const auto snapshot = graph::makeSnapshot(document, types.catalog());
        const auto known = withRunDevices(snapshot, options, kGpus);
        const auto joined = std::find_if(known->nodes.begin(),
                                         known->nodes.end(),
                                         [](const auto& node) { return node.id == "b"; });
        QCOMPARE(joined->precision.capabilityOf("network"), network);
        QCOMPARE(joined->precision.capabilityOf("text_encoder"), others);
        QVERIFY(memory::toJson(joined->precision).is_null());  // nobody asked for it
        QCOMPARE(withRunDevices(snapshot, options, {}), snapshot);
    }
};

LOWTIDE_TEST(RunDevicesTest)

}  // namespace run_devices_test

#include "run_devices_test.moc"
