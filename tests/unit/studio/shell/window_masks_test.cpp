// What becomes of masks and crops in the window, with a module that cannot fill masks.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/mask_tool.hpp"
#include "ui/panels/retouching.hpp"

namespace window_masks_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

struct Painting : Working {
    Painting() {
        QImage image(128, 64, QImage::Format_RGB888);
        image.fill(Qt::darkCyan);
        image.save(path());
    }

    [[nodiscard]] QString path() const { return folder.filePath("a.png"); }

    [[nodiscard]] Viewer& viewer() { return widgets().viewer; }

    [[nodiscard]] Retouching& retouching() { return viewer().retouching(); }

    void open() {
        QSignalSpy shown(&viewer(), &Viewer::shown);
        viewer().showFile(path());
        QVERIFY(shown.wait(kPatience));
    }

    void press(const char* id) {
        QVERIFY(action(id).isEnabled());
        action(id).trigger();
    }

    void paintAndUse() {
        press("view.paint_mask");
        [&] { QTRY_VERIFY_WITH_TIMEOUT(retouching().maskTool(), kPatience); }();
        QTest::mouseClick(
            &viewer().view(), Qt::LeftButton, {}, viewer().view().positionOf({40, 30}).toPoint());
        QTest::mouseClick(viewer().findChild<QPushButton*>("maskUse"), Qt::LeftButton);
    }

    [[nodiscard]] QStringList filesIn(const QString& where, const QString& pattern) const {
        return QDir(folder.filePath(where)).entryList({pattern}, QDir::Files);
    }

    [[nodiscard]] QString notice() { return widgets().notices.text(); }
};

}  // namespace

class WindowMasksTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    /// The mask is kept all the same, and the graph is as it was.
    void aGraphThatFillsNoMaskReportsIt() {
        Painting studio;
        QVERIFY(!studio.action("view.paint_mask").isEnabled());
        studio.open();
        const std::string before = graph::toText(studio.model().document());
        studio.paintAndUse();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("kept with its image"), kPatience);
        QCOMPARE(studio.filesIn("pasted", "mask-*.png").size(), 1);
        QCOMPARE(graph::toText(studio.model().document()), before);
        QVERIFY(!studio.model().undoStack().canUndo());
        QCOMPARE(studio.retouching().work(), Retouching::Work::None);
        studio.press("view.paint_mask");
        QTRY_VERIFY_WITH_TIMEOUT(studio.retouching().maskTool(), kPatience);
        QVERIFY(!isBlank(studio.retouching().maskTool()->canvas().mask()));
    }

    /// The module of the test has no nodes that limit prompts to a part.
    void aPromptForAPartIsAskedFor_andWhatCannotBeWiredIsReported() {
        Painting studio;
        studio.open();
        const std::string before = graph::toText(studio.model().document());
        studio.press("view.paint_mask");
        QTRY_VERIFY_WITH_TIMEOUT(studio.retouching().maskTool(), kPatience);
        studio.retouching().maskTool()->invert();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.retouching().maskTool()->isBusy(), kPatience);
        answer("regionPrompt", [](QDialog& dialog) {
            auto* asked = qobject_cast<QInputDialog*>(&dialog);
            QVERIFY2(asked->labelText().contains("128 x 64"), qPrintable(asked->labelText()));
            asked->setTextValue("a fox");
            asked->accept();
        });
        QTest::mouseClick(studio.viewer().findChild<QPushButton*>("maskRegion"), Qt::LeftButton);
        const auto* reported = studio.viewer().findChild<QLabel*>("maskTold");
        QTRY_VERIFY2_WITH_TIMEOUT(reported->text().contains("nodes for regional prompts"),
                                  qPrintable(reported->text()),
                                  kPatience);
        QVERIFY(studio.filesIn("pasted", "mask-*.png").isEmpty());  // a rectangle needs no file
        QCOMPARE(graph::toText(studio.model().document()), before);
        QVERIFY(!studio.model().undoStack().canUndo());
    }

    /// A button of the panel that was clicked has the focus; Ctrl+Z still means the mask.
    void undoMeansTheMask_alsoFromItsPanel() {
        Painting studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        const std::string graph = graph::toText(studio.model().document());
        studio.open();
        studio.press("view.paint_mask");
        QTRY_VERIFY_WITH_TIMEOUT(studio.retouching().maskTool(), kPatience);
        MaskTool& tool = *studio.retouching().maskTool();
        tool.invert();
        QTRY_VERIFY_WITH_TIMEOUT(!isBlank(tool.canvas().mask()), kPatience);
        auto* button = studio.retouching().maskPanel()->findChild<QToolButton*>("maskEraser");
        QVERIFY(button);
        button->setFocus();
        QTest::keyClick(button, Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(isBlank(tool.canvas().mask()), kPatience);
        QTest::keyClick(button, Qt::Key_Y, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!isBlank(tool.canvas().mask()), kPatience);
        QCOMPARE(graph::toText(studio.model().document()), graph);
    }

    /// A step of the graph that is undone meanwhile comes into sight.
    void aStepTakenBackNextToTheGraphIsSeen() {
        Painting studio;
        studio.model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
        studio.open();
        studio.press("view.viewer");
        studio.viewer().view().setFocus();
        auto* centre = studio.window->findChild<QTabWidget*>("centre");
        QVERIFY(centre->currentIndex() != 0);
        QTest::keyClick(&studio.viewer().view(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(studio.model().node("denoise")->params.value("steps", 0), 20);
        QCOMPARE(centre->currentIndex(), 0);
    }

    void filesLieInTheFolderOfTheGraph_orWhereTheyCan() {
        Painting studio;
        QCOMPARE(test::saveAs(studio.work().file, studio.folder.filePath("g.json")), QString());
        studio.open();
        studio.paintAndUse();
        QTRY_COMPARE_WITH_TIMEOUT(studio.filesIn("g.files", "mask-*.png").size(), 1, kPatience);
        QVERIFY(studio.filesIn("pasted", "mask-*.png").isEmpty());

        QTRY_COMPARE_WITH_TIMEOUT(studio.retouching().work(), Retouching::Work::None, kPatience);
        QVERIFY(QDir(studio.folder.filePath("g.files")).removeRecursively());
        QFile inTheWay(studio.folder.filePath("g.files"));
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        studio.paintAndUse();
        QTRY_COMPARE_WITH_TIMEOUT(studio.filesIn("pasted", "mask-*.png").size(), 1, kPatience);
    }

    void anImageWithoutAFileGetsOne() {
        Painting studio;
        studio.viewer().showImage(QImage(studio.path()), "Preview");
        studio.press("view.paint_mask");
        QTRY_VERIFY_WITH_TIMEOUT(studio.retouching().maskTool(), kPatience);
        const QStringList files = studio.filesIn("pasted", "picture-*.png");
        QCOMPARE(files.size(), 1);
        QCOMPARE(QImage(studio.folder.filePath("pasted/" + files.front()))
                     .convertToFormat(QImage::Format_RGB888),
                 QImage(studio.path()).convertToFormat(QImage::Format_RGB888));
    }

    void aCropIsShown_andAnExtensionIsPainted() {
        Painting studio;
        studio.open();
        studio.press("view.crop");
        ImageView& view = studio.viewer().view();
        QVERIFY(studio.retouching().frameTool());
        QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
        QTest::keyClick(&view, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(view.image().front().size(), QSize(120, 64), kPatience);
        QCOMPARE(studio.filesIn("pasted", "crop-*.png").size(), 1);

        studio.press("view.crop");
        QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(&view, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(studio.retouching().maskTool(), kPatience);
        const QImage& mask = studio.retouching().maskTool()->canvas().mask();
        QCOMPARE(mask.size(), QSize(120, 72));
        QCOMPARE(int(mask.constScanLine(71)[60]), 255);
        QCOMPARE(int(mask.constScanLine(0)[60]), 0);
        QCOMPARE(studio.filesIn("pasted", "extended-*.png").size(), 1);
        QCOMPARE(studio.filesIn("pasted", "mask-*.png").size(), 1);
    }
};

LOWTIDE_WINDOW_TEST(WindowMasksTest)

}  // namespace window_masks_test

#include "window_masks_test.moc"
