// Masks that are painted over the viewer's image, and its crop: by mouse, pen and keys.
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/viewer.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace retouching_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

/// A face of sorts: light above, dark below, with something to mask.
QImage someImage(int width, int height) {
    QImage image(width, height, QImage::Format_RGB888);
    QPainter painter(&image);
    QLinearGradient sky(0, 0, width, height);
    sky.setColorAt(0, QColor(240, 235, 220));
    sky.setColorAt(1, QColor(20, 26, 40));
    painter.fillRect(image.rect(), sky);
    painter.setBrush(QColor(200, 60, 50));
    painter.drawEllipse(QPointF(width * 0.35, height * 0.4), width * 0.12, height * 0.08);
    painter.drawEllipse(QPointF(width * 0.65, height * 0.4), width * 0.12, height * 0.08);
    return image;
}

/// A viewer with an image of a file.
struct Bench {
    explicit Bench(const QSize& size = {640, 480}) {
        path = folder.filePath("face.png");
        someImage(size.width(), size.height()).save(path);
        open();
    }

    void open() {
        viewer = std::make_unique<Viewer>();
        viewer->retouching().setFolder(folder.filePath("unfinished"));
        viewer->resize(1100, 760);
        viewer->show();
        QVERIFY(QTest::qWaitForWindowExposed(viewer.get()));
        viewer->activateWindow();
        show(path);
    }

    void show(const QString& file) {
        QSignalSpy shown(viewer.get(), &Viewer::shown);
        viewer->showFile(file);
        QVERIFY(shown.wait(kPatience));
    }

    [[nodiscard]] ImageView& view() const { return viewer->view(); }

    [[nodiscard]] MaskTool& tool() const { return *viewer->retouching().maskTool(); }

    [[nodiscard]] const QImage& mask() const { return tool().canvas().mask(); }

    [[nodiscard]] int levelAt(int x, int y) const { return mask().constScanLine(y)[x]; }

    template <class Widget>
    [[nodiscard]] Widget& find(const char* name) const {
        auto* found = viewer->findChild<Widget*>(QLatin1String(name));
        if (!found) {
            qFatal("there is no %s", name);
        }
        return *found;
    }

    void click(const char* name) const {
        QTest::mouseClick(&find<QAbstractButton>(name), Qt::LeftButton);
    }

    void startPainting() const {
        click("paintMask");
        QTRY_VERIFY_WITH_TIMEOUT(viewer->retouching().maskTool(), kPatience);
    }

    [[nodiscard]] QPoint positionOf(double x, double y) const {
        return view().positionOf({x, y}).toPoint();
    }

    void drag(const QPointF& from,
              const QPointF& to,
              Qt::KeyboardModifiers keys = {},
              Qt::MouseButton button = Qt::LeftButton) const {
        const QPoint begin = positionOf(from.x(), from.y());
        const QPoint end = positionOf(to.x(), to.y());
        QTest::mousePress(&view(), button, keys, begin);
        for (int i = 1; i <= 4; ++i) {
            const QPoint at = begin + (end - begin) * i / 4;
            QMouseEvent event(
                QEvent::MouseMove, at, view().mapToGlobal(at), Qt::NoButton, button, keys);
            QCoreApplication::sendEvent(&view(), &event);
        }
        QTest::mouseRelease(&view(), button, keys, end);
    }

    void key(Qt::Key pressed, Qt::KeyboardModifiers keys = {}) const {
        QTest::keyClick(&view(), pressed, keys);
    }

    void rest() const { QTRY_VERIFY_WITH_TIMEOUT(!tool().isBusy(), kPatience); }

    QTemporaryDir folder;
    QString path;
    std::unique_ptr<Viewer> viewer;
};

