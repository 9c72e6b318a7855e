#include "tests/fixtures/heard_events.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/canvas_elements.hpp"

#include <QLineEdit>
#include <QtTest/QtTest>

namespace lowtide::test::canvas_access_test {

using namespace lowtide::ui;

namespace {

/// A model wired to a stage, an unfinished chain behind it, and somebody who listens.
struct Listened {
    Listened() {
        load = bench.add("load.model", 0, 100);
        denoise = bench.add("denoise.sample", 300, 100);
        decode = bench.add("decode.image", 600, 100);
        bench.connect(load, "model", denoise, "model");
        bench.connect(denoise, "latent", decode, "latent");
        bench.show();
    }

    [[nodiscard]] QAccessibleInterface* canvas() const {
        return QAccessible::queryAccessibleInterface(bench.view.get());
    }

    [[nodiscard]] QAccessibleInterface* node(const QString& name) const {
        return heardBelow(canvas(), QAccessible::ListItem, name);
    }

    /// Denoise and Decode, called "Group".
    void groupStages() {
        bench.view->select({denoise, decode});
        bench.view->invoke("node.group");
        QTest::keyClick(bench.view->findChild<QLineEdit*>("canvasText"), Qt::Key_Return);
    }

    CanvasBench bench;
    HeardEvents heard;
    std::string load, denoise, decode;
};

QStringList namesOf(QAccessibleInterface* parent) {
    QStringList names;
    for (int i = 0; i < parent->childCount(); ++i) {
        if (QAccessibleInterface* child = parent->child(i); child->object() == nullptr) {
            names << child->text(QAccessible::Name);
        }
    }
    return names;
}

void act(QAccessibleInterface* what, const QString& action) {
    QVERIFY(what);
    QVERIFY(what->actionInterface());
    QVERIFY2(what->actionInterface()->actionNames().contains(action), qPrintable(action));
    what->actionInterface()->doAction(action);
}

}  // namespace

class CanvasAccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { failOnQtWarnings(); }

    void nodesComeInTheOrderInWhichTheyRun();
    void aCircleHidesNoNode();
    void aNodeDescribesItselfAndHoldsItsPorts();
    void foldedInputsAreReadAsTheOthers();
    void everyChildKnowsItsParent();
    void aPortStatesWhereItsWireComesFrom();
    void aPortThatIsNeededReportsIt();
    void theWireIsNamedByBothEndsAndCanBeDeleted();
    void aPortOffersItsOwnWiresOnly();
    void aNumberIsReadAndSet();
    void aNumberOutOfRangeIsRefusedAloud();
    void aTextIsReadAndReplaced();
    void aSwitchStatesItsStateAndIsSwitched();
    void aPlaceholderIsReadButNotSet();
    void theSelectedNodeHasTheFocus();
    void selectingByActionAnnouncesTheFocus();
    void addedAndRemovedNodesAreReported();
    void aChangedValueIsReportedForItsRow();
    void anErrorMakesTheNodeInvalidWithItsReason();
    void progressIsReportedOnceASecond();
    void theImageIsNamedAfterItsNode();
    void aFrameStatesWhatItHolds();
    void theMenuKeyOpensTheMenuOfTheNode();
    void nothingIsKeptOfAnotherGraph();
    void aPortStatesTheFoldedGroupThatItIsWiredTo();
    void aFoldedGroupHasTheFocusOfItsNodes();
    void theListStatesItsRowsWhileTheLineHasTheFocus();
};

void CanvasAccessTest::nodesComeInTheOrderInWhichTheyRun() {
    const Listened graph;
    QCOMPARE(graph.canvas()->role(), QAccessible::List);
    QCOMPARE(namesOf(graph.canvas()), QStringList({"Load model", "Denoise", "Decode"}));
    QCOMPARE(graph.canvas()->text(QAccessible::Description), QString("3 node(s), 2 wire(s)"));
}

void CanvasAccessTest::aCircleHidesNoNode() {
    graph::Document document;
    for (const char* id : {"a", "b", "c"}) {
        document.nodes[id].type = "x";
    }
    document.links = {{{"a", "o"}, {"b", "i"}}, {{"b", "o"}, {"a", "i"}}};
    QCOMPARE(runOrder(document), (std::vector<std::string>{"c", "a", "b"}));
}

