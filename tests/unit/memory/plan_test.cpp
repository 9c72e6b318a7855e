#include "plugin/base/error.hpp"
#include "plugin/memory/plan.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr int64_t kEncoder = 128 * 2;
constexpr int64_t kDenoiser = 128 * 10;
constexpr int64_t kDecoder = 128 * 3;
constexpr Bytes kCapacity = 1 << 20;

/// encode -> denoise -> decode on a card that copies every weight.
PlanRequest pipeline(const std::string& encode,
                     const std::string& denoise,
                     const std::string& decode) {
    PlanRequest request;
    request.nodes = {{"encode", parsePolicy(encode), {testing::tree("text_encoder", {kEncoder})}},
                     {"denoise", parsePolicy(denoise), {testing::tree("denoiser", {kDenoiser})}},
                     {"decode", parsePolicy(decode), {testing::tree("autoencoder", {kDecoder})}}};
    request.device = parseDeviceSpec("fake");
    request.traits = {
        {parseDeviceSpec("fake"), {.usesWeightsInPlace = false, .capacity = kCapacity}},
        {parseDeviceSpec("cpu"), {.usesWeightsInPlace = true, .capacity = kCapacity}}};
    return request;
}

Plan planOf(const PlanRequest& request) {
    return std::get<Plan>(makePlan(request));
}

}  // namespace

class PlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void none_keepsEverythingToTheEnd() {
        const Plan plan = planOf(pipeline("none", "none", "none"));
        QCOMPARE(plan.devices.at(0).arenaBytes, Bytes{4 * (kEncoder + kDenoiser + kDecoder)});
        QCOMPARE(plan.devices.at(0).peakWeights, plan.devices.at(0).arenaBytes);
        QCOMPARE(plan.stages.at(0).resident.size(), size_t{1});
        QCOMPARE(plan.stages.at(2).resident.size(), size_t{3});
    }

    void model_holdsOneComponentAtATime() {
        const Plan plan = planOf(pipeline("model", "model", "model"));
        QCOMPARE(plan.devices.at(0).arenaBytes, Bytes{4 * kDenoiser});
        for (const StagePlan& stage : plan.stages) {
            QCOMPARE(stage.resident.size(), size_t{1});
        }
        QCOMPARE(plan.devices.at(0).peakWeights, Bytes{4 * kDenoiser});
    }

    void regionsOfComponentsThatMeetDoNotOverlap() {
        const Plan plan = planOf(pipeline("none", "model", "model"));
        const PlannedComponent& encoder = plan.components.at(0);
        const PlannedComponent& denoiser = plan.components.at(1);
        const PlannedComponent& decoder = plan.components.at(2);
        QVERIFY(denoiser.arenaOffset >= encoder.arenaOffset + encoder.arenaBytes ||
                encoder.arenaOffset >= denoiser.arenaOffset + denoiser.arenaBytes);
        QCOMPARE(denoiser.arenaOffset, decoder.arenaOffset);
        QVERIFY(plan.devices.at(0).arenaBytes >= denoiser.arenaOffset + denoiser.arenaBytes);
    }

    void auto_isNoneWhereAllFitsAndModelWhereNot() {
        PlanRequest roomy = pipeline("auto", "auto", "auto");
        QVERIFY(planOf(roomy).components.at(1).planner == "none");
        roomy.traits[0].second.capacity = 4 * kDenoiser;
        QVERIFY(planOf(roomy).components.at(1).planner == "model");
    }

    void refusesWhatCannotFit_withTheNode() {
        PlanRequest request = pipeline("model", "model", "model");
        request.traits[0].second.capacity = 4 * kDenoiser - 1;
        const auto answer = makePlan(request);
        const auto* refusal = std::get_if<Infeasible>(&answer);
        QVERIFY(refusal);
        QVERIFY(refusal->node == "denoise");
        QCOMPARE(refusal->needed, Bytes{4 * kDenoiser});
        QVERIFY(!refusal->cheapestFix.empty());
    }

    void aComponentUsedTwiceIsPlannedOnce() {
        PlanRequest request = pipeline("model", "model", "model");
        request.nodes.push_back({"again", parsePolicy("model"), request.nodes[0].components});
        const Plan plan = planOf(request);
        QCOMPARE(plan.components.size(), size_t{3});
        QCOMPARE(plan.components.at(0).firstNode, NodeIndex{0});
        QCOMPARE(plan.components.at(0).lastNode, NodeIndex{3});
        QVERIFY(plan.use(3, *request.nodes[0].components[0]) != nullptr);
        QVERIFY(plan.use(1, *request.nodes[0].components[0]) == nullptr);
    }

    void devicesPerNodeHaveArenasOfTheirOwn() {
        const Plan plan = planOf(pipeline("none@cpu", "none", "none"));
        QCOMPARE(plan.components.at(0).arenaBytes, Bytes{0});
        QCOMPARE(plan.device(parseDeviceSpec("fake"))->arenaBytes,
                 Bytes{4 * (kDenoiser + kDecoder)});
        QCOMPARE(plan.device(parseDeviceSpec("cpu"))->peakWeights, Bytes{4 * kEncoder});
    }

    void policiesWithoutAPlannerAreRefusedByName_data() {
        QTest::addColumn<QString>("policy");
        QTest::newRow("leaf") << "leaf";
        QTest::newRow("sequential") << "sequential";
        QTest::newRow("model+stream") << "model+stream";
    }

    void policiesWithoutAPlannerAreRefusedByName() {
        QFETCH(QString, policy);
        try {
            static_cast<void>(makePlan(pipeline("none", policy.toStdString(), "none")));
            QFAIL("planned");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Unsupported);
            QVERIFY(std::string(error.what()).find("denoise") != std::string::npos);
        }
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
