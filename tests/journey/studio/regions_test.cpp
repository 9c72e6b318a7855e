// Parts of an image follow prompts of their own, from the mouse to the result, with the real
// module.
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/journey/studio/clicks.hpp"
#include "tests/journey/studio/hands.hpp"
#include "ui/document/edits.hpp"
#include "ui/painting/mask_ops.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/mask_tool.hpp"
#include "ui/panels/retouching.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace regions_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 60000;
constexpr const char* kRed = "a red background";
constexpr const char* kGreen = "a green background";

QImage rgb(const QString& path) {
    return QImage(path).convertToFormat(QImage::Format_RGB888);
}

/// Mean difference of the levels of those pixels.
double differenceOf(const QImage& a,
                    const QImage& b,
                    const std::function<bool(int x, int y)>& isMeant) {
    double sum = 0;
    int pixels = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x) {
            if (isMeant(x, y)) {
                const QRgb one = a.pixel(x, y);
                const QRgb other = b.pixel(x, y);
                sum += std::abs(qRed(one) - qRed(other)) + std::abs(qGreen(one) - qGreen(other)) +
                       std::abs(qBlue(one) - qBlue(other));
                ++pixels;
            }
        }
    }
    return sum / std::max(1, pixels);
}

void add(graph::Document& document,
         const graph::Catalog& catalog,
         const std::string& id,
         const char* type,
         const Json& params = Json::object()) {
    const std::string made = addNode(document, *catalog.find(type), {0, 0});
    graph::DocumentNode node = document.nodes.at(made);
    document.nodes.erase(made);
    node.params.update(params);
    document.nodes[id] = node;
}

}  // namespace

class RegionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        studio_ = std::make_unique<StudioSession>(folder_.path());
        QVERIFY(studio_->isReady());
        studio_->window().resize(1500, 950);
        studio_->model().apply("Few steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 4;
        });
    }

    void init() {
        test::failOnQtWarnings();

        beginWatch();
    }

    void cleanup() { endWatch(); }

    /// A rectangle, and a part that is none, each with a prompt of its own.
    void twoPartsFollowPromptsOfTheirOwn() {
        const graph::Document before = studio_->model().document();
        show(run());
        startPainting();
        QTest::keyClick(&view(), Qt::Key_R);
        Clicks(*studio_).stroke(view(), {0, 0}, {64, 64});
        rest();
        QVERIFY(isRectangle(mask()));
        giveAPrompt(kRed);

        showViewer();
        startPainting();
        Hands hands(*studio_);
        Clicks(*studio_).on(hands.widget("maskAdd"));
        auto& list = dynamic_cast<QListWidget&>(hands.widget("maskList"));
        QTRY_COMPARE_WITH_TIMEOUT(list.count(), 2, kPatience);
        list.item(1)->setText("The corner");
        QTest::keyClick(&view(), Qt::Key_L);
        drawLasso({{120, 64}, {120, 120}, {64, 120}});
        rest();
        test::keepScreenshot(studio_->window(), "regions_masks");
        QTRY_COMPARE(test::textProblems(studio_->window()).join("; "), QString());
        const QImage corner = mask();
        QVERIFY(!isRectangle(corner) && !isBlank(corner));
        giveAPrompt(kGreen);
        QVERIFY(studio_->model().node(encoderOf(kGreen))->title == "The corner");
        test::keepScreenshot(studio_->window(), "regions_graph");

        const QImage made = rgb(run());
        QCOMPARE(made, runByCommand(byHand(before, corner)));
        const auto isRed = [](int x, int y) { return x < 64 && y < 64; };
        const auto isGreen = [&](int x, int y) { return corner.constScanLine(y)[x] > 127; };
        QVERIFY(changesMostly(made, encoderOf(kRed), isRed));
        QVERIFY(changesMostly(made, encoderOf(kGreen), isGreen));
    }

    /// The image of edges on the node is that which a run makes.
    void edgesAreSeenBeforeARun() {
        const std::string dog = sourcePath("examples/pictures/dog.png").toStdString();
        const graph::Catalog& catalog = studio_->model().catalog();
        studio_->model().apply("Edges", [&](graph::Document& document) {
            add(document, catalog, "photo", "load.image", {{"image", dog}});
            add(document, catalog, "edges", "control.canny", {{"low", 50}, {"high", 150}});
            ui::connect(document, {"photo", "image"}, {"edges", "image"});
        });
        const auto seen = [&] {
            return studio_->workspace().statuses.of("edges").nodeImage.convertToFormat(
                QImage::Format_RGB888);
        };
        QTRY_VERIFY_WITH_TIMEOUT(!seen().isNull(), kPatience);
        graph::Document alone;
        add(alone, catalog, "photo", "load.image", {{"image", dog}});
        add(alone, catalog, "edges", "control.canny", {{"low", 50}, {"high", 150}});
        add(alone, catalog, "save", "save.image");
        ui::connect(alone, {"photo", "image"}, {"edges", "image"});
        ui::connect(alone, {"edges", "image"}, {"save", "image"});
        QCOMPARE(seen(), runByCommand(alone));
    }

    void cleanupTestCase() { studio_.reset(); }

