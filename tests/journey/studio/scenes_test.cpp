// The images of docs: every slot is one, named like it (take_images.py). They follow each
// other as in one working day, so the order counts.
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/spoken_language.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/comfy_workflows.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/issues_panel.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/panels/panel_parts.hpp"
#include "ui/panels/retouching.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/panels/sheet_view.hpp"

#include <QWidget>
#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace scenes_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// A studio that is brought to what a page shows of it, and its images. A test fails where
/// something is not there, or a text of an image does not fit.
class Scene {
public:
    explicit Scene(StudioSession& studio) : studio_(studio), hands_(studio) {}

    [[nodiscard]] StudioSession& studio() { return studio_; }

    [[nodiscard]] Hands& hands() { return hands_; }

    /// As if the graph was saved, so that nothing is asked, and opens that preset.
    void openPreset(const QString& id);
    void setParam(const char* node, const char* param, const Json& value);
    void setPolicy(const char* node, const char* policy);
    /// "cpu", "fake:4GiB".
    void runOn(const std::string& device);
    /// Waits until the plan is that of the graph as it stands.
    void waitForPlan();
    /// Runs the graph; it must end well.
    ui::QueuedRun run();
    /// Waits until no run is at work nor waits.
    void waitForRuns();
    void showPanel(const char* panel);
    /// Shows it as a window of its own, which "view.reset" ends; what is in it.
    QWidget& floatPanel(const char* panel, const QSize& size);
    /// The window takes keys, as it does when a user clicks it.
    void activate();
    /// Takes the panels below the middle away until one is shown.
    void hidePanelsBelow();
    /// What stands in the middle, with its tabs.
    [[nodiscard]] QWidget& middle();

    /// Keeps an image of the widget in every appearance, when it has come to rest: "gallery.png",
    /// "gallery_dark.png"; with the language and the scale of this process in the name where they
    /// are others than English and 1. `open`: opens a popup that lies over it, or
    /// changes what is shown (nullptr).
    void keep(
        QWidget& shown, const QString& name, const std::function<QWidget*()>& open = [] {
            return nullptr;
        });

private:
    StudioSession& studio_;
    Hands hands_;
};

constexpr int kSceneMilliseconds = 60000;
constexpr int kRestMilliseconds = 100;  ///< in which nothing moves that has come to rest

template <class Condition>
void waitFor(const char* what, const Condition& isSo) {
    if (!QTest::qWaitFor(isSo, kSceneMilliseconds)) {
        throw std::runtime_error(std::string("it never comes to this: ") + what);
    }
}

/// Images of files, plans and texts come a moment late.
void waitForRest(QWidget& shown) {
    QImage before;
    waitFor("the image stands still", [&] {
        QTest::qWait(kRestMilliseconds);
        const QImage now = test::imageOf(shown);
        return std::exchange(before, now) == now;
    });
}

/// Of language and scale; empty for English at 1.
QString suffixOfProcess() {
    const QString language = test::spokenLanguage();
    const QByteArray scale = qgetenv("QT_SCALE_FACTOR");
    return (language == QLatin1String("en") ? QString() : "_" + language) +
           (scale.isEmpty() || scale == "1" ? QString() : "_at_" + QString::fromLatin1(scale));
}

void Scene::openPreset(const QString& id) {
    studio_.model().setSaved();
    bool isThere = false;
    studio_.controller().presets().open(id, [&isThere](bool isOpen) { isThere = isOpen; });
    if (!isThere) {
        throw std::runtime_error("there is no preset " + id.toStdString());
    }
}

void Scene::setParam(const char* node, const char* param, const Json& value) {
    studio_.model().apply("Change", [&](graph::Document& document) {
        document.nodes.at(node).params[param] = value;
    });
}

void Scene::setPolicy(const char* node, const char* policy) {
    studio_.model().apply(
        "Policy", [&](graph::Document& document) { document.nodes.at(node).memory = policy; });
}

