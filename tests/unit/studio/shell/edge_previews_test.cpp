// Edges on the node that draws them, before any run.
#include "plugin/image/canny.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/edge_previews.hpp"
#include "ui/studio/input_images.hpp"

#include <QtGui>
#include <QtTest/QtTest>

namespace edge_previews_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

PortDesc port(const char* id, const char* type) {
    return {.id = id, .label = id, .type = type};
}

ParamDesc whole(const char* id, int64_t byDefault) {
    return {.id = id, .label = id, .kind = ParamKind::Int, .defaultValue = byDefault};
}

std::vector<NodeDesc> edgeNodes() {
    return {{.id = "load.image",
             .label = "Load image",
             .outputs = {port("image", "IMAGE"), port("mask", "MASK")},
             .params = {{.id = "image", .kind = ParamKind::File, .defaultValue = std::string()}}},
            {.id = "image.fit",
             .label = "Fit image",
             .inputs = {port("image", "IMAGE"), port("mask", "MASK"), port("model", "MODEL")},
             .outputs = {port("image", "IMAGE"), port("mask", "MASK")},
             .params = {whole("width", 0),
                        whole("height", 0),
                        whole("multiple", 8),
                        {.id = "mode",
                         .kind = ParamKind::Choice,
                         .defaultValue = std::string("crop"),
                         .choices = {{"crop", "Crop"}, {"pad", "Pad"}, {"stretch", "Stretch"}}}}},
            {.id = "finish.sharpen",
             .label = "Sharpen",
             .inputs = {port("image", "IMAGE")},
             .outputs = {port("image", "IMAGE")}},
            {.id = "control.canny",
             .label = "Canny edges",
             .inputs = {port("image", "IMAGE")},
             .outputs = {port("image", "IMAGE")},
             .params = {whole("low", 100), whole("high", 200)}}};
}

/// Two steps of light, of which high thresholds find one.
QImage someSteps() {
    QImage image(128, 64, QImage::Format_RGB888);
    image.fill(Qt::black);
    QPainter painter(&image);
    painter.fillRect(40, 0, 88, 64, QColor(60, 60, 60));
    painter.fillRect(90, 0, 38, 64, QColor(250, 250, 250));
    return image;
}

QImage edgesOfSteps(double low, double high) {
    return asImage(image::cannyEdges(asImage8(someSteps()), low, high));
}

}  // namespace

class EdgePreviewsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        folder_ = std::make_unique<QTemporaryDir>();
        someSteps().save(folder_->filePath("steps.png"));
        graph_ = {};
        for (const char* type : {"load.image", "image.fit", "finish.sharpen", "control.canny"}) {
            const std::string made = addNode(graph_, *catalog_.find(type), {0, 0});
            graph_.nodes[type] = graph_.nodes.extract(made).mapped();
        }
        graph_.nodes.at("load.image").params["image"] = "steps.png";
        ui::connect(graph_, {"load.image", "image"}, {"control.canny", "image"});
    }

    void theNodeShowsTheEdgesOfTheChosenImage_andOfOtherThresholds() {
        Shown shown(catalog_, *folder_);
        shown.model.apply("Nodes", [&](graph::Document& document) {
            document = graph_;
            document.nodes.at("load.image").params["image"] =
                folder_->filePath("steps.png").toStdString();
        });
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(100, 200), kPatience);
        QCOMPARE(shown.statuses.of("control.canny").shownSize, QSize(128, 64));
        QVERIFY(edgesOfSteps(400, 500) != edgesOfSteps(100, 200));

        shown.model.apply("Thresholds", [](graph::Document& document) {
            document.nodes.at("control.canny").params = {{"low", 400}, {"high", 500}};
        });
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(400, 500), kPatience);
        shown.model.undoStack().undo();
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(100, 200), kPatience);

        shown.model.apply("Wire", [](graph::Document& document) {
            ui::disconnect(document, {"control.canny", "image"});
        });
        QVERIFY(shown.edges().isNull());
    }

    /// Another program writes it while the user is there. What another node reads is as it was.
    void aChangedFileIsReadAgain_whenTheUserComesBack() {
        someSteps().save(folder_->filePath("other.png"));
        graph_.nodes["other"] = graph_.nodes.at("load.image");
        graph_.nodes.at("load.image").params["image"] =
            folder_->filePath("steps.png").toStdString();
        graph_.nodes.at("other").params["image"] = folder_->filePath("other.png").toStdString();
        Shown shown(catalog_, *folder_);
        const InputImages inputs(shown.model, shown.statuses, shown.file);
        shown.model.apply("Nodes", [&](graph::Document& document) { document = graph_; });
        const auto imageOn = [&](const char* node) { return shown.statuses.of(node).nodeImage; };
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(100, 200), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!imageOn("load.image").isNull() && !imageOn("other").isNull(),
                                 kPatience);
        const QImage before = imageOn("load.image");
        QStringList changed;
        connect(&shown.statuses, &NodeStatuses::changed, this, [&](const std::string& node) {
            changed << QString::fromStdString(node);
        });

        const QImage mirrored = someSteps().mirrored(true, false);
        QVERIFY(mirrored.save(folder_->filePath("steps.png")));
        Q_EMIT qGuiApp->applicationStateChanged(Qt::ApplicationActive);

        const QImage edges = asImage(image::cannyEdges(asImage8(mirrored), 100, 200));
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edges, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(imageOn("load.image") != before, kPatience);
        QThreadPool::globalInstance()->waitForDone();
        QTest::qWait(1);
        QVERIFY(!changed.contains("other"));
    }

    /// What was kept of the same thresholds is of the file as it was.
    void keptEdgesAreThoseOfTheFile() {
        graph_.nodes.at("load.image").params["image"] =
            folder_->filePath("steps.png").toStdString();
        Shown shown(catalog_, *folder_);
        shown.model.apply("Nodes", [&](graph::Document& document) { document = graph_; });
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(100, 200), kPatience);
        shown.model.apply("Thresholds", [](graph::Document& document) {
            document.nodes.at("control.canny").params = {{"low", 400}, {"high", 500}};
        });
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(400, 500), kPatience);

        const QImage mirrored = someSteps().mirrored(true, false);
        QVERIFY(mirrored.save(folder_->filePath("steps.png")));
        shown.model.undoStack().undo();

        const QImage edges = asImage(image::cannyEdges(asImage8(mirrored), 100, 200));
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edges, kPatience);
    }

    /// A slider that is dragged asks for edges with each step.
    void whatIsAskedForInARowIsMadeOnce() {
        Shown shown(catalog_, *folder_);
        int made = 0;
        connect(&shown.statuses, &NodeStatuses::changed, this, [&](const std::string& node) {
            made += node == "control.canny" ? 1 : 0;
        });
        for (int low = 0; low <= 100; low += 10) {
            shown.model.apply("Threshold", [&](graph::Document& document) {
                document = graph_;
                document.nodes.at("load.image").params["image"] =
                    folder_->filePath("steps.png").toStdString();
                document.nodes.at("control.canny").params["low"] = low;
            });
        }
        QTRY_COMPARE_WITH_TIMEOUT(shown.edges(), edgesOfSteps(100, 200), kPatience);
        QCOMPARE(made, 1);
    }

    void anImageIsFittedFirst() {
        ui::connect(graph_, {"load.image", "image"}, {"image.fit", "image"});
        ui::connect(graph_, {"image.fit", "image"}, {"control.canny", "image"});
        graph_.nodes.at("image.fit").params = {{"width", 64}, {"height", 64}};

        const auto asked = edgesAsked(graph_, catalog_, "control.canny", folder_->path());

        QVERIFY(asked.has_value());
        QCOMPARE(asked->path, folder_->filePath("steps.png"));
        const NodeImage made = edgesOf(*asked);
        QCOMPARE(made.size, QSize(64, 64));  // the middle of the image, as it is
        QCOMPARE(
            made.image,
            asImage(image::cannyEdges(asImage8(someSteps().copy(QRect(32, 0, 64, 64))), 100, 200)));
    }

    /// What the module alone can know is not guessed.
    void whatOtherNodesMakeIsNotShown() {
        ui::connect(graph_, {"load.image", "image"}, {"finish.sharpen", "image"});
        ui::connect(graph_, {"finish.sharpen", "image"}, {"control.canny", "image"});
        const auto asked = [&] {
            return edgesAsked(graph_, catalog_, "control.canny", folder_->path());
        };
        QVERIFY(!asked());
        graph_.nodes.at("finish.sharpen").mode = graph::NodeMode::Bypassed;
        QVERIFY(asked().has_value());
        graph_.nodes.at("finish.sharpen").mode = graph::NodeMode::Muted;
        QVERIFY(!asked());
    }

    void whatCannotBeMadeIsEmpty() {
        const QString steps = folder_->filePath("steps.png");
        QVERIFY(edgesOf({.path = folder_->filePath("none.png"), .high = 1}).image.isNull());
        QVERIFY(edgesOf({.path = steps, .low = 2, .high = 1}).image.isNull());
        QVERIFY(
            edgesOf({.path = steps, .fit = EdgesFit{.widthPixels = 63, .multiple = 8}, .high = 1})
                .image.isNull());
        QVERIFY(edgesOf({.path = steps, .fit = EdgesFit{.widthPixels = 65536}, .high = 1})
                    .image.isNull());
    }

private:
    /// A document whose nodes show images.
    struct Shown {
        Shown(const graph::Catalog& catalog, const QTemporaryDir& folder)
            : model(catalog),
              file(model,
                   {.resources = {},
                    .settings = {},
                    .presets = {},
                    .nodes = {},
                    .journals = folder.filePath("journal"),
                    .backups = folder.filePath("backups"),
                    .images = {}}),
              previews(model, statuses, file) {}

        [[nodiscard]] QImage edges() const { return statuses.of("control.canny").nodeImage; }

        GraphModel model;
        NodeStatuses statuses;
        DocumentFile file;
        EdgePreviews previews;
    };

    graph::Catalog catalog_{edgeNodes()};
    graph::Document graph_;
    std::unique_ptr<QTemporaryDir> folder_;
};

LOWTIDE_WINDOW_TEST(EdgePreviewsTest)

}  // namespace edge_previews_test

#include "edge_previews_test.moc"
