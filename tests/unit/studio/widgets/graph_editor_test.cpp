#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/program.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/shell/small_plugin.hpp"
#include "ui/widgets/graph_editor.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace graph_editor_test {

using namespace lowtide;

namespace {

constexpr int kPatience = 20000;
constexpr const char* kGraph = R"({
  "format": 2,
  "nodes": {
    "latent": {"type": "latent.empty", "v": 1, "position": [0, 0], "params": {"width": 512}},
    "denoise": {"type": "denoise.sample", "v": 1, "position": [320, 0], "params": {"steps": 8, "seed": 7}}
  },
  "links": [{"from": ["latent", "latent"], "to": ["denoise", "latent"]}]
}
)";

/// A window of a host with the three widgets in it.
struct HostWindow {
    explicit HostWindow(Plugin& plugin) : editor(std::make_unique<GraphEditor>(plugin)) {
        window.setCentralWidget(&editor->canvas());
        for (QWidget* widget : {&editor->inspector(), &editor->memoryPanel()}) {
            auto* dock = new QDockWidget(&window);
            dock->setWidget(widget);
            window.addDockWidget(Qt::RightDockWidgetArea, dock);
        }
        window.resize(1280, 900);
    }

    void show() {
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
    }

    std::unique_ptr<GraphEditor> editor;
    QMainWindow window;
};

Json valuesOf(const GraphEditor& editor, const char* node) {
    return Json::parse(editor.graph().toStdString()).at("nodes").at(node).at("params");
}

ui::ScriptedRunner::Script writesOneImage() {
    return [](ui::ScriptedRunner::Stage& stage) {
        stage.send({{"event", "runStarted"}, {"nodes", {"denoise"}}, {"repetitions", 1}});
        stage.send({{"event", "nodeStarted"}, {"node", "denoise"}, {"repetition", 1}});
        stage.send({{"event", "nodeFinished"},
                    {"node", "denoise"},
                    {"repetition", 1},
                    {"ms", 1.0},
                    {"files", {"a.png"}}});
        return Json{{"status", "ok"}, {"executed", 1}};
    };
}

}  // namespace