void Scene::runOn(const std::string& device) {
    studio_.workspace().isRehearsalAgreed = true;  // no question in an image
    showPanel("memory");
    auto& box = dynamic_cast<QComboBox&>(hands_.widget("device", &hands_.widget("memoryPanel")));
    waitFor("the device is offered",
            [&] { return box.findData(QString::fromStdString(device)) >= 0; });
    box.setCurrentIndex(box.findData(QString::fromStdString(device)));
    Q_EMIT box.activated(box.currentIndex());
}

void Scene::waitForPlan() {
    waitFor("there is a plan", [&] { return studio_.workspace().planning.planned().isFresh; });
}

ui::QueuedRun Scene::run() {
    const ui::QueuedRun run = studio_.runToEnd();
    if (run.state != ui::RunState::Finished) {
        throw std::runtime_error(run.issues.empty() ? "the run did not end well"
                                                    : run.issues.front().message.str());
    }
    return run;
}

void Scene::waitForRuns() {
    waitFor("all runs have ended", [&] { return !studio_.workspace().run.isBusy(); });
}

void Scene::showPanel(const char* panel) {
    studio_.controller().widgets().panels.show(panel);
}

QWidget& Scene::floatPanel(const char* panel, const QSize& size) {
    showPanel(panel);
    auto* dock = studio_.window().findChild<QDockWidget*>(QLatin1String(panel));
    dock->setFloating(true);
    dock->resize(size);
    waitFor("the panel is active", [dock] { return dock->isActiveWindow(); });
    if (QWidget* focused = dock->focusWidget()) {
        focused->clearFocus();  // no part of it is what the image is about
    }
    return *dock->widget();
}

void Scene::activate() {
    if (!test::isMadeActive(studio_.window())) {
        throw std::runtime_error("the window is not active");
    }
}

void Scene::hidePanelsBelow() {
    for (auto* dock : studio_.window().findChildren<QDockWidget*>()) {
        if (studio_.window().dockWidgetArea(dock) == Qt::BottomDockWidgetArea) {
            dock->hide();
        }
    }
}

QWidget& Scene::middle() {
    return hands_.widget("centre");
}

void Scene::keep(QWidget& shown, const QString& name, const std::function<QWidget*()>& open) {
    const auto use = [this](const QString& scheme) {
        studio_.window().actions().at("view." + scheme.toStdString()).trigger();
    };
    for (const QString& scheme : test::lookedAtSchemes()) {
        use(scheme);
        waitForRest(shown);
        QWidget* over = open();  // the offscreen platform lets it go with the next event
        if (!over) {
            waitForRest(shown);
        }
        const QString file =
            name + (scheme == "light" ? QString() : "_" + scheme) + suffixOfProcess();
        const QStringList problems = test::textProblems(shown);
        QVERIFY2(problems.isEmpty(), qPrintable(file + ": " + problems.join("; ")));
        test::keepScreenshot(shown, file, over);
    }
    use("light");
}

constexpr int kPatience = 60000;
constexpr int kLaidOut = 300;    ///< milliseconds
constexpr double kEnlarged = 2;  ///< of images in the viewer

const QStringList kPrompts{"a cat on a yellow background",
                           "two red apples on a white background",
                           "a rocket on a black background",
                           "a large sunflower on a green background",
                           "a panda on a pink background",
                           "a small house on a blue background",
                           "a frog on a purple background",
                           "a moon on a black background",
                           "a penguin on a white background",
                           "a robot on a yellow background",
                           "a strawberry on a pink background",
                           "a dog on a blue background"};
constexpr int kFewFrom = 7;  ///< as many as are compared, where no page shows the gallery

}  // namespace

class ScenesTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void studio();
    void gallery();
    void compare();
    void identical();
    void mask();
    void frame();
    void sheet();
    void prompt();
    void precision();
    void measured();
    void held();
    void queue();
    void log();
    void models();
    void memory();
    void plan();
    void presets();
    void report();
    void settings();
    void imported();

    void cleanupTestCase();

