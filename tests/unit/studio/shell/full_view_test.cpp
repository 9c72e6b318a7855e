// The image on the whole screen, and the window without its panels.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/panels/image_view.hpp"

#include <map>

namespace full_view_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

/// A window whose viewer has an image.
struct Viewing : Working {
    Viewing() {
        QImage image(64, 48, QImage::Format_RGB32);
        image.fill(Qt::red);
        widgets().viewer.showImage(image, "fox");
        widgets().canvas.setFocus();
        QTest::qWait(50);  // panels are where they will be
    }

    [[nodiscard]] std::map<QString, QRect> panels() const {
        std::map<QString, QRect> shown;
        for (const auto* dock : window->findChildren<QDockWidget*>()) {
            if (dock->isVisible() && !dock->visibleRegion().isEmpty()) {
                shown[dock->objectName()] = dock->geometry();
            }
        }
        return shown;
    }

    [[nodiscard]] bool isFrameShown() const {
        return window->menuBar()->isVisible() && window->statusBar()->isVisible() &&
               window->findChild<QToolBar*>("toolBar")->isVisible() &&
               window->findChild<QTabWidget*>("centre")->tabBar()->isVisible();
    }
};

}  // namespace

class FullViewTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void panelsComeBackAsTheyWere() {
        Viewing studio;
        studio.action("view.queue").trigger();
        QTest::qWait(50);
        const auto before = studio.panels();
        QVERIFY(before.contains("queue"));
        studio.action("view.hide_panels").trigger();
        QVERIFY(studio.panels().empty());
        QVERIFY(studio.isFrameShown());
        test::keepScreenshot(*studio.window, "window_without_panels");
        studio.action("view.hide_panels").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(studio.panels() == before, kPatience);
    }

    /// From the graph, and back to it.
    void theImageFillsTheScreen() {
        Viewing studio;
        const auto before = studio.panels();
        Viewer& viewer = studio.widgets().viewer;
        test::press(Qt::Key_F11);
        QVERIFY(studio.window->isFullScreen());
        QCOMPARE(studio.widgets().centre.currentWidget(), static_cast<QWidget*>(&viewer));
        QTRY_COMPARE(studio.widgets().viewer.view().width(), studio.window->width());
        QTRY_VERIFY(studio.widgets().viewer.view().height() > studio.window->height() - 4);
        QVERIFY(studio.panels().empty());
        test::press(Qt::Key_Escape);
        QVERIFY(!studio.window->isFullScreen());
        QVERIFY(studio.isFrameShown());
        QCOMPARE(studio.widgets().centre.currentIndex(), 0);
        QVERIFY(!studio.action("view.full_screen").isChecked());
        QTRY_COMPARE(studio.panels().size(), before.size());
    }

    void aDoubleClickOnTheImageFillsTheScreenToo() {
        Viewing studio;
        studio.action("view.viewer").trigger();
        ImageView& view = studio.widgets().viewer.view();
        test::doubleClick(view, view.rect().center());
        QVERIFY(studio.window->isFullScreen());
        test::doubleClick(view, view.rect().center());
        QVERIFY(!studio.window->isFullScreen());
        QCOMPARE(studio.widgets().centre.currentWidget(),
                 static_cast<QWidget*>(&studio.widgets().viewer));
    }

    /// A menu bar that is hidden has no keys of its own.
    void keysOfTheMenusGoOn() {
        Viewing studio;
        studio.work().queue.setPaused(true);
        test::press(Qt::Key_F11);
        test::press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.work().queue.runs().size(), size_t{1}, kPatience);
        test::press(Qt::Key_F11);
        QVERIFY(!studio.window->isFullScreen());
        test::press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(studio.work().queue.runs().size(), size_t{2}, kPatience);
    }

    void anotherTabEndsIt() {
        Viewing studio;
        test::press(Qt::Key_F11);
        studio.action("view.gallery").trigger();
        QVERIFY(!studio.window->isFullScreen());
        QVERIFY(studio.isFrameShown());
        QCOMPARE(studio.widgets().centre.currentWidget(),
                 static_cast<QWidget*>(studio.widgets().gallery));
    }

    void panelsThatWereHiddenRemainSo() {
        Viewing studio;
        const auto before = studio.panels();
        studio.action("view.hide_panels").trigger();
        test::press(Qt::Key_F11);
        test::press(Qt::Key_F11);
        QVERIFY(studio.panels().empty());
        studio.action("view.hide_panels").trigger();
        QTRY_COMPARE(studio.panels().size(), before.size());
    }

    /// An image that fills the screen has none, whatever is chosen for afterwards.
    void panelsRemainAwayWhileTheImageFillsTheScreen() {
        Viewing studio;
        const auto before = studio.panels();
        test::press(Qt::Key_F11);
        test::press(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
        test::press(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(studio.panels().empty());
        test::press(Qt::Key_F11);
        QTRY_COMPARE(studio.panels().size(), before.size());
    }

    /// A window manager does that, too, and hides nothing.
    void graphsHaveTheirTabsInAWindowThatFillsTheScreen() {
        Viewing studio;
        studio.window->showFullScreen();
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        studio.window->controller()->files().newGraph();
        QTRY_VERIFY_WITH_TIMEOUT(studio.widgets().documents.count() > 1, kPatience);
        QVERIFY(studio.widgets().documents.isVisible());
        test::press(Qt::Key_F11);
        QVERIFY(!studio.widgets().documents.isVisible());
    }

    /// A window that closes meanwhile opens with its panels.
    void theLayoutThatIsKeptHasItsPanels() {
        Viewing studio;
        const auto before = studio.panels();
        studio.action("view.hide_panels").trigger();
        QVERIFY(studio.window->close());
        studio.window.reset();
        studio.make([&studio]() -> Plugin& { return studio.plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(studio.window->controller(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(studio.panels().size(), before.size(), kPatience);
    }

    void theZoomOfTheGraphIsOfTheGraph() {
        Viewing studio;
        const auto* zoom =
            studio.window->findChild<QToolBar*>("toolBar")->findChild<QToolButton*>("zoom");
        QVERIFY(zoom->isEnabled());
        studio.action("view.viewer").trigger();
        QVERIFY(!zoom->isEnabled());
        QVERIFY(!studio.action("view.zoom_in").isEnabled());
        studio.action("view.graph").trigger();
        QVERIFY(zoom->isEnabled());
    }
};

LOWTIDE_WINDOW_TEST(FullViewTest)

}  // namespace full_view_test

#include "full_view_test.moc"
