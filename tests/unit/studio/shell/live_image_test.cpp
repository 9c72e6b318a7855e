// What is seen of an image while it is made, and after.

#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/bridge/coloured_video.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/scene_items.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/playback.hpp"
#include "ui/panels/viewer.hpp"

#include <semaphore>

namespace live_image_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kLatentSide = 8;
constexpr int kScale = 8;
constexpr int kSide = kLatentSide * kScale;
constexpr uint8_t kBright = 230;
const QColor kPreviewColour(kBright, 0, 0);
const QColor kResultColour(0, kBright, 0);

Image8 plain(int side, const QColor& colour) {
    const auto bytes = static_cast<size_t>(side * side * 3);
    auto pixels = std::make_shared<uint8_t[]>(bytes);
    for (size_t i = 0; i < bytes; i += 3) {
        pixels[i] = static_cast<uint8_t>(colour.red());
        pixels[i + 1] = static_cast<uint8_t>(colour.green());
        pixels[i + 2] = static_cast<uint8_t>(colour.blue());
    }
    return {.widthPixels = side, .heightPixels = side, .pixels = std::move(pixels)};
}

void announce(ScriptedRunner::Stage& stage, const char* node, int side, std::optional<int> done) {
    Json event = {{"event", "nodePreview"},
                  {"node", node},
                  {"width", side},
                  {"height", side},
                  {"live", done.has_value()}};
    if (done) {
        event.update({{"done", *done}, {"total", 20}, {"scale", kScale}});
    }
    stage.send(event);
}

/// Shows step 3 of 20, waits until it is let go or cancelled, then makes the image once the end
/// of denoising was seen.
Json makesAnImage(ScriptedRunner::Stage& stage, std::counting_semaphore<>& isSeen) {
    const auto showMessage = [&](const char* kind, const char* node) {
        stage.send({{"event", kind}, {"node", node}, {"repetition", 1}, {"ms", 5}});
    };
    stage.send({{"event", "runStarted"}, {"nodes", {"denoise", "save"}}, {"repetitions", 1}});
    showMessage("nodeStarted", "denoise");
    announce(stage, "denoise", kLatentSide, 3);
    stage.show("denoise", plain(kLatentSide, kPreviewColour));
    stage.waitAtGate();
    if (stage.cancelled() != CancelMode::No) {
        return {{"status", "cancelled"}, {"executed", 0}};
    }
    showMessage("nodeFinished", "denoise");
    isSeen.acquire();
    showMessage("nodeStarted", "save");
    announce(stage, "save", kSide, {});
    stage.show("save", plain(kSide, kResultColour));
    showMessage("nodeFinished", "save");
    return {{"status", "ok"}, {"executed", 2}};
}

/// A window whose graph is run by that script.
struct Making : Working {
    Making() {
        model().apply("Only one text", [](graph::Document& document) {
            document.nodes.at("denoise").params["seed"] = 1;
        });
        plugin.script().setScript(
            graph::toText(model().document()),
            [seen = isSeen](ScriptedRunner::Stage& stage) { return makesAnImage(stage, *seen); });
        window->resize(1400, 900);
    }

    ~Making() {
        plugin.script().openGate();
        isSeen->release(2);
    }

    [[nodiscard]] const NodeStatus& of(const char* node) { return work().statuses.of(node); }

    [[nodiscard]] NodeItem& item(const char* node) {
        return *dynamic_cast<GraphScene*>(widgets().canvas.scene())->node(node);
    }

    /// The middle of the image in a node, in the canvas.
    [[nodiscard]] QPoint imageOn(const char* node) {
        GraphView& canvas = widgets().canvas;
        canvas.reveal(node);
        return canvas.mapFromScene(item(node).pos() + item(node).layout().nodeImage.center());
    }

    [[nodiscard]] QColor paintedOn(const char* node) {
        const QPoint point = imageOn(node);
        return widgets().canvas.viewport()->grab().toImage().pixelColor(
            point * window->devicePixelRatioF());
    }

    [[nodiscard]] Viewer& viewer() { return widgets().viewer; }

    [[nodiscard]] QString title() { return viewer().findChild<QLabel*>("viewerTitle")->text(); }

    /// The middle of the image in the viewer.
    [[nodiscard]] QColor shown() {
        ImageView& view = viewer().view();
        const QPoint middle = view.positionOf(QPointF(kSide, kSide) / 2).toPoint();
        return view.grab().toImage().pixelColor(middle * window->devicePixelRatioF());
    }

    void click(const char* node) {
        QTest::mouseClick(
            widgets().canvas.viewport(), Qt::LeftButton, Qt::NoModifier, imageOn(node));
    }

    void begin() {
        action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(of("denoise").step, kPatience);
    }

