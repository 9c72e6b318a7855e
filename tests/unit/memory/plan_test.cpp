#include "plugin/base/error.hpp"
#include "plugin/memory/plan.hpp"
#include "plugin/memory/plan_refusal.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/plan_bench.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace plan_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

class PlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aPaceChangesTimesAlone() {
        PlanRequest request = pipeline("model", "leaf+stream", "model");
        const Plan plan = planOf(request);
        request.nodes[1].pace = 1e6;

        const Plan paced = planOf(request);

        QVERIFY(plan.stages[1].compute > 0);
        QVERIFY(std::abs(paced.stages[1].compute / plan.stages[1].compute / 1e6 - 1) < 1e-9);
        QVERIFY(paced.stages[1].seconds > plan.stages[1].seconds);
        QCOMPARE(paced.stages[1].moved, plan.stages[1].moved);
        QCOMPARE(paced.devices.at(0).peak, plan.devices.at(0).peak);
        QCOMPARE(toJson(paced).at("stays"), toJson(plan).at("stays"));
    }

    void none_keepsEverythingToTheEnd() {
        const Plan plan = planOf(pipeline("none", "none", "none"));
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * kEncoder});
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * (kEncoder + kDenoiser + kDecoder)});
        QCOMPARE(plan.devices.at(0).peakWeights, onFake(plan, 2).weights);
    }

    void model_holdsOneComponentAtATime() {
        const Plan plan = planOf(pipeline("model", "model", "model"));
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * kEncoder});
        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * kDenoiser});
        for (const StagePlan& stage : plan.stages) {
            QCOMPARE(stage.residencies.size(), size_t{1});
        }
    }

    void modelWithStream_comesWhileTheStageBeforeRuns() {
        const Plan plan = planOf(pipeline("model", "model+stream", "model"));
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * (kEncoder + kDenoiser)});
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * kDecoder});
    }

    void model_remainsBetweenUsesThatNobodyInterrupts() {
        PlanRequest request = pipeline("model", "model", "model");
        request.nodes.insert(request.nodes.begin() + 1, {"wait", parsePolicy("auto"), {}});
        request.nodes.insert(request.nodes.begin() + 2, request.nodes[0]);
        request.nodes[2].node = "encode again";
        const Plan plan = planOf(request);
        QCOMPARE(plan.residencies.size(), size_t{3});
        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * kEncoder});
    }

    void componentsOfOneNodeAlternate() {
        PlanRequest request = pipeline("model", "model", "model");
        request.nodes[0].components.push_back(testing::tree("text_encoder_2", {kDecoder}));
        const Plan plan = planOf(request);
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * kDecoder});
        QVERIFY(plan.residencies.at(0).alternates && plan.residencies.at(1).alternates);
        QCOMPARE(plan.residencies.at(0).slot, plan.residencies.at(1).slot);
    }

    void whatMakesSpaceComesAgain_data() {
        const testing::Rows<QString, Bytes, int64_t> row("policy", "capacity", "times");
        row("alternating", "model", Bytes{4 * kDenoiser}, 2);
        row("space for both", "model", kCapacity, 1);
        row("all are kept", "none", kCapacity, 1);
    }

    /// A node that uses two networks, one of them before and behind the other.
    void whatMakesSpaceComesAgain() {
        QFETCH(QString, policy);
        QFETCH(Bytes, capacity);
        QFETCH(int64_t, times);
        PlanRequest request = pipeline("model", policy.toStdString(), "model");
        request.devices[0].traits.capacity = capacity;
        NodeWork& node = request.nodes[1];
        node.components.push_back(testing::tree("text_encoder_2", {kEncoder}));
        node.work.components.push_back(
            {.tree = node.components[1], .forward = {{0, 1e6}}, .forwards = 3});
        node.work.bursts = {{1, 1}, {0, 20}, {1, 2}};
        const Plan plan = planOf(request);
        QCOMPARE(plan.stages.at(1).moved, Bytes{4 * (kDenoiser + times * kEncoder)});
        QCOMPARE(plan.stages.at(1).patterns.at(0).forwards, int64_t{23});
    }

    void sequential_takesItsLargestLeaf() {
        const Plan plan = planOf(pipeline("none", "sequential", "none"));
        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * (kEncoder + 128)});
        QCOMPARE(plan.residencies.at(1).layout->mostInRingBuffer, 1);
    }

    void leafWithStream_takesARingBufferOfNeighbours() {
        PlanRequest request = pipeline("none", "leaf+stream", "none");
        request.nodes.pop_back();
        const Plan roomy = planOf(request);
        QCOMPARE(roomy.residencies.at(1).layout->ringBufferBytes,
                 Bytes{5 * 4 * 128});  // 2.5 floors
        const Bytes smallest = 4 * (kEncoder + 2 * 128);
        QCOMPARE(roomy.device(request.device)->minimum, smallest);
        request.devices[0].traits.capacity = smallest;
        QCOMPARE(planOf(request).residencies.at(1).layout->ringBufferBytes, Bytes{2 * 4 * 128});
        request.devices[0].traits.capacity = smallest - 1;
        const auto refused = makePlan(request);
        QVERIFY(std::holds_alternative<Infeasible>(refused));
        QCOMPARE(std::get<Infeasible>(refused).minimum, smallest);
    }

    void leafWithABudget_keepsWhatItAllows() {
        const Plan plan = planOf(pipeline("none", "leaf+stream,budget=3KiB", "none"));
        const Layout& layout = *plan.residencies.at(1).layout;
        QVERIFY(layout.bytes() <= 3 * kKiB);
        QVERIFY(layout.residentBytes >= 2 * 512);
        const Plan rich = planOf(pipeline("none", "leaf+stream,budget=1GiB", "none"));
        QVERIFY(rich.residencies.at(1).layout->isFullyResident());
    }

    void auto_isWholeWhereAllFitsAndStreamsWhereNot() {
        PlanRequest request = pipeline("auto", "auto", "auto");
        QVERIFY(planOf(request).residencies.at(1).layout->isFullyResident());
        request.devices[0].traits.capacity = 4 * kDenoiser;
        const Plan tight = planOf(request);
        QVERIFY(tight.residencies.at(1).layout->isFullyResident());
        QCOMPARE(tight.devices.at(0).peakWeights, Bytes{4 * kDenoiser});
        request.devices[0].traits.capacity = 4 * kDenoiser - 512;
        const Plan streamed = planOf(request);
        QVERIFY(!streamed.residencies.at(1).layout->isFullyResident());
        QVERIFY(streamed.devices.at(0).peak <= 4 * kDenoiser - 512);
        QVERIFY(streamed.residencies.at(1).layout->residentBytes >= Bytes{5 * 4 * 128});
    }

    void activationsAndWiresAreLeftFree() {
        PlanRequest request = pipeline("auto", "auto", "auto");
        request.nodes[1].work.activations = 2048;
        request.nodes[1].wires["fake"] = 512;
        request.devices[0].held = 1024;
        request.devices[0].traits.capacity = 4 * kDenoiser;
        const Plan plan = planOf(request);
        QVERIFY(onFake(plan, 1).total() <= 4 * kDenoiser);
        QCOMPARE(onFake(plan, 1).activations, Bytes{2048});
        QCOMPARE(onFake(plan, 1).wires, Bytes{512});
        QCOMPARE(onFake(plan, 1).held, Bytes{1024});
        QVERIFY(!plan.residencies.at(1).layout->isFullyResident());
        QVERIFY(plan.residencies.at(2).layout->isFullyResident());
    }

    void keptComponentsRemainToTheEndAndAfterIt() {
        const Plan plan = planOf(pipeline("model,after=keep", "model", "model"));
        QVERIFY(plan.residencies.at(0).isKept);
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * (kEncoder + kDecoder)});
    }

    void offloadsMakeSpaceUntilTheNextUse() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes.insert(request.nodes.begin() + 1, {"offload", parsePolicy("auto"), {}});
        request.nodes[1].offloads = {"text_encoder"};
        request.nodes.push_back(request.nodes[0]);
        request.nodes.back().node = "encode again";

        const Plan plan = planOf(request);

        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * kEncoder});  // it leaves while the node runs
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * kDenoiser});
        QCOMPARE(onFake(plan, 3).weights, Bytes{4 * (kDenoiser + kDecoder)});
        QCOMPARE(onFake(plan, 4).weights, Bytes{4 * (kEncoder + kDenoiser + kDecoder)});
        QCOMPARE(plan.stages.at(0).moved, Bytes{4 * kEncoder});
        QCOMPARE(plan.stages.at(4).moved, Bytes{4 * kEncoder});  // and comes once more
        QCOMPARE(plan.device(request.device)->minimum,
                 Bytes{4 * (kEncoder + kDenoiser + kDecoder)});
    }

    void offloadsMayNameAPatternOfRoles() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes[0].components.push_back(testing::tree("text_encoder_2", {kEncoder}));
        request.nodes.insert(request.nodes.begin() + 1, {"offload", parsePolicy("auto"), {}});
        request.nodes[1].offloads = {"text_encoder*"};

        QCOMPARE(onFake(planOf(request), 2).weights, Bytes{4 * kDenoiser});
        request.nodes[1].offloads = {"text_encoder_2"};
        QCOMPARE(onFake(planOf(request), 2).weights, Bytes{4 * (kEncoder + kDenoiser)});
    }

    void offloadsTakeWhatEarlierRunsKept() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes.insert(request.nodes.begin() + 1, {"offload", parsePolicy("auto"), {}});
        request.kept = {{.tree = "other",
                         .device = "fake",
                         .bytes = 5 * kKiB,
                         .role = "upscaler",
                         .weights = "as opened",
                         .base = "without layers"}};
        request.devices[0].held = 6 * kKiB;
        QCOMPARE(onFake(planOf(request), 2).held, 6 * kKiB);
        for (const char* name : {"all", "upscaler", "other", "as opened", "without layers"}) {
            request.nodes[1].offloads = {name};
            const Plan plan = planOf(request);
            QCOMPARE(onFake(plan, 1).held, 6 * kKiB);
            QCOMPARE(onFake(plan, 2).held, kKiB);
        }
    }

    /// Residents once, and in each forward what streams.
    void needsOneCopyForEachUse() {
        const Plan whole = planOf(pipeline("none", "none", "none"));
        QCOMPARE(whole.stages.at(1).needed, Bytes{4 * kDenoiser});
        const Plan streamed = planOf(pipeline("none", "leaf", "none"));
        QCOMPARE(streamed.stages.at(1).needed, Bytes{20 * 4 * kDenoiser});
        QVERIFY(streamed.stages.at(1).moved >= streamed.stages.at(1).needed);
    }

    void aPolicyThatChangesBeginsAResidencyOfItsOwn() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes.push_back({"again", parsePolicy("leaf"), request.nodes[1].components});
        const Plan plan = planOf(request);
        QCOMPARE(plan.components.size(), size_t{3});
        QCOMPARE(plan.residencies.size(), size_t{4});
        QCOMPARE(plan.residencies.at(1).last, NodeIndex{2});
        QVERIFY(plan.use(3, *request.nodes[1].components[0])->residency == 3);
        QVERIFY(plan.use(0, *request.nodes[1].components[0]) == nullptr);
    }

    void devicesPerNodeAreCountedApart() {
        const Plan plan = planOf(pipeline("none@cpu", "none", "none"));
        QCOMPARE(plan.device(parseDeviceSpec("fake"))->peakWeights,
                 Bytes{4 * (kDenoiser + kDecoder)});
        QCOMPARE(plan.device(parseDeviceSpec("cpu"))->peakWeights, Bytes{4 * kEncoder});
        QVERIFY(plan.residencies.at(0).layout->isInPlace);
        QCOMPARE(plan.slots.at(0).arenaBytes, Bytes{0});
    }

    /// A component on a third device, and what the stage makes in host memory.
    void whatAStageMakesElsewhereIsPlannedThere() {
        PlanRequest request = pipeline("none", "none", "none");
        request.devices.push_back(
            {.spec = parseDeviceSpec("fake:1"), .traits = request.devices[0].traits});
        NodeWork& node = request.nodes[1];
        node.components.push_back(testing::tree("controlnet", {128}));
        node.policy.components["controlnet"] = parsePolicy("none@fake:1");
        node.work.activations = 1000;
        node.work.elsewhere = {{"cpu", 300}, {"fake:1", 40}};
        node.work.knowsElsewhere = true;
        request.nodes[2].handedOver = 500;
        const auto activations = [&](size_t stage) {
            const Plan plan = planOf(request);
            std::vector<Bytes> bytes;
            for (const StageBytes& each : plan.stages.at(stage).bytes) {
                bytes.push_back(each.activations);
            }
            return bytes;
        };
        QCOMPARE(activations(1), (std::vector<Bytes>{1000, 300, 40}));
        QCOMPARE(activations(2), (std::vector<Bytes>{0, 500, 0}));
        node.work.knowsElsewhere = false;
        QCOMPARE(activations(1), (std::vector<Bytes>{1000, 300, 1040}));
        request.nodes[2].work.elsewhere = {{"cpu", 600}};  // when nothing runs, that is gone
        QCOMPARE(activations(2), (std::vector<Bytes>{0, 600, 0}));
        QCOMPARE(planOf(request).devices.at(1).minimum, Bytes{600});
    }

    void pinsWhatStreams_data() {
        const testing::Rows<QString, qint64, qint64, qint64> row(
            "policy", "forwards", "hostBudget", "pinned");
        const qint64 all = 4 * kDenoiser;
        row("what the device may pin", "leaf", 20, kPlenty, 3000);
        row("as asked", "leaf,pin=1000", 20, kPlenty, 1000);
        row("all that streams", "leaf,pin=1GiB", 20, kPlenty, all);
        row("none", "leaf,pin=0", 20, kPlenty, 0);
        row("it comes once", "leaf", 1, kPlenty, 0);
        row("nothing streams", "none", 20, kPlenty, 0);
        row("the host's budget", "leaf,pin=1GiB", 20, 2000, 2000);
    }

    void pinsWhatStreams() {
        QFETCH(QString, policy);
        QFETCH(qint64, forwards);
        QFETCH(qint64, hostBudget);
        QFETCH(qint64, pinned);
        PlanRequest request = pipeline("none", policy.toStdString(), "none");
        request.nodes[1].work.components[0].forwards = forwards;
        request.devices[0].traits.pinnable = 3000;
        request.devices[1].traits.capacity = hostBudget;
        const Plan plan = planOf(request);
        const PlannedUse& use = *plan.use(1, *request.nodes[1].components[0]);
        QCOMPARE(plan.residencies.at(use.residency).pinned, Bytes{pinned});
        QCOMPARE(plan.stages.at(0).bytes.at(1).staging, Bytes{0});
        QCOMPARE(plan.stages.at(1).bytes.at(1).staging, Bytes{pinned});
    }

    void componentsThatStreamTogetherShareWhatMayBePinned() {
        PlanRequest request = pipeline("none", "leaf", "none");
        request.nodes[1].components.push_back(
            testing::tree("text_encoder_2", std::vector<int64_t>(10, 128)));
        request.devices[0].traits.pinnable = 4 * kDenoiser + 880;
        const Plan plan = planOf(request);
        QCOMPARE(plan.stages.at(1).bytes.at(1).staging, 4 * kDenoiser + 880);
    }

    void countsWhatADeviceTakesInAdditionToTheNodes() {
        PlanRequest request = pipeline("none", "none", "none");
        request.devices[0].traits.workspace = 4096;
        request.devices[0].traits.staging = 8192;
        const Plan plan = planOf(request);
        for (size_t stage = 0; stage < 3; ++stage) {
            QCOMPARE(onFake(plan, stage).workspace, Bytes{4096});
            QCOMPARE(plan.stages.at(stage).bytes.at(1).workspace, Bytes{0});
            QCOMPARE(plan.stages.at(stage).bytes.at(1).staging, Bytes{8192});
        }
    }

    /// No part of the peak, but of the minimum, and no weight gets it.
    void leavesTheSlackOfTheAllocatorFree() {
        constexpr Bytes kSlack = 1000;
        PlanRequest request = pipeline("leaf", "leaf", "leaf");
        const Plan without = planOf(request);
        request.devices[0].traits.slack = kSlack;
        const Plan with = planOf(request);
        QCOMPARE(with.devices[0].peak, without.devices[0].peak);
        QCOMPARE(with.devices[0].minimum, without.devices[0].minimum + kSlack);
        request.devices[0].traits.capacity = with.devices[0].minimum;
        QCOMPARE(planOf(request).devices[0].peak, without.devices[0].minimum);
        --request.devices[0].traits.capacity;
        const auto refused = makePlan(request);
        QVERIFY(std::holds_alternative<Infeasible>(refused));
        QCOMPARE(std::get<Infeasible>(refused).minimum, with.devices[0].minimum);

        request = pipeline("auto", "auto", "auto");
        request.devices[0].traits.slack = kSlack;
        request.devices[0].traits.capacity = with.devices[0].minimum + 4000;
        const Plan grown = planOf(request);
        QVERIFY(grown.devices[0].peak > without.devices[0].minimum);
        QVERIFY(grown.devices[0].peak <= request.devices[0].traits.capacity - kSlack);
    }

    void predictsWithTheSpeedsOfTheDevice() {
        PlanRequest request = pipeline("none", "leaf", "none");
        request.devices[0].profile = {.copyBytesPerSecond = 1e6, .flopsPerSecond = 1e30};
        const Plan plan = planOf(request);

        request.devices[0].profile.copyBytesPerSecond /= 10;
        const Plan slow = planOf(request);

        const Seconds copies = static_cast<double>(plan.stages[1].moved) / 1e6;
        QVERIFY(std::abs(plan.stages[1].seconds / copies - 1) < 1e-9);
        QVERIFY(std::abs(slow.stages[1].seconds / (10 * copies) - 1) < 1e-9);
        QCOMPARE(slow.stages[1].moved, plan.stages[1].moved);
    }

    void speedsChangeNoMinimumAndNoBudget() {
        PlanRequest request = pipeline("none", "auto", "none");
        request.nodes.pop_back();
        request.devices[0].traits.capacity = 4 * kEncoder + 5 * 512;
        const Plan fast = planOf(request);

        for (const double bytesPerSecond : {1e3, 1e12}) {
            request.devices[0].profile.copyBytesPerSecond = bytesPerSecond;
            const Plan other = planOf(request);
            QCOMPARE(other.devices[0].minimum, fast.devices[0].minimum);
            QVERIFY(other.devices[0].peak <= request.devices[0].traits.capacity);
        }
    }

    void onlyWhatIsLeasedHasSpace_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"none", "model", "auto"}) {
            QTest::newRow(policy) << policy;
        }
    }

    /// A stage that uses half of its component takes half of it, unless a later run may want the
    /// rest; nodes that share the component share what they use.
    void onlyWhatIsLeasedHasSpace() {
        QFETCH(QString, policy);
        const std::string text = policy.toStdString();
        PlanRequest request = pipeline("model", text, "model");
        request.nodes.erase(request.nodes.begin());
        request.nodes.pop_back();
        AccessPattern& forward = request.nodes[0].work.components[0].forward;
        const AccessPattern rest(forward.begin() + 4, forward.end());
        forward.resize(4);
        const Plan part = planOf(request);
        QCOMPARE(onFake(part, 0).weights, Bytes{4 * 4 * 128});
        QCOMPARE(part.devices[0].minimum <= part.devices[0].peak, true);
        QVERIFY(part.residencies.at(0).layout->isFullyResident());

        PlanRequest kept = request;
        kept.nodes[0].policy = parsePolicy(text + ",after=keep");
        QCOMPARE(onFake(planOf(kept), 0).weights, Bytes{4 * kDenoiser});

        PlanRequest unknown = request;
        unknown.nodes[0].work.components.clear();
        QCOMPARE(onFake(planOf(unknown), 0).weights, Bytes{4 * kDenoiser});

        PlanRequest patterns = request;
        patterns.nodes[0].work.components[0].others[1] = {rest[0], rest[2]};
        QCOMPARE(onFake(planOf(patterns), 0).weights, Bytes{4 * 6 * 128});

        PlanRequest shared = request;
        shared.nodes.push_back(request.nodes[0]);
        shared.nodes[1].node = "again";
        shared.nodes[1].work.components[0].forward = rest;
        for (size_t stage : {0, 1}) {
            QCOMPARE(onFake(planOf(shared), stage).weights, Bytes{4 * kDenoiser});
        }
    }

    /// What is not used sets no size of a ring buffer.
    void theRingBufferIsAsLargeAsWhatIsLeased() {
        PlanRequest request = pipeline("model", "sequential", "model");
        request.nodes.erase(request.nodes.begin());
        request.nodes.pop_back();
        NodeWork& node = request.nodes[0];
        node.components = {testing::tree("denoiser", {128, 128, 1280})};
        node.work.components[0] = {.tree = node.components[0], .forward = {{0, 1e6}, {1, 1e6}}};
        QCOMPARE(onFake(planOf(request), 0).weights, Bytes{4 * 128});
    }

    void statesTheDayOfItsTimes() {
        PlanRequest request = pipeline("none", "none", "none");
        request.devices[0].profile.measuredOn = "2026-11-21";

        const Json devices = toJson(planOf(request)).at("devices");

        QCOMPARE(devices.at(0).at("estimated").get<bool>(), false);
        QCOMPARE(devices.at(0).at("measured_on").get<std::string>(), std::string("2026-11-21"));
        QCOMPARE(devices.at(1).at("estimated").get<bool>(), true);
    }
};

LOWTIDE_TEST(PlanTest)

}  // namespace plan_test

#include "plan_test.moc"