void CanvasAccessTest::aNodeDescribesItselfAndHoldsItsPorts() {
    const Listened graph;
    QAccessibleInterface* node = graph.node("Denoise");
    QVERIFY(node);
    QVERIFY(node->text(QAccessible::Description).contains("Turns noise into a latent image"));
    QCOMPARE(namesOf(node), QStringList({"Model", "Start", "Prompt", "Steps", "Tiled", "Latent"}));
    QVERIFY(node->state().selectable);
    QVERIFY(node->state().expanded);
    QVERIFY(!node->state().invalid);
    const QRect body = node->rect();
    QVERIFY(body.contains(
        graph.bench.view->viewport()->mapToGlobal(graph.bench.header(graph.denoise))));
    act(node, "collapse");
    QVERIFY(node->state().collapsed);
    QCOMPARE(namesOf(node), QStringList({"Model", "Start", "Latent"}));
}

void CanvasAccessTest::foldedInputsAreReadAsTheOthers() {
    Listened graph;
    const std::string mix = graph.bench.add("latent.mix", 900, 400);

    QCOMPARE(namesOf(graph.node("Mix")),
             QStringList({"Latent", "Second", "Other", "Amount", "Latent"}));
    act(graph.node("Mix"), "inputs");
    QVERIFY(showsUnusedInputs(*graph.bench.model.node(mix)));
}

void CanvasAccessTest::everyChildKnowsItsParent() {
    const Listened graph;
    std::vector<QAccessibleInterface*> open = {graph.canvas()};
    int seen = 0;
    while (!open.empty()) {
        QAccessibleInterface* parent = open.back();
        open.pop_back();
        for (int i = 0; i < parent->childCount(); ++i) {
            QAccessibleInterface* child = parent->child(i);
            if (child->object() != nullptr) {
                continue;  // widgets are Qt's
            }
            ++seen;
            QCOMPARE(child->parent(), parent);
            QCOMPARE(parent->indexOfChild(child), i);
            QVERIFY(!child->text(QAccessible::Name).isEmpty());
            QCOMPARE(child->window(), graph.bench.view->window()->windowHandle());
            open.push_back(child);
        }
    }
    QCOMPARE(seen, 3 + 2 + 6 + 3 + 2);  // nodes; of each: ports and rows; wires
}

void CanvasAccessTest::aPortStatesWhereItsWireComesFrom() {
    const Listened graph;
    QAccessibleInterface* input = heardBelow(graph.node("Denoise"), QAccessible::Button, "Model");
    QVERIFY(input->text(QAccessible::Description).startsWith("Input, from Load model, Model."));
    QAccessibleInterface* output =
        heardBelow(graph.node("Load model"), QAccessible::Button, "Model");
    QVERIFY(output->text(QAccessible::Description).startsWith("Output, to Denoise, Model."));
    const auto related = input->relations(QAccessible::AllRelations);
    QCOMPARE(related.size(), 1);
    QCOMPARE(related.front().first, output);
    QCOMPARE(output->relations(QAccessible::AllRelations).front().first, input);
}

void CanvasAccessTest::aPortThatIsNeededReportsIt() {
    const Listened graph;
    QVERIFY(heardBelow(graph.node("Decode"), QAccessible::Button, "Model")
                ->text(QAccessible::Description)
                .startsWith("Input, not connected; it is needed."));
    QVERIFY(heardBelow(graph.node("Denoise"), QAccessible::Button, "Start")
                ->text(QAccessible::Description)
                .startsWith("Input, not connected."));
}

void CanvasAccessTest::theWireIsNamedByBothEndsAndCanBeDeleted() {
    Listened graph;
    QAccessibleInterface* wire = heardBelow(
        graph.canvas(), QAccessible::Link, "Wire from Load model, Model to Denoise, Model");
    QVERIFY(wire);
    act(wire, "delete");
    QVERIFY(!graph.bench.hasLink(graph.load, graph.denoise, "model"));
    QVERIFY(!heardBelow(
        graph.canvas(), QAccessible::Link, "Wire from Load model, Model to Denoise, Model"));
    QVERIFY(graph.heard.has("DescriptionChanged: Model") || graph.heard.lines().isEmpty());
}