/// Canvas, inspector and memory panel as another program has them.
class GraphEditorTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void aGraphGoesInAndOutUnchanged() {
        ui::SmallPlugin plugin;
        GraphEditor editor(plugin);
        QCOMPARE(editor.load(kGraph), QString());
        QCOMPARE(Json::parse(editor.graph().toStdString()), Json::parse(kGraph));
        QVERIFY(!editor.isModified());
        GraphEditor second(plugin);
        QCOMPARE(second.load(editor.graph()), QString());
        QCOMPARE(second.graph(), editor.graph());
    }

    void aBrokenGraphIsRefused_andTheOldOneRemains_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("no graph") << QByteArray("[1]");
        QTest::newRow("newer format") << QByteArray(R"({"format": 99, "nodes": {}, "links": []})");
    }

    void aBrokenGraphIsRefused_andTheOldOneRemains() {
        QFETCH(QByteArray, text);
        ui::SmallPlugin plugin;
        GraphEditor editor(plugin);
        QCOMPARE(editor.load(kGraph), QString());
        QVERIFY(!editor.load(text).isEmpty());
        QCOMPARE(valuesOf(editor, "denoise").at("steps"), Json(8));
        QVERIFY(!editor.setOptions(text == "{" ? "{" : "[1]"));
    }

    void editsOnTheCanvasAreStepsOfTheStack() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        QSignalSpy changes(host.editor.get(), &GraphEditor::changed);
        QSignalSpy selections(host.editor.get(), &GraphEditor::selectionChanged);
        host.editor->reveal("denoise");
        QTRY_COMPARE(selections.last().first().toStringList(), QStringList{"denoise"});
        host.editor->canvas().setFocus();
        QTest::keyClick(&host.editor->canvas(), Qt::Key_M, Qt::ControlModifier);
        QCOMPARE(host.editor->undoStack().count(), 1);
        QVERIFY(host.editor->isModified() && !changes.isEmpty());
        host.editor->setSaved();
        QVERIFY(!host.editor->isModified());
        host.editor->undoStack().undo();
        QCOMPARE(Json::parse(host.editor->graph().toStdString()), Json::parse(kGraph));
        QVERIFY(host.editor->isModified());
    }

    /// The application is the host's: it does not catch for others. Here its own slot throws.
    void noExceptionReachesTheHost() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        host.editor->reveal("denoise");
        QTest::qWait(50);  // it scrolls there
        QWidget& canvas = host.editor->canvas();
        QSignalSpy failed(host.editor.get(), &GraphEditor::failed);
        const auto throwing = [](const char* what) {
            return [what] { throw std::runtime_error(what); };
        };
        const auto selecting =
            connect(host.editor.get(), &GraphEditor::selectionChanged, this, throwing("a press"));
        const auto changing =
            connect(host.editor.get(), &GraphEditor::changed, this, throwing("a key"));

        const QPoint empty = canvas.mapTo(&host.window, canvas.rect().bottomRight());
        QTest::mouseClick(host.window.windowHandle(), Qt::LeftButton, {}, empty - QPoint(20, 20));
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed.back().front().toString(), QString("a press"));
        disconnect(selecting);
        host.editor->reveal("denoise");
        QCoreApplication::postEvent(  // Qt Test would go straight to the application
            &canvas,
            new QKeyEvent(QEvent::KeyPress, Qt::Key_M, Qt::ControlModifier));
        QTRY_COMPARE(failed.size(), 2);
        QCOMPARE(failed.back().front().toString(), QString("a key"));
        QVERIFY(!host.editor->load(kGraph).isEmpty());

        disconnect(changing);
        QCOMPARE(host.editor->load(kGraph), QString());
        QVERIFY(!host.editor->graph().isEmpty());
    }

    /// Each commits and runs what is its own.
    void whatIsTypedInOneEditorIsNoMatterOfAnother() {
        ui::SmallPlugin first;
        ui::SmallPlugin second;
        HostWindow one(first);
        HostWindow other(second);
        for (HostWindow* host : {&one, &other}) {
            QCOMPARE(host->editor->load(kGraph), QString());
            host->show();
            host->editor->reveal("denoise");
        }
        QWidget* steps = nullptr;
        QTRY_VERIFY((steps = other.editor->inspector().findChild<QWidget*>("steps")));
        auto* field = steps->findChild<QLineEdit*>();
        other.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&other.window));
        QTest::mouseClick(field->parentWidget(), Qt::LeftButton);
        QTest::keyClicks(field, "many");
        QCOMPARE(other.editor->run(), quint64{0});

        QSignalSpy ended(one.editor.get(), &GraphEditor::runEnded);
        one.editor->commit();
        QVERIFY(one.editor->run() != 0);
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        QCOMPARE(QApplication::focusWidget(), field);
        QCOMPARE(valuesOf(*other.editor, "denoise").at("steps"), Json(8));
        QCOMPARE(field->text(), QString("many"));
    }

    void theInspectorShowsWhatIsSelected_andChangesIt() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        host.editor->reveal("denoise");
        QWidget* steps = nullptr;
        QTRY_VERIFY((steps = host.editor->inspector().findChild<QWidget*>("steps")));
        auto* field = steps->findChild<QLineEdit*>();
        QVERIFY(field);
        QTest::mouseClick(field->parentWidget(), Qt::LeftButton);
        QTest::keyClicks(field, "31");
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(valuesOf(*host.editor, "denoise").at("steps"), Json(31));
    }

    void whatIsBeingTypedIsRunAndSaved() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        host.editor->reveal("denoise");
        QWidget* steps = nullptr;
        QTRY_VERIFY((steps = host.editor->inspector().findChild<QWidget*>("steps")));
        auto* field = steps->findChild<QLineEdit*>();
        QTest::mouseClick(field->parentWidget(), Qt::LeftButton);
        QTest::keyClicks(field, "31");
        host.editor->commit();
        QCOMPARE(valuesOf(*host.editor, "denoise").at("steps"), Json(31));
        QTest::mouseClick(field->parentWidget(), Qt::LeftButton);
        QTest::keyClicks(field, "32");
        host.editor->run();
        QTRY_COMPARE_WITH_TIMEOUT(plugin.script().startedGraphs().size(), size_t{1}, kPatience);
        QCOMPARE(valuesOf(*host.editor, "denoise").at("steps"), Json(32));
    }

    void aRunReportsItsFiles_orWhyItFailed() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        QVERIFY(host.editor->setOptions(R"({"out": "pictures"})"));
        plugin.script().setScript(host.editor->graph().toStdString(), writesOneImage());
        QSignalSpy ended(host.editor.get(), &GraphEditor::runEnded);
        QSignalSpy busy(host.editor.get(), &GraphEditor::busyChanged);
        const quint64 run = host.editor->run();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        QCOMPARE(ended.first().at(0).toULongLong(), run);
        QCOMPARE(ended.first().at(1).value<GraphEditor::Ended>(), GraphEditor::Ended::Finished);
        QCOMPARE(ended.first().at(2).toStringList(), QStringList{"a.png"});
        QCOMPARE(busy.first().first().toBool(), true);
        QVERIFY(!host.editor->isBusy());

        plugin.script().setRefusal({{"issues",
                                     {{{"severity", "warning"}, {"message", "an old model"}},
                                      {{"severity", "error"},
                                       {"code", "x"},
                                       {"message", "the GPU is too small"},
                                       {"hint", "choose another"}}}}});
        host.editor->run();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, kPatience);
        QCOMPARE(ended.last().at(1).value<GraphEditor::Ended>(), GraphEditor::Ended::Failed);
        QCOMPARE(ended.last().at(3).toString(), QString("the GPU is too small; choose another"));
    }

    void thePlanKeepsToTheOptions() {
        ui::SmallPlugin plugin;
        plugin.script().setPlanWithin(Json::object());
        GraphEditor editor(plugin);
        QVERIFY(editor.setOptions(R"({"memoryBudget": "3GiB"})"));
        QCOMPARE(editor.load(kGraph), QString());
        QTRY_COMPARE_WITH_TIMEOUT(plugin.script().lastBudget(), std::string("3GiB"), kPatience);
    }

    void theModuleOutlivesTheEditor_whichCancelsOnlyItsOwnRun() {
        ui::SmallPlugin plugin;
        plugin.script().setScript(
            Json::parse(kGraph).dump(2) + "\n", [](ui::ScriptedRunner::Stage& stage) {
                stage.waitAtGate();
                const bool isOver = stage.cancelled() == CancelMode::No;
                return Json{{"status", isOver ? "ok" : "cancelled"}, {"executed", 0}};
            });
        {
            HostWindow host(plugin);
            QCOMPARE(host.editor->load(kGraph), QString());
            host.editor->run();
            QTRY_COMPARE_WITH_TIMEOUT(plugin.script().runningNow(), 1, kPatience);
        }
        QCOMPARE(plugin.script().runningNow(), 0);
        GraphEditor next(plugin);
        QCOMPARE(next.load(kGraph), QString());
        QSignalSpy ended(&next, &GraphEditor::runEnded);
        next.run();
        QTRY_COMPARE_WITH_TIMEOUT(plugin.script().runningNow(), 1, kPatience);
        next.cancel(CancelMode::Now);
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kPatience);
        QCOMPARE(ended.first().at(1).value<GraphEditor::Ended>(), GraphEditor::Ended::Cancelled);
    }

    void widgetsMayGoFirst() {
        ui::SmallPlugin plugin;
        GraphEditor editor(plugin);
        QCOMPARE(editor.load(kGraph), QString());
        delete &editor.canvas();
        delete &editor.memoryPanel();
        QCOMPARE(editor.load(kGraph), QString());
        editor.reveal("denoise");
        GraphEditor::setScheme(GraphEditor::Scheme::Light);
    }

    void itWearsItsOwnColours_andLeavesTheHosts() {
        ui::SmallPlugin plugin;
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        host.editor->reveal("denoise");
        for (const auto scheme : {GraphEditor::Scheme::Dark, GraphEditor::Scheme::Light}) {
            const QPalette before = host.window.palette();
            GraphEditor::setScheme(scheme);
            const bool isDark = scheme == GraphEditor::Scheme::Dark;
            QCOMPARE(host.editor->inspector().palette().color(QPalette::Window).lightness() < 128,
                     isDark);
            QCOMPARE(host.window.palette(), before);
            QTest::qWait(50);
            test::keepScreenshot(host.window, isDark ? "widgets_dark" : "widgets_light");
            QCOMPARE(test::textProblems(host.window).join('\n'), QString());
        }
    }

    void oneIsOne_andItSpeaksAsTheHostAsks() {
        const QLocale before;
        ui::SmallPlugin plugin;
        const GraphEditor english(plugin);
        const auto nodes = [](int count) {
            return QCoreApplication::translate(
                "lowtide::ui::FactsList", "%n nodes", nullptr, count);
        };
        QCOMPARE(nodes(1), QString("1 node"));
        QCOMPARE(nodes(2), QString("2 nodes"));
        GraphEditor::setLanguage("zh_CN");
        HostWindow host(plugin);
        QCOMPARE(host.editor->load(kGraph), QString());
        host.show();
        test::keepScreenshot(host.window, "widgets_zh_CN");
        QVERIFY2(host.editor->load("[]").front().unicode() > 0x2e80, "why it was refused");
        QCOMPARE(QLocale(), before);
        QCOMPARE(QCoreApplication::translate("QPlatformTheme", "Cancel"), QString("Cancel"));
        GraphEditor::setLanguage("en");
        QCOMPARE(nodes(1), QString("1 node"));
    }

    void onlyTheEditorIsSeenOfTheLibrary() {
        const testing::Ended listed = testing::runProgram(
            "nm", {"-DC", "--defined-only", testing::buildPath("lib/liblowtide_widgets.so")});
        QCOMPARE(listed.exitCode, 0);
        QVERIFY(listed.output.contains("lowtide::GraphEditor::run()"));
        for (const QString& line : listed.output.split('\n')) {
            QVERIFY2(!line.contains("lowtide::") || line.contains("lowtide::GraphEditor"),
                     qPrintable(line));
        }
    }
};

LOWTIDE_WINDOW_TEST(GraphEditorTest)

}  // namespace graph_editor_test

#include "graph_editor_test.moc"
