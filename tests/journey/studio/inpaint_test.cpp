// A part of an image is made again, from the image to the result, with the real module.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/in_process.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/document/inpainting.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/frame_tool.hpp"
#include "ui/panels/gallery.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/retouching.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>

namespace inpaint_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 60000;

/// Pixels that differ, and how many of those the mask leaves out.
struct Compared {
    int different = 0;
    int differentOutside = 0;
    int masked = 0;
};

Compared compare(const QImage& before, const QImage& after, const QImage& mask) {
    Compared compared;
    for (int y = 0; y < before.height(); ++y) {
        for (int x = 0; x < before.width(); ++x) {
            const bool isMasked = mask.constScanLine(y)[x] > 0;
            const bool differs = before.pixel(x, y) != after.pixel(x, y);
            compared.masked += isMasked ? 1 : 0;
            compared.different += differs ? 1 : 0;
            compared.differentOutside += differs && !isMasked ? 1 : 0;
        }
    }
    return compared;
}

QString firstIssueIn(const QueuedRun& run) {
    return run.issues.empty() ? QString("no issue")
                              : QString::fromStdString(run.issues.front().message.str());
}

QImage rgb(const QString& path) {
    return QImage(path).convertToFormat(QImage::Format_RGB888);
}

int nodesOfType(const GraphModel& model, const char* type) {
    const auto& nodes = model.document().nodes;
    return static_cast<int>(std::count_if(
        nodes.begin(), nodes.end(), [&](const auto& entry) { return entry.second.type == type; }));
}

}  // namespace

class InpaintTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
        studio_->window().resize(1500, 950);
        fewSteps();
    }

    void init() {
        test::failOnQtWarnings();

        beginWatch();
    }

    void cleanup() { endWatch(); }

    /// From an image of the gallery, with the graph that made it open: a prompt is typed as well.
    void anEyeIsInpaintedInEightClicks() {
        const QueuedRun first = Hands(*studio_).run();
        QVERIFY2(first.state == RunState::Finished, qPrintable(firstIssueIn(first)));
        const QImage before = rgb(first.files.front());
        studio_->window().findChild<QTabWidget*>("centre")->setCurrentIndex(0);
        const int steps = studio_->model().undoStack().index();
        Gallery& gallery = *studio_->controller().widgets().gallery;

        Hands hands(*studio_);
        Clicks clicks(*studio_);
        clicks.onTab("Gallery");
        QTRY_VERIFY_WITH_TIMEOUT(gallery.files().contains(first.files.front()), kPatience);
        auto& list = *gallery.findChild<QListView*>("pictures");
        clicks.twiceOnRow(list, list.model()->index(0, 0));
        auto& paint = dynamic_cast<QToolButton&>(hands.widget("paintMask"));
        QTRY_VERIFY_WITH_TIMEOUT(paint.isEnabled(), kPatience);
        clicks.on(paint);
        QTRY_VERIFY_WITH_TIMEOUT(retouching().maskTool(), kPatience);
        const QSizeF size = before.size();
        clicks.stroke(view(),
                      {size.width() * 0.3, size.height() * 0.35},
                      {size.width() * 0.42, size.height() * 0.36});
        const QImage mask = retouching().maskTool()->canvas().mask();
        test::keepScreenshot(studio_->window(), "inpaint_mask");
        QTRY_COMPARE(test::textProblems(studio_->window()).join("; "), QString());
        clicks.on(hands.widget("maskUse"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
        hands.press("view.generate");
        clicks.on(hands.widget("prompt"));
        QTest::keyClicks(QApplication::focusWidget(), "a green eye, ");
        test::keepScreenshot(studio_->window(), "inpaint_graph");
        const QueuedRun filled = [&] {
            quint64 ended = 0;
            const auto connection =
                connect(&studio_->workspace().queue, &RunQueue::ended, this, [&](quint64 id) {
                    ended = id;
                });
            clicks.on(hands.widget("run"));
            [&] { QTRY_VERIFY_WITH_TIMEOUT(ended != 0, kPatience); }();
            disconnect(connection);
            const QueuedRun* run = studio_->workspace().queue.find(ended);
            return run ? *run : QueuedRun();
        }();
        QVERIFY2(filled.state == RunState::Finished, qPrintable(firstIssueIn(filled)));
        QVERIFY2(clicks.count() <= 8, qPrintable(QString::number(clicks.count())));
        qInfo("an eye was inpainted with %d clicks", clicks.count());

        result_ = filled.files.front();
        const QImage after = rgb(result_);
        QCOMPARE(after.size(), before.size());
        const Compared compared = compare(before, after, mask);
        QVERIFY(compared.masked > 0 && compared.masked < before.width() * before.height() / 4);
        QCOMPARE(compared.differentOutside, 0);
        QVERIFY2(compared.different > compared.masked / 2,
                 qPrintable(QString("%1 of %2").arg(compared.different).arg(compared.masked)));
    }

    /// The graph has what it needs already: its files are other ones, in one step.
    void theSecondMaskReplacesTheFirst() {
        QVERIFY(!result_.isEmpty());
        const QString graph = folder_.filePath("portrait.json");
        QCOMPARE(test::saveAs(studio_->workspace().file, graph), QString());
        const size_t nodes = studio_->model().document().nodes.size();
        const int steps = studio_->model().undoStack().index();
        show(result_);
        startPainting();
        Hands hands(*studio_);
        Clicks clicks(*studio_);
        const QSizeF size = retouching().maskTool()->canvas().mask().size();
        clicks.stroke(view(),
                      {size.width() * 0.6, size.height() * 0.7},
                      {size.width() * 0.8, size.height() * 0.7});
        const QImage mask = retouching().maskTool()->canvas().mask();
        clicks.on(hands.widget("maskUse"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
        QCOMPARE(studio_->model().document().nodes.size(), nodes);
        const QDir files(folder_.filePath("portrait.files"));
        QCOMPARE(files.entryList({"mask-*.png"}).size(), 1);  // next to the graph
        const QueuedRun run = hands.run();
        QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
        const Compared compared = compare(rgb(result_), rgb(run.files.front()), mask);
        QCOMPARE(compared.differentOutside, 0);
        QVERIFY(compared.different > compared.masked / 2);
        QVERIFY(studio_->workspace().file.path() == graph);
        QCOMPARE(test::save(studio_->workspace().file), QString());
        const CommandResult command =
            runLowtide({"run", graph, "--out", folder_.filePath("command")});
        QVERIFY2(command.exitCode == 0, qPrintable(command.errors));
        QCOMPARE(rgb(command.output.trimmed()), rgb(run.files.front()));
    }

    /// The mask of what is new is there when the larger image is.
    void anExtendedImageIsFilled() {
        const QString dog = sourcePath("examples/pictures/dog.png");
        const QImage before = rgb(dog);
        show(dog);
        retouching().begin(Retouching::Work::Frame);
        FrameTool* tool = retouching().frameTool();
        QVERIFY(tool);
        Hands hands(*studio_);
        Clicks clicks(*studio_);
        clicks.stroke(view(),
                      {double(before.width()), before.height() / 2.0},
                      {before.width() + 32.0, before.height() / 2.0});
        QCOMPARE(tool->frame().rect(), QRect(0, 0, before.width() + 32, before.height()));
        QTRY_COMPARE(test::textProblems(studio_->window()).join("; "), QString());
        test::keepScreenshot(studio_->window(), "inpaint_extend");
        clicks.on(hands.widget("frameWrite"));
        QTRY_VERIFY_WITH_TIMEOUT(retouching().maskTool(), kPatience);
        const QImage mask = retouching().maskTool()->canvas().mask();
        const auto* line = retouching().maskPanel()->findChild<QLabel*>("maskTold");
        QVERIFY2(line->text().startsWith("What is new is masked"), qPrintable(line->text()));
        QCOMPARE(mask.width(), before.width() + 32);
        QCOMPARE(int(mask.constScanLine(0)[mask.width() - 1]), 255);
        const int steps = studio_->model().undoStack().index();
        clicks.on(hands.widget("maskUse"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
        const QueuedRun run = hands.run();
        QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
        const QImage after = rgb(run.files.front());
        QCOMPARE(after.size(), mask.size());
        QImage larger(mask.size(), QImage::Format_RGB888);
        larger.fill(0);
        QPainter(&larger).drawImage(0, 0, before);
        const Compared compared = compare(larger, after, mask);
        QCOMPARE(compared.differentOutside, 0);
        QVERIFY(compared.different > 0);
    }

    /// Sides that are no multiples go through a node that fits image and mask alike.
    void aPhotoOfAnySizeIsInpainted() {
        const QString photo = folder_.filePath("odd.png");
        QVERIFY(rgb(sourcePath("examples/pictures/dog.png"))
                    .scaled(101, 131, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                    .save(photo));
        studio_->model().setSaved();
        studio_->controller().files().newGraph();
        fewSteps();
        show(photo);
        startPainting();
        Hands hands(*studio_);
        Clicks clicks(*studio_);
        clicks.stroke(view(), {30, 60}, {60, 70});
        const int steps = studio_->model().undoStack().index();
        clicks.on(hands.widget("maskUse"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
        QCOMPARE(nodesOfType(studio_->model(), "image.fit"), 1);
        const QueuedRun run = hands.run();
        QVERIFY2(run.state == RunState::Finished, qPrintable(firstIssueIn(run)));
        QCOMPARE(rgb(run.files.front()).size(), QSize(96, 128));
        studio_->model().undoStack().undo();
        QCOMPARE(nodesOfType(studio_->model(), "load.image"), 0);
    }

    void ourGraphsFillTheMask_data() {
        QTest::addColumn<QString>("path");
        for (const char* folder : {"examples/graphs", "resources/presets"}) {
            const QDir graphs(sourcePath(folder));
            for (const QString& name : graphs.entryList({"*.json"})) {
                const QByteArray text = contentsOf(graphs.filePath(name));
                const bool isWhole =
                    text.contains("builtin:mini") && !text.contains(".safetensors");
                if (isWhole && !name.contains("video") && !name.startsWith("upscale")) {
                    QTest::newRow(qPrintable(name)) << graphs.filePath(name);
                }
            }
        }
    }

    /// Whatever graph is open: the module has nothing against it that it did not have before, and a
    /// second time nothing is added.
    void ourGraphsFillTheMask() {
        QFETCH(QString, path);
        const graph::Catalog& catalog = studio_->model().catalog();
        graph::Document document = graph::parseDocument(contentsOf(path).toStdString());
        const InpaintFiles files{.image = sourcePath("examples/pictures/dog.png").toStdString(),
                                 .mask = sourcePath("examples/pictures/dog_mask.png").toStdString(),
                                 .widthPixels = 64,
                                 .heightPixels = 64};
        const InpaintWired wired = wireInpainting(document, catalog, files);
        QCOMPARE(wired.refusal, InpaintWired::Refusal::None);
        const std::string text = graph::toText(document);
        // Where the other files that graphs and presets name are seen as from their own folders.
        QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("graphs"));
        QVERIFY(QFile::link(sourcePath("examples/pictures"), folder.filePath("pictures")));
        QVERIFY(QFile::link(sourcePath("resources/presets/pictures"),
                            folder.filePath("graphs/pictures")));
        const QString wiredPath = folder.filePath("graphs/wired.json");
        testing::writeFile(wiredPath, text.c_str());
        const CommandResult planned = runInProcess({"plan", wiredPath, "--device", "cpu"});
        QVERIFY2(planned.exitCode == 0, qPrintable(planned.errors));
        (void)wireInpainting(document, catalog, files);
        QCOMPARE(QString::fromStdString(graph::toText(document)), QString::fromStdString(text));
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] Retouching& retouching() {
        return studio_->controller().widgets().viewer.retouching();
    }

    [[nodiscard]] ImageView& view() { return studio_->controller().widgets().viewer.view(); }

    void show(const QString& path);

    void startPainting() {
        retouching().begin(Retouching::Work::Mask);
        QTRY_VERIFY_WITH_TIMEOUT(retouching().maskTool(), kPatience);
    }

    void fewSteps() {
        studio_->model().apply("Few steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
    }

    QTemporaryDir folder_;

    std::unique_ptr<StudioSession> studio_;

    QString result_;  ///< of the first run that filled a mask
};

void InpaintTest::show(const QString& path) {
    QSignalSpy shown(&studio_->controller().widgets().viewer, &Viewer::shown);
    studio_->controller().widgets().viewer.showFile(path);
    QVERIFY(shown.wait(kPatience));
    studio_->window().findChild<QTabWidget*>("centre")->setCurrentWidget(
        &studio_->controller().widgets().viewer);
}

LOWTIDE_JOURNEY(InpaintTest)

}  // namespace inpaint_test

#include "inpaint_test.moc"