private:
    [[nodiscard]] QMainWindow& window() { return studio_->window(); }

    [[nodiscard]] Viewer& viewer() { return studio_->controller().widgets().viewer; }

    /// Nothing lies over the image.
    void closeNotices() {
        for (auto* button : studio_->controller().widgets().notices.findChildren<QToolButton*>()) {
            while (button->isVisible()) {
                button->click();
            }
        }
    }

    void act(const char* action) { studio_->window().actions().at(action).trigger(); }

    void view(const QString& file);
    void compareFiles(const QString& left, const QString& right);
    void chooseValues(QDialog& dialog, const char* axis, const char* item, const char* values);

    QTemporaryDir folder_;
    std::unique_ptr<StudioSession> studio_;
    std::unique_ptr<Scene> scene_;
    QStringList images_;  ///< of the gallery's prompts
};

/// Paths are relative, so that no image shows where the machine has them.
void ScenesTest::initTestCase() {
    QApplication::setCursorFlashTime(0);
    QVERIFY(QDir::setCurrent(folder_.path()));
    QVERIFY(QDir().mkpath("Models/checkpoints"));
    testing::writeFile("Lowtide/wildcards/colour.txt", "green\nblue\npink\n");
    const QDir hollow(hollowXlFolder());
    for (const QString& name : hollow.entryList({"*.safetensors"})) {
        QVERIFY(QFile::link(hollow.filePath(name), "Models/checkpoints/" + name));
    }
    studio_ = std::make_unique<StudioSession>("Lowtide", QString(), QStringList("Models"));
    QVERIFY(studio_->isReady());
    act("view.filmstrip");
    scene_ = std::make_unique<Scene>(*studio_);
}

void ScenesTest::cleanupTestCase() {
    if (studio_ && studio_->workspace().run.isBusy()) {
        act("run.cancel");
        scene_->waitForRuns();
    }
    studio_.reset();
}

void ScenesTest::view(const QString& file) {
    QSignalSpy shown(&viewer(), &Viewer::shown);
    viewer().showFile(file);
    QVERIFY(shown.wait(kPatience));
    scene_->showPanel("memory");
    scene_->hidePanelsBelow();
    act("view.viewer");
}

/// Steps 2 and 3 of the README's minute.
void ScenesTest::studio() {
    scene_->openPreset("builtin:text_to_image");
    scene_->hands().clickNode("denoise");
    scene_->hands().typeValue("memory", "text", "leaf+stream");
    scene_->run();
    scene_->waitForPlan();
    closeNotices();
    studio_->controller().widgets().canvas.invoke("view.fit_all");
    studio_->controller().widgets().canvas.setFocus();
    scene_->keep(window(), "studio");
}

void ScenesTest::gallery() {
    const size_t before = studio_->workspace().queue.runs().size();
    const QStringList prompts = test::keepsScreenshots() ? kPrompts : kPrompts.mid(kFewFrom);
    studio_->workspace().run.runPrompts({"encode", "prompt"}, prompts, SeveralSeeds::AsNodesSet);
    studio_->workspace().run.finishAsked();
    scene_->waitForRuns();
    const auto& runs = studio_->workspace().queue.runs();
    QCOMPARE(runs.size(), before + static_cast<size_t>(prompts.size()));
    for (auto run = runs.end() - prompts.size(); run != runs.end(); ++run) {
        QCOMPARE(run->state, RunState::Finished);
        images_ << run->files.front();
    }
    closeNotices();
    scene_->hidePanelsBelow();
    act("view.gallery");
    Gallery& gallery = *studio_->controller().widgets().gallery;
    QTRY_VERIFY_WITH_TIMEOUT(gallery.files().size() > images_.size(), kPatience);
    gallery.select(images_.back());
    scene_->keep(scene_->middle(), "gallery");
}

/// Two images of one graph, the wipe between them.
void ScenesTest::compare() {
    scene_->showPanel("memory");
    act("view.viewer");
    compareFiles(images_.at(0), images_.at(4));
    scene_->keep(scene_->middle(), "compare");
}

