// What an illustrator did at the first sitting, row by row and in one studio: by mouse and keys, in
// so many clicks, and without a question about unsaved changes.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/turned_photo.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/document/journal.hpp"
#include "ui/language/language.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/memory_panel.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/sheet_view.hpp"
#include "ui/studio/guide_window.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>

namespace sitting_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 300000;

QString firstIssueIn(const QueuedRun& run) {
    return run.issues.empty() ? QString("no issue")
                              : QString::fromStdString(run.issues.front().message.str());
}

/// Counts questions about unsaved changes, whoever asks.
class Questions : public QObject {
public:
    Questions() { qApp->installEventFilter(this); }

    [[nodiscard]] int count() const { return count_; }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Show && watched->objectName() == QLatin1String("unsaved")) {
            ++count_;
        }
        return false;
    }

private:
    int count_ = 0;
};

/// The nodes that read what this one gives.
QStringList readersOf(const GraphModel& model, const std::string& node) {
    QStringList readers;
    for (const graph::Link& link : model.document().links) {
        if (link.from.node == node) {
            readers << QString::fromStdString(model.node(link.to.node)->type);
        }
    }
    readers.removeDuplicates();
    readers.sort();
    return readers;
}

std::string nodeOf(const GraphModel& model, const char* type) {
    for (const auto& [id, node] : model.document().nodes) {
        if (node.type == type) {
            return id;
        }
    }
    return {};
}

}  // namespace

class SittingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void init() {
        test::failOnQtWarnings();
        clicks_->begin();
        beginWatch();
    }

    void aFirstImage_inOneClick();
    void anotherPrompt_inOneClick();
    void tenSeeds_areReadAtAGlance();
    void twoAreCompared();
    void anImageFillsTheScreen_inOneClick();
    void anEyeIsInpainted();
    void anImageIsExtended();
    void aSecondGraphOpens_inOneClick();
    void oneEnlargesWithOnesOwnFile_inTwoClicks();
    void aPhotoGoesIntoTheOpenGraph_inOneClick();
    void aLoraIsUsed_inOneClick();
    void stepsAreVariedInASheet();
    void aGraphIsKeptAsAPreset();
    void keysAloneFindANodeAndRun();
    void aWrongFileIsRefused_andEscapeLeaves();
    void helpIsOneKeyAway();
    void aFolderOfWanMakesAVideo_inThreeClicks();
    void aGraphFitsASmallerCard();
    void theStudioSpeaksChineseAndBack();
    void theEndAsksNothing();

    void cleanup() {
        qInfo("%d clicks", clicks_->count());
        endWatch();
        QCOMPARE(questions_.count(), 0);
        if (studio_) {
            test::keepScreenshot(studio_->window(), QTest::currentTestFunction());
        }
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] MainWindowWidgets& widgets() { return studio_->controller().widgets(); }

    [[nodiscard]] GraphView& canvas() { return widgets().canvas; }

    [[nodiscard]] Viewer& viewer() { return widgets().viewer; }

    void act(const char* action) { studio_->window().actions().at(action).trigger(); }

    /// Waits for every run; the last one.
    [[nodiscard]] QueuedRun finished();
    void view(const QString& file);
    void newGraph();
    void setParams(const std::string& node, const Json& values);
    /// A point of the canvas on the node; of none, where nothing lies.
    [[nodiscard]] QPoint pointOn(const std::string& node = {});

    QTemporaryDir folder_;
    Questions questions_;
    std::unique_ptr<StudioSession> studio_;
    std::unique_ptr<Clicks> clicks_;
    QString image_;  ///< of the first run
};

void SittingTest::initTestCase() {
    studio_ = std::make_unique<StudioSession>(folder_.path());
    QVERIFY(studio_->isReady());
    studio_->window().resize(1600, 1000);
    clicks_ = std::make_unique<Clicks>(*studio_);
    setParams("denoise", {{"steps", 2}});
}

QueuedRun SittingTest::finished() {
    RunQueue& queue = studio_->workspace().queue;
    const bool isOver = QTest::qWaitFor(
        [&] { return !queue.runs().empty() && !studio_->workspace().run.isBusy(); }, kPatience);
    return isOver ? queue.runs().back() : QueuedRun();
}