void CanvasAccessTest::aPortOffersItsOwnWiresOnly() {
    Listened graph;
    act(heardBelow(graph.node("Decode"), QAccessible::Button, "Model"), "Press");
    auto* list = graph.bench.view->findChild<QListView*>("wireSearchList");
    QVERIFY(list->isVisible());
    QCOMPARE(list->model()->rowCount(), 1);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QVERIFY(graph.bench.hasLink(graph.load, graph.decode, "model"));
}

void CanvasAccessTest::aNumberIsReadAndSet() {
    Listened graph;
    QAccessibleInterface* steps = heardBelow(graph.node("Denoise"), QAccessible::SpinBox, "Steps");
    QVERIFY(steps->valueInterface());
    QCOMPARE(steps->text(QAccessible::Value), QString("20 steps"));
    QCOMPARE(steps->valueInterface()->currentValue().toDouble(), 20.0);
    QCOMPARE(steps->valueInterface()->maximumValue().toDouble(), 150.0);
    steps->valueInterface()->setCurrentValue(7);
    QCOMPARE(graph.bench.model.node(graph.denoise)->params["steps"], Json(7));
    QVERIFY(graph.heard.has("ValueChanged: Steps"));
    graph.bench.model.undoStack().undo();
    QCOMPARE(steps->valueInterface()->currentValue().toDouble(), 20.0);
}

void CanvasAccessTest::aNumberOutOfRangeIsRefusedAloud() {
    Listened graph;
    QAccessibleInterface* steps = heardBelow(graph.node("Denoise"), QAccessible::SpinBox, "Steps");
    steps->valueInterface()->setCurrentValue(900);
    QCOMPARE(steps->valueInterface()->currentValue().toDouble(), 20.0);
    QVERIFY(graph.heard.has("Alert: Graph"));
}

void CanvasAccessTest::aTextIsReadAndReplaced() {
    Listened graph;
    QAccessibleInterface* prompt =
        heardBelow(graph.node("Denoise"), QAccessible::EditableText, "Prompt");
    QVERIFY(prompt->state().multiLine);
    QCOMPARE(prompt->textInterface()->text(0, -1), QString("a lighthouse"));
    QCOMPARE(prompt->textInterface()->text(2, 7), QString("light"));
    prompt->editableTextInterface()->replaceText(2, 12, "boat");
    QCOMPARE(graph.bench.model.node(graph.denoise)->params["prompt"], Json("a boat"));
    QVERIFY(graph.heard.has("TextUpdated: Prompt"));
}

void CanvasAccessTest::aSwitchStatesItsStateAndIsSwitched() {
    Listened graph;
    QAccessibleInterface* tiled = heardBelow(graph.node("Denoise"), QAccessible::CheckBox, "Tiled");
    QVERIFY(tiled->state().checkable);
    QVERIFY(!tiled->state().checked);
    act(tiled, "Toggle");
    QVERIFY(tiled->state().checked);
    QVERIFY(graph.heard.has("StateChanged: Tiled"));
}

void CanvasAccessTest::aPlaceholderIsReadButNotSet() {
    Listened graph;
    graph.bench.model.apply("add", [](graph::Document& document) {
        document.nodes["other"] = {.type = "unknown.type", .params = {{"amount", 3}}};
    });
    QAccessibleInterface* node = graph.node("unknown.type");
    QVERIFY(node);
    QAccessibleInterface* row = heardBelow(node, QAccessible::StaticText, "amount");
    QVERIFY(row);
    QVERIFY(row->state().readOnly);
    QVERIFY(!row->valueInterface());
    row->setText(QAccessible::Value, "4");
    QCOMPARE(graph.bench.model.node("other")->params["amount"], Json(3));
}

void CanvasAccessTest::theSelectedNodeHasTheFocus() {
    Listened graph;
    QTRY_VERIFY(graph.bench.view->hasFocus());
    graph.heard.forget();
    graph.bench.click(graph.bench.header(graph.load));
    QVERIFY(graph.heard.has("Focus: Load model"));
    QTest::keyClick(graph.bench.view.get(), Qt::Key_Right, Qt::AltModifier);
    QVERIFY(graph.heard.has("Focus: Denoise"));
    QVERIFY(graph.heard.has("SelectionRemove: Load model"));
    QVERIFY(graph.node("Denoise")->state().focused);
    QVERIFY(!graph.node("Load model")->state().focused);
    QCOMPARE(graph.canvas()->focusChild(), graph.node("Denoise"));
}

