#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"

#include <QtWidgets>

namespace lowtide::test::node_gestures_test {

class NodeGesturesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        failOnQtWarnings();
        bench_ = std::make_unique<CanvasBench>();
        load_ = bench_->add("load.model", 0, 96);
        denoise_ = bench_->add("denoise.sample", 304, 96);
        decode_ = bench_->add("decode.image", 700, 400);
        bench_->connect(load_, "model", denoise_, "model");
        bench_->connect(denoise_, "latent", decode_, "latent");
        bench_->show();
    }

    void cleanup() { bench_.reset(); }

    void dragsANode_asOneStep() {
        const int steps = bench_->model.undoStack().count();

        const QPoint from = bench_->header(denoise_);
        bench_->drag(from, from + QPoint(96, 320));

        QCOMPARE(bench_->topLeftOf(denoise_), (ui::Point{400, 416}));
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->model.undoStack().undo();
        QCOMPARE(bench_->node(denoise_).pos(), QPointF(304, 96));
    }

    void snapsToTheEdgeOfAnother() {
        bench_->model.apply("off the grid", [this](graph::Document& document) {
            ui::setPosition(document.nodes.at(denoise_), {301, 96});
        });
        const QPoint from = bench_->header(decode_);

        bench_->drag(from, from + QPoint(-395, 99));  // 4 away from the left edge of denoise

        QCOMPARE(bench_->topLeftOf(decode_), (ui::Point{301, 496}));  // downwards the grid of 8
    }

    void pinnedNodesRemain() {
        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_P);
        QVERIFY(ui::isPinned(*bench_->model.node(denoise_)));

        const QPoint from = bench_->header(denoise_);
        bench_->drag(from, from + QPoint(100, 100));

        QCOMPARE(bench_->topLeftOf(denoise_), (ui::Point{304, 96}));
    }

    void insertsANodeIntoTheWire() {
        const std::string scale = bench_->add("latent.scale", 100, 500);
        const ui::Wire* wire = bench_->scene().wires().into({decode_, "latent"});
        const QPoint middle = bench_->pixel(wire->path.curve.pointAtPercent(0.5));

        bench_->drag(bench_->header(scale), middle);

        QVERIFY(bench_->hasLink(denoise_, scale, "latent"));
        QVERIFY(bench_->hasLink(scale, decode_, "latent"));
    }

    void insertsAWiredNode_whileNothingReadsIt() {
        const std::string scale = bench_->add("latent.scale", 100, 500);
        bench_->connect(denoise_, "latent", scale, "latent");
        const ui::Wire* wire = bench_->scene().wires().into({decode_, "latent"});
        const QPoint middle = bench_->pixel(wire->path.curve.pointAtPercent(0.5));

        bench_->drag(bench_->header(scale), middle);

        QVERIFY(bench_->hasLink(denoise_, scale, "latent"));
        QVERIFY(bench_->hasLink(scale, decode_, "latent"));
        QCOMPARE(bench_->model.document().links.size(), size_t{3});
    }

    void rubberBandSelectsWhatItTouches() {
        bench_->drag(bench_->pixel({-60, 60}), bench_->pixel({320, 110}));

        QCOMPARE(bench_->view->selectedNodes(), (std::set<std::string>{load_, denoise_}));
    }

    void shiftClickAddsAndTakesAway() {
        bench_->click(bench_->header(load_));
        bench_->click(bench_->header(decode_), Qt::ShiftModifier);
        QCOMPARE(bench_->view->selectedNodes(), (std::set<std::string>{load_, decode_}));

        bench_->click(bench_->header(load_), Qt::ShiftModifier);
        QCOMPARE(bench_->view->selectedNodes(), (std::set<std::string>{decode_}));
    }

    void frameMovesItsMembers() {
        bench_->view->select({load_, denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_G, Qt::ControlModifier);
        QTest::keyClick(bench_->view->findChild<QLineEdit*>("canvasText"), Qt::Key_Return);
        const ui::BoxItem& frame = *bench_->scene().boxes().front();
        const QPoint title = bench_->pixel(frame.textInScene().center());

        bench_->drag(title, title + QPoint(0, 80));

        QCOMPARE(bench_->topLeftOf(load_), (ui::Point{0, 176}));
        QCOMPARE(bench_->topLeftOf(denoise_), (ui::Point{304, 176}));
        QCOMPARE(bench_->topLeftOf(decode_), (ui::Point{700, 400}));
    }

    void collapsedFrameHidesItsMembers() {
        bench_->model.apply("frame", [](graph::Document& document) {
            ui::putBox(document,
                       ui::BoxKind::Frame,
                       {.id = "f", .topLeft = {-24, 40}, .size = {600, 500}, .isCollapsed = true});
        });

        QVERIFY(!bench_->node(denoise_).isVisible());
        QVERIFY(bench_->node(decode_).isVisible());
        QVERIFY(bench_->scene().wires().into({denoise_, "model"})->isHidden);
        const ui::Wire* leaving = bench_->scene().wires().into({decode_, "latent"});
        QVERIFY(!leaving->isHidden);
        QCOMPARE(leaving->start.x(), 576.0);  // the frame's right edge
    }

    void noteIsWrittenInPlace() {
        bench_->view->invoke("node.note");
        auto* editor = bench_->view->findChild<QWidget*>("canvasText");
        QVERIFY(editor != nullptr);

        QTest::keyClicks(editor, "Try 30 steps");
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);

        const auto notes = ui::boxesOf(bench_->model.document(), ui::BoxKind::Note);
        QCOMPARE(notes.size(), size_t{1});
        QCOMPARE(notes[0].text, std::string("Try 30 steps"));
    }

    void aNoteTakesAPasteFromItsMenu() {
        bench_->view->invoke("node.note");
        auto* editor = bench_->view->findChild<QPlainTextEdit*>("canvasText");
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, "Seen: ");
        QGuiApplication::clipboard()->setText("a fox");

        const QPoint topLeftOf = editor->viewport()->rect().center();
        QContextMenuEvent click(
            QContextMenuEvent::Mouse, topLeftOf, editor->viewport()->mapToGlobal(topLeftOf));
        QCoreApplication::sendEvent(editor->viewport(), &click);
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu != nullptr);
        for (QAction* action : menu->actions()) {
            if (action->objectName() == "edit-paste") {
                menu->setActiveAction(action);
            }
        }
        QTest::keyClick(menu, Qt::Key_Return);

        QVERIFY(editor->isVisible());
        QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
        const auto notes = ui::boxesOf(bench_->model.document(), ui::BoxKind::Note);
        QCOMPARE(notes.at(0).text, std::string("Seen: a fox"));
    }

    void headerIsRenamedInPlace() {
        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_F2);
        auto* editor = bench_->view->findChild<QLineEdit*>("canvasText");
        QVERIFY(editor != nullptr);

        QTest::keyClicks(editor, "First pass");
        QTest::keyClick(editor, Qt::Key_Return);

        QCOMPARE(bench_->model.node(denoise_)->title.value_or(""), std::string("First pass"));
        QCOMPARE(bench_->node(denoise_).face().title, QString("First pass"));
    }

    void copiesThroughTheClipboardAsText() {
        bench_->view->select({load_, denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QGuiApplication::clipboard()->text().contains("denoise.sample"));

        QTest::keyClick(bench_->view.get(), Qt::Key_V, Qt::ControlModifier);

        QCOMPARE(bench_->model.document().nodes.size(), size_t{5});
        QCOMPARE(bench_->model.document().links.size(), size_t{3});
        QCOMPARE(bench_->view->selectedNodes().size(), size_t{2});
    }

    void cutsToTheClipboard_asOneStep() {
        bench_->view->select({denoise_});
        QGuiApplication::clipboard()->clear();
        const int steps = bench_->model.undoStack().count();

        QTest::keyClick(bench_->view.get(), Qt::Key_X, Qt::ControlModifier);

        QVERIFY(bench_->model.node(denoise_) == nullptr);
        QVERIFY(bench_->model.document().links.empty());
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        QVERIFY(QGuiApplication::clipboard()->text().contains("denoise.sample"));
        QTest::keyClick(bench_->view.get(), Qt::Key_V, Qt::ControlModifier);
        const std::string pasted = *bench_->view->selectedNodes().begin();
        QCOMPARE(bench_->model.node(pasted)->type, std::string("denoise.sample"));
        QCOMPARE(bench_->model.document().nodes.size(), size_t{3});
    }

    void duplicatesWithAndWithoutWires() {
        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_D, Qt::ControlModifier);
        const std::string plain = *bench_->view->selectedNodes().begin();
        QVERIFY(!bench_->hasLink(load_, plain, "model"));

        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        const std::string wired = *bench_->view->selectedNodes().begin();
        QVERIFY(wired != denoise_);
        QVERIFY(bench_->hasLink(load_, wired, "model"));
    }

    void deletesAndHeals() {
        const std::string scale = bench_->add("latent.scale", 500, 300);
        bench_->connect(denoise_, "latent", scale, "latent");
        bench_->connect(scale, "latent", decode_, "latent");
        bench_->view->select({scale});

        QTest::keyClick(bench_->view.get(), Qt::Key_Delete, Qt::ControlModifier);

        QVERIFY(bench_->model.node(scale) == nullptr);
        QVERIFY(bench_->hasLink(denoise_, decode_, "latent"));
        QVERIFY(bench_->scene().node(scale) == nullptr);
    }

    void mutesBypassesCollapses() {
        bench_->view->select({load_});
        QTest::keyClick(bench_->view.get(), Qt::Key_M, Qt::ControlModifier);
        QCOMPARE(bench_->model.node(load_)->mode, graph::NodeMode::Muted);
        QTest::keyClick(bench_->view.get(), Qt::Key_B, Qt::ControlModifier);
        QCOMPARE(bench_->model.node(load_)->mode,
                 graph::NodeMode::Muted);  // nothing passes through

        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_B, Qt::ControlModifier);
        QCOMPARE(bench_->model.node(denoise_)->mode, graph::NodeMode::Bypassed);
        bench_->click(bench_->pixel(bench_->node(denoise_).pos() +
                                    bench_->node(denoise_).layout().fold.center()));
        QVERIFY(ui::isCollapsed(*bench_->model.node(denoise_)));
    }

    void undoInTheMiddleOfADragIsSafe() {
        const std::string scale = bench_->add("latent.scale", 100, 500);
        const QPoint from = bench_->header(scale);
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold(from + QPoint(40, 0));
        bench_->hold(from + QPoint(60, 0));

        bench_->model.undoStack().undo();  // the dragged node is gone
        bench_->hold(from + QPoint(80, 0));
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, from);

        QVERIFY(bench_->scene().node(scale) == nullptr);
        QCOMPARE(bench_->topLeftOf(denoise_), (ui::Point{304, 96}));
    }

    /// A run begins and draws a seed.
    void aValueThatChangesDoesNotEndADrag() {
        const QPoint from = bench_->header(denoise_);
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold(from + QPoint(40, 0));
        bench_->hold(from + QPoint(96, 320));

        bench_->model.adjust([this](graph::Document& document) {
            document.nodes.at(denoise_).params["steps"] = 33;
        });
        QCOMPARE(bench_->node(denoise_).pos(), QPointF(400, 416));
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, from + QPoint(96, 320));

        QCOMPARE(bench_->topLeftOf(denoise_), (ui::Point{400, 416}));
    }

    void showsTheWiresThatADropWouldMake_data() {
        testing::addTable<QString, bool>(
            {"type", "fits"}, {{"fits", "latent.scale", true}, {"does not", "load.model", false}});
    }

    void showsTheWiresThatADropWouldMake() {
        QFETCH(QString, type);
        QFETCH(bool, fits);
        const std::string moved = bench_->add(type.toStdString(), 100, 500);
        const ui::Wire* wire = bench_->scene().wires().into({decode_, "latent"});
        const QPoint middle = bench_->pixel(wire->path.curve.pointAtPercent(0.5));
        const QPoint from = bench_->header(moved);
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold(from + QPoint(0, 60), Qt::AltModifier);  // Alt: no guides of the same colour
        bench_->hold(from + QPoint(0, 80), Qt::AltModifier);
        const int apart = bench_->pixelsOf("accent");

        bench_->hold(middle, Qt::AltModifier);
        const int over = bench_->pixelsOf("accent");
        bench_->hold(from + QPoint(0, 80), Qt::AltModifier);
        const int left = bench_->pixelsOf("accent");

        QCOMPARE(over > apart + 40, fits);
        QCOMPARE(left, apart);
        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
    }

    void frameIsSizedByItsCorner() {
        bench_->model.apply("frame", [](graph::Document& document) {
            ui::putBox(document,
                       ui::BoxKind::Frame,
                       {.id = "f", .topLeft = {0, 400}, .size = {240, 160}, .colour = "blue"});
        });
        const int steps = bench_->model.undoStack().count();
        const auto size = [this] {
            return ui::boxesOf(bench_->model.document(), ui::BoxKind::Frame).at(0).size;
        };

        bench_->drag(bench_->pixel({235, 555}), bench_->pixel({315, 605}));

        QCOMPARE(size(), (ui::Point{320, 208}));  // to the grid of 8
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->drag(bench_->pixel({315, 603}), bench_->pixel({-400, 100}));
        QCOMPARE(size(), (ui::Point{96, 48}));  // never lost from sight
    }

    void frameIsColouredByItsMenu() {
        bench_->model.apply("frame", [](graph::Document& document) {
            ui::putBox(document,
                       ui::BoxKind::Frame,
                       {.id = "f", .topLeft = {0, 400}, .size = {240, 160}, .colour = "blue"});
        });
        QCOMPARE(bench_->pixelsOf("green"), 0);

        QMenu* menu = bench_->menuAt(bench_->pixel({120, 416}));
        QVERIFY(menu != nullptr);
        QMenu* colours = CanvasBench::entry(*menu, "Colour")->menu();
        CanvasBench::entry(*colours, "Green")->trigger();
        menu->close();

        QCOMPARE(ui::boxesOf(bench_->model.document(), ui::BoxKind::Frame).at(0).colour,
                 std::string("green"));
        QVERIFY(bench_->pixelsOf("green") > 1000);
    }

    void showsWhatABypassWouldDo_whileItsEntryIsPointedAt() {
        QMenu* menu = bench_->menuAt(bench_->header(denoise_));
        QVERIFY(menu != nullptr);
        const QRectF body = bench_->node(denoise_).bodyInScene();  // the tip stands below it
        const auto node = [&] {
            return bench_->view->grab().toImage().copy(
                bench_->view->mapFromScene(body).boundingRect());
        };
        const QImage before = node();
        const auto* tip = bench_->view->findChild<QLabel*>("pointerTip");

        menu->setActiveAction(CanvasBench::entry(*menu, "Bypass"));

        QVERIFY(tip->isVisible());
        QVERIFY2(tip->text().contains("Start goes on as Latent"), qPrintable(tip->text()));
        QVERIFY(node() != before);
        QCOMPARE(bench_->model.node(denoise_)->mode, graph::NodeMode::Active);
        menu->setActiveAction(CanvasBench::entry(*menu, "Mute"));
        QVERIFY(!tip->isVisible());
        QCOMPARE(node(), before);
        menu->setActiveAction(CanvasBench::entry(*menu, "Bypass"));
        menu->close();
        QVERIFY(!tip->isVisible());
    }

    void entriesOfTheMenuHaveTheKeysOfTheirCommands() {
        bench_->view->setKeys("node.mute", {QKeySequence("Ctrl+9")});
        QMenu* menu = bench_->menuAt(bench_->header(denoise_));
        QVERIFY(menu != nullptr);

        QCOMPARE(CanvasBench::entry(*menu, "Mute")->shortcut(), QKeySequence("Ctrl+9"));
        QCOMPARE(CanvasBench::entry(*menu, "Duplicate")->shortcut(), QKeySequence("Ctrl+D"));
        QVERIFY(CanvasBench::entry(*menu, "Mute")->isShortcutVisibleInContextMenu());
        menu->close();
        bench_->view->setKeys("node.mute", {QKeySequence("Ctrl+M")});
    }

    void bypassIsNotOffered_whereNothingPasses() {
        QMenu* menu = bench_->menuAt(bench_->header(load_));
        QVERIFY(menu != nullptr);

        QVERIFY(!CanvasBench::entry(*menu, "Bypass")->isEnabled());
        QVERIFY(!bench_->view->canBypassSelected());
        menu->close();
        bench_->view->select({denoise_});
        QVERIFY(bench_->view->canBypassSelected());
    }

    void bypassOfAFileCanBeTakenBack() {
        bench_->model.apply("as in a file", [this](graph::Document& document) {
            document.nodes.at(load_).mode = graph::NodeMode::Bypassed;
        });
        bench_->view->select({load_});

        QTest::keyClick(bench_->view.get(), Qt::Key_B, Qt::ControlModifier);

        QCOMPARE(bench_->model.node(load_)->mode, graph::NodeMode::Active);
    }

private:
    std::unique_ptr<CanvasBench> bench_;

    std::string load_, denoise_, decode_;
};

LOWTIDE_WINDOW_TEST(NodeGesturesTest)

}  // namespace lowtide::test::node_gestures_test

#include "node_gestures_test.moc"
