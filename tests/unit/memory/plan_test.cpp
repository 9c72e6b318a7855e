#include "plugin/base/error.hpp"
#include "plugin/memory/ladder.hpp"
#include "plugin/memory/plan.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

#include <cmath>

namespace plan_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int64_t kEncoder = 128 * 2;
constexpr int64_t kDenoiser = 128 * 10;
constexpr int64_t kDecoder = 128 * 3;
constexpr Bytes kCapacity = 1 << 20;
constexpr qint64 kPlenty = kCapacity;

/// encode -> denoise -> decode on a card that copies every weight.
PlanRequest pipeline(const std::string& encode,
                     const std::string& denoise,
                     const std::string& decode) {
    PlanRequest request;
    const auto layers = std::vector<int64_t>(10, 128);
    request.nodes = {{"encode", parsePolicy(encode), {testing::tree("text_encoder", {kEncoder})}},
                     {"denoise", parsePolicy(denoise), {testing::tree("denoiser", layers)}},
                     {"decode", parsePolicy(decode), {testing::tree("autoencoder", {kDecoder})}}};
    ComponentWork work{.tree = request.nodes[1].components[0], .passes = 20};
    for (LeafId leaf = 0; leaf < 10; ++leaf) {
        work.pass.push_back({leaf, 1e6});
    }
    request.nodes[1].work.components = {work};
    request.device = parseDeviceSpec("fake");
    request.devices = {{.spec = parseDeviceSpec("fake"),
                        .traits = {.usesWeightsInPlace = false, .capacity = kCapacity},
                        .profile = {.copyBytesPerSecond = 1e6, .flopsPerSecond = 1e12}},
                       {.spec = parseDeviceSpec("cpu"),
                        .traits = {.usesWeightsInPlace = true, .capacity = kCapacity},
                        .profile = estimatedProfile("cpu")}};
    return request;
}

Plan planOf(const PlanRequest& request) {
    const auto answer = makePlan(request);
    if (const auto* refusal = std::get_if<Infeasible>(&answer)) {
        throw std::runtime_error(refusal->node + ": " + refusal->reason);
    }
    return std::get<Plan>(answer);
}

const StageBytes& onFake(const Plan& plan, size_t stage) {
    return plan.stages.at(stage).bytes.at(0);
}

std::string errorOf(const std::string& policy) {
    try {
        static_cast<void>(makePlan(pipeline("none", policy, "none")));
    } catch (const Error& error) {
        return error.message();
    }
    return {};
}

}  // namespace

class PlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The advice is for the node as it is placed: its encoder computes on the host.
    void adviceCountsComponentsWhereTheyCompute() {
        PlanRequest request = pipeline("model", "model", "model");
        const auto layers = std::vector<int64_t>(10, 128);
        request.nodes[0].components = {testing::tree("text_encoder", layers)};
        request.nodes[0].policy.components["text_encoder"] = parsePolicy("none@cpu");
        request.devices[1].traits = {.usesWeightsInPlace = false, .capacity = 3000};

        const auto answer = makePlan(request);

        const auto* refusal = std::get_if<Infeasible>(&answer);
        QVERIFY(refusal);
        QCOMPARE(refusal->device, std::string("cpu"));
        QVERIFY2(!refusal->fittingPolicy.empty(), refusal->cheapestFix.c_str());
        const auto& rungs = kTighterPolicies;
        const auto rung = std::find(rungs.begin(), rungs.end(), refusal->fittingPolicy);
        request.nodes[0].policy =
            tightened(request.nodes[0].policy, static_cast<size_t>(rung - rungs.begin()));
        QVERIFY(planOf(request).devices.at(1).peak <= 3000);
    }

    /// What can go does not decide whether a run fits, nor what it needs at least.
    void whatIsDroppableMakesNoRunFail() {
        const PlanRequest empty = pipeline("model", "model", "model");
        const Bytes minimum = planOf(empty).devices.at(0).minimum;
        PlanRequest request = empty;
        request.devices[0].traits.capacity = minimum;
        request.devices[0].held = 700;

        QVERIFY(std::holds_alternative<Infeasible>(makePlan(request)));
        request.devices[0].droppable = 700;
        const Plan plan = planOf(request);

        QVERIFY(plan.dropsHeld);
        QCOMPARE(plan.devices.at(0).minimum, minimum);
        QCOMPARE(plan.devices.at(0).peak, minimum);
        request.devices[0].traits.capacity = minimum + 700;
        QVERIFY(!planOf(request).dropsHeld);
        QCOMPARE(planOf(request).devices.at(0).minimum, minimum);
        request.devices[0].traits.capacity = minimum - 1;
        const auto answer = makePlan(request);
        QCOMPARE(std::get<Infeasible>(answer).minimum, minimum);
    }

    /// Components of other graphs go first, then those that would come again in parts.
    void whatIsKeptMakesNoRunFail() {
        const PlanRequest empty = pipeline("model", "auto", "model");
        const Bytes minimum = planOf(empty).devices.at(0).minimum;
        const ComponentTree& own = *empty.nodes[1].components.front();
        const Bytes whole = own.deviceBytes();
        const std::string device = empty.devices[0].spec.id();
        PlanRequest request = empty;
        request.kept = {{.tree = own.id, .device = device, .bytes = whole},
                        {.tree = "other", .device = device, .bytes = 700}};
        request.devices[0].held = whole + 700;
        const auto goes = [&](Bytes capacity) {
            request.devices[0].traits.capacity = capacity;
            std::string trees;
            const Plan plan = planOf(request);
            for (const KeptComponent& kept : plan.leaving) {
                trees += kept.tree + " ";
            }
            const DevicePlan& fake = plan.devices.at(0);
            return fake.minimum == minimum && fake.peak <= capacity ? trees : "wrong";
        };

        const Bytes beside = 4 * kEncoder + whole;  // while the first node runs
        QCOMPARE(goes(beside + 700), std::string());
        QCOMPARE(goes(beside + 699), std::string("other "));
        QCOMPARE(goes(beside - 1), "other " + own.id + " ");
        QCOMPARE(goes(minimum), "other " + own.id + " ");
        request.devices[0].traits.capacity = minimum - 1;
        QCOMPARE(std::get<Infeasible>(makePlan(request)).minimum, minimum);
    }

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
            QCOMPARE(stage.stays.size(), size_t{1});
        }
    }

    void modelWithStream_comesWhileTheStageBeforeRuns() {
        const Plan plan = planOf(pipeline("model", "model+stream", "model"));
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * (kEncoder + kDenoiser)});
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * kDecoder});
    }

    void model_staysBetweenUsesThatNobodyInterrupts() {
        PlanRequest request = pipeline("model", "model", "model");
        request.nodes.insert(request.nodes.begin() + 1, {"wait", parsePolicy("auto"), {}});
        request.nodes.insert(request.nodes.begin() + 2, request.nodes[0]);
        request.nodes[2].node = "encode again";
        const Plan plan = planOf(request);
        QCOMPARE(plan.stays.size(), size_t{3});
        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * kEncoder});
    }

    void componentsOfOneNodeTakeTurns() {
        PlanRequest request = pipeline("model", "model", "model");
        request.nodes[0].components.push_back(testing::tree("text_encoder_2", {kDecoder}));
        const Plan plan = planOf(request);
        QCOMPARE(onFake(plan, 0).weights, Bytes{4 * kDecoder});
        QVERIFY(plan.stays.at(0).takesTurns && plan.stays.at(1).takesTurns);
        QCOMPARE(plan.stays.at(0).place, plan.stays.at(1).place);
    }

    void whatMakesRoomComesAgain_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int64_t>("times");
        QTest::newRow("turns") << "model" << int64_t{2};
        QTest::newRow("all stay") << "none" << int64_t{1};
    }

    /// A node that uses two networks, one of them before and behind the other.
    void whatMakesRoomComesAgain() {
        QFETCH(QString, policy);
        QFETCH(int64_t, times);
        PlanRequest request = pipeline("model", policy.toStdString(), "model");
        NodeWork& node = request.nodes[1];
        node.components.push_back(testing::tree("text_encoder_2", {kEncoder}));
        node.work.components.push_back(
            {.tree = node.components[1], .pass = {{0, 1e6}}, .passes = 3});
        node.work.turns = {{1, 1}, {0, 20}, {1, 2}};
        const Plan plan = planOf(request);
        QCOMPARE(plan.stages.at(1).moved, Bytes{4 * (kDenoiser + times * kEncoder)});
        QCOMPARE(plan.stages.at(1).patterns.at(0).passes, int64_t{23});
    }

    void sequential_takesItsLargestLeaf() {
        const Plan plan = planOf(pipeline("none", "sequential", "none"));
        QCOMPARE(onFake(plan, 1).weights, Bytes{4 * (kEncoder + 128)});
        QCOMPARE(plan.stays.at(1).layout->mostInRing, 1);
    }

    void leafWithStream_takesARingOfNeighbours() {
        PlanRequest request = pipeline("none", "leaf+stream", "none");
        request.nodes.pop_back();
        const Plan roomy = planOf(request);
        QCOMPARE(roomy.stays.at(1).layout->ringBytes, Bytes{5 * 4 * 128});  // 2.5 floors
        const Bytes smallest = 4 * (kEncoder + 2 * 128);
        QCOMPARE(roomy.device(request.device)->minimum, smallest);
        request.devices[0].traits.capacity = smallest;
        QCOMPARE(planOf(request).stays.at(1).layout->ringBytes, Bytes{2 * 4 * 128});
        request.devices[0].traits.capacity = smallest - 1;
        const auto refused = makePlan(request);
        QVERIFY(std::holds_alternative<Infeasible>(refused));
        QCOMPARE(std::get<Infeasible>(refused).minimum, smallest);
    }

    void leafWithABudget_keepsWhatItAllows() {
        const Plan plan = planOf(pipeline("none", "leaf+stream,budget=3KiB", "none"));
        const Layout& layout = *plan.stays.at(1).layout;
        QVERIFY(layout.bytes() <= 3 * kKiB);
        QVERIFY(layout.residentBytes >= 2 * 512);
        const Plan rich = planOf(pipeline("none", "leaf+stream,budget=1GiB", "none"));
        QVERIFY(rich.stays.at(1).layout->isWhole());
    }

    void auto_isWholeWhereAllFitsAndStreamsWhereNot() {
        PlanRequest request = pipeline("auto", "auto", "auto");
        QVERIFY(planOf(request).stays.at(1).layout->isWhole());
        request.devices[0].traits.capacity = 4 * kDenoiser;
        const Plan tight = planOf(request);
        QVERIFY(tight.stays.at(1).layout->isWhole());
        QCOMPARE(tight.devices.at(0).peakWeights, Bytes{4 * kDenoiser});
        request.devices[0].traits.capacity = 4 * kDenoiser - 512;
        const Plan streamed = planOf(request);
        QVERIFY(!streamed.stays.at(1).layout->isWhole());
        QVERIFY(streamed.devices.at(0).peak <= 4 * kDenoiser - 512);
        QVERIFY(streamed.stays.at(1).layout->residentBytes >= Bytes{5 * 4 * 128});
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
        QVERIFY(!plan.stays.at(1).layout->isWhole());
        QVERIFY(plan.stays.at(2).layout->isWhole());
    }

    void refusesWhatCannotFit_withTheNodeAndWhatHelps() {
        PlanRequest request = pipeline("model", "model", "model");
        request.devices[0].traits.capacity = 4 * kDenoiser - 1;
        const auto answer = makePlan(request);
        const auto* refusal = std::get_if<Infeasible>(&answer);
        QVERIFY(refusal);
        QVERIFY(refusal->node == "denoise");
        QCOMPARE(refusal->needed, Bytes{4 * kDenoiser});
        QVERIFY2(refusal->cheapestFix.find("denoise to auto") != std::string::npos,
                 refusal->cheapestFix.c_str());
        QCOMPARE(toJson(*refusal),
                 (Json{{"node", "denoise"},
                       {"device", refusal->device},
                       {"needed", 4 * kDenoiser},
                       {"capacity", 4 * kDenoiser - 1},
                       {"minimum", refusal->minimum},
                       {"budget", refusal->minimum},
                       {"policy", "auto"}}));
        request.nodes[1].work.activations = 4 * kDenoiser;
        const auto hopeless = makePlan(request);
        QVERIFY(std::get<Infeasible>(hopeless).cheapestFix.find("@cpu") != std::string::npos);
        QVERIFY(!toJson(std::get<Infeasible>(hopeless)).contains("policy"));
    }

    void namesABudget_onlyWhereOneHelps_data() {
        QTest::addColumn<Bytes>("size");
        QTest::addColumn<bool>("isOfRun");
        QTest::addColumn<bool>("helps");
        QTest::newRow("no bound") << Bytes{0} << true << true;
        QTest::newRow("a large card") << 8 * kCapacity << true << true;
        QTest::newRow("a card that is too small") << 4 * kDenoiser << true << false;
        QTest::newRow("not the run's device") << Bytes{0} << false << false;
    }

    void namesABudget_onlyWhereOneHelps() {
        QFETCH(Bytes, size);
        QFETCH(bool, isOfRun);
        QFETCH(bool, helps);
        PlanRequest request = pipeline("model", "none", "model");
        request.devices[0].traits.capacity = 4 * kDenoiser - 1;
        request.devices[0].size = size;
        request.nodes[1].work.activations = 4 * kDenoiser;
        if (!isOfRun) {
            for (NodeWork& node : request.nodes) {
                node.policy.device = request.device;
            }
            request.device = parseDeviceSpec("cpu");
        }
        const auto answer = makePlan(request);
        const auto& refusal = std::get<Infeasible>(answer);
        QCOMPARE(refusal.device, std::string("fake"));
        const bool isAdvised = refusal.cheapestFix.find("budget") != std::string::npos;
        QVERIFY2(isAdvised == helps, refusal.cheapestFix.c_str());
        QCOMPARE(toJson(refusal).value("budget", Bytes{0}), helps ? refusal.minimum : Bytes{0});
    }

    void writesALeastFigureThatIsEnough_data() {
        QTest::addColumn<Bytes>("bytes");
        QTest::addColumn<std::string>("text");
        QTest::newRow("whole") << 17 * kMiB << std::string("17.0 MiB");
        QTest::newRow("one more") << 17 * kMiB + 1 << std::string("17.1 MiB");
        QTest::newRow("formatBytes is less") << Bytes{18035712} << std::string("17.3 MiB");
        QTest::newRow("little") << Bytes{1} << std::string("0.1 KiB");
        QTest::newRow("much") << 2 * kGiB - 1 << std::string("2.0 GiB");
    }

    void writesALeastFigureThatIsEnough() {
        QFETCH(Bytes, bytes);
        QFETCH(std::string, text);
        QCOMPARE(formatAtLeast(bytes), text);
        QVERIFY(parseBytes(text).value_or(0) >= bytes);
    }

    void keptComponentsStayToTheEndAndAfterIt() {
        const Plan plan = planOf(pipeline("model,after=keep", "model", "model"));
        QVERIFY(plan.stays.at(0).isKept);
        QCOMPARE(onFake(plan, 2).weights, Bytes{4 * (kEncoder + kDecoder)});
    }

    void offloadsMakeRoomUntilTheNextUse() {
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
        request.kept = {{.tree = "other", .device = "fake", .bytes = 5 * kKiB, .role = "upscaler"}};
        request.devices[0].held = 6 * kKiB;
        QCOMPARE(onFake(planOf(request), 2).held, 6 * kKiB);
        for (const char* name : {"all", "upscaler", "other"}) {
            request.nodes[1].offloads = {name};
            const Plan plan = planOf(request);
            QCOMPARE(onFake(plan, 1).held, 6 * kKiB);
            QCOMPARE(onFake(plan, 2).held, kKiB);
        }
    }

    /// Residents once, and in each pass what streams.
    void needsOneCopyForEachUse() {
        const Plan whole = planOf(pipeline("none", "none", "none"));
        QCOMPARE(whole.stages.at(1).needed, Bytes{4 * kDenoiser});
        const Plan streamed = planOf(pipeline("none", "leaf", "none"));
        QCOMPARE(streamed.stages.at(1).needed, Bytes{20 * 4 * kDenoiser});
        QVERIFY(streamed.stages.at(1).moved >= streamed.stages.at(1).needed);
    }

    void aPolicyThatChangesBeginsAStayOfItsOwn() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes.push_back({"again", parsePolicy("leaf"), request.nodes[1].components});
        const Plan plan = planOf(request);
        QCOMPARE(plan.components.size(), size_t{3});
        QCOMPARE(plan.stays.size(), size_t{4});
        QCOMPARE(plan.stays.at(1).last, NodeIndex{2});
        QVERIFY(plan.use(3, *request.nodes[1].components[0])->stay == 3);
        QVERIFY(plan.use(0, *request.nodes[1].components[0]) == nullptr);
    }

    void devicesPerNodeAreCountedApart() {
        const Plan plan = planOf(pipeline("none@cpu", "none", "none"));
        QCOMPARE(plan.device(parseDeviceSpec("fake"))->peakWeights,
                 Bytes{4 * (kDenoiser + kDecoder)});
        QCOMPARE(plan.device(parseDeviceSpec("cpu"))->peakWeights, Bytes{4 * kEncoder});
        QVERIFY(plan.stays.at(0).layout->isInPlace);
        QCOMPARE(plan.places.at(0).arenaBytes, Bytes{0});
    }

    void pinsWhatStreams_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<qint64>("passes");
        QTest::addColumn<qint64>("hostBudget");
        QTest::addColumn<qint64>("pinned");
        const qint64 all = 4 * kDenoiser;
        QTest::newRow("what the device may pin") << "leaf" << qint64{20} << kPlenty << qint64{3000};
        QTest::newRow("as asked") << "leaf,pin=1000" << qint64{20} << kPlenty << qint64{1000};
        QTest::newRow("all that streams") << "leaf,pin=1GiB" << qint64{20} << kPlenty << all;
        QTest::newRow("none") << "leaf,pin=0" << qint64{20} << kPlenty << qint64{0};
        QTest::newRow("it comes once") << "leaf" << qint64{1} << kPlenty << qint64{0};
        QTest::newRow("nothing streams") << "none" << qint64{20} << kPlenty << qint64{0};
        QTest::newRow("the host's budget")
            << "leaf,pin=1GiB" << qint64{20} << qint64{2000} << qint64{2000};
    }

    void pinsWhatStreams() {
        QFETCH(QString, policy);
        QFETCH(qint64, passes);
        QFETCH(qint64, hostBudget);
        QFETCH(qint64, pinned);
        PlanRequest request = pipeline("none", policy.toStdString(), "none");
        request.nodes[1].work.components[0].passes = passes;
        request.devices[0].traits.pinnable = 3000;
        request.devices[1].traits.capacity = hostBudget;
        const Plan plan = planOf(request);
        const PlannedUse& use = *plan.use(1, *request.nodes[1].components[0]);
        QCOMPARE(plan.stays.at(use.stay).pinned, Bytes{pinned});
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

    void countsWhatADeviceTakesBesideTheNodes() {
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

    void combinationsThatMeanNothingAreRefusedWithASentence_data() {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("word");
        QTest::newRow("none+stream") << "none+stream"
                                     << "ahead";
        QTest::newRow("sequential+stream") << "sequential+stream"
                                           << "ahead";
        QTest::newRow("auto+stream") << "auto+stream"
                                     << "where that is faster";
        QTest::newRow("model with a budget") << "model,budget=1GiB"
                                             << "budget of its own";
        QTest::newRow("model pinned") << "model,pin=1GiB"
                                      << "nothing to pin";
        QTest::newRow("leaf kept") << "leaf,after=keep"
                                   << "nothing to keep";
    }

    void combinationsThatMeanNothingAreRefusedWithASentence() {
        QFETCH(QString, policy);
        QFETCH(QString, word);
        const std::string message = errorOf(policy.toStdString());
        QVERIFY2(message.find(word.toStdString()) != std::string::npos, message.c_str());
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

    void saysOfWhichDayItsTimesAre() {
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
