#include "plugin/memory/policy.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/bridge/sheet_plan.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/inspector.hpp"
#include "ui/panels/inspector_parts.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/studio/file_commands.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace inspector_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// An inspector of the default graph.
/// Before anything is made that has a text.
struct Speaking {
    Speaking() { language.use(test::spokenLanguage()); }

    Language language;
};

struct Inspected {
    Inspected() {
        catalog.reword([](NodeDesc& desc) { reword(desc); });
        model.load(defaultGraph());
        inspector.resize(320, 720);
        inspector.setDevices({"cpu", "fake:8GiB"});
        inspector.show();
    }

    [[nodiscard]] InspectorRow* row(const char* param) {
        return inspector.findChild<QWidget*>("inspectorParams")->findChild<InspectorRow*>(param);
    }

    [[nodiscard]] Fold& memory() { return *inspector.findChild<Fold*>("memory"); }

    [[nodiscard]] Json valueOf(const char* node, const char* param) const {
        return model.node(node)->params.at(param);
    }

    Speaking speaking;
    SmallPlugin plugin;
    graph::Catalog catalog{smallNodes()};
    GraphModel model{catalog};
    NodeStatuses statuses;
    Planning planning{*plugin.runner(), model};
    Inspector inspector{model, statuses, planning, nullptr};
};

}  // namespace

class InspectorTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void editsOfOneGestureAreOneStep() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        ParamEditor& editor = shown.row("steps")->editor();
        Q_EMIT editor.edited(21, false);
        Q_EMIT editor.edited(22, false);
        Q_EMIT editor.edited(23, true);
        QCOMPARE(shown.valueOf("denoise", "steps"), Json(23));
        QCOMPARE(shown.model.undoStack().count(), 1);
        Q_EMIT editor.edited(24, true);
        QCOMPARE(shown.model.undoStack().count(), 2);
        shown.model.undoStack().undo();
        QCOMPARE(editor.value(), Json(23));
    }

    void resetGoesBackToTheDefault() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        auto* reset = shown.row("steps")->findChild<QToolButton*>("reset");
        QVERIFY(!reset->isVisible());
        Q_EMIT shown.row("steps")->editor().edited(3, true);
        QTRY_VERIFY(reset->isVisible());
        QTest::mouseClick(reset, Qt::LeftButton);
        QCOMPARE(shown.valueOf("denoise", "steps"), Json(20));
        QVERIFY(!reset->isVisible());
    }

    void theEyeShowsAParameterUnderGenerate() {
        Inspected shown;
        shown.model.apply("Hide", [](graph::Document& document) {
            setExposed(document, "latent", "width", {}, false);
        });
        shown.inspector.showNodes({"latent"});
        const size_t before = shown.model.document().exposed.size();
        auto* eye = shown.row("width")->findChild<QToolButton*>("expose");
        QTest::mouseClick(eye, Qt::LeftButton);
        QCOMPARE(shown.model.document().exposed.size(), before + 1);
        QVERIFY(eye->isChecked());
        QTest::mouseClick(eye, Qt::LeftButton);
        QCOMPARE(shown.model.document().exposed.size(), before);
    }

    void theSeedModeIsKeptInTheGraph() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        auto* mode = shown.row("seed")->findChild<QComboBox*>("seedMode");
        mode->setCurrentIndex(mode->findText("Random"));
        Q_EMIT mode->activated(mode->currentIndex());
        QCOMPARE(seedModeOf(*shown.model.node("denoise"), "seed"), SeedMode::Random);
    }

    void advancedParametersAreFolded() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        QVERIFY(!shown.row("start_step")->isVisible());
        shown.inspector.showValues("start_step");
        QTRY_VERIFY(shown.row("start_step")->isVisible());
    }

    void severalNodesShowWhatTheyShare() {
        Inspected shown;
        shown.model.apply("Add", [](graph::Document& document) {
            document.nodes["second"] = document.nodes.at("denoise");
            document.nodes.at("second").params["steps"] = 5;
        });
        shown.inspector.showNodes({"denoise", "second"});
        QTRY_VERIFY(shown.row("steps")->findChild<QLabel*>("mixed")->isVisible());
        Q_EMIT shown.row("steps")->editor().edited(9, true);
        QCOMPARE(shown.valueOf("denoise", "steps"), Json(9));
        QCOMPARE(shown.valueOf("second", "steps"), Json(9));
        QVERIFY(!shown.row("steps")->findChild<QLabel*>("mixed")->isVisible());
        shown.inspector.showNodes({"denoise", "latent"});
        QTRY_VERIFY(!shown.row("steps"));
    }

    void anUnknownNodeIsExplainedAndLeftAlone() {
        Inspected shown;
        shown.model.apply("Add", [](graph::Document& document) {
            document.nodes["odd"].type = "other.pack.node";
            document.nodes.at("odd").params["x"] = 1;
        });
        const std::string before = graph::toText(shown.model.document());
        shown.inspector.showNodes({"odd"});
        const auto* text = shown.inspector.findChild<QLabel*>("placeholder");
        QVERIFY(text->isVisible() && text->text().contains("other.pack.node"));
        shown.inspector.showHelp();
        QCOMPARE(graph::toText(shown.model.document()), before);
    }

    void nothingSelectedShowsTheGraphsSettings() {
        Inspected shown;
        shown.inspector.showNodes({});
        auto* graph = shown.inspector.findChild<QWidget*>("inspectorGraph");
        QVERIFY(graph->isVisible());
        auto* budget = graph->findChild<QLineEdit*>("budget");
        QTest::keyClicks(budget, "6GiB\r");
        QCOMPARE(shown.model.document().memoryBudget, std::optional<std::string>("6GiB"));
        budget->selectAll();
        QTest::keyClicks(budget, "cuda:0=20GiB,cpu=8GiB\r");
        QCOMPARE(shown.model.document().memoryBudget,
                 std::optional<std::string>("cuda:0=20GiB,cpu=8GiB"));
        shown.model.undoStack().undo();
        budget->selectAll();
        QTest::keyClicks(budget, "much\r");
        QVERIFY(graph->findChild<QLabel*>("problem")->isVisible());
        QCOMPARE(shown.model.document().memoryBudget, std::optional<std::string>("6GiB"));
        QTest::mouseClick(graph->findChild<QCheckBox*>("exact"), Qt::LeftButton);
        QCOMPARE(shown.model.document().isExact, std::optional(true));
        auto* device = graph->findChild<QComboBox*>("device");
        device->setCurrentIndex(device->findData("fake:8GiB"));
        Q_EMIT device->activated(device->currentIndex());
        QCOMPARE(shown.model.document().device, std::optional<std::string>("fake:8GiB"));
        shown.model.undoStack().undo();
        QCOMPARE(device->currentIndex(), 0);
    }

    /// A field that was left as it was reports nothing.
    void anotherGraphShowsItsSettings() {
        Inspected shown;
        graph::Document other = defaultGraph();
        other.memoryBudget = "7400MiB";
        other.collectionThreshold = 55;
        shown.model.load(other);
        auto* graph = shown.inspector.findChild<QWidget*>("inspectorGraph");
        auto* budget = graph->findChild<QLineEdit*>("budget");
        QCOMPARE(budget->text(), QString("7400MiB"));
        QCOMPARE(graph->findChild<QSpinBox*>("threshold")->value(), 55);
        QTest::keyClicks(budget, "\r");
        QCOMPARE(shown.model.document().memoryBudget, std::optional<std::string>("7400MiB"));
    }

    /// Devices are looked at again and again while a run is at work.
    void anOpenListOfDevicesRemainsAsItIs() {
        Inspected shown;
        shown.inspector.showNodes({});
        auto* device =
            shown.inspector.findChild<QWidget*>("inspectorGraph")->findChild<QComboBox*>("device");
        device->showPopup();
        device->view()->setCurrentIndex(device->model()->index(2, 0));
        shown.inspector.setDevices({"cpu", "fake:8GiB"});
        QCOMPARE(device->view()->currentIndex().row(), 2);
        device->hidePopup();
    }

    void sectionsShowForNodesThatRunNetworks() {
        Inspected shown;
        auto* sections = shown.inspector.findChild<QWidget*>("inspectorSections");
        shown.inspector.showNodes({"denoise"});
        QVERIFY(sections->isVisible());
        shown.inspector.showNodes({"latent"});
        QVERIFY(!sections->isVisible());
    }

    void precisionOfAPlanIsFoundByComponent() {
        const Json plan = {{"precision",
                            {{"decode", {{"component", "autoencoder"}}},
                             {"detail.denoiser", {{"component", "denoiser"}}}}}};
        QVERIFY(plannedPrecisionOf(plan, "decode").contains("autoencoder"));
        QVERIFY(plannedPrecisionOf(plan, "detail").contains("denoiser"));
        QVERIFY(plannedPrecisionOf(plan, "encode").is_null());
        QVERIFY(plannedPrecisionOf(Json(), "encode").is_null());
    }

    void whatIsTypedGoesToTheNodeThatWasShown() {
        Inspected shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.inspector));
        shown.inspector.showNodes({"encode"});
        auto* prompt = shown.row("prompt")->findChild<QPlainTextEdit*>();
        prompt->setFocus();
        QTest::keyClicks(prompt, "fox");
        const Json typed = shown.valueOf("encode", "prompt");
        shown.inspector.showNodes({"decode", "encode"});
        QCOMPARE(shown.valueOf("encode", "prompt"), typed);
        QVERIFY(!shown.model.node("decode")->params.contains("prompt"));

        shown.inspector.showNodes({"denoise"});
        QTest::mouseClick(&shown.row("steps")->editor(), Qt::LeftButton);
        QTest::keyClicks(QApplication::focusWidget(), "7");
        shown.inspector.showNodes({"latent"});
        QCOMPARE(shown.valueOf("denoise", "steps"), Json(7));
        QVERIFY(!shown.model.node("latent")->params.contains("steps"));
    }

    void aTypedPolicyGoesToTheNodeThatWasShown() {
        Inspected shown;
        QVERIFY(QTest::qWaitForWindowActive(&shown.inspector));
        shown.inspector.showNodes({"denoise"});
        auto* text = shown.inspector.findChild<MemoryEditor*>()->findChild<QLineEdit*>("text");
        QTest::mouseClick(shown.memory().findChild<QToolButton*>("fold"), Qt::LeftButton);
        text->setFocus();
        text->selectAll();
        QTest::keyClicks(text, "leaf");
        shown.inspector.showNodes({"encode"});
        const Json& taken = shown.model.node("denoise")->memory;
        QCOMPARE(memory::toText(memory::policyFromJson(taken, "memory")), std::string("leaf"));
        QVERIFY(shown.model.node("encode")->memory.is_null());
    }

    void memoryIsFolded_unlessTheNodeHasAPolicy() {
        Inspected shown;
        shown.model.apply("Policy", [](graph::Document& document) {
            document.nodes.at("encode").memory = "leaf";
        });

        shown.inspector.showNodes({"denoise"});
        QVERIFY(shown.memory().isVisible() && !shown.memory().isOpen());
        shown.inspector.showNodes({"encode"});
        QVERIFY(shown.memory().isOpen());
        shown.inspector.showNodes({"denoise"});
        QVERIFY(!shown.memory().isOpen());
        shown.inspector.showValues(kMemoryItem);
        QVERIFY(shown.memory().isOpen());
    }

    void memoryThatTheUserOpensRemainsOpen() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        QSignalSpy switched(&shown.inspector, &Inspector::opensMemoryChanged);

        QTest::mouseClick(shown.memory().findChild<QToolButton*>("fold"), Qt::LeftButton);
        shown.inspector.showNodes({"load"});
        shown.inspector.showNodes({"encode"});

        QVERIFY(shown.memory().isOpen());
        QCOMPARE(switched.count(), 1);
        QVERIFY(switched[0][0].toBool());
    }

    void theTitleOfAnOpenPartIsNoSelection() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        auto* title = shown.memory().findChild<QToolButton*>("fold");
        QTest::qWait(1);
        const QColor folded = title->grab().toImage().pixelColor(2, title->height() / 2);

        shown.memory().setOpen(true);

        QCOMPARE(title->grab().toImage().pixelColor(2, title->height() / 2), folded);
        QVERIFY(title->isChecked());
    }

    void typingInTwoNodesIsTwoSteps() {
        Inspected shown;
        shown.model.apply("Add", [](graph::Document& document) {
            document.nodes["second"] = document.nodes.at("denoise");
        });
        shown.inspector.showNodes({"denoise"});
        Q_EMIT shown.row("steps")->editor().edited(5, false);
        shown.inspector.showNodes({"second"});
        Q_EMIT shown.row("steps")->editor().edited(6, false);
        shown.model.undoStack().undo();
        QCOMPARE(shown.valueOf("denoise", "steps"), Json(5));
    }

    void aRemovedNodeIsForgotten() {
        Inspected shown;
        shown.inspector.showNodes({"denoise"});
        shown.model.apply("Remove", [&](graph::Document& document) {
            removeNodes(document, shown.catalog, {"denoise"});
        });
        QVERIFY(shown.inspector.findChild<QWidget*>("inspectorGraph")->isVisible());
    }

    void everyTextFits_data() {
        QTest::addColumn<QString>("node");
        for (const char* node : {"", "load", "encode", "latent", "denoise", "decode", "save"}) {
            QTest::newRow(*node ? node : "graph") << node;
        }
    }

    void everyTextFits() {
        QFETCH(QString, node);
        Inspected shown;
        if (!node.isEmpty()) {
            shown.inspector.showNodes({node.toStdString()});
        }
        QTest::qWait(1);
        QTest::qWait(50);  // lines that wrap have found their height
        const QStringList problems = test::textProblems(shown.inspector);
        QVERIFY2(problems.isEmpty(), qPrintable(problems.join(u'\n')));
        test::keepScreenshot(shown.inspector, "inspector_" + node);
    }
};

LOWTIDE_WINDOW_TEST(InspectorTest)

}  // namespace inspector_test

#include "inspector_test.moc"
