// When step caches reuse, without a network: invariants and bad input.

#include "plugin/base/error.hpp"
#include "plugin/sampling/step_caches/gates/mag_calibration.hpp"
#include "plugin/sampling/step_caches/gates/mag_curve.hpp"
#include "plugin/sampling/step_caches/gates/reuse_decision.hpp"
#include "plugin/sampling/step_caches/gates/step_gate.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest>

#include <functional>
#include <limits>

namespace lowtide::sampling::step_gates_test {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSteps = 20;

/// What a gate does over a run: "1" computed, "0" reused. Every step has the same change.
std::string marksOf(std::unique_ptr<StepGate> gate,
                    const ReuseLimits& limits,
                    double change,
                    int steps = kSteps) {
    ReuseDecision decision(std::move(gate), limits);
    std::string marks;
    for (int step = 0; step < steps; ++step) {
        const GateStep here{.step = step, .stepCount = steps, .change = change};
        if (decision.wantsReuse(here)) {
            decision.noteReused(here);
            marks += '0';
        } else {
            decision.noteComputed(here);
            marks += '1';
        }
    }
    return marks;
}

const std::string kAllComputed(kSteps, '1');

std::vector<double> ones() {
    return std::vector<double>(kSteps, 1.0);
}

void refuses(const std::function<void()>& act,
             ErrorKind kind,
             const char* item,
             const char* expected) {
    try {
        act();
    } catch (const Error& error) {
        QVERIFY(error.kind() == kind);
        QCOMPARE(error.item(), std::string(item));
        QVERIFY2(error.message().str().find(expected) != std::string::npos, error.what());
        QVERIFY(!error.hint().empty());
        return;
    }
    QFAIL("nothing was refused");
}

MagCurve curve() {
    return {.checkpoint = std::string(64, 'a'),
            .scheduler = "ddim leading",
            .ratios = {1, 1.25, 0.875, 0.96875},
            .check = {.runs = 2, .meanDeviation = 0.01, .worstDeviation = 0.02, .worstStep = 3}};
}

Json changed(const char* key, const Json& value) {
    Json json = toJson(curve());
    json[key] = value;
    return json;
}

}  // namespace

class StepGatesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void thresholdZeroNeverReuses() {
        QCOMPARE(marksOf(firstBlockGate(0), {}, 0.0), kAllComputed);
        QCOMPARE(marksOf(magGate({.threshold = 0, .keptFraction = 0}, ones()), {}, kNaN),
                 kAllComputed);
        QCOMPARE(marksOf(outputChangeGate({.threshold = 0, .active = {0, 1}}), {}, 1e-300),
                 kAllComputed);
        QCOMPARE(marksOf(windowGate({.window = 1, .growth = 0, .warmUp = 0}), {}, kNaN),
                 kAllComputed);
    }

    void whatIsNotFiniteIsComputed() {
        for (const double change : {kNaN, kInfinity, -kInfinity}) {
            QCOMPARE(marksOf(firstBlockGate(1e9), {}, change), kAllComputed);
            QCOMPARE(marksOf(outputChangeGate({.threshold = 1e9, .active = {0, 1}}), {}, change),
                     kAllComputed);
        }
        const std::vector<double> ratios(kSteps, kNaN);
        QCOMPARE(marksOf(magGate({.threshold = 1e9, .keptFraction = 0}, ratios), {}, kNaN),
                 kAllComputed);
    }

    void changeOfNothingStatesNothing_ofTheOutput() {
        QCOMPARE(marksOf(outputChangeGate({.active = {0, 1}}), {}, 0.0), kAllComputed);
    }

    void changeUpToTheThresholdIsReused_byTheFirstBlock() {
        QCOMPARE(marksOf(firstBlockGate(0.1), {}, 0.1), std::string(kSteps, '0'));
        QCOMPARE(marksOf(firstBlockGate(0.1), {}, 0.1000001), kAllComputed);
    }

    void limitsHoldForEveryGate() {
        const ReuseLimits limits{.warmUp = 3, .mostInARow = 2, .keepLast = 4};
        const std::string expected = "11100100100100101111";
        QCOMPARE(marksOf(firstBlockGate(1), limits, 0.5), expected);
        QCOMPARE(marksOf(magGate({.mostSkips = 9, .keptFraction = 0}, ones()), limits, kNaN),
                 expected);
        QCOMPARE(marksOf(outputChangeGate({.threshold = 99, .active = {0, 1}}), limits, 0.5),
                 expected);
        QCOMPARE(marksOf(maskGate(std::vector<bool>(kSteps, false)), limits, kNaN), expected);
    }

    void expectedChangesAddUpUntilAStepIsComputed() {
        const std::string marks =
            marksOf(outputChangeGate({.threshold = 1, .active = {0.15, 0.95}}), {}, 0.3);

        QCOMPARE(marks, std::string("11100010001000100011"));  // 0.3, 0.6 and 0.9 are below 1
    }

    void errorsOfTheCurveAddUp() {
        // Products 0.96, 0.96^2, 0.96^3: errors 0.04, 0.1184, 0.233664.
        const std::vector<double> ratios(kSteps, 0.96);
        const auto marks = [&](double threshold, int most) {
            return marksOf(
                magGate({.threshold = threshold, .mostSkips = most, .keptFraction = 0.2}, ratios),
                {},
                kNaN);
        };

        QCOMPARE(marks(0.119, 9), std::string("11110010010010010010"));
        QCOMPARE(marks(0.118, 9), std::string("11110101010101010101"));
        QCOMPARE(marks(0.119, 1), std::string("11110101010101010101"));
        QCOMPARE(marks(0.0399, 9), kAllComputed);
    }

    void stepsBeyondTheCurveCountAsUnchanged() {
        const std::string marks = marksOf(
            magGate({.threshold = 0.01, .mostSkips = 99, .keptFraction = 0}, {0.5, 0.5}), {}, kNaN);

        QCOMPARE(marks, "11" + std::string(kSteps - 2, '0'));
    }

    void windowsGrow() {
        QCOMPARE(marksOf(windowGate({}), {}, kNaN), std::string("11110101001001000111"));
    }

    void aStepComputedAgainstTheGateStartsOver() {
        const auto gate = magGate({.threshold = 0.1, .mostSkips = 2, .keptFraction = 0}, ones());
        const auto at = [](int step) { return GateStep{.step = step, .stepCount = kSteps}; };
        gate->noteReused(at(1));
        gate->noteReused(at(2));
        QVERIFY(!gate->wantsReuse(at(3)));

        gate->noteComputed(at(3));

        QVERIFY(gate->wantsReuse(at(4)));
    }

    void askingChangesNothing() {
        const auto gate = outputChangeGate({.threshold = 1, .active = {0, 1}});
        const GateStep step{.step = 3, .stepCount = kSteps, .change = 0.6};

        for (int i = 0; i < 5; ++i) {
            QVERIFY(gate->wantsReuse(step));
        }
        gate->noteReused(step);
        QVERIFY(!gate->wantsReuse(step));
    }

    void readsMasks() {
        const std::vector<bool> mask = parseStepMask("1,0 0 1");

        QCOMPARE(mask, (std::vector<bool>{true, false, false, true}));
        QCOMPARE(marksOf(maskGate(mask), {}, kNaN, 4), std::string("1001"));
    }

    void refusesMasks_data() {
        const testing::Rows<QString, QString> row("mask", "expected");
        row("empty", "", "empty");
        row("blanks", " , ", "empty");
        row("letter", "10x1", "\"x\" at position 3");
        row("half of a letter", "1\u00e9", "at position 2");
        row("first reused", "0111", "first step");
        row("long", QString(10'001, '1'), "more than 10000");
    }

    void refusesMasks() {
        QFETCH(QString, mask);
        QFETCH(QString, expected);
        refuses([&] { (void)parseStepMask(mask.toStdString()); },
                ErrorKind::InvalidInput,
                "mask",
                expected.toUtf8().constData());
    }

    void refusesMasksOfAnotherLength() {
        checkStepMask({true, false, true}, 3);
        refuses(
            [] {
                checkStepMask({true, false}, 3);
            },
            ErrorKind::InvalidInput,
            "mask",
            "2 entries, the sampler calls the network 3 times");
    }

    void refusesSettings_data() {
        const testing::Rows<std::function<void()>, QByteArray> add("act", "item");
        const auto row = [&](const char* name, const char* item, std::function<void()> act) {
            add(name, std::move(act), QByteArray(item));
        };
        row("below", "threshold", [] { (void)firstBlockGate(-0.1); });
        row("no number", "threshold", [] { (void)firstBlockGate(kNaN); });
        row("infinite", "threshold", [] { (void)outputChangeGate({.threshold = kInfinity}); });
        row("mag", "threshold", [] { (void)magGate({.threshold = -1}, {}); });
        row("skips", "max_consecutive", [] { (void)magGate({.mostSkips = 0}, {}); });
        row("share", "kept_share", [] { (void)magGate({.keptFraction = 1.1}, {}); });
        row("order", "end", [] { (void)outputChangeGate({.active = {0.9, 0.2}}); });
        row("beyond", "end", [] { (void)outputChangeGate({.active = {0, kNaN}}); });
        row("window", "window", [] { (void)windowGate({.window = 0}); });
        row("wide", "window", [] { (void)windowGate({.window = 1e12}); });
        row("growth", "window_growth", [] { (void)windowGate({.growth = -1}); });
        row("window's warm-up", "warm_up", [] { (void)windowGate({.warmUp = -1}); });
        row("stop", "end", [] { (void)windowGate({.stopFraction = 2}); });
        row("warm-up", "warm_up", [] { ReuseLimits{.warmUp = -1}.check(); });
        row("row", "max_consecutive", [] { ReuseLimits{.mostInARow = 0}.check(); });
        row("last", "keep_last", [] { ReuseLimits{.keepLast = -2}.check(); });
    }

    void refusesSettings() {
        QFETCH(std::function<void()>, act);
        QFETCH(QByteArray, item);
        refuses(act, ErrorKind::InvalidInput, item.constData(), "");
    }

    void curveSurvivesItsFile() {
        const MagCurve read = parseMagCurve(toJson(curve()).dump(), "curve.json");

        QCOMPARE(toJson(read), toJson(curve()));
        QCOMPARE(read.ratios, curve().ratios);
    }

    void refusesWhatIsNoCurve_data() {
        const testing::Rows<QString, QString> add("text", "expected");
        const auto row = [&](const char* name, const Json& json, const char* expected) {
            add(name, QString::fromStdString(json.dump()), expected);
        };
        add("no JSON", "{", "curve.json");
        add("large", QString((1 << 20) + 1, ' '), "curve.json");
        row("list", Json::array(), "curve.json");
        row("other file", changed("kind", "lora"), "no MagCache curve");
        row("no format", changed("format", nullptr), "\"format\" is missing");
        row("short hash", changed("checkpoint", "abc"), "no SHA-256");
        row("hash", changed("checkpoint", std::string(64, 'G')), "no SHA-256");
        row("scheduler", changed("scheduler", ""), "\"scheduler\" is missing");
        row("no ratios", changed("ratios", Json::array()), "has 0 steps");
        row("many", changed("ratios", std::vector<double>(10'001, 1.0)), "has 10001 steps");
        row("zero", changed("ratios", {1, 0}), "the ratio of step 1 is 0");
        row("below", changed("ratios", {-1, 1}), "the ratio of step 0 is -1");
        row("beyond", changed("ratios", {1, 1e9}), "not above 1000");
        row("text", changed("ratios", "one"), "ratios");
        row("unchecked", changed("check", nullptr), "\"check\" is missing");
        row("no seed", changed("check", {{"runs", 0}}), "no held-out seed");
        row("place", changed("check", {{"runs", 1}, {"worst_step", 4}}), "no step of the curve");
        row("deviation", changed("check", {{"runs", 1}, {"worst_step", 0}}), "no deviation");
    }

    void refusesWhatIsNoCurve() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        try {
            (void)parseMagCurve(text.toStdString(), "curve.json");
        } catch (const Error& error) {
            QVERIFY(error.kind() == ErrorKind::Corrupt);
            QVERIFY2(error.message().str().find(expected.toStdString()) != std::string::npos,
                     error.what());
            return;
        }
        QFAIL("it was read");
    }

    void refusesNewerCurves() {
        refuses([] { (void)parseMagCurve(changed("format", 2).dump(), "curve.json"); },
                ErrorKind::Unsupported,
                "curve",
                "format 2");
    }

    void refusesCurvesOfOthers() {
        curve().checkFor(std::string(64, 'a'), "ddim leading");
        refuses([] { curve().checkFor(std::string(64, 'b'), "ddim leading"); },
                ErrorKind::InvalidInput,
                "curve",
                "the checkpoint aaaaaaaaaa, this is bbbbbbbbbb");
        refuses([] { curve().checkFor(std::string(64, 'a'), "euler leading"); },
                ErrorKind::InvalidInput,
                "curve",
                "the scheduler \"ddim leading\", this is \"euler leading\"");
    }

    void calibrationIsTheMeanAndItsCheckTheWorst() {
        const MagCurve made = calibratedCurve({.checkpoint = "a",
                                               .scheduler = "b",
                                               .runs = {{1, 1.5, 0.75}, {1, 0.5, 1.25}},
                                               .heldOut = {{1, 1.25, 1}, {1, 1, 0.5}}});

        QCOMPARE(made.ratios, (std::vector<double>{1, 1, 1}));
        QCOMPARE(made.check.runs, 2);
        QCOMPARE(made.check.worstDeviation, 0.5);
        QCOMPARE(made.check.worstStep, 2);
        QCOMPARE(made.check.meanDeviation, 0.75 / 6);
        requireHolds(made, 0.5);
        refuses([&] { requireHolds(made, 0.49); }, ErrorKind::InvalidInput, "curve", "at step 2");
    }

    void refusesToCalibrate_data() {
        const testing::Rows<MagRecord, QString> add("record", "expected");
        using Runs = std::vector<MagRatios>;
        const auto row = [&](const char* name, Runs runs, Runs heldOut, const char* expected) {
            add(name, MagRecord{"a", "b", std::move(runs), std::move(heldOut)}, expected);
        };
        row("nothing", {}, {{1, 1}}, "no pass was recorded");
        row("no steps", {{}}, {{}}, "no pass was recorded");
        row("nothing held out", {{1, 1}}, {}, "no pass is left");
        row("lengths", {{1, 1}, {1}}, {{1, 1}}, "a pass has 1 steps, the first one 2");
        row("held-out lengths", {{1, 1}}, {{1, 1, 1}}, "a pass has 3 steps");
        row("no number", {{1, kNaN}}, {{1, 1}}, "the ratio of step 1");
        row("zero held out", {{1, 1}}, {{1, 0}}, "the ratio of step 1 is 0");
    }

    void refusesToCalibrate() {
        QFETCH(MagRecord, record);
        QFETCH(QString, expected);
        refuses([&] { (void)calibratedCurve(record); },
                ErrorKind::InvalidInput,
                "",
                expected.toUtf8().constData());
    }
};

LOWTIDE_TEST(StepGatesTest)

}  // namespace lowtide::sampling::step_gates_test

#include "step_gates_test.moc"
