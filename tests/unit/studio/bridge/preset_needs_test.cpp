#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "ui/bridge/preset_store.hpp"

#include <QtTest/QtTest>

namespace preset_needs_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

}  // namespace

class PresetNeedsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void answersForThePresetThatWasAskedForLast() {
        runner_.setAnswers({{"issues", Json::array()}}, {{"plan", {{"bytes", 5}}}}, Status::Ok, 50);
        PresetNeeds needs(runner_, store_);
        QSignalSpy answered(&needs, &PresetNeeds::answered);

        needs.ask("builtin:upscale");
        needs.ask("builtin:inpaint");

        QVERIFY(answered.wait(kPatience));
        QTest::qWait(100);
        QCOMPARE(answered.count(), 1);
        QCOMPARE(answered.first().at(0).toString(), QString("builtin:inpaint"));
        QCOMPARE(answered.first().at(1).value<Planned>().plan, (Json{{"bytes", 5}}));
    }

    void explainsWhyThereIsNoPlan() {
        runner_.setAnswers(
            {{"issues", Json::array()}},
            Json::parse(R"({"issues": [{"severity": "error", "code": "memory_infeasible",
                                                       "message": "too much"}]})"),
            Status::Invalid);
        PresetNeeds needs(runner_, store_);
        QSignalSpy answered(&needs, &PresetNeeds::answered);

        needs.ask("builtin:upscale");

        QVERIFY(answered.wait(kPatience));
        const auto planned = answered.first().at(1).value<Planned>();
        QVERIFY(planned.plan.is_null());
        QCOMPARE(planned.issues.at(0).message.str(), std::string("too much"));
    }

    /// As when a card is chosen to plan for, or a budget.
    void asksAgain_whenTheOptionsChange() {
        runner_.setAnswers({{"issues", Json::array()}}, {{"plan", {{"bytes", 5}}}});
        PresetNeeds needs(runner_, store_);
        QSignalSpy answered(&needs, &PresetNeeds::answered);
        needs.setOptions({{"device", "cpu"}});  // of no preset yet
        QTest::qWait(50);
        QVERIFY(runner_.askedGraphs().empty());
        needs.ask("builtin:upscale");
        QVERIFY(answered.wait(kPatience));

        needs.setOptions({{"device", "cpu"}});
        needs.setOptions({{"as", "RTX 4060"}});

        QVERIFY(answered.wait(kPatience));
        QTest::qWait(50);
        QCOMPARE(answered.count(), 2);
        QCOMPARE(answered.last().at(0).toString(), QString("builtin:upscale"));
    }

    void asksNothing_ofAPresetThatIsNotThere() {
        PresetNeeds needs(runner_, store_);

        needs.ask("no such preset");
        QTest::qWait(50);

        QVERIFY(runner_.askedGraphs().empty());
    }

private:
    QTemporaryDir user_;
    graph::Catalog catalog_{std::vector<NodeDesc>()};
    PresetStore store_{catalog_, testing::sourcePath("resources/presets"), user_.path()};
    ScriptedRunner runner_;
};

LOWTIDE_TEST(PresetNeedsTest)

}  // namespace preset_needs_test

#include "preset_needs_test.moc"
