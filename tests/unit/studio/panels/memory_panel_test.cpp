#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/panels/memory_panel_bench.hpp"
#include "ui/panels/plan_bars.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace memory_panel_test {

using namespace lowtide;
using namespace lowtide::ui;

class MemoryPanelTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { PanelBench::useTheme(false); }

    void showsThePlan_beforeTheRun() {
        PanelOnBench bench;
        bench.ask(planned());

        QTRY_COMPARE_WITH_TIMEOUT(
            bench.summary(),
            QString("Needs 8.0 MiB of 8.0 MiB, streams 53 %, under 1 s (estimate)"),
            kPanelPatience);
        auto* bars = bench.find<PlanBars>("planBars");
        QVERIFY(bars->isVisible());
        QVERIFY(bars->barOf(1).width() > bars->barOf(0).width());
        QCOMPARE(bars->barOf(1).right(), bars->budgetX());  // it takes the whole budget
        QVERIFY(!bench.find<QWidget>("refusal")->isVisible());
        QVERIFY(bench.find<QLabel>("budgetNote")->text().startsWith("Needs at least"));
    }

    void showsPlanFirst_andTheRestNextToItWhereItFits() {
        PanelOnBench bench;
        bench.ask(planned());
        auto* bars = bench.find<PlanBars>("planBars");
        QTRY_VERIFY_WITH_TIMEOUT(bars->isVisible(), kPanelPatience);
        const auto topOf = [&](const char* name) {
            return bench.find<QWidget>(name)->mapTo(&bench.panel, QPoint()).y();
        };
        QVERIFY(topOf("summary") < topOf("planBars"));
        QVERIFY(topOf("planBars") + bars->height() <= topOf("device"));
        QVERIFY(topOf("device") < topOf("components"));

        bench.panel.resize(740, 196);  // as at the first start, in a window of 1440 by 900
        QTest::qWait(50);

        QVERIFY(qAbs(topOf("device") - topOf("summary")) < 20);
        QVERIFY(topOf("planBars") + bars->height() <= bench.panel.height());
        QVERIFY(topOf("releaseAll") + bench.find<QWidget>("releaseAll")->height() <=
                bench.panel.height());
        QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(bench.panel), QStringList(), kPanelPatience);
        test::keepScreenshot(bench.panel, "memory_wide");
    }

    /// Where two columns are too narrow for what is in them, there is one.
    void nothingIsCutAtItsSide() {
        PanelOnBench bench;
        bench.ask(planned());
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("planBars")->isVisible(), kPanelPatience);
        for (int width = 320; width <= 800; width += 20) {
            bench.panel.resize(width, 196);
            QCoreApplication::processEvents();
            for (const QScrollArea* area : bench.panel.findChildren<QScrollArea*>()) {
                const int needed =
                    area->isVisible() ? area->widget()->minimumSizeHint().width() : 0;
                QVERIFY2(needed <= area->viewport()->width(),
                         qPrintable(QStringLiteral("%1 at %2: %3 of %4")
                                        .arg(area->objectName())
                                        .arg(width)
                                        .arg(area->viewport()->width())
                                        .arg(needed)));
            }
        }
    }

    void itsHeadingIsAlwaysInView_data() {
        testing::addTable<QSize>({"size"},
                                 {{"narrow", QSize(320, 200)}, {"wide", QSize(740, 100)}});
    }

    /// What the plan needs is read while the rest is scrolled.
    void itsHeadingIsAlwaysInView() {
        QFETCH(QSize, size);
        PanelOnBench bench;
        bench.panel.resize(size);
        bench.ask(planned());
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("planBars")->isVisible(), kPanelPatience);
        QTest::qWait(50);
        int scrolled = 0;
        for (const QScrollArea* area : bench.panel.findChildren<QScrollArea*>()) {
            QScrollBar* bar = area->verticalScrollBar();
            bar->setValue(bar->maximum());
            scrolled += area->isVisible() ? bar->value() : 0;
        }
        QVERIFY(scrolled > 0);
        const auto* summary = bench.find<QLabel>("summary");
        QCOMPARE(summary->visibleRegion().boundingRect(), summary->rect());
    }

    void measuresADevice_thatIsOnlyEstimated() {
        PanelOnBench bench;
        bench.ask(planned());
        auto* measure = bench.find<QPushButton>("measure");
        QTRY_VERIFY_WITH_TIMEOUT(measure->isVisible(), kPanelPatience);
        Json plan = planned();
        plan["plan"]["devices"][0]["estimated"] = false;
        bench.runner().setAnswers(kFine, plan);

        QTest::mouseClick(measure, Qt::LeftButton);
        QCOMPARE(measure->text(), QString("Measuring..."));
        QVERIFY(!measure->isEnabled());

        QTRY_COMPARE_WITH_TIMEOUT(bench.plugin.calibrations().size(), size_t{1}, kPanelPatience);
        QCOMPARE(bench.plugin.calibrations().front(), std::string(R"({"device":"cpu"})"));
        QTRY_VERIFY_WITH_TIMEOUT(measure->isEnabled(), kPanelPatience);
        bench.planning.askNow();  // as the workspace does
        QTRY_VERIFY_WITH_TIMEOUT(!measure->isVisible(), kPanelPatience);
        QVERIFY(!bench.summary().contains("estimate"));
    }

    void measuresNoCardThatIsRehearsed() {
        PanelOnBench bench;
        bench.model.apply("device",
                          [](graph::Document& document) { document.device = "fake:8GiB"; });
        bench.ask(planned());
        QTRY_VERIFY_WITH_TIMEOUT(bench.summary().contains("estimate"), kPanelPatience);

        QVERIFY(!bench.find<QPushButton>("measure")->isVisible());
    }

    void aRehearsedCardIsAsLargeAsItIsStated() {
        PanelOnBench bench;
        bench.model.apply("device",
                          [](graph::Document& document) { document.device = "fake:8MiB"; });
        bench.runner().setMemory({{"fake", {{"total", 5}, {"tags", {{"weights", 4194304}}}}}});
        bench.feed.askNow();
        auto* gauge = bench.find<QWidget>("gauge");
        constexpr int kInTheBar = 26;  // below the text, above the legend
        const auto weights = [&] {
            const QImage image = gauge->grab().toImage();
            const QColor colour = Theme::current().colour("chart.weights");
            int width = 0;
            for (int x = 0; x < image.width(); ++x) {
                width += image.pixelColor(x, kInTheBar) == colour ? 1 : 0;
            }
            return static_cast<double>(width) / image.width();
        };
        QTRY_VERIFY_WITH_TIMEOUT(weights() > 0.45, kPanelPatience);  // before there is a plan
        QVERIFY(weights() < 0.55);

        bench.ask(planned());

        QTRY_VERIFY_WITH_TIMEOUT(bench.planning.planned().isFresh, kPanelPatience);
        QVERIFY(weights() > 0.45 && weights() < 0.55);
    }

    void plansForACardThatIsNotThere() {
        PanelOnBench bench;
        bench.runner().setDevices(
            {{"devices",
              {{{"id", "cpu"}, {"kind", "cpu"}, {"name", "p"}, {"capacity", 17179869184}}}},
             {"cards",
              {{{"name", "RTX 4060"}, {"memory", 8589934592}, {"capacity", 7918845952}}}}});
        bench.runner().setMemory({{"cuda:0", {{"total", 5}, {"tags", {{"weights", 4194304}}}}}});
        bench.feed.askNow();
        auto* device = bench.find<QComboBox>("device");
        QTRY_VERIFY_WITH_TIMEOUT(device->findText("Plan for RTX 4060, 8.0 GiB") >= 0,
                                 kPanelPatience);
        Json answer = planned();
        Json& main = answer["plan"]["devices"][0];
        main["planned_for"] = "RTX 4060";
        main["estimated"] = true;
        main["rehearsal"] = false;
        bench.runner().setAnswers(kFine, answer);
        const int steps = bench.model.undoStack().count();

        device->setCurrentIndex(device->findText("Plan for RTX 4060, 8.0 GiB"));
        Q_EMIT device->activated(device->currentIndex());

        QTRY_VERIFY_WITH_TIMEOUT(bench.summary().startsWith("Planned for RTX 4060: needs 8.0 MiB"),
                                 kPanelPatience);
        QCOMPARE(bench.planning.options()["as"], Json("RTX 4060"));
        QCOMPARE(bench.model.undoStack().count(), steps);  // it is no part of the graph
        auto* note = bench.find<QLabel>("cardNote");
        QVERIFY(note->isVisible() && note->text().contains("Nothing runs on it"));
        QVERIFY(!bench.find<QPushButton>("measure")->isVisible());
        QVERIFY(!bench.find<QWidget>("gauge")->isVisible());  // this machine's card is another one
        QCOMPARE(device->currentText(), QString("Plan for RTX 4060, 8.0 GiB"));
        QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(bench.panel), QStringList(), kPanelPatience);
        test::keepScreenshot(bench.panel, "memory_planned_for");

        bench.runner().setAnswers(kFine, planned());
        device->setCurrentIndex(0);
        Q_EMIT device->activated(0);

        QTRY_VERIFY_WITH_TIMEOUT(bench.summary().startsWith("Needs 8.0 MiB"), kPanelPatience);
        QVERIFY(!bench.planning.options().contains("as"));
        QVERIFY(!note->isVisible());
        QVERIFY(bench.find<QWidget>("gauge")->isVisible());
    }

    void offersTheCheapestFix_whenTheRunDoesNotFit() {
        PanelOnBench bench;
        bench.model.apply("budget",
                          [](graph::Document& document) { document.memoryBudget = "10MiB"; });
        bench.ask(infeasible(), Status::Invalid);
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("refusal")->isVisible(), kPanelPatience);
        QVERIFY(bench.summary().contains("Denoise"));
        auto* fix = bench.find<QPushButton>("fix_0");
        QVERIFY(fix);
        QCOMPARE(fix->text(), QString("Set the memory policy of Denoise to auto"));
        const int steps = bench.model.undoStack().count();

        bench.runner().setAnswers(kFine, planned());
        QTest::mouseClick(fix, Qt::LeftButton);

        QCOMPARE(bench.model.node("denoise")->memory, Json("auto"));
        QCOMPARE(bench.model.undoStack().count(), steps + 1);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.find<QWidget>("refusal")->isVisible(), kPanelPatience);
    }

    /// Titles, devices and sentences, not the module's line for the command.
    void reportsWhatDoesNotFit_inWordsOfTheStudio() {
        PanelOnBench bench;
        bench.ask(infeasible(), Status::Invalid);
        auto* refusal = bench.find<QWidget>("refusal");
        QTRY_VERIFY_WITH_TIMEOUT(refusal->isVisible(), kPanelPatience);

        QStringList message;
        for (const QLabel* label : refusal->findChildren<QLabel*>()) {
            message << label->text();
        }
        const QString text = message.join(u'\n');
        QVERIFY2(text.contains("Denoise needs 17.1 MiB; 10.0 MiB are available (rehearsed card)."),
                 qPrintable(text));
        QVERIFY2(text.contains("The whole run needs at least 19.9 MiB."), qPrintable(text));
        QVERIFY2(!text.contains("on fake"), qPrintable(text));
    }

    void callsNodes_asTheirHeadersDo() {
        PanelOnBench bench;
        bench.ask(planned());
        auto* bars = bench.find<PlanBars>("planBars");
        QTRY_VERIFY_WITH_TIMEOUT(bars->isVisible(), kPanelPatience);
        QVERIFY2(bars->spokenText().contains("Denoise: "), qPrintable(bars->spokenText()));

        bench.model.apply("title", [](graph::Document& document) {
            document.nodes.at("denoise").title = "Second pass";
        });

        QVERIFY2(bars->spokenText().contains("Second pass: "), qPrintable(bars->spokenText()));
    }

    /// As of a preset for a larger card.
    void asksForAConversion_whereTheModuleConverts() {
        PanelOnBench bench;
        bench.model.load(modelGraph());
        bench.ask(infeasible());
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("refusal")->isVisible(), kPanelPatience);
        QVERIFY(!bench.find<QPushButton>("fix_1"));
        QSignalSpy asked(&bench.panel, &MemoryPanel::convertAsked);

        bench.panel.offerConversion();

        auto* fix = bench.find<QPushButton>("fix_1");
        QVERIFY(fix);
        QCOMPARE(fix->text(), QString("Convert dream.safetensors to a smaller file..."));
        QTest::mouseClick(fix, Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked[0][0].value<NamedModel>().value, std::string("dream.safetensors"));
        QVERIFY(!bench.model.isModified());
    }

    void offersToRemoveABudget_thatTheDeviceDoesNotHave() {
        PanelOnBench bench;
        bench.model.apply("budget",
                          [](graph::Document& document) { document.memoryBudget = "6500MiB"; });
        const Json refused = {
            {"issues",
             {{{"severity", "error"},
               {"code", "invalid_input"},
               {"node", ""},
               {"item", "memory_budget"},
               {"message",
                "the memory budget of 6.3 GiB is more than the 6.0 GiB of the rehearsed GPU"},
               {"hint", "give at most 6.0 GiB, or remove the budget"}}}}};
        bench.ask(refused, Status::Invalid);
        QTRY_VERIFY_WITH_TIMEOUT(bench.find<QWidget>("refusal")->isVisible(), kPanelPatience);
        QCOMPARE(bench.summary(), QString("Does not fit: the memory budget"));
        auto* fix = bench.find<QPushButton>("fix_0");
        QVERIFY(fix && fix->text() == "Remove the budget");

        bench.runner().setAnswers(kFine, planned());
        QTest::mouseClick(fix, Qt::LeftButton);

        QVERIFY(!bench.model.document().memoryBudget);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.find<QWidget>("refusal")->isVisible(), kPanelPatience);
    }

    void showsWhatIsTooLarge_nextToTheBudget_data() {
        testing::addTable<bool>({"hasBudget"},
                                {{"of the graph", true}, {"what the device has", false}});
    }

    void showsWhatIsTooLarge_nextToTheBudget() {
        QFETCH(bool, hasBudget);
        PanelOnBench bench;
        bench.model.apply("budget", [&](graph::Document& document) {
            document.memoryBudget = hasBudget ? std::optional<std::string>("10MiB") : std::nullopt;
        });
        bench.runner().setAnswers(kFine, infeasible(), Status::Invalid);
        bench.runner().setPlanWithin(recorded("beyond.json"));
        bench.planning.askNow();

        auto* bars = bench.find<PlanBars>("planBars");
        QTRY_VERIFY_WITH_TIMEOUT(bars->isVisible(), kPanelPatience);
        QVERIFY(bars->barOf(1).right() > bars->budgetX());  // denoise
        QVERIFY(bars->barOf(0).right() < bars->budgetX());  // encode
    }

    void changesTheBudget_inOneStep() {
        PanelOnBench bench;
        auto* slider = bench.find<QSlider>("budgetSlider");
        const QPoint knob(slider->width() - 8, slider->height() / 2);

        QTest::mousePress(slider, Qt::LeftButton, {}, knob);
        for (int x = knob.x(); x > slider->width() / 2; x -= 8) {
            QTest::mouseMove(slider, QPoint(x, knob.y()));
        }
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, knob.y()));

        QVERIFY(bench.model.document().memoryBudget.has_value());
        QCOMPARE(bench.model.undoStack().count(), 1);
        QTest::keyClick(slider, Qt::Key_End);
        QVERIFY(!bench.model.document().memoryBudget.has_value());
        QCOMPARE(bench.model.undoStack().count(), 2);
    }

    void changesTheDevice_inOneStep() {
        PanelOnBench bench;
        auto* device = bench.find<QComboBox>("device");
        const int card = device->findText("Rehearse on 8 GiB");
        QVERIFY(card >= 0);

        device->setFocus();
        device->setCurrentIndex(card);
        Q_EMIT device->activated(card);

        QCOMPARE(bench.model.document().device.value_or(""), std::string("fake:8GiB"));
        QCOMPARE(bench.model.undoStack().count(), 1);
    }

    void followsUndo() {
        PanelOnBench bench;
        bench.model.apply("budget",
                          [](graph::Document& document) { document.memoryBudget = "2GiB"; });
        bench.model.apply("device",
                          [](graph::Document& document) { document.device = "fake:6GiB"; });
        auto* field = bench.find<QLineEdit>("budgetField");
        auto* device = bench.find<QComboBox>("device");
        QCOMPARE(field->text(), QString("2GiB"));
        QCOMPARE(device->currentText(), QString("Rehearse on 6 GiB"));

        bench.model.undoStack().undo();
        bench.model.undoStack().undo();

        QVERIFY(field->text().isEmpty());
        QVERIFY(device->currentText().startsWith("CPU"));
        QCOMPARE(bench.model.undoStack().count(), 2);  // showing it is no edit
    }

    void activatesTheNode_ofABarThatIsClicked() {
        PanelOnBench bench;
        bench.ask(planned());
        auto* bars = bench.find<PlanBars>("planBars");
        QTRY_VERIFY_WITH_TIMEOUT(bars->isVisible(), kPanelPatience);
        QSignalSpy activated(&bench.panel, &MemoryPanel::nodeActivated);

        QTest::mouseClick(bars, Qt::LeftButton, {}, bars->barOf(1).center().toPoint());

        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].value<std::string>(), std::string("denoise"));
    }

    void looks_data() {
        testing::addTable<bool, bool>({"isDark", "fits"},
                                      {{"light", false, true},
                                       {"dark", true, true},
                                       {"light_refused", false, false},
                                       {"dark_refused", true, false}});
    }

    void looks() {
        QFETCH(bool, isDark);
        QFETCH(bool, fits);
        PanelBench::useTheme(isDark);
        PanelOnBench bench;
        bench.panel.resize(320, 1000);
        bench.model.apply("settings", [&](graph::Document& document) {
            document.memoryBudget = fits ? "8MiB" : "10MiB";
            document.device = "fake:64MiB";
        });
        bench.runner().setMemory(recorded("report.json")["repetitions"][0]["ledger"]);
        bench.runner().setScript(graph::toText(bench.model.document()), playsTheRecordedRun);
        bench.runToEnd();
        bench.runner().setMemory(Json::parse(R"({"fake": {"total": 7000000, "tags":
            {"weights": 5100000, "activations": 1500000, "wires": 300000, "staging": 100000},
            "owners": {"denoiser": {"weights": 3500000}, "autoencoder": {"weights": 1600000}}},
            "cpu": {"total": 1283072, "tags": {"cache": 234496, "staging": 1048576}}})"));
        bench.feed.askNow();
        bench.runner().setAnswers(
            kFine, fits ? planned() : infeasible(), fits ? Status::Ok : Status::Invalid);
        bench.runner().setPlanWithin(fits ? Json() : recorded("beyond.json"));
        bench.planning.askNow();
        QTRY_VERIFY_WITH_TIMEOUT(
            bench.planning.planned().isFresh && bench.find<QWidget>("chip_denoiser"),
            kPanelPatience);
        QTest::qWait(50);

        bench.unfold();
        QTest::qWait(50);
        test::keepScreenshot(bench.panel, QString("memory_%1").arg(QTest::currentDataTag()));
        auto* content = bench.find<QScrollArea>("memoryScroll")->widget();
        test::keepScreenshot(*content, QString("memory_all_%1").arg(QTest::currentDataTag()));
        QTRY_COMPARE_WITH_TIMEOUT(test::textProblems(bench.panel), QStringList(), kPanelPatience);
        PanelBench::useTheme(false);
    }
};

LOWTIDE_WINDOW_TEST(MemoryPanelTest)

}  // namespace memory_panel_test

#include "memory_panel_test.moc"
