// What stands in a field when a user runs or saves is what is run or saved.
#include "plugin/base/units.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/saved_file.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/panels/inspector_parts.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/studio/actions.hpp"

namespace window_typing_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A window with one field that is typed into, by mouse and keys, after the module has answered
/// what it is asked at first.
struct Typing : Working {
    Typing() {
        const Workspace& workspace = work();
        QTRY_VERIFY_WITH_TIMEOUT(!workspace.memory.now().devices.empty(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(workspace.planning.planned().isFresh, kPatience);
    }

    void select(const std::set<std::string>& nodes) { widgets().canvas.select(nodes); }

    [[nodiscard]] ParamEditor& editorOf(const char* param) {
        return widgets()
            .inspector.findChild<QWidget*>("inspectorParams")
            ->findChild<InspectorRow*>(param)
            ->editor();
    }

    /// Clicks into the field and types, in place of what stands there.
    void type(QWidget& field, const QString& text) {
        test::click(field, {12, field.height() / 2});
        const QWidget* focused = QApplication::focusWidget();
        QVERIFY2(focused && (focused == &field || field.isAncestorOf(focused)),
                 qPrintable(focused ? focused->objectName() : "nothing has the focus"));
        test::press(Qt::Key_A, Qt::ControlModifier);
        test::type(text);
        QVERIFY(focused->hasFocus());
    }

    void typeSteps(const QString& text) {
        select({"denoise"});
        type(editorOf("steps"), text);
    }

    void clickInToolBar(const char* id) {
        auto* bar = window->findChild<QToolBar*>("toolBar");
        clickInto(*bar->widgetForAction(&action(id)));
    }

    static void clickInto(QWidget& widget) { test::click(widget, widget.rect().center()); }

    void chooseInMenu(const char* name, const char* id) {
        QMenuBar& bar = *window->menuBar();
        QMenu* menu = menuAt(bar, name);
        test::click(bar, bar.actionGeometry(menu->menuAction()).center());
        QTRY_VERIFY(menu->isVisible());
        test::click(*menu, menu->actionGeometry(&action(id)).center());
    }

    void run(const QString& way) {
        if (way == "tool bar") {
            clickInToolBar("run.start");
        } else if (way == "key") {
            test::press(Qt::Key_Return, Qt::ControlModifier);
        } else if (way == "menu") {
            chooseInMenu("Run", "run.start");
        } else {
            widgets().panels.show("generate");
            clickInto(*window->findChild<QWidget*>("generateForm")->findChild<QPushButton*>("run"));
        }
    }

    /// Every feed reports something else, and has been heard.
    void fireFeeds(int number) {
        const int free = 4096 + number;
        const Json devices = {
            {"devices",
             {{{"id", "cpu"}, {"kind", "cpu"}, {"capacity", 8192}, {"free", free}},
              {{"id", "cuda:" + std::to_string(number)}, {"kind", "cuda"}}}}};
        plugin.script().setDevices(devices);
        const Json precision = {
            {"denoise", {{"component", "denoiser"}, {"notes", {std::to_string(number)}}}}};
        const Json issues = Json::array();
        plugin.script().setAnswers({{"issues", issues}},
                                   {{"issues", issues}, {"plan", {{"precision", precision}}}});
        model().adjust([&](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = 1000 + number;
        });
        settings.change([&](Preferences& chosen) { chosen.notifyAfterSeconds = 10 + number; });
        work().models.rescan();
        work().presets.reload();
        work().memory.askNow();
        work().planning.askNow();
        QTRY_VERIFY_WITH_TIMEOUT(
            work().memory.now().devices.dump().find(std::to_string(free)) != std::string::npos &&
                !work().models.isScanning(),
            kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(work().planning.planned().isFresh, kPatience);
        QCoreApplication::processEvents();
    }

    /// The graph of the first run.
    [[nodiscard]] graph::Document started() {
        if (!QTest::qWaitFor([this] { return !plugin.script().startedGraphs().empty(); },
                             kPatience)) {
            return {};
        }
        return graph::parseDocument(plugin.script().startedGraphs().front());
    }
};

/// A field, what is typed there, and whether the graph that runs has it.
struct Field {
    const char* name;
    const char* text;
    std::function<QWidget*(Typing&)> find;
    std::function<bool(const graph::Document&)> isTaken;
};

QWidget* inSection(Typing& studio, const char* section, const char* name) {
    studio.select({"denoise"});
    Fold* fold = studio.widgets()
                     .inspector.findChild<QWidget*>("inspectorSections")
                     ->findChild<Fold*>(section);
    fold->setOpen(true);
    return fold->findChild<QWidget*>(name);
}

QWidget* inMemory(Typing& studio, const char* name) {
    return inSection(studio, "memory", name);
}

QWidget* inPrecision(Typing& studio, const char* name) {
    return inSection(studio, "precision", name);
}

memory::Policy policyOf(const graph::Document& document) {
    return memory::policyFromJson(document.nodes.at("denoise").memory, "memory");
}

memory::PrecisionChoice precisionOf(const graph::Document& document) {
    return memory::precisionFromJson(document.nodes.at("denoise").precision, "precision");
}

const std::vector<Field>& fields() {
    static const std::vector<Field> all = {
        {"seed",
         "4711",
         [](Typing& studio) {
             studio.select({"denoise"});
             return studio.editorOf("seed").findChild<QWidget*>("number");
         },
         [](const graph::Document& graph) {
             return graph.nodes.at("denoise").params.at("seed") == 4711;
         }},
        {"budget of the graph",
         "6GiB",
         [](Typing& studio) {
             studio.select({});
             return studio.widgets()
                 .inspector.findChild<QWidget*>("inspectorGraph")
                 ->findChild<QWidget*>("budget");
         },
         [](const graph::Document& graph) { return graph.memoryBudget == "6GiB"; }},
        {"budget of the memory panel",
         "6GiB",
         [](Typing& studio) {
             studio.widgets().panels.show("memory");
             return studio.window->findChild<QWidget*>("budgetField");
         },
         [](const graph::Document& graph) { return graph.memoryBudget == "6GiB"; }},
        {"threshold",
         "55",
         [](Typing& studio) {
             studio.select({});
             studio.model().apply(
                 "Threshold", [](graph::Document& document) { document.collectionThreshold = 70; });
             return studio.widgets()
                 .inspector.findChild<QWidget*>("inspectorGraph")
                 ->findChild<QWidget*>("threshold");
         },
         [](const graph::Document& graph) { return graph.collectionThreshold == 55; }},
        {"prompt",
         "a fox, red",
         [](Typing& studio) {
             studio.select({"encode"});
             return studio.editorOf("prompt").findChild<QWidget*>("prompt");
         },
         [](const graph::Document& graph) {
             return graph.nodes.at("encode").params.at("prompt") == "a fox, red";
         }},
        {"policy",
         "leaf+stream",
         [](Typing& studio) { return inMemory(studio, "text"); },
         [](const graph::Document& graph) {
             return memory::toText(policyOf(graph)) == "leaf+stream";
         }},
        {"pinned RAM",
         "2GiB",
         [](Typing& studio) { return inMemory(studio, "pin"); },
         [](const graph::Document& graph) { return policyOf(graph).pinCap == 2 * kGiB; }},
        {"precision",
         "balanced,storage=f16",
         [](Typing& studio) { return inPrecision(studio, "text"); },
         [](const graph::Document& graph) {
             return precisionOf(graph).types.storage == DType::F16;
         }},
        {"layers in f32",
         "to_out",
         [](Typing& studio) { return inPrecision(studio, "kept"); },
         [](const graph::Document& graph) {
             return precisionOf(graph).keptF32 == std::vector<std::string>{"to_out"};
         }},
    };
    return all;
}

}  // namespace

class WindowTypingTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aTypedNumberIsTheOneThatRuns_data() {
        testing::addRows("way", {"tool bar", "key", "menu", "form"});
    }

    void aTypedNumberIsTheOneThatRuns() {
        QFETCH(QString, way);
        Typing studio;
        studio.typeSteps("7");
        studio.run(way);
        QCOMPARE(studio.started().nodes.at("denoise").params.at("steps"), Json(7));
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(7));
    }