void CanvasAccessTest::selectingByActionAnnouncesTheFocus() {
    Listened graph;
    act(graph.node("Decode"), "SetFocus");
    QCOMPARE(graph.bench.view->selectedNodes(), std::set<std::string>{graph.decode});
    QVERIFY(graph.heard.has("Focus: Decode"));
    QVERIFY(graph.node("Decode")->state().selected);
}

void CanvasAccessTest::addedAndRemovedNodesAreReported() {
    Listened graph;
    const std::string scale = graph.bench.add("latent.scale", 0, 400);
    QVERIFY(graph.heard.has("ObjectCreated: Scale latent"));
    act(graph.node("Scale latent"), "delete");
    QVERIFY(graph.bench.model.node(scale) == nullptr);
    QVERIFY(graph.heard.lines().filter("ObjectDestroyed: ").size() >= 1);
    QVERIFY(graph.node("Scale latent") == nullptr);
    graph.bench.model.undoStack().undo();
    QVERIFY(graph.node("Scale latent"));
}

void CanvasAccessTest::aChangedValueIsReportedForItsRow() {
    Listened graph;
    QVERIFY(heardBelow(graph.node("Denoise"), QAccessible::SpinBox, "Steps"));
    graph.heard.forget();
    graph.bench.model.apply("change", [&](graph::Document& document) {
        document.nodes.at(graph.denoise).params["steps"] = 5;
    });
    QCOMPARE(graph.heard.lines(), QStringList{"ValueChanged: Steps"});
}

void CanvasAccessTest::anErrorMakesTheNodeInvalidWithItsReason() {
    Listened graph;
    QAccessibleInterface* node = graph.node("Decode");
    QAccessibleInterface* port = heardBelow(node, QAccessible::Button, "Model");
    graph.bench.statuses.setChecked({{.severity = Severity::Error,
                                      .node = graph.decode,
                                      .item = "model",
                                      .message = Message("A model is needed"),
                                      .hint = Message("connect one")}});
    QVERIFY(node->state().invalid);
    QVERIFY(port->state().invalid);
    QVERIFY(port->text(QAccessible::Description).contains("A model is needed"));
    QTRY_VERIFY(graph.heard.has("DescriptionChanged: Decode"));
}

void CanvasAccessTest::progressIsReportedOnceASecond() {
    Listened graph;
    QVERIFY(graph.node("Denoise"));
    graph.heard.forget();
    graph.bench.statuses.beginRun();
    graph.bench.statuses.take({{"event", "nodeStarted"}, {"node", graph.denoise}});
    QElapsedTimer clock;
    clock.start();
    for (int step = 1; clock.elapsed() < 2500; ++step) {
        graph.bench.statuses.take({{"event", "nodeProgress"},
                                   {"node", graph.denoise},
                                   {"phase", "step"},
                                   {"done", step},
                                   {"total", 100000}});
        QTest::qWait(5);
    }
    const auto reported = graph.heard.lines().filter("DescriptionChanged: Denoise").size();
    QVERIFY2(reported >= 1 && reported <= 3, qPrintable(QString::number(reported)));
    QVERIFY(graph.node("Denoise")->text(QAccessible::Description).startsWith("Running"));
    QVERIFY(graph.node("Denoise")->state().busy);
}

void CanvasAccessTest::theImageIsNamedAfterItsNode() {
    Listened graph;
    QVERIFY(graph.node("Decode"));
    QImage image(64, 48, QImage::Format_RGB32);
    image.fill(Qt::red);
    graph.bench.statuses.takeImage(graph.decode, {.image = image, .size = image.size()});
    QAccessibleInterface* element =
        heardBelow(graph.canvas(), QAccessible::Graphic, "Image of Decode");
    QVERIFY(element);
    QCOMPARE(element->text(QAccessible::Description), QString("64 x 48 pixels"));
    QCOMPARE(element->imageInterface()->imageSize(), QSize(64, 48));
    const QSignalSpy shown(graph.bench.view.get(), &GraphView::imageActivated);
    act(element, "Press");
    QCOMPARE(shown.size(), 1);
}

