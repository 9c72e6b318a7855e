// Times of plans after a run of the same work.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <cmath>

namespace learned_times_test {

using namespace lowtide;

namespace {

/// The same work as in the run. What is left is reading weights that lie in memory by then: up to
/// 0.02 s of a stage of a quarter of a second.
constexpr double kTolerance = 0.2;

double secondsOf(const Json& stages, const std::string& node) {
    const auto found = std::find_if(
        stages.begin(), stages.end(), [&](const Json& stage) { return stage.at("node") == node; });
    return found == stages.end() ? 0 : found->at("seconds").get<double>();
}

}  // namespace

class LearnedTimesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    Json options(const std::string& device) const {
        return {{"device", device},
                {"set", {"latent.width=256", "latent.height=256", "denoise.steps=8"}},
                {"forceExecution", true},
                {"out", folder_.path().toStdString()}};
    }

    double planned(const std::string& device) const {
        std::string text;
        testing::openModule().runner()->plan(
            testing::exampleText("text_to_image"), options(device).dump(), text);
        return secondsOf(Json::parse(text).at("plan").at("stages"), "denoise");
    }

    double measured(const std::string& device) const {
        const testing::ModuleRun ended =
            testing::runModule(testing::exampleText("text_to_image"), options(device));
        const Json& traffic = ended.report.at("repetitions").at(0).at("traffic");
        return secondsOf(traffic.at("stages"), "denoise");
    }

private Q_SLOTS:

    void aPlanStatesWhatTheRunBeforeItTook() {
        const double took = measured("cpu");
        const double reported = planned("cpu");

        qInfo("took %.3f s, the next plan predicts %.3f s", took, reported);
        QVERIFY(took > 0);
        QVERIFY(std::abs(reported / took - 1) < kTolerance);
    }

    /// Its times are those of the card that it plays.
    void aRehearsalGoesOnStatingItsCard() {
        const double before = planned("fake");

        QVERIFY(measured("fake") > 0);

        QCOMPARE(planned("fake"), before);
    }
};

LOWTIDE_TEST(LearnedTimesTest)

}  // namespace learned_times_test

#include "learned_times_test.moc"