    void end() {
        plugin.script().openGate();
        QTRY_COMPARE_WITH_TIMEOUT(of("denoise").activity, NodeActivity::Finished, kPatience);
        isSeen->release();
        QTRY_VERIFY_WITH_TIMEOUT(!work().run.isBusy(), kPatience);
    }

    std::shared_ptr<std::counting_semaphore<>> isSeen =
        std::make_shared<std::counting_semaphore<>>(0);
};

bool isAlike(const QColor& a, const QColor& b) {
    constexpr int kNear = 12;
    return std::abs(a.red() - b.red()) < kNear && std::abs(a.green() - b.green()) < kNear &&
           std::abs(a.blue() - b.blue()) < kNear;
}

}  // namespace

class LiveImageTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theNodeAndTheViewerShowWhatIsMade() {
        Making studio;
        studio.begin();

        QCOMPARE(studio.of("denoise").nodeImage.size(), QSize(kSide, kSide));
        QCOMPARE(studio.of("denoise").step->done, 3);
        QVERIFY(isAlike(studio.paintedOn("denoise"), kPreviewColour));
        QVERIFY(studio.viewer().isLive());
        QCOMPARE(studio.title(), QString("Preview of Denoise, step 3 of 20"));
        test::keepScreenshot(*studio.window, "live_picture");
        studio.end();

