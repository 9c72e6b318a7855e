#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/canvas/canvas_bench.hpp"
#include "ui/editors/param_editor.hpp"

namespace lowtide::test::canvas_rows_test {

class CanvasRowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        failOnQtWarnings();
        bench_ = std::make_unique<CanvasBench>();
        node_ = bench_->add("denoise.sample", 304, 96);
        bench_->show();
    }

    void cleanup() { bench_.reset(); }

    void clickOpensTheEditorOverTheValue() {
        bench_->click(bench_->value(node_, "steps"));

        QVERIFY(editor() != nullptr);
        const ui::NodeItem& node = bench_->node(node_);
        const QRectF value = node.valueInScene(node.face().rowIndex("steps"));
        QCOMPARE(editor()->geometry(), bench_->view->mapFromScene(value).boundingRect());
        const size_t row = static_cast<size_t>(node.face().rowIndex("steps"));
        const QRectF label = node.layout().rows[row].label.translated(node.pos());
        QVERIFY(!editor()->geometry().intersects(
            bench_->view->mapFromScene(label).boundingRect().adjusted(0, 0, -2, 0)));
    }

    void editorFollowsScrollAndZoom() {
        bench_->click(bench_->value(node_, "steps"));
        const QRect before = editor()->geometry();

        bench_->view->centerOn(420, 250);
        QVERIFY(editor()->geometry() != before);
        bench_->view->invoke("view.zoom_in");

        const ui::NodeItem& node = bench_->node(node_);
        const QRectF value = node.valueInScene(node.face().rowIndex("steps"));
        QCOMPARE(editor()->geometry(), bench_->view->mapFromScene(value).boundingRect());
    }

    void onlyOneEditorIsOpen() {
        bench_->click(bench_->value(node_, "steps"));
        bench_->click(bench_->value(node_, "prompt"));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

        QCOMPARE(bench_->view->viewport()->findChildren<ui::ParamEditor*>().size(), 1);
        QCOMPARE(editor()->value(), Json("a lighthouse"));
    }

    void enterEditsTheFirstRow_thenTheNext() {
        bench_->view->select({node_});

        QTest::keyClick(bench_->view.get(), Qt::Key_Return);
        QVERIFY(editor() != nullptr);
        QCOMPARE(editor()->value(), Json("a lighthouse"));
        QTest::keyClick(editor()->focusWidget() ? editor()->focusWidget() : editor(), Qt::Key_Tab);

        QCOMPARE(editor()->value(), Json(20));
    }

    void switchIsFlippedByOneClick() {
        bench_->click(bench_->value(node_, "tiled"));
        QCOMPARE(bench_->model.node(node_)->params["tiled"], Json(true));

        bench_->click(bench_->value(node_, "tiled"));
        QCOMPARE(bench_->model.node(node_)->params["tiled"], Json(false));
    }

    /// Wires of other nodes are not laid and painted again with each letter.
    void typingPaintsItsNodeAlone() {
        const std::string scale = bench_->add("latent.scale", 304, 500);
        const std::string decode = bench_->add("decode.image", 700, 500);
        bench_->connect(scale, "latent", decode, "latent");
        bench_->click(bench_->value(node_, "steps"));
        QTest::qWait(50);  // all is painted
        QRectF painted;
        QObject::connect(&bench_->scene(),
                         &QGraphicsScene::changed,
                         bench_->view.get(),
                         [&painted](const QList<QRectF>& regions) {
                             for (const QRectF& region : regions) {
                                 painted |= region;
                             }
                         });

        bench_->model.apply("Steps", [this](graph::Document& document) {
            document.nodes.at(node_).params["steps"] = 21;
        });

        QTRY_VERIFY(!painted.isEmpty());
        QVERIFY(!painted.intersects(bench_->node(decode).bodyInScene()));
    }

    void editIsOneStepAndUndone() {
        bench_->click(bench_->value(node_, "prompt"));
        const int steps = bench_->model.undoStack().count();

        QTest::keyClicks(editor()->focusWidget(), "a fox");

        QCOMPARE(bench_->model.node(node_)->params["prompt"], Json("a fox"));
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->model.undoStack().undo();
        QCOMPARE(bench_->model.node(node_)->params["prompt"], Json("a lighthouse"));
        QCOMPARE(editor()->value(), Json("a lighthouse"));
    }

    void everyConfirmedEditIsAStepOfItsOwn() {
        bench_->click(bench_->value(node_, "steps"));
        const int steps = bench_->model.undoStack().count();

        QTest::keyClick(editor()->focusWidget(), Qt::Key_Up);
        QTest::keyClick(editor()->focusWidget(), Qt::Key_Up);

        QCOMPARE(bench_->model.node(node_)->params["steps"], Json(22));
        QCOMPARE(bench_->model.undoStack().count(), steps + 2);
        bench_->model.undoStack().undo();
        QCOMPARE(editor()->value(), Json(21));
    }

    void dragChangesANumber_asOneStep_data() {
        QTest::addColumn<int>("pixels");
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::addColumn<int>("value");
        // The range of 1 to 150 takes 240 pixels.
        QTest::newRow("right") << 48 << Qt::KeyboardModifiers() << 50;
        QTest::newRow("left") << -16 << Qt::KeyboardModifiers() << 10;
        QTest::newRow("coarse") << 10 << Qt::KeyboardModifiers(Qt::ControlModifier) << 82;
        QTest::newRow("fine") << 48 << Qt::KeyboardModifiers(Qt::ShiftModifier) << 23;
        QTest::newRow("to the end") << 400 << Qt::KeyboardModifiers() << 150;
    }

    void dragChangesANumber_asOneStep() {
        QFETCH(int, pixels);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QFETCH(int, value);
        const int steps = bench_->model.undoStack().count();
        const QPoint from = bench_->value(node_, "steps");

        bench_->drag(from, from + QPoint(pixels, 3), modifiers);

        QCOMPARE(bench_->model.node(node_)->params["steps"], Json(value));
        QCOMPARE(bench_->topLeftOf(node_), (ui::Point{304, 96}));
        QVERIFY(editor() == nullptr);
        QCOMPARE(bench_->model.undoStack().count(), steps + 1);
        bench_->model.undoStack().undo();
        const int row = bench_->node(node_).face().rowIndex("steps");
        QCOMPARE(bench_->node(node_).face().rows[static_cast<size_t>(row)].value,
                 QString("20 steps"));
    }

    void escapeGivesTheNumberBack() {
        const int steps = bench_->model.undoStack().count();
        const QPoint from = bench_->value(node_, "steps");
        const auto shown = [this] {
            const ui::NodeFace& face = bench_->node(node_).face();
            return face.rows[static_cast<size_t>(face.rowIndex("steps"))].value;
        };
        QTest::mousePress(bench_->view->viewport(), Qt::LeftButton, {}, from);
        bench_->hold(from + QPoint(24, 0));
        bench_->hold(from + QPoint(48, 0));
        QCOMPARE(shown(), QString("50 steps"));

        QTest::keyClick(bench_->view.get(), Qt::Key_Escape);
        QTest::mouseRelease(bench_->view->viewport(), Qt::LeftButton, {}, from + QPoint(48, 0));

        QCOMPARE(shown(), QString("20 steps"));
        QCOMPARE(bench_->model.undoStack().count(), steps);
        QVERIFY(editor() == nullptr);
    }

    void ctrlClickOnANumberStillSelects() {
        const QPoint at = bench_->value(node_, "steps");

        bench_->click(at, Qt::ControlModifier);
        QCOMPARE(bench_->view->selectedNodes(), std::set<std::string>{node_});
        bench_->click(at, Qt::ControlModifier);
        QVERIFY(bench_->view->selectedNodes().empty());
        QVERIFY(editor() == nullptr);
    }

    void advancedRowAppears_whenItsValueIsNotTheDefault() {
        QCOMPARE(bench_->node(node_).face().rowIndex("eta"), -1);

        bench_->model.apply("eta", [this](graph::Document& document) {
            document.nodes.at(node_).params["eta"] = 0.5;
        });

        QVERIFY(bench_->node(node_).face().rowIndex("eta") >= 0);
    }

    void placeholderKeepsItsPortsAndValues() {
        graph::Document document = bench_->model.document();
        document.nodes["odd"] = {.type = "other.pack", .params = {{"radius", 3}}};
        document.links.push_back({.from = {"odd", "result"}, .to = {node_, "start"}});
        bench_->model.load(std::move(document));

        const ui::NodeFace& face = bench_->node("odd").face();
        QVERIFY(face.desc == nullptr);
        QCOMPARE(face.title, QString("other.pack"));
        QCOMPARE(face.outputs.size(), size_t{1});
        QCOMPARE(face.outputs[0].type, std::string("LATENT"));
        QCOMPARE(face.rows[0].value, QString("3"));
        const ui::Wire* wire = bench_->scene().wires().into({node_, "start"});
        QCOMPARE(wire->start, bench_->node("odd").outputInScene("result"));
    }

    void textsFitTheirAreas_data() {
        testing::addTable<double>({"zoom"}, {{"near", 1.0}, {"far", 0.45}});
    }

    void textsFitTheirAreas() {
        QFETCH(double, zoom);
        bench_->model.apply("long", [this](graph::Document& document) {
            document.nodes.at(node_).title = std::string(80, 'W');
            document.nodes.at(node_).params["prompt"] = std::string(600, 'w') + " words";
            document.nodes.at(node_).params["steps"] = "not a number at all, but a long text";
        });
        ui::NodeItem& node = bench_->node(node_);

        for (const ui::PaintedText& text : node.texts(zoom).face) {
            const QRectF area(text.topLeft, text.text.size());
            QVERIFY2(node.layout().body.adjusted(4, 0, -4, 0).contains(area),
                     qPrintable(text.full.left(20)));
        }
    }

    void valuesCanBeReadFromAfar_data() {
        testing::addTable<double, bool>(
            {"zoom", "isRead"},
            {{"1.0", 1.0, true}, {"0.6", 0.6, true}, {"0.41", 0.41, true}, {"0.39", 0.39, false}});
    }

    void valuesCanBeReadFromAfar() {
        QFETCH(double, zoom);
        QFETCH(bool, isRead);
        bench_->view->setTransform(QTransform::fromScale(zoom, zoom));
        bench_->view->centerOn(400, 250);
        const QImage before = bench_->view->grab().toImage();

        bench_->model.apply("steps", [this](graph::Document& document) {
            document.nodes.at(node_).params["steps"] = 31;
        });

        QCOMPARE(bench_->view->grab().toImage() != before, isRead);
        for (const ui::PaintedText& text : bench_->node(node_).texts(zoom).face) {
            QVERIFY(!isRead || text.font.pixelSize() * zoom >= 6.9);
        }
    }

    void titlesCanBeReadFromAfar_data() {
        testing::addTable<double>({"zoom"}, {{"0.36", 0.36}, {"0.2", 0.2}});
    }

    void titlesCanBeReadFromAfar() {
        QFETCH(double, zoom);
        bench_->view->setTransform(QTransform::fromScale(zoom, zoom));
        bench_->view->centerOn(400, 250);
        const QImage before = bench_->view->grab().toImage();

        bench_->model.apply("title", [this](graph::Document& document) {
            document.nodes.at(node_).title = "First";
        });

        QVERIFY(bench_->view->grab().toImage() != before);
    }

    void editorRemainsReadable_whenTheNodeIsSmall() {
        bench_->view->setTransform(QTransform::fromScale(0.5, 0.5));
        bench_->view->centerOn(400, 250);

        bench_->click(bench_->value(node_, "steps"));

        QVERIFY(editor() != nullptr);
        QVERIFY(editor()->font().pixelSize() >= 11);
        QVERIFY(editor()->height() >= 18);
        QVERIFY(editor()->geometry().contains(bench_->value(node_, "steps")));
    }

    void badgeStandsAtTheVeryPort() {
        const QImage before = bench_->view->grab().toImage();

        bench_->statuses.setChecked({{.severity = Severity::Error,
                                      .code = "required_input_missing",
                                      .node = node_,
                                      .item = "model",
                                      .message = Message("the model is missing")}});

        const QImage after = bench_->view->grab().toImage();
        const QPoint port = bench_->input(node_, "model");
        const QPoint other = bench_->input(node_, "start");
        const QColor red = ui::Theme::current().colour("error");
        // Left of the node: its border is red too.
        const auto redPixels = [&](const QImage& image, QPoint at) {
            int count = 0;
            for (int x = at.x() - 12; x < at.x() - 2; ++x) {
                for (int y = at.y() - 12; y < at.y() + 12; ++y) {
                    count += image.pixelColor(x, y) == red ? 1 : 0;
                }
            }
            return count;
        };
        QCOMPARE(redPixels(before, port), 0);
        QVERIFY(redPixels(after, port) >= 8);
        QCOMPARE(redPixels(after, other), 0);
    }

    void widgetsLeaveWithTheView() {
        bench_->click(bench_->value(node_, "steps"));
        QPointer<ui::ParamEditor> left = editor();
        QVERIFY(!left.isNull());

        bench_->view.reset();

        QVERIFY(left.isNull());
    }

private:
    [[nodiscard]] ui::ParamEditor* editor() const {
        const auto all = bench_->view->viewport()->findChildren<ui::ParamEditor*>();

        ui::ParamEditor* shown = nullptr;

        for (ui::ParamEditor* one : all) {
            shown = one->isVisible() ? one : shown;
        }

        return shown;
    }

    std::unique_ptr<CanvasBench> bench_;

    std::string node_;
};

LOWTIDE_WINDOW_TEST(CanvasRowsTest)

}  // namespace lowtide::test::canvas_rows_test

#include "canvas_rows_test.moc"
