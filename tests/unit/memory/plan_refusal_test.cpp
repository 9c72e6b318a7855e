// Runs that do not fit, what is reported about them, and what makes none of them fail.
#include "plugin/base/error.hpp"
#include "plugin/memory/plan_refusal.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/plan_bench.hpp"

#include <QtTest/QtTest>

namespace plan_refusal_test {

using namespace lowtide;
using namespace lowtide::memory;
using namespace lowtide::memory::plan_bench;

namespace {

std::string errorOf(const std::string& policy) {
    try {
        static_cast<void>(makePlan(pipeline("none", policy, "none")));
    } catch (const Error& error) {
        return error.message().str();
    }
    return {};
}

}  // namespace

class PlanRefusalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusesWhatCannotFit_withTheNodeAndWhatHelps() {
        PlanRequest request = pipeline("model", "model", "model");
        request.devices[0].traits.capacity = 4 * kDenoiser - 1;
        const auto answer = makePlan(request);
        const auto* refusal = std::get_if<Infeasible>(&answer);
        QVERIFY(refusal);
        QVERIFY(refusal->node == "denoise");
        QCOMPARE(refusal->needed, Bytes{4 * kDenoiser});
        QVERIFY2(refusal->cheapestFix.str().find("denoise to auto") != std::string::npos,
                 refusal->cheapestFix.str().c_str());
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
        QVERIFY(std::get<Infeasible>(hopeless).cheapestFix.str().find("@cpu") != std::string::npos);
        QVERIFY(!toJson(std::get<Infeasible>(hopeless)).contains("policy"));
    }

    /// What a stage on a GPU makes on the host does not fit there: nothing of its policy helps.
    void adviceNamesTheDeviceThatIsTooSmall() {
        PlanRequest request = pipeline("none", "none", "none");
        request.nodes[1].work.elsewhere = {{"cpu", 2000}};
        request.devices[1].traits.capacity = 1999;
        const auto answer = makePlan(request);
        const auto* refusal = std::get_if<Infeasible>(&answer);
        QVERIFY(refusal);
        QCOMPARE(refusal->node, std::string("denoise"));
        QCOMPARE(refusal->device, std::string("cpu"));
        QCOMPARE(refusal->budget, Bytes{2000});
        QCOMPARE(refusal->cheapestFix.str(),
                 std::string("give cpu a budget of at least 2.0 KiB, or a smaller image or batch"));
        request.devices[1].size = 1999;  // it has no more
        QCOMPARE(std::get<Infeasible>(makePlan(request)).cheapestFix.str(),
                 std::string("choose a smaller image or batch"));
        request.devices[1].traits.capacity = 2000;
        QCOMPARE(planOf(request).devices.at(1).peak, Bytes{2000});
    }

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
        QVERIFY2(!refusal->fittingPolicy.empty(), refusal->cheapestFix.str().c_str());
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

        const Bytes extra = 4 * kEncoder + whole;  // while the first node runs
        QCOMPARE(goes(extra + 700), std::string());
        QCOMPARE(goes(extra + 699), std::string("other "));
        QCOMPARE(goes(extra - 1), "other " + own.id + " ");
        QCOMPARE(goes(minimum), "other " + own.id + " ");
        request.devices[0].traits.capacity = minimum - 1;
        QCOMPARE(std::get<Infeasible>(makePlan(request)).minimum, minimum);
    }

    void namesABudget_onlyWhereOneHelps_data() {
        const testing::Rows<Bytes, bool, bool> row("size", "isOfRun", "helps");
        row("no bound", 0, true, true);
        row("a large card", 8 * kCapacity, true, true);
        row("a card that is too small", 4 * kDenoiser, true, false);
        row("not the run's device", 0, false, true);
        row("not the run's, too small", 4 * kDenoiser, false, false);
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
        const bool isAdvised = refusal.cheapestFix.str().find("budget") != std::string::npos;
        QVERIFY2(isAdvised == helps, refusal.cheapestFix.str().c_str());
        QCOMPARE(toJson(refusal).value("budget", Bytes{0}), helps ? refusal.minimum : Bytes{0});
    }

    void writesALeastFigureThatIsEnough_data() {
        const testing::Rows<Bytes, std::string> row("bytes", "text");
        row("whole", 17 * kMiB, std::string("17.0 MiB"));
        row("one more", 17 * kMiB + 1, std::string("17.1 MiB"));
        row("formatBytes is less", 18035712, std::string("17.3 MiB"));
        row("little", 1, std::string("0.1 KiB"));
        row("much", 2 * kGiB - 1, std::string("2.0 GiB"));
    }

    void writesALeastFigureThatIsEnough() {
        QFETCH(Bytes, bytes);
        QFETCH(std::string, text);
        QCOMPARE(formatAtLeast(bytes), text);
        QVERIFY(parseBytes(text).value_or(0) >= bytes);
    }

    void combinationsThatMeanNothingAreRefusedWithASentence_data() {
        const testing::Rows<QString, QString> row("policy", "word");
        row("none+stream", "none+stream", "ahead");
        row("sequential+stream", "sequential+stream", "ahead");
        row("auto+stream", "auto+stream", "where that is faster");
        row("model with a budget", "model,budget=1GiB", "budget of its own");
        row("model pinned", "model,pin=1GiB", "nothing to pin");
        row("leaf kept", "leaf,after=keep", "nothing to keep");
    }

    void combinationsThatMeanNothingAreRefusedWithASentence() {
        QFETCH(QString, policy);
        QFETCH(QString, word);
        const std::string message = errorOf(policy.toStdString());
        QVERIFY2(message.find(word.toStdString()) != std::string::npos, message.c_str());
    }
};

LOWTIDE_TEST(PlanRefusalTest)

}  // namespace plan_refusal_test

#include "plan_refusal_test.moc"
