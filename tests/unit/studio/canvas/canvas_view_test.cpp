#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/pick_popup.hpp"
#include "ui/canvas/viewport.hpp"

#include <QtWidgets>

namespace lowtide::test::canvas_view_test {

class CanvasViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        failOnQtWarnings();
        bench_ = std::make_unique<CanvasBench>();
        load_ = bench_->add("load.model", 0, 100);
        denoise_ = bench_->add("denoise.sample", 300, 100);
        decode_ = bench_->add("decode.image", 600, 400);
        bench_->connect(load_, "model", denoise_, "model");
        bench_->connect(denoise_, "latent", decode_, "latent");
        bench_->show();
    }

    void cleanup() { bench_.reset(); }

    void wheelZoomsAboutThePointer() {
        const QPoint at = bench_->header(denoise_);
        const QPointF before = bench_->view->mapToScene(at);
        QSignalSpy zoomed(&bench_->view->navigation(), &ui::ViewNavigation::zoomChanged);

        wheel(at, 240, {}, Qt::NoScrollPhase);

        QCOMPARE(zoomed.count(), 1);
        QCOMPARE(zoomed[0][0].toDouble(), 144.0);
        const QPointF away = bench_->view->mapToScene(at) - before;
        QVERIFY(std::abs(away.x()) <= 1.5 && std::abs(away.y()) <= 1.5);
    }

    void zoomKeepsWithinItsRange() {
        const QPoint at(600, 400);

        wheel(at, 120 * 60, {}, Qt::NoScrollPhase);
        QCOMPARE(bench_->view->transform().m11(), 4.0);
        wheel(at, -120 * 120, {}, Qt::NoScrollPhase);
        QCOMPARE(bench_->view->transform().m11(), 0.05);
    }

    void middleDragPans() {
        const QPoint before = bench_->header(load_);
        QWidget* viewport = bench_->view->viewport();

        QTest::mousePress(viewport, Qt::MiddleButton, {}, {600, 600});
        bench_->hold({640, 570});
        QTest::mouseRelease(viewport, Qt::MiddleButton, {}, {640, 570});

        QCOMPARE(bench_->header(load_) - before, QPoint(40, -30));
        QVERIFY(bench_->view->selectedNodes().empty());
    }

    void spaceAndDragPans_spaceAloneSearches() {
        const QPoint before = bench_->header(load_);
        auto* search = bench_->view->findChild<ui::SearchPopup*>();

        QTest::keyPress(bench_->view.get(), Qt::Key_Space);
        bench_->drag({600, 600}, {620, 610});
        QTest::keyRelease(bench_->view.get(), Qt::Key_Space);
        QCOMPARE(bench_->header(load_) - before, QPoint(20, 10));
        QVERIFY(!search->isVisible());

        QTest::keyClick(bench_->view.get(), Qt::Key_Space);
        QVERIFY(search->isVisible());
    }

    void touchpadScrolls() {
        const QPoint before = bench_->header(load_);

        wheel({600, 400}, -20, {-12, -30}, Qt::ScrollUpdate);

        QCOMPARE(bench_->header(load_) - before, QPoint(-12, -30));
        QCOMPARE(bench_->view->transform().m11(), 1.0);
    }

    void fitsTheSelection() {
        bench_->view->select({decode_});
        bench_->view->centerOn(9000, 9000);

        QTest::keyClick(bench_->view.get(), Qt::Key_F);
        QVERIFY(bench_->view->viewport()->rect().contains(bench_->header(decode_)));

        QTest::keyClick(bench_->view.get(), Qt::Key_Home);
        QVERIFY(bench_->view->viewport()->rect().contains(bench_->header(load_)));
        QVERIFY(bench_->view->viewport()->rect().contains(bench_->header(decode_)));
    }

    void remainsFitted_untilTheUserMovesIt() {
        ui::GraphView& view = *bench_->view;
        view.invoke("view.fit_all");
        const double before = view.transform().m11();

        view.resize(view.width() / 2, view.height() / 2);
        QTest::qWait(1);
        const double smaller = view.transform().m11();
        wheel(view.viewport()->rect().center(), -120, {}, Qt::NoScrollPhase);
        const double moved = view.transform().m11();
        view.resize(view.width() * 2, view.height() * 2);
        QTest::qWait(1);

        QVERIFY(smaller < before);
        QCOMPARE(view.transform().m11(), moved);
    }

    /// Notices lie over the top of the canvas.
    void whatIsFittedOrRevealedStandsBelowWhatCovers() {
        ui::GraphView& view = *bench_->view;
        const QRect seen = view.viewport()->rect().adjusted(0, 400, 0, 0);
        const auto isSeen = [&](const std::string& node) {
            return seen.contains(
                view.mapFromScene(bench_->node(node).bodyInScene()).boundingRect());
        };
        view.navigation().setCovered(400);
        view.invoke("view.fit_all");
        QVERIFY(isSeen(load_) && isSeen(denoise_) && isSeen(decode_));

        view.select({load_});
        view.invoke("view.fit_selected");
        QVERIFY(isSeen(load_));

        view.invoke("view.zoom_actual");
        view.centerOn(bench_->node(load_).bodyInScene().center() + QPointF(0, 250));
        QVERIFY(view.viewport()->rect().contains(bench_->header(load_)) && !isSeen(load_));
        view.reveal(load_);
        QVERIFY(isSeen(load_));

        view.navigation().setCovered(10000);  // of a window that is lower than what lies over it
        view.invoke("view.fit_all");
        QVERIFY(isSeen(load_) && isSeen(denoise_) && isSeen(decode_));
    }

    void fitsAgain_untilTheUserMovesIt() {
        ui::GraphView& view = *bench_->view;
        view.invoke("view.fit_all");
        const double before = view.transform().m11();

        view.navigation().setCovered(400);
        QCOMPARE(view.transform().m11(), before);
        view.navigation().fitAgain();
        const double smaller = view.transform().m11();
        QVERIFY(smaller < before);

        view.navigation().pan({0, 10});
        view.navigation().setCovered(0);
        view.navigation().fitAgain();
        QCOMPARE(view.transform().m11(), smaller);
    }

    void keysAddANodeWithoutThePointer() {
        QTest::keyClick(bench_->view.get(), Qt::Key_Tab);
        auto* pattern = bench_->view->findChild<QLineEdit*>("nodeSearchPattern");
        QVERIFY(pattern->isVisible());

        QTest::keyClicks(pattern, "save");
        QTest::keyClick(pattern, Qt::Key_Return);

        QCOMPARE(bench_->model.document().nodes.size(), size_t{4});
        const std::string added = *bench_->view->selectedNodes().begin();
        QCOMPARE(bench_->model.node(added)->type, std::string("save.image"));
        QVERIFY(bench_->view->hasFocus());
    }

    void doubleClickOnEmptyCanvasSearches() {
        bench_->doubleClick({1000, 700});
        auto* search = bench_->view->findChild<ui::SearchPopup*>();
        QVERIFY(search->isVisible());

        QTest::keyClick(search->findChild<QLineEdit*>(), Qt::Key_Escape);

        QVERIFY(!search->isVisible());
        QCOMPARE(bench_->model.document().nodes.size(), size_t{3});
    }

    void arrowsMoveToNodes_altArrowsMoveAlongWires() {
        bench_->view->select({load_});

        QTest::keyClick(bench_->view.get(), Qt::Key_Right);
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{decode_});
        QTest::keyClick(bench_->view.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{denoise_});
    }

    void revealShowsAndMarks() {
        bench_->view->centerOn(9000, 9000);

        bench_->view->reveal(decode_, "latent");

        QVERIFY(bench_->view->viewport()->rect().contains(bench_->header(decode_)));
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{decode_});
        bench_->view->reveal("nobody");
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{decode_});
    }

    void minimapMovesTheView() {
        bench_->view->navigation().minimap().ask(true);
        auto* minimap = bench_->view->findChild<ui::Minimap*>();
        bench_->view->centerOn(9000, 9000);
        const QPointF target = bench_->node(decode_).bodyInScene().center();

        QTest::mouseClick(minimap, Qt::LeftButton, {}, minimap->mapFromScene(target).toPoint());

        QVERIFY(bench_->view->viewport()->rect().contains(bench_->header(decode_)));
    }

    void minimapIsDragged() {
        ui::GraphView& view = *bench_->view;
        view.navigation().minimap().ask(true);
        auto* minimap = view.findChild<ui::Minimap*>();
        const auto at = [&](const std::string& node) {
            return minimap->mapFromScene(bench_->node(node).bodyInScene().center()).toPoint();
        };
        const auto isInTheMiddle = [&](const std::string& node) {
            const QPoint away = bench_->pixel(bench_->node(node).bodyInScene().center()) -
                                view.viewport()->rect().center();
            return away.manhattanLength() < 20;  // a pixel of the map is several here
        };
        const auto hold = [&](QPoint to, Qt::MouseButtons buttons) {
            QMouseEvent event(QEvent::MouseMove,
                              QPointF(to),
                              QPointF(minimap->mapToGlobal(to)),
                              Qt::NoButton,
                              buttons,
                              {});
            QApplication::sendEvent(minimap, &event);
        };

        QTest::mousePress(minimap, Qt::LeftButton, {}, at(load_));
        QVERIFY(isInTheMiddle(load_));
        hold(at(decode_), Qt::LeftButton);
        QVERIFY(isInTheMiddle(decode_));
        QTest::mouseRelease(minimap, Qt::LeftButton, {}, at(decode_));
        hold(at(load_), Qt::NoButton);
        QVERIFY(isInTheMiddle(decode_));
        QVERIFY(view.selectedNodes().empty());
    }

    void minimapIsThere_whileSomethingIsOutOfView() {
        ui::GraphView view(bench_->model, bench_->statuses, nullptr);
        view.resize(1000, 700);
        view.show();
        const auto* minimap = view.findChild<ui::Minimap*>();
        QSignalSpy shown(&view.navigation().minimap(), &ui::Minimap::shownChanged);

        view.invoke("view.fit_all");
        QVERIFY(!minimap->isVisible());
        view.centerOn(2000, 300);
        QVERIFY(minimap->isVisible());
        view.invoke("view.fit_all");
        QVERIFY(!minimap->isVisible());
        bench_->model.apply("far", [this](graph::Document& document) {
            ui::setPosition(document.nodes.at(load_), {-4000, 0});
        });
        QVERIFY(minimap->isVisible());
        QCOMPARE(shown.count(), 3);
    }

    void minimapGivesWay_toTheNodeThatIsWorkedAt() {
        ui::Minimap& minimap = bench_->view->navigation().minimap();
        minimap.ask(true);
        const QPointF below = bench_->view->mapToScene(minimap.geometry().center());
        bench_->model.apply("below the map", [&](graph::Document& document) {
            ui::setPosition(document.nodes.at(decode_), {below.x() - 20, below.y() - 20});
        });
        QVERIFY(!minimap.isFaint());

        bench_->view->select({decode_});
        QVERIFY(minimap.isFaint());
        QVERIFY(minimap.testAttribute(Qt::WA_TransparentForMouseEvents));
        bench_->view->select({load_});
        QVERIFY(!minimap.isFaint());
    }

    /// Who hears it looks at all nodes: the minimap, the inspector, a screen reader.
    void selectingAllIsReportedOnce() {
        const QSignalSpy reported(bench_->view.get(), &ui::GraphView::selectionChanged);

        bench_->view->invoke("edit.select_all");
        QCOMPARE(bench_->view->selectedNodes().size(), size_t{3});
        QCOMPARE(reported.size(), 1);
        bench_->view->invoke("edit.select_all");
        QCOMPARE(reported.size(), 1);
    }

    void minimapGivesWay_toAnImage() {
        ui::Minimap& minimap = bench_->view->navigation().minimap();
        minimap.ask(true);
        const QPointF below = bench_->view->mapToScene(minimap.geometry().topLeft());
        bench_->model.apply("below the map", [&](graph::Document& document) {
            ui::setPosition(document.nodes.at(decode_), {below.x(), below.y() - 40});
        });
        ui::NodeStatus seen = bench_->node(decode_).status();
        seen.nodeImage = QImage(64, 64, QImage::Format_RGB32);
        bench_->node(decode_).setStatus(seen);

        bench_->view->centerOn(QPointF(500, 301));
        QVERIFY(minimap.isFaint());
    }

    void minimapRemainsAsAsked() {
        const auto* minimap = bench_->view->findChild<ui::Minimap*>();

        bench_->view->navigation().minimap().ask(true);
        bench_->view->invoke("view.fit_all");
        QVERIFY(minimap->isVisible());
        bench_->view->navigation().minimap().ask(false);
        bench_->view->centerOn(9000, 9000);
        QVERIFY(!minimap->isVisible());
    }

    void minimapLeavesASmallCanvasFree() {
        bench_->view->navigation().minimap().ask(true);
        const auto* minimap = bench_->view->findChild<ui::Minimap*>();
        const QSize large = minimap->size();

        bench_->view->resize(700, 500);
        QTest::qWait(1);

        QVERIFY(minimap->width() < large.width());
        QVERIFY(minimap->width() <= 0.17 * 700 && minimap->height() <= 0.17 * 500);
        QVERIFY(bench_->view->rect().contains(minimap->geometry()));
    }

    void fitKeepsTextsReadable() {
        bench_->model.apply("wide", [this](graph::Document& document) {  // as the default graph
            ui::setPosition(document.nodes.at(decode_), {1100, 100});
        });
        bench_->view->resize(762, 550);
        QTest::qWait(1);

        bench_->view->invoke("view.fit_all");

        const double zoom = bench_->view->transform().m11();
        QVERIFY2(zoom > 0.53, qPrintable(QString::number(zoom)));
        const QRect seen = bench_->view->viewport()->rect();
        for (const auto& [id, rect] : bench_->scene().nodeRects()) {
            QVERIFY(seen.contains(bench_->view->mapFromScene(rect).boundingRect()));
        }
    }

    void bookmarksAreKeptInTheGraph() {
        ui::GraphView& view = *bench_->view;
        const auto middle = [&view] { return view.mapToScene(view.viewport()->rect().center()); };
        view.setTransform(QTransform::fromScale(1.5, 1.5));
        view.centerOn(320, 200);
        const int steps = bench_->model.undoStack().count();

        QTest::keyClick(&view, Qt::Key_3, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->model.load(graph::parseDocument(graph::toText(bench_->model.document())));
        view.setTransform(QTransform::fromScale(0.5, 0.5));
        view.centerOn(5000, 5000);
        QTest::keyClick(&view, Qt::Key_3);

        QCOMPARE(view.transform().m11(), 1.5);
        QVERIFY((middle() - QPointF(320, 200)).manhattanLength() < 3);
    }

    void aFreeBookmarkReportsIt() {
        const QTransform before = bench_->view->viewportTransform();

        QTest::keyClick(bench_->view.get(), Qt::Key_7);

        const auto* tip = bench_->view->findChild<QLabel*>("pointerTip");
        QVERIFY(tip->isVisible());
        QVERIFY2(tip->text().contains("7"), qPrintable(tip->text()));
        QCOMPARE(bench_->view->viewportTransform(), before);
    }

    void backLeadsToTheEarlierView() {
        ui::GraphView& view = *bench_->view;
        bench_->model.load(graph::Document(bench_->model.document()));  // forgets earlier jumps
        const QTransform before = view.viewportTransform();
        view.select({decode_});
        QTest::keyClick(&view, Qt::Key_Home);
        const QTransform all = view.viewportTransform();
        QTest::keyClick(&view, Qt::Key_F);
        const QTransform one = view.viewportTransform();
        const auto isAt = [&view](const QTransform& position) {
            const QPointF away =
                view.viewportTransform().map(QPointF(300, 300)) - position.map(QPointF(300, 300));
            return view.transform().m11() == position.m11() && away.manhattanLength() <= 3;
        };
        QVERIFY(!isAt(all));

        QTest::keyClick(&view, Qt::Key_BracketLeft);
        QVERIFY(isAt(all));
        QTest::keyClick(&view, Qt::Key_BracketLeft);
        QVERIFY(isAt(before));
        QTest::keyClick(&view, Qt::Key_BracketLeft);
        QVERIFY(isAt(before));
        QTest::keyClick(&view, Qt::Key_BracketRight);
        QTest::keyClick(&view, Qt::Key_BracketRight);
        QVERIFY(isAt(one));
    }

    void arrangesAllNodes() {
        bench_->view->select({});

        QTest::keyClick(bench_->view.get(), Qt::Key_L, Qt::ControlModifier);

        const ui::NodeRects rects = bench_->scene().nodeRects();
        QVERIFY(rects.at(load_).right() < rects.at(denoise_).left());
        QVERIFY(rects.at(denoise_).right() < rects.at(decode_).left());
    }

    void emptyCanvasHelps() {
        const QImage before = bench_->view->grab().toImage();

        bench_->model.load({});

        const QImage after = bench_->view->grab().toImage();
        QVERIFY(before != after);
        QVERIFY(bench_->scene().contentRect().isNull());
    }

private:
    void wheel(QPoint at, int angle, QPoint pixels, Qt::ScrollPhase phase);

    std::unique_ptr<CanvasBench> bench_;

    std::string load_, denoise_, decode_;
};

void CanvasViewTest::wheel(QPoint at, int angle, QPoint pixels, Qt::ScrollPhase phase) {
    QWheelEvent event(QPointF(at),
                      QPointF(bench_->view->viewport()->mapToGlobal(at)),
                      pixels,
                      QPoint(0, angle),
                      Qt::NoButton,
                      Qt::NoModifier,
                      phase,
                      false);
    QApplication::sendEvent(bench_->view->viewport(), &event);
}

LOWTIDE_WINDOW_TEST(CanvasViewTest)

}  // namespace lowtide::test::canvas_view_test

#include "canvas_view_test.moc"