void CanvasAccessTest::aFrameStatesWhatItHolds() {
    Listened graph;
    graph.bench.model.apply("frame", [](graph::Document& document) {
        putBox(document,
               BoxKind::Frame,
               {.text = "Sampling", .topLeft = {280, 40}, .size = {260, 500}});
        putBox(document, BoxKind::Note, {.text = "Try 30 steps", .topLeft = {0, 500}});
    });
    QAccessibleInterface* frame = heardBelow(graph.canvas(), QAccessible::Grouping, "Sampling");
    QVERIFY(frame);
    QCOMPARE(frame->text(QAccessible::Description), QString("Holds Denoise"));
    QVERIFY(heardBelow(graph.canvas(), QAccessible::Note, "Try 30 steps"));
    act(frame, "collapse");
    QVERIFY(frame->state().collapsed);
    QVERIFY(graph.node("Denoise") == nullptr);
    act(frame, "collapse");
    QVERIFY(graph.node("Denoise"));
}

void CanvasAccessTest::theMenuKeyOpensTheMenuOfTheNode() {
    Listened graph;
    act(graph.node("Denoise"), "SetFocus");
    QContextMenuEvent key(QContextMenuEvent::Keyboard, QPoint(5, 5), QPoint(5, 5));
    QApplication::sendEvent(graph.bench.view.get(), &key);
    auto* menu = graph.bench.view->findChild<QMenu*>("canvasMenu");
    QVERIFY(menu && menu->isVisible());
    QVERIFY(CanvasBench::entry(*menu, "Run to here"));
    menu->close();
}

void CanvasAccessTest::nothingIsKeptOfAnotherGraph() {
    Listened graph;
    QVERIFY(graph.node("Denoise"));
    graph.heard.forget();
    graph.bench.model.load({});
    QCOMPARE(namesOf(graph.canvas()), QStringList());
    QVERIFY(graph.heard.has("ObjectReorder: Graph"));
}

void CanvasAccessTest::aPortStatesTheFoldedGroupThatItIsWiredTo() {
    Listened graph;
    graph.bench.connect(graph.load, "model", graph.decode, "model");
    graph.groupStages();
    QAccessibleInterface* output =
        heardBelow(graph.node("Load model"), QAccessible::Button, "Model");
    QVERIFY(output->text(QAccessible::Description)
                .startsWith("Output, to Group, Model (Decode); Group, Model (Denoise)."));
    QAccessibleInterface* input =
        heardBelow(graph.node("Group"), QAccessible::Button, "Model (Denoise)");
    QVERIFY(input != nullptr);
    QCOMPARE(output->relations(QAccessible::AllRelations).back().first, input);

    graph.heard.forget();
    graph.bench.model.apply("cut", [&](graph::Document& document) {
        ui::disconnect(document, {graph.denoise, "model"});
    });
    QVERIFY(graph.heard.has("DescriptionChanged: Model (Denoise)"));
}

void CanvasAccessTest::aFoldedGroupHasTheFocusOfItsNodes() {
    Listened graph;
    graph.groupStages();
    QTRY_VERIFY(graph.bench.view->hasFocus());
    graph.bench.view->invoke("node.collapse");
    graph.heard.forget();

    graph.bench.view->invoke("node.collapse");

    const QStringList& lines = graph.heard.lines();
    QVERIFY(lines.lastIndexOf("Focus: Group") > lines.lastIndexOf("ObjectReorder: Graph"));
    QCOMPARE(graph.canvas()->focusChild(), graph.node("Group"));
}

void CanvasAccessTest::theListStatesItsRowsWhileTheLineHasTheFocus() {
    Listened graph;
    graph.bench.view->invoke("node.add");
    graph.heard.forget();
    QTest::keyClicks(QApplication::focusWidget(), "scale");
    QVERIFY(graph.heard.lines().filter("Alert: ").size() >= 1);
}

LOWTIDE_WINDOW_TEST(CanvasAccessTest)

}  // namespace lowtide::test::canvas_access_test

#include "canvas_access_test.moc"