void SittingTest::view(const QString& file) {
    QSignalSpy shown(&viewer(), &Viewer::shown);
    viewer().showFile(file);
    act("view.viewer");
    QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty(), kPatience);
}

void SittingTest::newGraph() {
    Hands(*studio_).press("file.new");
    setParams("denoise", {{"steps", 2}});
    act("view.graph");
}

void SittingTest::setParams(const std::string& node, const Json& values) {
    studio_->model().apply(
        "Small", [&](graph::Document& document) { document.nodes.at(node).params.update(values); });
}

QPoint SittingTest::pointOn(const std::string& node) {
    canvas().invoke("view.fit_all");
    QCoreApplication::processEvents();
    if (node.empty()) {
        return {4, 4};
    }
    const auto* scene = qobject_cast<GraphScene*>(canvas().scene());
    return canvas().mapFromScene(scene->node(node)->bodyInScene().center());
}

void SittingTest::aFirstImage_inOneClick() {
    clicks_->onTool("run.start");
    const QueuedRun run = finished();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    image_ = run.files.front();
    QVERIFY(!QImage(image_).isNull());
    QCOMPARE(clicks_->count(), 1);
}

void SittingTest::anotherPrompt_inOneClick() {
    Hands hands(*studio_);
    hands.press("view.generate");
    clicks_->on(hands.widget("prompt"));
    QTest::keyClicks(QApplication::focusWidget(), "a tower, ");
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QVERIFY(contentsOf(run.files.front()) != contentsOf(image_));
    QCOMPARE(clicks_->count(), 1);
}

/// While they run, tool bar, tab and title state how far they are, and nobody clicks for it.
void SittingTest::tenSeeds_areReadAtAGlance() {
    const size_t before = studio_->workspace().queue.runs().size();
    clicks_->inNextDialog("several", "run");
    clicks_->onMenu("Run", "run.several");
    const auto areStated = [this] {
        const auto labels = studio_->window().findChild<StudioToolBar*>()->findChildren<QLabel*>();
        return studio_->window().windowTitle().contains("/10") &&
               studio_->window().findChild<QDockWidget*>("queue")->windowTitle().contains("/10") &&
               std::ranges::any_of(labels, [](const QLabel* label) {
                   return label->isVisible() && label->text().contains("of 10");
               });
    };
    QVERIFY2(QTest::qWaitFor(areStated, kPatience), qPrintable(studio_->window().windowTitle()));
    QCOMPARE(finished().state, RunState::Finished);
    QCOMPARE(studio_->workspace().queue.runs().size(), before + 10);
    QVERIFY(clicks_->count() <= 3);
}