    void whatCannotBeReadRunsNothing_data() {
        testing::addRows("way", {"tool bar", "key", "menu", "form"});
    }

    /// Also after the field was left. Escape gives its value back.
    void whatCannotBeReadRunsNothing() {
        QFETCH(QString, way);
        Typing studio;
        studio.typeSteps("4o");
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        studio.run(way);
        constexpr int kLongEnough = 300;
        QTest::qWait(kLongEnough);
        QCOMPARE(studio.plugin.script().startedGraphs().size(), size_t{0});
        QVERIFY(studio.widgets().notices.text().contains("cannot be read"));
        QWidget* marked = studio.window->focusWidget();
        QVERIFY(studio.editorOf("steps").isAncestorOf(marked));
        QTest::keyClick(marked, Qt::Key_Escape);
        studio.run(way);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{1}, kPatience);
    }

    /// "+1" is worked out once, however often Run is pressed.
    void anExpressionIsWorkedOutOnce() {
        Typing studio;
        const auto before = studio.model().node("denoise")->params.at("steps").get<int64_t>();
        studio.typeSteps("+1");
        test::press(Qt::Key_Return, Qt::ControlModifier);
        test::press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.plugin.script().startedGraphs().size(), size_t{2}, kPatience);
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(before + 1));
    }

    void aValueInAnyFieldIsTheOneThatRuns_data() {
        QTest::addColumn<int>("field");
        for (size_t i = 0; i < fields().size(); ++i) {
            QTest::newRow(fields()[i].name) << static_cast<int>(i);
        }
    }

    void aValueInAnyFieldIsTheOneThatRuns() {
        QFETCH(int, field);
        const Field& row = fields().at(static_cast<size_t>(field));
        Typing studio;
        QWidget* found = row.find(studio);
        QVERIFY(found);
        studio.type(*found, row.text);
        studio.run("tool bar");
        QVERIFY(row.isTaken(studio.started()));
    }

    void noFeedIsShownOverWhatIsTyped_data() { aValueInAnyFieldIsTheOneThatRuns_data(); }

    /// Between any two keys, as users type: with pauses.
    void noFeedIsShownOverWhatIsTyped() {
        QFETCH(int, field);
        const Field& row = fields().at(static_cast<size_t>(field));
        Typing studio;
        QWidget* found = row.find(studio);
        QVERIFY(found);
        const QString text = row.text;
        studio.type(*found, text.left(1));
        for (int i = 1; i <= text.size(); ++i) {
            studio.fireFeeds(i);
            test::type(text.mid(i, 1));
        }
        studio.run("tool bar");
        QVERIFY(row.isTaken(studio.started()));
    }

    /// What cannot be read is kept with its mark, whatever arrives, until Escape.
    void whatCannotBeReadRemainsWhereItIs() {
        Typing studio;
        studio.widgets().panels.show("memory");
        auto* field = studio.window->findChild<QLineEdit*>("budgetField");
        studio.type(*field, "6Gi");
        test::press(Qt::Key_Tab);
        studio.fireFeeds(1);
        QCOMPARE(field->text(), QString("6Gi"));
        QVERIFY(studio.window->findChild<QLabel*>("budgetNote")->text().contains("6Gi"));
        test::click(*field, field->rect().center());
        test::press(Qt::Key_Escape);
        QCOMPARE(field->text(), QString());
        QVERIFY(!studio.window->findChild<QLabel*>("budgetNote")->text().contains("6Gi"));
        studio.run("tool bar");
        QCOMPARE(studio.started().memoryBudget, std::nullopt);
    }

    void aTypedNumberIsSaved() {
        Typing studio;
        const QString path = studio.folder.filePath("fox.json");
        QCOMPARE(test::saveAs(studio.work().file, path), QString());
        studio.typeSteps("7");
        test::press(Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!studio.window->isWindowModified(), kPatience);
        QCOMPARE(loadGraph(path).nodes.at("denoise").params.at("steps"), Json(7));
    }

    void aTypedNumberIsOfTheGraphThatIsLeft() {
        Typing studio;
        GraphModel& model = studio.model();
        const DocumentId first = model.shown();
        studio.typeSteps("7");
        studio.action("file.new").trigger();
        QVERIFY(model.shown() != first);
        QVERIFY(model.node("denoise")->params.at("steps") != Json(7));
        studio.action("file.previous").trigger();
        QCOMPARE(model.shown(), first);
        QCOMPARE(model.node("denoise")->params.at("steps"), Json(7));
    }

    void aTypedNumberIsAskedForWhenItsTabCloses() {
        Typing studio;
        studio.typeSteps("7");
        answer("unsaved", [](QDialog& box) {
            Typing::clickInto(*qobject_cast<QMessageBox*>(&box)->button(QMessageBox::Cancel));
        });
        studio.action("file.close").trigger();
        QCOMPARE(studio.model().node("denoise")->params.at("steps"), Json(7));
    }

    void ctrlReturnEndsANoteAndRunsNothing() {
        Typing studio;
        GraphView& canvas = studio.widgets().canvas;
        canvas.setFocus();
        canvas.invoke("node.note");
        auto* note = canvas.viewport()->findChild<QPlainTextEdit*>("canvasText");
        QVERIFY(note);
        QTRY_VERIFY(note->hasFocus());
        test::press(Qt::Key_A, Qt::ControlModifier);
        test::type("a thought");
        test::press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(!canvas.viewport()->findChild<QPlainTextEdit*>("canvasText"));
        QVERIFY(graph::toText(studio.model().document()).find("a thought") != std::string::npos);
        QVERIFY(studio.work().queue.runs().empty());
    }
};

LOWTIDE_WINDOW_TEST(WindowTypingTest)

}  // namespace window_typing_test

#include "window_typing_test.moc"
