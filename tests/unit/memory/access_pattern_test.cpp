#include "plugin/memory/plan.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace access_pattern_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

constexpr LeafId kLeaves = 20;
constexpr int64_t kElements = 128;  // 512 bytes: one slot
constexpr Bytes kLeafBytes = 512;
constexpr LeafId kOuter[] = {0, 1, 18, 19};
constexpr int64_t kFull = 3;
constexpr int64_t kPartial = 6;

/// A denoiser of equal leaves: every third forward uses all of them, the others the outer four.
PlanRequest denoiser(const std::string& policy, Bytes capacity) {
    PlanRequest request;
    request.nodes = {{"denoise",
                      parsePolicy(policy),
                      {testing::tree("denoiser", std::vector<int64_t>(kLeaves, kElements))}}};
    ComponentWork work{.tree = request.nodes[0].components[0], .forwards = kFull + kPartial};
    for (LeafId leaf = 0; leaf < kLeaves; ++leaf) {
        work.forward.push_back({leaf, 1e6});
    }
    for (const LeafId leaf : kOuter) {
        work.others[1].push_back({leaf, 1e6});
    }
    for (int64_t forward = 0; forward < work.forwards; ++forward) {
        const auto patternOf = [](int64_t number) {
            return static_cast<uint32_t>(number % 3 == 0 ? 0 : 1);
        };
        work.sequence.push_back({.pattern = patternOf(forward), .next = patternOf(forward + 1)});
    }
    request.nodes[0].work.components = {work};
    request.device = parseDeviceSpec("fake");
    request.devices = {{.spec = request.device,
                        .traits = {.usesWeightsInPlace = false, .capacity = capacity},
                        .profile = {.copyBytesPerSecond = 1e6, .flopsPerSecond = 1e12}}};
    return request;
}

/// A network that reads its hint once, with a leaf that no step has a use for.
PlanRequest hinted(const std::string& policy) {
    PlanRequest request = denoiser(policy, 1 << 20);
    ComponentWork& work = request.nodes[0].work.components.front();
    work.forward.erase(work.forward.begin());
    work.others[1] = {{0, 1e6}};
    work.sequence.assign(static_cast<size_t>(work.forwards), {});
    work.sequence.front().pattern = 1;
    return request;
}

Plan planOf(const std::string& policy, Bytes capacity = 1 << 20) {
    return std::get<Plan>(makePlan(denoiser(policy, capacity)));
}

}  // namespace

/// Forwards that use different leaves: full and partial steps.
class AccessPatternTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aForwardBringsWhatItUses_data() {
        QTest::addColumn<QString>("policy");
        QTest::newRow("leaf") << "leaf";
        QTest::newRow("sequential") << "sequential";
    }

    void aForwardBringsWhatItUses() {
        QFETCH(QString, policy);

        const Plan plan = planOf(policy.toStdString());

        const StagePlan& stage = plan.stages.at(0);
        QCOMPARE(stage.patterns.at(0),
                 (PatternTraffic{.forwards = kFull, .moved = kFull * kLeaves * kLeafBytes}));
        QCOMPARE(stage.patterns.at(1),
                 (PatternTraffic{.forwards = kPartial, .moved = kPartial * 4 * kLeafBytes}));
        QCOMPARE(stage.moved, (kFull * kLeaves + kPartial * 4) * kLeafBytes);
        QCOMPARE(stage.needed, stage.moved);
    }

    /// The order of a partial forward is known before the first one.
    void nothingElseIsCopiedAhead() {
        const Plan plan = planOf("leaf+stream");
        const StagePlan& stage = plan.stages.at(0);
        QVERIFY(stage.moved <= stage.needed);
        QVERIFY(stage.patterns.at(1).moved <= kPartial * 4 * kLeafBytes);
        QCOMPARE(plan.residencies.at(0).layout->orderOf(1), (std::vector<GroupId>{0, 1, 18, 19}));
    }

    void whatShortForwardsUseRemains() {
        const Plan plan = planOf("auto", 9 * kLeafBytes);
        const Layout& layout = *plan.residencies.at(0).layout;
        for (const LeafId leaf : kOuter) {
            QVERIFY(layout.groups[layout.leafGroups[leaf].front()].isResident);
        }
        QVERIFY(layout.bytes() <= 9 * kLeafBytes);
        QVERIFY(!layout.isFullyResident());
        // Copied ahead for the full forward that follows, if anything.
        QVERIFY(plan.stages.at(0).moved <= (4 + kFull * (kLeaves - 4)) * kLeafBytes);
    }

    void wholeComponentsMoveOnce() {
        const Plan plan = planOf("none");
        QCOMPARE(plan.stages.at(0).moved, kLeaves * kLeafBytes);
        QCOMPARE(plan.stages.at(0).patterns.at(0), (PatternTraffic{.forwards = kFull}));
        QCOMPARE(plan.stages.at(0).patterns.at(1), (PatternTraffic{.forwards = kPartial}));
    }

    /// A resident that steps do not use comes when it is first used, and counts as needed then.
    void aHintsLeafIsNeededOnce_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"leaf", "sequential", "none", "none,after=keep", "model"}) {
            QTest::newRow(policy) << QString(policy);
        }
    }

    void aHintsLeafIsNeededOnce() {
        QFETCH(QString, policy);
        const Plan plan = std::get<Plan>(makePlan(hinted(policy.toStdString())));
        const StagePlan& stage = plan.stages.at(0);
        const int64_t steps =
            plan.residencies.at(0).layout->isFullyResident() ? 1 : kFull + kPartial - 1;
        QCOMPARE(stage.moved, (1 + steps * (kLeaves - 1)) * kLeafBytes);
        QCOMPARE(stage.needed, stage.moved);
    }

    void theReportHasPatterns() {
        const Json json = toJson(planOf("leaf")).at("stages").at(0).at("patterns");
        QCOMPARE(json.size(), size_t{2});
        QCOMPARE(
            json.at(1),
            Json({{"pattern", 1}, {"passes", kPartial}, {"moved", kPartial * 4 * kLeafBytes}}));
    }
};

LOWTIDE_TEST(AccessPatternTest)

}  // namespace access_pattern_test

#include "access_pattern_test.moc"