/// Case 1: runs with a step cache and another policy, whose images are the same.
void ScenesTest::identical() {
    scene_->openPreset("builtin:text_to_image_speed");
    scene_->setPolicy("denoise", "model");
    const QString first = scene_->run().files.front();
    scene_->setPolicy("denoise", "none");
    const QueuedRun second = studio_->runToEnd("run.anew");
    QCOMPARE(second.state, RunState::Finished);
    closeNotices();
    compareFiles(first, second.files.front());
    viewer().view().setWay(CompareWay::Difference);
    QTRY_VERIFY_WITH_TIMEOUT(!viewer().findChild<QLabel*>("apart")->text().isEmpty(), kPatience);
    scene_->keep(scene_->middle(), "identical");
    viewer().view().setWay(CompareWay::Wipe);
}

void ScenesTest::mask() {
    scene_->hidePanelsBelow();
    view(images_.back());
    viewer().retouching().begin(Retouching::Work::Mask);
    QTRY_VERIFY_WITH_TIMEOUT(viewer().retouching().maskTool(), kPatience);
    viewer().view().zoomTo(kEnlarged);
    stroke(viewer().view(), {72, 56}, {80, 68});
    stroke(viewer().view(), {80, 58}, {74, 66});
    scene_->keep(scene_->middle(), "mask");
    viewer().retouching().end();
}

void ScenesTest::frame() {
    view(images_.back());
    viewer().retouching().begin(Retouching::Work::Frame);
    QVERIFY(viewer().retouching().frameTool());
    viewer().view().zoomTo(kEnlarged);
    stroke(viewer().view(), {128, 64}, {160, 64});
    stroke(viewer().view(), {0, 64}, {-32, 64});
    scene_->keep(scene_->middle(), "frame");
    viewer().retouching().end();
}

void ScenesTest::compareFiles(const QString& left, const QString& right) {
    viewer().compareFiles(left, right);
    QTRY_VERIFY_WITH_TIMEOUT(viewer().path() == left && viewer().view().isComparing(), kPatience);
    viewer().view().zoomTo(kEnlarged);
    act("view.viewer");
}

void ScenesTest::chooseValues(QDialog& dialog,
                              const char* axis,
                              const char* item,
                              const char* values) {
    auto& editor = *dialog.findChild<AxisEditor*>(QLatin1String(axis));
    const std::vector<SheetItem> items =
        sheetItems(studio_->model().document(), studio_->model().catalog());
    const auto wanted = std::find_if(items.begin(), items.end(), [&](const SheetItem& each) {
        return each.node == "denoise" && each.item == item;
    });
    QVERIFY(wanted != items.end());
    editor.choose(static_cast<int>(wanted - items.begin()));
    editor.findChild<QLineEdit*>("numbers")->setText(values);
}

void ScenesTest::sheet() {
    scene_->openPreset("builtin:text_to_image");
    SheetView& sheet = *studio_->controller().widgets().sheet;
    const RunKey before = sheet.sheet();
    answerDialog("sheet", [this](QDialog& dialog) {
        chooseValues(dialog, "x", "steps", test::keepsScreenshots() ? "4, 8, 20" : "1, 2");
        chooseValues(dialog, "y", "cfg", "1, 3, 7");
        dialog.findChild<QPushButton*>("run")->click();
    });
    act("run.sheet");
    QTRY_VERIFY_WITH_TIMEOUT(sheet.sheet() != before, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!sheet.table().sheet().image.isEmpty(), kPatience);
    closeNotices();
    sheet.setCurrentCell(5);
    scene_->keep(scene_->middle(), "sheet");
}