private:
    [[nodiscard]] Retouching& retouching() {
        return studio_->controller().widgets().viewer.retouching();
    }

    [[nodiscard]] ImageView& view() { return studio_->controller().widgets().viewer.view(); }

    [[nodiscard]] const QImage& mask() { return retouching().maskTool()->canvas().mask(); }

    void rest() { QTRY_VERIFY_WITH_TIMEOUT(!retouching().maskTool()->isBusy(), kPatience); }

    void showViewer() {
        studio_->window().findChild<QTabWidget*>("centre")->setCurrentWidget(
            &studio_->controller().widgets().viewer);
    }

    void show(const QString& path) {
        QSignalSpy shown(&studio_->controller().widgets().viewer, &Viewer::shown);
        studio_->controller().widgets().viewer.showFile(path);
        QVERIFY(shown.wait(kPatience));
        showViewer();
    }

    void startPainting() {
        Clicks(*studio_).on(Hands(*studio_).widget("paintMask"));
        QTRY_VERIFY_WITH_TIMEOUT(retouching().maskTool(), kPatience);
    }

    /// In one go around a part, in pixels of the image.
    void drawLasso(const QPolygonF& corners) {
        const auto positionOf = [&](const QPointF& pixel) {
            return view().positionOf(pixel).toPoint();
        };
        QTest::mousePress(&view(), Qt::LeftButton, {}, positionOf(corners.first()));
        for (const QPointF& corner : corners) {
            const QPoint at = positionOf(corner);
            QMouseEvent event(QEvent::MouseMove,
                              at,
                              view().mapToGlobal(at),
                              Qt::NoButton,
                              Qt::LeftButton,
                              Qt::NoModifier);
            QCoreApplication::sendEvent(&view(), &event);
        }
        QTest::mouseRelease(&view(), Qt::LeftButton, {}, positionOf(corners.last()));
    }

    void giveAPrompt(const char* prompt) {
        const int steps = studio_->model().undoStack().index();
        answerDialog("regionPrompt", [prompt](QDialog& dialog) {
            QTest::keyClicks(dialog.findChild<QPlainTextEdit*>(), prompt);
            dialog.accept();
        });
        Clicks(*studio_).on(Hands(*studio_).widget("maskRegion"));
        QTRY_COMPARE_WITH_TIMEOUT(studio_->model().undoStack().index(), steps + 1, kPatience);
    }

    /// The file that the graph as it stands makes.
    [[nodiscard]] QString run() {
        const QueuedRun run = Hands(*studio_).run();
        [&] {
            QVERIFY2(run.state == RunState::Finished && !run.files.isEmpty(),
                     run.issues.empty() ? "no issue" : run.issues.front().message.str().c_str());
        }();
        return run.files.value(0);
    }

    [[nodiscard]] QImage runByCommand(const graph::Document& document) {
        const QString path = folder_.filePath("by_hand.json");
        writeFile(path, graph::toText(document).c_str());
        const CommandResult command =
            runLowtide({"run", path, "--out", folder_.filePath("command")});
        [&] { QVERIFY2(command.exitCode == 0, qPrintable(command.errors)); }();
        return rgb(command.output.trimmed());
    }

    [[nodiscard]] std::string encoderOf(const char* prompt) const {
        for (const auto& [id, node] : studio_->model().document().nodes) {
            if (node.params.value("prompt", Json()) == prompt) {
                return id;
            }
        }
        return {};
    }

    /// The graph that a user would build: two encoders, an area of the quarter, a mask of the file.
    [[nodiscard]] graph::Document byHand(const graph::Document& before, const QImage& corner) {
        const graph::Catalog& catalog = studio_->model().catalog();
        const std::string file = folder_.filePath("corner.png").toStdString();
        [&] { QVERIFY(corner.save(QString::fromStdString(file))); }();
        graph::Document hand = before;
        const graph::PortRef model = linkInto(before, {"encode", "model"})->from;
        const graph::PortRef followed = linkInto(before, {"denoise", "positive"})->from;
        for (const auto& [id, prompt] : {std::pair("red", kRed), std::pair("green", kGreen)}) {
            add(hand, catalog, id, "prompt.encode", before.nodes.at("encode").params);
            hand.nodes.at(id).params["prompt"] = prompt;
            ui::connect(hand, model, {id, "model"});
        }
        add(hand,
            catalog,
            "quarter",
            "conditioning.area",
            {{"x", 0}, {"y", 0}, {"width", 64}, {"height", 64}});
        add(hand, catalog, "part", "conditioning.mask");
        add(hand, catalog, "file", "load.image", {{"image", file}});
        add(hand, catalog, "levels", "mask.from_image", {{"threshold", 0.0}});
        add(hand, catalog, "two", "conditioning.combine");
        add(hand, catalog, "three", "conditioning.combine");
        ui::connect(hand, {"red", "positive"}, {"quarter", "conditioning"});
        ui::connect(hand, {"green", "positive"}, {"part", "conditioning"});
        ui::connect(hand, {"file", "image"}, {"levels", "image"});
        ui::connect(hand, {"levels", "mask"}, {"part", "mask"});
        ui::connect(hand, followed, {"two", "first"});
        ui::connect(hand, {"quarter", "conditioning"}, {"two", "second"});
        ui::connect(hand, {"two", "conditioning"}, {"three", "first"});
        ui::connect(hand, {"part", "conditioning"}, {"three", "second"});
        ui::connect(hand, {"three", "conditioning"}, {"denoise", "positive"});
        return hand;
    }

    /// Whether another prompt of a part changes that part more than the rest of the image.
    [[nodiscard]] bool changesMostly(const QImage& made,
                                     const std::string& encoder,
                                     const std::function<bool(int x, int y)>& isPart) {
        studio_->model().apply("Another prompt", [&](graph::Document& document) {
            document.nodes.at(encoder).params["prompt"] = "a black background";
        });
        const QImage other = rgb(run());
        studio_->model().undoStack().undo();
        const double inside = differenceOf(made, other, isPart);
        const double outside =
            differenceOf(made, other, [&](int x, int y) { return !isPart(x, y); });
        qInfo("%s: %.2f inside, %.2f outside", encoder.c_str(), inside, outside);
        return inside > outside;
    }

    QTemporaryDir folder_;

    std::unique_ptr<StudioSession> studio_;
};

LOWTIDE_JOURNEY(RegionsTest)

}  // namespace regions_test

#include "regions_test.moc"
