#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/canvas/pick_popup.hpp"

#include <QtWidgets>

namespace lowtide::test::wire_gestures_test {

namespace {

/// Whether a point of the line lies within the rectangle.
bool runsBehind(const ui::Wire& wire, const QRectF& body) {
    constexpr int kSamples = 400;
    for (int i = 0; i <= kSamples; ++i) {
        if (body.contains(wire.path.curve.pointAtPercent(static_cast<double>(i) / kSamples))) {
            return true;
        }
    }
    return false;
}

}  // namespace

class WireGesturesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        failOnQtWarnings();
        bench_ = std::make_unique<CanvasBench>();
        load_ = bench_->add("load.model", 0, 100);
        denoise_ = bench_->add("denoise.sample", 300, 100);
        decode_ = bench_->add("decode.image", 600, 100);
        bench_->show();
    }

    void cleanup() { bench_.reset(); }

    void connectsPorts_whenDraggedFromEitherEnd_data() {
        testing::addTable<bool>({"isForward"},
                                {{"from the output", true}, {"from the input", false}});
    }

    void connectsPorts_whenDraggedFromEitherEnd() {
        QFETCH(bool, isForward);
        const QPoint output = bench_->output(load_, "model");
        const QPoint input = bench_->input(denoise_, "model");

        bench_->drag(isForward ? output : input, isForward ? input : output);

        QVERIFY(bench_->hasLink(load_, denoise_, "model"));
        QCOMPARE(bench_->scene().wires().wires().size(), size_t{1});
    }

    void connectsTheFirstPortThatFits_overTheNode() {
        bench_->drag(bench_->output(denoise_, "latent"), bench_->header(decode_));

        QVERIFY(bench_->hasLink(denoise_, decode_, "latent"));
    }

    void offersFoldedInputs_whileAWireThatFitsIsNear() {
        const std::string mix = bench_->add("latent.mix", 900, 100);
        const ui::NodeItem& node = bench_->node(mix);
        const QPointF folded = node.inputInScene("other");
        QCOMPARE(folded.y(), node.inputInScene("second").y());
        const QRectF row = node.layout().rows[0].field;
        QTest::mousePress(
            bench_->view->viewport(), Qt::LeftButton, {}, bench_->output(load_, "model"));
        bench_->hold(bench_->pixel({850, 150}));
        bench_->hold(bench_->pixel({880, 160}));

        QVERIFY(node.isOffering());
        QVERIFY(node.inputInScene("other").x() < node.pos().x());
        QCOMPARE(node.inputInScene("second").x(), folded.x());  // takes no model
        QCOMPARE(node.layout().rows[0].field, row);
        const QPoint end = bench_->input(mix, "other");
        bench_->hold(end);
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, end);

        QVERIFY(bench_->hasLink(load_, mix, "other"));
        QVERIFY(!node.isOffering());
        const auto other = size_t(node.face().inputIndex("other"));
        QVERIFY(!node.layout().inputs[other].isFolded);  // what is wired is seen
    }

    void unusedInputsAreShown_whenTheirLineIsClicked() {
        const std::string mix = bench_->add("latent.mix", 900, 100);
        const ui::NodeItem& node = bench_->node(mix);
        const double height = node.layout().body.height();
        const int steps = bench_->model.undoStack().count();

        bench_->click(bench_->pixel(node.pos() + node.layout().unused.center()));

        QVERIFY(node.inputInScene("other").y() > node.inputInScene("second").y());
        QVERIFY(node.layout().body.height() > height);
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->view->select({mix});
        QTest::keyClick(bench_->view.get(), Qt::Key_U);
        QCOMPARE(node.layout().body.height(), height);
    }

    void aWireOverTheNodeTakesAFoldedInput() {
        const std::string mix = bench_->add("latent.mix", 900, 100);

        bench_->drag(bench_->output(load_, "model"), bench_->header(mix));

        QVERIFY(bench_->hasLink(load_, mix, "other"));
    }

    void explainsWhy_whenTheWireIsRefused() {
        const QPoint from = bench_->output(load_, "model");
        const QPoint to = bench_->input(decode_, "latent");
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold((from + to) / 2);
        bench_->hold(to);
        const auto* tip = bench_->view->findChild<QLabel*>("pointerTip");

        QVERIFY(tip->isVisible());
        QVERIFY2(tip->text().contains("LATENT"), qPrintable(tip->text()));
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, to);
        QVERIFY(bench_->model.document().links.empty());
        QVERIFY(!tip->isVisible());
    }

    void offersWhatFits_whenLetGoOverEmptyCanvas() {
        bench_->drag(bench_->output(decode_, "image"), QPoint(900, 600));
        auto* search = bench_->view->findChild<ui::SearchPopup*>();
        QVERIFY(search->isVisible());
        QCOMPARE(search->hits().size(), size_t{1});

        QTest::keyClick(search->findChild<QLineEdit*>(), Qt::Key_Return);

        QCOMPARE(bench_->model.document().nodes.size(), size_t{4});
        const std::string added = *bench_->view->selectedNodes().begin();
        QCOMPARE(bench_->model.node(added)->type, std::string("save.image"));
        QVERIFY(bench_->hasLink(decode_, added, "image"));
    }

    void aNodeOfTheSearchLiesOnNoOther_andIsWired() {
        bench_->view->centerOn(bench_->node(decode_).bodyInScene().center());
        bench_->view->invoke("node.add");
        auto* pattern = bench_->view->findChild<QLineEdit*>("nodeSearchPattern");
        QTest::keyClicks(pattern, "save");
        QTest::keyClick(pattern, Qt::Key_Return);

        const std::string added = *bench_->view->selectedNodes().begin();
        QCOMPARE(bench_->model.node(added)->type, std::string("save.image"));
        QVERIFY(bench_->hasLink(decode_, added, "image"));
        const QRectF body = bench_->node(added).bodyInScene();
        for (const std::string& other : {load_, denoise_, decode_}) {
            QVERIFY(!body.intersects(bench_->node(other).bodyInScene()));
        }
        bench_->model.undoStack().undo();
        QCOMPARE(bench_->model.document().nodes.size(), size_t{3});
        QVERIFY(bench_->model.document().links.empty());
    }

    void aDropStatesWhatLiesBelowIt() {
        bench_->connect(load_, "model", denoise_, "model");
        const ui::Wire& wire = *bench_->scene().wires().into({denoise_, "model"});
        const QPoint onWire = bench_->pixel(wire.path.points[wire.path.points.size() / 2]);

        const ui::DropSpot row = dropped(bench_->value(denoise_, "steps"));
        const ui::DropSpot header = dropped(bench_->header(decode_));
        const ui::DropSpot between = dropped(onWire);
        const ui::DropSpot nothing = dropped({1150, 760});

        QCOMPARE(row.node, denoise_);
        QCOMPARE(row.param, std::string("steps"));
        QCOMPARE(header.node, decode_);
        QCOMPARE(header.param, std::string());
        QVERIFY(between.node.empty());
        QVERIFY(between.wireTo == (graph::PortRef{denoise_, "model"}));
        QVERIFY(nothing.node.empty() && !nothing.wireTo);
        QVERIFY(nothing.isAt);
    }

    /// Also where the pointer finds it.
    void aWireGoesAroundANodeThatComesIntoItsWay() {
        const std::string save = bench_->add("save.image", 300, 600);
        bench_->connect(load_, "model", decode_, "model");
        const auto wire = [this]() -> const ui::Wire& {
            return *bench_->scene().wires().into({decode_, "model"});
        };
        const auto bodies = [&] {
            return std::vector{bench_->node(denoise_).bodyInScene(),
                               bench_->node(save).bodyInScene()};
        };
        for (const QRectF& body : bodies()) {
            QVERIFY(!runsBehind(wire(), body));
        }
        const QPointF middle = wire().path.curve.pointAtPercent(0.5);

        bench_->model.apply("move", [&](graph::Document& document) {
            ui::setPosition(document.nodes.at(save), {middle.x() - 100, middle.y() - 20});
            ui::setPosition(document.nodes.at(denoise_), {300, 900});
        });

        QVERIFY(bodies()[1].contains(middle));
        QVERIFY(!runsBehind(wire(), bodies()[1]));
        const QPointF now = wire().path.points[wire().path.points.size() / 2];
        const std::optional<size_t> found = bench_->scene().wires().wireAt(now, 6);
        QVERIFY(found && bench_->scene().wires().wires()[*found].to == wire().to);
    }

    void aWireLeavesItsDetour_whenTheNodeInItsWayGoes() {
        bench_->connect(load_, "model", decode_, "model");
        const ui::Wire before = *bench_->scene().wires().into({decode_, "model"});
        QVERIFY(!before.path.isClear);

        bench_->model.apply("remove",
                            [this](graph::Document& document) { document.nodes.erase(denoise_); });

        QVERIFY(bench_->scene().wires().into({decode_, "model"})->path.isClear);
    }

    /// Wires over several columns, and one that runs back.
    void noWireOfAnArrangedGraphRunsBehindANode() {
        const std::string first = bench_->add("latent.mix", 0, 0);
        const std::string second = bench_->add("latent.mix", 0, 0);
        const std::string scale = bench_->add("latent.scale", 0, 0);
        const std::string save = bench_->add("save.image", 0, 0);
        bench_->connect(load_, "model", denoise_, "model");
        bench_->connect(load_, "model", decode_, "model");
        bench_->connect(load_, "model", second, "other");
        bench_->connect(denoise_, "latent", first, "latent");
        bench_->connect(denoise_, "latent", scale, "latent");
        bench_->connect(scale, "latent", second, "latent");
        bench_->connect(first, "latent", second, "second");
        bench_->connect(second, "latent", decode_, "latent");
        bench_->connect(decode_, "image", save, "image");

        bench_->view->invoke("node.arrange");
        bench_->model.apply("move", [&](graph::Document& document) {
            ui::setPosition(document.nodes.at(save), {-400, 0});
        });

        const std::vector<ui::Wire>& wires = bench_->scene().wires().wires();
        QCOMPARE(wires.size(), size_t{9});
        for (const ui::Wire& wire : wires) {
            for (const auto& [id, rect] : bench_->scene().nodeRects()) {
                QVERIFY2(!runsBehind(wire, rect.adjusted(2, 2, -2, -2)),
                         (wire.from.node + " to " + wire.to.node + " behind " + id).c_str());
            }
        }
    }

    /// A wire that a node is dragged over has to be there when it is dropped.
    void aWireWaits_whileANodeIsDraggedOverIt() {
        const std::string mix = bench_->add("latent.mix", 600, 500);
        bench_->connect(denoise_, "latent", decode_, "latent");
        const QPointF middle =
            bench_->scene().wires().into({decode_, "latent"})->path.curve.pointAtPercent(0.5);

        bench_->drag(bench_->header(mix), bench_->pixel(middle));

        QVERIFY(bench_->hasLink(denoise_, mix, "latent"));
        QVERIFY(bench_->hasLink(mix, decode_, "latent"));
    }

    void takesUpAWire_andPutsItElsewhere() {
        bench_->connect(load_, "model", denoise_, "model");

        bench_->drag(bench_->input(denoise_, "model"), bench_->input(decode_, "model"));

        QVERIFY(!bench_->hasLink(load_, denoise_, "model"));
        QVERIFY(bench_->hasLink(load_, decode_, "model"));
    }

    void removesAWire_whenItsEndIsLetGoOverNothing() {
        bench_->connect(load_, "model", denoise_, "model");

        bench_->drag(bench_->input(denoise_, "model"), QPoint(900, 650));

        QVERIFY(bench_->model.document().links.empty());
    }

    void escapeLeavesTheWireAsItWas() {
        bench_->connect(load_, "model", denoise_, "model");
        const QPoint from = bench_->input(denoise_, "model");
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold(QPoint(900, 650));

        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, QPoint(900, 650));

        QVERIFY(bench_->hasLink(load_, denoise_, "model"));
    }

    void doubleClickBendsAWire_andStraightensIt() {
        bench_->connect(load_, "model", denoise_, "model");
        const QPointF middle = bench_->scene().wires().wires()[0].path.curve.pointAtPercent(0.5);

        bench_->doubleClick(bench_->pixel(middle));
        QCOMPARE(ui::reroutesOf(bench_->model.document().links[0]).size(), size_t{1});

        bench_->doubleClick(bench_->pixel(middle));
        QVERIFY(ui::reroutesOf(bench_->model.document().links[0]).empty());
    }

    void movesABend() {
        bench_->connect(load_, "model", denoise_, "model");
        bench_->model.apply("bend", [&](graph::Document& document) {
            ui::setReroutes(document, {denoise_, "model"}, {{264, 160}});
        });

        bench_->drag(bench_->pixel({264, 160}), bench_->pixel({280, 400}));

        const auto points = ui::reroutesOf(bench_->model.document().links[0]);
        QCOMPARE(points.size(), size_t{1});
        QCOMPARE(points[0].y, 400.0);
    }

    void deletesTheWireThatWasClicked() {
        bench_->connect(load_, "model", denoise_, "model");
        const QPointF middle = bench_->scene().wires().wires()[0].path.curve.pointAtPercent(0.5);

        bench_->click(bench_->pixel(middle));
        QTest::keyClick(bench_->view.get(), Qt::Key_Delete);

        QVERIFY(bench_->model.document().links.empty());
        QCOMPARE(bench_->model.document().nodes.size(), size_t{3});
    }

    void undoTakesOneGestureBack() {
        bench_->connect(load_, "model", denoise_, "model");
        const int steps = bench_->model.undoStack().count();

        bench_->drag(bench_->input(denoise_, "model"), bench_->input(decode_, "model"));
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->model.undoStack().undo();

        QVERIFY(bench_->hasLink(load_, denoise_, "model"));
        QVERIFY(!bench_->hasLink(load_, decode_, "model"));
    }

    void keysWireANode_nearestFirst() {
        const std::string far = bench_->add("decode.image", 1600, 100);
        bench_->view->select({denoise_});
        const int steps = bench_->model.undoStack().count();

        QTest::keyClick(bench_->view.get(), Qt::Key_C);
        const auto* list = bench_->view->findChild<QListView*>("wireSearchList");
        QVERIFY(list->isVisible());
        QCOMPARE(list->model()->index(0, 0).data().toString(), QString("Latent → Decode: Latent"));
        QTest::keyClick(bench_->view->focusWidget(), Qt::Key_Return);

        QVERIFY(bench_->hasLink(denoise_, decode_, "latent"));
        QVERIFY(!bench_->hasLink(denoise_, far, "latent"));
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        QVERIFY(!list->isVisible());
        QVERIFY(bench_->view->hasFocus());
        QTest::keyClick(bench_->view.get(), Qt::Key_C);  // the nearest has its wire now
        QTest::keyClick(bench_->view->focusWidget(), Qt::Key_Return);
        QVERIFY(bench_->hasLink(denoise_, far, "latent"));
    }

    void keysWireAnInput() {
        bench_->view->select({decode_});

        QTest::keyClick(bench_->view.get(), Qt::Key_C);
        QTest::keyClicks(bench_->view->focusWidget(), "model load");
        QTest::keyClick(bench_->view->focusWidget(), Qt::Key_Return);

        QVERIFY(bench_->hasLink(load_, decode_, "model"));
        QCOMPARE(bench_->model.document().links.size(), size_t{1});
    }

    void wiresThatWouldBeRefusedAreNotOffered() {
        const std::string scale = bench_->add("latent.scale", 300, 500);
        bench_->connect(denoise_, "latent", scale, "latent");
        const auto offered = [this](const std::string& node) {
            return ui::wireChoices(
                bench_->model.document(), bench_->catalog, bench_->scene().nodeRects(), node, {});
        };

        for (const ui::WireChoice& choice : offered(scale)) {
            QVERIFY(choice.to.node != denoise_);  // a circle
            QVERIFY(choice.type == "LATENT");
            QVERIFY(choice.from.node != choice.to.node);
        }
        QCOMPARE(offered(scale).size(), size_t{1});
        QCOMPARE(offered(scale)[0].to, (graph::PortRef{decode_, "latent"}));
        QVERIFY(offered("nobody").empty());
    }

    void escapeClosesTheListOfWires() {
        bench_->view->select({denoise_});
        QTest::keyClick(bench_->view.get(), Qt::Key_C);

        QTest::keyClick(bench_->view->focusWidget(), Qt::Key_Escape);

        QVERIFY(!bench_->view->findChild<ui::WirePopup*>()->isVisible());
        QVERIFY(bench_->model.document().links.empty());
    }

private:
    /// What the view states of a file that is let go there.
    ui::DropSpot dropped(QPoint at) {
        ui::DropSpot found;
        QStringList files;
        const auto heard =
            QObject::connect(bench_->view.get(),
                             &ui::GraphView::filesDropped,
                             this,
                             [&](const QStringList& paths, const ui::DropSpot& spot) {
                                 files = paths;
                                 found = spot;
                             });
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile("/a.png"), QUrl("https://example.org/b.png")});
        QWidget* target = bench_->view->viewport();
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &drop);
        QObject::disconnect(heard);
        [&] { QCOMPARE(files, QStringList{"/a.png"}); }();
        return found;
    }

    std::unique_ptr<CanvasBench> bench_;

    std::string load_, denoise_, decode_;
};

LOWTIDE_WINDOW_TEST(WireGesturesTest)

}  // namespace lowtide::test::wire_gestures_test

#include "wire_gestures_test.moc"