/// A weight, alternatives, a wildcard, and words that are offered.
void ScenesTest::prompt() {
    act("view.reset");
    act("view.graph");
    scene_->openPreset("builtin:text_to_image");
    scene_->setParam("encode", "weights", "a1111");
    PromptLibrary& prompts = studio_->workspace().prompts;
    prompts.styles().put(
        {.name = "stained glass", .prompt = "{prompt}, stained glass", .negative = {}});
    prompts.styles().put({.name = "storybook", .prompt = "{prompt}, simple, cute", .negative = {}});
    prompts.readOwnWords();
    QTRY_VERIFY_WITH_TIMEOUT(prompts.wordsFor("sto", 9).size() == 1, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(prompts.wildcards()->lists.contains("colour"), kPatience);
    scene_->hands().clickNode("encode");
    QWidget& field = scene_->hands().widget("prompt", &scene_->hands().widget("inspectorParams"));
    auto& text = *field.findChild<QPlainTextEdit*>("prompt");
    text.setFocus();
    text.selectAll();
    QTest::keyClicks(&text, "(a fox:1.3), {small|large}, on a __colour__ background, st");
    // The offscreen platform's screen is small, and lists remain on the screen.
    const QRect screen = window().screen()->availableGeometry();
    window().move(screen.right() - window().width(), screen.top());
    const auto offer = [&]() -> QWidget* {
        scene_->activate();
        text.setFocus();
        QTest::keyClick(&text, Qt::Key_Backspace);
        QTest::keyClick(&text, Qt::Key_T);
        return text.findChild<QListWidget*>("completion");
    };
    scene_->keep(studio_->controller().widgets().inspector, "prompt", offer);
    QTest::keyClick(&text, Qt::Key_Escape);
    window().move(screen.topLeft());
}

/// Case 5: every switch that the preset sets.
void ScenesTest::precision() {
    scene_->openPreset("builtin:text_to_image");
    studio_->model().apply("Precision", [](graph::Document& document) {
        document.nodes.at("denoise").precision = "speed";
    });
    scene_->hands().clickNode("denoise");
    scene_->waitForPlan();
    QWidget& inspector = studio_->controller().widgets().inspector;
    auto& fold = dynamic_cast<Fold&>(scene_->hands().widget("precision", &inspector));
    fold.setOpen(true);
    dynamic_cast<QToolButton&>(scene_->hands().widget("switches", &fold)).click();
    auto& scroll = dynamic_cast<QScrollArea&>(scene_->hands().widget("inspectorScroll"));
    QTRY_VERIFY(scroll.verticalScrollBar()->maximum() > 0);
    QTest::qWait(kLaidOut);
    scroll.verticalScrollBar()->setValue(scroll.verticalScrollBar()->maximum());
    scene_->keep(inspector, "precision");
    fold.setOpen(false);
}

/// Case 4: what streamed and whether it came in time.
void ScenesTest::measured() {
    scene_->openPreset("builtin:text_to_image");
    scene_->runOn("fake:4GiB");
    scene_->setPolicy("denoise", "leaf+stream");
    scene_->run();
    scene_->waitForPlan();
    closeNotices();
    QWidget& panel = scene_->floatPanel("memory", {840, 720});
    panel.findChild<Fold*>("details")->setOpen(true);
    scene_->keep(panel, "measured");
    panel.findChild<Fold*>("details")->setOpen(false);
    act("view.reset");
}

/// Case 2: after a part of the graph nothing is left on the GPU.
void ScenesTest::held() {
    scene_->openPreset("builtin:text_to_image");
    scene_->runOn("fake:8GiB");
    scene_->setParam("encode", "prompt", "a star on a purple background");
    scene_->hands().clickNode("encode");
    QCOMPARE(studio_->runToEnd("run.here").state, RunState::Finished);
    scene_->waitForPlan();
    closeNotices();
    scene_->keep(scene_->floatPanel("memory", {760, 340}), "held");
    act("view.reset");
}

/// Runs that wait while the queue is held back, and those of before.
void ScenesTest::queue() {
    scene_->openPreset("builtin:text_to_image");
    scene_->runOn("cpu");
    act("run.pause");
    studio_->workspace().run.runPrompts(
        {"encode", "prompt"}, kPrompts.mid(0, 3), SeveralSeeds::Counting);
    studio_->workspace().run.finishAsked();
    scene_->keep(scene_->floatPanel("queue", {560, 420}), "queue");
    act("view.reset");
    act("run.stop_after");
    act("run.pause");
    scene_->waitForRuns();
}

/// Case 3: a line for each collection.
void ScenesTest::log() {
    const QByteArray text = contentsOf(sourcePath("examples/graphs/control_nodes.json"));
    studio_->model().apply("Open", [&](graph::Document& document) {
        document = graph::parseDocument(text.toStdString());
        document.lowMemory = "on";
    });
    scene_->runOn("fake:8GiB");
    QWidget& panel = scene_->floatPanel("log", {1400, 180});
    QTest::mouseClick(&scene_->hands().widget("clearLog", &panel), Qt::LeftButton);
    scene_->run();
    closeNotices();
    scene_->keep(panel, "log");
    act("view.reset");
}

/// Published checkpoints at their true sizes, headers alone.
void ScenesTest::models() {
    QWidget& panel = scene_->floatPanel("models", {420, 640});
    auto& list = dynamic_cast<QTreeWidget&>(scene_->hands().widget("models", &panel));
    QTRY_VERIFY_WITH_TIMEOUT(list.topLevelItemCount() == 3 &&
                                 !list.topLevelItem(0)->text(ModelColumn::Verdict).isEmpty(),
                             kPatience);
    list.setCurrentItem(list.topLevelItem(0));
    scene_->keep(panel, "models");
    act("view.reset");
}

/// A model for a card of 24 GiB, rehearsed on one of 6.
void ScenesTest::memory() {
    scene_->openPreset("builtin:sdxl");
    studio_->model().apply("For another card", [](graph::Document& document) {
        document.nodes.at("latent").params["batch"] = 4;
        document.nodes.at("denoise").memory = "none";
    });
    scene_->runOn("fake:6GiB");
    QWidget& panel = scene_->floatPanel("memory", {840, 280});
    scene_->waitForPlan();
    scene_->keep(panel, "memory");
    act("view.reset");
}

/// What the button of that refusal makes of it.
void ScenesTest::plan() {
    QWidget& refused = scene_->floatPanel("memory", {840, 300});
    QTest::mouseClick(&scene_->hands().widget("fix_0", &refused), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(studio_->workspace().planning.planned().plan.is_object(), kPatience);
    scene_->waitForPlan();
    act("view.reset");
    scene_->keep(scene_->floatPanel("memory", {840, 300}), "plan");
    act("view.reset");
}

void ScenesTest::presets() {
    scene_->openPreset("builtin:text_to_image");
    scene_->runOn("cpu");
    QWidget& panel = scene_->floatPanel("presets", {420, 720});
    dynamic_cast<QAbstractItemView&>(scene_->hands().widget("presetCards", &panel)).scrollToTop();
    scene_->keep(panel, "presets");
    act("view.reset");
}

void ScenesTest::report() {
    answerDialog("reportProblem", [this](QDialog& dialog) {
        auto* text = dialog.findChild<QPlainTextEdit*>("reportDescription");
        text->setPlainText("The image is grey since I chose the precision speed.");
        scene_->keep(dialog, "report");
        dialog.reject();
    });
    act("help.report");
}

void ScenesTest::settings() {
    answerDialog("settings", [this](QDialog& dialog) {
        const auto theme = [&]() -> QWidget* {
            auto* box = dialog.findChild<QComboBox*>("theme");
            box->setCurrentIndex(
                box->findData(studio_->workspace().settings().preferences().theme));
            return nullptr;
        };
        scene_->keep(dialog, "settings", theme);
        dialog.reject();
    });
    act("edit.settings");
}

/// A workflow of ComfyUI: its group, the notice, and what became of each node.
void ScenesTest::imported() {
    closeNotices();
    testing::writeFile("portrait.json", QByteArray::fromStdString(mixedWorkflow()));
    QVERIFY(test::openPath(studio_->controller().files(), "portrait.json"));
    IssuesPanel& issues = studio_->controller().widgets().issues;
    QTRY_VERIFY_WITH_TIMEOUT(issues.isVisible() && issues.report().contains("portrait.png"),
                             kPatience);
    studio_->controller().widgets().canvas.setFocus();
    scene_->keep(window(), "imported");
}

LOWTIDE_JOURNEY(ScenesTest)

}  // namespace scenes_test

#include "scenes_test.moc"