void press(ImageView& view, QEvent::Type type, const QPointF& at, double pressure, bool erases) {
    static const QPointingDevice pen("pen",
                                     1,
                                     QInputDevice::DeviceType::Stylus,
                                     QPointingDevice::PointerType::Pen,
                                     QInputDevice::Capability::Pressure,
                                     1,
                                     2);
    static const QPointingDevice eraser("eraser",
                                        2,
                                        QInputDevice::DeviceType::Stylus,
                                        QPointingDevice::PointerType::Eraser,
                                        QInputDevice::Capability::Pressure,
                                        1,
                                        2);
    const bool isDown = type != QEvent::TabletRelease;
    QTabletEvent event(type,
                       erases ? &eraser : &pen,
                       at,
                       view.mapToGlobal(at),
                       pressure,
                       0,
                       0,
                       0,
                       0,
                       0,
                       Qt::NoModifier,
                       type == QEvent::TabletMove ? Qt::NoButton : Qt::LeftButton,
                       isDown ? Qt::LeftButton : Qt::NoButton);
    QCoreApplication::sendEvent(&view, &event);
}

}  // namespace

class RetouchingTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void theMousePaintsWhereItIsDragged() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 40, .hardness = 1, .opacity = 1});
        bench.drag({100, 200}, {300, 200});
        QCOMPARE(bench.levelAt(100, 200), 255);
        QCOMPARE(bench.levelAt(200, 215), 255);
        QCOMPARE(bench.levelAt(200, 225), 0);
        QCOMPARE(bench.levelAt(400, 200), 0);
        bench.drag({200, 200}, {200, 201}, {}, Qt::RightButton);  // the other of both
        QCOMPARE(bench.levelAt(200, 200), 0);
        QCOMPARE(bench.levelAt(120, 200), 255);
    }

    void keysChooseBrushAndStrokes() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 50, .hardness = 0.5, .opacity = 1});
        bench.key(Qt::Key_BracketRight);
        QCOMPARE(bench.tool().brush().diameter, 60.0);
        bench.key(Qt::Key_BracketLeft);
        QCOMPARE(bench.tool().brush().diameter, 50.0);
        bench.key(Qt::Key_BraceRight, Qt::ShiftModifier);
        QCOMPARE(bench.tool().brush().hardness, 0.6);
        bench.key(Qt::Key_BraceLeft, Qt::ShiftModifier);
        QCOMPARE(bench.tool().brush().hardness, 0.5);
        QCOMPARE(bench.find<QSpinBox>("maskSize").value(), 50);
        bench.key(Qt::Key_E);
        QCOMPARE(bench.tool().kind(), StrokeKind::Erase);
        bench.key(Qt::Key_X);
        QCOMPARE(bench.tool().kind(), StrokeKind::Paint);
        QVERIFY(bench.find<QToolButton>("maskBrush").isChecked());
        bench.key(Qt::Key_X);
        bench.key(Qt::Key_B);
        QCOMPARE(bench.tool().kind(), StrokeKind::Paint);
        bench.drag({100, 100}, {200, 100});
        const QImage painted = bench.mask();
        bench.key(Qt::Key_I);
        bench.rest();
        QCOMPARE(bench.mask(), inverted(painted));
        bench.key(Qt::Key_Z, Qt::ControlModifier);
        bench.rest();
        QCOMPARE(bench.mask(), painted);
        bench.key(Qt::Key_Z, Qt::ControlModifier);
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
        bench.key(Qt::Key_Y, Qt::ControlModifier);
        bench.rest();
        QCOMPARE(bench.mask(), painted);
        bench.key(Qt::Key_Delete);
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
    }

    void aRectangleIsMaskedInOneStep() {
        Bench bench;
        bench.startPainting();
        bench.key(Qt::Key_R);
        QCOMPARE(bench.tool().paintTool(), PaintTool::Rectangle);
        QVERIFY(bench.find<QToolButton>("maskRectangle").isChecked());
        QVERIFY(!bench.find<QSpinBox>("maskSize").isEnabled());
        bench.drag({300, 200}, {100, 100});
        bench.rest();
        QCOMPARE(bench.levelAt(110, 110), 255);
        QCOMPARE(bench.levelAt(290, 190), 255);
        QCOMPARE(bench.levelAt(90, 150), 0);
        QCOMPARE(bench.levelAt(200, 210), 0);
        bench.drag({150, 120}, {250, 180}, {}, Qt::RightButton);  // the other of both
        bench.rest();
        QCOMPARE(bench.levelAt(200, 150), 0);
        QCOMPARE(bench.levelAt(120, 150), 255);
        bench.drag({100, 100}, {140, 140}, Qt::AltModifier);
        bench.rest();
        QCOMPARE(bench.levelAt(120, 120), 0);
        for (int step = 0; step < 3; ++step) {
            bench.key(Qt::Key_Z, Qt::ControlModifier);
        }
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
    }

    void shiftDrawsASquare() {
        Bench bench;
        bench.startPainting();
        bench.key(Qt::Key_R);
        bench.drag({100, 100}, {300, 150}, Qt::ShiftModifier);
        bench.rest();
        QCOMPARE(bench.levelAt(290, 290), 255);
        QCOMPARE(bench.levelAt(200, 310), 0);
    }

    void aLassoIsDrawnAroundAPart() {
        Bench bench;
        bench.startPainting();
        bench.click("maskLasso");
        const auto move = [&](double x, double y) {
            const QPoint at = bench.positionOf(x, y);
            QMouseEvent event(QEvent::MouseMove,
                              at,
                              bench.view().mapToGlobal(at),
                              Qt::NoButton,
                              Qt::LeftButton,
                              Qt::NoModifier);
            QCoreApplication::sendEvent(&bench.view(), &event);
        };
        QTest::mousePress(&bench.view(), Qt::LeftButton, {}, bench.positionOf(100, 100));
        move(400, 100);
        move(400, 300);
        move(100, 300);
        QTest::mouseRelease(&bench.view(), Qt::LeftButton, {}, bench.positionOf(100, 300));
        bench.rest();
        QCOMPARE(bench.levelAt(250, 200), 255);
        QCOMPARE(bench.levelAt(390, 290), 255);
        QCOMPARE(bench.levelAt(410, 200), 0);
        bench.key(Qt::Key_Z, Qt::ControlModifier);
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
    }

    void cornersOfALassoAreClicked_untilReturnOrTheFirstOne() {
        Bench bench;
        bench.startPainting();
        bench.key(Qt::Key_L);
        const auto click = [&](double x, double y) {
            QTest::mouseClick(&bench.view(), Qt::LeftButton, {}, bench.positionOf(x, y));
        };
        QSignalSpy accepted(&bench.tool(), &MaskTool::accepted);
        click(100, 100);
        click(400, 100);
        click(400, 300);
        QVERIFY(isBlank(bench.mask()));
        bench.key(Qt::Key_Return);
        bench.rest();
        QCOMPARE(accepted.size(), 0);  // Return ended the lasso
        QCOMPARE(bench.levelAt(380, 150), 255);
        QCOMPARE(bench.levelAt(150, 250), 0);

        click(100, 200);
        click(200, 400);
        click(100, 400);
        click(100, 200);  // the first corner
        bench.rest();
        QCOMPARE(bench.levelAt(110, 390), 255);

        const QImage painted = bench.mask();
        click(500, 100);
        click(600, 100);
        bench.key(Qt::Key_Escape);  // what was begun alone
        QVERIFY(bench.viewer->retouching().maskTool());
        bench.rest();
        QCOMPARE(bench.mask(), painted);
        bench.key(Qt::Key_Escape);
        QVERIFY(!bench.viewer->retouching().maskTool());
    }

    void fillMasksWhatIsOfOneColour() {
        Bench bench;
        bench.startPainting();
        bench.key(Qt::Key_G);
        QVERIFY(bench.find<QSpinBox>("maskTolerance").isEnabled());
        bench.find<QSpinBox>("maskTolerance").setValue(5);
        QCOMPARE(bench.tool().tolerance(), 0.05);
        QTest::mouseClick(&bench.view(), Qt::LeftButton, {}, bench.positionOf(224, 192));
        bench.rest();
        QCOMPARE(bench.levelAt(224, 192), 255);
        QCOMPARE(bench.levelAt(260, 192), 255);
        QCOMPARE(bench.levelAt(224, 300), 0);
        QCOMPARE(bench.levelAt(416, 192), 0);  // the same colour elsewhere
        QTest::mouseClick(&bench.view(), Qt::RightButton, {}, bench.positionOf(224, 192));
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
    }

    void shapesAreDrawnByKeys() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 80, .hardness = 1, .opacity = 1});
        bench.key(Qt::Key_R);
        bench.key(Qt::Key_Up);  // a quarter of the brush, from the middle
        QTest::keyPress(&bench.view(), Qt::Key_Space);
        for (int i = 0; i < 4; ++i) {
            bench.key(Qt::Key_Right);
            bench.key(Qt::Key_Down);
        }
        QTest::keyRelease(&bench.view(), Qt::Key_Space);
        bench.rest();
        QCOMPARE(bench.levelAt(390, 290), 255);
        QCOMPARE(bench.levelAt(325, 225), 255);
        QCOMPARE(bench.levelAt(410, 290), 0);
        QVERIFY2(bench.view().spokenText().contains("The rectangle masks"),
                 qPrintable(bench.view().spokenText()));
    }

    void arrowsAndTheSpaceBarPaint() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 40, .hardness = 1, .opacity = 1});
        bench.key(Qt::Key_Right);  // a quarter of the brush, from the middle
        bench.key(Qt::Key_Up, Qt::ShiftModifier);
        QVERIFY(isBlank(bench.mask()));
        QVERIFY(bench.view().spokenText().endsWith("at 330, 239"));
        bench.key(Qt::Key_Space);
        QCOMPARE(bench.levelAt(330, 239), 255);
        QCOMPARE(bench.levelAt(360, 239), 0);
        QTest::keyPress(&bench.view(), Qt::Key_Space);
        for (int i = 0; i < 4; ++i) {
            bench.key(Qt::Key_Right);
        }
        QVERIFY(bench.tool().canvas().isPainting());
        QTest::keyRelease(&bench.view(), Qt::Key_Space);
        QVERIFY(!bench.tool().canvas().isPainting());
        QCOMPARE(bench.levelAt(350, 239), 255);
        bench.key(Qt::Key_Right);
        QCOMPARE(bench.levelAt(395, 239), 0);
        bench.key(Qt::Key_Z, Qt::ControlModifier);  // the stroke is one step
        bench.rest();
        QCOMPARE(bench.levelAt(365, 239), 0);
        QCOMPARE(bench.levelAt(330, 239), 255);
        for (int i = 0; i < 200; ++i) {
            bench.key(Qt::Key_Left);
        }
        QVERIFY(bench.view().spokenText().endsWith("at 0, 239"));
    }

    void wheelAndDragSetTheBrush() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 50, .hardness = 0.5, .opacity = 1});
        const auto wheel = [&](Qt::KeyboardModifiers keys) {
            const QPointF at = bench.positionOf(300, 200);
            QWheelEvent event(at,
                              bench.view().mapToGlobal(at),
                              {},
                              {0, 120},
                              Qt::NoButton,
                              keys,
                              Qt::NoScrollPhase,
                              false);
            QCoreApplication::sendEvent(&bench.view(), &event);
        };
        wheel(Qt::ControlModifier);
        QCOMPARE(bench.tool().brush().diameter, 60.0);
        wheel(Qt::ShiftModifier);
        QCOMPARE(bench.tool().brush().hardness, 0.6);
        const double zoom = bench.view().zoom();
        wheel({});
        QVERIFY(bench.view().zoom() > zoom);
        bench.view().fit();
        bench.drag({300, 200}, {320, 200}, Qt::AltModifier);
        QVERIFY(std::abs(bench.tool().brush().diameter - 100) <= 4);
        QVERIFY(isBlank(bench.mask()));
    }

    void aPensPressureIsSizeAndOpacity() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 60, .hardness = 1, .opacity = 1});
        press(bench.view(), QEvent::TabletPress, bench.positionOf(200, 200), 0.5, false);
        press(bench.view(), QEvent::TabletMove, bench.positionOf(260, 200), 0.5, false);
        press(bench.view(), QEvent::TabletRelease, bench.positionOf(260, 200), 0, false);
        QVERIFY(std::abs(bench.levelAt(230, 200) - 128) <= 1);
        QCOMPARE(bench.levelAt(230, 218), 0);
        press(bench.view(), QEvent::TabletPress, bench.positionOf(230, 200), 1, true);
        press(bench.view(), QEvent::TabletRelease, bench.positionOf(230, 200), 0, true);
        QCOMPARE(bench.levelAt(230, 200), 0);
        bench.drag({400, 300}, {420, 300});  // the mouse has no pressure
        QCOMPARE(bench.levelAt(410, 325), 255);
    }

    void shiftDrawsAStraightLine() {
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 20, .hardness = 1, .opacity = 1});
        bench.drag({100, 100}, {110, 100});
        const QPoint end = bench.positionOf(400, 300);
        QTest::mousePress(&bench.view(), Qt::LeftButton, Qt::ShiftModifier, end);
        QTest::mouseRelease(&bench.view(), Qt::LeftButton, Qt::ShiftModifier, end);
        QCOMPARE(bench.levelAt(255, 200), 255);
        QCOMPARE(bench.levelAt(300, 150), 0);
    }

    void theWholeMaskIsChangedByButtons() {
        Bench bench;
        bench.startPainting();
        bench.drag({300, 200}, {340, 220});
        const QImage painted = bench.mask();
        bench.find<QSpinBox>("maskPixels").setValue(5);
        bench.click("maskGrow");
        bench.rest();
        QCOMPARE(bench.mask(), grown(painted, 5));
        bench.click("maskShrink");
        bench.rest();
        QCOMPARE(bench.mask(), grown(grown(painted, 5), -5));
        bench.click("maskUndo");
        bench.click("maskUndo");  // waits for the first
        bench.rest();
        QCOMPARE(bench.mask(), painted);
        bench.click("maskFeather");
        bench.rest();
        QCOMPARE(bench.mask(), feathered(painted, 5));
        bench.click("maskFill");
        bench.rest();
        QCOMPARE(bench.mask(), filledMask(painted.size(), 255));
        bench.click("maskClear");
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
    }

    /// A stroke that begins while the whole mask is being changed waits, and is not lost.
    void aStrokeWaitsForWhatIsBeingDone() {
        Bench bench({2048, 2048});
        bench.startPainting();
        bench.tool().setBrush({.diameter = 100, .hardness = 1, .opacity = 1});
        bench.tool().invert();
        QVERIFY(bench.tool().isBusy());
        bench.key(Qt::Key_E);
        bench.drag({400, 400}, {800, 400});
        bench.rest();
        QCOMPARE(bench.levelAt(600, 400), 0);
        QCOMPARE(bench.levelAt(600, 600), 255);
    }

    /// Closed while the whole mask is being changed: that is kept too.
    void whatIsBeingDoneIsKept() {
        Bench bench({1500, 1500});
        bench.startPainting();
        bench.tool().invert();
        QVERIFY(bench.tool().isBusy());
        bench.key(Qt::Key_Escape);
        QVERIFY(!bench.viewer->retouching().maskTool());
        const UnfinishedMasks kept(bench.folder.filePath("unfinished"));
        QTRY_COMPARE_WITH_TIMEOUT(
            kept.of(bench.path, {1500, 1500}), filledMask({1500, 1500}, 255), kPatience);
    }

    /// The viewer ends while the whole mask is being changed.
    void whatIsBeingDoneEndsWithTheViewer() {
        Bench bench({1024, 1024});
        bench.startPainting();
        bench.tool().invert();
        QTest::qSleep(300);  // done on the other thread, not reported here yet
        bench.viewer.reset();
        QTest::qWait(50);
    }

    void theMaskIsThereAgain_whenTheImageIs() {
        Bench bench;
        bench.startPainting();
        bench.drag({100, 100}, {200, 150});
        const QImage painted = bench.mask();
        bench.click("maskClose");
        QVERIFY(!bench.viewer->retouching().maskTool());
        QVERIFY(bench.find<QWidget>("facts").isVisible());
        const QString other = bench.folder.filePath("other.png");
        someImage(640, 480).save(other);
        bench.show(other);
        bench.startPainting();
        QVERIFY(isBlank(bench.mask()));
        bench.drag({300, 300}, {310, 300});
        bench.open();  // another program
        bench.startPainting();
        QCOMPARE(bench.mask(), painted);
        QVERIFY(bench.find<QLabel>("maskTold").isVisible());
        bench.show(other);
        QCOMPARE(bench.viewer->retouching().work(), Retouching::Work::None);
        bench.startPainting();
        QVERIFY(!isBlank(bench.mask()));
    }

    void severalMasksAreKeptByName() {
        Bench bench;
        bench.startPainting();
        auto* list = &bench.find<QListWidget>("maskList");
        bench.drag({100, 100}, {200, 150});
        const QImage first = bench.mask();
        bench.click("maskAdd");
        QTRY_COMPARE_WITH_TIMEOUT(list->count(), 2, kPatience);
        QCOMPARE(list->currentRow(), 1);
        QVERIFY(isBlank(bench.mask()));
        bench.drag({400, 300}, {500, 300});
        const QImage second = bench.mask();
        list->item(1)->setText("The sky");
        list->setCurrentRow(0);
        QCOMPARE(bench.mask(), first);
        bench.key(Qt::Key_Z, Qt::ControlModifier);  // each has its own steps
        bench.rest();
        QVERIFY(isBlank(bench.mask()));
        bench.key(Qt::Key_Y, Qt::ControlModifier);
        bench.rest();
        list->item(1)->setCheckState(Qt::Unchecked);

        bench.open();  // another program
        bench.startPainting();
        list = &bench.find<QListWidget>("maskList");
        QCOMPARE(list->count(), 2);
        QVERIFY(bench.find<QLabel>("maskTold").text().startsWith("These masks were kept"));
        QCOMPARE(list->item(0)->text(), QString("Mask 1"));
        QCOMPARE(list->item(1)->text(), QString("The sky"));
        QCOMPARE(list->item(1)->checkState(), Qt::Unchecked);
        QCOMPARE(bench.mask(), first);
        list->setCurrentRow(1);
        QCOMPARE(bench.mask(), second);
        QCOMPARE(list->item(1)->checkState(), Qt::Checked);  // what is painted is seen
        QSignalSpy wanted(&bench.viewer->retouching(), &Retouching::regionWanted);
        bench.click("maskRegion");
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().at(0).toString(), QString("The sky"));
        QCOMPARE(wanted.front().at(2).value<QImage>(), second);
    }

    void aDeletedMaskComesBack_untilAnotherIsPaintedOn() {
        Bench bench;
        bench.startPainting();
        auto& list = bench.find<QListWidget>("maskList");
        const UnfinishedMasks unfinished(bench.folder.filePath("unfinished"));
        const auto kept = [&] { return unfinished.allOf(bench.path, {640, 480}).size(); };
        QVERIFY(!bench.find<QToolButton>("maskDelete").isEnabled());
        bench.drag({100, 100}, {200, 150});
        const QImage first = bench.mask();
        bench.click("maskAdd");
        QTRY_COMPARE_WITH_TIMEOUT(list.count(), 2, kPatience);
        bench.drag({400, 300}, {500, 300});
        const QImage second = bench.mask();
        QTRY_COMPARE_WITH_TIMEOUT(kept(), size_t{2}, kPatience);

        bench.click("maskDelete");
        QCOMPARE(list.count(), 1);
        QCOMPARE(bench.mask(), first);
        QTRY_COMPARE_WITH_TIMEOUT(kept(), size_t{1}, kPatience);
        bench.click("maskUndo");
        QCOMPARE(list.count(), 2);
        QCOMPARE(bench.mask(), second);
        QTRY_COMPARE_WITH_TIMEOUT(kept(), size_t{2}, kPatience);

        bench.click("maskDelete");
        bench.drag({300, 100}, {320, 100});
        bench.click("maskUndo");  // of the stroke
        bench.rest();
        QCOMPARE(list.count(), 1);
        QCOMPARE(bench.mask(), first);
    }

    void deletedMasksComeBack_whicheverIsChosenMeanwhile() {
        Bench bench;
        bench.startPainting();
        auto& list = bench.find<QListWidget>("maskList");
        for (int count = 2; count <= 3; ++count) {
            bench.click("maskAdd");
            QTRY_COMPARE_WITH_TIMEOUT(list.count(), count, kPatience);
            bench.drag({100.0 * count, 100}, {100.0 * count, 300});
        }
        const QImage third = bench.mask();
        bench.click("maskDelete");
        const QImage second = bench.mask();
        bench.click("maskDelete");
        QCOMPARE(list.count(), 1);

        bench.click("maskUndo");
        QCOMPARE(bench.mask(), second);
        list.setCurrentRow(0);
        bench.click("maskUndo");

        QCOMPARE(list.count(), 3);
        QCOMPARE(bench.mask(), third);
        QCOMPARE(list.item(2)->text(), QString("Mask 3"));
    }

    void otherMasksAreSeenUntilTheyAreHidden() {
        Bench bench;
        bench.startPainting();
        bench.drag({100, 100}, {200, 150});
        bench.click("maskAdd");
        auto& list = bench.find<QListWidget>("maskList");
        QTRY_COMPARE_WITH_TIMEOUT(list.count(), 2, kPatience);
        const auto colourThere = [&] {
            return bench.view().grab().toImage().pixelColor(bench.positionOf(150, 125) *
                                                            bench.view().devicePixelRatioF());
        };
        const QColor seen = colourThere();
        list.item(0)->setCheckState(Qt::Unchecked);
        QVERIFY(colourThere() != seen);
    }

    void aMaskIsUsedWithItsImage() {
        Bench bench;
        bench.startPainting();
        QSignalSpy used(&bench.viewer->retouching(), &Retouching::maskUsed);
        bench.click("maskUse");
        QCOMPARE(used.size(), 0);  // nothing is masked
        QVERIFY(!bench.find<QLabel>("maskTold").text().isEmpty());
        bench.drag({100, 100}, {200, 150});
        bench.key(Qt::Key_Return);
        QCOMPARE(used.size(), 1);
        QCOMPARE(used.front().at(0).toString(), bench.path);
        QCOMPARE(used.front().at(1).value<QImage>(), bench.mask());
    }

    void theRectangleAroundTheMaskIsAskedForAPrompt() {
        Bench bench;
        bench.startPainting();
        QSignalSpy wanted(&bench.viewer->retouching(), &Retouching::regionWanted);
        bench.click("maskRegion");
        QCOMPARE(wanted.size(), 0);  // nothing is masked
        QVERIFY(!bench.find<QLabel>("maskTold").text().isEmpty());
        bench.key(Qt::Key_R);
        bench.drag({100, 100}, {300, 200});
        bench.rest();
        bench.click("maskRegion");
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().at(0).toString(), QString());
        QCOMPARE(wanted.front().at(1).toRect(), maskedRect(bench.mask()));
        QCOMPARE(wanted.front().at(2).value<QImage>(), bench.mask());
    }

    /// A run at work does not take the image away from under the brush.
    void whatIsPaintedOnRemains() {
        Bench bench;
        bench.startPainting();
        bench.viewer->showLive(someImage(64, 64), "Preview");
        QVERIFY(!bench.viewer->isLive());
        bench.key(Qt::Key_Escape);
        bench.viewer->showLive(someImage(64, 64), "Preview");
        QVERIFY(bench.viewer->isLive());
        QVERIFY(!bench.find<QToolButton>("paintMask").isEnabled());
    }

    void anImageWithoutAFileAsksForOne() {
        Bench bench;
        bench.viewer->showImage(someImage(200, 100), "Preview");
        QSignalSpy wanted(&bench.viewer->retouching(), &Retouching::fileWanted);
        bench.click("paintMask");
        QCOMPARE(wanted.size(), 1);
        QVERIFY(!bench.find<QToolButton>("paintMask").isChecked());
    }

    void aFrameIsDraggedInsideAndBeyond() {
        Bench bench;
        bench.click("crop");
        FrameTool* tool = bench.viewer->retouching().frameTool();
        QVERIFY(tool);
        QVERIFY(!bench.find<QPushButton>("frameWrite").isEnabled());
        bench.drag({640, 480}, {512, 400});
        QCOMPARE(tool->frame().rect(), QRect(0, 0, 512, 400));
        QCOMPARE(bench.find<QPushButton>("frameWrite").text(), QString("Crop"));
        bench.drag({0, 200}, {-64, 200});
        QCOMPARE(tool->frame().rect(), QRect(-64, 0, 576, 400));
        QCOMPARE(bench.find<QPushButton>("frameWrite").text(), QString("Extend and mask"));
        bench.key(Qt::Key_Right);
        bench.key(Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(tool->frame().rect(), QRect(-56, 0, 576, 408));
        QSignalSpy accepted(&bench.viewer->retouching(), &Retouching::frameAccepted);
        bench.key(Qt::Key_Return);
        QCOMPARE(accepted.size(), 1);
        QCOMPARE(accepted.front().at(1).toRect(), QRect(-56, 0, 576, 408));
        bench.click("frameReset");
        QVERIFY(tool->frame().isWhole());
        auto& ratio = bench.find<QComboBox>("frameRatio");
        ratio.setCurrentIndex(2);
        Q_EMIT ratio.activated(2);
        QCOMPARE(tool->frame().rect().size(), QSize(480, 480));
        bench.key(Qt::Key_Escape);
        QCOMPARE(bench.viewer->retouching().work(), Retouching::Work::None);
    }

    void looks_data() { test::addSchemes(); }

    void looks() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        Bench bench;
        bench.startPainting();
        bench.tool().setBrush({.diameter = 70, .hardness = 0.6, .opacity = 1});
        bench.drag({200, 190}, {250, 195});
        bench.drag({390, 195}, {440, 190});
        QTest::mouseMove(&bench.view(), bench.positionOf(330, 330));
        QCOMPARE(test::lookAt(*bench.viewer, "mask"), QString());
        bench.click("crop");
        bench.drag({640, 240}, {760, 240});
        bench.drag({300, 0}, {300, 60});
        QCOMPARE(test::lookAt(*bench.viewer, "frame"), QString());
        test::wear(Theme::Scheme::Light);
    }

    /// The GUI thread is free between strokes of a large image.
    void aLargeImageIsPaintedSwiftly() {
        Bench bench({4096, 4096});
        bench.startPainting();
        bench.tool().setBrush({.diameter = 300, .hardness = 0.7, .opacity = 1});
        QElapsedTimer timer;
        qint64 longest = 0;
        double busiest = 0;
        const auto cpu = [] {
            timespec now{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
        };
        QTest::mousePress(&bench.view(), Qt::LeftButton, {}, bench.positionOf(600, 600));
        for (int i = 0; i < 40; ++i) {
            const QPoint at = bench.positionOf(600 + 70 * i, 900 + 500 * std::sin(i * 0.4));
            QMouseEvent event(QEvent::MouseMove,
                              at,
                              bench.view().mapToGlobal(at),
                              Qt::NoButton,
                              Qt::LeftButton,
                              Qt::NoModifier);
            timer.restart();
            const double before = cpu();
            QCoreApplication::sendEvent(&bench.view(), &event);
            QCoreApplication::processEvents();
            longest = std::max(longest, timer.elapsed());
            busiest = std::max(busiest, cpu() - before);
        }
        QTest::mouseRelease(&bench.view(), Qt::LeftButton, {}, bench.positionOf(3400, 900));
        bench.tool().grow(32);
        bench.tool().feather(20);
        bench.tool().undo();
        while (bench.tool().isBusy()) {
            timer.restart();
            const double before = cpu();
            QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
            longest = std::max(longest, timer.elapsed());
            busiest = std::max(busiest, cpu() - before);
        }
        qInfo(
            "4096 x 4096: the GUI thread was busy for at most %.0f ms, with other programs %lld ms",
            busiest,
            longest);
        QVERIFY2(busiest < 500, qPrintable(QString::number(busiest)));
    }
};

LOWTIDE_WINDOW_TEST(RetouchingTest)

}  // namespace retouching_test

#include "retouching_test.moc"