void SittingTest::twoAreCompared() {
    Gallery& gallery = *widgets().gallery;
    clicks_->onTab("Gallery");
    QTRY_VERIFY_WITH_TIMEOUT(gallery.files().size() >= 10, kPatience);
    auto& list = *gallery.findChild<QListView*>("pictures");
    clicks_->onRow(list, list.model()->index(0, 0));
    QTest::keyClick(&list, Qt::Key_Right, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(gallery.selected().size(), size_t{2}, kPatience);
    QTest::keyClick(&list, Qt::Key_C);
    QTRY_VERIFY_WITH_TIMEOUT(viewer().isVisible(), kPatience);
    QVERIFY(clicks_->count() <= 2);
}

void SittingTest::anImageFillsTheScreen_inOneClick() {
    QMainWindow& window = studio_->window();
    view(image_);
    clicks_->on(*viewer().findChild<QToolButton*>("fullScreen"));
    QTRY_VERIFY_WITH_TIMEOUT(window.isFullScreen() && viewer().view().width() == window.width(),
                             kPatience);
    QTest::keyClick(&viewer().view(), Qt::Key_Escape);
    QTRY_VERIFY_WITH_TIMEOUT(!window.isFullScreen() && viewer().isVisible(), kPatience);
    QCOMPARE(clicks_->count(), 1);
}

void SittingTest::anEyeIsInpainted() {
    view(image_);
    const int steps = studio_->model().undoStack().index();
    Hands hands(*studio_);
    auto& paint = dynamic_cast<QToolButton&>(hands.widget("paintMask"));
    clicks_->on(paint);
    QTRY_VERIFY_WITH_TIMEOUT(viewer().retouching().maskTool(), kPatience);
    const QSizeF size = QImage(image_).size();
    clicks_->stroke(viewer().view(),
                    {size.width() * 0.3, size.height() * 0.35},
                    {size.width() * 0.42, size.height() * 0.36});
    clicks_->on(hands.widget("maskUse"));
    QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
    clicks_->onTool("run.start");
    const QueuedRun run = finished();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QCOMPARE(QImage(run.files.front()).size(), QImage(image_).size());
    QVERIFY(clicks_->count() <= 4);
}

void SittingTest::anImageIsExtended() {
    newGraph();
    view(image_);
    const QSize size = QImage(image_).size();
    Hands hands(*studio_);
    hands.press("view.crop");
    QTRY_VERIFY_WITH_TIMEOUT(viewer().retouching().frameTool(), kPatience);
    clicks_->stroke(viewer().view(),
                    {double(size.width()), size.height() / 2.0},
                    {size.width() + 32.0, size.height() / 2.0});
    const int steps = studio_->model().undoStack().index();
    clicks_->on(hands.widget("frameWrite"));
    QTRY_VERIFY_WITH_TIMEOUT(viewer().retouching().maskTool(), kPatience);
    clicks_->on(hands.widget("maskUse"));
    QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QCOMPARE(QImage(run.files.front()).width(), size.width() + 32);
    QVERIFY(clicks_->count() <= 3);
}

/// From a file manager, over a graph with unsaved changes.
void SittingTest::aSecondGraphOpens_inOneClick() {
    const size_t open = studio_->workspace().file.documents().size();
    QVERIFY(!studio_->model().undoStack().isClean());
    const QString path = folder_.filePath("own.json");
    QVERIFY(QFile::copy(sourcePath("examples/graphs/image_to_image.json"), path));
    act("view.graph");
    clicks_->drop(*canvas().viewport(), path, pointOn());
    QTRY_COMPARE_WITH_TIMEOUT(studio_->workspace().file.path(), path, kPatience);
    QCOMPARE(studio_->workspace().file.documents().size(), open + 1);
    QCOMPARE(clicks_->count(), 1);
}

/// The file is dropped on the open graph, and Run pressed.
void SittingTest::oneEnlargesWithOnesOwnFile_inTwoClicks() {
    const QString own = folder_.filePath("own_esrgan.safetensors");
    QVERIFY(QFile::copy(upscaleGoldenFolder() + "/upscalers/esrgan_0/esrgan_old.safetensors", own));
    newGraph();
    const int width = QImage(image_).width();
    clicks_->drop(*canvas().viewport(), own, pointOn());
    QTRY_VERIFY_WITH_TIMEOUT(!nodeOf(studio_->model(), "load.upscaler").empty(), kPatience);
    clicks_->onTool("run.start");
    const QueuedRun run = finished();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QVERIFY(QImage(run.files.front()).width() >= 2 * width);
    QTRY_COMPARE_WITH_TIMEOUT(viewer().file(), run.files.back(), kPatience);
    QCOMPARE(clicks_->count(), 2);
}

/// A photograph of a phone, on the node that reads one.
void SittingTest::aPhotoGoesIntoTheOpenGraph_inOneClick() {
    const QString photo = folder_.filePath("IMG_0001.JPG");
    testing::writeFile(photo,
                       turnedPhoto(QImage(sourcePath("examples/pictures/dog.png"))
                                       .scaled(300, 400, Qt::IgnoreAspectRatio)));
    Hands hands(*studio_);
    hands.press("view.presets");
    auto& cards = dynamic_cast<QAbstractItemView&>(hands.widget("presetCards"));
    doubleClick(cards, rowNamed(cards, "Image to image"));
    QTRY_COMPARE_WITH_TIMEOUT(
        studio_->workspace().file.name(), QString("Image to image"), kPatience);
    const size_t nodes = studio_->model().document().nodes.size();
    clicks_->drop(*canvas().viewport(), photo, pointOn("load_image"));
    QTRY_COMPARE_WITH_TIMEOUT(studio_->model().node("load_image")->params.at("image"),
                              Json(photo.toStdString()),
                              kPatience);
    QCOMPARE(studio_->model().document().nodes.size(), nodes);
    QCOMPARE(clicks_->count(), 1);
    setParams("fit", {{"width", 96}});
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QCOMPARE(QImage(run.files.front()).size(), QSize(96, 128));
}

/// With a checkpoint that it is for; what read the checkpoint reads it through the LoRA.
void SittingTest::aLoraIsUsed_inOneClick() {
    const QString goldens = loraGoldenFolder();
    const QString lora = goldens + "/lora/sd15_1_1/kohya.safetensors";
    newGraph();
    setParams("latent", {{"width", 64}, {"height", 64}});
    setParams("denoise", {{"steps", 3}, {"sampler", "euler_a"}});
    setParams("load", {{"checkpoint", (goldens + "/checkpoints/sd15_1").toStdString()}});
    const QStringList readers = readersOf(studio_->model(), "load");
    clicks_->drop(*canvas().viewport(), lora, pointOn());
    QTRY_VERIFY_WITH_TIMEOUT(!nodeOf(studio_->model(), "load.lora").empty(), kPatience);
    QCOMPARE(readersOf(studio_->model(), "load"), QStringList{"load.lora"});
    QCOMPARE(readersOf(studio_->model(), nodeOf(studio_->model(), "load.lora")), readers);
    QCOMPARE(clicks_->count(), 1);
    const QueuedRun run = Hands(*studio_).run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
}

void SittingTest::stepsAreVariedInASheet() {
    newGraph();
    SheetView& sheet = *widgets().sheet;
    const RunKey before = sheet.sheet();
    clicks_->inNextDialog("sheet", "run");
    Hands(*studio_).press("run.sheet");
    QTRY_VERIFY_WITH_TIMEOUT(sheet.sheet() != before, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!sheet.table().sheet().image.isEmpty(), kPatience);
    QVERIFY(!QImage(sheet.table().sheet().image).isNull());
    QCOMPARE(clicks_->count(), 1);
}

void SittingTest::aGraphIsKeptAsAPreset() {
    act("view.presets");
    clicks_->inNextDialog("presetDialog", "save");
    clicks_->on(*studio_->window().findChild<QPushButton*>("savePreset"));
    const auto& entries = studio_->workspace().presets.entries();
    QVERIFY(std::ranges::any_of(entries, [](const auto& entry) { return !entry.isBuiltin; }));
    QVERIFY(clicks_->count() <= 2);
}

void SittingTest::keysAloneFindANodeAndRun() {
    newGraph();
    answerDialog("findNode", [](QDialog& dialog) {
        auto* words = dialog.findChild<QLineEdit*>("words");
        QTest::keyClicks(words, "denoise");
        QTest::keyClick(words, Qt::Key_Return);
    });
    Hands hands(*studio_);
    hands.press("edit.find");
    QTRY_VERIFY_WITH_TIMEOUT(canvas().selectedNodes().contains("denoise"), kPatience);
    const QueuedRun run = hands.run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QCOMPARE(clicks_->count(), 0);
}

void SittingTest::aWrongFileIsRefused_andEscapeLeaves() {
    const QString notes = folder_.filePath("notes.txt");
    testing::writeFile(notes, "nothing of the kind");
    const size_t open = studio_->workspace().file.documents().size();
    bool isLeft = false;
    answerDialog("error", [&](QDialog& dialog) {
        QTest::keyClick(&dialog, Qt::Key_Escape);
        isLeft = !dialog.isVisible();
    });
    act("view.graph");
    clicks_->drop(*canvas().viewport(), notes, pointOn());
    QTRY_VERIFY_WITH_TIMEOUT(isLeft, kPatience);
    QCOMPARE(studio_->workspace().file.documents().size(), open);
}

void SittingTest::helpIsOneKeyAway() {
    Hands hands(*studio_);
    hands.clickNode("denoise");
    hands.press("help.node");
    QTRY_VERIFY_WITH_TIMEOUT(widgets().inspector.findChild<QWidget*>("help")->isVisible(),
                             kPatience);
    hands.press("help.guide");
    QWidget* opened = nullptr;
    const auto isOpen = [&opened] {
        for (QWidget* window : QApplication::topLevelWidgets()) {
            opened = qobject_cast<GuideWindow*>(window) ? window : opened;
        }
        return opened && opened->isVisible();
    };
    QTRY_VERIFY_WITH_TIMEOUT(isOpen(), kPatience);
    opened->close();
    widgets().inspector.showValues();
}

/// From an image in the viewer: its menu, the preset, the folder.
void SittingTest::aFolderOfWanMakesAVideo_inThreeClicks() {
    const QString wan = wanGoldenFolder() + "/checkpoints/wan_i2v_0";
    view(image_);
    clicks_->chooseInMenu(*viewer().findChild<QToolButton*>("useAsInput"),
                          "Image to video, folder");
    QTRY_VERIFY_WITH_TIMEOUT(studio_->workspace().file.name().startsWith("Image to video, folder"),
                             kPatience);
    clicks_->drop(*canvas().viewport(), wan, pointOn());
    QTRY_COMPARE_WITH_TIMEOUT(
        studio_->model().node("load")->params.at("checkpoint"), Json(wan.toStdString()), kPatience);
    QCOMPARE(clicks_->count(), 3);
    studio_->model().apply("Small", [](graph::Document& document) {
        document.memoryBudget.reset();
        document.nodes.at("video").params.update({{"width", 64}, {"height", 48}, {"frames", 5}});
        document.nodes.at("denoise").params["steps"] = 2;
    });
    const QueuedRun run = Hands(*studio_).run();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
    QCOMPARE(run.files.size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(viewer().file(), run.files.front(), kPatience);
}

void SittingTest::aGraphFitsASmallerCard() {
    newGraph();
    clicks_->on(*studio_->window().findChild<QToolButton*>("need"));
    clicks_->choose(*studio_->window().findChild<MemoryPanel*>()->findChild<QComboBox*>("device"),
                    "on 6 GiB");
    QVERIFY(clicks_->count() <= 3);
    const Planning& planning = studio_->workspace().planning;
    QTRY_VERIFY_WITH_TIMEOUT(planning.planned().isFresh, kPatience);
    clicks_->inNextDialog("rehearsal", "rehearse");  // asked once
    const QueuedRun run = studio_->runToEnd();
    QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
}

void SittingTest::theStudioSpeaksChineseAndBack() {
    if (languages().size() < 2) {
        QSKIP("built without lrelease");
    }
    const size_t open = studio_->workspace().file.documents().size();
    const auto fileMenuBegins = [this](const QString& text) {
        auto* file = studio_->window().menuBar()->findChild<QMenu*>("File");
        return studio_->window().controller() && file &&
               file->title().remove(QLatin1Char('&')).startsWith(text);
    };
    act("language.zh_CN");
    QTRY_VERIFY_WITH_TIMEOUT(fileMenuBegins("文件"), kPatience);
    act("language.en");
    QTRY_VERIFY_WITH_TIMEOUT(fileMenuBegins("File"), kPatience);
    QCOMPARE(studio_->workspace().file.documents().size(), open);
}

/// With every graph open that is in no file: the next start has all of them.
void SittingTest::theEndAsksNothing() {
    const size_t open = studio_->workspace().file.documents().size();
    QVERIFY(open > 5);
    studio_->window().close();
    QTRY_VERIFY_WITH_TIMEOUT(!studio_->window().isVisible(), kPatience);
    studio_.reset();
    const QDir journals(appFoldersIn(folder_.path()).journals);
    QCOMPARE(static_cast<size_t>(journals.entryList({QString("*") + kLeftSuffix}).size()), open);
}

LOWTIDE_JOURNEY(SittingTest)

}  // namespace sitting_test

#include "sitting_test.moc"