        for (const char* node : {"denoise", "save"}) {
            QVERIFY(!studio.of(node).step);
            QVERIFY2(isAlike(studio.paintedOn(node), kResultColour), node);
        }
        QVERIFY(!studio.viewer().isLive());
        QVERIFY2(studio.title().endsWith("seed 1"), qPrintable(studio.title()));
        QVERIFY(isAlike(studio.shown(), kResultColour));
    }

    /// A decoder may be done before the window has looked at the end of denoising.
    void theResultShowsAlsoWhereAllComesAtOnce() {
        Making studio;
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "before");
        studio.begin();
        studio.isSeen->release();
        studio.plugin.script().openGate();
        QTest::qSleep(300);  // nothing is looked at meanwhile
        QTRY_VERIFY_WITH_TIMEOUT(!studio.work().run.isBusy(), kPatience);

        QVERIFY(!studio.viewer().isLive());
        QVERIFY2(studio.title().endsWith("seed 1"), qPrintable(studio.title()));
    }

    void aRunThatIsCancelledLeavesWhatWasThereBefore() {
        Making studio;
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "before");
        studio.begin();
        QVERIFY(studio.viewer().isLive());

        studio.action("run.cancel").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.work().run.isBusy(), kPatience);

        QVERIFY(studio.of("denoise").nodeImage.isNull());
        QVERIFY(studio.item("denoise").layout().nodeImage.isNull());
        QVERIFY(!studio.viewer().isLive());
        QCOMPARE(studio.title(), QString("before"));
    }

    void theSettingTakesItAwayAtOnce() {
        Making studio;
        studio.begin();
        QCOMPARE(studio.work().queue.running()->options.at("previews"), Json(true));

        studio.settings.change([](Preferences& preferences) { preferences.showsPreviews = false; });
        QVERIFY(studio.of("denoise").nodeImage.isNull());
        QVERIFY(!studio.viewer().isLive());
        studio.end();
        QVERIFY(isAlike(studio.paintedOn("save"), kResultColour));

        studio.action("run.start").trigger();
        const RunQueue& queue = studio.work().queue;
        QTRY_COMPARE_WITH_TIMEOUT(queue.runs().size(), 2U, kPatience);
        QVERIFY(!queue.runs().back().options.contains("previews"));
    }

    void withoutPreviewsOnlyOutputsHaveImages() {
        Making studio;
        studio.settings.change([](Preferences& preferences) { preferences.showsPreviews = false; });
        studio.plugin.script().setScript(graph::toText(studio.model().document()),
                                         [](ScriptedRunner::Stage& stage) {
                                             for (const char* node : {"decode", "save"}) {
                                                 announce(stage, node, kSide, {});
                                                 stage.show(node, plain(kSide, kResultColour));
                                             }
                                             return Json{{"status", "ok"}, {"executed", 2}};
                                         });
        studio.action("run.start").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!studio.of("save").nodeImage.isNull(), kPatience);

        QVERIFY(studio.of("decode").nodeImage.isNull());
    }

    void theViewerKeepsTwoImagesThatAreCompared() {
        Making studio;
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "left");
        studio.viewer().findChild<QToolButton*>("compare")->click();
        studio.begin();
        QVERIFY(!studio.viewer().isLive());
        QCOMPARE(studio.title(), QString("left"));
    }

    void theViewerKeepsAnImageThatWasChosenMeanwhile() {
        Making studio;
        QImage saved(kSide, kSide, QImage::Format_RGB888);
        saved.fill(kResultColour);
        const QString path = studio.folder.filePath("saved.png");
        QVERIFY(saved.save(path));
        studio.begin();
        QVERIFY(studio.viewer().isLive());
        NodeStatuses& statuses = studio.work().statuses;
        statuses.take({{"event", "nodeFinished"},
                       {"node", "save"},
                       {"ms", 5},
                       {"files", {path.toStdString()}}});
        statuses.takeImage("save", {saved.scaled(8, 8)});

        studio.click("save");
        QTRY_COMPARE_WITH_TIMEOUT(studio.title(), QString("saved.png"), kPatience);
        statuses.takeImage("denoise",
                           {QImage(8, 8, QImage::Format_RGB32), ImageStep{.done = 4, .total = 20}});
        QCOMPARE(studio.title(), QString("saved.png"));
        studio.end();
        QCOMPARE(studio.title(), QString("saved.png"));
        // The next run is followed again.
        QVERIFY(studio.viewer().findChild<QToolButton*>("follow")->isChecked());
    }

    void aClickOnTheImageOpensTheViewer() {
        Making studio;
        studio.begin();
        studio.end();
        studio.viewer().showImage(QImage(4, 4, QImage::Format_RGB32), "another");
        QVERIFY(!studio.viewer().isVisible());

        studio.click("save");

        QVERIFY(studio.viewer().isVisible());
        QVERIFY(isAlike(studio.shown(), kResultColour));
        test::keepScreenshot(*studio.window, "picture_opened");
    }

    void aClickOnAnImageThatWasSavedOpensItsFile() {
        Making studio;
        QImage saved(kSide, kSide, QImage::Format_RGB888);
        saved.fill(kResultColour);
        const QString path = studio.folder.filePath("saved.png");
        QVERIFY(saved.save(path));
        NodeStatuses& statuses = studio.work().statuses;
        statuses.take({{"event", "nodeFinished"},
                       {"node", "save"},
                       {"ms", 5},
                       {"files", {path.toStdString()}}});
        statuses.takeImage("save", {saved.scaled(8, 8)});

        studio.click("save");

        QTRY_COMPARE_WITH_TIMEOUT(studio.title(), QString("saved.png"), kPatience);
        QVERIFY(studio.viewer().isVisible());
    }

    void aClickOnAVideoThatWasSavedPlaysIt_byItsKeys() {
        Making studio;
        const QString path = studio.folder.filePath("saved.png");
        testing::writeColours(path, "png", 12);
        NodeStatuses& statuses = studio.work().statuses;
        statuses.take({{"event", "nodeFinished"},
                       {"node", "save"},
                       {"ms", 5},
                       {"files", {path.toStdString()}}});
        statuses.takeImage("save", {QImage(8, 8, QImage::Format_RGB32)});

        studio.click("save");
        auto* bar = studio.viewer().findChild<FrameBar*>();
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
        ImageView& view = studio.viewer().view();
        QTest::mouseClick(&view, Qt::LeftButton);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(bar->frame(), 1);
        QTest::keyClick(&view, Qt::Key_Space);
        QVERIFY(bar->isPlaying());
        QTRY_VERIFY_WITH_TIMEOUT(bar->frame() > 2, kPatience);
        test::keepScreenshot(*studio.window, "video_opened");
        studio.action("view.graph").trigger();
        QVERIFY(!bar->isPlaying());
    }

    void aChosenImageIsSeenBeforeARun() {
        Making studio;
        QImage chosen(2 * kSide, kSide, QImage::Format_RGB888);
        chosen.fill(kResultColour);
        QVERIFY(chosen.save(studio.folder.filePath("fox.png")));
        const auto choose = [&](const std::string& file) {
            studio.model().apply("choose", [&](graph::Document& document) {
                document.nodes["input"] = {.type = "load.image", .params = {{"image", file}}};
            });
        };
        const NodeStatuses& statuses = studio.work().statuses;

        choose(studio.folder.filePath("fox.png").toStdString());
        QTRY_VERIFY_WITH_TIMEOUT(!statuses.of("input").nodeImage.isNull(), kPatience);
        QVERIFY(isAlike(statuses.of("input").nodeImage.pixelColor(4, 4), kResultColour));
        QCOMPARE(statuses.of("input").shownSize, chosen.size());

        choose(studio.folder.filePath("gone.png").toStdString());
        QTRY_VERIFY_WITH_TIMEOUT(statuses.of("input").nodeImage.isNull(), kPatience);
        studio.model().undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(!statuses.of("input").nodeImage.isNull(), kPatience);
        choose("");
        QVERIFY(statuses.of("input").nodeImage.isNull());
    }
};

LOWTIDE_WINDOW_TEST(LiveImageTest)

}  // namespace live_image_test

#include "live_image_test.moc"
